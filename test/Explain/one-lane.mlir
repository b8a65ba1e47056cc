// A kernel that was written for one lane has no decisions, but instructions.
//
// RUN: distaff explain %s --target sm_80 --func lane | FileCheck %s
// RUN: distaff explain %s --target sm_80 --func others | FileCheck %s --check-prefix=OTHERS

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
  // Nothing says the subgroup size but the target. What no stage of ours emits is
  // named, and how often code of several blocks runs is not known.
  // OTHERS: explain @others
  // OTHERS-SAME: W=32 w=32 N=1   shared
  // OTHERS: instructions
  // OTHERS-DAG: 1 load of 4 B, global memory{{$}}
  // OTHERS-DAG: 1 memref.atomic_rmw (in a branch or a loop)
  // OTHERS-DAG: 1 nvvm.barrier (in a loop)
  gpu.func @others(%x: memref<64xf32>, %n: index) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %t = gpu.thread_id x
    %0 = memref.load %x[%t] : memref<64xf32>
    scf.for %i = %c0 to %n step %c1 {
      nvvm.barrier
    }
    %p = arith.cmpf ogt, %0, %zero : f32
    cf.cond_br %p, ^then, ^end
  ^then:
    %1 = memref.atomic_rmw addf %0, %x[%t] : (f32, memref<64xf32>) -> f32
    cf.br ^end
  ^end:
    gpu.return
  }
}
