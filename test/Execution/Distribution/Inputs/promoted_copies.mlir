// Operands of m16n8k16 that come by asynchronous copies, to places that a swizzle flips.
#operand = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 2], outer_tile = [2, 2], thread_tile = [8, 4],
             element_tile = [1, 2], subgroup_strides = [1, 0], thread_strides = [4, 1]>
#translation = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1] subgroup_size = 32>
func.func @promoted_copies(%a: memref<64x32xf16>, %b: memref<64x32xf16>, %o: memref<64x32xf16>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %x = vector.transfer_read %a[%c0, %c0], %zero {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
  %y = vector.transfer_read %b[%c0, %c0], %zero {in_bounds = [true, true]} : memref<64x32xf16>, vector<64x32xf16>
  %u = iree_vector_ext.to_layout %x to layout(#operand) {shared_memory_conversion = #iree_gpu.use_global_load_dma} : vector<64x32xf16>
  %v = iree_vector_ext.to_layout %y to layout(#operand) {shared_memory_conversion = #iree_gpu.use_global_load_dma} : vector<64x32xf16>
  %sum = arith.subf %u, %v : vector<64x32xf16>
  vector.transfer_write %sum, %o[%c0, %c0] {in_bounds = [true, true]} : vector<64x32xf16>, memref<64x32xf16>
  return
}
