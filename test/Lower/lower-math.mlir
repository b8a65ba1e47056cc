// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-math)))' | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: func @exp_is_exp2
  // CHECK: %[[LOG2E:.*]] = arith.constant 1.44269502 : f32
  // CHECK: %[[X:.*]] = arith.mulf %{{.*}}, %[[LOG2E]]
  // CHECK: math.exp2 %[[X]]
  // CHECK-NOT: math.exp %
  gpu.func @exp_is_exp2(%x: f32) -> f32 {
    %r = math.exp %x : f32
    gpu.return %r : f32
  }

  // CHECK-LABEL: func @halves_go_through_f32
  // CHECK: arith.extf
  // CHECK: math.exp2 {{.*}} : f32
  // CHECK: arith.truncf
  gpu.func @halves_go_through_f32(%x: f16) -> f16 {
    %r = math.exp2 %x : f16
    gpu.return %r : f16
  }

  // CHECK-LABEL: func @instructions_stay
  // CHECK: math.sqrt {{.*}} : f16
  // CHECK: math.fma {{.*}} : f64
  // CHECK: math.floor {{.*}} : f64
  gpu.func @instructions_stay(%h: f16, %d: f64) -> (f16, f64, f64) {
    %0 = math.sqrt %h : f16
    %1 = math.fma %d, %d, %d : f64
    %2 = math.floor %d : f64
    gpu.return %0, %1, %2 : f16, f64, f64
  }

  // CHECK-LABEL: func @the_rest_is_expanded
  // CHECK-NOT: math.{{tanh|log|erf|sin|cos|powf|log1p|expm1|atan2|sinh|log10}}
  gpu.func @the_rest_is_expanded(%x: f32, %y: f32) -> f32 {
    %0 = math.tanh %x : f32
    %1 = math.log %0 : f32
    %2 = math.erf %1 : f32
    %3 = math.sin %2 : f32
    %4 = math.cos %3 : f32
    %5 = math.powf %4, %y : f32
    %6 = math.log1p %5 : f32
    %7 = math.expm1 %6 : f32
    %8 = math.atan2 %7, %y : f32
    %9 = math.sinh %8 : f32
    %10 = math.log10 %9 : f32
    gpu.return %10 : f32
  }
}
