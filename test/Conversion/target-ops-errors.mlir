// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_89 --split-input-file --verify-diagnostics
// Issues of an instruction, one at a time, of those that the target has (VX-126).

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  gpu.func @two_issues() kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %a = arith.constant dense<0.0> : vector<2x2xf16>
    // expected-error@+1 {{has more than one issue; lower-vectors unrolls it}}
    %d = distaff.target_op <PTX_MOVMATRIX_TRANS_F16> %a : (vector<2x2xf16>) -> vector<2x2xf16>
    gpu.return
  }
}

// -----

func.func @wrong_registers(%a: vector<1x4xf16>) {
  // expected-error@+1 {{operand of 1 issues of 'PTX_MOVMATRIX_TRANS_F16' has 2 registers of f16 each, got 'vector<1x4xf16>'}}
  %d = distaff.target_op <PTX_MOVMATRIX_TRANS_F16> %a : (vector<1x4xf16>) -> vector<1x2xf16>
  return
}

// -----

func.func @wrong_count(%a: vector<1x2xf16>) {
  // expected-error@+1 {{takes 1 operands as 'PTX_MOVMATRIX_TRANS_F16', got 2}}
  %d = distaff.target_op <PTX_MOVMATRIX_TRANS_F16> %a, %a : (vector<1x2xf16>, vector<1x2xf16>) -> vector<1x2xf16>
  return
}
