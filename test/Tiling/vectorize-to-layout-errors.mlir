// RUN: distaff-opt %s --vector-ext-vectorize-to-layout --verify-diagnostics
// What has no vector (VX-21).

#layout = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [8], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
func.func @no_vectors_of_it(%t: tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>> {
  // expected-error @+1 {{has elements of type 'complex<f32>', of which there are no vectors}}
  %l = iree_vector_ext.to_layout %t to layout(#layout) : tensor<8xcomplex<f32>>
  return %l : tensor<8xcomplex<f32>>
}
