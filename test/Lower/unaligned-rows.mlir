// Reads of rows that begin anywhere (VX-289), and reads of registers that a loop's counter numbers (VX-290).
// RUN: distaff-opt %s --pass-pipeline='builtin.module(func.func(distaff-lower-vectors{target=gfx942},canonicalize,cse))' | FileCheck %s
// RUN: distaff-opt %s --pass-pipeline='builtin.module(func.func(distaff-lower-vectors{target=sm_80},canonicalize,cse))' | FileCheck %s --check-prefix=NVIDIA

// A tile that is inside its memory is read at once; else each word of 64 bits takes one element per iteration. The first index may be negative.
// CHECK-LABEL: func.func @edge
// CHECK-SAME: %[[I:.*]]: index, %[[J:.*]]: index,
// CHECK: %[[LAST:.*]] = arith.addi %[[J]], %c7
// CHECK: %[[AFTER:.*]] = arith.cmpi ult, %[[J]],
// CHECK: %[[BEFORE:.*]] = arith.cmpi ult, %[[LAST]],
// CHECK: %[[INSIDE:.*]] = arith.andi %[[AFTER]], %[[BEFORE]]
// CHECK: scf.if %[[INSIDE]] -> (vector<8xf16>) {
// CHECK:   vector.load %{{.*}} {alignment = 2 : i64} : memref<?x?xf16>, vector<8xf16>
// CHECK: } else {
// CHECK:   scf.for %[[E:.*]] = %c0 to %c4 step %c1 iter_args(%[[LOW:.*]] = %{{.*}}, %[[HIGH:.*]] = %{{.*}}) -> (i64, i64)
// CHECK:     scf.if
// CHECK:       memref.load
// CHECK:     arith.shli %{{.*}}, %c48_i64
// CHECK:     arith.shrui %[[LOW]], %c16_i64
// CHECK:     arith.addi %{{.*}}, %c4
// CHECK:     arith.shrui %[[HIGH]], %c16_i64
// CHECK:   vector.bitcast %{{.*}} : vector<2xi64> to vector<8xf16>
// NVIDIA-LABEL: func.func @edge
// NVIDIA-NOT: vector.load
func.func @edge(%a: memref<?x?xf16> {distaff.unaligned_rows}, %i: index, %j: index, %o: memref<8xf16>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %v = vector.transfer_read %a[%i, %j], %pad {in_bounds = [true]} : memref<?x?xf16>, vector<8xf16>
  %w = vector.transfer_read %a[%i, %j], %pad : memref<?x?xf16>, vector<8xf16>
  %s = arith.addf %v, %w : vector<8xf16>
  vector.transfer_write %s, %o[%c0] {in_bounds = [true]} : vector<8xf16>, memref<8xf16>
  return
}

// A word of f64 is one element: no loop and no shifts.
// CHECK-LABEL: func.func @doubles
// NVIDIA-LABEL: func.func @doubles
// CHECK: vector.load %{{.*}} {alignment = 8 : i64} : memref<?x?xf64>, vector<2xf64>
// CHECK-NOT: arith.shrui
// CHECK: return
func.func @doubles(%a: memref<?x?xf64> {distaff.unaligned_rows}, %i: index, %j: index, %o: memref<2xf64>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f64
  %w = vector.transfer_read %a[%i, %j], %pad : memref<?x?xf64>, vector<2xf64>
  vector.transfer_write %w, %o[%c0] {in_bounds = [true]} : vector<2xf64>, memref<2xf64>
  return
}

// Six rows are known to be inside and need no guard; two are known not to be.
// CHECK-LABEL: func.func @inside
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK-COUNT-6: memref.load
// CHECK-NOT: memref.load
// CHECK: return
func.func @inside(%a: memref<?x?xf16> {distaff.unaligned_rows}, %i: index, %j: index, %o: memref<8x4xf16>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %s = memref.subview %a[%i, %j] [6, 10] [1, 1] : memref<?x?xf16> to memref<6x10xf16, strided<[?, 1], offset: ?>>
  %w = vector.transfer_read %s[%c0, %c0], %pad : memref<6x10xf16, strided<[?, 1], offset: ?>>, vector<8x4xf16>
  vector.transfer_write %w, %o[%c0, %c0] {in_bounds = [true, true]} : vector<8x4xf16>, memref<8x4xf16>
  return
}

// More registers than LLVM has in one vector are selected from.
// CHECK-LABEL: func.func @too_many
// CHECK-NOT: vector.extract
// CHECK: arith.select
// CHECK: return
func.func @too_many(%a: memref<64xf32>, %o: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %pad = arith.constant 0.0 : f32
  %v = vector.transfer_read %a[%c0], %pad {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  scf.for %n = %c0 to %c64 step %c1 {
    %w = vector.extract %v[%n] : f32 from vector<64xf32>
    memref.store %w, %o[%n] : memref<64xf32>
  }
  return
}

// CHECK-LABEL: func.func @numbered
// CHECK: scf.for %[[N:.*]] = %c0 to %c4
// CHECK:   %[[REGISTERS:.*]] = vector.from_elements %{{.*}} : vector<8xf32>
// CHECK:   %[[AT:.*]] = arith.muli %[[N]], %c2
// CHECK:   vector.extract %[[REGISTERS]][%[[AT]]] : f32 from vector<8xf32>
// NVIDIA-LABEL: func.func @numbered
// NVIDIA-NOT: vector.extract
// NVIDIA: arith.select
func.func @numbered(%a: memref<2x4x2xf32>, %o: memref<4x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %pad = arith.constant 0.0 : f32
  %v = vector.transfer_read %a[%c0, %c0, %c0], %pad {in_bounds = [true, true, true]} : memref<2x4x2xf32>, vector<2x4x2xf32>
  scf.for %n = %c0 to %c4 step %c1 {
    %w = vector.extract %v[1, %n] : vector<2xf32> from vector<2x4x2xf32>
    vector.transfer_write %w, %o[%n, %c0] {in_bounds = [true]} : vector<2xf32>, memref<4x2xf32>
  }
  return
}
