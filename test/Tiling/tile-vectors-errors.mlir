// RUN: distaff-opt %s --distaff-tile-vectors=target=sm_80 --split-input-file --verify-diagnostics

// expected-error @+1 {{'func.func' op has a native_vector in a kernel with layouts, which are of whole vectors; leave one of them out}}
func.func @layouts(%x: memref<64xf32>, %y: memref<64xf32>) attributes {distaff.native_vector = array<i64: 8>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>) : vector<64xf32>
  vector.transfer_write %1, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// -----

func.func @no_memory(%x: memref<4096x8xf32>, %y: memref<32768xf32>) attributes {distaff.native_vector = array<i64: 8>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<4096x8xf32>, vector<4096x8xf32>
  // expected-note @+1 {{this value has to exist as a whole, of 'vector<32768xf32>', and no memory is left for it}}
  %1 = vector.shape_cast %0 : vector<4096x8xf32> to vector<32768xf32>
  // expected-warning @+1 {{'vector.transfer_write' op is not computed by its native_vector}}
  vector.transfer_write %1, %y[%c0] {in_bounds = [true]} : vector<32768xf32>, memref<32768xf32>
  return
}

// -----

// What exists as a whole lies in workgroup memory or in registers, or nowhere (VX-166).
func.func @too_large(%x: memref<512x512xf32>, %y: memref<262144xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<512x512xf32>, vector<512x512xf32>
  // expected-note @+1 {{this value, of 'vector<262144xf32>'}}
  %1 = vector.shape_cast %0 : vector<512x512xf32> to vector<262144xf32>
  // expected-error @+1 {{'vector.transfer_write' op needs a value that has to exist as a whole, of 1048576 bytes, 2048 registers per lane: sm_80 has 125184 bytes of workgroup memory left for it, and 191 registers; write it to an argument and read it from there, or make the vector smaller}}
  vector.transfer_write %1, %y[%c0] {in_bounds = [true]} : vector<262144xf32>, memref<262144xf32>
  return
}

// -----

// A part of which slices are not, and that memory does not hold either (VX-242).
func.func @part_too_large(%x: memref<512x512xf32>, %y: memref<300x400xf32>, %i: vector<300xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<512x512xf32>, vector<512x512xf32>
  %1 = vector.transfer_read %y[%c0, %c0], %z {in_bounds = [true, true]} : memref<300x400xf32>, vector<300x400xf32>
  %2, %3 = vector.scan <add>, %1, %i {inclusive = true, reduction_dim = 1 : i64} : vector<300x400xf32>, vector<300xf32>
  // expected-note @+1 {{this value, of 'vector<512x512xf32>'}}
  %4 = vector.insert_strided_slice %2, %0 {offsets = [7, 13], strides = [1, 1]} : vector<300x400xf32> into vector<512x512xf32>
  // expected-error @+1 {{'vector.transfer_write' op needs a value that has to exist as a whole, of 1048576 bytes, 262144 registers per lane: sm_80 has 125184 bytes of workgroup memory left for it, and 191 registers; write it to an argument and read it from there, or make the vector smaller}}
  vector.transfer_write %4, %x[%c0, %c0] {in_bounds = [true, true]} : vector<512x512xf32>, memref<512x512xf32>
  return
}

// -----

// expected-error @+1 {{'func.func' op has distaff.native_vector = [4, 8], which has to be sizes of at least 1, as array<i64: 4, 8>}}
func.func @no_array() attributes {distaff.native_vector = [4, 8]} {
  return
}

// -----

// expected-error @+1 {{'func.func' op has distaff.native_vector = array<i64: 4, 0>, which has to be sizes of at least 1}}
func.func @no_size() attributes {distaff.native_vector = array<i64: 4, 0>} {
  return
}

// -----

// Sizes beyond a vector stop at its own, and extra ones are left out (VX-173).
func.func @larger(%a: memref<16x13xf32>, %b: memref<16x13xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x13xf32>, vector<16x13xf32>
  // expected-warning @+1 {{'math.absf' op has the native_vector 4x32, which is larger than its vector of 16x13; sizes stop there}}
  %r = math.absf %x {distaff.native_vector = array<i64: 4, 32>} : vector<16x13xf32>
  vector.transfer_write %r, %b[%c0, %c0] {in_bounds = [true, true]} : vector<16x13xf32>, memref<16x13xf32>
  return
}

// -----

// expected-warning @+1 {{'func.func' op has the native_vector 2x4x8, which is larger than each of its vectors, the largest of 16x13; sizes stop there}}
func.func @more_dims(%a: memref<16x13xf32>, %b: memref<16x13xf32>) attributes {distaff.native_vector = array<i64: 2, 4, 8>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x13xf32>, vector<16x13xf32>
  %r = math.absf %x : vector<16x13xf32>
  vector.transfer_write %r, %b[%c0, %c0] {in_bounds = [true, true]} : vector<16x13xf32>, memref<16x13xf32>
  return
}

// -----

// A function's sizes that fit one of its vectors are meant for that one.
func.func @of_one(%a: memref<16x13xf32>, %b: memref<16x13xf32>, %s: memref<16xf32>) attributes {distaff.native_vector = array<i64: 4, 8>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x13xf32>, vector<16x13xf32>
  vector.transfer_write %x, %b[%c0, %c0] {in_bounds = [true, true]} : vector<16x13xf32>, memref<16x13xf32>
  %o = arith.constant dense<1.0> : vector<16xf32>
  vector.transfer_write %o, %s[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
  return
}

// -----

// expected-warning @+1 {{'func.func' op has the native_vector 8, and computes no vector}}
func.func @no_vector(%a: memref<16xf32>, %x: f32) attributes {distaff.native_vector = array<i64: 8>} {
  %c0 = arith.constant 0 : index
  memref.store %x, %a[%c0] : memref<16xf32>
  return
}

// -----

// Of two ops of one tile the one that is nearer to the write holds.
func.func @two(%a: memref<16x13xf32>, %b: memref<16x13xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x13xf32>, vector<16x13xf32>
  // expected-warning @+1 {{'math.absf' op is not computed by its native_vector 2x8: it is of no vector that is written or reduced by tiles, or of one that has other sizes}}
  %y = math.absf %x {distaff.native_vector = array<i64: 2, 8>} : vector<16x13xf32>
  %r = arith.addf %y, %y {distaff.native_vector = array<i64: 4, 8>} : vector<16x13xf32>
  vector.transfer_write %r, %b[%c0, %c0] {in_bounds = [true, true]} : vector<16x13xf32>, memref<16x13xf32>
  return
}
