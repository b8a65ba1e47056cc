// RUN: distaff-opt %s -allow-unregistered-dialect --pcf-fuse-consumers=assume-covering=false -split-input-file | FileCheck %s

#seq = #pcf.sequential
!sref = !pcf.sref<8x16xf32, sync(#seq)>

// PCF-46: unless the caller promises that all of a result is written, constants
// have to prove it: here every element of every iteration, of two writes.
// CHECK-LABEL: func @all_iterations_of_two_writes
// CHECK: pcf.loop
// CHECK: linalg.exp
// CHECK: pcf.return
// CHECK-NOT: linalg.exp
func.func @all_iterations_of_two_writes(%a: tensor<8x16xf32>, %v: tensor<2x4xf32>, %w: tensor<2x12xf32>) -> tensor<8x16xf32> {
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %p = pcf.loop scope(#seq) count(%c4) execute(%o = %a)[%i: index] : (!sref) -> (tensor<8x16xf32>) {
    %at = arith.muli %i, %c2 : index
    pcf.write_slice %v into %o[%at, 0] [2, 4] [1, 1] : tensor<2x4xf32> into !sref
    pcf.write_slice %w into %o[%at, 4] [2, 12] [1, 1] : tensor<2x12xf32> into !sref
    pcf.return
  }
  %e = linalg.exp ins(%p : tensor<8x16xf32>) outs(%a : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %e : tensor<8x16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<8x16xf32, sync(#seq)>

// CHECK-LABEL: func @one_element_is_left
// CHECK: pcf.return
// CHECK: linalg.exp
func.func @one_element_is_left(%a: tensor<8x16xf32>, %v: tensor<7x16xf32>, %w: tensor<1x15xf32>) -> tensor<8x16xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%i: index, %n: index] : (!sref) -> (tensor<8x16xf32>) {
    pcf.write_slice %v into %o[0, 0] [7, 16] [1, 1] : tensor<7x16xf32> into !sref
    pcf.write_slice %w into %o[7, 0] [1, 15] [1, 1] : tensor<1x15xf32> into !sref
    pcf.return
  }
  %e = linalg.exp ins(%p : tensor<8x16xf32>) outs(%a : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %e : tensor<8x16xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<8xf32, sync(#seq)>

// How many workers there are is not known.
// CHECK-LABEL: func @a_share_per_worker
// CHECK: pcf.return
// CHECK: linalg.exp
func.func @a_share_per_worker(%a: tensor<8xf32>, %v: tensor<1xf32>) -> tensor<8xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%i: index, %n: index] : (!sref) -> (tensor<8xf32>) {
    pcf.write_slice %v into %o[%i] [1] [1] : tensor<1xf32> into !sref
    pcf.return
  }
  %e = linalg.exp ins(%p : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  return %e : tensor<8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<8xf32, sync(#seq)>

// In a loop with constant bounds every iteration counts; under a condition a
// write does not.
// CHECK-LABEL: func @in_a_loop_but_not_in_a_branch
// CHECK: pcf.generic
// CHECK: linalg.exp
// CHECK: pcf.return
// CHECK: pcf.return
// CHECK: linalg.tanh
func.func @in_a_loop_but_not_in_a_branch(%a: tensor<8xf32>, %v: tensor<2xf32>, %c: i1) -> (tensor<8xf32>, tensor<8xf32>) {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%i: index, %n: index] : (!sref) -> (tensor<8xf32>) {
    scf.forall (%k) = (0) to (8) step (2) {
      pcf.write_slice %v into %o[%k] [2] [1] : tensor<2xf32> into !sref
    }
    pcf.return
  }
  %e = linalg.exp ins(%p : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  %q = pcf.generic scope(#seq) execute(%o = %a)[%i: index, %n: index] : (!sref) -> (tensor<8xf32>) {
    scf.if %c {
      scf.forall (%k) = (0) to (8) step (2) {
        pcf.write_slice %v into %o[%k] [2] [1] : tensor<2xf32> into !sref
      }
    }
    pcf.return
  }
  %f = linalg.tanh ins(%q : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  return %e, %f : tensor<8xf32>, tensor<8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<8xf32, sync(#seq)>

// Row 0 and rows i + 1 for i from 0 to 6 are all rows.
// CHECK-LABEL: func @rows_behind_the_first
// CHECK: pcf.loop
// CHECK: linalg.exp
// CHECK: pcf.return
// CHECK-NOT: linalg.exp
func.func @rows_behind_the_first(%a: tensor<8xf32>, %v: tensor<1xf32>) -> tensor<8xf32> {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %p = pcf.loop scope(#seq) count(%c7) execute(%o = %a)[%i: index] : (!sref) -> (tensor<8xf32>) {
    %next = arith.addi %i, %c1 : index
    pcf.write_slice %v into %o[0] [1] [1] : tensor<1xf32> into !sref
    pcf.write_slice %v into %o[%next] [1] [1] : tensor<1xf32> into !sref
    pcf.return
  }
  %e = linalg.exp ins(%p : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  return %e : tensor<8xf32>
}

// -----

#seq = #pcf.sequential
!sref = !pcf.sref<8xf32, sync(#seq)>

// A worker that returns early does not write.
// CHECK-LABEL: func @after_an_early_return
// CHECK: pcf.return
// CHECK: linalg.exp
func.func @after_an_early_return(%a: tensor<8xf32>, %v: tensor<8xf32>, %c: i1) -> tensor<8xf32> {
  %p = pcf.generic scope(#seq) execute(%o = %a)[%i: index, %n: index] : (!sref) -> (tensor<8xf32>) {
    pcf.br.cond_return %c ^bb1
  ^bb1:
    pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !sref
    pcf.return
  }
  %e = linalg.exp ins(%p : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  return %e : tensor<8xf32>
}
