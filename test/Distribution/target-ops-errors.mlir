// RUN: distaff-opt %s --distaff-distribute="target=sm_89" --split-input-file --verify-diagnostics
// Where an instruction that a to_layout names cannot be issued (VX-126).

#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [1, 8]>
#info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @half_a_tile(%m: memref<8x4xf16>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x4xf16>, vector<8x4xf16>
  // expected-note @+1 {{the layout comes from here}}
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) {mma_kind = #distaff.target_op<PTX_MOVMATRIX_TRANS_F16>} : vector<8x4xf16>
  // expected-error @+1 {{is laid out in no whole tiles of 'PTX_MOVMATRIX_TRANS_F16', which the mma_kind of its operands names; leave that away to do without it}}
  %2 = iree_vector_ext.to_layout %1 to layout(#columns) : vector<8x4xf16>
  vector.transfer_write %2, %m[%c0, %c0] {in_bounds = [true, true]} : vector<8x4xf16>, memref<8x4xf16>
  return
}
