// RUN: distaff-opt %s --pass-pipeline='builtin.module(func.func(distaff-convert-ahead{target=host:avx2}))' | FileCheck %s

// Eight steps at once, then those that are left, one by one; the memory has two
// pieces more than steps.
// CHECK-LABEL: func @halves
// CHECK: %[[OWN:.*]] = memref.alloca() {alignment = 64 : i64} : memref<6x120xf32>
// CHECK: scf.for %[[K:.*]] = %c0 to %{{.*}} step %c8
// CHECK: %[[R:.*]] = vector.transfer_read %arg0[%c3, %[[K]]], {{.*}} : memref<32x100xf16>, vector<6x8xf16>
// CHECK: %[[W:.*]] = arith.extf %[[R]] : vector<6x8xf16> to vector<6x8xf32>
// CHECK: vector.transfer_write %[[W]], %[[OWN]]
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %c100 step %c1
// CHECK: vector.transfer_read %arg0[%c3, %[[K]]], {{.*}} : memref<32x100xf16>, vector<6x1xf16>
// CHECK: scf.for %{{.*}} = %c0 to %c100 step %c1 iter_args
// CHECK-NOT: arith.extf
// CHECK: vector.transfer_read %[[OWN]][%{{.*}}, %{{.*}}], {{.*}} : memref<6x120xf32>, vector<6x1xf32>
func.func @halves(%a: memref<32x100xf16>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c100 = arith.constant 100 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<6x1xf32>
  %s = scf.for %k = %c0 to %c100 step %c1 iter_args(%acc = %z) -> (vector<6x1xf32>) {
    %x = vector.transfer_read %a[%c3, %k], %p {in_bounds = [true, true]} : memref<32x100xf16>, vector<6x1xf16>
    %w = arith.extf %x : vector<6x1xf16> to vector<6x1xf32>
    %t = arith.addf %acc, %w : vector<6x1xf32>
    scf.yield %t : vector<6x1xf32>
  }
  %r = vector.extract %s[0, 0] : f32 from vector<6x1xf32>
  return %r : f32
}

// A view that moves on with the steps: of eight of them.
// CHECK-LABEL: func @view
// CHECK: memref.subview %arg0[%arg1, %{{.*}}] [%arg2, 8] [1, 1]
// CHECK: vector.transfer_read {{.*}} {in_bounds = [false, true]} : {{.*}}, vector<6x8xi8>
// CHECK: arith.extsi {{.*}} : vector<6x8xi8> to vector<6x8xi32>
func.func @view(%a: memref<32x64xi8>, %m: index, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0 : i8
  %z = arith.constant dense<0> : vector<6x1xi32>
  %s = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %z) -> (vector<6x1xi32>) {
    %v = memref.subview %a[%m, %k] [%n, 1] [1, 1] : memref<32x64xi8> to memref<?x1xi8, strided<[64, 1], offset: ?>>
    %x = vector.transfer_read %v[%c0, %c0], %p {in_bounds = [false, true]} : memref<?x1xi8, strided<[64, 1], offset: ?>>, vector<6x1xi8>
    %w = arith.extsi %x : vector<6x1xi8> to vector<6x1xi32>
    %t = arith.addi %acc, %w : vector<6x1xi32>
    scf.yield %t : vector<6x1xi32>
  }
  %r = vector.extract %s[0, 0] : i32 from vector<6x1xi32>
  return %r : i32
}

// What the loop may have written before, what goes down columns, and what is
// used besides, stay.
// CHECK-LABEL: func @written
// CHECK-NOT: memref.alloca
// CHECK-LABEL: func @columns
// CHECK-NOT: memref.alloca
// CHECK-LABEL: func @used
// CHECK-NOT: memref.alloca
func.func @written(%a: memref<64x64xf16>, %b: memref<64x64xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0.0 : f16
  scf.for %k = %c0 to %c64 step %c1 {
    %x = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<6x1xf16>
    %w = arith.extf %x : vector<6x1xf16> to vector<6x1xf32>
    %h = arith.truncf %w : vector<6x1xf32> to vector<6x1xf16>
    vector.transfer_write %h, %b[%c0, %k] {in_bounds = [true, true]} : vector<6x1xf16>, memref<64x64xf16>
  }
  return
}
func.func @columns(%a: memref<64x64xf16>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<1x6xf32>
  %s = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %z) -> (vector<1x6xf32>) {
    %x = vector.transfer_read %a[%k, %c0], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<1x6xf16>
    %w = arith.extf %x : vector<1x6xf16> to vector<1x6xf32>
    %t = arith.addf %acc, %w : vector<1x6xf32>
    scf.yield %t : vector<1x6xf32>
  }
  %r = vector.extract %s[0, 0] : f32 from vector<1x6xf32>
  return %r : f32
}
func.func @used(%a: memref<64x64xf16>) -> f16 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %p = arith.constant 0.0 : f16
  %z = arith.constant dense<0.0> : vector<6x1xf16>
  %y = arith.constant dense<0.0> : vector<6x1xf32>
  %s:2 = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %z, %wide = %y) -> (vector<6x1xf16>, vector<6x1xf32>) {
    %x = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<64x64xf16>, vector<6x1xf16>
    %w = arith.extf %x : vector<6x1xf16> to vector<6x1xf32>
    %t = arith.addf %acc, %x : vector<6x1xf16>
    %u = arith.addf %wide, %w : vector<6x1xf32>
    scf.yield %t, %u : vector<6x1xf16>, vector<6x1xf32>
  }
  %r = vector.extract %s#0[0, 0] : f16 from vector<6x1xf16>
  return %r : f16
}
