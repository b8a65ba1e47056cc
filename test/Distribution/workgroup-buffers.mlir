// RUN: distaff-opt %s --distaff-distribute=target=sm_80 --split-input-file | FileCheck %s

// Buffers of 32 KiB whose lives do not meet lie on the same bytes; what the
// first one's readers have not read yet is not overwritten.
#info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#rows = #iree_vector_ext.nested_layout<
  subgroup_tile = [4, 1], batch_tile = [16, 1], outer_tile = [1, 1], thread_tile = [1, 32], element_tile = [1, 4],
  subgroup_strides = [1, 0], thread_strides = [0, 1]>
#columns = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 4], batch_tile = [1, 32], outer_tile = [1, 1], thread_tile = [32, 1], element_tile = [2, 1],
  subgroup_strides = [0, 1], thread_strides = [1, 0]>

// CHECK-LABEL: @one_after_the_other
// CHECK: %[[ALL:.*]] = memref.alloc() {alignment = 16 : i64} : memref<32768xi8, #gpu.address_space<workgroup>>
// CHECK: %[[A:.*]] = memref.view %[[ALL]][%{{.*}}][] : memref<32768xi8, #gpu.address_space<workgroup>> to memref<8192xf32
// CHECK: %[[B:.*]] = memref.view %[[ALL]][%{{.*}}][] : memref<32768xi8, #gpu.address_space<workgroup>> to memref<8192xf32
// CHECK: vector.store %{{.*}}, %[[A]]
// CHECK: gpu.barrier
// CHECK: vector.load %[[A]]
// CHECK: gpu.barrier
// CHECK: vector.store %{{.*}}, %[[B]]
// CHECK: gpu.barrier
// CHECK: vector.load %[[B]]
func.func @one_after_the_other(%m: memref<64x128xf32>, %o: memref<64x128xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x128xf32>, vector<64x128xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#rows) : vector<64x128xf32>
  %y = iree_vector_ext.to_layout %x to layout(#columns) : vector<64x128xf32>
  %w = iree_vector_ext.to_layout %y to layout(#rows) : vector<64x128xf32>
  vector.transfer_write %w, %o[%c0, %c0] {in_bounds = [true, true]} : vector<64x128xf32>, memref<64x128xf32>
  return
}

// In a loop every turn would wait once more, for memory that nobody needs.
// CHECK-LABEL: @apart_in_a_loop
// CHECK-COUNT-2: memref.alloc() : memref<8192xf32, #gpu.address_space<workgroup>>
// CHECK: scf.for
// CHECK-COUNT-2: gpu.barrier
// CHECK-NOT: gpu.barrier
func.func @apart_in_a_loop(%m: memref<64x128xf32>, %o: memref<64x128xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x128xf32>, vector<64x128xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#rows) : vector<64x128xf32>
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%v = %x) -> (vector<64x128xf32>) {
    %y = iree_vector_ext.to_layout %v to layout(#columns) : vector<64x128xf32>
    %w = iree_vector_ext.to_layout %y to layout(#rows) : vector<64x128xf32>
    scf.yield %w : vector<64x128xf32>
  }
  vector.transfer_write %r, %o[%c0, %c0] {in_bounds = [true, true]} : vector<64x128xf32>, memref<64x128xf32>
  return
}

// Two exchanges in the loop lie apart, which saves two waits in each of 64
// turns; the one behind it shares the bytes of the first: 64 KiB, not 96.
// CHECK-LABEL: @two_in_a_loop_and_one_behind_it
// CHECK: %[[ALL:.*]] = memref.alloc() {alignment = 16 : i64} : memref<65536xi8, #gpu.address_space<workgroup>>
// CHECK-COUNT-3: memref.view %[[ALL]][%{{.*}}][] : memref<65536xi8, #gpu.address_space<workgroup>> to memref<8192xf32
// CHECK: scf.for
// CHECK-COUNT-2: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: scf.yield
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
func.func @two_in_a_loop_and_one_behind_it(%m: memref<64x128xf32>, %o: memref<64x128xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x128xf32>, vector<64x128xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#rows) : vector<64x128xf32>
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%v = %x) -> (vector<64x128xf32>) {
    %y = iree_vector_ext.to_layout %v to layout(#columns) : vector<64x128xf32>
    %w = iree_vector_ext.to_layout %y to layout(#rows) : vector<64x128xf32>
    scf.yield %w : vector<64x128xf32>
  }
  %s = iree_vector_ext.to_layout %r to layout(#columns) : vector<64x128xf32>
  vector.transfer_write %s, %o[%c0, %c0] {in_bounds = [true, true]} : vector<64x128xf32>, memref<64x128xf32>
  return
}

// Where the kernel's own buffer leaves less than the two need, they share even
// so: a wait before each store and each load.
// CHECK-LABEL: @together_in_a_loop_when_they_must
// CHECK-DAG: memref.alloc() {alignment = 16 : i64} : memref<32768xi8, #gpu.address_space<workgroup>>
// CHECK-DAG: memref.alloc() : memref<33536xf32, #gpu.address_space<workgroup>>
// CHECK: scf.for
// CHECK-COUNT-4: gpu.barrier
// CHECK-NOT: gpu.barrier
func.func @together_in_a_loop_when_they_must(%m: memref<64x128xf32>, %o: memref<64x128xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f32
  %own = memref.alloc() : memref<33536xf32, #gpu.address_space<workgroup>>
  memref.store %z, %own[%c0] : memref<33536xf32, #gpu.address_space<workgroup>>
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x128xf32>, vector<64x128xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#rows) : vector<64x128xf32>
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%v = %x) -> (vector<64x128xf32>) {
    %y = iree_vector_ext.to_layout %v to layout(#columns) : vector<64x128xf32>
    %w = iree_vector_ext.to_layout %y to layout(#rows) : vector<64x128xf32>
    scf.yield %w : vector<64x128xf32>
  }
  vector.transfer_write %r, %o[%c0, %c0] {in_bounds = [true, true]} : vector<64x128xf32>, memref<64x128xf32>
  return
}

// 16 bytes too few for the whole: two slices, each through the same 16 KiB.
// CHECK-LABEL: @in_pieces
// CHECK: memref.alloc() : memref<4096xf32, #gpu.address_space<workgroup>>
// CHECK-COUNT-3: gpu.barrier
// CHECK-NOT: gpu.barrier
func.func @in_pieces(%m: memref<64x128xf32>, %o: memref<64x128xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %own = memref.alloc() : memref<33540xf32, #gpu.address_space<workgroup>>
  memref.store %z, %own[%c0] : memref<33540xf32, #gpu.address_space<workgroup>>
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x128xf32>, vector<64x128xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#rows) : vector<64x128xf32>
  %y = iree_vector_ext.to_layout %x to layout(#columns) : vector<64x128xf32>
  vector.transfer_write %y, %o[%c0, %c0] {in_bounds = [true, true]} : vector<64x128xf32>, memref<64x128xf32>
  return
}
