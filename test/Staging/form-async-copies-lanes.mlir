// RUN: distaff-opt %s '--pass-pipeline=builtin.module(gpu.module(gpu.func(distaff-form-async-copies{target=sm_80})))' | FileCheck %s

// PCF-172: what some lanes write alone, they alone read, asynchronously.

#wg = #gpu.address_space<workgroup>
#dims = affine_map<(d0, d1, d2) -> (d0, d2)>
gpu.module @kernels {
  // CHECK-LABEL: gpu.func @some_lanes
  // CHECK-NOT: vector.load
  // CHECK: scf.if %{{.*}} {
  // CHECK-NEXT: nvgpu.device_async_copy %{{.*}}, 8 {bypassL1}
  // CHECK: nvgpu.device_async_create_group
  // CHECK: nvgpu.device_async_wait
  // CHECK: gpu.barrier
  gpu.func @some_lanes(%a: memref<64x8xf16>, %some: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() {alignment = 16 : i64} : memref<64x8xf16, #wg>
    %v = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    scf.if %some {
      vector.store %v, %panel[%t, %c0] : memref<64x8xf16, #wg>, vector<8xf16>
    }
    gpu.barrier
    gpu.return
  }

  // What is written in between may be what is read.
  // CHECK-LABEL: gpu.func @source_is_written
  // CHECK: vector.load
  // CHECK: vector.store
  // CHECK: scf.if
  // CHECK-NOT: device_async_copy
  gpu.func @source_is_written(%a: memref<64x8xf16>, %some: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %zeros = arith.constant dense<0.0> : vector<8xf16>
    %panel = memref.alloc() {alignment = 16 : i64} : memref<64x8xf16, #wg>
    %v = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    vector.store %zeros, %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    scf.if %some {
      vector.store %v, %panel[%t, %c0] : memref<64x8xf16, #wg>, vector<8xf16>
    }
    gpu.barrier
    gpu.return
  }

  // A slot of a ring whose panel has an extent of 1: the vector's first dim is
  // the ring's.
  // CHECK-LABEL: gpu.func @slot_of_one_row
  // CHECK: nvgpu.device_async_copy %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}], 4 {bypassL1}
  gpu.func @slot_of_one_row(%a: memref<64x512xf32>, %slot: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %t = gpu.thread_id x
    %zero = arith.constant 0.0 : f32
    %panel = memref.alloc() {alignment = 16 : i64} : memref<2x1x512xf32, #wg>
    %at = arith.muli %t, %c4 : index
    %v = vector.transfer_read %a[%c0, %at], %zero {in_bounds = [true, true]} : memref<64x512xf32>, vector<1x4xf32>
    vector.transfer_write %v, %panel[%slot, %c0, %at] {in_bounds = [true, true], permutation_map = #dims} : vector<1x4xf32>, memref<2x1x512xf32, #wg>
    gpu.barrier
    gpu.return
  }
}
