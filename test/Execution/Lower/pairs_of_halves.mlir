// nvvm.convert.f16x2.to.f8x2 puts the first number into the lower byte and saturates: 1.5 is 0x3C in f8E4M3FN and
// 0x3E in f8E5M2; -1000 is below -448, 0xFE, the least f8E4M3FN, and becomes -1024, 0xE4, in f8E5M2, where minus
// infinity becomes -57344, 0xFB.
// RUN: distaff run %s --target sm_90a --stop-after=input --func found --output arg0=%t.found.npy
// RUN: distaff run %s --target sm_90a --stop-after=input --func expected --output arg0=%t.expected.npy
// RUN: cmp %t.found.npy %t.expected.npy

gpu.module @kernels {
  gpu.func @found(%o: memref<3xi16>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %x = arith.constant dense<[1.5, -1000.0]> : vector<2xf16>
    %y = arith.constant dense<[1.5, 0xFC00]> : vector<2xf16>
    %0 = nvvm.convert.f16x2.to.f8x2 %x : vector<2xf16> -> i16 (f8E4M3FN)
    %1 = nvvm.convert.f16x2.to.f8x2 %x : vector<2xf16> -> i16 (f8E5M2)
    %2 = nvvm.convert.f16x2.to.f8x2 %y : vector<2xf16> -> i16 (f8E5M2)
    memref.store %0, %o[%c0] : memref<3xi16>
    memref.store %1, %o[%c1] : memref<3xi16>
    memref.store %2, %o[%c2] : memref<3xi16>
    gpu.return
  }

  gpu.func @expected(%o: memref<3xi16>) kernel attributes {known_block_size = array<i32: 1, 1, 1>} {
    %c0 = arith.constant 0 : index
    %all = arith.constant dense<[0xFE3C, 0xE43E, 0xFB3E]> : vector<3xi16>
    vector.store %all, %o[%c0] : memref<3xi16>, vector<3xi16>
    gpu.return
  }
}
