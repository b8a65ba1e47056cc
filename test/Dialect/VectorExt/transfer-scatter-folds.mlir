// RUN: distaff-opt %s -canonicalize | FileCheck %s

// VX-16, VX-18: the folds of transfer_scatter that differ from gather's.

#rows = affine_map<(d0)[s0] -> (s0)>
#by_row = affine_map<(d0)[s0] -> (d0)>

// G1
// CHECK-LABEL: func.func @true_mask_is_dropped
func.func @true_mask_is_dropped(%v: vector<16xf16>, %base: memref<512xf16>, %rows: vector<16xindex>, %i: index) {
  // CHECK: transfer_scatter {{.*}} : vector<16xf16>, memref<512xf16>{{$}}
  %m = arith.constant dense<true> : vector<16xi1>
  iree_vector_ext.transfer_scatter %v into %base[%i] [%rows : vector<16xindex>], %m {indexing_maps = [#rows, #by_row, #by_row]} : vector<16xf16>, memref<512xf16>, vector<16xi1>
  return
}

// G2
// CHECK-LABEL: func.func @false_mask_writes_nothing
// CHECK-SAME: %[[T:[a-z0-9]+]]: tensor<512xf16>
func.func @false_mask_writes_nothing(%v: vector<16xf16>, %base: memref<512xf16>, %t: tensor<512xf16>, %rows: vector<16xindex>, %i: index) -> tensor<512xf16> {
  // CHECK-NEXT: return %[[T]]
  %m = arith.constant dense<false> : vector<16xi1>
  iree_vector_ext.transfer_scatter %v into %base[%i] [%rows : vector<16xindex>], %m {indexing_maps = [#rows, #by_row, #by_row]} : vector<16xf16>, memref<512xf16>, vector<16xi1>
  %0 = iree_vector_ext.transfer_scatter %v into %t[%i] [%rows : vector<16xindex>], %m {indexing_maps = [#rows, #by_row, #by_row]} : vector<16xf16>, tensor<512xf16>, vector<16xi1> -> tensor<512xf16>
  return %0 : tensor<512xf16>
}

// G5, then G8
// CHECK-LABEL: func.func @contiguous_scatter_is_a_write
func.func @contiguous_scatter_is_a_write(%v: vector<16xf16>, %base: memref<512xf16>, %t: tensor<4x512xf16>, %i: index, %m: vector<16xi1>) -> tensor<4x512xf16> {
  // CHECK: vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}], %{{.*}} : vector<16xf16>, memref<512xf16>
  %step = vector.step : vector<16xindex>
  %c3 = arith.constant 3 : index
  iree_vector_ext.transfer_scatter %v into %base[%c3] [%step : vector<16xindex>], %m {indexing_maps = [#rows, #by_row, #by_row], in_bounds = [false]} : vector<16xf16>, memref<512xf16>, vector<16xi1>
  // CHECK: vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] {in_bounds = [true]} : vector<16xf16>, tensor<4x512xf16>
  %0 = iree_vector_ext.transfer_scatter %v into %t[%i, %i] {indexing_maps = [affine_map<(d0) -> (0, d0)>]} : vector<16xf16>, tensor<4x512xf16> -> tensor<4x512xf16>
  return %0 : tensor<4x512xf16>
}

// G8: two vector dims, one base dim.
// CHECK-LABEL: func.func @gathered_scatter_stays
func.func @gathered_scatter_stays(%v: vector<16xf16>, %base: memref<512xf16>, %rows: vector<16xindex>, %i: index) {
  // CHECK: transfer_scatter
  iree_vector_ext.transfer_scatter %v into %base[%i] [%rows : vector<16xindex>] {indexing_maps = [#rows, #by_row]} : vector<16xf16>, memref<512xf16>
  return
}

// G10
// CHECK-LABEL: func.func @unit_dim_is_dropped
func.func @unit_dim_is_dropped(%v: vector<1x16xf16>, %base: memref<512xf16>, %rows: vector<1x16xindex>, %i: index) {
  // CHECK-DAG: %[[V:.*]] = vector.shape_cast %{{.*}} : vector<1x16xf16> to vector<16xf16>
  // CHECK-DAG: %[[ROWS:.*]] = vector.shape_cast %{{.*}} : vector<1x16xindex> to vector<16xindex>
  // CHECK: transfer_scatter %[[V]] into %{{.*}} [%[[ROWS]] : vector<16xindex>]
  iree_vector_ext.transfer_scatter %v into %base[%i] [%rows : vector<1x16xindex>] {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0)>, affine_map<(d0, d1)[s0] -> (d0, d1)>]} : vector<1x16xf16>, memref<512xf16>
  return
}
