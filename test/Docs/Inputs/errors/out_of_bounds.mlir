gpu.module @kernels {
  gpu.func @next(%x: memref<64xf32>, %y: memref<64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c1 = arith.constant 1 : index
    %i = gpu.thread_id x
    %n = arith.addi %i, %c1 : index
    %v = memref.load %x[%n] : memref<64xf32>
    memref.store %v, %y[%i] : memref<64xf32>
    gpu.return
  }
}
