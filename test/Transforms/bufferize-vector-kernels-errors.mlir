// RUN: distaff-opt %s --distaff-bufferize=only-vector-kernels --verify-diagnostics
func.func @scatter_into_an_argument(%t: tensor<9xf32>, %i: vector<4xindex>, %v: vector<4xf32>) -> tensor<9xf32> {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{changes a part of an argument, and arguments are only read; write all of it into a tensor.empty first, or take a memref}}
  %r = iree_vector_ext.transfer_scatter %v into %t[%c0] [%i : vector<4xindex>] {indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>]} : vector<4xf32>, tensor<9xf32> -> tensor<9xf32>
  return %r : tensor<9xf32>
}
