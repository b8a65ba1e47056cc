// RUN: distaff-opt %s -cse -canonicalize | FileCheck %s
// RUN: distaff-opt %s -loop-invariant-code-motion | FileCheck %s --check-prefix=LOOP

#rows = affine_map<(d0)[s0] -> (s0)>
#by_row = affine_map<(d0)[s0] -> (d0)>

// VX-13: two gathers read the same unless something is written between them.
// CHECK-LABEL: func.func @gathers_of_equal_memory_are_one
func.func @gathers_of_equal_memory_are_one(%base: memref<512xf16>, %rows: vector<16xindex>, %i: index, %pad: f16) -> (vector<16xf16>, vector<16xf16>, vector<16xf16>) {
  // CHECK: %[[A:.*]] = iree_vector_ext.transfer_gather
  // CHECK-NOT: transfer_gather
  // CHECK: memref.store
  // CHECK: %[[B:.*]] = iree_vector_ext.transfer_gather
  // CHECK: return %[[A]], %[[A]], %[[B]]
  %0 = iree_vector_ext.transfer_gather %base[%i] [%rows : vector<16xindex>], %pad {indexing_maps = [#rows, #by_row]} : memref<512xf16>, vector<16xf16>
  %1 = iree_vector_ext.transfer_gather %base[%i] [%rows : vector<16xindex>], %pad {indexing_maps = [#rows, #by_row]} : memref<512xf16>, vector<16xf16>
  memref.store %pad, %base[%i] : memref<512xf16>
  %2 = iree_vector_ext.transfer_gather %base[%i] [%rows : vector<16xindex>], %pad {indexing_maps = [#rows, #by_row]} : memref<512xf16>, vector<16xf16>
  return %0, %1, %2 : vector<16xf16>, vector<16xf16>, vector<16xf16>
}

// VX-18: a scatter is no dead code, unless its tensor is not used.
// CHECK-LABEL: func.func @scatters_write
func.func @scatters_write(%v: vector<16xf16>, %base: memref<512xf16>, %t: tensor<512xf16>, %rows: vector<16xindex>, %i: index) {
  // CHECK-COUNT-1: transfer_scatter {{.*}} memref<512xf16>
  // CHECK-NEXT: return
  iree_vector_ext.transfer_scatter %v into %base[%i] [%rows : vector<16xindex>] {indexing_maps = [#rows, #by_row]} : vector<16xf16>, memref<512xf16>
  %0 = iree_vector_ext.transfer_scatter %v into %t[%i] [%rows : vector<16xindex>] {indexing_maps = [#rows, #by_row]} : vector<16xf16>, tensor<512xf16> -> tensor<512xf16>
  return
}

// VX-13: as a transfer_read, a gather of a tensor leaves a loop in which nothing of it changes; one of a memref stays.
// LOOP-LABEL: func.func @gathers_leave_loops
// LOOP: %[[READ:.*]] = vector.transfer_read
// LOOP: %[[GATHERED:.*]] = iree_vector_ext.transfer_gather {{.*}} tensor<512xf16>
// LOOP: scf.for
// LOOP-NOT: transfer_read
// LOOP-NOT: tensor<512xf16>
// LOOP: transfer_gather {{.*}} memref<512xf16>
func.func @gathers_leave_loops(%t: tensor<512xf16>, %m: memref<512xf16>, %rows: vector<16xindex>, %n: index, %pad: f16, %init: vector<16xf16>) -> vector<16xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %init) -> vector<16xf16> {
    %0 = vector.transfer_read %t[%c0], %pad : tensor<512xf16>, vector<16xf16>
    %1 = iree_vector_ext.transfer_gather %t[%c0] [%rows : vector<16xindex>], %pad {indexing_maps = [#rows, #by_row]} : tensor<512xf16>, vector<16xf16>
    %2 = iree_vector_ext.transfer_gather %m[%c0] [%rows : vector<16xindex>], %pad {indexing_maps = [#rows, #by_row]} : memref<512xf16>, vector<16xf16>
    %3 = arith.addf %s, %0 : vector<16xf16>
    %4 = arith.addf %3, %1 : vector<16xf16>
    %5 = arith.addf %4, %2 : vector<16xf16>
    scf.yield %5 : vector<16xf16>
  }
  return %sum : vector<16xf16>
}
