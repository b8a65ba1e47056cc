// VX-48: registers that lanes of a cluster load one by one become matrix loads.
// RUN: distaff-opt %s --pass-pipeline="builtin.module(gpu.module(gpu.func(distaff-form-matrix-loads{target=sm_80},cse)))" | FileCheck %s
// RUN: distaff-opt %s --pass-pipeline="builtin.module(gpu.module(gpu.func(distaff-form-matrix-loads{target=gfx942},cse)))" | FileCheck %s --check-prefix=NONE
// NONE-NOT: ldmatrix
#k = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
!a = memref<64x16xf16, #gpu.address_space<workgroup>>
!b = memref<16x64xf16, #gpu.address_space<workgroup>>
gpu.module @kernels {
  // A (m, k), row major: tiles are (o_k, o_m), lanes 0-15 say rows, bit 4 the columns to the right. B (k, n): columns
  // of 8 rows, transposed.
  // CHECK-LABEL: @panels
  // CHECK: %[[A:.*]] = nvgpu.ldmatrix %{{.*}} {numTiles = 4 : i32, transpose = false} : {{.*}} -> vector<4x2xf16>
  // CHECK: vector.to_elements %[[A]]
  // CHECK: nvgpu.ldmatrix %{{.*}} {numTiles = 2 : i32, transpose = true} : {{.*}} -> vector<2x2xf16>
  // CHECK-NOT: memref.load
  // CHECK-NOT: vector.load
  // CHECK: inner_tiled
  gpu.func @panels(%c: vector<1x1x2x2xf32>, %i: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = memref.alloc() {alignment = 16 : i64} : !a
    %b = memref.alloc() {alignment = 16 : i64} : !b
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %c16 = arith.constant 16 : index
    %lane = gpu.lane_id
    %g = arith.divui %lane, %c4 : index
    %q = arith.remui %lane, %c4 : index
    %at = arith.muli %i, %c16 : index
    %m = arith.addi %at, %g : index
    %m8 = arith.addi %m, %c8 : index
    %k = arith.muli %q, %c2 : index
    %k1 = arith.addi %k, %c1 : index
    %k8 = arith.addi %k, %c8 : index
    %k9 = arith.addi %k, %c9 : index
    %n = arith.addi %at, %g : index
    %p0 = vector.load %a[%m, %k] : !a, vector<2xf16>
    %p1 = vector.load %a[%m8, %k] : !a, vector<2xf16>
    %p2 = vector.load %a[%m, %k8] : !a, vector<2xf16>
    %p3 = vector.load %a[%m8, %k8] : !a, vector<2xf16>
    %a0:2 = vector.to_elements %p0 : vector<2xf16>
    %a1:2 = vector.to_elements %p1 : vector<2xf16>
    %a2:2 = vector.to_elements %p2 : vector<2xf16>
    %a3:2 = vector.to_elements %p3 : vector<2xf16>
    %b0 = memref.load %b[%k, %n] : !b
    %b1 = memref.load %b[%k1, %n] : !b
    %b2 = memref.load %b[%k8, %n] : !b
    %b3 = memref.load %b[%k9, %n] : !b
    %fa = vector.from_elements %a0#0, %a0#1, %a1#0, %a1#1, %a2#0, %a2#1, %a3#0, %a3#1 : vector<1x1x4x2xf16>
    %fb = vector.from_elements %b0, %b1, %b2, %b3 : vector<1x1x2x2xf16>
    %d = iree_codegen.inner_tiled ins(%fa, %fb) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #k} : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
    %parts:4 = vector.to_elements %d : vector<1x1x2x2xf32>
    %o = memref.alloc() : memref<4xf32, #gpu.address_space<workgroup>>
    memref.store %parts#0, %o[%q] : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.return
  }

  // What a lane wrote itself it reads without a barrier, what others wrote it does not; nor may it write there again.
  // CHECK-LABEL: @own_before
  // CHECK-NOT: ldmatrix
  // CHECK: inner_tiled
  gpu.func @own_before(%src: memref<16x16xf16>, %c: vector<1x1x2x2xf32>, %o: memref<32x4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = memref.alloc() {alignment = 16 : i64} : !a
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %one = arith.constant dense<1.0> : vector<1x1x2x2xf16>
    %lane = gpu.lane_id
    %g = arith.divui %lane, %c4 : index
    %q = arith.remui %lane, %c4 : index
    %g8 = arith.addi %g, %c8 : index
    %k = arith.muli %q, %c2 : index
    %k8 = arith.addi %k, %c8 : index
    %s = vector.load %src[%g, %k] : memref<16x16xf16>, vector<2xf16>
    vector.store %s, %a[%g, %k] : !a, vector<2xf16>
    vector.store %s, %a[%g8, %k] : !a, vector<2xf16>
    vector.store %s, %a[%g, %k8] : !a, vector<2xf16>
    vector.store %s, %a[%g8, %k8] : !a, vector<2xf16>
    %p0 = vector.load %a[%g, %k] : !a, vector<2xf16>
    %p1 = vector.load %a[%g8, %k] : !a, vector<2xf16>
    %p2 = vector.load %a[%g, %k8] : !a, vector<2xf16>
    %p3 = vector.load %a[%g8, %k8] : !a, vector<2xf16>
    %a0:2 = vector.to_elements %p0 : vector<2xf16>
    %a1:2 = vector.to_elements %p1 : vector<2xf16>
    %a2:2 = vector.to_elements %p2 : vector<2xf16>
    %a3:2 = vector.to_elements %p3 : vector<2xf16>
    %fa = vector.from_elements %a0#0, %a0#1, %a1#0, %a1#1, %a2#0, %a2#1, %a3#0, %a3#1 : vector<1x1x4x2xf16>
    %d = iree_codegen.inner_tiled ins(%fa, %one) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #k} : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
    %parts:4 = vector.to_elements %d : vector<1x1x2x2xf32>
    memref.store %parts#0, %o[%lane, %c0] : memref<32x4xf32>
    memref.store %parts#1, %o[%lane, %c1] : memref<32x4xf32>
    memref.store %parts#2, %o[%lane, %c2] : memref<32x4xf32>
    memref.store %parts#3, %o[%lane, %c3] : memref<32x4xf32>
    gpu.return
  }

  // CHECK-LABEL: @own_after
  // CHECK-NOT: ldmatrix
  // CHECK: inner_tiled
  gpu.func @own_after(%src: memref<16x16xf16>, %c: vector<1x1x2x2xf32>, %o: memref<32x4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = memref.alloc() {alignment = 16 : i64} : !a
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %one = arith.constant dense<1.0> : vector<1x1x2x2xf16>
    %lane = gpu.lane_id
    %g = arith.divui %lane, %c4 : index
    %q = arith.remui %lane, %c4 : index
    %g8 = arith.addi %g, %c8 : index
    %k = arith.muli %q, %c2 : index
    %k8 = arith.addi %k, %c8 : index
    %s = vector.load %src[%g, %k] : memref<16x16xf16>, vector<2xf16>
    %p0 = vector.load %a[%g, %k] : !a, vector<2xf16>
    %p1 = vector.load %a[%g8, %k] : !a, vector<2xf16>
    %p2 = vector.load %a[%g, %k8] : !a, vector<2xf16>
    %p3 = vector.load %a[%g8, %k8] : !a, vector<2xf16>
    vector.store %s, %a[%g, %k] : !a, vector<2xf16>
    vector.store %s, %a[%g8, %k] : !a, vector<2xf16>
    vector.store %s, %a[%g, %k8] : !a, vector<2xf16>
    vector.store %s, %a[%g8, %k8] : !a, vector<2xf16>
    %a0:2 = vector.to_elements %p0 : vector<2xf16>
    %a1:2 = vector.to_elements %p1 : vector<2xf16>
    %a2:2 = vector.to_elements %p2 : vector<2xf16>
    %a3:2 = vector.to_elements %p3 : vector<2xf16>
    %fa = vector.from_elements %a0#0, %a0#1, %a1#0, %a1#1, %a2#0, %a2#1, %a3#0, %a3#1 : vector<1x1x4x2xf16>
    %d = iree_codegen.inner_tiled ins(%fa, %one) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #k} : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
    %parts:4 = vector.to_elements %d : vector<1x1x2x2xf32>
    memref.store %parts#0, %o[%lane, %c0] : memref<32x4xf32>
    memref.store %parts#1, %o[%lane, %c1] : memref<32x4xf32>
    memref.store %parts#2, %o[%lane, %c2] : memref<32x4xf32>
    memref.store %parts#3, %o[%lane, %c3] : memref<32x4xf32>
    gpu.return
  }

  // CHECK-LABEL: @behind_barriers
  // CHECK: nvgpu.ldmatrix
  // CHECK: inner_tiled
  gpu.func @behind_barriers(%src: memref<16x16xf16>, %c: vector<1x1x2x2xf32>, %o: memref<32x4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = memref.alloc() {alignment = 16 : i64} : !a
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %one = arith.constant dense<1.0> : vector<1x1x2x2xf16>
    %lane = gpu.lane_id
    %g = arith.divui %lane, %c4 : index
    %q = arith.remui %lane, %c4 : index
    %g8 = arith.addi %g, %c8 : index
    %k = arith.muli %q, %c2 : index
    %k8 = arith.addi %k, %c8 : index
    %s = vector.load %src[%g, %k] : memref<16x16xf16>, vector<2xf16>
    vector.store %s, %a[%g, %k] : !a, vector<2xf16>
    vector.store %s, %a[%g8, %k] : !a, vector<2xf16>
    vector.store %s, %a[%g, %k8] : !a, vector<2xf16>
    vector.store %s, %a[%g8, %k8] : !a, vector<2xf16>
    gpu.barrier
    %p0 = vector.load %a[%g, %k] : !a, vector<2xf16>
    %p1 = vector.load %a[%g8, %k] : !a, vector<2xf16>
    %p2 = vector.load %a[%g, %k8] : !a, vector<2xf16>
    %p3 = vector.load %a[%g8, %k8] : !a, vector<2xf16>
    gpu.barrier
    vector.store %s, %a[%g, %k] : !a, vector<2xf16>
    vector.store %s, %a[%g8, %k] : !a, vector<2xf16>
    vector.store %s, %a[%g, %k8] : !a, vector<2xf16>
    vector.store %s, %a[%g8, %k8] : !a, vector<2xf16>
    %a0:2 = vector.to_elements %p0 : vector<2xf16>
    %a1:2 = vector.to_elements %p1 : vector<2xf16>
    %a2:2 = vector.to_elements %p2 : vector<2xf16>
    %a3:2 = vector.to_elements %p3 : vector<2xf16>
    %fa = vector.from_elements %a0#0, %a0#1, %a1#0, %a1#1, %a2#0, %a2#1, %a3#0, %a3#1 : vector<1x1x4x2xf16>
    %d = iree_codegen.inner_tiled ins(%fa, %one) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #k} : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
    %parts:4 = vector.to_elements %d : vector<1x1x2x2xf32>
    memref.store %parts#0, %o[%lane, %c0] : memref<32x4xf32>
    memref.store %parts#1, %o[%lane, %c1] : memref<32x4xf32>
    memref.store %parts#2, %o[%lane, %c2] : memref<32x4xf32>
    memref.store %parts#3, %o[%lane, %c3] : memref<32x4xf32>
    gpu.return
  }

  // The write is of the turn before.
  // CHECK-LABEL: @around_a_loop
  // CHECK-NOT: ldmatrix
  // CHECK: inner_tiled
  gpu.func @around_a_loop(%src: memref<16x16xf16>, %c: vector<1x1x2x2xf32>, %o: memref<32x4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = memref.alloc() {alignment = 16 : i64} : !a
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %one = arith.constant dense<1.0> : vector<1x1x2x2xf16>
    %lane = gpu.lane_id
    %g = arith.divui %lane, %c4 : index
    %q = arith.remui %lane, %c4 : index
    %g8 = arith.addi %g, %c8 : index
    %k = arith.muli %q, %c2 : index
    %k8 = arith.addi %k, %c8 : index
    %s = vector.load %src[%g, %k] : memref<16x16xf16>, vector<2xf16>
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %c) -> (vector<1x1x2x2xf32>) {
      %p0 = vector.load %a[%g, %k] : !a, vector<2xf16>
      %p1 = vector.load %a[%g8, %k] : !a, vector<2xf16>
      %p2 = vector.load %a[%g, %k8] : !a, vector<2xf16>
      %p3 = vector.load %a[%g8, %k8] : !a, vector<2xf16>
      %a0:2 = vector.to_elements %p0 : vector<2xf16>
      %a1:2 = vector.to_elements %p1 : vector<2xf16>
      %a2:2 = vector.to_elements %p2 : vector<2xf16>
      %a3:2 = vector.to_elements %p3 : vector<2xf16>
      %fa = vector.from_elements %a0#0, %a0#1, %a1#0, %a1#1, %a2#0, %a2#1, %a3#0, %a3#1 : vector<1x1x4x2xf16>
      %d = iree_codegen.inner_tiled ins(%fa, %one) outs(%acc) {indexing_maps = [#mk, #kn, #mn], kind = #k} : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
      gpu.barrier
      vector.store %s, %a[%g, %k] : !a, vector<2xf16>
      scf.yield %d : vector<1x1x2x2xf32>
    }
    %parts:4 = vector.to_elements %sum : vector<1x1x2x2xf32>
    memref.store %parts#0, %o[%lane, %c0] : memref<32x4xf32>
    memref.store %parts#1, %o[%lane, %c1] : memref<32x4xf32>
    memref.store %parts#2, %o[%lane, %c2] : memref<32x4xf32>
    memref.store %parts#3, %o[%lane, %c3] : memref<32x4xf32>
    gpu.return
  }

  // An instruction reads one memory: a fragment out of two takes two instructions of two tiles.
  // CHECK-LABEL: @out_of_two_memories
  // CHECK: %[[LEFT:.*]] = memref.alloc
  // CHECK: %[[RIGHT:.*]] = memref.alloc
  // CHECK: nvgpu.ldmatrix %[[LEFT]][{{.*}} {numTiles = 2 : i32, transpose = false}
  // CHECK: nvgpu.ldmatrix %[[RIGHT]][{{.*}} {numTiles = 2 : i32, transpose = false}
  // CHECK: inner_tiled
  gpu.func @out_of_two_memories(%c: vector<1x1x2x2xf32>, %o: memref<32x4xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %left = memref.alloc() {alignment = 16 : i64} : !a
    %right = memref.alloc() {alignment = 16 : i64} : !a
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %one = arith.constant dense<1.0> : vector<1x1x2x2xf16>
    %lane = gpu.lane_id
    %g = arith.divui %lane, %c4 : index
    %q = arith.remui %lane, %c4 : index
    %g8 = arith.addi %g, %c8 : index
    %k = arith.muli %q, %c2 : index
    %k8 = arith.addi %k, %c8 : index
    %p0 = vector.load %left[%g, %k] : !a, vector<2xf16>
    %p1 = vector.load %left[%g8, %k] : !a, vector<2xf16>
    %p2 = vector.load %right[%g, %k8] : !a, vector<2xf16>
    %p3 = vector.load %right[%g8, %k8] : !a, vector<2xf16>
    %a0:2 = vector.to_elements %p0 : vector<2xf16>
    %a1:2 = vector.to_elements %p1 : vector<2xf16>
    %a2:2 = vector.to_elements %p2 : vector<2xf16>
    %a3:2 = vector.to_elements %p3 : vector<2xf16>
    %fa = vector.from_elements %a0#0, %a0#1, %a1#0, %a1#1, %a2#0, %a2#1, %a3#0, %a3#1 : vector<1x1x4x2xf16>
    %d = iree_codegen.inner_tiled ins(%fa, %one) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #k} : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
    %parts:4 = vector.to_elements %d : vector<1x1x2x2xf32>
    memref.store %parts#0, %o[%lane, %c0] : memref<32x4xf32>
    gpu.return
  }

  // A row that begins on no multiple of 16 bytes, a branch that lanes do not take together, a wait between two loads.
  // CHECK-LABEL: @not_these
  // CHECK-NOT: ldmatrix
  gpu.func @not_these(%c: vector<1x1x2x2xf32>, %i: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %a = memref.alloc() {alignment = 16 : i64} : !a
    %b = memref.alloc() {alignment = 16 : i64} : !b
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c1 = arith.constant 1 : index
    %c9 = arith.constant 9 : index
    %lane = gpu.lane_id
    %g = arith.divui %lane, %c4 : index
    %q = arith.remui %lane, %c4 : index
    %g8 = arith.addi %g, %c8 : index
    %k = arith.muli %q, %c2 : index
    %k1 = arith.addi %k, %c1 : index
    %k8 = arith.addi %k, %c8 : index
    %k9 = arith.addi %k, %c9 : index
    %n = arith.addi %i, %g : index
    %first = arith.cmpi ult, %lane, %c4 : index
    %p0 = vector.load %a[%g, %k] : !a, vector<2xf16>
    %p1 = vector.load %a[%g8, %k] : !a, vector<2xf16>
    gpu.barrier
    %p2 = vector.load %a[%g, %k8] : !a, vector<2xf16>
    %p3 = vector.load %a[%g8, %k8] : !a, vector<2xf16>
    %a0:2 = vector.to_elements %p0 : vector<2xf16>
    %a1:2 = vector.to_elements %p2 : vector<2xf16>
    %a2:2 = vector.to_elements %p1 : vector<2xf16>
    %a3:2 = vector.to_elements %p3 : vector<2xf16>
    scf.if %first {
      %b0 = memref.load %b[%k, %g] : !b
      %b1 = memref.load %b[%k1, %g] : !b
      %b2 = memref.load %b[%k8, %n] : !b
      %b3 = memref.load %b[%k9, %n] : !b
      %fa = vector.from_elements %a0#1, %a0#0, %a1#1, %a1#0, %a2#1, %a2#0, %a3#1, %a3#0 : vector<1x1x4x2xf16>
      %fb = vector.from_elements %b0, %b1, %b2, %b3 : vector<1x1x2x2xf16>
      %d = iree_codegen.inner_tiled ins(%fa, %fb) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #k} : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
      %parts:4 = vector.to_elements %d : vector<1x1x2x2xf32>
      %o = memref.alloc() : memref<4xf32, #gpu.address_space<workgroup>>
      memref.store %parts#0, %o[%q] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    %e0 = memref.load %b[%k, %n] : !b
    %e1 = memref.load %b[%k1, %n] : !b
    %e2 = memref.load %b[%k8, %n] : !b
    %e3 = memref.load %b[%k9, %n] : !b
    %f0:2 = vector.to_elements %p0 : vector<2xf16>
    %f1:2 = vector.to_elements %p2 : vector<2xf16>
    %fe = vector.from_elements %f0#0, %f1#0, %f0#1, %f1#1, %e0, %e2, %e1, %e3 : vector<1x1x4x2xf16>
    %ff = vector.from_elements %e0, %e1, %e2, %e3 : vector<1x1x2x2xf16>
    %h = iree_codegen.inner_tiled ins(%fe, %ff) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #k} : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
    %hs:4 = vector.to_elements %h : vector<1x1x2x2xf32>
    %r = memref.alloc() : memref<4xf32, #gpu.address_space<workgroup>>
    memref.store %hs#0, %r[%q] : memref<4xf32, #gpu.address_space<workgroup>>
    gpu.return
  }
}
