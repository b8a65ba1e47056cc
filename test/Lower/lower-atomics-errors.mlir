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
    // expected-error@+1 {{'memref.generic_atomic_rmw' op has no code for sm_80: an element of 'i24' fills only 24 of the 32 bits of its bytes, and atomic instructions access whole bytes; use elements of i32 or i64}}
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
    // expected-error@+1 {{'memref.atomic_rmw' op has no code for sm_80: an element of 'i128' is wider than the 64 bits of an update; use elements of i32 or i64}}
    %r = memref.atomic_rmw addi %x, %m[%i] : (i128, memref<4xi128>) -> i128
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @swap_of_bytes(%m: memref<4xi8>, %expected: i8, %x: i8, %i: index) {
    // expected-error@+1 {{'memref.generic_atomic_rmw' op has no code for sm_80: no instruction compares and swaps 8 bits; use elements of 16, 32 or 64 bits}}
    %r = memref.generic_atomic_rmw %m[%i] : memref<4xi8> {
    ^bb0(%old: i8):
      %same = arith.cmpi eq, %old, %expected : i8
      %next = arith.select %same, %x, %old : i8
      memref.atomic_yield %next : i8
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @load_of_a_bit(%m: memref<4xi1>, %i: index) {
    // expected-error@+1 {{'memref.generic_atomic_rmw' op has no code for sm_80: an element of 'i1' fills only 1 of the 8 bits of its bytes, and atomic instructions access whole bytes; use elements of i32 or i64}}
    %r = memref.generic_atomic_rmw %m[%i] : memref<4xi1> {
    ^bb0(%old: i1):
      memref.atomic_yield %old : i1
    }
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @swap_of_a_half(%m: memref<4xi4>, %expected: i4, %x: i4, %i: index) {
    // expected-error@+1 {{'memref.generic_atomic_rmw' op has no code for sm_80: an element of 'i4' fills only 4 of the 8 bits of its bytes, and atomic instructions access whole bytes; use elements of i32 or i64}}
    %r = memref.generic_atomic_rmw %m[%i] : memref<4xi4> {
    ^bb0(%old: i4):
      %same = arith.cmpi eq, %expected, %old : i4
      %next = arith.select %same, %x, %old : i4
      memref.atomic_yield %next : i4
    }
    gpu.return
  }
}
