// RUN: distaff-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-form-async-copies{target=sm_80})))' | FileCheck %s
// RUN: distaff-opt %s --split-input-file --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-form-async-copies{target=gfx942})))' | FileCheck %s --check-prefix=NONE
// Amongst AMD's there is no such copy.
// NONE-NOT: device_async

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @panel
  // CHECK: nvgpu.device_async_copy %arg0[%{{.*}}, %{{.*}}], %[[PANEL:.*]][%{{.*}}, %{{.*}}], 8 {bypassL1} : memref<64x64xf16> to
  // CHECK-NEXT: %[[GROUP:.*]] = nvgpu.device_async_create_group {all_started}
  // CHECK-NEXT: nvgpu.device_async_wait %[[GROUP]] {numGroups = 0 : i32}
  // CHECK-NEXT: gpu.barrier
  // CHECK-NEXT: memref.load %[[PANEL]]
  gpu.func @panel(%a: memref<64x64xf16>, %o: memref<64xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f16
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x64xf16, #gpu.address_space<workgroup>>
    %v = vector.transfer_read %a[%t, %c0], %zero {in_bounds = [true]} : memref<64x64xf16>, vector<8xf16>
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true]} : vector<8xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    %x = memref.load %panel[%c0, %t] : memref<64x64xf16, #gpu.address_space<workgroup>>
    memref.store %x, %o[%t] : memref<64xf16>
    gpu.return
  }
}

// -----

// Rows whose length is known when the kernel runs; of floats of 32 bits, single ones
// may be copied whatever it is.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @rows_of_unknown_length
  // CHECK: %[[LENGTH:.*]] = memref.dim %arg0, %{{.*}} : memref<?x?xf16>
  // CHECK: %[[REST:.*]] = arith.remui %[[LENGTH]], %[[EIGHT:.*]] : index
  // CHECK: %[[IS_EIGHT:.*]] = arith.cmpi eq, %[[REST]]
  // CHECK: memref.dim %arg1
  // CHECK: %[[IS_FOUR:.*]] = arith.cmpi eq
  // CHECK: scf.if %[[IS_EIGHT]] {
  // CHECK-COUNT-2: nvgpu.device_async_copy %arg0{{.*}}, 8 {bypassL1}
  // CHECK-NEXT: } else {
  // CHECK-NEXT: %[[V:.*]] = vector.load %arg0
  // CHECK-NEXT: vector.store %[[V]]
  // CHECK-NEXT: }
  // CHECK: scf.if %[[IS_FOUR]] {
  // CHECK: nvgpu.device_async_copy %arg1{{.*}}, 4 {bypassL1}
  // CHECK-NEXT: } else {
  // CHECK-COUNT-4: nvgpu.device_async_copy %arg1{{.*}}, 1 :
  // CHECK-NEXT: }
  // CHECK-NEXT: nvgpu.device_async_create_group
  // CHECK-NEXT: nvgpu.device_async_wait
  // CHECK-NEXT: iree_gpu.fence release workgroup
  // CHECK-NEXT: iree_gpu.global_subgroup_barrier
  gpu.func @rows_of_unknown_length(%a: memref<?x?xf16>, %b: memref<?x?xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %t = gpu.thread_id x
    %at = arith.muli %t, %c16 : index
    %left = memref.alloc() : memref<64x16xf16, #gpu.address_space<workgroup>>
    %right = memref.alloc() : memref<64x4xf32, #gpu.address_space<workgroup>>
    %v = vector.load %a[%t, %at] : memref<?x?xf16>, vector<16xf16>
    vector.store %v, %left[%t, %c0] : memref<64x16xf16, #gpu.address_space<workgroup>>, vector<16xf16>
    %w = vector.load %b[%t, %at] : memref<?x?xf32>, vector<4xf32>
    vector.store %w, %right[%t, %c0] : memref<64x4xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    iree_gpu.fence release workgroup
    iree_gpu.global_subgroup_barrier
    iree_gpu.fence acquire workgroup
    gpu.return
  }
}

// -----

