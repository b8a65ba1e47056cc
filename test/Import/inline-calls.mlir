// RUN: distaff-opt %s --distaff-inline-calls | FileCheck %s

// CHECK-LABEL: func.func @twice(
// CHECK-SAME:    %[[X:.*]]: vector<4xf32>, %[[C:.*]]: i1)
// CHECK-NOT:     call
// CHECK:         %[[A:.*]] = arith.addf %[[X]], %[[X]]
// CHECK:         scf.if %[[C]]
// CHECK:           %[[B:.*]] = arith.addf %[[A]], %[[A]]
// CHECK:           %[[D:.*]] = arith.mulf %[[B]], %[[A]]
// CHECK:           scf.yield %[[D]]
// CHECK-NOT:   @double
// CHECK-NOT:   @square
func.func @twice(%x: vector<4xf32>, %c: i1) -> vector<4xf32> {
  %0 = call @double(%x) : (vector<4xf32>) -> vector<4xf32>
  %1 = scf.if %c -> vector<4xf32> {
    %2 = func.call @product(%0) : (vector<4xf32>) -> vector<4xf32>
    scf.yield %2 : vector<4xf32>
  } else {
    scf.yield %0 : vector<4xf32>
  }
  return %1 : vector<4xf32>
}
func.func private @product(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = call @double(%x) : (vector<4xf32>) -> vector<4xf32>
  %1 = arith.mulf %0, %x : vector<4xf32>
  return %1 : vector<4xf32>
}
func.func private @double(%x: vector<4xf32>) -> vector<4xf32> {
  %0 = arith.addf %x, %x : vector<4xf32>
  return %0 : vector<4xf32>
}

// A declaration is not this pass's business.
// CHECK-LABEL: func.func @outside
// CHECK:         call @elsewhere
func.func @outside() {
  call @elsewhere() : () -> ()
  return
}
// CHECK: func.func private @elsewhere
func.func private @elsewhere()
