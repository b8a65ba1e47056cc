// RUN: distaff-opt %s --distaff-assign-layouts=target=sm_80 | FileCheck %s
// VX-48, VX-110: rows of the kernel's own buffers in workgroup memory lie where
// the lanes that read them meet different banks (docs/rationale/
// shared-memory-rows-are-padded.md).

#t = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#tiles = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 2], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#wg = #gpu.address_space<workgroup>

// 8 rows of 16 bytes, 64 bytes apart, meet in 4 banks; 80 bytes apart in none.
// CHECK-LABEL: func.func @argument
// CHECK-SAME: memref<16x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
func.func @argument(%a: memref<16x32xf16, #wg>, %y: memref<16x32xf16>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %v = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x32xf16, #wg>, vector<16x32xf16>
  %l = iree_vector_ext.to_layout %v to layout(#tiles) : vector<16x32xf16>
  vector.transfer_write %l, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<16x32xf16>
  return
}

// Views follow, the last of them with the offset that it has then.
// CHECK-LABEL: func.func @views
// CHECK-SAME: memref<3x20x32xf16, strided<[800, 40, 1]>, #gpu.address_space<workgroup>>
// CHECK: memref.subview {{.*}} to memref<20x32xf16, strided<[40, 1], offset: 800>, #gpu.address_space<workgroup>>
// CHECK: memref.subview {{.*}} to memref<16x32xf16, strided<[40, 1], offset: 880>, #gpu.address_space<workgroup>>
func.func @views(%a: memref<3x20x32xf16, #wg>, %y: memref<16x32xf16>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %s = memref.subview %a[1, 0, 0] [1, 20, 32] [1, 1, 1] : memref<3x20x32xf16, #wg> to memref<20x32xf16, strided<[32, 1], offset: 640>, #wg>
  %w = memref.subview %s[2, 0] [16, 32] [1, 1] : memref<20x32xf16, strided<[32, 1], offset: 640>, #wg> to memref<16x32xf16, strided<[32, 1], offset: 704>, #wg>
  %v = vector.transfer_read %w[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x32xf16, strided<[32, 1], offset: 704>, #wg>, vector<16x32xf16>
  %l = iree_vector_ext.to_layout %v to layout(#tiles) : vector<16x32xf16>
  vector.transfer_write %l, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<16x32xf16>
  return
}

// CHECK-LABEL: func.func @allocation
// CHECK: %[[ALL:.*]] = memref.alloc() : memref<16x40xf16, #gpu.address_space<workgroup>>
// CHECK: memref.subview %[[ALL]][0, 0] [16, 32] [1, 1] : memref<16x40xf16, #gpu.address_space<workgroup>> to memref<16x32xf16, strided<[40, 1]>, #gpu.address_space<workgroup>>
func.func @allocation(%x: memref<16x32xf16>, %y: memref<16x32xf16>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %a = memref.alloc() : memref<16x32xf16, #wg>
  %r = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x32xf16>, vector<16x32xf16>
  %t = iree_vector_ext.to_layout %r to layout(#tiles) : vector<16x32xf16>
  vector.transfer_write %t, %a[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<16x32xf16, #wg>
  %v = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x32xf16, #wg>, vector<16x32xf16>
  %l = iree_vector_ext.to_layout %v to layout(#tiles) : vector<16x32xf16>
  vector.transfer_write %l, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<16x32xf16>
  memref.dealloc %a : memref<16x32xf16, #wg>
  return
}

// Who names the strides keeps them, and so does whoever is reached by an op that
// says more of its memory than a view.
// CHECK-LABEL: func.func @named
// CHECK-SAME: memref<16x32xf16, strided<[32, 1]>, #gpu.address_space<workgroup>>, %{{.*}}: memref<16x32xf16, #gpu.address_space<workgroup>>
func.func @named(%a: memref<16x32xf16, strided<[32, 1]>, #wg>, %b: memref<16x32xf16, #wg>, %y: memref<16x32xf16>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %v = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x32xf16, strided<[32, 1]>, #wg>, vector<16x32xf16>
  %f = memref.collapse_shape %b [[0, 1]] : memref<16x32xf16, #wg> into memref<512xf16, #wg>
  %e = memref.load %f[%c0] : memref<512xf16, #wg>
  %s = vector.broadcast %e : f16 to vector<16x32xf16>
  %sum = arith.addf %v, %s : vector<16x32xf16>
  %l = iree_vector_ext.to_layout %sum to layout(#tiles) : vector<16x32xf16>
  vector.transfer_write %l, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<16x32xf16>
  return
}

// So does a buffer of which such an op takes a view.
// CHECK-LABEL: func.func @collapsed_view
// CHECK-SAME: memref<20x32xf16, #gpu.address_space<workgroup>>
func.func @collapsed_view(%a: memref<20x32xf16, #wg>, %y: memref<16x32xf16>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %w = memref.subview %a[2, 0] [16, 32] [1, 1] : memref<20x32xf16, #wg> to memref<16x32xf16, strided<[32, 1], offset: 64>, #wg>
  %f = memref.collapse_shape %w [[0, 1]] : memref<16x32xf16, strided<[32, 1], offset: 64>, #wg> into memref<512xf16, strided<[1], offset: 64>, #wg>
  %e = memref.load %f[%c0] : memref<512xf16, strided<[1], offset: 64>, #wg>
  %v = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]} : memref<20x32xf16, #wg>, vector<16x32xf16>
  %s = vector.broadcast %e : f16 to vector<16x32xf16>
  %sum = arith.addf %v, %s : vector<16x32xf16>
  %l = iree_vector_ext.to_layout %sum to layout(#tiles) : vector<16x32xf16>
  vector.transfer_write %l, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<16x32xf16>
  return
}

// Of 166,912 bytes 1,152 are left: 16 rows of 64 bytes may have 4 more each.
// CHECK-LABEL: func.func @no_room
// CHECK-SAME: memref<16x32xf16, strided<[34, 1]>, #gpu.address_space<workgroup>>
func.func @no_room(%full: memref<165760xi8, #wg>, %a: memref<16x32xf16, #wg>, %y: memref<16x32xf16>) attributes {translation_info = #t} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  %v = vector.transfer_read %a[%c0, %c0], %pad {in_bounds = [true, true]} : memref<16x32xf16, #wg>, vector<16x32xf16>
  %l = iree_vector_ext.to_layout %v to layout(#tiles) : vector<16x32xf16>
  vector.transfer_write %l, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x32xf16>, memref<16x32xf16>
  return
}
