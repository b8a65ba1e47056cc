// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_80 --verify-diagnostics
// An instruction of later targets (VX-126).

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  gpu.func @of_another() kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    %a = arith.constant dense<0.0> : vector<1x2xf16>
    // expected-error@+1 {{needs PTX_MOVMATRIX_TRANS_F16, which sm_80 does not have}}
    %d = distaff.target_op <PTX_MOVMATRIX_TRANS_F16> %a : (vector<1x2xf16>) -> vector<1x2xf16>
    gpu.return
  }
}
