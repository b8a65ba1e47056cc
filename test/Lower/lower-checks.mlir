// RUN: distaff-opt %s --pass-pipeline='builtin.module(func.func(distaff-lower-checks))' | FileCheck %s

// CHECK-LABEL: func.func @pair(
// CHECK-SAME: %[[C:.*]]: vector<2xi1>, %[[V:.*]]: vector<2xf32>
// CHECK: %[[ALL:.*]] = vector.reduction <and>, %[[C]] : vector<2xi1> into i1
// CHECK: cf.assert %[[ALL]], "both"
// CHECK: return %[[V]]
func.func @pair(%c: vector<2xi1>, %v: vector<2xf32>) -> vector<2xf32> {
  %r = distaff.check %c, %v, "both" : vector<2xi1>, vector<2xf32>
  return %r : vector<2xf32>
}

// CHECK-LABEL: func.func @tile(
// CHECK: %[[C:.*]] = vector.shape_cast %{{.*}} : vector<2x2xi1> to vector<4xi1>
// CHECK: %[[ALL:.*]] = vector.reduction <and>, %[[C]] : vector<4xi1> into i1
// CHECK: cf.assert %[[ALL]], "all"
func.func @tile(%c: vector<2x2xi1>, %v: vector<2x2xindex>) -> vector<2x2xindex> {
  %r = distaff.check %c, %v, "all" : vector<2x2xi1>, vector<2x2xindex>
  return %r : vector<2x2xindex>
}

// In front of what uses the value; of a value that nobody uses, nothing.
// CHECK-LABEL: func.func @position(
// CHECK-NEXT: cf.assert %arg1, "inside"
// CHECK-NEXT: memref.load %arg0[%arg2]
// CHECK-NEXT: return
func.func @position(%m: memref<?xf32>, %c: i1, %i: index) -> f32 {
  %p = distaff.check %c, %i, "inside" : i1, index
  %unused = distaff.check %c, %i, "unused" : i1, index
  %x = memref.load %m[%p] : memref<?xf32>
  return %x : f32
}
