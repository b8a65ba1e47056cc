// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_80 | FileCheck %s

// VX-265
gpu.module @kernels {
  // Keys that are 8 apart, of one row, are compared by one difference.
  // CHECK-LABEL: llvm.func @keys_of_a_row
  // CHECK-NOT: llvm.icmp {{.*}} : i64
  // CHECK: %[[FIRST:.*]] = llvm.mlir.constant(0 : i32)
  // CHECK: llvm.icmp "sle" %{{.*}}, %[[FIRST]] : i32
  // CHECK: %[[LAST:.*]] = llvm.mlir.constant(-8 : i32)
  // CHECK: llvm.icmp "sle" %{{.*}}, %[[LAST]] : i32
  // CHECK-NOT: llvm.icmp {{.*}} : i64
  gpu.func @keys_of_a_row(%m: memref<2x128xf32>, %x: f32, %y: f32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %lane = gpu.thread_id x
    %block = gpu.block_id x
    %first = arith.muli %block, %c32 : index
    %row = arith.addi %first, %lane : index
    %key = arith.addi %lane, %lane : index
    %next = arith.addi %key, %c8 : index
    %a = arith.cmpi ule, %key, %row : index
    %b = arith.cmpi ule, %next, %row : index
    %u = arith.select %a, %x, %y : f32
    %v = arith.select %b, %x, %y : f32
    memref.store %u, %m[%c0, %row] : memref<2x128xf32>
    memref.store %v, %m[%c1, %row] : memref<2x128xf32>
    gpu.return
  }

  // Of a grid that only a launch knows, a position may be 2^36.
  // CHECK-LABEL: llvm.func @unknown_grid
  // CHECK: llvm.icmp "ult" {{.*}} : i64
  gpu.func @unknown_grid(%m: memref<?xf32>, %x: f32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %lane = gpu.thread_id x
    %block = gpu.block_id x
    %first = arith.muli %block, %c32 : index
    %row = arith.addi %first, %lane : index
    %n = memref.dim %m, %c0 : memref<?xf32>
    %a = arith.cmpi ult, %row, %n : index
    scf.if %a {
      memref.store %x, %m[%row] : memref<?xf32>
    }
    gpu.return
  }

  // A difference may be negative, and is no sum.
  // CHECK-LABEL: llvm.func @differences
  // CHECK: llvm.icmp "slt" {{.*}} : i64
  gpu.func @differences(%m: memref<64xf32>, %x: f32) kernel
      attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c5 = arith.constant 5 : index
    %lane = gpu.thread_id x
    %row = arith.subi %lane, %c5 : index
    %a = arith.cmpi slt, %row, %lane : index
    scf.if %a {
      memref.store %x, %m[%lane] : memref<64xf32>
    }
    gpu.return
  }
}
