// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-approximate-math)))' | FileCheck %s

// VX-260: exponentials; VX-261: quotients.
gpu.module @kernels {
  // The reciprocal stands where its divisor does, and is one for all quotients.
  // CHECK-LABEL: func @quotients_share_a_reciprocal
  // CHECK-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f32, %[[D:.*]]: f32,
  // CHECK: %[[SIZE:.*]] = math.absf %[[D]]
  // CHECK: %[[SMALL:.*]] = arith.cmpf olt, %[[SIZE]], %{{.*}}
  // CHECK: %[[LARGE:.*]] = arith.cmpf ogt, %[[SIZE]], %{{.*}}
  // CHECK: %[[S:.*]] = arith.select %[[SMALL]]
  // CHECK: %[[DS:.*]] = arith.mulf %[[D]], %[[S]]
  // CHECK: %[[R:.*]] = arith.divf %{{.*}}, %[[DS]] fastmath<arcp,afn>
  // CHECK-NOT: arith.divf
  // CHECK: scf.for
  // CHECK: %[[XS:.*]] = arith.mulf %[[X]], %[[S]]
  // CHECK: arith.mulf %[[XS]], %[[R]]
  // CHECK: arith.mulf %[[Y]], %[[S]]
  // CHECK-NOT: arith.divf
  gpu.func @quotients_share_a_reciprocal(%x: f32, %y: f32, %d: f32, %n: index)
      -> f32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0.0 : f32
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> f32 {
      %a = arith.divf %x, %d : f32
      %b = arith.divf %y, %d : f32
      %c = arith.addf %a, %b : f32
      %s = arith.addf %acc, %c : f32
      scf.yield %s : f32
    }
    gpu.return %r : f32
  }

  // CHECK-LABEL: func @allowed_reciprocals_need_no_scale
  // CHECK-SAME: %[[X:.*]]: f32, %[[D:.*]]: f32
  // CHECK: %[[R:.*]] = arith.divf %{{.*}}, %[[D]] fastmath<arcp,afn>
  // CHECK-NEXT: arith.mulf %[[X]], %[[R]]
  gpu.func @allowed_reciprocals_need_no_scale(%x: f32, %d: f32) -> f32 {
    %q = arith.divf %x, %d fastmath<arcp> : f32
    gpu.return %q : f32
  }

  // CHECK-LABEL: func @roots_and_halves_have_normal_reciprocals
  // CHECK-NOT: arith.select
  gpu.func @roots_and_halves_have_normal_reciprocals(%x: f32, %d: f32, %h: f16,
                                                     %i: i32) -> f32 {
    %root = math.sqrt %d : f32
    %wide = arith.extf %h : f16 to f32
    %whole = arith.sitofp %i : i32 to f32
    %0 = arith.divf %x, %root : f32
    %1 = arith.divf %0, %wide : f32
    %2 = arith.divf %1, %whole : f32
    gpu.return %2 : f32
  }

  // CHECK-LABEL: func @bf16_has_the_range_of_f32
  // CHECK: arith.select
  gpu.func @bf16_has_the_range_of_f32(%x: f32, %h: bf16) -> f32 {
    %wide = arith.extf %h : bf16 to f32
    %0 = arith.divf %x, %wide : f32
    gpu.return %0 : f32
  }

  // CHECK-LABEL: func @constants_have_constant_reciprocals
  // CHECK: %[[R:.*]] = arith.constant 0.00130208337 : f32
  // CHECK: arith.mulf %{{.*}}, %[[R]]
  // CHECK-NOT: arith.divf
  gpu.func @constants_have_constant_reciprocals(%x: f32) -> f32 {
    %c = arith.constant 768.0 : f32
    %0 = arith.divf %x, %c : f32
    gpu.return %0 : f32
  }

  // CHECK-LABEL: func @constants_without_a_normal_reciprocal_stay
  // CHECK-COUNT-3: arith.divf %{{.*}}, %{{.*}} : f32
  gpu.func @constants_without_a_normal_reciprocal_stay(%x: f32) -> f32 {
    %tiny = arith.constant 0x00000001 : f32
    %zero = arith.constant 0.0 : f32
    %large = arith.constant 0x7F7FFFFF : f32
    %0 = arith.divf %x, %tiny : f32
    %1 = arith.divf %0, %zero : f32
    %2 = arith.divf %1, %large : f32
    gpu.return %2 : f32
  }

  // CHECK-LABEL: func @reciprocals_stay
  // CHECK-NOT: arith.mulf
  // CHECK: arith.divf %{{.*}}, %{{.*}} : f32
  gpu.func @reciprocals_stay(%d: f32) -> f32 {
    %one = arith.constant 1.0 : f32
    %0 = arith.divf %one, %d : f32
    gpu.return %0 : f32
  }

  // CHECK-LABEL: func @exponentials_are_marked
  // CHECK: math.exp %{{.*}} fastmath<afn> : f32
  // CHECK: math.exp2 %{{.*}} fastmath<afn> : f16
  // CHECK: math.exp2 %{{.*}} : f64
  gpu.func @exponentials_are_marked(%x: f32, %h: f16, %d: f64)
      -> (f32, f16, f64) {
    %0 = math.exp %x : f32
    %1 = math.exp2 %h : f16
    %2 = math.exp2 %d : f64
    gpu.return %0, %1, %2 : f32, f16, f64
  }

  // CHECK-LABEL: func @other_types_divide_by_definition
  // CHECK: arith.divf %{{.*}} : f64
  // CHECK: arith.divf %{{.*}} : f16
  gpu.func @other_types_divide_by_definition(%d: f64, %h: f16) -> (f64, f16) {
    %0 = arith.divf %d, %d : f64
    %1 = arith.divf %h, %h : f16
    gpu.return %0, %1 : f64, f16
  }
}
