// RUN: distaff-opt %s --distaff-tile=target=sm_80 --split-input-file --verify-diagnostics

// What configure makes of every kernel, and tile is given without it.

#config = #iree_gpu.lowering_config<{workgroup = [32]}>

// expected-error @+1 {{has several basic blocks; run distaff-form-launches first, which says what to do}}
func.func @several_blocks(%a: tensor<64xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {
  cf.br ^next
^next:
  %r = linalg.exp {lowering_config = #config} ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

// expected-error @+1 {{computes its tensors by no linalg op; run distaff-form-launches first, which makes some of elementwise ops}}
func.func @no_linalg(%a: tensor<64xf32>) -> tensor<64xf32> {
  %r = math.exp %a : tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [32]}>

func.func @an_argument_comes_back(%a: tensor<64xf32>, %e: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %r = linalg.exp {lowering_config = #config} ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  // expected-error @+1 {{returns what no linalg op makes; run distaff-form-launches first}}
  return %r, %a : tensor<64xf32>, tensor<64xf32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [32]}>

func.func @every_other_element(%a: tensor<128xf32>, %e: tensor<128xf32>, %f: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{is read through a strided slice, of which no tile can be computed in place}}
  %x = linalg.exp ins(%a : tensor<128xf32>) outs(%e : tensor<128xf32>) -> tensor<128xf32>
  %s = tensor.extract_slice %x[0] [64] [2] : tensor<128xf32> to tensor<64xf32>
  %r = linalg.exp {lowering_config = #config} ins(%s : tensor<64xf32>) outs(%f : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

func.func @integers_have_no_softmax(%a: tensor<4x64xi32>, %e: tensor<4x64xi32>) -> tensor<4x64xi32> {
  // expected-error @+1 {{is of 'i32', which has no exponential; extend it to a float before}}
  %r = linalg.softmax dimension(1) ins(%a : tensor<4x64xi32>) outs(%e : tensor<4x64xi32>) -> tensor<4x64xi32>
  return %r : tensor<4x64xi32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [1, 0], reduction = [0, 32]}>

func.func @sums_of_doubles(%a: tensor<4x64xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{reduces result 0 in parts, so it must be combined by one op that has a neutral element, such as arith.addf or arith.maximumf, whose other operand is computed from the inputs alone}}
  %r = linalg.generic {lowering_config = #config, indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x64xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%x: f32, %s: f32):
    %t = arith.addf %s, %s : f32
    %u = arith.addf %t, %x : f32
    linalg.yield %u : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
