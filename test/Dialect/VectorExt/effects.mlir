// RUN: distaff-opt %s -cse -canonicalize | FileCheck %s

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
