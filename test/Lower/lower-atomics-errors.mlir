// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-atomics{target=sm_80})))' --split-input-file --verify-diagnostics

gpu.module @kernels {
  gpu.func @bytes(%m: memref<4xi8>, %x: i8, %i: index) {
    // expected-error@+1 {{'memref.atomic_rmw' op has no code for sm_80: no instruction compares and swaps 8 bits; use elements of 16, 32 or 64 bits}}
    %r = memref.atomic_rmw addi %x, %m[%i] : (i8, memref<4xi8>) -> i8
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @gaps(%m: memref<4xi24>, %x: i24, %i: index) {
    // expected-error@+1 {{'memref.generic_atomic_rmw' op has no code for sm_80: an element of 'i24' takes 32 bits in memory, which no instruction updates as such; use elements of i32 or i64}}
    %r = memref.generic_atomic_rmw %m[%i] : memref<4xi24> {
    ^bb0(%old: i24):
      %s = arith.addi %old, %x : i24
      memref.atomic_yield %s : i24
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @wide(%m: memref<4xi128>, %x: i128, %i: index) {
    // expected-error@+1 {{'memref.atomic_rmw' op has no code for sm_80: an element of 'i128' takes 128 bits in memory, which no instruction updates as such; use elements of i32 or i64}}
    %r = memref.atomic_rmw addi %x, %m[%i] : (i128, memref<4xi128>) -> i128
    gpu.return
  }
}
