// RUN: distaff-opt %s --distaff-import-dispatches -verify-diagnostics -split-input-file

// VX-161
func.func @maps(%q: tensor<4x16xf16>, %s: f16, %o: tensor<4x8xf16>) -> tensor<4x8xf16> {
  // expected-error @+1 {{is read with queries, keys, values, a scale that is a float, perhaps a mask, and as many projected permutations in indexing_maps}}
  %r = iree_linalg_ext.attention ins(%q, %q, %q, %s : tensor<4x16xf16>, tensor<4x16xf16>, tensor<4x16xf16>, f16) outs(%o : tensor<4x8xf16>) -> tensor<4x8xf16>
  return %r : tensor<4x8xf16>
}

// -----

func.func @two_dimensions_of_keys(%q: tensor<4x16xf16>, %k: tensor<2x3x16xf16>, %v: tensor<2x3x8xf16>, %s: f16, %o: tensor<4x8xf16>) -> tensor<4x8xf16> {
  // expected-error @+1 {{has keys along 2 dimensions; one is read}}
  %r = iree_linalg_ext.attention <indexing_maps = [affine_map<(m, n, k1, a, b) -> (m, k1)>, affine_map<(m, n, k1, a, b) -> (a, b, k1)>, affine_map<(m, n, k1, a, b) -> (a, b, n)>, affine_map<(m, n, k1, a, b) -> ()>, affine_map<(m, n, k1, a, b) -> (m, n)>]> ins(%q, %k, %v, %s : tensor<4x16xf16>, tensor<2x3x16xf16>, tensor<2x3x8xf16>, f16) outs(%o : tensor<4x8xf16>) -> tensor<4x8xf16>
  return %r : tensor<4x8xf16>
}

// -----

func.func @another_part(%q: tensor<4x16xf16>, %k: tensor<6x16xf16>, %v: tensor<6x8xf16>, %s: f16, %o: tensor<4x8xf32>, %m: tensor<4xf32>) -> tensor<4x8xf32> {
  // expected-error @+1 {{goes on from the sums of another, or its maxima are used; a whole attention is read}}
  %r:3 = iree_linalg_ext.online_attention <indexing_maps = [affine_map<(m, n, k1, k2) -> (m, k1)>, affine_map<(m, n, k1, k2) -> (k2, k1)>, affine_map<(m, n, k1, k2) -> (k2, n)>, affine_map<(m, n, k1, k2) -> ()>, affine_map<(m, n, k1, k2) -> (m, n)>, affine_map<(m, n, k1, k2) -> (m)>, affine_map<(m, n, k1, k2) -> (m)>]> ins(%q, %k, %v, %s : tensor<4x16xf16>, tensor<6x16xf16>, tensor<6x8xf16>, f16) outs(%o, %m, %m : tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
  return %r#0 : tensor<4x8xf32>
}

// -----

func.func @no_dimension(%x: tensor<4xf32>, %o: tensor<f32>, %p: tensor<i32>) {
  // expected-error @+1 {{is read with one input, two outputs, a dimension and a region that compares}}
  %r:2 = iree_linalg_ext.arg_compare ins(%x : tensor<4xf32>) outs(%o, %p : tensor<f32>, tensor<i32>) -> tensor<f32>, tensor<i32>
  return
}

// -----

func.func @no_map(%x: tensor<4xf32>, %o: tensor<2xf32>) {
  // expected-error @+1 {{is read with a source, indices, one output and a dimension_map}}
  %r = iree_linalg_ext.gather ins(%x : tensor<4xf32>) outs(%o : tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// VX-222
func.func @scan_of_other_types(%x: tensor<4x5xf32>, %o: tensor<4x5xf32>, %a: tensor<5xf32>) {
  // expected-error @+1 {{is read with one input, a dimension of it, `inclusive`, the results so far and, without the dimension, the last one as outputs, and a region that combines two elements}}
  %r:2 = iree_linalg_ext.scan dimension(1) inclusive(true) ins(%x : tensor<4x5xf32>) outs(%o, %a : tensor<4x5xf32>, tensor<5xf32>) {
  ^bb0(%p: f32, %q: f32):
    iree_linalg_ext.yield %p : f32
  } -> tensor<4x5xf32>, tensor<5xf32>
  return
}

// -----

// VX-223
func.func @sort_without_comparison(%x: tensor<4xf32>) {
  // expected-error @+1 {{is read with outputs of one shape, a dimension of it, and a region that compares two elements of each}}
  %r = iree_linalg_ext.sort dimension(0) outs(%x : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32):
    iree_linalg_ext.yield %p : f32
  } -> tensor<4xf32>
  return
}

// -----

func.func @sort_along_no_dimension(%x: tensor<4xf32>) {
  // expected-error @+1 {{is read with outputs of one shape, a dimension of it, and a region that compares two elements of each}}
  %r = iree_linalg_ext.sort dimension(1) outs(%x : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32):
    %c = arith.cmpf olt, %p, %q : f32
    iree_linalg_ext.yield %c : i1
  } -> tensor<4xf32>
  return
}

// -----

// VX-224
func.func @topk_of_other_indices(%x: tensor<9xf32>, %y: tensor<9xi64>, %v: tensor<3xf32>, %i: tensor<3xi32>) {
  // expected-error @+1 {{is read with values and perhaps their indices as inputs, a dimension, outputs of k of each, and a region that compares two values}}
  %r:2 = iree_linalg_ext.topk dimension(0) ins(%x, %y : tensor<9xf32>, tensor<9xi64>) outs(%v, %i : tensor<3xf32>, tensor<3xi32>) {
  ^bb0(%p: f32, %q: f32):
    %c = arith.cmpf ogt, %p, %q : f32
    iree_linalg_ext.yield %c : i1
  } -> tensor<3xf32>, tensor<3xi32>
  return
}

// -----

// VX-237
func.func @im2col_with_permutation(%x: tensor<1x6x7x5xf32>, %o: tensor<1x4x5x45xf32>) {
  // expected-error @+1 {{is read with a position for each dimension of its input, an offset and a list of sizes for each of its output, which split it into batches, windows, places in a window and channels, without permutations, and with a pad_value where it pads; give it the dispatch as it is dumped before ConvolutionToIGEMMPass}}
  %r = iree_linalg_ext.im2col strides = [1, 1] dilations = [1, 1] kernel_size = [3, 3] offsets = [0, 0, 0, 0] output_sizes = [[1], [4], [5], [3, 3, 5]] batch_pos = [0] m_pos = [1, 2] k_pos = [3] input_k_perm = [1, 0, 2] ins(%x : tensor<1x6x7x5xf32>) outs(%o : tensor<1x4x5x45xf32>) -> tensor<1x4x5x45xf32>
  return
}

// -----

// VX-238
func.func @map_store_of_other_indices(%x: tensor<4xf32>, %o: tensor<4x4xf32>) {
  // expected-error @+1 {{is read with a vector or an array, another of the same kind to write to, and a region that makes an index of the second, and whether to write, of an index of the first}}
  %r = iree_linalg_ext.map_store %x into %o {
  ^bb0(%i: index):
    %c = arith.constant true
    iree_linalg_ext.yield %i, %c : index, i1
  } : tensor<4xf32> into tensor<4x4xf32> -> tensor<4x4xf32>
  return
}
