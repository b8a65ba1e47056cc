// RUN: distaff-opt %s --vector-ext-anchor-encodings | FileCheck %s
// Layouts as encodings of tensor types (VX-142).

#a = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [2, 2], subgroup_strides = [1, 0], thread_strides = [8, 1]>
#b = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [2, 2], subgroup_strides = [0, 1], thread_strides = [1, 8]>
!a = tensor<16x16xf32, #a>
!b = tensor<16x16xf32, #b>
// CHECK-DAG: #[[A:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1]
// CHECK-DAG: #[[B:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2]

// A cast from one encoding to another is a conversion.
// CHECK-LABEL: @cast(
// CHECK-SAME: %[[X:.*]]: tensor<16x16xf32>) -> tensor<16x16xf32>
func.func @cast(%x: !a) -> !b {
  // CHECK-NEXT: %[[L:.*]] = iree_vector_ext.to_layout %[[X]] to layout(#[[A]])
  // CHECK-NEXT: %[[Y:.*]] = math.exp %[[L]] : tensor<16x16xf32>
  // CHECK-NEXT: %[[M:.*]] = iree_vector_ext.to_layout %[[Y]] to layout(#[[A]])
  // CHECK-NEXT: %[[R:.*]] = iree_vector_ext.to_layout %[[M]] to layout(#[[B]])
  // CHECK-NEXT: return %[[R]]
  %y = math.exp %x : !a
  %z = tensor.cast %y : !a to !b
  return %z : !b
}

// A cast that makes an extent static stays a cast.
// CHECK-LABEL: @cast_of_extents
func.func @cast_of_extents(%x: tensor<?x16xf32, #a>) -> !b {
  // CHECK: %[[C:.*]] = tensor.cast %{{.*}} : tensor<?x16xf32> to tensor<16x16xf32>
  // CHECK-NEXT: iree_vector_ext.to_layout %[[C]] to layout(#[[B]])
  %z = tensor.cast %x : tensor<?x16xf32, #a> to !b
  return %z : !b
}

// Nothing is in an empty tensor, nor in one without elements.
// CHECK-LABEL: @nothing_to_hold
func.func @nothing_to_hold(%x: tensor<0x16xf32, #a>) -> (!a, tensor<0x16xf32, #a>) {
  // CHECK-NOT: to_layout
  // CHECK: return
  %e = tensor.empty() : !a
  return %e, %x : !a, tensor<0x16xf32, #a>
}

// What a loop carries is laid out in each iteration, and behind the loop.
// CHECK-LABEL: @loop
func.func @loop(%x: !a, %n: index) -> !a {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[FOR:.*]] = scf.for {{.*}} iter_args(%[[I:.*]] = %{{.*}}) -> (tensor<16x16xf32>) {
  // CHECK-NEXT: %[[L:.*]] = iree_vector_ext.to_layout %[[I]] to layout(#[[A]])
  // CHECK-NEXT: arith.addf %[[L]], %[[L]]
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%i = %x) -> !a {
    %s = arith.addf %i, %i : !a
    scf.yield %s : !a
  }
  // CHECK: %[[R:.*]] = iree_vector_ext.to_layout %[[FOR]] to layout(#[[A]])
  // CHECK-NEXT: return %[[R]]
  return %r : !a
}

// What moves elements reads an argument in memory, others read what lanes hold
// (VX-182).
// CHECK-LABEL: @movement(
// CHECK-SAME: %[[X:.*]]: tensor<16x16xf32>
func.func @movement(%x: !a) -> (tensor<256xf32>, !a) {
  // CHECK: %[[L:.*]] = iree_vector_ext.to_layout %[[X]] to layout(#[[A]])
  // CHECK: tensor.collapse_shape %[[X]]
  // CHECK: math.absf %[[L]]
  %v = tensor.collapse_shape %x [[0, 1]] : !a into tensor<256xf32>
  %y = math.absf %x : !a
  return %v, %y : tensor<256xf32>, !a
}

// Data of constants have types, too; declarations and calls agree.
// CHECK: func.func private @other(tensor<16x16xf32>) -> tensor<16x16xf32>
func.func private @other(!a) -> !b
// CHECK-LABEL: @constants
func.func @constants() -> (!b, tensor<2x2xf32, #iree_vector_ext.digit_layout<[[lane(2, 1)], [reg(2, 1)]]>>) {
  // CHECK: arith.constant dense<2.000000e+00> : tensor<16x16xf32>
  // CHECK: arith.constant dense<{{\[}}[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
  // CHECK: call @other(%{{.*}}) : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %s = arith.constant dense<2.0> : !a
  %d = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32, #iree_vector_ext.digit_layout<[[lane(2, 1)], [reg(2, 1)]]>>
  %r = call @other(%s) : (!a) -> !b
  return %r, %d : !b, tensor<2x2xf32, #iree_vector_ext.digit_layout<[[lane(2, 1)], [reg(2, 1)]]>>
}
