// RUN: distaff-opt %s -verify-diagnostics -split-input-file

// Every message of subview and expand_shape (PCF-15, PCF-28).

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @subview_scope(%r: !ref) {
  // expected-error @+1 {{view must keep scope, element type and synchronization}}
  %v = pcf.subview %r[0, 0] [4, 8] [1, 1] : !ref to !pcf.sref<4x8xf32, #iree_gpu.lane_scope>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @subview_element(%r: !ref) {
  // expected-error @+1 {{view must keep scope, element type and synchronization}}
  %v = pcf.subview %r[0, 0] [4, 8] [1, 1] : !ref to !pcf.sref<4x8xi32, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @subview_sync(%r: !ref) {
  // expected-error @+1 {{view must keep scope, element type and synchronization}}
  %v = pcf.subview %r[0, 0] [4, 8] [1, 1] : !ref to !pcf.sref<4x8xf32, sync(#pcf.sequential)>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @subview_shape(%r: !ref) {
  // expected-error @+1 {{result shape [2, 8] is not a rank reduction of the slice sizes [4, 8]}}
  %v = pcf.subview %r[0, 0] [4, 8] [1, 1] : !ref to !pcf.sref<2x8xf32, #pcf.sequential>
  return
}

// -----

// Only unit dimensions are dropped.
!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @subview_rank(%r: !ref) {
  // expected-error @+1 {{result shape [8] is not a rank reduction of the slice sizes [4, 8]}}
  %v = pcf.subview %r[0, 0] [4, 8] [1, 1] : !ref to !pcf.sref<8xf32, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @subview_drops_a_dynamic_size(%r: !ref, %n: index) {
  // expected-error @+1 {{is not a rank reduction of the slice sizes}}
  %v = pcf.subview %r[0, 0] [%n, 8] [1, 1] : !ref to !pcf.sref<8xf32, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @subview_lists(%r: !ref) {
  // expected-error @+1 {{expected 2 offsets, sizes and strides, got 3, 2, 2}}
  %v = pcf.subview %r[0, 0, 0] [4, 8] [1, 1] : !ref to !ref
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @subview_beyond(%r: !ref) {
  // expected-error @+1 {{slice exceeds extent 8 in dim 1}}
  %v = pcf.subview %r[3, 2] [1, 4] [1, 2] : !ref to !pcf.sref<4xf32, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @expand_scope(%r: !ref) {
  // expected-error @+1 {{view must keep scope, element type and synchronization}}
  %v = pcf.expand_shape %r [[0], [1, 2]] : !ref into !pcf.sref<4x2x4xf32, #iree_gpu.lane_scope>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @expand_element(%r: !ref) {
  // expected-error @+1 {{view must keep scope, element type and synchronization}}
  %v = pcf.expand_shape %r [[0], [1, 2]] : !ref into !pcf.sref<4x2x4xf16, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, sync(#pcf.sequential)>
func.func @expand_sync(%r: !ref) {
  // expected-error @+1 {{view must keep scope, element type and synchronization}}
  %v = pcf.expand_shape %r [[0], [1, 2]] : !ref into !pcf.sref<4x2x4xf32, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @expand_groups(%r: !ref) {
  // expected-error @+1 {{expected 2 reassociation groups, got 3}}
  %v = pcf.expand_shape %r [[0], [1], [2]] : !ref into !pcf.sref<4x2x4xf32, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @expand_order(%r: !ref) {
  // expected-error @+1 {{reassociation must cover result dims 0..2 in order}}
  %v = pcf.expand_shape %r [[1], [0, 2]] : !ref into !pcf.sref<4x2x4xf32, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @expand_misses_a_dim(%r: !ref) {
  // expected-error @+1 {{reassociation must cover result dims 0..2 in order}}
  %v = pcf.expand_shape %r [[0], [1]] : !ref into !pcf.sref<4x8x1xf32, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @expand_unknown_dim(%r: !ref) {
  // expected-error @+1 {{reassociation must cover result dims 0..2 in order}}
  %v = pcf.expand_shape %r [[0], [1, 2, 3]] : !ref into !pcf.sref<4x2x4xf32, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<1x8xf32, #pcf.sequential>
func.func @expand_empty_group(%r: !ref) {
  // expected-error @+1 {{reassociation must cover result dims 0..1 in order}}
  %v = pcf.expand_shape %r [[], [0, 1]] : !ref into !pcf.sref<2x4xf32, #pcf.sequential>
  return
}

// -----

func.func @expand_scalar(%r: !pcf.sref<f32, #pcf.sequential>) {
  // expected-error @+1 {{reassociation must cover result dims 0..1 in order}}
  %v = pcf.expand_shape %r [] : !pcf.sref<f32, #pcf.sequential> into !pcf.sref<1x2xf32, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @expand_product(%r: !ref) {
  // expected-error @+1 {{group 1 has product 6 but source dim 1 is 8}}
  %v = pcf.expand_shape %r [[0], [1, 2]] : !ref into !pcf.sref<4x2x3xf32, #pcf.sequential>
  return
}

// -----

// A product that wraps is not the extent.
!ref = !pcf.sref<0xf32, #pcf.sequential>
func.func @expand_wrapping_product(%r: !ref) {
  // expected-error @+1 {{group 0 has product 9223372036854775807 but source dim 0 is 0}}
  %v = pcf.expand_shape %r [[0, 1]] : !ref into !pcf.sref<4294967296x4294967296xf32, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<?x8xf32, #pcf.sequential>
func.func @expand_static_product(%r: !ref) {
  // expected-error @+1 {{group 0 has product 6 but source dim 0 is ?}}
  %v = pcf.expand_shape %r [[0, 1], [2]] : !ref into !pcf.sref<2x3x8xf32, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @expand_dynamic_product(%r: !ref, %n: index) {
  // expected-error @+1 {{group 0 has product ? but source dim 0 is 4}}
  %v = pcf.expand_shape %r [[0, 1], [2]] output_shape [2, %n, 8] : !ref into !pcf.sref<2x?x8xf32, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<?x8xf32, #pcf.sequential>
func.func @expand_without_shape(%r: !ref) {
  // expected-error @+1 {{expected 'output_shape' for a dynamic result}}
  %v = pcf.expand_shape %r [[0, 1], [2]] : !ref into !pcf.sref<?x4x8xf32, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @expand_with_shape(%r: !ref) {
  // expected-error @+1 {{'output_shape' is for a dynamic result}}
  %v = pcf.expand_shape %r [[0, 1], [2]] output_shape [2, 2, 8] : !ref into !pcf.sref<2x2x8xf32, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<?x8xf32, #pcf.sequential>
func.func @expand_other_shape(%r: !ref, %n: index) {
  // expected-error @+1 {{output_shape [}}
  %v = pcf.expand_shape %r [[0, 1], [2]] output_shape [%n, 2, 8] : !ref into !pcf.sref<?x4x8xf32, #pcf.sequential>
  return
}

// -----

!ref = !pcf.sref<?x8xf32, #pcf.sequential>
func.func @expand_extents(%r: !ref, %n: index) {
  // expected-error @+1 {{expected 1 dynamic extents, got 2}}
  %v = "pcf.expand_shape"(%r, %n, %n) <{reassociation = [[0, 1], [2]], static_output_shape = array<i64: -9223372036854775808, 4, 8>}> : (!ref, index, index) -> !pcf.sref<?x4x8xf32, #pcf.sequential>
  return
}
