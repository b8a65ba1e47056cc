// RUN: distaff-opt %s --distaff-configure=target=sm_80 --split-input-file --verify-diagnostics

// Columns of a prime number are shared by nobody, and rows are reduced.
func.func @columns_for_one_lane(%x: tensor<701x1013xf32>) -> tensor<1013xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1013xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1013xf32>) -> tensor<1013xf32>
  // expected-warning @+1 {{'linalg.reduce' op has work for 1 of the 32 lanes of each of 1013 workgroups: lanes share an extent in equal parts, and no others of 701x1013 are expected to be faster}}
  %r = linalg.reduce { arith.addf } ins(%x : tensor<701x1013xf32>) outs(%i : tensor<1013xf32>) dimensions = [0]
  return %r : tensor<1013xf32>
}

// -----

// One workgroup with little to do is all that there is.
func.func @little(%a: tensor<5x7xf32>, %b: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %r = arith.addf %a, %b : tensor<5x7xf32>
  return %r : tensor<5x7xf32>
}
