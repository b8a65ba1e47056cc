// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_80 --verify-diagnostics

gpu.module @kernels {
  // gfx942 has an instruction for it.
  gpu.func @broadcast(%out: memref<64xf32>, %x: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %id = gpu.thread_id x
    // expected-error @+1 {{'gpu.subgroup_broadcast' op has no code for sm_80: gpu.shuffle idx, from one lane, does the same}}
    %r = gpu.subgroup_broadcast %x, first_active_lane : f32
    memref.store %r, %out[%id] : memref<64xf32>
    gpu.return
  }
}
