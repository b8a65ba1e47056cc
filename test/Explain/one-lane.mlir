// A kernel that was written for one lane has no decisions, but instructions.
//
// RUN: distaff explain %s --target sm_80 | FileCheck %s

// CHECK: explain @lane
// CHECK-SAME: W=64 w=32 N=2
// CHECK: no conversion
// CHECK: instructions
// CHECK-DAG: 5 shuffles
// CHECK-DAG: 1 barrier
// CHECK-DAG: 1 load of 4 B, global memory
// CHECK-DAG: 1 store of 4 B, global memory
gpu.module @kernels {
  gpu.func @lane(%x: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = 32>} {
    %t = gpu.thread_id x
    %0 = memref.load %x[%t] : memref<64xf32>
    %1 = gpu.subgroup_reduce maximumf %0 : (f32) -> f32
    gpu.barrier
    memref.store %1, %x[%t] : memref<64xf32>
    gpu.return
  }
}
