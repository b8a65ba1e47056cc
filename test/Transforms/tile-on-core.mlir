// RUN: distaff compile %s --target host:avx2 --stop-after=vectorize | FileCheck %s

// What two walks read is computed once, and is in memory between them.
// CHECK: scf.for
// CHECK: arith.maxnumf
// CHECK: scf.for
// CHECK: math.exp
// CHECK: vector.transfer_write
// CHECK-NOT: math.exp
// CHECK: arith.divf
func.func @softmax(%a: tensor<64x768xf32>) -> tensor<64x768xf32> {
  %e = tensor.empty() : tensor<64x768xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<64x768xf32>) outs(%e : tensor<64x768xf32>) -> tensor<64x768xf32>
  return %r : tensor<64x768xf32>
}
