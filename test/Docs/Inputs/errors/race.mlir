gpu.module @kernels {
  gpu.func @shift(%x: memref<64xf32>, %y: memref<64xf32>) kernel
      attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c63 = arith.constant 63 : index
    %tile = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    %i = gpu.thread_id x
    %v = memref.load %x[%i] : memref<64xf32>
    memref.store %v, %tile[%i] : memref<64xf32, #gpu.address_space<workgroup>>
    %n = arith.addi %i, %c1 : index
    %j = arith.minui %n, %c63 : index
    %w = memref.load %tile[%j] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %w, %y[%i] : memref<64xf32>
    gpu.return
  }
}
