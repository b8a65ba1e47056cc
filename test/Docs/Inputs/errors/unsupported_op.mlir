func.func @positions(%x: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f32
  %r = tensor.insert %v into %x[%c0] : tensor<64xf32>
  return %r : tensor<64xf32>
}
