// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 --split-input-file --verify-diagnostics

// Lanes share 240 elements that lie together in fours.
func.func @lanes_without_work(%a: tensor<4x60xi32>, %b: tensor<4x60xi32>) -> tensor<4x60xi32> {
  // expected-warning @+1 {{op: only 8 of 32 lanes are active in each of 8 workgroups; no better tiling of 4x60 was found (the search is not exhaustive): --config workgroup=... sets another}}
  %r = arith.addi %a, %b : tensor<4x60xi32>
  return %r : tensor<4x60xi32>
}

// -----

// Of seven columns most lanes of a subgroup have none.
func.func @columns_for_few_lanes(%x: tensor<4096x7x7xf32>) -> tensor<4096x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x7xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x7xf32>) -> tensor<4096x7xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4096x7x7xf32>) outs(%i : tensor<4096x7xf32>) dimensions = [1]
  return %r : tensor<4096x7xf32>
}

// -----

// One workgroup with little to do is all that there is.
func.func @little(%a: tensor<5x7xf32>, %b: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %r = arith.addf %a, %b : tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}
