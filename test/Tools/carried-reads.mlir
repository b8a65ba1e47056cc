// A read that is one iteration ahead may read, in the last one, memory that nobody has
// written: who moves the numbers and hands them on has no fault, who computes with them has.
// RUN: split-file %s %t
// RUN: distaff run %t/carried.mlir --target sm_80 --input arg0=iota --input arg1=1 --output arg2=%t.npy
// RUN: %python -c "import struct, sys; data = struct.unpack('<64f', open(sys.argv[1], 'rb').read()[-4 * 64:]); assert data == tuple(2.0 * i for i in range(64)), data" %t.npy
// RUN: not distaff run %t/carried.mlir --target sm_80 --input arg0=iota --input arg1=2 2>&1 | FileCheck %s
// RUN: not distaff run %t/stored.mlir --target sm_80 2>&1 | FileCheck %s
// RUN: not distaff run %t/used.mlir --target sm_80 2>&1 | FileCheck %s
// CHECK: error: 'vector.load' op unwritten: lane {{.*}} which nobody has written

//--- carried.mlir
gpu.module @m {
  // Slot 1 has no values; iteration 1 is the first that computes with them.
  gpu.func @ahead(%in: memref<64xf32>, %n: index, %out: memref<64xf32>) kernel attributes {
      known_block_size = array<i32: 32, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = 32>} {
    %ring = memref.alloc() : memref<2x64xf32, #gpu.address_space<workgroup>>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %z = arith.constant dense<0.0> : vector<1x2xf32>
    %x = gpu.thread_id x
    %i = arith.muli %x, %c2 : index
    %v = vector.load %in[%i] : memref<64xf32>, vector<2xf32>
    vector.store %v, %ring[%c0, %i] : memref<2x64xf32, #gpu.address_space<workgroup>>, vector<2xf32>
    %first = vector.shape_cast %v : vector<2xf32> to vector<1x2xf32>
    %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%have = %first, %sum = %z) -> (vector<1x2xf32>, vector<1x2xf32>) {
      %twice = arith.addf %have, %have : vector<1x2xf32>
      %s = arith.addf %sum, %twice : vector<1x2xf32>
      %next = vector.load %ring[%c1, %i] : memref<2x64xf32, #gpu.address_space<workgroup>>, vector<2xf32>
      %t = vector.shape_cast %next : vector<2xf32> to vector<1x2xf32>
      scf.yield %t, %s : vector<1x2xf32>, vector<1x2xf32>
    }
    %o = vector.shape_cast %r#1 : vector<1x2xf32> to vector<2xf32>
    vector.store %o, %out[%i] : memref<64xf32>, vector<2xf32>
    gpu.return
  }
}
//--- stored.mlir
gpu.module @m {
  gpu.func @stored(%out: memref<64xf32>) kernel attributes {
      known_block_size = array<i32: 32, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = 32>} {
    %ring = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %z = arith.constant dense<0.0> : vector<2xf32>
    %x = gpu.thread_id x
    %i = arith.muli %x, %c2 : index
    %r = scf.for %k = %c0 to %c2 step %c1 iter_args(%have = %z) -> (vector<2xf32>) {
      %next = vector.load %ring[%i] : memref<64xf32, #gpu.address_space<workgroup>>, vector<2xf32>
      scf.yield %next : vector<2xf32>
    }
    vector.store %r, %out[%i] : memref<64xf32>, vector<2xf32>
    gpu.return
  }
}
//--- used.mlir
gpu.module @m {
  gpu.func @used(%out: memref<64xf32>) kernel attributes {
      known_block_size = array<i32: 32, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = 32>} {
    %ring = memref.alloc() : memref<64xf32, #gpu.address_space<workgroup>>
    %c2 = arith.constant 2 : index
    %x = gpu.thread_id x
    %i = arith.muli %x, %c2 : index
    %v = vector.load %ring[%i] : memref<64xf32, #gpu.address_space<workgroup>>, vector<2xf32>
    %w = arith.addf %v, %v : vector<2xf32>
    vector.store %w, %out[%i] : memref<64xf32>, vector<2xf32>
    gpu.return
  }
}
