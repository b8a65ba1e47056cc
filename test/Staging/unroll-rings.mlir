// Loops are unrolled by the depth of the rings that they read, so that slots are
// constants (PCF-207).
// RUN: distaff-opt %s --pass-pipeline="builtin.module(gpu.module(gpu.func(distaff-unroll-rings,sccp,cse)))" | FileCheck %s

#k = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
!p = vector<1x1x4x2xf16>
!q = vector<1x1x2x2xf16>
!sum = vector<1x1x2x2xf32>
!two = memref<2x64xf32, #gpu.address_space<workgroup>>
!three = memref<3x64xf32, #gpu.address_space<workgroup>>
gpu.module @kernels {
  // Iteration n reads slot n mod 2 and fills the other one.
  // CHECK-LABEL: @two_slots
  // CHECK: scf.for %{{.*}} = %c0 to %c128 step %c64
  // CHECK: memref.load %[[M:.*]][%c0, %
  // CHECK: memref.store %{{.*}}, %[[M]][%c1, %
  // CHECK: memref.load %[[M]][%c1, %
  // CHECK: memref.store %{{.*}}, %[[M]][%c0, %
  // CHECK-NOT: arith.remui
  // CHECK: gpu.return
  gpu.func @two_slots(%a: memref<64xf32>, %p: !p, %q: !q, %s: !sum) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %d = iree_codegen.inner_tiled ins(%p, %q) outs(%s) {indexing_maps = [#mk, #kn, #mn], kind = #k} : !p, !q into !sum
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c32 = arith.constant 32 : index
    %c128 = arith.constant 128 : index
    %m = memref.alloc() : !two
    %t = gpu.thread_id x
    scf.for %k = %c0 to %c128 step %c32 {
      %i = arith.divui %k, %c32 : index
      %slot = arith.remui %i, %c2 : index
      %x = memref.load %m[%slot, %t] : !two
      %later = arith.addi %i, %c1 : index
      %next = arith.remui %later, %c2 : index
      memref.store %x, %m[%next, %t] : !two
    }
    gpu.return
  }

  // As many iterations as an array has elements; what is left of three follows, with
  // slots that it computes.
  // CHECK-LABEL: @iterations_that_are_left
  // CHECK: scf.for
  // CHECK: memref.load %[[M:.*]][%c2, %
  // CHECK: memref.load %[[M]][%c0, %
  // CHECK: memref.load %[[M]][%c1, %
  // CHECK: scf.for
  // CHECK: %[[SLOT:.*]] = arith.remui
  // CHECK: memref.load %[[M]][%[[SLOT]], %
  gpu.func @iterations_that_are_left(%a: memref<?xf32>, %p: !p, %q: !q, %s: !sum) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %d = iree_codegen.inner_tiled ins(%p, %q) outs(%s) {indexing_maps = [#mk, #kn, #mn], kind = #k} : !p, !q into !sum
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %n = memref.dim %a, %c0 : memref<?xf32>
    %m = memref.alloc() : !three
    %t = gpu.thread_id x
    scf.for %i = %c0 to %n step %c1 {
      %later = arith.addi %i, %c2 : index
      %next = arith.remui %later, %c3 : index
      %x = memref.load %m[%next, %t] : !three
      memref.store %x, %a[%i] : memref<?xf32>
    }
    gpu.return
  }

  // A remainder without a ring, a loop that may end before it begins, and one from
  // another number stay.
  // CHECK-LABEL: @others
  // CHECK-COUNT-3: scf.for
  // CHECK-NOT: scf.for
  // CHECK: gpu.return
  gpu.func @others(%a: memref<64xf32>, %n: index, %p: !p, %q: !q, %s: !sum) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %d = iree_codegen.inner_tiled ins(%p, %q) outs(%s) {indexing_maps = [#mk, #kn, #mn], kind = #k} : !p, !q into !sum
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %m = memref.alloc() : !two
    %t = gpu.thread_id x
    scf.for %i = %c0 to %c8 step %c1 {
      %slot = arith.remui %i, %c2 : index
      %x = memref.load %a[%slot] : memref<64xf32>
      memref.store %x, %a[%i] : memref<64xf32>
    }
    scf.for %i = %c0 to %n step %c1 {
      %slot = arith.remui %i, %c2 : index
      %x = memref.load %m[%slot, %t] : !two
      memref.store %x, %a[%i] : memref<64xf32>
    }
    scf.for %i = %c1 to %c8 step %c1 {
      %slot = arith.remui %i, %c2 : index
      %x = memref.load %m[%slot, %t] : !two
      memref.store %x, %a[%i] : memref<64xf32>
    }
    gpu.return
  }

  // Without a matrix product nothing is unrolled.
  // CHECK-LABEL: @no_product
  // CHECK: arith.remui
  gpu.func @no_product(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %m = memref.alloc() : !two
    %t = gpu.thread_id x
    scf.for %i = %c0 to %c8 step %c1 {
      %slot = arith.remui %i, %c2 : index
      %x = memref.load %m[%slot, %t] : !two
      memref.store %x, %a[%i] : memref<64xf32>
    }
    gpu.return
  }
}
