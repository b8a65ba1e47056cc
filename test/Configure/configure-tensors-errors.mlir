// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 --split-input-file --verify-diagnostics

// What a kernel on tensors may not have, and what to write instead.

func.func @no_rank(%x: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{'tensor<*xf32>' has no rank; give it one}}
  return %x : tensor<*xf32>
}

// -----

func.func @unknown_count(%x: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'scf.for' op over tensors has a number of iterations that is not known here; give it constant bounds, or launch a kernel of its body once for each}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<8x8xf32>) {
    // expected-note @+1 {{it is not one launch that walks the loop, for 'linalg.matmul' is no elementwise op on tensors}}
    %b = linalg.matmul ins(%a, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%x : tensor<8x8xf32>) -> tensor<8x8xf32>
    scf.yield %b : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

func.func @many_iterations(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c513 = arith.constant 513 : index
  // expected-error @+1 {{'scf.for' op over tensors has 513 iterations of 2 ops, each of which is written out, more than 1024 in all; let linalg.generic have the loop as one of its own, or launch a kernel of its body once for each}}
  %r = scf.for %i = %c0 to %c513 step %c1 iter_args(%a = %x) -> (tensor<8x8xf32>) {
    %e = tensor.empty() : tensor<8x8xf32>
    // expected-note @+1 {{it is not one launch that walks the loop, for 'linalg.transpose' permutes, or repeats, the channels}}
    %c = linalg.transpose ins(%a : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) permutation = [1, 0]
    scf.yield %c : tensor<8x8xf32>
  }
  return %r : tensor<8x8xf32>
}

// -----

func.func @division_in_a_branch(%x: tensor<8xi32>, %n: i32) -> tensor<8xi32> {
  %c0 = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8xi32>
  %d = linalg.fill ins(%n : i32) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  %is = arith.cmpi ne, %n, %c0 : i32
  // expected-error @+1 {{'scf.if' op over tensors is computed both ways, of which one is selected, and one of its ops may not run where its branch is not taken; give it operands that it can always run with, by arith.select say}}
  %r = scf.if %is -> (tensor<8xi32>) {
    // expected-note @+1 {{'arith.divsi'}}
    %q = arith.divsi %x, %d : tensor<8xi32>
    scf.yield %q : tensor<8xi32>
  } else {
    scf.yield %x : tensor<8xi32>
  }
  return %r : tensor<8xi32>
}

// -----

func.func @extents_of_branches(%x: tensor<?xf32>, %y: tensor<?xf32>, %is: i1) -> tensor<?xf32> {
  // expected-error @+1 {{'scf.if' op result 0 may have other extents one way than the other; yield what has the extents of one tensor both ways, by tensor.extract_slice say}}
  %r = scf.if %is -> (tensor<?xf32>) {
    scf.yield %x : tensor<?xf32>
  } else {
    scf.yield %y : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// A condition on an element that the loop changes (PCF-152).
func.func @while(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'scf.while' op over tensors has a condition that depends on elements of tensors, which each workgroup has others of; let it depend on scalars alone, or write the kernel on vectors, or in a pcf.shared_executor, all of whose members load the element}}
  %r = scf.while (%a = %x) : (tensor<8xf32>) -> tensor<8xf32> {
    %c0 = arith.constant 0 : index
    %z = arith.constant 4.0 : f32
    // expected-note @+1 {{'tensor.extract'}}
    %f = tensor.extract %a[%c0] : tensor<8xf32>
    %go = arith.cmpf olt, %f, %z : f32
    scf.condition(%go) %a : tensor<8xf32>
  } do {
  ^bb0(%a: tensor<8xf32>):
    %b = arith.addf %a, %a : tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// Of a loop that is no recurrence the number of iterations has to be known.
func.func @products_while(%x: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{'scf.while' op over tensors has a number of iterations that is not known here; give it constant bounds, or launch a kernel of its body once for each}}
  %r:2 = scf.while (%i = %n, %a = %x) : (index, tensor<8x8xf32>) -> (index, tensor<8x8xf32>) {
    %go = arith.cmpi ne, %i, %c0 : index
    scf.condition(%go) %i, %a : index, tensor<8x8xf32>
  } do {
  ^bb0(%i: index, %a: tensor<8x8xf32>):
    // expected-note @+1 {{it is not one launch that walks the loop, for 'linalg.matmul' is no elementwise op on tensors}}
    %b = linalg.matmul ins(%a, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%a : tensor<8x8xf32>) -> tensor<8x8xf32>
    %j = arith.subi %i, %c1 : index
    scf.yield %j, %b : index, tensor<8x8xf32>
  }
  return %r#1 : tensor<8x8xf32>
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

// -----

// Of no ops, but of as many steps.
func.func @loop_of_nothing(%x: f32, %y: f32) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 2000000001 : index
  // expected-error @+2 {{'scf.for' op over tensors has 2000000001 iterations of 0 ops, each of which is written out, more than 1024 in all}}
  // expected-note @+1 {{it is not one launch that walks the loop, for 'scf.for' ends with a number that is read}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (f32, f32) {
    scf.yield %b, %a : f32, f32
  }
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%r#0 : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %f : tensor<8xf32>
}

// -----

// A table that all channels of a step would write.
func.func @a_count_beside_channels(%x: tensor<300x8xf32>, %at: tensor<300xi32>) -> (tensor<16xi32>, tensor<300x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 300 : index
  %one = arith.constant 1 : i32
  %h = tensor.empty() : tensor<16xi32>
  %o = tensor.empty() : tensor<300x8xf32>
  // expected-error @+2 {{'scf.for' op over tensors has 300 iterations of}}
  // expected-note @+1 {{it is not one launch that walks the loop, for 'scf.for' carries a tensor that all channels would write}}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%g = %h, %p = %o) -> (tensor<16xi32>, tensor<300x8xf32>) {
    %a = tensor.extract %at[%i] : tensor<300xi32>
    %b = arith.index_cast %a : i32 to index
    %c = tensor.extract %g[%b] : tensor<16xi32>
    %d = arith.addi %c, %one : i32
    %g1 = tensor.insert %d into %g[%b] : tensor<16xi32>
    %s = tensor.extract_slice %x[%i, 0] [1, 8] [1, 1] : tensor<300x8xf32> to tensor<8xf32>
    %e = math.exp %s : tensor<8xf32>
    %p1 = tensor.insert_slice %e into %p[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<300x8xf32>
    scf.yield %g1, %p1 : tensor<16xi32>, tensor<300x8xf32>
  }
  return %r#0, %r#1 : tensor<16xi32>, tensor<300x8xf32>
}

// -----

// Of what lanes hold each has a part, and a step would need another's.
func.func @neighbouring_channels(%x: tensor<600x8xf32>) -> tensor<600x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 600 : index
  %o = tensor.empty() : tensor<600x8xf32>
  // expected-error @+1 {{'scf.for' op over tensors has 600 iterations of}}
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %o) -> (tensor<600x8xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<600x8xf32> to tensor<4xf32>
    // expected-note @+1 {{it is not one launch that walks the loop, for 'tensor.insert_slice' is not all of dimension 1, whose elements different lanes hold}}
    %p1 = tensor.insert_slice %s into %p[%i, 2] [1, 4] [1, 1] : tensor<4xf32> into tensor<600x8xf32>
    scf.yield %p1 : tensor<600x8xf32>
  }
  return %r : tensor<600x8xf32>
}

