// RUN: distaff-opt %s -allow-unregistered-dialect -verify-diagnostics -split-input-file

// Every message of write_slice, read_slice and get_memref (PCF-15).

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @write_lists(%r: !ref, %v: vector<4x8xf32>) {
  // expected-error @+1 {{expected 2 offsets, sizes and strides, got 1, 3, 2}}
  pcf.write_slice %v into %r[0] [4, 8, 1] [1, 1] : vector<4x8xf32> into !ref
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @write_rank(%r: !ref, %v: tensor<8xf32>) {
  // expected-error @+1 {{source rank 1 does not match sref rank 2}}
  pcf.write_slice %v into %r[0, 0] [1, 8] [1, 1] : tensor<8xf32> into !ref
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @write_element(%r: !ref, %v: memref<4x8xf16>) {
  // expected-error @+1 {{source element type 'f16' does not match sref element type 'f32'}}
  pcf.write_slice %v into %r[0, 0] [4, 8] [1, 1] : memref<4x8xf16> into !ref
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @write_smaller_size(%r: !ref, %v: tensor<4x8xf32>) {
  // expected-error @+1 {{source dim 1 is 8 but the slice size is 7}}
  pcf.write_slice %v into %r[0, 0] [4, 7] [1, 1] : tensor<4x8xf32> into !ref
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @write_smaller_memref(%r: !ref, %v: memref<3x?xf32>) {
  // expected-error @+1 {{source dim 0 is 3 but the slice size is 4}}
  pcf.write_slice %v into %r[0, 0] [4, 7] [1, 1] : memref<3x?xf32> into !ref
  return
}

// -----

// PCF-26: a vector may only be larger.
!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @write_smaller_vector(%r: !ref, %v: vector<8x6xf32>) {
  // expected-error @+1 {{source dim 1 is 6, smaller than the slice size 7}}
  pcf.write_slice %v into %r[0, 0] [4, 7] [1, 1] : vector<8x6xf32> into !ref
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @write_beyond(%r: !ref, %v: vector<2x2xf32>) {
  // expected-error @+1 {{slice exceeds extent 8 in dim 1}}
  pcf.write_slice %v into %r[2, 7] [2, 2] [1, 1] : vector<2x2xf32> into !ref
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @stride_leads_beyond(%r: !ref, %v: vector<2x2xf32>) {
  // expected-error @+1 {{slice exceeds extent 4 in dim 0}}
  pcf.write_slice %v into %r[1, 0] [2, 2] [3, 1] : vector<2x2xf32> into !ref
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @stride_leads_below(%r: !ref, %v: vector<2x2xf32>) {
  // expected-error @+1 {{slice exceeds extent 4 in dim 0}}
  pcf.write_slice %v into %r[2, 0] [2, 2] [-3, 1] : vector<2x2xf32> into !ref
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @beyond_by_wrapping(%r: !ref, %v: vector<4x2xf32>) {
  // expected-error @+1 {{slice exceeds extent 4 in dim 0}}
  pcf.write_slice %v into %r[1, 0] [4, 2] [6148914691236517206, 1] : vector<4x2xf32> into !ref
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @negative_offset(%r: !ref, %v: vector<4x2xf32>) {
  // expected-error @+1 {{expected offsets to be non-negative, but got -1}}
  pcf.write_slice %v into %r[0, -1] [4, 2] [1, 1] : vector<4x2xf32> into !ref
  return
}

// -----

// PCF-20
func.func @write_to_readonly(%t: tensor<4xf32>, %v: vector<4xf32>) {
  pcf.generic scope(#pcf.sequential) execute(%a <- %t : tensor<4xf32>)[] : (!pcf.sref<4xf32, #pcf.sequential>) {
    // expected-error @+1 {{cannot write to a readonly ref}}
    pcf.write_slice %v into %a[0] [4] [1] : vector<4xf32> into !pcf.sref<4xf32, #pcf.sequential>
    pcf.return
  }
  return
}

// -----

// PCF-20: the refs of a loop, behind another ref, through views, from within
// another op.
func.func @write_to_a_view_of_readonly(%t: tensor<4xf32>, %v: vector<1x2xf32>, %n: index) {
  %r = pcf.loop scope(#pcf.sequential) count(%n) execute(%w = %t, %a <- %t : tensor<4xf32>)[%i: index]
    : (!pcf.sref<4xf32, #pcf.sequential>, !pcf.sref<4xf32, #pcf.sequential>) -> (tensor<4xf32>) {
    %x = pcf.expand_shape %a [[0, 1]] : !pcf.sref<4xf32, #pcf.sequential> into !pcf.sref<2x2xf32, #pcf.sequential>
    %y = pcf.subview %x[0, 0] [1, 2] [1, 1] : !pcf.sref<2x2xf32, #pcf.sequential> to !pcf.sref<1x2xf32, #pcf.sequential>
    pcf.generic scope(#iree_gpu.lane_scope) execute[] {
      // expected-error @+1 {{cannot write to a readonly ref}}
      pcf.write_slice %v into %y[0, 0] [1, 2] [1, 1] : vector<1x2xf32> into !pcf.sref<1x2xf32, #pcf.sequential>
      pcf.return
    }
    pcf.return
  }
  return
}

// -----

// PCF-20: behind leading arguments.
func.func @write_to_readonly_behind_leading(%t: tensor<4xf32>, %v: vector<4xf32>) {
  pcf.shared_executor scope(#pcf.sequential) initialize {
    %c = arith.constant 1 : index
    pcf.yield %c : index
  } -> (%c: index) execute(%a <- %t : tensor<4xf32>)[%tg: !pcf.threadgroup<#pcf.sequential>] : (!pcf.sref<4xf32, #pcf.sequential>) {
    // expected-error @+1 {{cannot write to a readonly ref}}
    pcf.write_slice %v into %a[0] [4] [1] : vector<4xf32> into !pcf.sref<4xf32, #pcf.sequential>
    pcf.return
  }
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @scalable_source(%r: !ref, %v: vector<4x[8]xf32>) {
  // expected-error @+1 {{operand #0 must be}}
  pcf.write_slice %v into %r[0, 0] [4, 8] [1, 1] : vector<4x[8]xf32> into !ref
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @scalable_result(%r: !ref) {
  // expected-error @+1 {{result #0 must be}}
  %v = pcf.read_slice %r[0, 0] [4, 8] [1, 1] : !ref to vector<4x[8]xf32>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @read_lists(%r: !ref) {
  // expected-error @+1 {{expected 2 offsets, sizes and strides, got 2, 2, 1}}
  %v = pcf.read_slice %r[0, 0] [4, 8] [1] : !ref to vector<4x8xf32>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @read_rank(%r: !ref) {
  // expected-error @+1 {{result rank 1 does not match sref rank 2}}
  %v = pcf.read_slice %r[0, 0] [1, 8] [1, 1] : !ref to vector<8xf32>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @read_element(%r: !ref) {
  // expected-error @+1 {{result element type 'i32' does not match sref element type 'f32'}}
  %v = pcf.read_slice %r[0, 0] [1, 8] [1, 1] : !ref to tensor<1x8xi32>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @read_size(%r: !ref) {
  // expected-error @+1 {{result dim 0 is 2 but the slice size is 1}}
  %v = pcf.read_slice %r[0, 0] [1, 8] [1, 1] : !ref to tensor<2x8xf32>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @read_smaller_vector(%r: !ref) {
  // expected-error @+1 {{result dim 1 is 7, smaller than the slice size 8}}
  %v = pcf.read_slice %r[0, 0] [1, 8] [1, 1] : !ref to vector<2x7xf32>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @read_beyond(%r: !ref) {
  // expected-error @+1 {{slice exceeds extent 4 in dim 0}}
  %v = pcf.read_slice %r[4, 0] [1, 8] [1, 1] : !ref to tensor<1x8xf32>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @read_static(%r: !ref, %n: index) {
  // expected-error @+1 {{result dim 1 must be dynamic like the slice size}}
  %v = pcf.read_slice %r[0, 0] [1, %n] [1, 1] : !ref to tensor<1x8xf32>
  return
}

// -----

!ref = !pcf.sref<4x8xf32, #pcf.sequential>
func.func @read_dynamic(%r: !ref, %n: index) {
  // expected-error @+1 {{result dim 0 must be static like the slice size}}
  %v = pcf.read_slice %r[0, 0] [1, %n] [1, 1] : !ref to tensor<?x?xf32>
  return
}

// -----

!ref = !pcf.sref<8xf32, #pcf.sequential>
func.func @memref_space(%r: !ref) {
  // expected-error @+1 {{result must have no memory space}}
  %m = pcf.get_memref %r[0] [8] [1] : !ref to memref<8xf32, strided<[?], offset: ?>, 3>
  return
}

// -----

!ref = !pcf.sref<8xf32, #pcf.sequential>
func.func @memref_layout(%r: !ref) {
  // expected-error @+1 {{result layout must be strided with dynamic offset and strides}}
  %m = pcf.get_memref %r[0] [8] [1] : !ref to memref<8xf32>
  return
}

// -----

!ref = !pcf.sref<8xf32, #pcf.sequential>
func.func @memref_offset(%r: !ref) {
  // expected-error @+1 {{result layout must be strided with dynamic offset and strides}}
  %m = pcf.get_memref %r[0] [8] [1] : !ref to memref<8xf32, strided<[?]>>
  return
}

// -----

!ref = !pcf.sref<8xf32, #pcf.sequential>
func.func @memref_stride(%r: !ref) {
  // expected-error @+1 {{result layout must be strided with dynamic offset and strides}}
  %m = pcf.get_memref %r[0] [8] [1] : !ref to memref<8xf32, strided<[1], offset: ?>>
  return
}

// -----

!ref = !pcf.sref<8xf32, #pcf.sequential>
func.func @memref_rank(%r: !ref) {
  // expected-error @+1 {{result rank 2 does not match sref rank 1}}
  %m = pcf.get_memref %r[0] [8] [1] : !ref to memref<1x8xf32, strided<[?, ?], offset: ?>>
  return
}

// -----

!ref = !pcf.sref<8xf32, #pcf.sequential>
func.func @memref_element(%r: !ref) {
  // expected-error @+1 {{result element type 'i8' does not match sref element type 'f32'}}
  %m = pcf.get_memref %r[0] [8] [1] : !ref to memref<8xi8, strided<[?], offset: ?>>
  return
}

// -----

!ref = !pcf.sref<8xf32, #pcf.sequential>
func.func @memref_size(%r: !ref) {
  // expected-error @+1 {{result dim 0 is 8 but the slice size is 4}}
  %m = pcf.get_memref %r[0] [4] [1] : !ref to memref<8xf32, strided<[?], offset: ?>>
  return
}

// -----

!ref = !pcf.sref<8xf32, #pcf.sequential>
func.func @memref_dynamic(%r: !ref, %n: index) {
  // expected-error @+1 {{result dim 0 must be dynamic like the slice size}}
  %m = pcf.get_memref %r[0] [%n] [1] : !ref to memref<8xf32, strided<[?], offset: ?>>
  return
}

// -----

!ref = !pcf.sref<8xf32, #pcf.sequential>
func.func @memref_beyond(%r: !ref) {
  // expected-error @+1 {{slice exceeds extent 8 in dim 0}}
  %m = pcf.get_memref %r[5] [4] [1] : !ref to memref<4xf32, strided<[?], offset: ?>>
  return
}

// -----

func.func @no_sref(%m: memref<8xf32>) {
  // expected-error @+1 {{operand #0 must be sref, but got 'memref<8xf32>'}}
  %v = "pcf.read_slice"(%m) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 8>, static_strides = array<i64: 1>}> : (memref<8xf32>) -> vector<8xf32>
  return
}
