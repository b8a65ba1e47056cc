// Rows whose length the run decides: a version of the body for rows that are multiples of an access of 16 bytes (VX-251).
// RUN: distaff-opt %s --distaff-version-row-alignment=target=sm_80 | FileCheck %s
// Where accesses may begin at any element, such arguments are marked instead (VX-289).
// RUN: distaff-opt %s --distaff-version-row-alignment=target=gfx942 | FileCheck %s --check-prefix=MARKED

// MARKED-LABEL: func.func @product
// MARKED-SAME: %arg0: memref<?x?xf16> {distaff.unaligned_rows}, %arg1: memref<?x?xf16> {distaff.unaligned_rows}, %arg2: memref<?x?xf32>)
// MARKED-NOT: scf.if
// CHECK-LABEL: func.func @product
// CHECK: %[[K:.*]] = memref.dim %arg0, %c1_{{.*}} : memref<?x?xf16>
// CHECK: arith.remui %[[K]], %c8
// CHECK: %[[A:.*]] = memref.reinterpret_cast %arg0 to offset: [0], sizes: [%{{.*}}, %[[K8:.*]]], strides: [%{{.*}}, 1] : memref<?x?xf16> to memref<?x?xf16, strided<[?, 1]>>
// CHECK: %[[BOTH:.*]] = arith.andi
// CHECK: %[[B:.*]] = memref.reinterpret_cast %arg1
// CHECK: scf.forall
// CHECK:   scf.if %[[BOTH]] {
// CHECK:     scf.for %{{.*}} = %c0{{.*}} to %[[K8]]
// CHECK:       vector.transfer_read %[[A]]
// CHECK:       vector.transfer_read %[[B]]
// CHECK:   } else {
// CHECK:     scf.for
// CHECK:       vector.transfer_read %arg0
// CHECK:       vector.transfer_read %arg1
func.func @product(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<16x16xf32>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  scf.forall (%i) in (1) {
    %r = scf.for %at = %c0 to %k step %c16 iter_args(%acc = %zero) -> (vector<16x16xf32>) {
      %x = vector.transfer_read %a[%c0, %at], %pad : memref<?x?xf16>, vector<16x16xf16>
      %y = vector.transfer_read %b[%at, %c0], %pad : memref<?x?xf16>, vector<16x16xf16>
      %v = arith.extf %x : vector<16x16xf16> to vector<16x16xf32>
      %w = arith.extf %y : vector<16x16xf16> to vector<16x16xf32>
      %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %v, %w, %acc : vector<16x16xf32>, vector<16x16xf32> into vector<16x16xf32>
      scf.yield %d : vector<16x16xf32>
    }
    vector.transfer_write %r, %c[%c0, %c0] : vector<16x16xf32>, memref<?x?xf32>
  } {mapping = [#gpu.block<x>]}
  return
}

// What is written, too, and what no product reads, stays as it is: one version.
// MARKED-LABEL: func.func @no_factor
// MARKED-SAME: %arg0: memref<?x?xf16>, %arg1: memref<?x64xf16>)
// CHECK-LABEL: func.func @no_factor
// CHECK-NOT: reinterpret_cast
// CHECK-NOT: scf.if
func.func @no_factor(%a: memref<?x?xf16>, %b: memref<?x64xf16>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  scf.forall (%i) in (1) {
    %x = vector.transfer_read %a[%c0, %c0], %pad : memref<?x?xf16>, vector<16x16xf16>
    %y = vector.transfer_read %b[%c0, %c0], %pad : memref<?x64xf16>, vector<16x16xf16>
    %s = arith.addf %x, %y : vector<16x16xf16>
    vector.transfer_write %s, %a[%c0, %c0] : vector<16x16xf16>, memref<?x?xf16>
  } {mapping = [#gpu.block<x>]}
  return
}

// Steps of whole tiles have a loop of their own in the version for such rows. In the other one the loop for tiles with edges takes all.
// CHECK-LABEL: func.func @steps
// CHECK:   scf.if
// CHECK:     %[[WHOLE:.*]] = arith.cmpi eq
// CHECK:     arith.select %[[WHOLE]]
// CHECK:     scf.for
// CHECK:     scf.for
// CHECK:     scf.if %[[WHOLE]]
// CHECK:   } else {
// CHECK:     scf.for %{{.*}} = %c0{{.*}} to %{{.*}} step %c16
// CHECK:       vector.transfer_read %{{.*}}[%c0{{.*}}, %c0{{.*}}], %{{.*}} : memref<?x?xf16, strided
// CHECK-NOT: scf.for
// CHECK-NOT: scf.if
// CHECK:     vector.transfer_write %{{.*}} : vector<16x16xf32>, memref<?x?xf32>
func.func @steps(%a: memref<?x?xf16>, %b: memref<?x16xf16>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %pad = arith.constant 0.0 : f16
  %zero = arith.constant dense<0.0> : vector<16x16xf32>
  %m = memref.dim %a, %c0 : memref<?x?xf16>
  %k = memref.dim %a, %c1 : memref<?x?xf16>
  scf.forall (%i) in (1) {
    %size = affine.min affine_map<()[s0] -> (16, s0)>()[%m]
    %whole = arith.cmpi eq, %size, %c16 : index
    %end = arith.select %whole, %k, %c0 : index
    %split = affine.apply affine_map<()[s0] -> ((s0 floordiv 16) * 16)>()[%end]
    %r = scf.for %at = %c0 to %split step %c16 iter_args(%acc = %zero) -> (vector<16x16xf32>) {
      %x = vector.transfer_read %a[%c0, %at], %pad {in_bounds = [true, true]} : memref<?x?xf16>, vector<16x16xf16>
      %y = vector.transfer_read %b[%at, %c0], %pad {in_bounds = [true, true]} : memref<?x16xf16>, vector<16x16xf16>
      %v = arith.extf %x : vector<16x16xf16> to vector<16x16xf32>
      %w = arith.extf %y : vector<16x16xf16> to vector<16x16xf32>
      %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %v, %w, %acc : vector<16x16xf32>, vector<16x16xf32> into vector<16x16xf32>
      scf.yield %d : vector<16x16xf32>
    }
    %s = scf.for %at = %split to %k step %c16 iter_args(%acc = %r) -> (vector<16x16xf32>) {
      %rest = affine.min affine_map<(d0)[s0] -> (16, -d0 + s0)>(%at)[%k]
      %slice = memref.subview %a[0, %at] [%size, %rest] [1, 1] : memref<?x?xf16> to memref<?x?xf16, strided<[?, 1], offset: ?>>
      %x = vector.transfer_read %slice[%c0, %c0], %pad : memref<?x?xf16, strided<[?, 1], offset: ?>>, vector<16x16xf16>
      %y = vector.transfer_read %b[%at, %c0], %pad : memref<?x16xf16>, vector<16x16xf16>
      %v = arith.extf %x : vector<16x16xf16> to vector<16x16xf32>
      %w = arith.extf %y : vector<16x16xf16> to vector<16x16xf32>
      %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %v, %w, %acc : vector<16x16xf32>, vector<16x16xf32> into vector<16x16xf32>
      scf.yield %d : vector<16x16xf32>
    }
    scf.if %whole {
      vector.transfer_write %s, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<?x?xf32>
    } else {
      vector.transfer_write %s, %c[%c0, %c0] : vector<16x16xf32>, memref<?x?xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return
}
