// RUN: distaff-opt %s --distaff-configure=target=sm_80 --split-input-file --verify-diagnostics

// What padding with zeros does not make right on dynamic extents.

func.func @elementwise(%a: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'math.exp' op stands in a kernel with dynamic extents; of ops on dynamic extents one contraction by mul and add of the kernel's arguments is supported so far, beside linalg.fill; make the extents static, or put this into a kernel of its own}}
  %r = math.exp %a : tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

func.func @row_maximum(%a: tensor<?x?xf32>, %start: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{'linalg.reduce' op stands in a kernel with dynamic extents; of ops on dynamic extents}}
  %r = linalg.reduce { arith.maximumf } ins(%a : tensor<?x?xf32>) outs(%start : tensor<?xf32>) dimensions = [1]
  return %r : tensor<?xf32>
}

// -----

func.func @fill_alone(%a: tensor<?xf32>) -> tensor<?xf32> {
  %zero = arith.constant 0.0 : f32
  %r = linalg.fill ins(%zero : f32) outs(%a : tensor<?xf32>) -> tensor<?xf32>
  // expected-error @+1 {{'func.return' op returns something else than the result of one contraction; of ops on dynamic extents one contraction}}
  return %r : tensor<?xf32>
}

// -----

func.func @epilogue(%a: tensor<?x64xf32>, %b: tensor<64x64xf32>, %c: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<?x64xf32>, tensor<64x64xf32>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  // expected-error @+1 {{'linalg.exp' op stands in a kernel with dynamic extents}}
  %r = linalg.exp ins(%d : tensor<?x64xf32>) outs(%c : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}

// -----

// An infinity times the padding of the first product is no zero.
func.func @chain(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-note @+1 {{the first one}}
  %d = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  // expected-error @+1 {{'linalg.matmul' op is a second contraction; of ops on dynamic extents one contraction}}
  %e = linalg.matmul ins(%d, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %e : tensor<?x?xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// exp(0) * exp(0) is 1.
func.func @operand_that_is_not_zero(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'linalg.generic' op applies to an operand, before it is multiplied, what need not be 0 of the 0 that tiles beyond a dynamic extent are padded with; apply it in a kernel of its own, or make the extents static}}
  %r = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    // expected-note @+1 {{applied here}}
    %ex = math.exp %x : f32
    %ey = math.exp %y : f32
    %p = arith.mulf %ex, %ey : f32
    %q = arith.addf %z, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

#lhs = affine_map<(m, n, k) -> (m, k)>
#rhs = affine_map<(m, n, k) -> (k, n)>
#out = affine_map<(m, n, k) -> (m, n)>

// The neutral element of a maximum is not 0.
func.func @maximum_of_products(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{'linalg.generic' op stands in a kernel with dynamic extents}}
  %r = linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.maximumf %z, %p : f32
    linalg.yield %q : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

func.func @filled_operand(%a: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %one = arith.constant 1.0 : f32
  // expected-note @+1 {{made here}}
  %b = linalg.fill ins(%one : f32) outs(%a : tensor<?x?xf32>) -> tensor<?x?xf32>
  // expected-error @+1 {{'linalg.matmul' op has an operand 1 that is no argument}}
  %d = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @starts_from_nothing(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  // expected-note @+1 {{made here}}
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  // expected-error @+1 {{'linalg.matmul' op has an operand 2 that is neither an argument nor filled with a scalar}}
  %d = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @computed_dimension(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>, %i: index) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{'tensor.dim' op asks for an extent by a computed number; the dimensions of dynamic tensors are constants}}
  %m = tensor.dim %a, %i : tensor<?x?xf32>
  %e = tensor.empty(%m, %m) : tensor<?x?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @extent_that_is_not_there(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf16>
  // expected-error @+1 {{'tensor.dim' op asks for extent 2 of 'tensor<?x?xf16>'}}
  %n = tensor.dim %b, %c2 : tensor<?x?xf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
