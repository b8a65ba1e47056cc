// RUN: distaff compile %s --target sm_80 --stop-after=convert -o %t.mlir
// RUN: distaff run %t.mlir --target sm_80 --input=arg0=iota --input=arg2=1 --output arg0=%t.npy
// RUN: %python -c "import struct, sys; found = struct.unpack('<320f', open(sys.argv[1], 'rb').read()[-1280:]); assert found == tuple(64 * (4 - i // 64) + i % 64 for i in range(320)), found" %t.npy
// A store to an argument that is known when the kernel runs may be to the memory
// of any: loads stay before it, though all at once need 320 of 255 registers.

gpu.module @kernels {
  gpu.func @reversed(%x: memref<320xf32>, %y: memref<320xf32>, %which: i32) kernel attributes {known_block_size = array<i32: 1, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = 32>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %c192 = arith.constant 192 : index
    %c256 = arith.constant 256 : index
    %zero = arith.constant 0 : i32
    %isFirst = arith.cmpi ne, %which, %zero : i32
    %to = arith.select %isFirst, %x, %y : memref<320xf32>
    %v0 = vector.load %x[%c0] : memref<320xf32>, vector<64xf32>
    %v1 = vector.load %x[%c64] : memref<320xf32>, vector<64xf32>
    %v2 = vector.load %x[%c128] : memref<320xf32>, vector<64xf32>
    %v3 = vector.load %x[%c192] : memref<320xf32>, vector<64xf32>
    %v4 = vector.load %x[%c256] : memref<320xf32>, vector<64xf32>
    vector.store %v0, %to[%c256] {alignment = 16 : i64} : memref<320xf32>, vector<64xf32>
    vector.store %v1, %to[%c192] {alignment = 16 : i64} : memref<320xf32>, vector<64xf32>
    vector.store %v2, %to[%c128] {alignment = 16 : i64} : memref<320xf32>, vector<64xf32>
    vector.store %v3, %to[%c64] {alignment = 16 : i64} : memref<320xf32>, vector<64xf32>
    vector.store %v4, %to[%c0] {alignment = 16 : i64} : memref<320xf32>, vector<64xf32>
    gpu.return
  }
}
