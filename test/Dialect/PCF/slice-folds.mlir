// RUN: distaff-opt %s --canonicalize | FileCheck %s

// Constants in the lists of slices (PCF-23, PCF-24), and casts.

!ref = !pcf.sref<4x8xf32, #pcf.sequential>

// CHECK-LABEL: @all_three_lists_at_once
// CHECK-SAME: %[[R:.*]]: !sref_4x8xf32_sequential, %[[N:.*]]: index
// CHECK: %[[V:.*]] = pcf.read_slice %[[R]][1, %[[N]]] [2, 3] [1, 2] : !sref_4x8xf32_sequential to vector<2x3xf32>
// CHECK: pcf.write_slice %[[V]] into %[[R]][%[[N]], 2] [2, 3] [1, 2] : vector<2x3xf32> into !sref_4x8xf32_sequential
func.func @all_three_lists_at_once(%r: !ref, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %v = pcf.read_slice %r[%c1, %n] [%c2, %c3] [%c1, %c2] : !ref to vector<2x3xf32>
  pcf.write_slice %v into %r[%n, %c2] [%c2, %c3] [%c1, %c2] : vector<2x3xf32> into !ref
  return
}

// PCF-23: one list is enough, whichever.
// CHECK-LABEL: @one_list
// CHECK: pcf.read_slice %{{.*}}[2, 2] [%[[A:.*]], %[[B:.*]]] [%[[C:.*]], %[[D:.*]]] :
// CHECK: pcf.write_slice %{{.*}} into %{{.*}}[%[[A]], %[[B]]] [2, 2] [%[[C]], %[[D]]] :
// CHECK: pcf.write_slice %{{.*}} into %{{.*}}[%[[A]], %[[B]]] [%[[A]], %[[B]]] [2, 2] :
// CHECK: pcf.write_slice %{{.*}} into %{{.*}}[%[[A]], 2] [%[[A]], %[[B]]] [%[[C]], 2] :
func.func @one_list(%r: !ref, %a: index, %b: index, %c: index, %d: index) {
  %c2 = arith.constant 2 : index
  %v = pcf.read_slice %r[%c2, %c2] [%a, %b] [%c, %d] : !ref to vector<2x2xf32>
  pcf.write_slice %v into %r[%a, %b] [%c2, %c2] [%c, %d] : vector<2x2xf32> into !ref
  pcf.write_slice %v into %r[%a, %b] [%a, %b] [%c2, %c2] : vector<2x2xf32> into !ref
  pcf.write_slice %v into %r[%a, %c2] [%a, %b] [%c, %c2] : vector<2x2xf32> into !ref
  return
}

// PCF-24: the users of a read that is folded in place keep it.
// CHECK-LABEL: @in_place_folds_keep_the_result
// CHECK: %[[V:.*]] = pcf.read_slice %{{.*}}[1, 1] [1, 1] [1, 1] : !sref_4x8xf32_sequential to vector<1x1xf32>
// CHECK: %[[X:.*]] = pcf.read_slice %{{.*}}[1, 1] [1, 1] [1, 1] : !sref_4x8xf32_sequential to tensor<1x1xf32>
// CHECK: %[[M:.*]] = pcf.get_memref %{{.*}}[1, 1] [1, 1] [1, 1] : !sref_4x8xf32_sequential to memref<1x1xf32, strided<[?, ?], offset: ?>>
// CHECK: %[[S:.*]] = pcf.subview %{{.*}}[1, 1] [1, 1] [1, 1] : !sref_4x8xf32_sequential to !sref_1x1xf32_sequential
// CHECK: return %[[V]], %[[X]], %[[M]], %[[S]]
func.func @in_place_folds_keep_the_result(%r: !ref)
    -> (vector<1x1xf32>, tensor<1x1xf32>, memref<1x1xf32, strided<[?, ?], offset: ?>>, !pcf.sref<1x1xf32, #pcf.sequential>) {
  %c1 = arith.constant 1 : index
  %v = pcf.read_slice %r[%c1, %c1] [%c1, %c1] [%c1, 1] : !ref to vector<1x1xf32>
  %x = pcf.read_slice %r[%c1, %c1] [1, 1] [%c1, 1] : !ref to tensor<1x1xf32>
  %m = pcf.get_memref %r[%c1, %c1] [1, 1] [%c1, 1] : !ref to memref<1x1xf32, strided<[?, ?], offset: ?>>
  %s = pcf.subview %r[%c1, %c1] [1, 1] [%c1, 1] : !ref to !pcf.sref<1x1xf32, #pcf.sequential>
  return %v, %x, %m, %s : vector<1x1xf32>, tensor<1x1xf32>, memref<1x1xf32, strided<[?, ?], offset: ?>>, !pcf.sref<1x1xf32, #pcf.sequential>
}