// Inner dims of known extent divide an outer dim's stride, though it is dynamic:
// panels of ? x 8 elements begin at multiples of 16 bytes.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @panels_of_unknown_height
  // CHECK-NOT: memref.dim
  // CHECK: nvgpu.device_async_copy %arg0[%arg1, %{{.*}}, %{{.*}}], %{{.*}}, 8 {bypassL1} : memref<?x?x8xf16>
  gpu.func @panels_of_unknown_height(%a: memref<?x?x8xf16>, %i: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %v = vector.load %a[%i, %t, %c0] : memref<?x?x8xf16>, vector<8xf16>
    vector.store %v, %panel[%t, %c0] : memref<64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    gpu.return
  }
}

// -----

// Rows of 40 bytes begin at multiples of 8, those of 36 at multiples of 4.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @narrow_rows
  // CHECK-COUNT-2: nvgpu.device_async_copy %arg0[%{{.*}}], %{{.*}}, 4 : memref<64x20xf16>
  // CHECK-COUNT-4: nvgpu.device_async_copy %arg1[%{{.*}}], %{{.*}}, 2 : memref<64x18xf16>
  gpu.func @narrow_rows(%a: memref<64x20xf16>, %b: memref<64x18xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = gpu.thread_id x
    %panels = memref.alloc() : memref<2x64x8xf16, #gpu.address_space<workgroup>>
    %v = vector.load %a[%t, %c0] : memref<64x20xf16>, vector<8xf16>
    vector.store %v, %panels[%c0, %t, %c0] : memref<2x64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %w = vector.load %b[%t, %c0] : memref<64x18xf16>, vector<8xf16>
    vector.store %w, %panels[%c1, %t, %c0] : memref<2x64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    gpu.return
  }
}

// -----

// The op promises what nothing proves. What `lower` has made stays.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @promised
  // CHECK: nvgpu.device_async_copy %arg0[%{{.*}}], %{{.*}}, 8 {bypassL1} : memref<?xf16>
  // CHECK-NOT: device_async_copy
  gpu.func @promised(%a: memref<?xf16>, %i: index, %j: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %panel = memref.alloc() : memref<512xf16, #gpu.address_space<workgroup>>
    %v = vector.load %a[%i] {alignment = 16} : memref<?xf16>, vector<8xf16>
    vector.store %v, %panel[%c0] : memref<512xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    %w = vector.load %a[%i] {alignment = 16} : memref<?xf16>, vector<8xf16>
    vector.store %w, %panel[%j] {alignment = 16} : memref<512xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    gpu.return
  }
}

// -----

// Of a row behind the edge nothing is read, of one across it what there is.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @edges
  // CHECK: %[[FEW:.*]] = arith.minsi %{{.*}}, %{{.*}} : index
  // CHECK: %[[IS_ROW:.*]] = arith.cmpi sgt, %arg1, %{{.*}} : index
  // CHECK: %[[READ:.*]] = arith.select %[[IS_ROW]], %[[FEW]], %{{.*}} : index
  // CHECK: nvgpu.device_async_copy %arg0[%{{.*}}], %{{.*}}, 8, %[[READ]] {bypassL1}
  // CHECK: nvgpu.device_async_copy %arg0[%{{.*}}], %{{.*}}, 8, %{{.*}} {bypassL1}
  // CHECK-NOT: device_async_copy
  gpu.func @edges(%a: memref<?x64xf16>, %rows: index, %columns: index) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0.0 : f16
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %part = memref.subview %a[%t, %c8] [%rows, %columns] [1, 1] : memref<?x64xf16> to memref<?x?xf16, strided<[64, 1], offset: ?>>
    %v = vector.transfer_read %part[%c0, %c0], %zero : memref<?x?xf16, strided<[64, 1], offset: ?>>, vector<2x8xf16>
    vector.transfer_write %v, %panel[%t, %c0] {in_bounds = [true, true]} : vector<2x8xf16>, memref<64x8xf16, #gpu.address_space<workgroup>>
    gpu.barrier
    gpu.return
  }
}

// -----

