// RUN: distaff run %s --target sm_80 --output arg0=%t.npy
// RUN: %python -c "import struct, sys; data = struct.unpack('<144q', open(sys.argv[1], 'rb').read()[-8 * 144:]); assert data == tuple(x for i in range(48) for x in (2, i // 32, 32)), data" %t.npy
// RUN: distaff compile %s --target sm_80 --stop-after=convert -o %t.mlir
// RUN: distaff run %t.mlir --target sm_80 --output arg0=%t.converted.npy
// RUN: cmp %t.npy %t.converted.npy
// RUN: distaff run %s --target sm_80 --device ptx --output arg0=%t.ptx.npy
// RUN: cmp %t.npy %t.ptx.npy
// Of 48 lanes the last 16 are a subgroup, too.

gpu.module @kernels {
  gpu.func @parts(%o: memref<48x3xi64>) kernel attributes {known_block_size = array<i32: 48, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = 32>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %id = gpu.thread_id x
    %count = gpu.num_subgroups : index
    %own = gpu.subgroup_id : index
    %size = gpu.subgroup_size : index
    %0 = arith.index_cast %count : index to i64
    %1 = arith.index_cast %own : index to i64
    %2 = arith.index_cast %size : index to i64
    memref.store %0, %o[%id, %c0] : memref<48x3xi64>
    memref.store %1, %o[%id, %c1] : memref<48x3xi64>
    memref.store %2, %o[%id, %c2] : memref<48x3xi64>
    gpu.return
  }
}
