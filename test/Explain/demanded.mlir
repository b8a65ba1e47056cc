// A conversion that nobody marks goes through shared memory since that is cheaper
// than 31 rounds of shuffles; only of a marked one it is said that it is demanded.
//
// RUN: distaff explain %s --target sm_80 --func unmarked | FileCheck %s
// RUN: distaff explain %s --target sm_80 --func marked | FileCheck %s --check-prefix=MARKED
// RUN: distaff explain %s --target sm_80 --func unmarked --format json | FileCheck %s --check-prefix=JSON
// RUN: not distaff explain %s --target sm_80 --func unmarked --format xml 2>&1 | FileCheck %s --check-prefix=FORMAT

#row = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [32, 1], element_tile = [1, 32], subgroup_strides = [0, 0], thread_strides = [1, 0]>
#column = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [32, 1], subgroup_strides = [0, 0], thread_strides = [0, 1]>

// CHECK-NOT: demanded
// CHECK: T3 shared memory
// CHECK-NOT: marked
// CHECK: not T2: costs more than T3: [[#T2:]] against [[#T3:]]
// CHECK-NOT: demanded

// MARKED: T3 shared memory, {{.*}}, marked shared_memory_conversion
// MARKED: not T2: shared memory is demanded

// JSON: "demanded": false
// JSON: "reason": "T2 costs more than T3: {{[0-9]+}} against {{[0-9]+}}"
// JSON: "tier": "T3"

// FORMAT: unknown format 'xml'; there are text, json and html
func.func @unmarked(%x: memref<32x32xf32>, %y: memref<32x32xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x32xf32>, vector<32x32xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#row) : vector<32x32xf32>
  %2 = arith.negf %1 : vector<32x32xf32>
  %3 = iree_vector_ext.to_layout %2 to layout(#column) : vector<32x32xf32>
  vector.transfer_write %3, %y[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  return
}

func.func @marked(%x: memref<32x32xf32>, %y: memref<32x32xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<32x32xf32>, vector<32x32xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#row) : vector<32x32xf32>
  %2 = arith.negf %1 : vector<32x32xf32>
  %3 = iree_vector_ext.to_layout %2 to layout(#column) {shared_memory_conversion} : vector<32x32xf32>
  vector.transfer_write %3, %y[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf32>, memref<32x32xf32>
  return
}
