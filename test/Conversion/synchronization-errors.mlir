// RUN: distaff-opt %s --distaff-convert-gpu-to-rocdl=target=gfx942 -split-input-file -verify-diagnostics

#t = #iree_codegen.translation_info<subgroup_size = 64>

// PCF-82: before gfx1250 there is one barrier.
gpu.module @kernels {
  gpu.func @named(%n: index) kernel attributes {known_block_size = array<i32: 128, 1, 1>, translation_info = #t} {
    // expected-error @+1 {{target has no named barriers: gfx942 has one barrier, for all of a workgroup; wait at that one, where every subgroup comes by equally often}}
    iree_gpu.global_subgroup_barrier id(1) threads(%n)
    gpu.return
  }
}
