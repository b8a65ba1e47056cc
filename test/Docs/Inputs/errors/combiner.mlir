func.func @differences(%x: tensor<16x64xf32>, %init: tensor<16xf32>) -> tensor<16xf32> {
  %r = linalg.reduce ins(%x : tensor<16x64xf32>) outs(%init : tensor<16xf32>) dimensions = [1]
    (%in: f32, %out: f32) {
      %d = arith.subf %out, %in : f32
      linalg.yield %d : f32
    }
  return %r : tensor<16xf32>
}
