// RUN: distaff-opt %s --distaff-distribute=target=gfx950 --verify-diagnostics
// A conversion whose mma_kind names an instruction that does another one (VX-126).

#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
#before = #iree_vector_ext.digit_layout<[[reg(2, 1), lane(64, 1)]]>
#after = #iree_vector_ext.digit_layout<[[lane(2, 16), lane(2, 32), reg(2, 1), lane(16, 1)]]>
func.func @swaps_other_lanes(%m: memref<128xf32>, %o: memref<128xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<128xf32>, vector<128xf32>
  %x = iree_vector_ext.to_layout %r to layout(#before) {mma_kind = #distaff.target_op<ROCDL_PERMLANE32_SWAP_F32>} : vector<128xf32>
  // expected-note @+2 {{the layout comes from here}}
  // expected-error @+1 {{does not move elements as 'ROCDL_PERMLANE32_SWAP_F32' does, which the mma_kind of its operand names; leave that away to do without it}}
  %y = iree_vector_ext.to_layout %x to layout(#after) : vector<128xf32>
  vector.transfer_write %y, %o[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  return
}