// One branch around the loop of a copy, one group of all of it.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @chunks
  // CHECK: scf.if %{{.*}} {
  // CHECK-NEXT: scf.for
  // CHECK: nvgpu.device_async_copy
  // CHECK: } else {
  // CHECK-NEXT: scf.for
  // CHECK: vector.load
  // CHECK-NEXT: vector.store
  // CHECK-NEXT: }
  // CHECK-NEXT: }
  // CHECK-NEXT: nvgpu.device_async_create_group
  // CHECK-NEXT: nvgpu.device_async_wait
  // CHECK-NEXT: gpu.barrier
  gpu.func @chunks(%a: memref<?x?xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<256x8xf16, #gpu.address_space<workgroup>>
    scf.for %i = %c0 to %c4 step %c1 {
      %first = arith.muli %i, %c64 : index
      %row = arith.addi %first, %t : index
      %v = vector.load %a[%row, %c0] : memref<?x?xf16>, vector<8xf16>
      vector.store %v, %panel[%row, %c0] : memref<256x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    }
    gpu.barrier
    gpu.return
  }

  // Each iteration writes what the one before did, so they come one after the other.
  // CHECK-LABEL: gpu.func @same_place
  // CHECK: scf.for
  // CHECK: nvgpu.device_async_copy
  // CHECK-NEXT: nvgpu.device_async_create_group
  // CHECK-NEXT: nvgpu.device_async_wait %{{.*}} {numGroups = 0 : i32}
  // CHECK-NEXT: }
  // CHECK-NEXT: gpu.barrier
  gpu.func @same_place(%a: memref<256x8xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<256x8xf16, #gpu.address_space<workgroup>>
    scf.for %i = %c0 to %c4 step %c1 {
      %v = vector.load %a[%i, %c0] : memref<256x8xf16>, vector<8xf16>
      vector.store %v, %panel[%t, %c0] : memref<256x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    }
    gpu.barrier
    gpu.return
  }
}

// -----

