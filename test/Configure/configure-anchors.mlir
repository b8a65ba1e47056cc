// A kernel whose author wrote layouts down gets as many subgroups as they need:
// further ones would only hold copies.
// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 --split-input-file | FileCheck %s

#one = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [16], outer_tile = [1],
  thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
// CHECK: #[[ONE:.*]] = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
// CHECK: func.func @one_subgroup{{.*}} attributes {translation_info = #[[ONE]]}
func.func @one_subgroup(%a: memref<512xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<512xf32>, vector<512xf32>
  %l = iree_vector_ext.to_layout %v to layout(#one) : vector<512xf32>
  vector.transfer_write %l, %a[%c0] {in_bounds = [true]} : vector<512xf32>, memref<512xf32>
  return
}

// -----

#three = #iree_vector_ext.nested_layout<subgroup_tile = [3], batch_tile = [1], outer_tile = [1],
  thread_tile = [32], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
// CHECK: #[[THREE:.*]] = #iree_codegen.translation_info<workgroup_size = [96, 1, 1] subgroup_size = 32>
// CHECK: func.func @three_subgroups{{.*}} attributes {translation_info = #[[THREE]]}
func.func @three_subgroups(%a: memref<96xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<96xf32>, vector<96xf32>
  %l = iree_vector_ext.to_layout %v to layout(#three) : vector<96xf32>
  vector.transfer_write %l, %a[%c0] {in_bounds = [true]} : vector<96xf32>, memref<96xf32>
  return
}
