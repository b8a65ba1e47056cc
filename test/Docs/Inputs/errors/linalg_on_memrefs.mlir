func.func @exp(%x: memref<64xf32>, %y: memref<64xf32>) {
  linalg.exp ins(%x : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}
