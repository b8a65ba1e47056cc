// RUN: distaff-opt %s --distaff-bufferize=of-vectors --verify-diagnostics

#line = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
func.func @parts(%t: tensor<32xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{'iree_vector_ext.to_layout' op lays out a tensor of which no vector of the layout's shape is read or written; lay out the vectors}}
  %l = iree_vector_ext.to_layout %t to layout(#line) : tensor<32xf32>
  %x = vector.transfer_read %l[%c0], %z {in_bounds = [true]} : tensor<32xf32>, vector<16xf32>
  %e = tensor.empty() : tensor<16xf32>
  %w = vector.transfer_write %x, %e[%c0] {in_bounds = [true]} : vector<16xf32>, tensor<16xf32>
  return %w : tensor<16xf32>
}
