func.func @chain(%a: tensor<64x48xf32>, %b: tensor<48x96xf32>, %c: tensor<96x64xf32>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x96xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<64x96xf32>) -> tensor<64x96xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x48xf32>, tensor<48x96xf32>) outs(%f0 : tensor<64x96xf32>) -> tensor<64x96xf32>
  %e1 = tensor.empty() : tensor<64x64xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %q = linalg.matmul ins(%p, %c : tensor<64x96xf32>, tensor<96x64xf32>) outs(%f1 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %q : tensor<64x64xf32>
}
