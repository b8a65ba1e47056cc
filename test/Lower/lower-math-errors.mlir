// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-math)))' --split-input-file --verify-diagnostics
// RUN: not distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-math)))' --split-input-file 2>&1 | FileCheck %s

gpu.module @kernels {
  gpu.func @sine_of_wide_floats(%x: f128) -> f128 {
    // expected-error@+1 {{'math.sin' op on 'f128' has no instruction and no expansion for GPUs}}
    %r = math.sin %x : f128
    gpu.return %r : f128
  }
}

// -----

// What was one op before it was unrolled is one error.
gpu.module @kernels {
  gpu.func @unrolled(%x: f128) -> f128 {
    // expected-error@unknown {{'math.tanh' op on 'f128' has no instruction and no expansion for GPUs}}
    // CHECK: error: loc("one"): 'math.tanh' op on 'f128' has no instruction
    // CHECK-NOT: error: loc("one"):
    %r = math.tanh %x : f128 loc("one")
    %s = math.tanh %r : f128 loc("one")
    gpu.return %s : f128
  }
}

// -----

gpu.module @kernels {
  gpu.func @downward(%x: f32) -> f8E4M3FN {
    // expected-error@+1 {{'arith.truncf' op to 'f8E4M3FN' rounds downward; kernels round to_nearest_even}}
    %r = arith.truncf %x downward : f32 to f8E4M3FN
    gpu.return %r : f8E4M3FN
  }
}
