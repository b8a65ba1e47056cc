// RUN: distaff-opt %s | FileCheck %s
// RUN: distaff-opt %s | distaff-opt | FileCheck %s
// RUN: distaff-opt --mlir-print-op-generic %s | distaff-opt | FileCheck %s

// VX-19: explicit mode.
// CHECK-LABEL: func.func @with_index_inputs
func.func @with_index_inputs(%x: vector<4x96xf32>, %xi: vector<4x96xi32>, %v0: vector<4xf32>, %i0: vector<4xi32>) -> (vector<4xf32>, vector<4xi32>) {
  // CHECK: iree_vector_ext.arg_compare dimension(1) ins(%{{.*}}, %{{.*}} : vector<4x96xf32>, vector<4x96xi32>) inits(%{{.*}}, %{{.*}} : vector<4xf32>, vector<4xi32>) {
  // CHECK-NEXT: ^bb0(%[[CANDIDATE:.*]]: f32, %[[BEST:.*]]: f32):
  // CHECK-NEXT: arith.cmpf ogt, %[[CANDIDATE]], %[[BEST]] : f32
  // CHECK-NEXT: iree_vector_ext.yield %{{.*}} : i1
  // CHECK-NEXT: } -> vector<4xf32>, vector<4xi32>
  %v, %i = iree_vector_ext.arg_compare dimension(1) ins(%x, %xi : vector<4x96xf32>, vector<4x96xi32>)
      inits(%v0, %i0 : vector<4xf32>, vector<4xi32>) {
  ^bb0(%cand: f32, %best: f32):
    %c = arith.cmpf ogt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<4xf32>, vector<4xi32>
  return %v, %i : vector<4xf32>, vector<4xi32>
}

// VX-19: implicit mode.
// CHECK-LABEL: func.func @positions
func.func @positions(%x: vector<96xi16>, %v0: vector<i16>, %i0: vector<index>) -> (vector<i16>, vector<index>) {
  // CHECK: arg_compare dimension(0) ins(%{{.*}} : vector<96xi16>) inits(%{{.*}}, %{{.*}} : vector<i16>, vector<index>) {
  %v, %i = iree_vector_ext.arg_compare dimension(0) ins(%x : vector<96xi16>)
      inits(%v0, %i0 : vector<i16>, vector<index>) {
  ^bb0(%cand: i16, %best: i16):
    %c = arith.cmpi sle, %cand, %best : i16
    iree_vector_ext.yield %c : i1
  } -> vector<i16>, vector<index>
  return %v, %i : vector<i16>, vector<index>
}

// VX-19: positions counted from a base; attributes are kept.
// CHECK-LABEL: func.func @positions_from_a_base
func.func @positions_from_a_base(%x: vector<4x96xf32>, %v0: vector<96xf32>, %i0: vector<96xi64>, %b: index) -> (vector<96xf32>, vector<96xi64>) {
  // CHECK: arg_compare dimension(0) ins(%{{.*}} : vector<4x96xf32>) inits(%{{.*}}, %{{.*}} : vector<96xf32>, vector<96xi64>) index_base(%{{.*}} : index) attributes {my.note = "kept"} {
  %v, %i = iree_vector_ext.arg_compare dimension(0) ins(%x : vector<4x96xf32>)
      inits(%v0, %i0 : vector<96xf32>, vector<96xi64>) index_base(%b : index) attributes {my.note = "kept"} {
  ^bb0(%cand: f32, %best: f32):
    %c = arith.cmpf olt, %cand, %best : f32
    iree_vector_ext.yield %c : i1
  } -> vector<96xf32>, vector<96xi64>
  return %v, %i : vector<96xf32>, vector<96xi64>
}
