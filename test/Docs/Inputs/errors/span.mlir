#row = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [64],
  element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
func.func @copy(%x: memref<64xf32>, %y: memref<64xf32>)
    attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %l = iree_vector_ext.to_layout %v to layout(#row) : vector<64xf32>
  vector.transfer_write %l, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}
