// RUN: distaff compile %s --func one_subgroup --target gfx942 --stop-after=distribute | FileCheck %s --check-prefix=ONE
// RUN: distaff run %s --func one_subgroup --target gfx942 --check --every-stage | FileCheck %s
// RUN: distaff compile %s --func half_as_many_lanes --target sm_80 --stop-after=distribute | FileCheck %s --check-prefix=HALF
// RUN: distaff run %s --func half_as_many_lanes --target sm_80 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func half_as_many_lanes --target sm_80 --check --device ptx | FileCheck %s --check-prefix=PTX
// RUN: distaff compile %s --func two_subgroups --target sm_80 --stop-after=distribute | FileCheck %s --check-prefix=TWO
// RUN: distaff run %s --func two_subgroups --target sm_80 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func two_subgroups --target sm_80 --check --device ptx | FileCheck %s --check-prefix=PTX
// RUN: distaff compile %s --func walked --target sm_80 --stop-after=distribute | FileCheck %s --check-prefix=WALK
// RUN: distaff run %s --func walked --target sm_80 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func walked --target sm_80 --check --device ptx | FileCheck %s --check-prefix=PTX
// RUN: distaff run %s --func columns --target sm_80 --check --every-stage | FileCheck %s
// RUN: distaff run %s --func fused --target gfx942 --check --every-stage | FileCheck %s

// The walkthrough's reduction, asked for by `lowering_config` on linalg: who
// holds what, the order of operations, and one guarded write.

// CHECK: vectorize {{.*}} ok
// CHECK: distribute {{.*}} ok
// CHECK: lower {{.*}} ok
// PTX: ptx {{.*}} ok

#plane = affine_map<(i, j) -> (i, j)>
#rows = affine_map<(i, j) -> (i)>

// VX-106: one element per lane, a cluster of 64, one thread writes.
// ONE-LABEL: gpu.func @one_subgroup
// ONE:         %[[LANE:.*]] = gpu.thread_id x
// ONE:         %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0
// ONE:         vector.transfer_read %{{.*}}[%{{.*}}, %[[LANE]]]{{.*}} vector<1x1xf32>
// ONE:         vector.multi_reduction <add>
// ONE:         gpu.subgroup_reduce add %{{.*}} cluster(size = 64) : (f32) -> f32
// ONE-NOT:     gpu.subgroup_reduce
// ONE-NOT:     gpu.barrier
// ONE:         scf.if %[[FIRST]]
// ONE:           vector.transfer_write
// ONE-NOT:     vector.transfer_write
func.func @one_subgroup(%x: tensor<8x64xf32>) -> tensor<8xf32> attributes {translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1] subgroup_size = 64>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#plane, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], thread = [0, 1], lane_basis = [[1, 64], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// VX-107: with 32 lanes the same tile has two elements per lane.
// HALF-LABEL: gpu.func @half_as_many_lanes
// HALF:         vector.transfer_read %{{.*}} vector<1x2xf32>
// HALF:         vector.multi_reduction <add>
// HALF:         gpu.subgroup_reduce add %{{.*}} cluster(size = 32) : (f32) -> f32
// HALF-NOT:     gpu.barrier
// HALF:         scf.if
// HALF:           vector.transfer_write
func.func @half_as_many_lanes(%x: tensor<8x64xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#plane, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], thread = [0, 2], lane_basis = [[1, 32], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// VX-107: two subgroups meet once, in a buffer of two slots.
// TWO-LABEL: gpu.func @two_subgroups
// TWO-SAME:    known_block_size = array<i32: 64, 1, 1>
// TWO:         memref.alloc() : memref<2xf32, #gpu.address_space<workgroup>>
// TWO:         gpu.subgroup_reduce add %{{.*}} cluster(size = 32) : (f32) -> f32
// TWO:         gpu.barrier
// TWO-NOT:     gpu.barrier
// TWO:         gpu.return
func.func @two_subgroups(%x: tensor<8x64xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#plane, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], thread = [0, 1], lane_basis = [[1, 32], [0, 1]], subgroup_basis = [[1, 2], [0, 1]]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// A row walked in steps: each step keeps a partial result per element, and lanes
// exchange after the last one.
// WALK-LABEL: gpu.func @walked
// WALK:         scf.for {{.*}} -> (vector<{{[1x]*}}4xf32>) {
// WALK-NOT:       gpu.subgroup_reduce
// WALK:           vector.transfer_read %{{.*}} vector<1x4xf32>
// WALK:         }
// WALK:         gpu.subgroup_reduce maximumf
// WALK:         gpu.barrier
func.func @walked(%x: tensor<6x4096xf32>) -> tensor<6xf32> {
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<6xf32>
  %i = linalg.fill ins(%low : f32) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %r = linalg.generic {indexing_maps = [#plane, #rows], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<6x4096xf32>) outs(%i : tensor<6xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], partial_reduction = [0, 512], thread = [0, 4], lane_basis = [[1, 32], [0, 1]], subgroup_basis = [[1, 4], [0, 1]]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.maximumf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// Columns are reduced over subgroups and registers; lanes share the kept dim, and
// the input is transposed.
func.func @columns(%x: tensor<24x96xf32>) -> tensor<24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<24xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<24xf32>) -> tensor<24xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (i)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<24x96xf32>) outs(%i : tensor<24xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{workgroup = [0, 12], thread = [2, 1], lane_basis = [[12, 2], [1, 0]], subgroup_basis = [[3, 1], [0, 1]]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<24xf32>
  return %r : tensor<24xf32>
}

// What is fused in front follows.
func.func @fused(%x: tensor<8x128xf32>, %y: tensor<8x128xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = arith.mulf %x, %y : tensor<8x128xf32>
  %e = tensor.empty() : tensor<8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.generic {indexing_maps = [#plane, #rows], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<8x128xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{workgroup = [2, 0], thread = [1, 2], lane_basis = [[2, 32], [0, 1]]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
