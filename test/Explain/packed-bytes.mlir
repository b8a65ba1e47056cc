// Four bytes that lie in one register on both sides travel as the word that they
// are: two shuffles for eight elements, and no byte is permuted.
//
// RUN: distaff explain %s --target sm_80 | FileCheck %s
// RUN: distaff run %s --target sm_80 --check

#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 2], element_tile = [1, 8], subgroup_strides = [0, 0], thread_strides = [1, 16]>
#turned = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 2], element_tile = [1, 8], subgroup_strides = [0, 0], thread_strides = [2, 1]>

// CHECK: T2 lane shuffle, 0 moves, 2 rounds of 4 elements, {{.*}}2 shuffles,
func.func @bytes(%x: memref<16x16xi8>, %y: memref<16x16xi8>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0 : i8
  %0 = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x16xi8>, vector<16x16xi8>
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) : vector<16x16xi8>
  %2 = iree_vector_ext.to_layout %1 to layout(#turned) : vector<16x16xi8>
  vector.transfer_write %2, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xi8>, memref<16x16xi8>
  return
}
