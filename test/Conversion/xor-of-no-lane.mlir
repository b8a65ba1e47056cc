// RUN: distaff run %s --target gfx942 --output arg0=%t.npy
// RUN: %python -c "import struct, sys; data = struct.unpack('<512i', open(sys.argv[1], 'rb').read()[-4 * 512:]); assert data == tuple(x for lane in range(64) for d in (5, 63, 64, -1) for x in ((lane ^ d, 1) if 0 <= d < 64 else (64, 0))), data" %t.npy
// RUN: distaff compile %s --target gfx942 --stop-after=convert -o %t.mlir
// RUN: distaff run %t.mlir --target gfx942 --output arg0=%t.converted.npy
// RUN: cmp %t.npy %t.converted.npy
// A partner that is no lane is not valid, whatever its sign.

gpu.module @kernels {
  gpu.func @partners(%o: memref<64x4x2xi32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = 64>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %id = gpu.thread_id x
    %x = arith.index_cast %id : index to i32
    %w = arith.constant 64 : i32
    %offsets = arith.constant dense<[5, 63, 64, -1]> : vector<4xi32>
    scf.for %i = %c0 to %c4 step %c1 {
      %d = vector.extract %offsets[%i] : i32 from vector<4xi32>
      %s, %valid = gpu.shuffle xor %x, %d, %w : i32
      %z = arith.extui %valid : i1 to i32
      %y = arith.select %valid, %s, %w : i32
      memref.store %y, %o[%id, %i, %c0] : memref<64x4x2xi32>
      memref.store %z, %o[%id, %i, %c1] : memref<64x4x2xi32>
    }
    gpu.return
  }
}
