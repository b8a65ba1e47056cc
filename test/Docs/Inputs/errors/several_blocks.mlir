func.func @jump(%x: memref<64xf32>, %c: i1) {
  cf.cond_br %c, ^a, ^b
^a:
  cf.br ^b
^b:
  return
}
