// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_80 | FileCheck %s

// A sum that may overflow is computed as the same sum elsewhere, of which the source
// says that it does not; LLVM takes none of them for a promise (VX-279).
gpu.module @kernels {
  // CHECK-LABEL: llvm.func @sums
  // CHECK-NOT: overflow
  // CHECK-NOT: exact
  // CHECK: llvm.add {{.*}} : i32
  // CHECK: llvm.sdiv {{.*}} : i32
  // CHECK: llvm.lshr {{.*}} : i32
  // CHECK: llvm.return
  gpu.func @sums(%x: i32, %y: i32, %o: memref<i32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %s = arith.addi %x, %y overflow<nsw, nuw> : i32
    %q = arith.divsi %s, %y exact : i32
    %r = arith.shrui %q, %x exact : i32
    memref.store %r, %o[] : memref<i32>
    gpu.return
  }
}
