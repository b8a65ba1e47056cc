// RUN: not distaff-opt %s --distaff-convert-to-host=target=sm_80 2>&1 | FileCheck %s
// RUN: not distaff-opt %s --distaff-convert-to-host=target=host:avx2 2>&1 | FileCheck %s --check-prefix=SIZE
// CHECK: error: needs a CPU as its target, got 'sm_80'
// SIZE: error: 'memref.alloca' op has a size that only a launch knows; a CPU's workgroup has memory on the stack
func.func @k(%a: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  %m = memref.alloca(%n) : memref<?xf32>
  %x = memref.load %a[%c0] : memref<?xf32>
  memref.store %x, %m[%c0] : memref<?xf32>
  return
}
