func.func @decode(%x: tensor<64xf4E2M1FN>) -> tensor<64xf32> {
  %y = arith.extf %x : tensor<64xf4E2M1FN> to tensor<64xf32>
  return %y : tensor<64xf32>
}
