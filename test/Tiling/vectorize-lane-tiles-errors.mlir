// RUN: distaff-opt %s --distaff-vectorize --split-input-file --verify-diagnostics

// Tiles that lanes are told to share, and cannot (VX-106).

func.func @how_many_lanes(%x: tensor<8x64xf32>, %i: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{says how lanes share its tile, and its function has no subgroup_size}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x64xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{thread = [1, 1], lane_basis = [[1, 32], [0, 1]]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @more_lanes_than_elements(%x: tensor<8x48xf32>, %i: tensor<8xf32>) -> tensor<8xf32> attributes {translation_info = #info} {
  // expected-error @+1 {{has a `lowering_config` that does not fit: }}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x48xf32>) outs(%i : tensor<8xf32>)
      attrs = {lowering_config = #iree_gpu.lowering_config<{thread = [1, 1], lane_basis = [[1, 32], [0, 1]]}>} {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
