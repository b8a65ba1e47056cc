// Sixteen elements, of which each lane and each subgroup holds all.
#whole = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [4], element_tile = [2], subgroup_strides = [0], thread_strides = [0]>
func.func @stride_zero(%a: memref<16xf32>, %sum: memref<f32>, %each: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<16xf32>, vector<16xf32>
  %x = iree_vector_ext.to_layout %r to layout(#whole) : vector<16xf32>
  %s = vector.multi_reduction <add>, %x, %z [0] : vector<16xf32> to f32
  memref.store %s, %sum[] : memref<f32>
  %y = arith.addf %x, %x : vector<16xf32>
  vector.transfer_write %y, %each[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
  return
}
