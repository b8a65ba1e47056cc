// RUN: distaff-opt %s --distaff-configure=target=sm_80 --split-input-file --verify-diagnostics

// What a kernel on tensors may not have, and what to write instead.

func.func @no_rank(%x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{'tensor<*xf32>' has no rank; give it one}}
  return %x : tensor<*xf32>
}

// -----

func.func @loop(%x: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'scf.for' op is not supported on tensors; a tensor kernel is made of linalg ops, elementwise ops and tensor.empty, and of what moves data: tensor.pad, concat, insert_slice, extract_slice, expand_shape and collapse_shape}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<8x8xf32>) {
    %b = arith.addf %a, %a : tensor<8x8xf32>
    scf.yield %b : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

func.func @computed_padding(%x: tensor<8xf32>) -> tensor<12xf32> {
  // expected-error @+1 {{'tensor.pad' op pads with what its region computes; a value from outside is supported, or linalg.generic with linalg.index}}
  %r = tensor.pad %x low[2] high[2] {
  ^bb0(%i: index):
    %n = arith.index_cast %i : index to i32
    %v = arith.sitofp %n : i32 to f32
    tensor.yield %v : f32
  } : tensor<8xf32> to tensor<12xf32>
  return %r : tensor<12xf32>
}

// -----

#diagonal = affine_map<(i, j) -> (i + j)>
func.func @sums_of_loops_in_the_result(%x: tensor<4x5xf32>, %o: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'linalg.generic' op writes its result by the indexing map affine_map<(d0, d1) -> (d0 + d1)>; a result has an element per point of different loops}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, #diagonal], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x5xf32>) outs(%o : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
