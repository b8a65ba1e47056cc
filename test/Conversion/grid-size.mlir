// RUN: distaff-opt %s --distaff-convert-gpu-to-rocdl=target=gfx942 | FileCheck %s

gpu.module @kernels {
  // What the kernel knows of its grid is a number.
  // CHECK-LABEL: llvm.func @known
  // CHECK-DAG: llvm.mlir.constant(5 : index)
  // CHECK-DAG: llvm.mlir.constant(7 : index)
  // CHECK-NOT: ockl
  // CHECK: llvm.return
  gpu.func @known(%o: memref<2xindex>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 5, 7, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x = gpu.grid_dim x
    %y = gpu.grid_dim y
    memref.store %x, %o[%c0] : memref<2xindex>
    memref.store %y, %o[%c1] : memref<2xindex>
    gpu.return
  }
}
