// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-narrow-floats{target=sm_80})))' | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-narrow-floats{target=sm_90a})))' | FileCheck %s --check-prefixes=CHECK,SM90A
// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-narrow-floats{target=gfx942})))' | FileCheck %s --check-prefixes=CHECK,GFX942

gpu.module @kernels {
  // sm_90a widens to f16; elsewhere the pattern is shifted and scaled.
  // CHECK-LABEL: func @e4m3_to_single
  // SM90A: %[[H:.*]] = arith.extf %{{.*}} : f8E4M3FN to f16
  // SM90A-NEXT: arith.extf %[[H]] : f16 to f32
  // SM80: %[[S:.*]] = arith.shli %{{.*}}, %c20_i32
  // SM80: %[[N:.*]] = arith.bitcast %[[S]] : i32 to f32
  // SM80: arith.mulf %[[N]], %{{.*}} : f32
  // GFX942: arith.shli
  // GFX942-NOT: f8E4M3FN to f
  // CHECK: gpu.return
  gpu.func @e4m3_to_single(%x: f8E4M3FN) -> f32 {
    %r = arith.extf %x : f8E4M3FN to f32
    gpu.return %r : f32
  }

  // The exponents of f8E5M2 are those of f16.
  // CHECK-LABEL: func @e5m2_is_the_upper_half_of_f16
  // CHECK-NOT: arith.extf
  // CHECK: arith.shli %{{.*}}, %c8_i16
  // CHECK-NOT: arith.mulf
  // CHECK: gpu.return
  gpu.func @e5m2_is_the_upper_half_of_f16(%x: f8E5M2) -> f16 {
    %r = arith.extf %x : f8E5M2 to f16
    gpu.return %r : f16
  }

  // Normal and subnormal numbers of f16 and f8E5M2 are rounded by the same integer ops.
  // CHECK-LABEL: func @f16_to_its_upper_half
  // SM80: arith.shrui %{{.*}}, %c8_i16
  // GFX942: arith.shrui %{{.*}}, %c8_i16
  // CHECK-NOT: arith.addf
  // CHECK: gpu.return
  gpu.func @f16_to_its_upper_half(%x: f16) -> f8E5M2 {
    %r = arith.truncf %x : f16 to f8E5M2
    gpu.return %r : f8E5M2
  }

  // CHECK-LABEL: func @single_to_e4m3fnuz
  // GFX942-NEXT: arith.truncf %{{.*}} : f32 to f8E4M3FNUZ
  // SM90A-NOT: arith.truncf
  // SM80-NOT: arith.truncf
  // CHECK: gpu.return
  gpu.func @single_to_e4m3fnuz(%x: f32) -> f8E4M3FNUZ {
    %r = arith.truncf %x : f32 to f8E4M3FNUZ
    gpu.return %r : f8E4M3FNUZ
  }

  // bf16 goes through f32, which holds it; f64 goes straight to 8 bits.
  // CHECK-LABEL: func @others_to_e4m3
  // SM90A: %[[W:.*]] = arith.extf %{{.*}} : bf16 to f32
  // SM90A: arith.truncf %[[W]] : f32 to f8E4M3FN
  // CHECK-NOT: arith.truncf %{{.*}} : f64
  // CHECK: arith.cmpi uge, %{{.*}} : i64
  // CHECK: gpu.return
  gpu.func @others_to_e4m3(%x: bf16, %y: f64) -> (f8E4M3FN, f8E4M3FN) {
    %r = arith.truncf %x : bf16 to f8E4M3FN
    %s = arith.truncf %y : f64 to f8E4M3FN
    gpu.return %r, %s : f8E4M3FN, f8E4M3FN
  }

  // Computed in f32, rounded once.
  // CHECK-LABEL: func @sums
  // SM90A: %[[X:.*]] = arith.extf %{{.*}} : f16 to f32
  // SM90A: %[[S:.*]] = arith.addf %[[X]], %{{.*}} : f32
  // SM90A: arith.truncf %[[S]] : f32 to f8E4M3FN
  // CHECK: gpu.return
  gpu.func @sums(%x: f8E4M3FN, %y: f8E4M3FN) -> f8E4M3FN {
    %r = arith.addf %x, %y : f8E4M3FN
    gpu.return %r : f8E4M3FN
  }

  // Choosing, bits and constants are no arithmetic.
  // CHECK-LABEL: func @moves
  // CHECK-NOT: arith.extf
  // CHECK: arith.select
  // CHECK: gpu.return
  gpu.func @moves(%c: i1, %x: f8E5M2) -> i8 {
    %one = arith.constant 1.0 : f8E5M2
    %r = arith.select %c, %x, %one : f8E5M2
    %b = arith.bitcast %r : f8E5M2 to i8
    gpu.return %b : i8
  }
}
