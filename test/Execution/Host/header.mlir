// RUN: distaff compile %s --target host --emit header | FileCheck %s

// What a kernel writes is not const, and each array's shape and each formula is
// said.
// CHECK: scale: compiled for host
// CHECK: arg0: f16{{\[}}arg0_dim0][8]
// CHECK: arg1: f32
// CHECK: arg2: f16[4]
// CHECK: int scale(const uint16_t *arg0,
// CHECK-NEXT: uint16_t *arg2,
// CHECK-NEXT: float arg1,
// CHECK-NEXT: int64_t arg0_dim0,
// CHECK-NEXT: distaff_parallel_for parallel_for);
func.func @scale(%a: memref<?x8xf16>, %s: f32, %r: memref<4xf16>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0, %c0] : memref<?x8xf16>, vector<4xf16>
  %h = arith.truncf %s : f32 to f16
  %b = vector.broadcast %h : f16 to vector<4xf16>
  %p = arith.mulf %v, %b : vector<4xf16>
  vector.store %p, %r[%c0] : memref<4xf16>, vector<4xf16>
  return
}
