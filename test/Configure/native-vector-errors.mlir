// Native vectors of ops on tensors that are not followed as they stand are told (VX-172, VX-173, VX-203).
// RUN: distaff-opt %s --distaff-form-launches=target=host:avx2 --distaff-configure=target=host:avx2 --split-input-file --verify-diagnostics

func.func @both(%a: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %e = tensor.empty() : tensor<16x32xf32>
  // expected-error @+1 {{'linalg.abs' op has a native_vector, and 'linalg.abs' has `workgroup` tiles, which are its vectors; leave one of them out}}
  %r = linalg.abs {lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 8]}>, distaff.native_vector = array<i64: 8>}
      ins(%a : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}

// -----

func.func @too_large(%a: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %e = tensor.empty() : tensor<16x32xf32>
  // expected-warning @+1 {{'linalg.abs' op has the native_vector 2x64, which 'linalg.abs' is smaller than; it is computed by 2x32}}
  %r = linalg.abs {distaff.native_vector = array<i64: 2, 64>} ins(%a : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}

// -----

// expected-warning @+1 {{'func.func' op has the native_vector 2x4x8, which 'linalg.abs' is smaller than; it is computed by 4x8}}
func.func @too_many(%a: tensor<16x32xf32>) -> tensor<16x32xf32> attributes {distaff.native_vector = array<i64: 2, 4, 8>} {
  %e = tensor.empty() : tensor<16x32xf32>
  %r = linalg.abs ins(%a : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}

// -----

func.func @no_linalg(%a: tensor<16x32xf32>) -> tensor<18x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<18x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<18x32xf32>) -> tensor<18x32xf32>
  // expected-error @+1 {{'tensor.insert_slice' op has a native_vector, and computes no linalg op on tensors whose tiles it could be}}
  %r = tensor.insert_slice %a into %f[1, 0] [16, 32] [1, 1] {distaff.native_vector = array<i64: 8>} : tensor<16x32xf32> into tensor<18x32xf32>
  return %r : tensor<18x32xf32>
}

// -----

func.func @rewritten(%a: tensor<1x8x8x4xf32>, %b: tensor<2x2x4x8xf32>) -> tensor<1x7x7x8xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x7x7x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x7x7x8xf32>) -> tensor<1x7x7x8xf32>
  // expected-error @+1 {{'linalg.conv_2d_nhwc_hwcf' op has a native_vector, and is computed by another op, of other loops; give the native_vector to the function, of whose result it then is}}
  %r = linalg.conv_2d_nhwc_hwcf {distaff.native_vector = array<i64: 1, 1, 4, 8, 1, 1, 1>}
      ins(%a, %b : tensor<1x8x8x4xf32>, tensor<2x2x4x8xf32>) outs(%f : tensor<1x7x7x8xf32>) -> tensor<1x7x7x8xf32>
  return %r : tensor<1x7x7x8xf32>
}

// -----

// expected-error @+1 {{'func.func' op has a native_vector, in a kernel whose author has written the loops over workgroups, whose tiles are its vectors; leave it out}}
func.func @own_loops(%a: tensor<16x32xf32>) -> tensor<16x32xf32> attributes {distaff.native_vector = array<i64: 8>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16x32xf32>
  %r = scf.forall (%i) in (16) shared_outs(%o = %e) -> (tensor<16x32xf32>) {
    %x = vector.transfer_read %a[%i, %c0], %z {in_bounds = [true, true]} : tensor<16x32xf32>, vector<1x32xf32>
    %y = tensor.extract_slice %o[%i, 0] [1, 32] [1, 1] : tensor<16x32xf32> to tensor<1x32xf32>
    %w = vector.transfer_write %x, %y[%c0, %c0] {in_bounds = [true, true]} : vector<1x32xf32>, tensor<1x32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %o[%i, 0] [1, 32] [1, 1] : tensor<1x32xf32> into tensor<16x32xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<16x32xf32>
}

// -----

// VX-203
func.func @more_than_registers(%a: tensor<64x48xf32>, %b: tensor<48x32xf32>, %c: tensor<64x32xf32>) -> tensor<64x32xf32> {
  // expected-error @+1 {{'linalg.matmul' op has a native_vector, by which 'linalg.matmul' takes 3072 elements at once in one workgroup, whose registers hold 128; give a smaller native_vector}}
  %r = linalg.matmul {distaff.native_vector = array<i64: 64, 32, 48>} ins(%a, %b : tensor<64x48xf32>, tensor<48x32xf32>) outs(%c : tensor<64x32xf32>) -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

// -----

// VX-203
func.func @of_two_in_one_launch(%a: tensor<16x32xf32>, %b: tensor<16xf32>) -> tensor<16x32xf32> attributes {distaff.native_vector = array<i64: 8>} {
  %e = tensor.empty() : tensor<16x32xf32>
  // expected-note @+1 {{the kernel is tiled by those of this op}}
  %m = linalg.reduce { arith.addf } ins(%a : tensor<16x32xf32>) outs(%b : tensor<16xf32>) dimensions = [1]
  %r = linalg.broadcast ins(%m : tensor<16xf32>) outs(%e : tensor<16x32xf32>) dimensions = [1]
  // expected-error @+1 {{'linalg.exp' op has a native_vector of its own, and is computed on tiles of another op in one launch; give the native_vector to that op}}
  %s = linalg.exp {distaff.native_vector = array<i64: 4>} ins(%r : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %s : tensor<16x32xf32>
}

// -----

// VX-203
func.func @softmax(%a: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %e = tensor.empty() : tensor<16x32xf32>
  // expected-error @+1 {{'linalg.softmax' op has a native_vector, and 'linalg.softmax' is computed by several ops, of other loops; leave it out, or write the softmax as a maximum, exponentials and their sum}}
  %r = linalg.softmax {distaff.native_vector = array<i64: 4>} dimension(1) ins(%a : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}

// -----

// VX-203
// expected-error @+1 {{'func.func' op has a native_vector, and 'linalg.softmax' is computed by several ops, of other loops}}
func.func @ends_in_softmax(%a: tensor<16x32xf32>) -> tensor<16x32xf32> attributes {distaff.native_vector = array<i64: 8>} {
  %e = tensor.empty() : tensor<16x32xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<16x32xf32>) outs(%e : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %r : tensor<16x32xf32>
}

// -----

// VX-203: of no elements there is nothing to follow.
func.func @no_rows(%a: tensor<0x32xf32>) -> tensor<0x32xf32> attributes {distaff.native_vector = array<i64: 8>} {
  %e = tensor.empty() : tensor<0x32xf32>
  %r = linalg.abs {distaff.native_vector = array<i64: 8>} ins(%a : tensor<0x32xf32>) outs(%e : tensor<0x32xf32>) -> tensor<0x32xf32>
  return %r : tensor<0x32xf32>
}

// -----

// VX-203
func.func @of_rank_zero(%a: tensor<f32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<f32>
  // expected-warning @+1 {{'linalg.add' op has the native_vector 8, which 'linalg.add' is smaller than; it is computed by single elements}}
  %r = linalg.add {distaff.native_vector = array<i64: 8>} ins(%a, %a : tensor<f32>, tensor<f32>) outs(%e : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
