// RUN: distaff-opt %examples/reduce_8x64.mlir --distaff-distribute | FileCheck %s

// Each lane holds one element of the row; the sum is one butterfly over 64
// lanes; one lane writes.

// CHECK-LABEL: func.func @reduce_8x64
// CHECK:         %[[LANE:.*]] = gpu.thread_id x
// CHECK:         %[[ONE:.*]] = arith.cmpi eq, %[[LANE]]
// CHECK:         scf.forall (%[[ROW:.*]]) in (8)
// CHECK:           %[[READ:.*]] = vector.transfer_read %{{.*}}[%[[ROW]], %[[LANE]]]{{.*}} vector<1xf32>
// CHECK:           %[[IDENTITY:.*]] = arith.constant -0.000000e+00 : f32
// CHECK:           %[[LOCAL:.*]] = vector.multi_reduction <add>, %{{.*}}, %[[IDENTITY]]
// CHECK:           gpu.subgroup_reduce add %[[LOCAL]] cluster(size = 64) : (f32) -> f32
// CHECK-NOT:       gpu.subgroup_reduce
// CHECK:           scf.if %[[ONE]] {
// CHECK-NEXT:        vector.transfer_write
// CHECK-NEXT:      }
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     gpu.barrier
