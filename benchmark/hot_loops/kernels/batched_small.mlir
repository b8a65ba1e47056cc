// A product of 4x4 matrices, 65536 times.
func.func @batched_small(%a: tensor<65536x4x4xf32>, %b: tensor<65536x4x4xf32>) -> tensor<65536x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<65536x4x4xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<65536x4x4xf32>) -> tensor<65536x4x4xf32>
  %d = linalg.batch_matmul ins(%a, %b : tensor<65536x4x4xf32>, tensor<65536x4x4xf32>) outs(%c : tensor<65536x4x4xf32>) -> tensor<65536x4x4xf32>
  return %d : tensor<65536x4x4xf32>
}
