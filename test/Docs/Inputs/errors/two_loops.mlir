func.func @two(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true]} : memref<8x64xf32>, vector<64xf32>
    vector.transfer_write %v, %y[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<8x64xf32>
  } {mapping = [#gpu.block<x>]}
  scf.forall (%i) in (8) {
    %v = vector.transfer_read %y[%i, %c0], %zero {in_bounds = [true]} : memref<8x64xf32>, vector<64xf32>
    vector.transfer_write %v, %x[%i, %c0] {in_bounds = [true]} : vector<64xf32>, memref<8x64xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
