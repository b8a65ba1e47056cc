// RUN: distaff-opt %s --distaff-assign-layouts=target=sm_80 --verify-diagnostics

// VX-63, VX-88: an instruction has no mask, and this one is of no operand alone.

#A = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#B = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @of_all_dims(%a: memref<16x16xf16>, %b: memref<8x16xf16>, %c: memref<16x8xf32>, %m: memref<16x8x16xi8>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %z32 = arith.constant 0.0 : f32
  %z8 = arith.constant 0 : i8
  %x0 = vector.transfer_read %a[%c0, %c0], %z : memref<16x16xf16>, vector<16x16xf16>
  %y0 = vector.transfer_read %b[%c0, %c0], %z : memref<8x16xf16>, vector<8x16xf16>
  %s = vector.transfer_read %c[%c0, %c0], %z32 : memref<16x8xf32>, vector<16x8xf32>
  %x = iree_vector_ext.to_layout %x0 to layout(#A) {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} : vector<16x16xf16>
  %y = iree_vector_ext.to_layout %y0 to layout(#B) {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} : vector<8x16xf16>
  %bytes = vector.transfer_read %m[%c0, %c0, %c0], %z8 : memref<16x8x16xi8>, vector<16x8x16xi8>
  %in = arith.trunci %bytes : vector<16x8x16xi8> to vector<16x8x16xi1>
  // expected-error @+1 {{'vector.contract' op is laid out for an instruction, which multiplies all that it is given, and has a mask that depends on rows, columns and the reduced dims together; mask the operands instead, or lay them out without an mma_kind}}
  %p = vector.mask %in { vector.contract {indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %x, %y, %s : vector<16x16xf16>, vector<8x16xf16> into vector<16x8xf32> } : vector<16x8x16xi1> -> vector<16x8xf32>
  vector.transfer_write %p, %c[%c0, %c0] : vector<16x8xf32>, memref<16x8xf32>
  return
}
