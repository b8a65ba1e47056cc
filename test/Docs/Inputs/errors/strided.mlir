func.func @strided(%x: memref<8x64xf32, strided<[128, 1]>>) {
  return
}
