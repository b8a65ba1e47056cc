// Where a candidate that costs less is not taken, the choice says what it has
// more of than the one that is.
// RUN: distaff explain %s --target sm_80 --pipeline run-cluster | FileCheck %s

// CHECK: tile sizes
// CHECK-SAME: tile 1x32x32x4, no MMA, subgroups 1x1x1x1, 4096 workgroups (cost [[#]]) over
// CHECK-SAME: tile 1x4x8x4, no MMA, subgroups 1x1x1x1, 4096 workgroups (cost [[#]], leaves lanes of every subgroup without work)
func.func @small_products(%a: tensor<4096x4x4xf32>, %b: tensor<4096x4x4xf32>)
    -> tensor<4096x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4096x4x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4096x4x4xf32>)
    -> tensor<4096x4x4xf32>
  %r = linalg.batch_matmul
    ins(%a, %b : tensor<4096x4x4xf32>, tensor<4096x4x4xf32>)
    outs(%init : tensor<4096x4x4xf32>) -> tensor<4096x4x4xf32>
  return %r : tensor<4096x4x4xf32>
}
