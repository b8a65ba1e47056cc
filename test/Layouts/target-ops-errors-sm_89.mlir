// RUN: distaff-opt %s -split-input-file -verify-diagnostics -distaff-assign-layouts="target=sm_89"
// What is said of a target op that does another op, or not on these types (VX-126).

#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @another_op(%m: memref<8x8xf16>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x8xf16>, vector<8x8xf16>
  // expected-error @+1 {{has the mma_kind PTX_MOVMATRIX_TRANS_F16, which does iree_vector_ext.to_layout; its value is read by 'math.exp2'}}
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) {mma_kind = #distaff.target_op<PTX_MOVMATRIX_TRANS_F16>} : vector<8x8xf16>
  %2 = math.exp2 %1 : vector<8x8xf16>
  vector.transfer_write %2, %m[%c0, %c0] {in_bounds = [true, true]} : vector<8x8xf16>, memref<8x8xf16>
  return
}

// -----

#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @another_type(%m: memref<8x8xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x8xf32>, vector<8x8xf32>
  // expected-error @+1 {{has the mma_kind PTX_MOVMATRIX_TRANS_F16, which makes f16 of f16; its value is read by 'iree_vector_ext.to_layout'}}
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) {mma_kind = #distaff.target_op<PTX_MOVMATRIX_TRANS_F16>} : vector<8x8xf32>
  %2 = iree_vector_ext.to_layout %1 to layout(#rows) : vector<8x8xf32>
  vector.transfer_write %2, %m[%c0, %c0] {in_bounds = [true, true]} : vector<8x8xf32>, memref<8x8xf32>
  return
}
