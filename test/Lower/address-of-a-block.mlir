// RUN: distaff run %s --target sm_80 --device ptx --input arg1=8 --output arg0=%t.npy
// RUN: %python -c "import struct, sys; data = struct.unpack('<8f', open(sys.argv[1], 'rb').read()[-32:]); assert data == tuple(range(8)), data" %t.npy
// The alignment of a block argument is unknown: it may be a view that begins 4 bytes
// behind a multiple of 16.

gpu.module @kernels {
  gpu.func @base(%o: memref<8xf32>, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %bytes = memref.alloc() : memref<64xi8, #gpu.address_space<workgroup>>
    %view = memref.view %bytes[%c4][] : memref<64xi8, #gpu.address_space<workgroup>> to memref<8xf32, #gpu.address_space<workgroup>>
    %t = gpu.thread_id x
    %isFirst = arith.cmpi ult, %t, %n : index
    scf.if %isFirst {
      %x = arith.index_cast %t : index to i32
      %f = arith.sitofp %x : i32 to f32
      memref.store %f, %view[%t] : memref<8xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    cf.br ^next(%view : memref<8xf32, #gpu.address_space<workgroup>>)
  ^next(%chosen: memref<8xf32, #gpu.address_space<workgroup>>):
    %v = vector.load %chosen[%c0] : memref<8xf32, #gpu.address_space<workgroup>>, vector<8xf32>
    %isOne = arith.cmpi eq, %t, %c0 : index
    cf.cond_br %isOne, ^write, ^end
  ^write:
    vector.store %v, %o[%c0] : memref<8xf32>, vector<8xf32>
    cf.br ^end
  ^end:
    gpu.return
  }
}