// A size that becomes static changes what is read; a cast gives the type back.
// CHECK-LABEL: @static_sizes_need_casts
// CHECK: %[[X:.*]] = pcf.read_slice %{{.*}}[0, 1] [2, %[[N:.*]]] [1, 1] : !sref_4x8xf32_sequential to tensor<2x?xf32>
// CHECK: %[[C:.*]] = tensor.cast %[[X]] : tensor<2x?xf32> to tensor<?x?xf32>
// CHECK: %[[M:.*]] = pcf.get_memref %{{.*}}[0, 0] [2, %[[N]]] [1, 1] : !sref_4x8xf32_sequential to memref<2x?xf32, strided<[?, ?], offset: ?>>
// CHECK: %[[D:.*]] = memref.cast %[[M]] : memref<2x?xf32, strided<[?, ?], offset: ?>> to memref<?x?xf32, strided<[?, ?], offset: ?>>
// CHECK: return %[[C]], %[[D]]
func.func @static_sizes_need_casts(%r: !ref, %n: index) -> (tensor<?x?xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = pcf.read_slice %r[0, %c1] [%c2, %n] [1, %c1] : !ref to tensor<?x?xf32>
  %m = pcf.get_memref %r[0, 0] [%c2, %n] [1, %c1] : !ref to memref<?x?xf32, strided<[?, ?], offset: ?>>
  return %x, %m : tensor<?x?xf32>, memref<?x?xf32, strided<[?, ?], offset: ?>>
}

// What the verifier would refuse is undefined behaviour if it is reached, and no
// error: those constants stay operands, the others become static.
// CHECK-LABEL: @constants_that_would_fail
// CHECK-DAG: %[[NEG:.*]] = arith.constant -1 : index
// CHECK-DAG: %[[C9:.*]] = arith.constant 9 : index
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[MIN:.*]] = arith.constant -9223372036854775808 : index
// CHECK: pcf.read_slice %{{.*}}[%[[NEG]], 1] [1, 1] [1, 1] : !sref_4x8xf32_sequential to vector<2x2xf32>
// CHECK: pcf.read_slice %{{.*}}[1, 1] [%[[NEG]], 1] [1, 1] : !sref_4x8xf32_sequential to vector<2x2xf32>
// CHECK: pcf.read_slice %{{.*}}[1, %[[C9]]] [1, 1] [1, 1] : !sref_4x8xf32_sequential to vector<2x2xf32>
// CHECK: pcf.read_slice %{{.*}}[1, 1] [1, %[[C3]]] [1, 1] : !sref_4x8xf32_sequential to vector<2x2xf32>
// CHECK: pcf.read_slice %{{.*}}[1, 1] [1, 2] [1, %[[C9]]] : !sref_4x8xf32_sequential to vector<2x2xf32>
// CHECK: pcf.read_slice %{{.*}}[1, 1] [1, 2] [1, %[[MIN]]] : !sref_4x8xf32_sequential to vector<2x2xf32>
// A stride may be negative.
// CHECK: pcf.read_slice %{{.*}}[1, 1] [1, 2] [1, -1] : !sref_4x8xf32_sequential to vector<2x2xf32>
// CHECK: pcf.read_slice %{{.*}}[0, 0] [%[[C9]], 1] [1, 1] : !sref_4x8xf32_sequential to tensor<?x1xf32>
func.func @constants_that_would_fail(%r: !ref) -> (vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, tensor<?x1xf32>) {
  %neg = arith.constant -1 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %min = arith.constant -9223372036854775808 : index
  %a = pcf.read_slice %r[%neg, %c1] [1, %c1] [%c1, 1] : !ref to vector<2x2xf32>
  %b = pcf.read_slice %r[%c1, 1] [%neg, %c1] [%c1, 1] : !ref to vector<2x2xf32>
  %c = pcf.read_slice %r[%c1, %c9] [1, 1] [%c1, 1] : !ref to vector<2x2xf32>
  %d = pcf.read_slice %r[1, %c1] [%c1, %c3] [1, 1] : !ref to vector<2x2xf32>
  %e = pcf.read_slice %r[%c1, 1] [1, 2] [1, %c9] : !ref to vector<2x2xf32>
  %f = pcf.read_slice %r[%c1, 1] [1, 2] [1, %min] : !ref to vector<2x2xf32>
  %g = pcf.read_slice %r[%c1, 1] [1, 2] [1, %neg] : !ref to vector<2x2xf32>
  %h = pcf.read_slice %r[0, 0] [%c9, 1] [1, 1] : !ref to tensor<?x1xf32>
  return %a, %b, %c, %d, %e, %f, %g, %h : vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, vector<2x2xf32>, tensor<?x1xf32>
}

