// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-narrow-floats{target=sm_90a})))' --split-input-file --verify-diagnostics
// RUN: not distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-narrow-floats{target=sm_1})))' --split-input-file 2>&1 | FileCheck %s

gpu.module @kernels {
  // CHECK: error: unknown target 'sm_1'

  gpu.func @downward(%x: f32) -> f8E4M3FN {
    // expected-error @+1 {{'arith.truncf' op to 'f8E4M3FN' rounds downward; kernels round to floats of 8 bits to_nearest_even}}
    %r = arith.truncf %x downward : f32 to f8E4M3FN
    gpu.return %r : f8E4M3FN
  }
}
