// RUN: distaff-opt %s --canonicalize | FileCheck %s

// Views of all, views of views (PCF-28). That composed views show the same
// elements is checked by numbers in unittests/Dialect/ViewsTest.cpp.

!ref = !pcf.sref<8x16xf32, #pcf.sequential>

// CHECK: #[[$SUM:.*]] = affine_map<()[s0, s1, s2] -> (s0 + s1 * s2)>
// CHECK: #[[$PRODUCT:.*]] = affine_map<()[s0, s1] -> (s0 * s1)>

// CHECK-LABEL: @identity
// CHECK-SAME: %[[R:.*]]: !sref_8x16xf32_sequential
// CHECK: return %[[R]], %[[R]] :
func.func @identity(%r: !ref) -> (!ref, !ref) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = pcf.subview %r[%c0, 0] [8, 16] [1, %c1] : !ref to !ref
  %b = pcf.expand_shape %r [[0], [1]] : !ref into !ref
  return %a, %b : !ref, !ref
}

// CHECK-LABEL: @identity_of_rank_0
// CHECK-SAME: %[[R:.*]]: !sref_f32_sequential
// CHECK: return %[[R]], %[[R]] :
func.func @identity_of_rank_0(%r: !pcf.sref<f32, #pcf.sequential>) -> (!pcf.sref<f32, #pcf.sequential>, !pcf.sref<f32, #pcf.sequential>) {
  %a = pcf.subview %r[] [] [] : !pcf.sref<f32, #pcf.sequential> to !pcf.sref<f32, #pcf.sequential>
  %b = pcf.expand_shape %r [] : !pcf.sref<f32, #pcf.sequential> into !pcf.sref<f32, #pcf.sequential>
  return %a, %b : !pcf.sref<f32, #pcf.sequential>, !pcf.sref<f32, #pcf.sequential>
}

// Of the same type, and another order of elements.
// CHECK-LABEL: @no_identity
// CHECK: %[[A:.*]] = pcf.subview %{{.*}}[7, 0] [8, 16] [-1, 1]
// CHECK: %[[B:.*]] = pcf.subview %{{.*}}[0, 0] [%{{.*}}, 16] [1, 1]
// CHECK: return %[[A]], %[[B]]
func.func @no_identity(%r: !ref, %d: !pcf.sref<?x16xf32, #pcf.sequential>, %n: index) -> (!ref, !pcf.sref<?x16xf32, #pcf.sequential>) {
  %a = pcf.subview %r[7, 0] [8, 16] [-1, 1] : !ref to !ref
  %b = pcf.subview %d[0, 0] [%n, 16] [1, 1] : !pcf.sref<?x16xf32, #pcf.sequential> to !pcf.sref<?x16xf32, #pcf.sequential>
  return %a, %b : !ref, !pcf.sref<?x16xf32, #pcf.sequential>
}

// o1 + o2 * t1, s2, t1 * t2.
// CHECK-LABEL: @static_views
// CHECK-NEXT: %[[V:.*]] = pcf.subview %{{.*}}[3, 12] [2, 3] [4, -6] : !sref_8x16xf32_sequential to !sref_2x3xf32_sequential
// CHECK-NEXT: return %[[V]]
func.func @static_views(%r: !ref) -> !pcf.sref<2x3xf32, #pcf.sequential> {
  %a = pcf.subview %r[1, 15] [4, 6] [2, -3] : !ref to !pcf.sref<4x6xf32, #pcf.sequential>
  %b = pcf.subview %a[1, 1] [2, 3] [2, 2] : !pcf.sref<4x6xf32, #pcf.sequential> to !pcf.sref<2x3xf32, #pcf.sequential>
  return %b : !pcf.sref<2x3xf32, #pcf.sequential>
}

// CHECK-LABEL: @dynamic_views
// CHECK-SAME: %{{.*}}: !sref_8x16xf32_sequential, %[[O:.*]]: index, %[[P:.*]]: index, %[[S:.*]]: index, %[[T:.*]]: index, %[[U:.*]]: index
// CHECK-DAG: %[[OFFSET:.*]] = affine.apply #[[$SUM]]()[%[[O]], %[[P]], %[[T]]]
// CHECK-DAG: %[[STRIDE:.*]] = affine.apply #[[$PRODUCT]]()[%[[T]], %[[U]]]
// CHECK: pcf.subview %{{.*}}[%[[OFFSET]], 2] [%[[S]], 3] [%[[STRIDE]], 1] : !sref_8x16xf32_sequential to !sref_Dx3xf32_sequential
func.func @dynamic_views(%r: !ref, %o: index, %p: index, %s: index, %t: index, %u: index) -> !pcf.sref<?x3xf32, #pcf.sequential> {
  %a = pcf.subview %r[%o, 0] [%s, 5] [%t, 1] : !ref to !pcf.sref<?x5xf32, #pcf.sequential>
  %b = pcf.subview %a[%p, 2] [%s, 3] [%u, 1] : !pcf.sref<?x5xf32, #pcf.sequential> to !pcf.sref<?x3xf32, #pcf.sequential>
  return %b : !pcf.sref<?x3xf32, #pcf.sequential>
}

