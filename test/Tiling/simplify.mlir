// RUN: distaff-opt %s --pass-pipeline='builtin.module(func.func(distaff-simplify))' | FileCheck %s

// CHECK-LABEL: func.func @values_carried_alike_are_one
// CHECK:       %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %[[X:.*]], %[[B:.*]] = %[[Y:.*]]) -> (f32, f32)
// CHECK:         %[[S:.*]] = arith.addf %[[A]], %[[A]]
// CHECK:         %[[T:.*]] = arith.addf %[[B]], %[[S]]
// CHECK:         scf.yield %[[S]], %[[T]]
// CHECK:       return %[[LOOP]]#0, %[[LOOP]]#0, %[[LOOP]]#1
func.func @values_carried_alike_are_one(%x: f32, %y: f32, %n: index) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %x, %c = %y) -> (f32, f32, f32) {
    %s = arith.addf %a, %b : f32
    %t = arith.addf %c, %s : f32
    scf.yield %s, %s, %t : f32, f32, f32
  }
  return %r#0, %r#1, %r#2 : f32, f32, f32
}

// CHECK-LABEL: func.func @carried_alike_but_begun_apart
// CHECK:       scf.for {{.*}} -> (f32, f32)
func.func @carried_alike_but_begun_apart(%x: f32, %y: f32, %n: index) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (f32, f32) {
    %s = arith.addf %a, %b : f32
    scf.yield %s, %s : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}

// CHECK-LABEL: func.func @values_chosen_alike_are_one
// CHECK:       %[[R:.*]]:2 = scf.if
// CHECK:       return %[[R]]#0, %[[R]]#1, %[[R]]#0
func.func @values_chosen_alike_are_one(%c: i1, %m: memref<2xf32>, %z: f32) -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.if %c -> (f32, f32, f32) {
    %x = memref.load %m[%c0] : memref<2xf32>
    %y = memref.load %m[%c1] : memref<2xf32>
    scf.yield %x, %y, %x : f32, f32, f32
  } else {
    scf.yield %z, %z, %z : f32, f32, f32
  }
  return %r#0, %r#1, %r#2 : f32, f32, f32
}

// CHECK-LABEL: func.func @upstream_does_the_rest
// CHECK:       return %{{.*}}, %{{.*}} : index, index
// CHECK-NOT:   scf.for
func.func @upstream_does_the_rest(%x: index, %y: index) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %x, %b = %y) -> (index, index) {
    %s = arith.muli %a, %c1 : index
    scf.yield %b, %s : index, index
  }
  return %r#0, %r#1 : index, index
}
