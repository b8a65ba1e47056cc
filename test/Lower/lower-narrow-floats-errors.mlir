// RUN: not distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-narrow-floats{target=sm_1})))' 2>&1 | FileCheck %s

gpu.module @kernels {
  // CHECK: error: unknown target 'sm_1'

  gpu.func @narrow(%x: f32) -> f8E4M3FN {
    %r = arith.truncf %x : f32 to f8E4M3FN
    gpu.return %r : f8E4M3FN
  }
}