// A ring of three slots: panel n + 2 is on its way while n is read.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @ring
  // CHECK: scf.for
  // CHECK: scf.if
  // CHECK: nvgpu.device_async_copy
  // CHECK: %[[GROUP:.*]] = nvgpu.device_async_create_group
  // CHECK-NEXT: vector.load
  // CHECK: nvgpu.device_async_wait %[[GROUP]] {numGroups = 1 : i32}
  // CHECK-NEXT: gpu.barrier
  gpu.func @ring(%a: memref<64x512xf16>, %n: index) -> vector<8xf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : vector<8xf16>
    %t = gpu.thread_id x
    %ring = memref.alloc() : memref<3x64x8xf16, #gpu.address_space<workgroup>>
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (vector<8xf16>) {
      %slot = arith.remui %k, %c3 : index
      %far = arith.addi %k, %c2 : index
      %next = arith.remui %far, %c3 : index
      %column = arith.muli %far, %c8 : index
      %more = arith.cmpi slt, %far, %n : index
      scf.if %more {
        %v = vector.load %a[%t, %column] : memref<64x512xf16>, vector<8xf16>
        vector.store %v, %ring[%next, %t, %c0] : memref<3x64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      }
      %x = vector.load %ring[%slot, %c0, %c0] : memref<3x64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      %y = arith.addf %s, %x : vector<8xf16>
      gpu.barrier
      scf.yield %y : vector<8xf16>
    }
    gpu.return %sum : vector<8xf16>
  }

  // That this iteration comes says nothing of the one that waits.
  // CHECK-LABEL: gpu.func @checks_this_iteration
  // CHECK: nvgpu.device_async_wait %{{.*}} {numGroups = 0 : i32}
  // CHECK-NEXT: gpu.barrier
  gpu.func @checks_this_iteration(%a: memref<64x512xf16>, %n: index) -> vector<8xf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : vector<8xf16>
    %t = gpu.thread_id x
    %ring = memref.alloc() : memref<3x64x8xf16, #gpu.address_space<workgroup>>
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (vector<8xf16>) {
      %slot = arith.remui %k, %c3 : index
      %far = arith.addi %k, %c2 : index
      %next = arith.remui %far, %c3 : index
      %column = arith.muli %far, %c8 : index
      %more = arith.cmpi slt, %k, %n : index
      scf.if %more {
        %v = vector.load %a[%t, %column] : memref<64x512xf16>, vector<8xf16>
        vector.store %v, %ring[%next, %t, %c0] : memref<3x64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      }
      %x = vector.load %ring[%slot, %c0, %c0] : memref<3x64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      %y = arith.addf %s, %x : vector<8xf16>
      gpu.barrier
      scf.yield %y : vector<8xf16>
    }
    gpu.return %sum : vector<8xf16>
  }

  // Nothing says that what is copied last is of an iteration that comes.
  // CHECK-LABEL: gpu.func @no_check_that_there_is_more
  // CHECK: nvgpu.device_async_wait %{{.*}} {numGroups = 0 : i32}
  // CHECK-NEXT: gpu.barrier
  gpu.func @no_check_that_there_is_more(%a: memref<64x512xf16>, %n: index) -> vector<8xf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : vector<8xf16>
    %t = gpu.thread_id x
    %ring = memref.alloc() : memref<3x64x8xf16, #gpu.address_space<workgroup>>
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (vector<8xf16>) {
      %slot = arith.remui %k, %c3 : index
      %far = arith.addi %k, %c2 : index
      %next = arith.remui %far, %c3 : index
      %column = arith.muli %far, %c8 : index
      %v = vector.load %a[%t, %column] : memref<64x512xf16>, vector<8xf16>
      vector.store %v, %ring[%next, %t, %c0] : memref<3x64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      %x = vector.load %ring[%slot, %c0, %c0] : memref<3x64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      %y = arith.addf %s, %x : vector<8xf16>
      gpu.barrier
      scf.yield %y : vector<8xf16>
    }
    gpu.return %sum : vector<8xf16>
  }

  // Slots that lanes choose for themselves may be any.
  // CHECK-LABEL: gpu.func @slot_of_a_lane
  // CHECK: nvgpu.device_async_wait %{{.*}} {numGroups = 0 : i32}
  // CHECK-NEXT: gpu.barrier
  gpu.func @slot_of_a_lane(%a: memref<64x512xf16>, %n: index) -> vector<8xf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : vector<8xf16>
    %t = gpu.thread_id x
    %ring = memref.alloc() : memref<3x64x8xf16, #gpu.address_space<workgroup>>
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (vector<8xf16>) {
      %of = arith.addi %k, %t : index
      %slot = arith.remui %of, %c3 : index
      %far = arith.addi %k, %c2 : index
      %its = arith.addi %far, %t : index
      %next = arith.remui %its, %c3 : index
      %column = arith.muli %far, %c8 : index
      %more = arith.cmpi slt, %far, %n : index
      scf.if %more {
        %v = vector.load %a[%t, %column] : memref<64x512xf16>, vector<8xf16>
        vector.store %v, %ring[%next, %t, %c0] : memref<3x64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      }
      %x = vector.load %ring[%slot, %t, %c0] : memref<3x64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      %y = arith.addf %s, %x : vector<8xf16>
      gpu.barrier
      scf.yield %y : vector<8xf16>
    }
    gpu.return %sum : vector<8xf16>
  }
}

// -----

