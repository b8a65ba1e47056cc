// RUN: distaff-opt %s --distaff-tile=target=sm_80 | FileCheck %s

// CHECK-LABEL: func.func @no_loop_is_one_workgroup__grid
// CHECK:         %[[ONE:.*]] = arith.constant 1
// CHECK-NOT:     constant {{[^1]}}
func.func @no_loop_is_one_workgroup(%a: memref<8xf32>) {
  return
}

// A grid is given as x, y, z, in whichever order the loops are mapped.
// CHECK-LABEL: func.func @loops_are_counted_where_they_are_mapped__grid
// CHECK-DAG:     %[[X:.*]] = arith.constant 3 : index
// CHECK-DAG:     %[[Y:.*]] = arith.constant 5 : index
// CHECK:         return %[[X]], %[[Y]], %{{.*}}
func.func @loops_are_counted_where_they_are_mapped(%a: memref<8xf32>) {
  scf.forall (%i, %j) = (0, 2) to (5, 13) step (1, 4) {
  } {mapping = [#gpu.block<y>, #gpu.block<x>]}
  return
}

// A launcher passes every dynamic extent, in order.
// CHECK-LABEL: func.func @extents_are_parameters__grid(
// CHECK-SAME:    %{{[^,]*}}: index, %{{[^,]*}}: index, %{{[^,]*}}: index)
func.func @extents_are_parameters(%a: memref<?x8x?xf32>, %n: index, %b: memref<?xf16>) {
  return
}
