// RUN: distaff-opt %s --vector-ext-lower-arg-compare -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: distaff run %t.mlir --target sm_80 --func best_index_of_columns --stop-after=input --output arg0=%t.npy
// RUN: %python -c "import struct, sys; found = struct.unpack('<3i', open(sys.argv[1], 'rb').read()[-12:]); assert found == (40, 20, -3), found" %t.npy
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

// A region with a branch is run on scalars, and takes the indices that are given
// from where the values are. Columns 1 4, 5 2 and 3 6 have maxima 4 and 5; 9 wins.
// CHECK-LABEL: @best_index_of_columns
func.func @best_index_of_columns(%out: memref<3xi32>) {
  // CHECK: scf.for
  // CHECK: scf.for
  %c0 = arith.constant 0 : index
  %x = arith.constant dense<[[1, 5, 3], [4, 2, 6]]> : vector<2x3xi32>
  %at = arith.constant dense<[[10, 20, 30], [40, 50, 60]]> : vector<2x3xi32>
  %v0 = arith.constant dense<[0, 0, 9]> : vector<3xi32>
  %i0 = arith.constant dense<[-1, -2, -3]> : vector<3xi32>
  %v, %i = iree_vector_ext.arg_compare dimension(0) ins(%x, %at : vector<2x3xi32>, vector<2x3xi32>) inits(%v0, %i0 : vector<3xi32>, vector<3xi32>) {
  ^bb0(%a: i32, %b: i32):
    %c = arith.cmpi sgt, %a, %b : i32
    %same = scf.if %c -> i1 {
      scf.yield %c : i1
    } else {
      scf.yield %c : i1
    }
    iree_vector_ext.yield %same : i1
  } -> vector<3xi32>, vector<3xi32>
  vector.transfer_write %i, %out[%c0] {in_bounds = [true]} : vector<3xi32>, memref<3xi32>
  return
}
