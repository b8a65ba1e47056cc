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

// Of extents that only a launch knows too, what a loop counts up to one is inside.
// CHECK-LABEL: func.func @dynamic
// CHECK: scf.for %
// CHECK-NOT: affine.min
// CHECK: vector.transfer_read {{.*}}in_bounds = [true, true]{{.*}} vector<6x1xf32>
// CHECK: vector.transfer_read {{.*}}in_bounds = [true, true]{{.*}} vector<1x16xf32>
// CHECK: vector.contract
func.func @dynamic(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
