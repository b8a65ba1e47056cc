// RUN: distaff-opt %s --distaff-bufferize --split-input-file --verify-diagnostics

// An input is not written to, so a tensor that starts as one needs memory.
func.func @memory_in_a_kernel(%x: tensor<64xf32>, %i: index) -> tensor<1xf32> {
  %zero = arith.constant 0.0 : f32
  %v = arith.constant dense<1.0> : vector<4xf32>
  // expected-error @+1 {{keeps a whole tensor of the kernel in global memory, which a kernel has of its arguments alone; compute it in the loop over workgroups or in the executor that uses it, or make two kernels}}
  %w = vector.transfer_write %v, %x[%i] {in_bounds = [true]} : vector<4xf32>, tensor<64xf32>
  %r = vector.transfer_read %w[%i], %zero {in_bounds = [true]} : tensor<64xf32>, vector<1xf32>
  %e = tensor.empty() : tensor<1xf32>
  %c0 = arith.constant 0 : index
  %o = vector.transfer_write %r, %e[%c0] {in_bounds = [true]} : vector<1xf32>, tensor<1xf32>
  return %o : tensor<1xf32>
}

// -----

// expected-error @+1 {{result 0 has an extent, dimension 0, that is no sum, product or quotient of its arguments' extents, so that no launch can provide its memory}}
func.func @extent_of_a_scalar(%n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  return %e : tensor<?xf32>
}

// -----

// expected-error @+1 {{has several basic blocks; run distaff-form-launches first, which says what to do}}
func.func @several_blocks(%x: tensor<64xf32>) -> tensor<64xf32> {
  cf.br ^next
^next:
  return %x : tensor<64xf32>
}

// -----

// expected-error @+1 {{returns 'f32' beside tensors; run distaff-form-launches first}}
func.func @a_scalar_beside(%x: tensor<64xf32>, %y: f32) -> (tensor<64xf32>, f32) {
  return %x, %y : tensor<64xf32>, f32
}
