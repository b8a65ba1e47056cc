// What rounds to whole numbers does so after conversion: halves go to the even
// neighbour, or away from zero. Lane i has i/2 - 4.
// RUN: distaff run %s --target sm_80 --stop-after=convert --input arg0=iota --output arg1=%t.npy
// RUN: %python -c "import struct, sys; data = struct.unpack('<64f', open(sys.argv[1], 'rb').read()[-4 * 64:]); assert data[:12] == (-4, -4, -3, -2, -2, -2, -1, 0, 0, 0, 1, 2) and data[32:44] == (-4, -4, -3, -3, -2, -2, -1, -1, 0, 1, 1, 2), data" %t.npy

gpu.module @m {
  gpu.func @rounded(%in: memref<32xf32>, %out: memref<2x32xf32>) kernel attributes {
      known_block_size = array<i32: 32, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = 32>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %half = arith.constant 0.5 : f32
    %four = arith.constant 4.0 : f32
    %i = gpu.thread_id x
    %v = memref.load %in[%i] : memref<32xf32>
    %h = arith.mulf %v, %half : f32
    %x = arith.subf %h, %four : f32
    %even = math.roundeven %x : f32
    %away = math.round %x : f32
    memref.store %even, %out[%c0, %i] : memref<2x32xf32>
    memref.store %away, %out[%c1, %i] : memref<2x32xf32>
    gpu.return
  }
}
