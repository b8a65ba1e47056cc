// RUN: not distaff compile %s --target host:avx2 --emit obj -o %t.o 2>&1 | FileCheck %s
// CHECK: error: about 200000 words of registers hold vectors here, more than the 65536 that can be spilled to the stack: they exist as a whole, for an op that uses or makes them has no tiles; compute smaller vectors in a loop, or keep them in memory

// What LLVM does with all elements at once has no tiles.
func.func @compressed(%a: memref<200000xf32>, %b: memref<200000xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<200000xf32>, vector<200000xf32>
  %none = arith.constant dense<0.0> : vector<200000xf32>
  %mask = arith.cmpf ogt, %x, %none : vector<200000xf32>
  %r = llvm.call_intrinsic "llvm.experimental.vector.compress.v200000f32"(%x, %mask, %none) : (vector<200000xf32>, vector<200000xi1>, vector<200000xf32>) -> vector<200000xf32>
  vector.transfer_write %r, %b[%c0] {in_bounds = [true]} : vector<200000xf32>, memref<200000xf32>
  return
}
