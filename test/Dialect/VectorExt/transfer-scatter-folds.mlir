// RUN: distaff-opt %s -canonicalize | FileCheck %s

// VX-16, VX-18: the folds of transfer_scatter that differ from gather's.

#rows = affine_map<(d0)[s0] -> (s0)>
#by_row = affine_map<(d0)[s0] -> (d0)>
#row_of_two = affine_map<(d0, d1)[s0] -> (s0, d1)>
#both = affine_map<(d0, d1)[s0] -> (d0, d1)>

// CHECK-DAG: #[[D0:.*]] = affine_map<(d0, d1)[s0] -> (d0)>
// CHECK-DAG: #[[SWAPPED:.*]] = affine_map<(d0, d1)[s0] -> (d1, d0)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0)[s0] -> (0, s0)>
// CHECK-DAG: #[[TWICE:.*]] = affine_map<(d0)[s0] -> (s0, s0)>

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

// G3
// CHECK-LABEL: func.func @broadcast_index
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: vector<4xindex>
func.func @broadcast_index(%v: vector<4x8xf16>, %base: memref<99x99xf16>, %rows: vector<4xindex>, %i: index) {
  // CHECK: transfer_scatter {{.*}} [%[[ROWS]] : vector<4xindex>] {indexing_maps = [#{{.*}}, #[[D0]]]}
  %b = vector.broadcast %rows : vector<4xindex> to vector<8x4xindex>
  iree_vector_ext.transfer_scatter %v into %base[%i, %i] [%b : vector<8x4xindex>] {indexing_maps = [#row_of_two, affine_map<(d0, d1)[s0] -> (d1, d0)>]} : vector<4x8xf16>, memref<99x99xf16>
  return
}

// G3: a unit dim is stretched, so that the source has other positions.
// CHECK-LABEL: func.func @stretched_index_stays
func.func @stretched_index_stays(%v: vector<4x8xf16>, %base: memref<99x99xf16>, %rows: vector<4x1xindex>, %i: index) {
  // CHECK: transfer_scatter {{.*}} [%{{.*}} : vector<4x8xindex>]
  %b = vector.broadcast %rows : vector<4x1xindex> to vector<4x8xindex>
  iree_vector_ext.transfer_scatter %v into %base[%i, %i] [%b : vector<4x8xindex>] {indexing_maps = [#row_of_two, #both]} : vector<4x8xf16>, memref<99x99xf16>
  return
}

// G3: only dim 0, which would go, has the addresses checked.
// CHECK-LABEL: func.func @broadcast_that_is_checked_stays
func.func @broadcast_that_is_checked_stays(%v: vector<4x8xf16>, %base: memref<99xf16>, %rows: vector<8xindex>, %i: index) {
  // CHECK: transfer_scatter {{.*}} [%{{.*}} : vector<4x8xindex>]
  %b = vector.broadcast %rows : vector<8xindex> to vector<4x8xindex>
  iree_vector_ext.transfer_scatter %v into %base[%i] [%b : vector<4x8xindex>] {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0)>, #both], in_bounds = [false, true]} : vector<4x8xf16>, memref<99xf16>
  return
}

// G4
// CHECK-LABEL: func.func @transposed_index
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: vector<8x4xindex>
func.func @transposed_index(%v: vector<4x8xf16>, %base: memref<99x99xf16>, %rows: vector<8x4xindex>, %i: index) {
  // CHECK: transfer_scatter {{.*}} [%[[ROWS]] : vector<8x4xindex>] {indexing_maps = [#{{.*}}, #[[SWAPPED]]]}
  %t = vector.transpose %rows, [1, 0] : vector<8x4xindex> to vector<4x8xindex>
  iree_vector_ext.transfer_scatter %v into %base[%i, %i] [%t : vector<4x8xindex>] {indexing_maps = [#row_of_two, #both]} : vector<4x8xf16>, memref<99x99xf16>
  return
}

// G4: a product of transposes is none.
// CHECK-LABEL: func.func @product_of_transposed_indices_stays
func.func @product_of_transposed_indices_stays(%v: vector<4x8xf16>, %base: memref<99x99xf16>, %rows: vector<8x4xindex>, %i: index) {
  // CHECK: %[[P:.*]] = arith.muli
  // CHECK: transfer_scatter {{.*}} [%[[P]] : vector<4x8xindex>]
  %t = vector.transpose %rows, [1, 0] : vector<8x4xindex> to vector<4x8xindex>
  %p = arith.muli %t, %t : vector<4x8xindex>
  iree_vector_ext.transfer_scatter %v into %base[%i, %i] [%p : vector<4x8xindex>] {indexing_maps = [#row_of_two, #both]} : vector<4x8xf16>, memref<99x99xf16>
  return
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

// G6: the same row for all, as a scalar and as a splat. The symbol of the other index
// value is renumbered.
// CHECK-LABEL: func.func @uniform_index_moves_to_the_offset
// CHECK-SAME: %[[I:[a-z0-9]+]]: index, %[[J:[a-z0-9]+]]: index, {{.*}}, %[[COLS:[a-z0-9]+]]: vector<4xindex>
func.func @uniform_index_moves_to_the_offset(%i: index, %j: index, %v: vector<4xf16>, %base: memref<99x99xf16>, %cols: vector<4xindex>) {
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
  // CHECK: %[[ROW:.*]] = arith.addi %[[I]], %[[J]] : index
  // CHECK: transfer_scatter {{.*}}[%[[ROW]], %[[I]]] [%[[COLS]] : vector<4xindex>] {indexing_maps = [#[[COLUMN]]
  iree_vector_ext.transfer_scatter %v into %base[%i, %i] [%j : index, %cols : vector<4xindex>] {
    indexing_maps = [affine_map<(d0)[s0, s1] -> (s0, s1)>, affine_map<(d0)[s0, s1] -> ()>, affine_map<(d0)[s0, s1] -> (d0)>]} : vector<4xf16>, memref<99x99xf16>
  // CHECK: %[[ROW3:.*]] = arith.addi %[[I]], %[[C3]] : index
  // CHECK: transfer_scatter {{.*}}[%[[ROW3]], %[[I]]] [%[[COLS]] : vector<4xindex>] {indexing_maps = [#[[COLUMN]]
  %three = arith.constant dense<3> : vector<4xi16>
  iree_vector_ext.transfer_scatter %v into %base[%i, %i] [%three : vector<4xi16>, %cols : vector<4xindex>] {
    indexing_maps = [affine_map<(d0)[s0, s1] -> (s0, s1)>, affine_map<(d0)[s0, s1] -> (d0)>, affine_map<(d0)[s0, s1] -> (d0)>]} : vector<4xf16>, memref<99x99xf16>
  return
}

// G6: a negative row is outside, and not written since dim 0 may be outside; as an
// offset it would be undefined behaviour.
// CHECK-LABEL: func.func @uniform_index_that_is_checked_stays
func.func @uniform_index_that_is_checked_stays(%i: index, %v: vector<4xf16>, %base: memref<99x99xf16>) {
  // CHECK: transfer_scatter {{.*}} [%{{.*}} : vector<4xindex>]
  %rows = arith.constant dense<-3> : vector<4xindex>
  iree_vector_ext.transfer_scatter %v into %base[%i, %i] [%rows : vector<4xindex>] {
    indexing_maps = [affine_map<(d0)[s0] -> (s0, d0)>, #by_row], in_bounds = [false]} : vector<4xf16>, memref<99x99xf16>
  return
}

// G7
// CHECK-LABEL: func.func @added_scalar_moves_to_the_offset
// CHECK-SAME: %[[I:[a-z0-9]+]]: index, %[[J:[a-z0-9]+]]: index, {{.*}}, %[[ROWS:[a-z0-9]+]]: vector<4xindex>
func.func @added_scalar_moves_to_the_offset(%i: index, %j: index, %v: vector<4x8xf16>, %base: memref<99x99xf16>, %rows: vector<4xindex>) {
  // CHECK: %[[ROW:.*]] = arith.addi %[[I]], %[[J]] : index
  // CHECK: transfer_scatter {{.*}}[%[[ROW]], %[[I]]] [%[[ROWS]] : vector<4xindex>]
  %b = vector.broadcast %j : index to vector<4xindex>
  %s = arith.addi %rows, %b : vector<4xindex>
  iree_vector_ext.transfer_scatter %v into %base[%i, %i] [%s : vector<4xindex>] {indexing_maps = [#row_of_two, affine_map<(d0, d1)[s0] -> (d0)>]} : vector<4x8xf16>, memref<99x99xf16>
  return
}

// G7: an i8 sum may wrap around, an offset does not.
// CHECK-LABEL: func.func @narrow_sum_stays
func.func @narrow_sum_stays(%i: index, %j: i8, %v: vector<4x8xf16>, %base: memref<99x99xf16>, %rows: vector<4xi8>) {
  // CHECK: transfer_scatter {{.*}} [%{{.*}} : vector<4xi8>]
  %b = vector.broadcast %j : i8 to vector<4xi8>
  %s = arith.addi %rows, %b : vector<4xi8>
  iree_vector_ext.transfer_scatter %v into %base[%i, %i] [%s : vector<4xi8>] {indexing_maps = [#row_of_two, affine_map<(d0, d1)[s0] -> (d0)>]} : vector<4x8xf16>, memref<99x99xf16>
  return
}

// G9
// CHECK-LABEL: func.func @equal_index_values_are_one
func.func @equal_index_values_are_one(%v: vector<4xf16>, %base: memref<99x99xf16>, %rows: vector<4xindex>, %i: index) {
  // CHECK: transfer_scatter {{.*}} [%{{[a-z0-9]+}} : vector<4xindex>] {indexing_maps = [#[[TWICE]], #{{[a-z0-9]+}}]}
  iree_vector_ext.transfer_scatter %v into %base[%i, %i] [%rows : vector<4xindex>, %rows : vector<4xindex>] {
    indexing_maps = [affine_map<(d0)[s0, s1] -> (s0, s1)>, affine_map<(d0)[s0, s1] -> (d0)>, affine_map<(d0)[s0, s1] -> (d0)>]} : vector<4xf16>, memref<99x99xf16>
  return
}

// G9: one of them is of the rows, the other of the columns.
// CHECK-LABEL: func.func @index_values_of_two_dims_stay
func.func @index_values_of_two_dims_stay(%v: vector<4x4xf16>, %base: memref<99x99xf16>, %rows: vector<4xindex>, %i: index) {
  // CHECK: transfer_scatter {{.*}} [%[[R:[a-z0-9]+]] : vector<4xindex>, %[[R]] : vector<4xindex>]
  iree_vector_ext.transfer_scatter %v into %base[%i, %i] [%rows : vector<4xindex>, %rows : vector<4xindex>] {
    indexing_maps = [affine_map<(d0, d1)[s0, s1] -> (s0, s1)>, affine_map<(d0, d1)[s0, s1] -> (d0)>, affine_map<(d0, d1)[s0, s1] -> (d1)>]} : vector<4x4xf16>, memref<99x99xf16>
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
