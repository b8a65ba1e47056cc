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

  // A body of one op is the update of that kind, whichever operand is the
  // element, and a difference is the sum with the negative.
  // CHECK-LABEL: gpu.func @bodies_of_one_op(
  // CHECK-SAME:    %[[N:.*]]: memref<4xi32>, %[[M:.*]]: memref<4xf32>, %[[Y:.*]]: i32, %[[X:.*]]: f32, %[[I:.*]]: index)
  // CHECK-NOT:     scf.while
  // CHECK:         memref.atomic_rmw addi %[[Y]], %[[N]][%[[I]]]
  // CHECK:         memref.atomic_rmw maxs %[[Y]], %[[N]][%[[I]]]
  // CHECK:         memref.atomic_rmw assign %[[Y]], %[[N]][%[[I]]]
  // CHECK:         %[[MINUS:.*]] = arith.subi %{{.*}}, %[[Y]] : i32
  // CHECK-NEXT:    memref.atomic_rmw addi %[[MINUS]], %[[N]][%[[I]]]
  // CHECK:         %[[LESS:.*]] = arith.negf %[[X]] : f32
  // CHECK-NEXT:    memref.atomic_rmw addf %[[LESS]], %[[M]][%[[I]]]
  gpu.func @bodies_of_one_op(%n: memref<4xi32>, %m: memref<4xf32>, %y: i32, %x: f32, %i: index) {
    %a = memref.generic_atomic_rmw %n[%i] : memref<4xi32> {
    ^bb0(%old: i32):
      %s = arith.addi %y, %old : i32
      memref.atomic_yield %s : i32
    }
    %b = memref.generic_atomic_rmw %n[%i] : memref<4xi32> {
    ^bb0(%old: i32):
      %s = arith.maxsi %old, %y : i32
      memref.atomic_yield %s : i32
    }
    %c = memref.generic_atomic_rmw %n[%i] : memref<4xi32> {
    ^bb0(%old: i32):
      memref.atomic_yield %y : i32
    }
    %d = memref.generic_atomic_rmw %n[%i] : memref<4xi32> {
    ^bb0(%old: i32):
      %s = arith.subi %old, %y : i32
      memref.atomic_yield %s : i32
    }
    %e = memref.generic_atomic_rmw %m[%i] : memref<4xf32> {
    ^bb0(%old: f32):
      %s = arith.subf %old, %x : f32
      memref.atomic_yield %s : f32
    }
    gpu.return
  }

  // These are none: the element is taken away, or is the other operand too.
  // CHECK-LABEL: gpu.func @bodies_of_no_kind(
  // CHECK-COUNT-2: scf.while
  gpu.func @bodies_of_no_kind(%n: memref<4xi32>, %y: i32, %i: index) {
    %a = memref.generic_atomic_rmw %n[%i] : memref<4xi32> {
    ^bb0(%old: i32):
      %s = arith.subi %y, %old : i32
      memref.atomic_yield %s : i32
    }
    %b = memref.generic_atomic_rmw %n[%i] : memref<4xi32> {
    ^bb0(%old: i32):
      %s = arith.addi %old, %old : i32
      memref.atomic_yield %s : i32
    }
    gpu.return
  }

  // An atomic load stays, of constant memory it is a plain one.
  memref.global "private" constant @table : memref<4xi32> = dense<[1, 2, 3, 4]>
  // CHECK-LABEL: gpu.func @loads(
  // CHECK-SAME:    %[[N:.*]]: memref<4xi8>, %[[I:.*]]: index)
  // CHECK:         memref.generic_atomic_rmw %[[N]][%[[I]]]
  // CHECK:         %[[TABLE:.*]] = memref.get_global
  // CHECK-NOT:     memref.generic_atomic_rmw
  // CHECK:         memref.load %[[TABLE]][%[[I]]]
  gpu.func @loads(%n: memref<4xi8>, %i: index) -> i32 {
    %a = memref.generic_atomic_rmw %n[%i] : memref<4xi8> {
    ^bb0(%old: i8):
      memref.atomic_yield %old : i8
    }
    %t = memref.get_global @table : memref<4xi32>
    %b = memref.generic_atomic_rmw %t[%i] : memref<4xi32> {
    ^bb0(%old: i32):
      memref.atomic_yield %old : i32
    }
    gpu.return %b : i32
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
