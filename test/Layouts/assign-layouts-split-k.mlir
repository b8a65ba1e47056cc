// A user may split K over subgroups, which is never chosen by itself: operands
// are split along K, and the subgroups meet in the sum (VX-113).
// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 --distaff-assign-layouts=target=sm_80 | FileCheck %s

// CHECK-DAG: #[[LHS:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [1, 2], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 1]
// CHECK-DAG: #[[ACC:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 2], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0]
// CHECK: to_layout {{.*}} to layout(#[[LHS]]) {mma_kind
// CHECK: to_layout {{.*}} to layout(#[[ACC]]) {mma_kind
#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
func.func @halves_of_k(%x: memref<16x64xf16>, %y: memref<64x16xf16>, %z: memref<16x16xf32>)
    attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1]>} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x64xf16>, vector<16x64xf16>
  %b = vector.transfer_read %y[%c0, %c0], %p {in_bounds = [true, true]} : memref<64x16xf16>, vector<64x16xf16>
  %c = vector.transfer_read %z[%c0, %c0], %q {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"],
    lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[1, 1, 2], [0, 1, 2]]}>}
    %a, %b, %c : vector<16x64xf16>, vector<64x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %z[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}
