// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-math)))' --split-input-file --verify-diagnostics
// RUN: not distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-math)))' --split-input-file 2>&1 | FileCheck %s

gpu.module @kernels {
  gpu.func @exp2_of_double(%x: f64) -> f64 {
    // expected-error@+1 {{'math.exp2' op on 'f64' has no instruction and no expansion for GPUs}}
    %r = math.exp2 %x : f64
    gpu.return %r : f64
  }
}

// -----

gpu.module @kernels {
  gpu.func @tanh_of_double(%x: f64) -> f64 {
    // expected-error@+1 {{'math.tanh' op on 'f64' has no instruction and no expansion for GPUs; compute it in f32 where that is precise enough}}
    %r = math.tanh %x : f64
    gpu.return %r : f64
  }
}

// -----

// The expansions, which compute in f32, are not used for f64: they would lose digits.
gpu.module @kernels {
  gpu.func @sine_of_double(%x: f64) -> f64 {
    // expected-error@+1 {{'math.sin' op on 'f64' has no instruction and no expansion for GPUs; compute it in f32 where that is precise enough}}
    %r = math.sin %x : f64
    gpu.return %r : f64
  }
}

// -----

// What was one op before it was unrolled is one error.
gpu.module @kernels {
  gpu.func @unrolled(%x: f64) -> f64 {
    // expected-error@unknown {{'math.tanh' op on 'f64' has no instruction and no expansion for GPUs}}
    // CHECK: error: loc("one"): 'math.tanh' op on 'f64' has no instruction
    // CHECK-NOT: error: loc("one"):
    %r = math.tanh %x : f64 loc("one")
    %s = math.tanh %r : f64 loc("one")
    gpu.return %s : f64
  }
}

// -----

gpu.module @kernels {
  gpu.func @power_by_a_variable(%x: f32, %n: i32) -> f32 {
    // expected-error@+1 {{'math.fpowi' op by a variable has no expansion for GPUs; convert the exponent to float and use math.powf}}
    %r = math.fpowi %x, %n : f32, i32
    gpu.return %r : f32
  }
}
