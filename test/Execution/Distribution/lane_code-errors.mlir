// What a lane does with its part that is not what all lanes do to the whole is not
// modelled before distribution, and refused there (VX-200).
// RUN: not distaff run %s --target sm_80 --check --every-stage --func no_layout 2>&1 | FileCheck %s --check-prefix=NO_LAYOUT
// RUN: not distaff run %s --target sm_80 --check --every-stage --func half 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: not distaff run %s --target sm_80 --check --every-stage --func two_layouts 2>&1 | FileCheck %s --check-prefix=TWO_LAYOUTS
// RUN: not distaff run %s --target sm_80 --check --every-stage --func two_shapes 2>&1 | FileCheck %s --check-prefix=TWO_SHAPES
// RUN: not distaff run %s --target sm_80 --check --every-stage --func in_a_loop 2>&1 | FileCheck %s --check-prefix=IN_A_LOOP
// RUN: not distaff run %s --target sm_80 --check --every-stage --func not_elementwise 2>&1 | FileCheck %s --check-prefix=NOT_ELEMENTWISE
// RUN: not distaff run %s --target sm_80 --check --every-stage --func read_besides 2>&1 | FileCheck %s --check-prefix=READ_BESIDES

#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#L = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
#R = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [16], element_tile = [2], subgroup_strides = [1], thread_strides = [2]>
#H = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [16], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
#T = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [2, 2], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [2, 1], subgroup_strides = [0, 0], thread_strides = [8, 1]>

// NO_LAYOUT: error: 'iree_vector_ext.to_simt' op not modelled: a lane's part of a value without a to_layout
func.func @no_layout(%a: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %p = iree_vector_ext.to_simt %r : vector<64xf32> -> vector<1x1x2xf32>
  %m = arith.mulf %p, %p : vector<1x1x2xf32>
  %y = iree_vector_ext.to_simd %m : vector<1x1x2xf32> -> vector<64xf32>
  vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// HALF: error: 'iree_vector_ext.to_simt' op not modelled: a lane's part of a whole of another shape than what is put together
func.func @half(%a: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %h = vector.extract_strided_slice %r {offsets = [0], sizes = [32], strides = [1]} : vector<64xf32> to vector<32xf32>
  %x = iree_vector_ext.to_layout %h to layout(#H) : vector<32xf32>
  %p = iree_vector_ext.to_simt %x : vector<32xf32> -> vector<1x1x2xf32>
  %m = arith.mulf %p, %p : vector<1x1x2xf32>
  %y = iree_vector_ext.to_simd %m : vector<1x1x2xf32> -> vector<64xf32>
  vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// TWO_LAYOUTS: error: 'iree_vector_ext.to_simt' op not modelled: a lane's part that is combined with one of another layout
func.func @two_layouts(%a: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %x = iree_vector_ext.to_layout %r to layout(#L) : vector<64xf32>
  %w = iree_vector_ext.to_layout %r to layout(#R) : vector<64xf32>
  %p = iree_vector_ext.to_simt %x : vector<64xf32> -> vector<1x1x2xf32>
  %q = iree_vector_ext.to_simt %w : vector<64xf32> -> vector<1x1x2xf32>
  %m = arith.mulf %p, %q : vector<1x1x2xf32>
  %y = iree_vector_ext.to_simd %m : vector<1x1x2xf32> -> vector<64xf32>
  vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// TWO_SHAPES: error: 'iree_vector_ext.to_simt' op not modelled: a lane's part that is put together in another shape
func.func @two_shapes(%a: memref<16x16xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %x = iree_vector_ext.to_layout %r to layout(#T) : vector<16x16xf32>
  %p = iree_vector_ext.to_simt %x : vector<16x16xf32> -> vector<4x2xf32>
  %q = vector.shape_cast %p : vector<4x2xf32> to vector<2x2x1x1x2x1xf32>
  %y = iree_vector_ext.to_simd %q : vector<2x2x1x1x2x1xf32> -> vector<16x16xf32>
  vector.transfer_write %y, %a[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// IN_A_LOOP: error: 'iree_vector_ext.to_simd' op not modelled: a lane's part that is handed on by another op than scf.for, scf.if and scf.index_switch
func.func @in_a_loop(%a: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %x = iree_vector_ext.to_layout %r to layout(#L) : vector<64xf32>
  %p = iree_vector_ext.to_simt %x : vector<64xf32> -> vector<1x1x2xf32>
  %l = scf.while (%v = %p) : (vector<1x1x2xf32>) -> vector<1x1x2xf32> {
    %t = memref.load %a[%c0] : memref<64xf32>
    %more = arith.cmpf olt, %t, %z : f32
    scf.condition(%more) %v : vector<1x1x2xf32>
  } do {
  ^bb0(%v: vector<1x1x2xf32>):
    %m = arith.mulf %v, %v : vector<1x1x2xf32>
    %u = iree_vector_ext.to_simd %m : vector<1x1x2xf32> -> vector<64xf32>
    vector.transfer_write %u, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
    scf.yield %m : vector<1x1x2xf32>
  }
  %y = iree_vector_ext.to_simd %p : vector<1x1x2xf32> -> vector<64xf32>
  vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// NOT_ELEMENTWISE: error: 'vector.shuffle' op not modelled: an op of a lane's part that is not elementwise
func.func @not_elementwise(%a: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %x = iree_vector_ext.to_layout %r to layout(#L) : vector<64xf32>
  %p = iree_vector_ext.to_simt %x : vector<64xf32> -> vector<1x1x2xf32>
  %m = vector.shuffle %p, %p [0] : vector<1x1x2xf32>, vector<1x1x2xf32>
  %y = iree_vector_ext.to_simd %m : vector<1x1x2xf32> -> vector<64xf32>
  vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// READ_BESIDES: error: 'vector.extract' op not modelled: an op of a lane's part that no to_simd puts together
func.func @read_besides(%a: memref<64xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %r = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %x = iree_vector_ext.to_layout %r to layout(#L) : vector<64xf32>
  %p = iree_vector_ext.to_simt %x : vector<64xf32> -> vector<1x1x2xf32>
  %m = arith.mulf %p, %p : vector<1x1x2xf32>
  %e = vector.extract %m[0, 0, 1] : f32 from vector<1x1x2xf32>
  memref.store %e, %a[%c1] : memref<64xf32>
  %y = iree_vector_ext.to_simd %m : vector<1x1x2xf32> -> vector<64xf32>
  vector.transfer_write %y, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}