// -----

func.func @constant_of_different_elements(%x: tensor<2000x3xf32>) -> tensor<2000x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 2000 : index
  // expected-error @+1 {{'scf.for' op over tensors has 2000 iterations}}
  %r = scf.for %i = %c0 to %end step %c1 iter_args(%a = %x) -> (tensor<2000x3xf32>) {
    %row = tensor.extract_slice %a[%i, 0] [1, 3] [1, 1] : tensor<2000x3xf32> to tensor<3xf32>
    // expected-note @+1 {{'arith.constant' is a constant of different elements; define it outside of the loop}}
    %k = arith.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %y = arith.addf %row, %k : tensor<3xf32>
    %b = tensor.insert_slice %y into %a[%i, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<2000x3xf32>
    scf.yield %b : tensor<2000x3xf32>
  }
  return %r : tensor<2000x3xf32>
}

// -----

func.func @extent_along_a_computed_dimension(%x: tensor<2000x3xf32>) -> tensor<2000x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 2000 : index
  // expected-error @+1 {{'scf.for' op over tensors has 2000 iterations}}
  %r = scf.for %i = %c0 to %end step %c1 iter_args(%a = %x) -> (tensor<2000x3xf32>) {
    %row = tensor.extract_slice %a[%i, 0] [1, 3] [1, 1] : tensor<2000x3xf32> to tensor<3xf32>
    // expected-note @+1 {{'tensor.dim' is the extent along a dimension that is not known}}
    %d = tensor.dim %a, %i : tensor<2000x3xf32>
    %n = arith.index_cast %d : index to i32
    %f = arith.sitofp %n : i32 to f32
    %s = tensor.splat %f : tensor<3xf32>
    %y = arith.addf %row, %s : tensor<3xf32>
    %b = tensor.insert_slice %y into %a[%i, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<2000x3xf32>
    scf.yield %b : tensor<2000x3xf32>
  }
  return %r : tensor<2000x3xf32>
}

// -----

func.func @assertion_in_a_walked_loop(%x: tensor<2000x3xf32>) -> tensor<2000x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.constant 2000 : index
  // expected-error @+1 {{'scf.for' op over tensors has 2000 iterations}}
  %r = scf.for %i = %c0 to %end step %c1 iter_args(%a = %x) -> (tensor<2000x3xf32>) {
    %row = tensor.extract_slice %a[%i, 0] [1, 3] [1, 1] : tensor<2000x3xf32> to tensor<3xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%row : tensor<3xf32>) outs(%row : tensor<3xf32>) {
    ^bb0(%v: f32, %w: f32):
      %z = arith.constant 0.0 : f32
      %ok = arith.cmpf ogt, %v, %z : f32
      // expected-note @+1 {{it is not one launch that walks the loop, for 'cf.assert' would be checked by lanes beyond the last channel, too}}
      cf.assert %ok, "positive"
      %q = arith.addf %v, %v : f32
      linalg.yield %q : f32
    } -> tensor<3xf32>
    %b = tensor.insert_slice %y into %a[%i, 0] [1, 3] [1, 1] : tensor<3xf32> into tensor<2000x3xf32>
    scf.yield %b : tensor<2000x3xf32>
  }
  return %r : tensor<2000x3xf32>
}
