// RUN: not distaff-opt %s --distaff-convert-to-host=target=sm_80 2>&1 | FileCheck %s
// RUN: not distaff-opt %s --distaff-convert-to-host=target=host:avx2 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: sed "s/alloca(%n) : memref<?xf32>/alloca() : memref<600000xf32>/; s/%m\[%c0\] : memref<?xf32>/%m[%c0] : memref<600000xf32>/" %s > %t.mlir
// RUN: not distaff-opt %t.mlir --distaff-convert-to-host=target=host:avx2 2>&1 | FileCheck %s --check-prefix=LARGE
// CHECK: error: needs a CPU as its target, got 'sm_80'
// SIZE: error: 'memref.alloca' op has a size that only a launch knows; a CPU's workgroup has memory on the stack
// LARGE: error: 'memref.alloca' op of 'memref<600000xf32>' is more than a workgroup of a CPU has: 1920 KiB of stack for all that it allocates
func.func @k(%a: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %m = memref.alloca(%n) : memref<?xf32>
  %x = memref.load %a[%c0] : memref<?xf32>
  memref.store %x, %m[%c0] : memref<?xf32>
  return
}
