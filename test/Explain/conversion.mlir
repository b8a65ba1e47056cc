// What goes through workgroup memory is said once in all and once per conversion,
// and no access is wider than the 16 bytes of the machine.
//
// RUN: distaff explain %s --target sm_80 | FileCheck %s
// RUN: distaff explain %s --target sm_80 --format json | FileCheck %s --check-prefix=JSON

#rows = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 1], outer_tile = [1, 1], thread_tile = [4, 4], element_tile = [1, 8], subgroup_strides = [1, 0], thread_strides = [4, 1]>
#tiles = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [2, 2], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 1], thread_strides = [4, 1]>

// CHECK: explain @conversion {{.*}} shared for conversions [[BYTES:[0-9]+]] B, for reductions 0 B, in all [[BYTES]] B allocated
// CHECK: registers only: no
// CHECK: T3 shared memory
// CHECK-NEXT: [[BYTES]] B, {{.*}}1 barrier{{$}}
// CHECK: %0 vector.transfer_read: global memory, 16 B per access
// CHECK: %2 vector.transfer_write: global memory, 8 B per access
// JSON-DAG: "reason": "no lesser tier moves what has to move"
// JSON-DAG: "reason": "both layouts are one"
// JSON-DAG: "tier": "T0"
func.func @conversion(%x: memref<16x32xf32>, %y: memref<16x32xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x32xf32>, vector<16x32xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) : vector<16x32xf32>
  %2 = iree_vector_ext.to_layout %1 to layout(#tiles) : vector<16x32xf32>
  vector.transfer_write %2, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf32>, memref<16x32xf32>
  return
}
