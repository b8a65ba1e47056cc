// RUN: distaff-opt %s --distaff-tile-vectors=target=host:avx512 | FileCheck %s
// RUN: distaff-opt %s --distaff-tile-vectors="target=host:avx512 strict-fp" | FileCheck %s --check-prefix=STRICT
// RUN: distaff-opt %s --distaff-tile-vectors=target=sm_80 | FileCheck %s --check-prefix=LANES

// Large n-D vectors are loops over tiles of them (VX-127). test/Execution/Host/large_vectors.test has
// what they compute.

// Two results of the same reads: one loop, and each tile is read once.
// CHECK-LABEL: func.func @one_loop_for_all
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[A:.*]] = vector.transfer_read %arg0{{.*}} vector<1x1x[[N:[0-9]+]]xf32>
// CHECK: %[[B:.*]] = vector.transfer_read %arg1{{.*}} vector<1x1x[[N]]xf32>
// CHECK: arith.addf %[[A]], %[[B]] : vector<1x1x[[N]]xf32>
// CHECK: arith.subf %[[A]], %[[B]] : vector<1x1x[[N]]xf32>
// CHECK-COUNT-2: vector.transfer_write
// CHECK-NOT: vector.transfer
// LANES-LABEL: func.func @one_loop_for_all
// LANES: scf.for
// LANES-NOT: vector<16x32x64xf32>
func.func @one_loop_for_all(%a: memref<16x32x64xf32>, %b: memref<16x32x64xf32>, %s: memref<16x32x64xf32>, %d: memref<16x32x64xf32>)
    attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [1024, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0, %c0], %z {in_bounds = [true, true, true]} : memref<16x32x64xf32>, vector<16x32x64xf32>
  %y = vector.transfer_read %b[%c0, %c0, %c0], %z {in_bounds = [true, true, true]} : memref<16x32x64xf32>, vector<16x32x64xf32>
  %0 = arith.addf %x, %y : vector<16x32x64xf32>
  %1 = arith.subf %x, %y : vector<16x32x64xf32>
  vector.transfer_write %0, %s[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<16x32x64xf32>, memref<16x32x64xf32>
  vector.transfer_write %1, %d[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<16x32x64xf32>, memref<16x32x64xf32>
  return
}

// Accumulators are carried by the loop along k, in registers.
// CHECK-LABEL: func.func @accumulators
// CHECK: %[[C:.*]] = vector.transfer_read %arg2{{.*}} vector<8x32xf32>
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[C]]) -> (vector<8x32xf32>)
// CHECK: vector.contract {{.*}} %[[ACC]] : vector<8x4xf32>, vector<4x32xf32> into vector<8x32xf32>
// CHECK: vector.transfer_write {{.*}} vector<8x32xf32>
func.func @accumulators(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %y = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %w = vector.transfer_read %c[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %x, %y, %w : vector<64x64xf32>, vector<64x64xf32> into vector<64x64xf32>
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  return
}

// Sums of rows carry partial sums, and in the source's order the sums themselves.
// CHECK-LABEL: func.func @sums_of_rows
// CHECK: scf.for {{.*}} -> (vector<4xf32>, vector<4x64xf32>)
// STRICT-LABEL: func.func @sums_of_rows
// STRICT: scf.for {{.*}} -> (vector<4xf32>) {
// STRICT: vector.multi_reduction <add>
// LANES-LABEL: func.func @sums_of_rows
// LANES: scf.for {{.*}} -> (vector<1xf32>, vector<1x4xf32>)
func.func @sums_of_rows(%a: memref<64x256xf32>, %s: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = arith.constant dense<0.0> : vector<64xf32>
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x256xf32>, vector<64x256xf32>
  %r = vector.multi_reduction <add>, %x, %n [1] : vector<64x256xf32> to vector<64xf32>
  vector.transfer_write %r, %s[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// What is read and overwritten elsewhere is kept in a buffer.
// CHECK-LABEL: func.func @kept
// CHECK: %[[BUFFER:.*]] = memref.alloc() : memref<64x64xf32>
// CHECK: vector.transfer_write {{.*}}, %[[BUFFER]]
// CHECK: vector.transfer_read %[[BUFFER]]{{.*}} vector<16x16xf32>
// CHECK: vector.transpose
// CHECK: vector.transfer_write {{.*}}, %arg0
func.func @kept(%a: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %t = vector.transpose %x, [1, 0] : vector<64x64xf32> to vector<64x64xf32>
  vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<64x64xf32>
  return
}

// The function's native vector is the tile, and what it does not divide is left behind (VX-128).
// CHECK-LABEL: func.func @native
// CHECK: math.absf {{.*}} : vector<4x8xf32>
// CHECK: math.absf {{.*}} : vector<4x5xf32>
// LANES-LABEL: func.func @native
// LANES: math.absf {{.*}} : vector<4x8xf32>
// LANES: math.absf {{.*}} : vector<4x5xf32>
func.func @native(%a: memref<16x13xf32>, %b: memref<16x13xf32>) attributes {distaff.native_vector = array<i64: 4, 8>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x13xf32>, vector<16x13xf32>
  %r = math.absf %x : vector<16x13xf32>
  vector.transfer_write %r, %b[%c0, %c0] {in_bounds = [true, true]} : vector<16x13xf32>, memref<16x13xf32>
  return
}

// An op's own is of its loops: of a contraction m, n and k (VX-128).
// CHECK-LABEL: func.func @native_of_an_op
// CHECK: vector.contract {{.*}} : vector<4x2xf32>, vector<2x16xf32> into vector<4x16xf32>
func.func @native_of_an_op(%a: memref<8x8xf32>, %b: memref<8x32xf32>, %c: memref<8x32xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = arith.constant dense<0.0> : vector<8x32xf32>
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x8xf32>, vector<8x8xf32>
  %y = vector.transfer_read %b[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x32xf32>, vector<8x32xf32>
  %r = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>, distaff.native_vector = array<i64: 4, 16, 2>}
      %x, %y, %n : vector<8x8xf32>, vector<8x32xf32> into vector<8x32xf32>
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<8x32xf32>, memref<8x32xf32>
  return
}

// An op's own native vector goes before the function's, a write's too (VX-173).
// CHECK-LABEL: func.func @own_before_the_functions
// CHECK: math.absf {{.*}} : vector<2x4xf32>
// CHECK: math.ceil {{.*}} : vector<4x8xf32>
// LANES-LABEL: func.func @own_before_the_functions
// LANES: math.absf {{.*}} : vector<2x4xf32>
// LANES: math.ceil {{.*}} : vector<4x8xf32>
func.func @own_before_the_functions(%a: memref<16x32xf32>, %b: memref<16x32xf32>, %c: memref<16x32xf32>) attributes {distaff.native_vector = array<i64: 4, 8>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x32xf32>, vector<16x32xf32>
  %r = math.absf %x : vector<16x32xf32>
  vector.transfer_write %r, %b[%c0, %c0] {in_bounds = [true, true], distaff.native_vector = array<i64: 2, 4>} : vector<16x32xf32>, memref<16x32xf32>
  %s = math.ceil %x : vector<16x32xf32>
  vector.transfer_write %s, %c[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf32>, memref<16x32xf32>
  return
}

// The outer extent is shared out among workgroups where each has enough to do (VX-129).
// CHECK-LABEL: func.func @cores
// CHECK: scf.forall (%{{.*}}) in (64)
// CHECK: mapping = [#gpu.block<x>]
// LANES-LABEL: func.func @cores
// LANES: scf.forall
func.func @cores(%a: memref<64x256x256xf32>, %b: memref<64x256x256xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0, %c0], %z {in_bounds = [true, true, true]} : memref<64x256x256xf32>, vector<64x256x256xf32>
  %r = arith.addf %x, %x : vector<64x256x256xf32>
  vector.transfer_write %r, %b[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<64x256x256xf32>, memref<64x256x256xf32>
  return
}

// What registers hold is straight code.
// CHECK-LABEL: func.func @small
// CHECK-NOT: scf.for
// CHECK: arith.addf {{.*}} : vector<16x16xf32>
func.func @small(%a: memref<16x16xf32>, %b: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %r = arith.addf %x, %x : vector<16x16xf32>
  vector.transfer_write %r, %b[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}
