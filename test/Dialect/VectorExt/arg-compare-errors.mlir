// RUN: distaff-opt %s -verify-diagnostics -split-input-file

// VX-19: every clause of the verifier.

func.func @dimension_out_of_range(%x: vector<4x96xf32>, %v0: vector<4xf32>, %i0: vector<4xi32>, %b: index) {
  // expected-error @+1 {{dimension 2 is none of the input's 2}}
  %v, %i = iree_vector_ext.arg_compare dimension(2) ins(%x : vector<4x96xf32>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f32):
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<4xf32>, vector<4xi32>
  return
}

// -----

func.func @negative_dimension(%x: vector<4x96xf32>, %v0: vector<4xf32>, %i0: vector<4xi32>, %b: index) {
  // expected-error @+1 {{dimension -1 is none of the input's 2}}
  %v, %i = iree_vector_ext.arg_compare dimension(-1) ins(%x : vector<4x96xf32>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f32):
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<4xf32>, vector<4xi32>
  return
}

// -----

func.func @init_of_another_shape(%x: vector<4x96xf32>, %v0: vector<96xf32>, %i0: vector<4xi32>, %b: index) {
  // expected-error @+1 {{init of type 'vector<96xf32>' is not 'vector<4x96xf32>' without dim 1}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x96xf32>)
      inits(%v0, %i0 : vector<96xf32>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f32):
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<96xf32>, vector<4xi32>
  return
}

// -----

func.func @init_index_of_another_shape(%x: vector<4x96xf32>, %v0: vector<4xf32>, %i0: vector<96xi32>, %b: index) {
  // expected-error @+1 {{init of type 'vector<96xi32>' is not 'vector<4x96xf32>' without dim 1}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x96xf32>)
      inits(%v0, %i0 : vector<4xf32>, vector<96xi32>) {
  ^bb0(%cand: f32, %best: f32):
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<4xf32>, vector<96xi32>
  return
}

// -----

func.func @value_types_differ(%x: vector<4x96xf32>, %v0: vector<4xf16>, %i0: vector<4xi32>, %b: index) {
  // expected-error @+1 {{init value has elements of type 'f16', the input of 'f32'}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x96xf32>)
      inits(%v0, %i0 : vector<4xf16>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f32):
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<4xf16>, vector<4xi32>
  return
}

// -----

func.func @float_index(%x: vector<4x96xf32>, %v0: vector<4xf32>, %i0: vector<4xf32>, %b: index) {
  // expected-error @+1 {{init index must be of integer or index type, got 'f32'}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x96xf32>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xf32>) {
  ^bb0(%cand: f32, %best: f32):
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<4xf32>, vector<4xf32>
  return
}

// -----

func.func @index_input_of_another_shape(%x: vector<4x96xf32>, %xi: vector<96x4xi32>, %v0: vector<4xf32>, %i0: vector<4xi32>, %b: index) {
  // expected-error @+1 {{index input of type 'vector<96x4xi32>' has not the shape of 'vector<4x96xf32>'}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x, %xi : vector<4x96xf32>, vector<96x4xi32>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f32):
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<4xf32>, vector<4xi32>
  return
}

// -----

func.func @index_types_differ(%x: vector<4x96xf32>, %xi: vector<4x96xi64>, %v0: vector<4xf32>, %i0: vector<4xi32>, %b: index) {
  // expected-error @+1 {{index input has elements of type 'i64', the init index of 'i32'}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x, %xi : vector<4x96xf32>, vector<4x96xi64>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f32):
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<4xf32>, vector<4xi32>
  return
}

// -----

func.func @index_input_and_base(%x: vector<4x96xf32>, %xi: vector<4x96xi32>, %v0: vector<4xf32>, %i0: vector<4xi32>, %b: index) {
  // expected-error @+1 {{takes index inputs or an index_base, not both}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x, %xi : vector<4x96xf32>, vector<4x96xi32>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) index_base(%b : index) {
  ^bb0(%cand: f32, %best: f32):
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<4xf32>, vector<4xi32>
  return
}

// -----

func.func @result_value_of_another_type(%x: vector<4x96xf32>, %v0: vector<4xf32>, %i0: vector<4xi32>, %b: index) {
  // expected-error @+1 {{result of type 'vector<4xf64>' starts from an init of type 'vector<4xf32>'}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x96xf32>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f32):
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<4xf64>, vector<4xi32>
  return
}

// -----

func.func @result_index_of_another_type(%x: vector<4x96xf32>, %v0: vector<4xf32>, %i0: vector<4xi32>, %b: index) {
  // expected-error @+1 {{result of type 'vector<4xi64>' starts from an init of type 'vector<4xi32>'}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x96xf32>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f32):
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<4xf32>, vector<4xi64>
  return
}

// -----

func.func @three_arguments(%x: vector<4x96xf32>, %v0: vector<4xf32>, %i0: vector<4xi32>, %b: index) {
  // expected-error @+1 {{region has 3 arguments, expected candidate and best}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x96xf32>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f32, %more: f32):
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<4xf32>, vector<4xi32>
  return
}

// -----

func.func @argument_of_another_type(%x: vector<4x96xf32>, %v0: vector<4xf32>, %i0: vector<4xi32>, %b: index) {
  // expected-error @+1 {{region argument 1 has type 'f64', the input has elements of type 'f32'}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x96xf32>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f64):
    %c = arith.constant true
    iree_vector_ext.yield %c : i1
  } -> vector<4xf32>, vector<4xi32>
  return
}

