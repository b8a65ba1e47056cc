// RUN: distaff-opt %s --distaff-distribute | FileCheck %s

#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#acc = #iree_vector_ext.nested_layout<
  subgroup_tile = [2, 1], batch_tile = [1, 4], outer_tile = [2, 1], thread_tile = [8, 4], element_tile = [1, 2],
  subgroup_strides = [1, 0], thread_strides = [4, 1]>
#operand = #iree_vector_ext.nested_layout<
  subgroup_tile = [2, 1], batch_tile = [1, 2], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2],
  subgroup_strides = [1, 0], thread_strides = [4, 1]>
#rows = #iree_vector_ext.nested_layout<
  subgroup_tile = [2, 1], batch_tile = [2, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 8],
  subgroup_strides = [1, 0], thread_strides = [4, 1]>

// T1: lanes hold the same elements; registers get other numbers.
// CHECK-LABEL: func.func @registers_are_renamed
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     gpu.barrier
// CHECK-NOT:     gpu.shuffle
// CHECK:         vector.transpose
// CHECK-NOT:     iree_vector_ext
func.func @registers_are_renamed(%m: memref<32x32xf16>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %x = iree_vector_ext.to_layout %0 to layout(#acc) : vector<32x32xf16>
  %y = iree_vector_ext.to_layout %x to layout(#operand) : vector<32x32xf16>
  vector.transfer_write %y, %m[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf16>, memref<32x32xf16>
  return
}

// T3: a buffer per conversion, allocated at the entry, and a barrier between its
// store and its load. The next iteration's store needs none (W29): the barrier
// of the other conversion lies between.
// CHECK-LABEL: func.func @through_memory_in_a_loop
// CHECK:         memref.alloc() : memref<{{.*}}xf16, #gpu.address_space<workgroup>>
// CHECK:         memref.alloc() : memref<{{.*}}xf16, #gpu.address_space<workgroup>>
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for
// CHECK-NOT:       gpu.barrier
// CHECK:           vector.store
// CHECK-NOT:       vector.load
// CHECK:           gpu.barrier
// CHECK:           vector.load
// CHECK-NOT:       gpu.barrier
// CHECK:           vector.store
// CHECK:           gpu.barrier
// CHECK:           vector.load
// CHECK-NOT:       gpu.barrier
// CHECK:         scf.yield
func.func @through_memory_in_a_loop(%m: memref<32x32xf16>, %o: memref<32x32xf16>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f16
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<32x32xf16>, vector<32x32xf16>
  %x = iree_vector_ext.to_layout %0 to layout(#acc) : vector<32x32xf16>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %x) -> (vector<32x32xf16>) {
    %p = iree_vector_ext.to_layout %v to layout(#rows) {shared_memory_conversion} : vector<32x32xf16>
    %q = arith.addf %p, %p : vector<32x32xf16>
    %s = iree_vector_ext.to_layout %q to layout(#acc) {shared_memory_conversion} : vector<32x32xf16>
    scf.yield %s : vector<32x32xf16>
  }
  vector.transfer_write %r, %o[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf16>, memref<32x32xf16>
  return
}

// T2: the lanes of a row exchange pairs, four to a row; nobody waits (VX-39).
// CHECK-LABEL: func.func @lanes_exchange_pairs
// CHECK-NOT:     memref.alloc
// CHECK-COUNT-3: gpu.shuffle xor {{.*}} : vector<2xf16>
// CHECK-NOT:     gpu.shuffle
// CHECK-NOT:     gpu.barrier
// CHECK:         return
#columns = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 4], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 2],
  subgroup_strides = [0, 0], thread_strides = [4, 1]>
#eights = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 8],
  subgroup_strides = [0, 0], thread_strides = [4, 1]>
func.func @lanes_exchange_pairs(%m: memref<8x32xf16>, %o: memref<8x32xf16>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x32xf16>, vector<8x32xf16>
  %x = iree_vector_ext.to_layout %0 to layout(#columns) : vector<8x32xf16>
  %y = iree_vector_ext.to_layout %x to layout(#eights) : vector<8x32xf16>
  vector.transfer_write %y, %o[%c0, %c0] {in_bounds = [true, true]} : vector<8x32xf16>, memref<8x32xf16>
  return
}

// T1s: every lane has all elements, and keeps two of them: which, its id says
// (VX-38).
// CHECK-LABEL: func.func @each_lane_keeps_its_own
// CHECK-NOT:     gpu.shuffle
// CHECK-COUNT-6: arith.select {{.*}} : f32
// CHECK-NOT:     arith.select
// CHECK-NOT:     gpu.shuffle
// CHECK:         return
#all = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [1], element_tile = [8],
  subgroup_strides = [0], thread_strides = [0]>
#pairs = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [4], element_tile = [2],
  subgroup_strides = [0], thread_strides = [1]>
func.func @each_lane_keeps_its_own(%m: memref<8xf32>, %o: memref<8xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<8xf32>, vector<8xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#all) : vector<8xf32>
  %y = iree_vector_ext.to_layout %x to layout(#pairs) : vector<8xf32>
  vector.transfer_write %y, %o[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
  return
}

// T1s takes no other thread, so some threads may do it alone; a T2 is refused
// there (DG8, distribute-errors.mlir).
// CHECK-LABEL: func.func @selects_in_a_branch_of_some
// CHECK:         scf.if
// CHECK-COUNT-6: arith.select {{.*}} : f32
// CHECK-NOT:     gpu.barrier
// CHECK:         return
func.func @selects_in_a_branch_of_some(%m: memref<8xf32>, %o: memref<8xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %t = gpu.thread_id x
  %c7 = arith.constant 7 : index
  %some = arith.cmpi ult, %t, %c7 : index
  scf.if %some {
    %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<8xf32>, vector<8xf32>
    %x = iree_vector_ext.to_layout %0 to layout(#all) : vector<8xf32>
    %y = iree_vector_ext.to_layout %x to layout(#pairs) : vector<8xf32>
    vector.transfer_write %y, %o[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
  }
  return
}
