// A pcf.loop over workgroups without a product, by either pipeline: rows in slices of 16 are summed, and
// elements computed (PCF-133).
// RUN: split-file %s %t
// RUN: distaff run %t/rows.mlir --target sm_80 --pipeline run-cluster --check --every-stage | FileCheck %s
// RUN: distaff run %t/rows.mlir --target sm_80 --pipeline vector-distribute --check --every-stage | FileCheck %s
// RUN: distaff run %t/rows.mlir --target gfx942 --pipeline vector-distribute --check --every-stage | FileCheck %s
// RUN: distaff run %t/exp.mlir --target sm_80 --pipeline run-cluster --check --every-stage | FileCheck %s
// RUN: distaff run %t/exp.mlir --target sm_80 --pipeline vector-distribute --check --every-stage | FileCheck %s
// RUN: distaff run %t/exp.mlir --target sm_80 --pipeline vector-distribute --check --device ptx | FileCheck %s --check-prefix=PTX
// CHECK: convert {{.*}} ok
//
// What runs is what is compiled: without a launch of its own the loop is given one by each pipeline (PCF-137).
// RUN: sed 's/ attributes {translation_info = [^}]*>}//' %t/rows.mlir > %t/alone.mlir
// RUN: distaff run %t/rows.mlir --target sm_80 --pipeline vector-distribute --check | FileCheck %s --check-prefix=LOWER
// RUN: distaff run %t/alone.mlir --target sm_80 --check | FileCheck %s --check-prefix=LOWER
// RUN: distaff run %t/alone.mlir --target gfx942 --pipeline vector-distribute --check | FileCheck %s --check-prefix=LOWER
// RUN: distaff run %t/alone.mlir --target gfx942 --pipeline run-cluster --check | FileCheck %s --check-prefix=LOWER
// RUN: distaff compile %t/alone.mlir --target gfx942 --pipeline run-cluster --stop-after=tile | FileCheck %s --check-prefix=TILE
// LOWER-NOT: input
// LOWER: lower {{.*}} ok
// TILE: workgroup_size =
// TILE: pcf.loop scope(#iree_codegen.workgroup_scope) count(%c4)
// TILE: func.func @rows__grid
// PTX: ptx {{.*}} ok

//--- rows.mlir
#wg = #iree_codegen.workgroup_scope
func.func @rows(%in: tensor<64x96xf32>) -> tensor<64xf32> attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1]>} {
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %r = pcf.loop scope(#wg) count(%c4) execute(%x <- %in : tensor<64x96xf32>, %o = %e)[%id: index] : (!pcf.sref<64x96xf32, #wg>, !pcf.sref<64xf32, sync(#wg)>) -> (tensor<64xf32>) {
    %at = arith.muli %id, %c16 : index
    %v = pcf.read_slice %x[%at, 0] [16, 96] [1, 1] : !pcf.sref<64x96xf32, #wg> to tensor<16x96xf32>
    %q = tensor.empty() : tensor<16xf32>
    %f = linalg.fill ins(%z : f32) outs(%q : tensor<16xf32>) -> tensor<16xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v : tensor<16x96xf32>) outs(%f : tensor<16xf32>) {
    ^bb0(%a: f32, %s: f32):
      %t = arith.addf %a, %s : f32
      linalg.yield %t : f32
    } -> tensor<16xf32>
    pcf.write_slice %y into %o[%at] [16] [1] : tensor<16xf32> into !pcf.sref<64xf32, sync(#wg)>
    pcf.return
  }
  return %r : tensor<64xf32>
}
func.func @rows__grid() -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  return %c4, %c1, %c1 : index, index, index
}

//--- exp.mlir
#wg = #iree_codegen.workgroup_scope
func.func @exp(%in: tensor<64x40xf32>) -> tensor<64x40xf32> attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>} {
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %e = tensor.empty() : tensor<64x40xf32>
  %r = pcf.loop scope(#wg) count(%c4) execute(%x <- %in : tensor<64x40xf32>, %o = %e)[%id: index] : (!pcf.sref<64x40xf32, #wg>, !pcf.sref<64x40xf32, sync(#wg)>) -> (tensor<64x40xf32>) {
    %at = arith.muli %id, %c16 : index
    %v = pcf.read_slice %x[%at, 0] [16, 40] [1, 1] : !pcf.sref<64x40xf32, #wg> to tensor<16x40xf32>
    %q = tensor.empty() : tensor<16x40xf32>
    %y = linalg.exp ins(%v : tensor<16x40xf32>) outs(%q : tensor<16x40xf32>) -> tensor<16x40xf32>
    pcf.write_slice %y into %o[%at, 0] [16, 40] [1, 1] : tensor<16x40xf32> into !pcf.sref<64x40xf32, sync(#wg)>
    pcf.return
  }
  return %r : tensor<64x40xf32>
}
func.func @exp__grid() -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  return %c4, %c1, %c1 : index, index, index
}
