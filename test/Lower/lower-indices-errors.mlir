// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-indices)))' --verify-diagnostics

gpu.module @kernels {
  gpu.func @a_loop(%m: memref<4xf32>, %x: f32) kernel {
    // expected-error@+1 {{'affine.for' op is not index arithmetic; loops are scf here}}
    affine.for %i = 0 to 4 {
      memref.store %x, %m[%i] : memref<4xf32>
    }
    gpu.return
  }
}
