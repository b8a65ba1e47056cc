func.func @mixed(%x: tensor<64xf32>, %y: memref<64xf32>) -> tensor<64xf32> {
  %r = arith.addf %x, %x : tensor<64xf32>
  return %r : tensor<64xf32>
}
