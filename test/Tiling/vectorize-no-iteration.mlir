// RUN: distaff-opt %s --distaff-vectorize | FileCheck %s

// An op without an iteration returns what it starts from, also where it sums up nothing.

// CHECK-LABEL: func.func @fill(
// CHECK-SAME: %{{.*}}: f32, %[[O:.*]]: tensor<0x4xf32>)
// CHECK-NEXT: return %[[O]]
func.func @fill(%s: f32, %o: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %r = linalg.fill ins(%s : f32) outs(%o : tensor<0x4xf32>) -> tensor<0x4xf32>
  return %r : tensor<0x4xf32>
}

// CHECK-LABEL: func.func @sum_of_nothing(
// CHECK-SAME: %{{.*}}: tensor<4x0xf32>, %[[O:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[O]]
func.func @sum_of_nothing(%x: tensor<4x0xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4x0xf32>) outs(%o : tensor<4xf32>) dimensions = [1]
  return %r : tensor<4xf32>
}
