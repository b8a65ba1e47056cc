// RUN: distaff-opt %s --distaff-assign-layouts=target=gfx942 --split-input-file --verify-diagnostics
// Copies that cannot be asynchronous (VX-11).

#translation = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
#lanes = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [16], element_tile = [4], subgroup_strides = [0], thread_strides = [1]>
func.func @no_such_copies(%x: memref<64xf32>, %y: memref<64xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  // expected-error @+1 {{has the shared_memory_conversion #iree_gpu.use_global_load_dma, an asynchronous copy, which gfx942 has no instruction for; a plain `shared_memory_conversion` is copied either way}}
  %b = iree_vector_ext.to_layout %a to layout(#lanes) {shared_memory_conversion = #iree_gpu.use_global_load_dma} : vector<64xf32>
  vector.transfer_write %b, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}
