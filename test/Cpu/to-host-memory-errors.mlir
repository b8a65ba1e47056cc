// RUN: distaff-opt %s --split-input-file --distaff-convert-to-host=target=host:avx2 --verify-diagnostics

// What a loop or a branch passes on is there when it is not any more (VX-197).
func.func @carried(%a: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %init = memref.alloc() : memref<8xf32>
  %m = scf.for %i = %c0 to %n step %c1 iter_args(%before = %init) -> (memref<8xf32>) {
    // expected-error@+1 {{'memref.alloc' op is passed on by the loop or branch that it is in, where what a kernel of a CPU allocates ends; allocate it before}}
    %new = memref.alloc() : memref<8xf32>
    %x = memref.load %before[%c0] : memref<8xf32>
    memref.store %x, %new[%c1] : memref<8xf32>
    scf.yield %new : memref<8xf32>
  }
  %x = memref.load %m[%c0] : memref<8xf32>
  memref.store %x, %a[%c0] : memref<8xf32>
  return
}

// -----

func.func @chosen(%a: memref<?xf32>, %t: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %m = scf.if %t -> (memref<?xf32>) {
    // expected-error@+1 {{'memref.alloc' op is passed on by the loop or branch that it is in}}
    %new = memref.alloc(%n) : memref<?xf32>
    scf.yield %new : memref<?xf32>
  } else {
    scf.yield %a : memref<?xf32>
  }
  %x = memref.load %m[%c0] : memref<?xf32>
  memref.store %x, %a[%c0] : memref<?xf32>
  return
}
