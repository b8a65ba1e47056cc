// RUN: distaff-opt %s --vector-ext-lower-arg-compare | FileCheck %s
// arg_compare as vector ops (VX-21); what it computes is executed in
// test/Execution/VectorExt/without_lanes.test.

// CHECK-LABEL: @first_of_equal
// CHECK-SAME: %[[X:.*]]: vector<4x2xf32>, %[[V0:.*]]: vector<4xf32>, %[[I0:.*]]: vector<4xi32>
func.func @first_of_equal(%x: vector<4x2xf32>, %v0: vector<4xf32>, %i0: vector<4xi32>) -> vector<4xi32> {
  // CHECK: %[[T:.*]] = vector.transpose %[[X]], [1, 0]
  // CHECK: %[[S0:.*]] = vector.extract %[[T]][0] : vector<4xf32>
  // CHECK: %[[C0:.*]] = arith.cmpf ogt, %[[S0]], %[[V0]] : vector<4xf32>
  // CHECK: %[[B0:.*]] = arith.select %[[C0]], %[[S0]], %[[V0]]
  // CHECK: arith.select %[[C0]], %{{.*}}, %[[I0]] : vector<4xi1>, vector<4xi32>
  // CHECK: %[[S1:.*]] = vector.extract %[[T]][1]
  // CHECK: arith.cmpf ogt, %[[S1]], %[[B0]]
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x2xf32>) inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    iree_vector_ext.yield %c : i1
  } -> vector<4xf32>, vector<4xi32>
  return %i : vector<4xi32>
}

// What the region takes from outside, and its constants, are broadcast.
// CHECK-LABEL: @captured
func.func @captured(%x: vector<2xf32>, %v0: vector<f32>, %i0: vector<index>, %scale: f32) -> vector<index> {
  // CHECK: vector.broadcast %{{.*}} : f32 to vector<f32>
  // CHECK: arith.mulf {{.*}} fastmath<contract> : vector<f32>
  // CHECK: arith.cmpf olt, {{.*}} : vector<f32>
  %v, %i = iree_vector_ext.arg_compare dimension(0) ins(%x : vector<2xf32>) inits(%v0, %i0 : vector<f32>, vector<index>) {
  ^bb0(%a: f32, %b: f32):
    %one = arith.constant 1.0 : f32
    %s = arith.mulf %a, %scale fastmath<contract> : f32
    %t = arith.addf %s, %one : f32
    %c = arith.cmpf olt, %t, %b : f32
    iree_vector_ext.yield %c : i1
  } -> vector<f32>, vector<index>
  return %i : vector<index>
}

// CHECK-LABEL: @too_long_to_write_out
func.func @too_long_to_write_out(%x: vector<2x300xf32>, %v0: vector<2xf32>, %i0: vector<2xi32>) -> vector<2xi32> {
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: arith.cmpf ogt, {{.*}} : f32
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<2x300xf32>) inits(%v0, %i0 : vector<2xf32>, vector<2xi32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    iree_vector_ext.yield %c : i1
  } -> vector<2xf32>, vector<2xi32>
  return %i : vector<2xi32>
}
