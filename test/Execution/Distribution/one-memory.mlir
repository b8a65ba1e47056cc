// RUN: distaff run %s --func one_global --target sm_80 --check --every-stage
// RUN: distaff run %s --func parts_of_a_view --target sm_80 --check --every-stage
// RUN: distaff run %s --func part_of_a_fixed_view --target sm_80 --check --every-stage

// One memory under two names, and two memories under one: who waits for whom (VX-94).

#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#across = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
#alike = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>

memref.global "private" @shared : memref<64xf32, #gpu.address_space<workgroup>>

func.func @one_global(%in: memref<64xf32>, %out: memref<64xf32>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %v = vector.transfer_read %in[%c0], %zero {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %w = iree_vector_ext.to_layout %v to layout(#across) : vector<64xf32>
  %a = memref.get_global @shared : memref<64xf32, #gpu.address_space<workgroup>>
  %b = memref.get_global @shared : memref<64xf32, #gpu.address_space<workgroup>>
  vector.transfer_write %w, %a[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32, #gpu.address_space<workgroup>>
  %x = vector.transfer_read %b[%c0], %zero {in_bounds = [true]} : memref<64xf32, #gpu.address_space<workgroup>>, vector<64xf32>
  %y = iree_vector_ext.to_layout %x to layout(#alike) : vector<64xf32>
  vector.transfer_write %y, %out[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// The second half of one part is the first half of the next one.
func.func @parts_of_a_view(%in: memref<8x64xf32>, %through: memref<1024xf32>, %out: memref<64xf32>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant dense<0.0> : vector<64xf32>
  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %none) -> vector<64xf32> {
    %v = vector.transfer_read %in[%k, %c0], %zero {in_bounds = [true]} : memref<8x64xf32>, vector<64xf32>
    %w = iree_vector_ext.to_layout %v to layout(#across) : vector<64xf32>
    %at = arith.muli %k, %c64 : index
    %part = memref.subview %through[%at] [128] [1] : memref<1024xf32> to memref<128xf32, strided<[1], offset: ?>>
    %x = vector.transfer_read %part[%c0], %zero {in_bounds = [true]} : memref<128xf32, strided<[1], offset: ?>>, vector<64xf32>
    %sum = arith.addf %acc, %x : vector<64xf32>
    %rows = vector.shape_cast %w : vector<64xf32> to vector<2x32xf32>
    %columns = vector.transpose %rows, [1, 0] : vector<2x32xf32> to vector<32x2xf32>
    %turned = vector.shape_cast %columns : vector<32x2xf32> to vector<64xf32>
    vector.transfer_write %turned, %part[%c64] {in_bounds = [true]} : vector<64xf32>, memref<128xf32, strided<[1], offset: ?>>
    scf.yield %sum : vector<64xf32>
  }
  vector.transfer_write %r, %out[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}

// What is taken anew each time, of the same place, is the same memory.
func.func @part_of_a_fixed_view(%in: memref<8x64xf32>, %through: memref<1024xf32>, %out: memref<64xf32>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant dense<0.0> : vector<64xf32>
  %r = scf.for %k = %c0 to %c8 step %c1 iter_args(%acc = %none) -> vector<64xf32> {
    %v = vector.transfer_read %in[%k, %c0], %zero {in_bounds = [true]} : memref<8x64xf32>, vector<64xf32>
    %w = iree_vector_ext.to_layout %v to layout(#across) : vector<64xf32>
    %part = memref.subview %through[128] [128] [1] : memref<1024xf32> to memref<128xf32, strided<[1], offset: 128>>
    vector.transfer_write %w, %part[%c0] {in_bounds = [true]} : vector<64xf32>, memref<128xf32, strided<[1], offset: 128>>
    %x = vector.transfer_read %part[%c0], %zero {in_bounds = [true]} : memref<128xf32, strided<[1], offset: 128>>, vector<64xf32>
    %y = iree_vector_ext.to_layout %x to layout(#alike) : vector<64xf32>
    %z = iree_vector_ext.to_layout %y to layout(#across) : vector<64xf32>
    %sum = arith.addf %acc, %z : vector<64xf32>
    scf.yield %sum : vector<64xf32>
  }
  vector.transfer_write %r, %out[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}
