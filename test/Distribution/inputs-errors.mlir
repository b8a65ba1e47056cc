// RUN: distaff-opt %s --distaff-distribute --split-input-file --verify-diagnostics

// What is not as distribution takes it: earlier stages have something to do.

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#line = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
func.func @layout_of_a_tensor(%t: tensor<32xf32>, %m: memref<32xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{'iree_vector_ext.to_layout' op lays out a tensor; vectorize first}}
  %l = iree_vector_ext.to_layout %t to layout(#line) : tensor<32xf32>
  %e = tensor.extract %l[%c0] : tensor<32xf32>
  memref.store %e, %m[%c0] : memref<32xf32>
  return
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#sg = #iree_gpu.subgroup_scope
func.func @slice_of_a_tensor(%r: !pcf.sref<32xf32, #sg>, %m: memref<32xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'pcf.read_slice' op reads a tensor; vectorize first}}
  %t = pcf.read_slice %r[0] [32] [1] : !pcf.sref<32xf32, #sg> to tensor<32xf32>
  // expected-error @+1 {{'pcf.write_slice' op writes no vector, so nothing says which member writes what; vectorize first}}
  pcf.write_slice %t into %r[0] [32] [1] : tensor<32xf32> into !pcf.sref<32xf32, #sg>
  return
}
