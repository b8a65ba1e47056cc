// RUN: distaff explain %s --target host:avx512 | FileCheck %s
// RUN: distaff explain %s --target host:avx512 --config native_vector=2x4x16 | FileCheck %s --check-prefix=ASKED
// RUN: distaff explain %s --target host:avx512 --config native_vector=2x4x99 2>&1 | FileCheck %s --check-prefix=LARGER
// RUN: distaff explain %s --target sm_80 | FileCheck %s --check-prefix=LANES

// What is computed at a time of vectors that no registers hold (VX-127, VX-128).
// CHECK: native vector (line [[# @LINE + 12]]): 1x1x64 (cost 4) over 16x32x64 (more straight code)
// ASKED: native vector (line [[# @LINE + 11]]): 2x4x16 (as asked) over 16x32x64 (more straight code)
// LARGER: has the native_vector 2x4x99, which is larger than each of its vectors, the largest of 16x32x64; sizes stop there
// LARGER: native vector (line [[# @LINE + 9]]): 2x4x64 (cost 32) over 16x32x64
// LANES: vector registers/lane <= 12
// LANES: native vector (line [[# @LINE + 7]]): 2x32x64 (cost 4) over 16x32x64 (more straight code)
func.func @add(%a: memref<16x32x64xf32>, %b: memref<16x32x64xf32>, %o: memref<16x32x64xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0, %c0], %z {in_bounds = [true, true, true]} : memref<16x32x64xf32>, vector<16x32x64xf32>
  %y = vector.transfer_read %b[%c0, %c0, %c0], %z {in_bounds = [true, true, true]} : memref<16x32x64xf32>, vector<16x32x64xf32>
  %s = arith.addf %x, %y : vector<16x32x64xf32>
  vector.transfer_write %s, %o[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<16x32x64xf32>, memref<16x32x64xf32>
  return
}
