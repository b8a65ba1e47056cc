// RUN: distaff-opt %s --distaff-distribute=target=sm_80 --verify-diagnostics

// What is copied past the registers goes whole (VX-11).
#info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#copy = #iree_vector_ext.nested_layout<subgroup_tile = [4, 1], batch_tile = [128, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [0, 1]>
#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 4], batch_tile = [16, 1], outer_tile = [1, 1], thread_tile = [32, 1], element_tile = [1, 32], subgroup_strides = [0, 1], thread_strides = [1, 0]>
func.func @too_large(%x: memref<512x128xf32>, %y: memref<512x128xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %a = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<512x128xf32>, vector<512x128xf32>
  %b = iree_vector_ext.to_layout %a to layout(#copy) : vector<512x128xf32>
  // expected-error @+1 {{is copied asynchronously, for which all of its 262144 bytes have to fit into workgroup memory, of which 166912 are left; smaller vectors, or a plain `shared_memory_conversion`, take less}}
  %c = iree_vector_ext.to_layout %b to layout(#columns) {shared_memory_conversion = #iree_gpu.use_global_load_dma} : vector<512x128xf32>
  vector.transfer_write %c, %y[%c0, %c0] {in_bounds = [true, true]} : vector<512x128xf32>, memref<512x128xf32>
  return
}
