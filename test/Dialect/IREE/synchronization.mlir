// RUN: distaff-opt %s > %t.once
// RUN: distaff-opt %t.once | diff %t.once -
// RUN: distaff-opt %s --mlir-print-op-generic | distaff-opt | diff %t.once -
// RUN: FileCheck %s < %t.once

// Waiting and fences, without and with their optional parts. That no pass
// merges them: test/Dialect/PCF/barriers-stay.mlir.

// CHECK-LABEL: @all_parts
// CHECK-SAME: %[[N:.*]]: index
// CHECK-NEXT: iree_gpu.global_subgroup_barrier{{$}}
// CHECK-NEXT: iree_gpu.global_subgroup_barrier {x}
// CHECK-NEXT: iree_gpu.global_subgroup_barrier id(1) threads(%[[N]]){{$}}
// CHECK-NEXT: iree_gpu.global_subgroup_barrier id(15) threads(%[[N]]) {x}
// CHECK-NEXT: iree_gpu.lane_barrier{{$}}
// CHECK-NEXT: iree_gpu.lane_barrier {x}
// CHECK-NEXT: iree_gpu.fence release device{{$}}
// CHECK-NEXT: iree_gpu.fence acquire workgroup{{$}}
// CHECK-NEXT: iree_gpu.fence acquire subgroup {x}
func.func @all_parts(%n: index) {
  iree_gpu.global_subgroup_barrier
  iree_gpu.global_subgroup_barrier {x}
  iree_gpu.global_subgroup_barrier id(1) threads(%n)
  iree_gpu.global_subgroup_barrier id(15) threads(%n) {x}
  iree_gpu.lane_barrier
  iree_gpu.lane_barrier {x}
  iree_gpu.fence release device
  iree_gpu.fence acquire workgroup
  iree_gpu.fence acquire subgroup {x}
  return
}
