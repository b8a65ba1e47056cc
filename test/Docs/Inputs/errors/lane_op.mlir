func.func @reverse(%x: memref<32xf32>, %y: memref<32xf32>) {
  %i = gpu.lane_id
  %v = memref.load %x[%i] : memref<32xf32>
  memref.store %v, %y[%i] : memref<32xf32>
  return
}