// PCF-27: a size 0 makes every offset right.
// CHECK-LABEL: @empty_slices_become_static
// CHECK: pcf.write_slice %{{.*}} into %{{.*}}[77, 9] [0, 2] [1, 1]
func.func @empty_slices_become_static(%r: !ref, %v: vector<2x2xf32>) {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  %c77 = arith.constant 77 : index
  pcf.write_slice %v into %r[%c77, %c9] [%c0, 2] [1, 1] : vector<2x2xf32> into !ref
  return
}

// CHECK-LABEL: @casts_that_forget_extents
// CHECK-SAME: %{{.*}}: !sref_4x8xf32_sequential, %[[T:.*]]: tensor<2x8xf32>
// CHECK-NOT: tensor.cast
// CHECK: pcf.write_slice %[[T]] into %{{.*}}[1, 0] [2, 8] [1, 1] : tensor<2x8xf32> into !sref_4x8xf32_sequential
func.func @casts_that_forget_extents(%r: !ref, %t: tensor<2x8xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = tensor.cast %t : tensor<2x8xf32> to tensor<?x?xf32>
  pcf.write_slice %x into %r[%c1, 0] [%c2, 8] [1, 1] : tensor<?x?xf32> into !ref
  return
}

// CHECK-LABEL: @casts_that_are_needed
// CHECK: tensor.cast %{{.*}} : tensor<?x8xf32> to tensor<2x8xf32>
// CHECK: tensor.cast %{{.*}} : tensor<3x8xf32> to tensor<?x8xf32>
func.func @casts_that_are_needed(%r: !ref, %t: tensor<?x8xf32>, %u: tensor<3x8xf32>) {
  %x = tensor.cast %t : tensor<?x8xf32> to tensor<2x8xf32>
  pcf.write_slice %x into %r[0, 0] [2, 8] [1, 1] : tensor<2x8xf32> into !ref
  // Undefined behaviour, which would be an error without the cast.
  %y = tensor.cast %u : tensor<3x8xf32> to tensor<?x8xf32>
  pcf.write_slice %y into %r[0, 0] [2, 8] [1, 1] : tensor<?x8xf32> into !ref
  return
}

// PCF-22: true returns, false goes on.
// CHECK-LABEL: @cond_return
// CHECK: pcf.generic scope(#pcf.sequential) execute[%[[I:.*]]: index, %[[N:.*]]: index] {
// CHECK-NEXT: memref.store %[[N]], %{{.*}}[%[[I]]]
// CHECK-NEXT: pcf.return
// CHECK-NEXT: }
// CHECK: pcf.generic scope(#pcf.sequential) execute[%[[I:.*]]: index, %[[N:.*]]: index] {
// CHECK-NEXT: memref.store %[[I]], %{{.*}}[%[[I]]]
// CHECK-NEXT: pcf.return
func.func @cond_return(%m: memref<4xindex>) {
  %true = arith.constant true
  %false = arith.constant false
  pcf.generic scope(#pcf.sequential) execute[%i: index, %n: index] {
    memref.store %n, %m[%i] : memref<4xindex>
    pcf.br.cond_return %true ^next(%i : index)
  ^next(%j: index):
    memref.store %j, %m[%j] : memref<4xindex>
    pcf.return
  }
  pcf.generic scope(#pcf.sequential) execute[%i: index, %n: index] {
    pcf.br.cond_return %false ^next(%i : index)
  ^next(%j: index):
    memref.store %j, %m[%j] : memref<4xindex>
    pcf.return
  }
  return
}
