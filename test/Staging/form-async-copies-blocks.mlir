// RUN: distaff-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-form-async-copies{target=sm_80 report})))' | FileCheck %s
// CHECK-NOT: device_async

// A block's argument may be any memory: one of a lane's own, or either of two
// arguments, of whose rows nobody knows the length where the kernel begins.
gpu.module @kernels {
  gpu.func @memory_of_a_lane(%a: memref<64x8xf16>, %o: memref<64x8xf16>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %p = memref.alloca() : memref<64x8xf16>
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    %w = vector.load %a[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    vector.store %w, %p[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    cf.br ^next(%p : memref<64x8xf16>)
  ^next(%chosen: memref<64x8xf16>):
    %v = vector.load %chosen[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    vector.store %v, %panel[%t, %c0] : memref<64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    %x = vector.load %panel[%t, %c0] : memref<64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    vector.store %x, %o[%t, %c0] : memref<64x8xf16>, vector<8xf16>
    gpu.return
  }
  gpu.func @either_of_two(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %if: i1) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %t = gpu.thread_id x
    %panel = memref.alloc() : memref<64x8xf16, #gpu.address_space<workgroup>>
    cf.cond_br %if, ^next(%a : memref<?x?xf16>), ^next(%b : memref<?x?xf16>)
  ^next(%chosen: memref<?x?xf16>):
    %v = vector.load %chosen[%t, %c0] : memref<?x?xf16>, vector<8xf16>
    vector.store %v, %panel[%t, %c0] : memref<64x8xf16, #gpu.address_space<workgroup>>, vector<8xf16>
    gpu.barrier
    gpu.return
  }
}
