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
    %p = iree_vector_ext.to_layout %v to layout(#rows) : vector<32x32xf16>
    %q = arith.addf %p, %p : vector<32x32xf16>
    %s = iree_vector_ext.to_layout %q to layout(#acc) : vector<32x32xf16>
    scf.yield %s : vector<32x32xf16>
  }
  vector.transfer_write %r, %o[%c0, %c0] {in_bounds = [true, true]} : vector<32x32xf16>, memref<32x32xf16>
  return
}
