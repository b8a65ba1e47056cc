// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-form-async-copies{target=sm_80})))' | FileCheck %s

// A ring of three slots: some lanes fill it, others read it two iterations later.
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @producers
  // CHECK: nvgpu.device_async_wait %{{.*}} {numGroups = 1 : i32}
  // CHECK-NEXT: gpu.barrier
  gpu.func @producers(%a: memref<64x512xf16>, %out: memref<128x8xf16>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : vector<8xf16>
    %t = gpu.thread_id x
    %ring = memref.alloc() : memref<3x128x8xf16, #gpu.address_space<workgroup>>
    %case = arith.divui %t, %c64 : index
    scf.index_switch %case
    case 0 {
      scf.for %k = %c0 to %n step %c1 {
        %far = arith.addi %k, %c2 : index
        %next = arith.remui %far, %c3 : index
        %column = arith.muli %far, %c8 : index
        %more = arith.cmpi slt, %far, %n : index
        scf.if %more {
          %v = vector.load %a[%t, %column] : memref<64x512xf16>, vector<8xf16>
          vector.store %v, %ring[%next, %t, %c0] : memref<3x128x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
        }
        gpu.barrier
      }
      scf.yield
    }
    default {
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (vector<8xf16>) {
        %slot = arith.remui %k, %c3 : index
        %x = vector.load %ring[%slot, %c0, %c0] : memref<3x128x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
        %y = arith.addf %s, %x : vector<8xf16>
        gpu.barrier
        scf.yield %y : vector<8xf16>
      }
      vector.store %sum, %out[%t, %c0] : memref<128x8xf16>, vector<8xf16>
      scf.yield
    }
    gpu.return
  }

  // A lane that copies also reads a row of the slot before the next barrier. Rows of
  // different lanes are not compared, so nothing stays on its way across a barrier.
  // CHECK-LABEL: gpu.func @producers_read
  // CHECK: nvgpu.device_async_wait %{{.*}} {numGroups = 0 : i32}
  // CHECK-NEXT: gpu.barrier
  gpu.func @producers_read(%a: memref<64x512xf16>, %out: memref<128x8xf16>, %n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %c64 = arith.constant 64 : index
    %zero = arith.constant dense<0.0> : vector<8xf16>
    %t = gpu.thread_id x
    %ring = memref.alloc() : memref<3x128x8xf16, #gpu.address_space<workgroup>>
    %case = arith.divui %t, %c64 : index
    %row = arith.addi %t, %c64 : index
    scf.index_switch %case
    case 0 {
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (vector<8xf16>) {
        %far = arith.addi %k, %c2 : index
        %next = arith.remui %far, %c3 : index
        %column = arith.muli %far, %c8 : index
        %more = arith.cmpi slt, %far, %n : index
        scf.if %more {
          %v = vector.load %a[%t, %column] : memref<64x512xf16>, vector<8xf16>
          vector.store %v, %ring[%next, %t, %c0] : memref<3x128x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
        }
        %x = vector.load %ring[%next, %row, %c0] : memref<3x128x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
        %y = arith.addf %s, %x : vector<8xf16>
        gpu.barrier
        scf.yield %y : vector<8xf16>
      }
      vector.store %sum, %out[%t, %c0] : memref<128x8xf16>, vector<8xf16>
      scf.yield
    }
    default {
      %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (vector<8xf16>) {
        %slot = arith.remui %k, %c3 : index
        %x = vector.load %ring[%slot, %c0, %c0] : memref<3x128x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
        %y = arith.addf %s, %x : vector<8xf16>
        gpu.barrier
        scf.yield %y : vector<8xf16>
      }
      vector.store %sum, %out[%t, %c0] : memref<128x8xf16>, vector<8xf16>
      scf.yield
    }
    gpu.return
  }
}
