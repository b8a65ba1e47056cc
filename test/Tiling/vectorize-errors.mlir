// RUN: distaff-opt %s --distaff-vectorize --split-input-file --verify-diagnostics

func.func @loops_added_in_a_map(%a: tensor<66xf32>, %f: tensor<3xf32>, %o: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{'linalg.generic' op has no vector form: each of its indexing maps must select loops, and each reduced result must be combined by one op}}
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0 + d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]} ins(%a, %f : tensor<66xf32>, tensor<3xf32>) outs(%o : tensor<64xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %m = arith.mulf %x, %y : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

func.func @dynamic_tile(%a: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'linalg.exp' op has a dynamic extent, and lanes hold vectors of static ones; pad its operands to a static extent, by a tensor.pad of the arguments, and return a tensor.extract_slice of what is computed}}
  %r = linalg.exp ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @padding_in_front(%a: tensor<4xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{'tensor.pad' op has no vector form; tiles are padded with a scalar behind their last elements, to a static size}}
  %r = tensor.pad %a low[2] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @packed(%a: tensor<16x8xf32>, %o: tensor<2x1x8x8xf32>) -> tensor<2x1x8x8xf32> {
  // expected-error @+1 {{has no vector form; only linalg ops on static tiles with elementwise, reducing or contracting bodies have one}}
  %r = linalg.pack %a inner_dims_pos = [0, 1] inner_tiles = [8, 8] into %o : tensor<16x8xf32> -> tensor<2x1x8x8xf32>
  return %r : tensor<2x1x8x8xf32>
}

// -----

func.func @best_and_place_by_different_maps(%x: tensor<4x8x16xf32>, %v: tensor<4x8xf32>, %i: tensor<8x4xi32>) -> (tensor<4x8xf32>, tensor<8x4xi32>) {
  // expected-error @+1 {{'linalg.generic' op finds the best element and its place by different maps, affine_map<(d0, d1, d2) -> (d0, d1)> and affine_map<(d0, d1, d2) -> (d1, d0)>}}
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d1, d0)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x8x16xf32>) outs(%v, %i : tensor<4x8xf32>, tensor<8x4xi32>) {
  ^bb0(%a: f32, %best: f32, %place: i32):
    %p = linalg.index 2 : index
    %k = arith.index_cast %p : index to i32
    %c = arith.cmpf ogt, %a, %best : f32
    %y = arith.select %c, %a, %best : f32
    %z = arith.select %c, %k, %place : i32
    linalg.yield %y, %z : f32, i32
  } -> (tensor<4x8xf32>, tensor<8x4xi32>)
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<8x4xi32>
}

// -----

// A lane has registers for extents that are known.
func.func @extents_hidden_by_a_cast(%x: tensor<16x16xf32>, %o: tensor<?x16xf32>) -> tensor<?x16xf32> {
  // expected-error @+1 {{'tensor.cast' op makes extents dynamic that are known, and lanes hold vectors of static ones; leave it away, and return the static type}}
  %c = tensor.cast %x : tensor<16x16xf32> to tensor<?x16xf32>
  %r = linalg.copy ins(%c : tensor<?x16xf32>) outs(%o : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
