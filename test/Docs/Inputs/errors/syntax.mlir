func.func @twice(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = arith.addf %x, %x : tensor<32xf32>
  return %y : tensor<64xf32>
}