// Two barriers an iteration: what was copied is read behind the second one, so it
// may be on its way across the first.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @second_barrier
  // CHECK: nvgpu.device_async_create_group
  // CHECK: gpu.barrier
  // CHECK-NOT: gpu.barrier
  // CHECK: nvgpu.device_async_wait %{{.*}} {numGroups = 0 : i32}
  // CHECK-NEXT: iree_gpu.fence release workgroup
  // CHECK-NEXT: iree_gpu.global_subgroup_barrier
  gpu.func @second_barrier(%a: memref<64x512xf16>, %n: index) -> vector<8xf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0.0> : vector<8xf16>
    %t = gpu.thread_id x
    %ring = memref.alloc() : memref<2x64x8xf16, #gpu.address_space<workgroup>>
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (vector<8xf16>) {
      %slot = arith.remui %k, %c2 : index
      %far = arith.addi %k, %c1 : index
      %next = arith.remui %far, %c2 : index
      %column = arith.muli %far, %c8 : index
      %v = vector.load %a[%t, %column] : memref<64x512xf16>, vector<8xf16>
      vector.store %v, %ring[%next, %t, %c0] : memref<2x64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      %x = vector.load %ring[%slot, %c0, %c0] : memref<2x64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
      gpu.barrier
      %y = arith.addf %s, %x : vector<8xf16>
      iree_gpu.fence release workgroup
      iree_gpu.global_subgroup_barrier
      iree_gpu.fence acquire workgroup
      scf.yield %y : vector<8xf16>
    }
    gpu.return %sum : vector<8xf16>
  }

  // The barrier is the next iteration's first op, so a lane waits at the end of its
  // own.
  // CHECK-LABEL: gpu.func @barrier_first
  // CHECK: gpu.barrier
  // CHECK: nvgpu.device_async_copy
  // CHECK: nvgpu.device_async_wait %{{.*}} {numGroups = 0 : i32}
  // CHECK-NEXT: }
  gpu.func @barrier_first(%a: memref<64x512xf16>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    scf.for %k = %c0 to %n step %c1 {
      gpu.barrier
      %column = arith.muli %k, %c8 : index
      %v = vector.load %a[%t, %column] : memref<64x512xf16>, vector<8xf16>
      vector.store %v, %panel[%t, %c0] : memref<64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    }
    gpu.return
  }

  // A lane reads its own before any barrier.
  // CHECK-LABEL: gpu.func @own_use
  // CHECK: nvgpu.device_async_wait %{{.*}} {numGroups = 0 : i32}
  // CHECK-NEXT: vector.load
  gpu.func @own_use(%a: memref<64x8xf16>) -> vector<8xf16> {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %v = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    vector.store %v, %panel[%t, %c0] : memref<64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %x = vector.load %panel[%t, %c0] : memref<64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    gpu.return %x : vector<8xf16>
  }

  // Nobody else's array is the source: arguments are memories of their own.
  // CHECK-LABEL: gpu.func @another_argument
  // CHECK: nvgpu.device_async_create_group
  // CHECK-NEXT: memref.store
  // CHECK-NEXT: nvgpu.device_async_wait
  // CHECK-NEXT: memref.store %{{.*}}, %arg0
  // CHECK-NEXT: gpu.barrier
  gpu.func @another_argument(%a: memref<64x8xf16>, %o: memref<64xf16>, %x: f16) {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %v = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    vector.store %v, %panel[%t, %c0] : memref<64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    memref.store %x, %o[%t] : memref<64xf16>
    memref.store %x, %a[%t, %c0] : memref<64x8xf16>
    gpu.barrier
    gpu.return
  }

  // One panel is needed before the other: the younger group stays in flight.
  // CHECK-LABEL: gpu.func @younger_group
  // CHECK: %[[FIRST:.*]] = nvgpu.device_async_create_group
  // CHECK: %[[SECOND:.*]] = nvgpu.device_async_create_group
  // CHECK: nvgpu.device_async_wait %[[FIRST]] {numGroups = 1 : i32}
  // CHECK-NEXT: vector.load
  // CHECK-NEXT: nvgpu.device_async_wait %[[SECOND]] {numGroups = 0 : i32}
  // CHECK-NEXT: gpu.barrier
  gpu.func @younger_group(%a: memref<64x8xf16>) -> vector<8xf16> {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %first = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %second = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %v = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    vector.store %v, %first[%t, %c0] : memref<64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %w = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    vector.store %w, %second[%t, %c0] : memref<64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %x = vector.load %first[%t, %c0] : memref<64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    gpu.return %x : vector<8xf16>
  }
}

// -----

