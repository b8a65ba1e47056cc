// RUN: distaff-opt %s --distaff-raise-workgroup-loop | FileCheck %s

// A loop over workgroups on tensors, without phases, is one that either pipeline takes (PCF-133): the
// grid follows from the forall, and the grid function goes.
// CHECK-LABEL: func.func @row_sums
// CHECK: scf.forall (%[[I:.*]]) in (4) shared_outs(%[[O:.*]] = %{{.*}})
// CHECK: tensor.extract_slice %arg0[%{{.*}}, 0] [16, 96] [1, 1]
// CHECK: tensor.parallel_insert_slice %{{.*}} into %[[O]][%{{.*}}] [16] [1]
// CHECK: mapping = [#gpu.block<x>]
// CHECK-NOT: func.func @row_sums__grid
#wg = #iree_codegen.workgroup_scope
func.func @row_sums(%in: tensor<64x96xf32>) -> tensor<64xf32> attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>} {
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
func.func @row_sums__grid() -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  return %c4, %c1, %c1 : index, index, index
}
