// RUN: distaff-opt %s --distaff-assign-layouts=target=sm_80 | FileCheck %s

// What a user has laid out for an MMA stays so; nothing is put between.

#a = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#b = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#c = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
// CHECK-LABEL: @mma_anchors_are_kept
func.func @mma_anchors_are_kept(%x: memref<16x16xf16>, %y: memref<8x16xf16>, %z: memref<16x8xf32>, %d: memref<16x8xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0.0 : f16
  %f = arith.constant 0.0 : f32
  // CHECK-COUNT-3: iree_vector_ext.to_layout {{.*}}mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} :
  // CHECK-NOT: to_layout
  // CHECK: vector.contract
  // CHECK-NOT: to_layout
  // CHECK: return
  %0 = vector.transfer_read %x[%c0, %c0], %h {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %1 = iree_vector_ext.to_layout %0 to layout(#a) {mma_kind = #kind} : vector<16x16xf16>
  %2 = vector.transfer_read %y[%c0, %c0], %h {in_bounds = [true, true]} : memref<8x16xf16>, vector<8x16xf16>
  %3 = iree_vector_ext.to_layout %2 to layout(#b) {mma_kind = #kind} : vector<8x16xf16>
  %4 = vector.transfer_read %z[%c0, %c0], %f {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
  %5 = iree_vector_ext.to_layout %4 to layout(#c) {mma_kind = #kind} : vector<16x8xf32>
  %6 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
    %1, %3, %5 : vector<16x16xf16>, vector<8x16xf16> into vector<16x8xf32>
  vector.transfer_write %6, %d[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}
