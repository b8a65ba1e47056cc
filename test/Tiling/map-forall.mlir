// RUN: distaff-opt %s --distaff-map-forall | FileCheck %s

// One workgroup per iteration: an induction variable is its workgroup's id,
// scaled and shifted by the loop's step and lower bound.
// CHECK-LABEL: func @ids_become_indices
// CHECK-NOT: scf.forall
// CHECK-DAG: %[[Y:.*]] = gpu.block_id y
// CHECK-DAG: %[[X:.*]] = gpu.block_id x
// CHECK: %[[SCALED:.*]] = arith.muli %[[X]], %c16
// CHECK: %[[COLUMN:.*]] = arith.addi %c3{{.*}}, %[[SCALED]]
// CHECK: memref.store %{{.*}}, %{{.*}}[%[[Y]], %[[COLUMN]]]
func.func @ids_become_indices(%m: memref<4x64xf32>, %v: f32) {
  scf.forall (%i, %j) = (0, 3) to (4, 64) step (1, 16) {
    memref.store %v, %m[%i, %j] : memref<4x64xf32>
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}
