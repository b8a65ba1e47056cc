// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_80 -split-input-file -verify-diagnostics

#t = #iree_codegen.translation_info<subgroup_size = 32>

// PCF-81: whole subgroups wait.
gpu.module @kernels {
  gpu.func @half_a_subgroup() kernel attributes {known_block_size = array<i32: 64, 1, 1>, translation_info = #t} {
    %n = arith.constant 48 : index
    // expected-error @+1 {{waits for 48 threads, which are not whole subgroups of 32}}
    iree_gpu.global_subgroup_barrier id(1) threads(%n)
    gpu.return
  }
}