// A dimension that the inner view drops keeps the inner view's entry.
// CHECK-LABEL: @dropped_dimensions
// CHECK-NEXT: %[[V:.*]] = pcf.subview %{{.*}}[6, 5] [1, 1] [1, 4] : !sref_8x16xf32_sequential to !sref_f32_sequential
// CHECK-NEXT: return %[[V]]
func.func @dropped_dimensions(%r: !ref) -> !pcf.sref<f32, #pcf.sequential> {
  %a = pcf.subview %r[6, 1] [1, 7] [1, 2] : !ref to !pcf.sref<7xf32, #pcf.sequential>
  %b = pcf.subview %a[2] [1] [2] : !pcf.sref<7xf32, #pcf.sequential> to !pcf.sref<f32, #pcf.sequential>
  return %b : !pcf.sref<f32, #pcf.sequential>
}

// Neither view is known to be wrong, but they cannot both be right: no error,
// since the code may never run. The constant stays an operand.
// CHECK-LABEL: @views_that_exclude_each_other
// CHECK-DAG: %[[BEYOND:.*]] = arith.constant 12 : index
// CHECK-DAG: %[[BELOW:.*]] = arith.constant -3 : index
// CHECK: pcf.subview %{{.*}}[0, %[[BEYOND]]] [8, 5] [1, 1] : !sref_8x16xf32_sequential to !sref_8x5xf32_sequential
// CHECK: pcf.subview %{{.*}}[%[[BELOW]], 0] [4, 16] [1, 1] : !sref_8x16xf32_sequential to !sref_4x16xf32_sequential
func.func @views_that_exclude_each_other(%r: !ref, %n: index) -> (!pcf.sref<8x5xf32, #pcf.sequential>, !pcf.sref<4x16xf32, #pcf.sequential>) {
  %a = pcf.subview %r[0, 12] [8, %n] [1, 1] : !ref to !pcf.sref<8x?xf32, #pcf.sequential>
  %b = pcf.subview %a[0, 0] [8, 5] [1, 1] : !pcf.sref<8x?xf32, #pcf.sequential> to !pcf.sref<8x5xf32, #pcf.sequential>
  %c = pcf.subview %r[1, 0] [%n, 16] [-1, 1] : !ref to !pcf.sref<?x16xf32, #pcf.sequential>
  %d = pcf.subview %c[4, 0] [4, 16] [-1, 1] : !pcf.sref<?x16xf32, #pcf.sequential> to !pcf.sref<4x16xf32, #pcf.sequential>
  return %b, %d : !pcf.sref<8x5xf32, #pcf.sequential>, !pcf.sref<4x16xf32, #pcf.sequential>
}

// CHECK-LABEL: @expand_twice
// CHECK: %[[V:.*]] = pcf.expand_shape %{{.*}} {{\[\[}}0, 1], [2, 3, 4]] : !sref_8x16xf32_sequential into !sref_2x4x2x4x2xf32_sequential
// CHECK-NEXT: return %[[V]]
func.func @expand_twice(%r: !ref) -> !pcf.sref<2x4x2x4x2xf32, #pcf.sequential> {
  %a = pcf.expand_shape %r [[0], [1, 2]] : !ref into !pcf.sref<8x2x8xf32, #pcf.sequential>
  %b = pcf.expand_shape %a [[0, 1], [2], [3, 4]] : !pcf.sref<8x2x8xf32, #pcf.sequential> into !pcf.sref<2x4x2x4x2xf32, #pcf.sequential>
  return %b : !pcf.sref<2x4x2x4x2xf32, #pcf.sequential>
}

// CHECK-LABEL: @expand_twice_dynamic
// CHECK-SAME: %[[N:[a-z0-9]+]]: index, %[[M:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index
// CHECK: pcf.expand_shape %{{.*}} {{\[\[}}0, 1, 2]] output_shape [%[[N]], %[[M]], 4] : !sref_Dxf32_sequential into !sref_DxDx4xf32_sequential
func.func @expand_twice_dynamic(%r: !pcf.sref<?xf32, #pcf.sequential>, %n: index, %m: index, %k: index) -> !pcf.sref<?x?x4xf32, #pcf.sequential> {
  %a = pcf.expand_shape %r [[0, 1]] output_shape [%k, 4] : !pcf.sref<?xf32, #pcf.sequential> into !pcf.sref<?x4xf32, #pcf.sequential>
  %b = pcf.expand_shape %a [[0, 1], [2]] output_shape [%n, %m, 4] : !pcf.sref<?x4xf32, #pcf.sequential> into !pcf.sref<?x?x4xf32, #pcf.sequential>
  return %b : !pcf.sref<?x?x4xf32, #pcf.sequential>
}

// CHECK-LABEL: @expand_a_scalar_twice
// CHECK: pcf.expand_shape %{{.*}} [] : !sref_f32_sequential into !sref_1x1x1xf32_sequential
func.func @expand_a_scalar_twice(%r: !pcf.sref<f32, #pcf.sequential>) -> !pcf.sref<1x1x1xf32, #pcf.sequential> {
  %a = pcf.expand_shape %r [] : !pcf.sref<f32, #pcf.sequential> into !pcf.sref<1x1xf32, #pcf.sequential>
  %b = pcf.expand_shape %a [[0], [1, 2]] : !pcf.sref<1x1xf32, #pcf.sequential> into !pcf.sref<1x1x1xf32, #pcf.sequential>
  return %b : !pcf.sref<1x1x1xf32, #pcf.sequential>
}
