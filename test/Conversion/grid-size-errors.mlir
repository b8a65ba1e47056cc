// RUN: distaff-opt %s --distaff-convert-gpu-to-rocdl=target=gfx942 --verify-diagnostics

gpu.module @kernels {
  gpu.func @unknown(%o: memref<1xindex>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error @+1 {{'gpu.grid_dim' op has no code for gfx942: no register holds the number of workgroups; give the kernel a known_grid_size, or pass it the number}}
    %x = gpu.grid_dim x
    memref.store %x, %o[%c0] : memref<1xindex>
    gpu.return
  }
}
