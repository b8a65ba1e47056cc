// RUN: distaff-opt %s --distaff-distribute=strict-fp --verify-diagnostics

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#b = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [4, 8], element_tile = [2, 1], subgroup_strides = [0, 0], thread_strides = [1, 4]>
#c = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
// An instruction adds in an order of its own (VX-87).
func.func @mma(%x: memref<16x16xf16>, %y: memref<16x8xf16>, %z: memref<16x8xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %1 = vector.transfer_read %y[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x8xf16>, vector<16x8xf16>
  %2 = vector.transfer_read %z[%c0, %c0], %q {in_bounds = [true, true]} : memref<16x8xf32>, vector<16x8xf32>
  %a = iree_vector_ext.to_layout %0 to layout(#a) {mma_kind = #mma} : vector<16x16xf16>
  %b = iree_vector_ext.to_layout %1 to layout(#b) {mma_kind = #mma} : vector<16x8xf16>
  %c = iree_vector_ext.to_layout %2 to layout(#c) {mma_kind = #mma} : vector<16x8xf32>
  // expected-error @+1 {{is laid out for NV_MMA_SYNC_F32_16x8x16_F16, which adds floats in an order of its own; strict-fp keeps the order of the source}}
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]} %a, %b, %c : vector<16x16xf16>, vector<16x8xf16> into vector<16x8xf32>
  vector.transfer_write %d, %z[%c0, %c0] {in_bounds = [true, true]} : vector<16x8xf32>, memref<16x8xf32>
  return
}
