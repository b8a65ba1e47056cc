// A value moves before it is extended: the tiers that lost are priced as of 8 bits,
// each against the tier that was emitted, which is not among them.
//
// RUN: distaff explain %s --target sm_80 | FileCheck %s

#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [8, 1], subgroup_strides = [0, 0], thread_strides = [0, 1]>
#pieces = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 8], subgroup_strides = [0, 0], thread_strides = [1, 8]>

// CHECK: T3 shared memory, {{.*}}cost [[#T3:]]
// CHECK: not T1s: lane 0 of subgroup 0 does not hold (0, 1)
// CHECK-NEXT: not T2: costs more than T3: {{(at least )?[0-9]+}} against [[#T3]]{{$}}
// CHECK-NOT: not T3
func.func @extended(%x: memref<8x32xi8>, %y: memref<8x32xi32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0 : i8
  %0 = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<8x32xi8>, vector<8x32xi8>
  %1 = iree_vector_ext.to_layout %0 to layout(#columns) : vector<8x32xi8>
  %2 = arith.extsi %1 : vector<8x32xi8> to vector<8x32xi32>
  %3 = iree_vector_ext.to_layout %2 to layout(#pieces) : vector<8x32xi32>
  vector.transfer_write %3, %y[%c0, %c0] {in_bounds = [true, true]} : vector<8x32xi32>, memref<8x32xi32>
  return
}
