func.func @copy(%x: memref<64xf32>, %y: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %zero {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %v, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}