// -----

func.func @impure_region(%x: vector<4x96xf32>, %v0: vector<4xf32>, %i0: vector<4xi32>, %b: index, %out: memref<f32>) {
  // expected-error @+1 {{region must be pure, 'memref.store' is not}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x96xf32>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f32):
    memref.store %cand, %out[] : memref<f32>
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<4xf32>, vector<4xi32>
  return
}

// -----

func.func @yields_a_value(%x: vector<4x96xf32>, %v0: vector<4xf32>, %i0: vector<4xi32>, %b: index) {
  // expected-error @+1 {{region must yield one i1, yields ('f32')}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x96xf32>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f32):
    iree_vector_ext.yield %cand : f32
  } -> vector<4xf32>, vector<4xi32>
  return
}

// -----

func.func @yields_nothing(%x: vector<4x96xf32>, %v0: vector<4xf32>, %i0: vector<4xi32>, %b: index) {
  // expected-error @+1 {{region must yield one i1, yields ()}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x96xf32>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f32):
    iree_vector_ext.yield
  } -> vector<4xf32>, vector<4xi32>
  return
}

// -----

func.func @yields_twice(%x: vector<4x96xf32>, %v0: vector<4xf32>, %i0: vector<4xi32>, %b: index) {
  // expected-error @+1 {{region must yield one i1, yields ('i1', 'i1')}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x96xf32>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f32):
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c, %c : i1, i1
  } -> vector<4xf32>, vector<4xi32>
  return
}

// -----

func.func @scalable(%x: vector<4x[96]xf32>, %v0: vector<4xf32>, %i0: vector<4xi32>, %b: index) {
  // expected-error @+1 {{does not take scalable vectors, got 'vector<4x[96]xf32>'}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x[96]xf32>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f32):
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<4xf32>, vector<4xi32>
  return
}

// -----

func.func @yield_elsewhere() {
  // expected-error @+1 {{expects parent op 'iree_vector_ext.arg_compare'}}
  iree_vector_ext.yield
}

// -----

func.func @two_blocks(%x: vector<4x96xf32>, %v0: vector<4xf32>, %i0: vector<4xi32>) {
  // expected-error @+1 {{expects region #0 to have 0 or 1 blocks}}
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x96xf32>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f32):
    cf.br ^bb1
  ^bb1:
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<4xf32>, vector<4xi32>
  return
}

// -----

func.func @region_without_a_yield(%x: vector<4x96xf32>, %v: vector<4xf32>, %i: vector<4xi32>) {
  // expected-error @+1 {{region ends with 'vector.yield', expected 'iree_vector_ext.yield'}}
  %r:2 = "iree_vector_ext.arg_compare"(%x, %v, %i) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 1, 1, 0>}> ({
  ^bb0(%a: f32, %b: f32):
    "vector.yield"() : () -> ()
  }) : (vector<4x96xf32>, vector<4xf32>, vector<4xi32>) -> (vector<4xf32>, vector<4xi32>)
  return
}
