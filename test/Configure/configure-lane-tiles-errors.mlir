// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 --split-input-file --verify-diagnostics

// VX-113: what a `lowering_config` may not ask of lanes.

// -----

func.func @too_many_lanes(%x: tensor<8x64xf32>, %i: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has a `lowering_config` in which `lane_basis` has 64 lanes, a subgroup has 32}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], lane_basis = [[1, 64], [0, 1]]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @positions(%x: tensor<8x64xf32>, %i: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{`lane_basis` has 1 positions for 2 loops}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], lane_basis = [[32], [0]]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @one_position_for_two(%x: tensor<8x64xf32>, %i: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{`lane_basis` gives position 0 to two loops}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{workgroup = [8, 0], lane_basis = [[8], [0, 0]]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @lanes_for_nobody(%x: tensor<8x64xf32>, %i: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{`subgroup_basis` gives no loop the 4 at position 1}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], thread = [0, 2], subgroup_basis = [[1, 4], [0, 0]]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @sizes(%x: tensor<8x64xf32>, %i: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{`thread` has 1 sizes for 2 loops}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], thread = [4]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @no_equal_parts(%x: tensor<8x64xf32>, %i: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{its tile has 64 elements along loop 1, which 1 subgroups of 32 lanes with 4 each do not share in equal parts}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], reduction = [0, 0], thread = [0, 4], lane_basis = [[1, 32], [0, 1]], subgroup_basis = [[1, 1], [0, 1]]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @two_walks(%x: tensor<8x64xf32>, %i: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has tiles by `reduction` and by `partial_reduction`, which are the same here}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], reduction = [0, 32], partial_reduction = [0, 32]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @partial_sizes(%x: tensor<8x64xf32>, %i: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has 1 `partial_reduction` tiles for 2 loops}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{partial_reduction = [32]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @subgroups_alone(%x: tensor<8x64xf32>, %i: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{asks for `subgroup_basis`, which without `thread` or `lane_basis` only contractions have}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[1, 2], [0, 1]]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @not_the_root(%x: tensor<8x64xf32>, %i: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  // expected-note @+1 {{layouts follow from those of this op}}
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.negf %a : f32
    linalg.yield %s : f32
  } -> tensor<8x64xf32>
  // expected-error @+1 {{says how lanes share its tile}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%n : tensor<8x64xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{thread = [1, 1]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @nothing_to_lay_out(%x: tensor<8xf32>, %y: tensor<64xf32>, %i: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{says how lanes share its tile, and has no input with all of its loops to lay out}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x, %y : tensor<8xf32>, tensor<64xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 0], thread = [1, 2]}>} {
  ^bb0(%a: f32, %c: f32, %b: f32):
    %p = arith.maximumf %a, %c : f32
    %s = arith.addf %p, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @of_a_contraction(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{asks for `lane_basis`, which is not supported; subgroups are split by `subgroup_basis`, lanes by the layouts that follow}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{lane_basis = [[4, 8, 1], [0, 1, 2]]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}