// A swizzle flips bits of the lane's place: 8 further on, or 8 back.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @flipped
  // CHECK: nvgpu.device_async_copy
  // CHECK-NOT: nvgpu.device_async_wait
  // CHECK-COUNT-2: nvgpu.device_async_copy
  // CHECK: nvgpu.device_async_create_group
  // CHECK-NEXT: nvgpu.device_async_wait
  // CHECK-NEXT: gpu.barrier
  gpu.func @flipped(%a: memref<64x64xf16>, %o: memref<64xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %c24 = arith.constant 24 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f16
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<4096xf16, #gpu.address_space<workgroup>>
    %at = arith.muli %t, %c64 : index
    %flip = arith.andi %at, %c24 : index
    %there = arith.xori %at, %flip : index
    %further = arith.xori %there, %c8 : index
    %both = arith.xori %there, %c24 : index
    %u = vector.transfer_read %a[%t, %c0], %zero {in_bounds = [true]} : memref<64x64xf16>, vector<8xf16>
    vector.store %u, %panel[%there] {alignment = 16 : i64} : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %v = vector.transfer_read %a[%t, %c8], %zero {in_bounds = [true]} : memref<64x64xf16>, vector<8xf16>
    vector.store %v, %panel[%further] {alignment = 16 : i64} : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %w = vector.transfer_read %a[%t, %c16], %zero {in_bounds = [true]} : memref<64x64xf16>, vector<8xf16>
    vector.store %w, %panel[%both] {alignment = 16 : i64} : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    %x = memref.load %panel[%t] : memref<4096xf16, #gpu.address_space<workgroup>>
    memref.store %x, %o[%t] : memref<64xf16>
    gpu.return
  }
}

// -----

// A remainder and the same one plus 32 are a constant apart: neither copy waits for
// the other.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @halves_of_a_row
  // CHECK: nvgpu.device_async_copy
  // CHECK-NOT: nvgpu.device_async_wait
  // CHECK: nvgpu.device_async_copy
  // CHECK: nvgpu.device_async_create_group
  // CHECK-NEXT: nvgpu.device_async_wait
  // CHECK-NEXT: gpu.barrier
  gpu.func @halves_of_a_row(%a: memref<64x64xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x64xf16, #gpu.address_space<workgroup>>
    %part = arith.remui %t, %c4 : index
    %left = arith.muli %part, %c8 : index
    %right = arith.addi %left, %c32 : index
    %v = vector.load %a[%t, %c0] : memref<64x64xf16>, vector<8xf16>
    vector.store %v, %panel[%t, %left] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %w = vector.load %a[%t, %c8] : memref<64x64xf16>, vector<8xf16>
    vector.store %w, %panel[%t, %right] : memref<64x64xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    gpu.return
  }
}

// -----

// 8 further on or at the same place, as a bit is: one waits for the other.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @flipped_or_not
  // CHECK: nvgpu.device_async_copy
  // CHECK: nvgpu.device_async_wait
  // CHECK: nvgpu.device_async_copy
  // CHECK: nvgpu.device_async_wait
  // CHECK-NEXT: gpu.barrier
  gpu.func @flipped_or_not(%a: memref<64x64xf16>, %o: memref<64xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant 0.0 : f16
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<4096xf16, #gpu.address_space<workgroup>>
    %row = arith.muli %t, %c64 : index
    %low = arith.andi %t, %c4 : index
    %there = arith.addi %row, %low : index
    %flipped = arith.xori %there, %c4 : index
    %further = arith.addi %flipped, %c4 : index
    %u = vector.transfer_read %a[%t, %c0], %zero {in_bounds = [true]} : memref<64x64xf16>, vector<8xf16>
    vector.store %u, %panel[%there] {alignment = 8 : i64} : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    %v = vector.transfer_read %a[%t, %c8], %zero {in_bounds = [true]} : memref<64x64xf16>, vector<8xf16>
    vector.store %v, %panel[%further] {alignment = 8 : i64} : memref<4096xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    %x = memref.load %panel[%t] : memref<4096xf16, #gpu.address_space<workgroup>>
    memref.store %x, %o[%t] : memref<64xf16>
    gpu.return
  }
}
