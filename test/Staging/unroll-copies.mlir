// Loops of a few turns that fill workgroup memory become straight-line code
// (PCF-204).
// RUN: distaff-opt %s --pass-pipeline="builtin.module(gpu.module(gpu.func(distaff-unroll-copies,sccp,cse)))" | FileCheck %s

!panel = memref<8x64xf32, #gpu.address_space<workgroup>>
gpu.module @kernels {
  // CHECK-LABEL: @rows_of_a_panel
  // CHECK-NOT: scf.for
  // CHECK: vector.load
  // CHECK: vector.store
  // CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %c4
  // CHECK: %[[V:.*]] = vector.load %{{.*}}[%[[ROW]]
  // CHECK: vector.store %[[V]], %{{.*}}[%[[ROW]]
  gpu.func @rows_of_a_panel(%a: memref<8x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %m = memref.alloc() : !panel
    %t = gpu.thread_id x
    %y = gpu.thread_id y
    scf.for %i = %c0 to %c8 step %c4 {
      %row = arith.addi %y, %i : index
      %v = vector.load %a[%row, %t] : memref<8x64xf32>, vector<4xf32>
      vector.store %v, %m[%row, %t] : !panel, vector<4xf32>
    }
    gpu.return
  }

  // CHECK-LABEL: @nested_loops
  // CHECK-NOT: scf.for
  // CHECK-COUNT-6: memref.store
  // CHECK-NOT: memref.store
  gpu.func @nested_loops(%a: memref<8x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %m = memref.alloc() : !panel
    %t = gpu.thread_id x
    scf.for %i = %c0 to %c2 step %c1 {
      scf.for %j = %c0 to %c3 step %c1 {
        %row = arith.addi %i, %j : index
        %v = memref.load %a[%row, %t] : memref<8x64xf32>
        memref.store %v, %m[%row, %t] : !panel
      }
    }
    gpu.return
  }

  // Constants of turns stand last in sums and products, so that turns share what
  // precedes them.
  // CHECK-LABEL: @constants_last
  // CHECK: %[[PRODUCT:.*]] = arith.muli %{{.*}}, %c4
  // CHECK: %[[SUM:.*]] = arith.addi %[[PRODUCT]], %
  // CHECK: memref.load %{{.*}}[%[[SUM]]]
  // CHECK: %[[LATER:.*]] = arith.addi %[[SUM]], %c4
  // CHECK: memref.load %{{.*}}[%[[LATER]]]
  gpu.func @constants_last(%a: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %m = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    %t = gpu.thread_id x
    %y = gpu.thread_id y
    scf.for %i = %c0 to %c2 step %c1 {
      %it = arith.addi %i, %t : index
      %four = arith.muli %it, %c4 : index
      %at = arith.addi %four, %y : index
      %v = memref.load %a[%at] : memref<64xf32>
      memref.store %v, %m[%at] : memref<64xf32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }

  // 257 turns, or of a number that only the run knows.
  // CHECK-LABEL: @long_loops
  // CHECK-COUNT-2: scf.for
  gpu.func @long_loops(%a: memref<257x64xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c257 = arith.constant 257 : index
    %m = memref.alloc() : memref<257x64xf32, #gpu.address_space<workgroup>>
    %t = gpu.thread_id x
    scf.for %i = %c0 to %c257 step %c1 {
      %v = memref.load %a[%i, %t] : memref<257x64xf32>
      memref.store %v, %m[%i, %t] : memref<257x64xf32, #gpu.address_space<workgroup>>
    }
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %a[%i, %t] : memref<257x64xf32>
      memref.store %v, %m[%i, %t] : memref<257x64xf32, #gpu.address_space<workgroup>>
    }
    gpu.return
  }

  // What also waits, writes an argument, or has results does more than to copy;
  // branches would be as many as before.
  // CHECK-LABEL: @more_than_copies
  // CHECK: scf.for
  // CHECK: gpu.barrier
  // CHECK-COUNT-3: scf.for
  gpu.func @more_than_copies(%a: memref<8x64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %m = memref.alloc() : !panel
    %t = gpu.thread_id x
    scf.for %i = %c0 to %c2 step %c1 {
      %v = memref.load %a[%i, %t] : memref<8x64xf32>
      memref.store %v, %m[%i, %t] : !panel
      gpu.barrier
    }
    scf.for %i = %c0 to %c2 step %c1 {
      %v = memref.load %m[%i, %t] : !panel
      memref.store %v, %a[%i, %t] : memref<8x64xf32>
    }
    %zero = arith.constant 0.0 : f32
    %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %zero) -> f32 {
      %v = memref.load %a[%i, %t] : memref<8x64xf32>
      memref.store %v, %m[%i, %t] : !panel
      %u = arith.addf %s, %v : f32
      scf.yield %u : f32
    }
    memref.store %sum, %a[%c0, %t] : memref<8x64xf32>
    scf.for %i = %c0 to %c2 step %c1 {
      %inside = arith.cmpi slt, %i, %t : index
      scf.if %inside {
        %v = memref.load %a[%i, %t] : memref<8x64xf32>
        memref.store %v, %m[%i, %t] : !panel
      }
    }
    gpu.return
  }
}
