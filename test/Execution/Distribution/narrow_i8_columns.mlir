// A product of bytes with fewer columns than an instruction has: what lanes exchange is bytes, not what they are extended to (VX-126).
// RUN: distaff run %s --target gfx950 --check --input=arg0=whole:0:-128:127 --input=arg1=whole:1:-128:127
// RUN: distaff run %s --target gfx942 --check --input=arg0=whole:0:-128:127 --input=arg1=whole:1:-128:127
func.func @narrow_i8_columns(%a: tensor<33x127xi8>, %b: tensor<127x7xi8>) -> tensor<33x7xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<33x7xi32>
  %c = linalg.fill ins(%zero : i32) outs(%e : tensor<33x7xi32>) -> tensor<33x7xi32>
  %d = linalg.matmul ins(%a, %b : tensor<33x127xi8>, tensor<127x7xi8>) outs(%c : tensor<33x7xi32>) -> tensor<33x7xi32>
  return %d : tensor<33x7xi32>
}
