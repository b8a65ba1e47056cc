// A tensor.cast that makes the extents of an argument with a layout known takes it from memory, in which it is (VX-213).
// RUN: distaff run %s --target sm_80 --func known --check --every-stage --shape arg0=16x16
// RUN: distaff run %s --target gfx942 --func known --check --shape arg0=16x16
// RUN: distaff run %s --target sm_80 --func relaid --device ptx --check --shape arg0=16x16
// RUN: distaff run %s --target host --func known --device host --check --shape arg0=16x16

#L = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [4, 1]>
#M = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [4, 1], subgroup_strides = [0, 1], thread_strides = [1, 4]>
func.func @known(%x: tensor<?x?xf32, #L>, %e: tensor<16x16xf32, #L>) -> tensor<16x16xf32, #L> {
  %c = tensor.cast %x : tensor<?x?xf32, #L> to tensor<16x16xf32, #L>
  %y = linalg.exp ins(%c : tensor<16x16xf32, #L>) outs(%e : tensor<16x16xf32, #L>) -> tensor<16x16xf32, #L>
  return %y : tensor<16x16xf32, #L>
}

// To another layout at once, and of one extent.
func.func @relaid(%x: tensor<?x16xf32, #L>, %e: tensor<16x16xf32, #M>) -> tensor<16x16xf32, #M> {
  %c = tensor.cast %x : tensor<?x16xf32, #L> to tensor<16x16xf32, #M>
  %y = linalg.negf ins(%c : tensor<16x16xf32, #M>) outs(%e : tensor<16x16xf32, #M>) -> tensor<16x16xf32, #M>
  return %y : tensor<16x16xf32, #M>
}
