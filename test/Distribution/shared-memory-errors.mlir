// RUN: distaff-opt %s --distaff-distribute=target=sm_80 --verify-diagnostics

// DG7: a conversion of 64 KiB on a target with 48.
#info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#rows = #iree_vector_ext.nested_layout<
  subgroup_tile = [4, 1], batch_tile = [32, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 4],
  subgroup_strides = [1, 0], thread_strides = [0, 1]>
#columns = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 4], batch_tile = [1, 32], outer_tile = [1, 1], thread_tile = [32, 1], element_tile = [4, 1],
  subgroup_strides = [0, 1], thread_strides = [1, 0]>
// expected-error @+1 {{needs 65536 bytes of workgroup memory to exchange data, the target has 49152}}
func.func @too_large(%m: memref<128x128xf32>, %o: memref<128x128xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<128x128xf32>, vector<128x128xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#rows) : vector<128x128xf32>
  // expected-note @+1 {{65536 bytes are for this}}
  %y = iree_vector_ext.to_layout %x to layout(#columns) : vector<128x128xf32>
  vector.transfer_write %y, %o[%c0, %c0] {in_bounds = [true, true]} : vector<128x128xf32>, memref<128x128xf32>
  return
}
