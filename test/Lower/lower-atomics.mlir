// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-atomics{target=sm_80})))' | FileCheck %s --check-prefixes=CHECK,NVIDIA
// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-atomics{target=sm_90a})))' | FileCheck %s --check-prefixes=CHECK,NVIDIA
// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-atomics{target=gfx942})))' | FileCheck %s --check-prefixes=CHECK,AMD

gpu.module @kernels {
  // An atomic load, and a compare-and-swap of bits until nobody was faster.
  // CHECK-LABEL: gpu.func @maximum(
  // CHECK-SAME:    %[[M:.*]]: memref<4xf32>, %[[X:.*]]: f32, %[[I:.*]]: index)
  // AMD:           memref.atomic_rmw maximumf
  // NVIDIA:        %[[FIRST:.*]] = memref.generic_atomic_rmw %[[M]][%[[I]]]
  // NVIDIA-NEXT:   ^bb0(%[[OLD:.*]]: f32):
  // NVIDIA-NEXT:     memref.atomic_yield %[[OLD]]
  // NVIDIA:        %[[R:.*]] = scf.while (%[[EXPECTED:.*]] = %[[FIRST]])
  // NVIDIA-NEXT:     %[[WANTED:.*]] = arith.bitcast %[[EXPECTED]] : f32 to i32
  // NVIDIA-NEXT:     %[[NEW:.*]] = arith.maximumf %[[EXPECTED]], %[[X]]
  // NVIDIA-NEXT:     %[[SEEN:.*]] = memref.generic_atomic_rmw %[[M]][%[[I]]]
  // NVIDIA-NEXT:     ^bb0(%[[NOW:.*]]: f32):
  // NVIDIA-NEXT:       %[[BITS:.*]] = arith.bitcast %[[NOW]] : f32 to i32
  // NVIDIA-NEXT:       %[[SAME:.*]] = arith.cmpi eq, %[[BITS]], %[[WANTED]]
  // NVIDIA-NEXT:       %[[NEXT:.*]] = arith.select %[[SAME]], %[[NEW]], %[[NOW]]
  // NVIDIA-NEXT:       memref.atomic_yield %[[NEXT]]
  // NVIDIA:          %[[THERE:.*]] = arith.bitcast %[[SEEN]] : f32 to i32
  // NVIDIA-NEXT:     %[[AGAIN:.*]] = arith.cmpi ne, %[[THERE]], %[[WANTED]]
  // NVIDIA-NEXT:     scf.condition(%[[AGAIN]]) %[[SEEN]]
  // NVIDIA:        gpu.return %[[R]]
  gpu.func @maximum(%m: memref<4xf32>, %x: f32, %i: index) -> f32 {
    %r = memref.atomic_rmw maximumf %x, %m[%i] : (f32, memref<4xf32>) -> f32
    gpu.return %r : f32
  }

  // CHECK-LABEL: gpu.func @instructions(
  // CHECK-NOT:     scf.while
  gpu.func @instructions(%m: memref<4xf32>, %n: memref<4xi64>, %h: memref<4xf16>, %x: f32, %y: i64, %z: f16, %i: index) {
    %a = memref.atomic_rmw addf %x, %m[%i] : (f32, memref<4xf32>) -> f32
    %b = memref.atomic_rmw assign %x, %m[%i] : (f32, memref<4xf32>) -> f32
    %c = memref.atomic_rmw maxu %y, %n[%i] : (i64, memref<4xi64>) -> i64
    %d = memref.atomic_rmw addf %z, %h[%i] : (f16, memref<4xf16>) -> f16
    gpu.return
  }

  // Nobody multiplies.
  // CHECK-LABEL: gpu.func @product(
  // CHECK:         scf.while
  // CHECK:           arith.muli
  // CHECK-NOT:       arith.bitcast
  // CHECK:           memref.generic_atomic_rmw
  gpu.func @product(%n: memref<4xi64>, %y: i64, %i: index) {
    %c = memref.atomic_rmw muli %y, %n[%i] : (i64, memref<4xi64>) -> i64
    gpu.return
  }

  // The body is computed in front of the swap, which has none.
  // CHECK-LABEL: gpu.func @body(
  // CHECK:         scf.while (%[[OLD:.*]] =
  // CHECK:           %[[P:.*]] = arith.mulf %[[OLD]], %{{.*}} : f32
  // CHECK:           %[[S:.*]] = arith.addf %[[P]], %{{.*}} : f32
  // CHECK:           memref.generic_atomic_rmw
  // CHECK:             arith.select %{{.*}}, %[[S]], %{{.*}}
  gpu.func @body(%m: memref<4xf32>, %x: f32, %i: index) {
    %r = memref.generic_atomic_rmw %m[%i] : memref<4xf32> {
    ^bb0(%old: f32):
      %p = arith.mulf %old, %x : f32
      %s = arith.addf %p, %x : f32
      memref.atomic_yield %s : f32
    }
    gpu.return
  }
}
