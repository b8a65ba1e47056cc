// RUN: distaff-opt %s -canonicalize -split-input-file | FileCheck %s

// VX-16: the folds G1 to G10 of transfer_gather, each with a case that it must
// leave alone. Scatter shares them; transfer-scatter-folds.mlir has its own.

#rows = affine_map<(d0, d1)[s0] -> (s0, d1)>
#by_row = affine_map<(d0, d1)[s0] -> (d0)>
#all = affine_map<(d0, d1)[s0] -> (d0, d1)>

// G1
// CHECK-LABEL: func.func @true_mask_is_dropped
func.func @true_mask_is_dropped(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16) -> vector<16x8xf16> {
  // CHECK: transfer_gather %{{.*}} [%{{.*}} : vector<16xindex>], %{{[a-z0-9]+}} {indexing_maps = [#{{.*}}, #{{.*}}]} : memref<512x8xf16>, vector<16x8xf16>{{$}}
  %m = arith.constant dense<true> : vector<16x8xi1>
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad, %m {indexing_maps = [#rows, #by_row, #all]} : memref<512x8xf16>, vector<16x8xf16>, vector<16x8xi1>
  return %g : vector<16x8xf16>
}

// G1
// CHECK-LABEL: func.func @partial_mask_stays
func.func @partial_mask_stays(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16) -> vector<16x8xf16> {
  // CHECK: transfer_gather {{.*}}, vector<16x8xi1>{{$}}
  %m = vector.constant_mask [16, 7] : vector<16x8xi1>
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad, %m {indexing_maps = [#rows, #by_row, #all]} : memref<512x8xf16>, vector<16x8xf16>, vector<16x8xi1>
  return %g : vector<16x8xf16>
}

// G2
// CHECK-LABEL: func.func @false_mask_is_padding
// CHECK-SAME: %[[PAD:[a-z0-9]+]]: f16
func.func @false_mask_is_padding(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16) -> (vector<16x8xf16>, vector<16x8xf16>) {
  // CHECK: %[[A:.*]] = vector.broadcast %[[PAD]] : f16 to vector<16x8xf16>
  // CHECK: %[[B:.*]] = vector.broadcast %[[PAD]] : f16 to vector<16x8xf16>
  // CHECK-NEXT: return %[[A]], %[[B]]
  %m = arith.constant dense<false> : vector<16x8xi1>
  %0 = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad, %m {indexing_maps = [#rows, #by_row, #all]} : memref<512x8xf16>, vector<16x8xf16>, vector<16x8xi1>
  %n = vector.constant_mask [0, 0] : vector<16x8xi1>
  %1 = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad, %n {indexing_maps = [#rows, #by_row, #all]} : memref<512x8xf16>, vector<16x8xf16>, vector<16x8xi1>
  return %0, %1 : vector<16x8xf16>, vector<16x8xf16>
}

// G3
// CHECK-LABEL: func.func @broadcast_index
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: vector<8xindex>
func.func @broadcast_index(%base: memref<512xf16>, %rows: vector<8xindex>, %i: index, %pad: f16) -> vector<16x8xf16> {
  // CHECK: transfer_gather %{{.*}} [%[[ROWS]] : vector<8xindex>], %{{.*}} {indexing_maps = [#{{.*}}, #[[D1:.*]]]}
  %b = vector.broadcast %rows : vector<8xindex> to vector<16x8xindex>
  %g = iree_vector_ext.transfer_gather %base[%i] [%b : vector<16x8xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0)>, #all]} : memref<512xf16>, vector<16x8xf16>
  return %g : vector<16x8xf16>
}

// G3: a unit dim is stretched, so that the source has other positions.
// CHECK-LABEL: func.func @stretched_index_stays
func.func @stretched_index_stays(%base: memref<512xf16>, %rows: vector<16x1xindex>, %i: index, %pad: f16) -> vector<16x8xf16> {
  // CHECK: transfer_gather %{{.*}} [%{{.*}} : vector<16x8xindex>]
  %b = vector.broadcast %rows : vector<16x1xindex> to vector<16x8xindex>
  %g = iree_vector_ext.transfer_gather %base[%i] [%b : vector<16x8xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0)>, #all]} : memref<512xf16>, vector<16x8xf16>
  return %g : vector<16x8xf16>
}

// G3: the same where the rank differs too.
// CHECK-LABEL: func.func @stretched_and_broadcast_index_stays
func.func @stretched_and_broadcast_index_stays(%base: memref<512xf16>, %rows: vector<3x1xindex>, %i: index, %pad: f16) -> vector<2x3x4xf16> {
  // CHECK: transfer_gather %{{.*}} [%{{.*}} : vector<2x3x4xindex>]
  %b = vector.broadcast %rows : vector<3x1xindex> to vector<2x3x4xindex>
  %g = iree_vector_ext.transfer_gather %base[%i] [%b : vector<2x3x4xindex>], %pad {indexing_maps = [affine_map<(d0, d1, d2)[s0] -> (s0)>, affine_map<(d0, d1, d2)[s0] -> (d0, d1, d2)>]} : memref<512xf16>, vector<2x3x4xf16>
  return %g : vector<2x3x4xf16>
}

// G3: only dim 0, which would go, has the addresses checked.
// CHECK-LABEL: func.func @broadcast_that_is_checked_stays
func.func @broadcast_that_is_checked_stays(%base: memref<512xf16>, %rows: vector<8xindex>, %i: index, %pad: f16) -> vector<16x8xf16> {
  // CHECK: transfer_gather %{{.*}} [%{{.*}} : vector<16x8xindex>]
  %b = vector.broadcast %rows : vector<8xindex> to vector<16x8xindex>
  %g = iree_vector_ext.transfer_gather %base[%i] [%b : vector<16x8xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0)>, #all], in_bounds = [false, true]} : memref<512xf16>, vector<16x8xf16>
  return %g : vector<16x8xf16>
}

// -----

#all = affine_map<(d0, d1)[s0] -> (d0, d1)>

// G4
// CHECK: #[[MAP:.*]] = affine_map<(d0, d1)[s0] -> (d1, d0)>
// CHECK-LABEL: func.func @transposed_index
// CHECK-SAME: %[[ROWS:[a-z0-9]+]]: vector<8x16xindex>
func.func @transposed_index(%base: memref<512xf16>, %rows: vector<8x16xindex>, %i: index, %pad: f16) -> vector<16x8xf16> {
  // CHECK: transfer_gather %{{.*}} [%[[ROWS]] : vector<8x16xindex>], %{{.*}} {indexing_maps = [#{{.*}}, #[[MAP]]]}
  %t = vector.transpose %rows, [1, 0] : vector<8x16xindex> to vector<16x8xindex>
  %g = iree_vector_ext.transfer_gather %base[%i] [%t : vector<16x8xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0)>, #all]} : memref<512xf16>, vector<16x8xf16>
  return %g : vector<16x8xf16>
}

// -----

// G4: the permutation of three dims is not its own inverse: source dim j is
// result dim i with permutation[i] = j.
// CHECK: #[[MAP:.*]] = affine_map<(d0, d1, d2)[s0] -> (d1, d2, d0)>
// CHECK-LABEL: func.func @rotated_index
func.func @rotated_index(%base: memref<512xf16>, %rows: vector<3x4x2xindex>, %i: index, %pad: f16) -> vector<2x3x4xf16> {
  // CHECK: transfer_gather %{{.*}} [%{{.*}} : vector<3x4x2xindex>], %{{.*}} {indexing_maps = [#{{.*}}, #[[MAP]]]}
  %t = vector.transpose %rows, [2, 0, 1] : vector<3x4x2xindex> to vector<2x3x4xindex>
  %g = iree_vector_ext.transfer_gather %base[%i] [%t : vector<2x3x4xindex>], %pad {indexing_maps = [affine_map<(d0, d1, d2)[s0] -> (s0)>, affine_map<(d0, d1, d2)[s0] -> (d0, d1, d2)>]} : memref<512xf16>, vector<2x3x4xf16>
  return %g : vector<2x3x4xf16>
}

// -----

// G5: a contiguous dim, next to one that is gathered still.
// CHECK-DAG: #[[BASE:.*]] = affine_map<(d0, d1)[s0] -> (s0, d1)>
// CHECK-DAG: #[[INDEX:.*]] = affine_map<(d0, d1)[s0] -> (d0)>
// CHECK-LABEL: func.func @step_is_contiguous
func.func @step_is_contiguous(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16) -> vector<16x8xf16> {
  // CHECK: transfer_gather %{{.*}} [%{{.*}} : vector<16xindex>], %{{.*}} {indexing_maps = [#[[BASE]], #[[INDEX]]], in_bounds = [true, false]}
  %step = vector.step : vector<8xindex>
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%step : vector<8xindex>, %rows : vector<16xindex>], %pad {
    indexing_maps = [affine_map<(d0, d1)[s0, s1] -> (s1, s0)>, affine_map<(d0, d1)[s0, s1] -> (d1)>, affine_map<(d0, d1)[s0, s1] -> (d0)>],
    in_bounds = [true, false]} : memref<512x8xf16>, vector<16x8xf16>
  return %g : vector<16x8xf16>
}

// -----

// G5: twice the step is no step.
// CHECK-LABEL: func.func @scaled_step_stays
func.func @scaled_step_stays(%base: memref<512xf16>, %i: index, %pad: f16) -> vector<8xf16> {
  // CHECK: transfer_gather %{{.*}} [%{{.*}} : vector<8xindex>]
  %step = vector.step : vector<8xindex>
  %two = arith.constant dense<2> : vector<8xindex>
  %s = arith.muli %step, %two : vector<8xindex>
  %g = iree_vector_ext.transfer_gather %base[%i] [%s : vector<8xindex>], %pad {indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>]} : memref<512xf16>, vector<8xf16>
  return %g : vector<8xf16>
}

// -----

// G6: the same row for all, as a scalar, a splat and a single element. The
// symbol of the other index value is renumbered.
// CHECK: #[[BASE:.*]] = affine_map<(d0)[s0] -> (0, s0)>
// CHECK-LABEL: func.func @uniform_index_moves_to_the_offset
// CHECK-SAME: %[[I:[a-z0-9]+]]: index, %[[J:[a-z0-9]+]]: index
func.func @uniform_index_moves_to_the_offset(%i: index, %j: index, %base: memref<512x8xf16>, %one: vector<1xi32>, %cols: vector<16xindex>, %pad: f16) -> (vector<16xf16>, vector<16xf16>, vector<16xf16>) {
  // CHECK-DAG: %[[C3:.*]] = arith.constant 3 : index
  // CHECK: %[[ROW:.*]] = arith.addi %[[I]], %[[J]] : index
  // CHECK: transfer_gather %{{.*}}[%[[ROW]], %[[I]]] [%{{.*}} : vector<16xindex>], %{{.*}} {indexing_maps = [#[[BASE]]
  %0 = iree_vector_ext.transfer_gather %base[%i, %i] [%j : index, %cols : vector<16xindex>], %pad {
    indexing_maps = [affine_map<(d0)[s0, s1] -> (s0, s1)>, affine_map<(d0)[s0, s1] -> ()>, affine_map<(d0)[s0, s1] -> (d0)>]} : memref<512x8xf16>, vector<16xf16>
  // CHECK: %[[ROW3:.*]] = arith.addi %[[I]], %[[C3]] : index
  // CHECK: transfer_gather %{{.*}}[%[[ROW3]], %[[I]]] [%{{.*}} : vector<16xindex>], %{{.*}} {indexing_maps = [#[[BASE]]
  %three = arith.constant dense<3> : vector<16xi16>
  %1 = iree_vector_ext.transfer_gather %base[%i, %i] [%three : vector<16xi16>, %cols : vector<16xindex>], %pad {
    indexing_maps = [affine_map<(d0)[s0, s1] -> (s0, s1)>, affine_map<(d0)[s0, s1] -> (d0)>, affine_map<(d0)[s0, s1] -> (d0)>]} : memref<512x8xf16>, vector<16xf16>
  // CHECK: %[[E:.*]] = vector.extract %{{.*}}[0] : i32 from vector<1xi32>
  // CHECK: %[[X:.*]] = arith.index_cast %[[E]] : i32 to index
  // CHECK: %[[ROWX:.*]] = arith.addi %[[I]], %[[X]] : index
  // CHECK: transfer_gather %{{.*}}[%[[ROWX]], %[[I]]] [%{{.*}} : vector<16xindex>], %{{.*}} {indexing_maps = [#[[BASE]]
  %2 = iree_vector_ext.transfer_gather %base[%i, %i] [%one : vector<1xi32>, %cols : vector<16xindex>], %pad {
    indexing_maps = [affine_map<(d0, d1)[s0, s1] -> (s0, s1)>, affine_map<(d0, d1)[s0, s1] -> (d0)>, affine_map<(d0, d1)[s0, s1] -> (d1)>]} : memref<512x8xf16>, vector<1x16xf16>
  %3 = vector.shape_cast %2 : vector<1x16xf16> to vector<16xf16>
  return %0, %1, %3 : vector<16xf16>, vector<16xf16>, vector<16xf16>
}

// -----

// G6: a negative row is outside, and padding since dim 0 may be outside; as an
// offset it would be undefined behaviour.
// CHECK-LABEL: func.func @uniform_index_that_is_checked_stays
func.func @uniform_index_that_is_checked_stays(%i: index, %base: memref<512x8xf16>, %pad: f16) -> vector<16xf16> {
  // CHECK: transfer_gather %{{.*}} [%{{.*}} : vector<16xindex>]
  %rows = arith.constant dense<-3> : vector<16xindex>
  %0 = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {
    indexing_maps = [affine_map<(d0)[s0] -> (s0, 0)>, affine_map<(d0)[s0] -> (d0)>], in_bounds = [false]} : memref<512x8xf16>, vector<16xf16>
  return %0 : vector<16xf16>
}

// -----

// G7
// CHECK-LABEL: func.func @added_scalar_moves_to_the_offset
// CHECK-SAME: %[[I:[a-z0-9]+]]: index, %[[J:[a-z0-9]+]]: index, {{.*}}, %[[ROWS:[a-z0-9]+]]: vector<16xindex>
func.func @added_scalar_moves_to_the_offset(%i: index, %j: index, %base: memref<512x512xf16>, %rows: vector<16xindex>, %pad: f16) -> vector<16xf16> {
  // Both base dims that use the index get the scalar.
  // CHECK-DAG: %[[ROW:.*]] = arith.addi %[[I]], %[[J]] : index
  // CHECK: transfer_gather %{{.*}}[%[[ROW]], %{{.*}}] [%[[ROWS]] : vector<16xindex>]
  %b = vector.broadcast %j : index to vector<16xindex>
  %s = arith.addi %b, %rows : vector<16xindex>
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%s : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0)[s0] -> (s0, s0)>, affine_map<(d0)[s0] -> (d0)>]} : memref<512x512xf16>, vector<16xf16>
  return %g : vector<16xf16>
}

// G7
// CHECK-LABEL: func.func @added_constant_moves_to_the_offset
// CHECK-SAME: %[[I:[a-z0-9]+]]: index, {{.*}}, %[[ROWS:[a-z0-9]+]]: vector<16xindex>
func.func @added_constant_moves_to_the_offset(%i: index, %base: memref<512xf16>, %rows: vector<16xindex>, %pad: f16) -> vector<16xf16> {
  // CHECK: %[[C7:.*]] = arith.constant 7 : index
  // CHECK: %[[AT:.*]] = arith.addi %[[I]], %[[C7]] : index
  // CHECK: transfer_gather %{{.*}}[%[[AT]]] [%[[ROWS]] : vector<16xindex>]
  %b = arith.constant dense<7> : vector<16xindex>
  %s = arith.addi %rows, %b : vector<16xindex>
  %g = iree_vector_ext.transfer_gather %base[%i] [%s : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>]} : memref<512xf16>, vector<16xf16>
  return %g : vector<16xf16>
}

// G7: an i8 sum may wrap around, an offset does not.
// CHECK-LABEL: func.func @narrow_sum_stays
func.func @narrow_sum_stays(%i: index, %j: i8, %base: memref<512xf16>, %rows: vector<16xi8>, %pad: f16) -> vector<16xf16> {
  // CHECK: transfer_gather %{{.*}} [%{{.*}} : vector<16xi8>]
  %b = vector.broadcast %j : i8 to vector<16xi8>
  %s = arith.addi %rows, %b : vector<16xi8>
  %g = iree_vector_ext.transfer_gather %base[%i] [%s : vector<16xi8>], %pad {indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>]} : memref<512xf16>, vector<16xf16>
  return %g : vector<16xf16>
}

// -----

// G8: with a permutation, a broadcast dim and a mask.
// CHECK: #[[MAP:.*]] = affine_map<(d0, d1, d2) -> (d2, 0, d0)>
// CHECK-LABEL: func.func @contiguous_gather_is_a_read
func.func @contiguous_gather_is_a_read(%base: memref<16x4x8xf16>, %i: index, %pad: f16, %m: vector<16x8xi1>) -> vector<8x3x16xf16> {
  %c2 = arith.constant 2 : index
  // CHECK: vector.transfer_read %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} {in_bounds = [false, true, true], permutation_map = #[[MAP]]} : memref<16x4x8xf16>, vector<8x3x16xf16>
  %g = iree_vector_ext.transfer_gather %base[%i, %i, %c2], %pad, %m {
    indexing_maps = [affine_map<(d0, d1, d2) -> (d2, 0, d0)>, affine_map<(d0, d1, d2) -> (d2, d0)>], in_bounds = [false, false, true]
  } : memref<16x4x8xf16>, vector<8x3x16xf16>, vector<16x8xi1>
  return %g : vector<8x3x16xf16>
}

// G8: upstream takes a transfer that starts below 0 for one that is inside.
// CHECK-LABEL: func.func @what_may_start_below_its_base_stays
func.func @what_may_start_below_its_base_stays(%base: memref<16xf16>, %i: index, %pad: f16) -> (vector<1xf16>, vector<8xf16>) {
  %below = arith.constant -1 : index
  // CHECK-COUNT-2: transfer_gather
  %0 = iree_vector_ext.transfer_gather %base[%below], %pad {indexing_maps = [affine_map<(d0) -> (d0)>], in_bounds = [false]} : memref<16xf16>, vector<1xf16>
  %1 = iree_vector_ext.transfer_gather %base[%i], %pad {indexing_maps = [affine_map<(d0) -> (d0)>], in_bounds = [false]} : memref<16xf16>, vector<8xf16>
  return %0, %1 : vector<1xf16>, vector<8xf16>
}

// G8: a diagonal, and masks of another order.
// CHECK-LABEL: func.func @diagonals_and_other_masks_stay
func.func @diagonals_and_other_masks_stay(%base: memref<16x8xf16>, %i: index, %pad: f16, %m: vector<8x16xi1>) -> (vector<8xf16>, vector<16x8xf16>) {
  // CHECK-COUNT-2: transfer_gather
  %0 = iree_vector_ext.transfer_gather %base[%i, %i], %pad {indexing_maps = [affine_map<(d0) -> (d0, d0)>]} : memref<16x8xf16>, vector<8xf16>
  %1 = iree_vector_ext.transfer_gather %base[%i, %i], %pad, %m {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>]} : memref<16x8xf16>, vector<16x8xf16>, vector<8x16xi1>
  return %0, %1 : vector<8xf16>, vector<16x8xf16>
}

// -----

// G9
// CHECK: #[[BASE:.*]] = affine_map<(d0)[s0] -> (s0, s0)>
// CHECK-LABEL: func.func @equal_index_values_are_one
func.func @equal_index_values_are_one(%base: memref<512x512xf16>, %rows: vector<16xindex>, %i: index, %pad: f16) -> vector<16xf16> {
  // CHECK: transfer_gather %{{.*}} [%{{[a-z0-9]+}} : vector<16xindex>], %{{.*}} {indexing_maps = [#[[BASE]], #{{.*}}]}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>, %rows : vector<16xindex>], %pad {
    indexing_maps = [affine_map<(d0)[s0, s1] -> (s0, s1)>, affine_map<(d0)[s0, s1] -> (d0)>, affine_map<(d0)[s0, s1] -> (d0)>]} : memref<512x512xf16>, vector<16xf16>
  return %g : vector<16xf16>
}

// G9: read along other dims of the vector.
// CHECK-LABEL: func.func @equal_index_values_of_other_maps_stay
func.func @equal_index_values_of_other_maps_stay(%base: memref<512x512xf16>, %rows: vector<16xindex>, %i: index, %pad: f16) -> vector<16x16xf16> {
  // CHECK: transfer_gather %{{.*}} [%{{.*}} : vector<16xindex>, %{{.*}} : vector<16xindex>]
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>, %rows : vector<16xindex>], %pad {
    indexing_maps = [affine_map<(d0, d1)[s0, s1] -> (s0, s1)>, affine_map<(d0, d1)[s0, s1] -> (d0)>, affine_map<(d0, d1)[s0, s1] -> (d1)>]} : memref<512x512xf16>, vector<16x16xf16>
  return %g : vector<16x16xf16>
}

// -----

// G10: of vector, index value and mask.
// CHECK-LABEL: func.func @unit_dim_is_dropped
func.func @unit_dim_is_dropped(%base: memref<512x8xf16>, %rows: vector<16x1xindex>, %i: index, %pad: f16, %m: vector<1x16x8xi1>) -> vector<1x16x8xf16> {
  // CHECK-DAG: vector.shape_cast %{{.*}} : vector<16x1xindex> to vector<16xindex>
  // CHECK-DAG: vector.shape_cast %{{.*}} : vector<1x16x8xi1> to vector<16x8xi1>
  // CHECK: %[[G:.*]] = iree_vector_ext.transfer_gather %{{.*}} [%{{.*}} : vector<16xindex>], {{.*}} : memref<512x8xf16>, vector<16x8xf16>, vector<16x8xi1>
  // CHECK: vector.shape_cast %[[G]] : vector<16x8xf16> to vector<1x16x8xf16>
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16x1xindex>], %pad, %m {
    indexing_maps = [affine_map<(d0, d1, d2)[s0] -> (s0, d2)>, affine_map<(d0, d1, d2)[s0] -> (d1, d0)>, affine_map<(d0, d1, d2)[s0] -> (d0, d1, d2)>]
  } : memref<512x8xf16>, vector<1x16x8xf16>, vector<1x16x8xi1>
  return %g : vector<1x16x8xf16>
}

// G10: the unit dim is why the row is checked.
// CHECK-LABEL: func.func @unit_dim_that_is_checked_stays
func.func @unit_dim_that_is_checked_stays(%base: memref<512x8xf16>, %cols: vector<16xindex>, %i: index, %pad: f16) -> vector<1x16xf16> {
  // CHECK: transfer_gather {{.*}} : memref<512x8xf16>, vector<1x16xf16>
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%cols : vector<16xindex>], %pad {
    indexing_maps = [affine_map<(d0, d1)[s0] -> (d0, s0)>, affine_map<(d0, d1)[s0] -> (d1)>], in_bounds = [false, true]
  } : memref<512x8xf16>, vector<1x16xf16>
  return %g : vector<1x16xf16>
}

// -----

// VX-14: a unit dim of the slice that the vector has not.
// CHECK-LABEL: func.func @unit_slice_dim
func.func @unit_slice_dim(%base: memref<4x512xf16>, %rows: vector<1x16xindex>, %i: index, %pad: f16) -> vector<16xf16> {
  // CHECK: %[[ROWS:.*]] = vector.shape_cast %{{.*}} : vector<1x16xindex> to vector<16xindex>
  // CHECK: transfer_gather %{{.*}} [%[[ROWS]] : vector<16xindex>]
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [None, %rows : vector<1x16xindex>], %pad {
    indexed_maps = [affine_map<(i, j) -> (i, j)>], in_bounds = [true]
  } : memref<4x512xf16>, vector<16xf16>
  return %g : vector<16xf16>
}

// VX-14: canonicalization unifies the generic form.
// CHECK-LABEL: func.func @generic_form
func.func @generic_form(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16) -> vector<16x8xf16> {
  // CHECK: transfer_gather {{.*}} {indexing_maps = [#{{.*}}, #{{.*}}], in_bounds = [false, false]}
  %g = "iree_vector_ext.transfer_gather"(%base, %i, %i, %rows, %pad) {
    indexed = [true, false], indexed_maps = [affine_map<(i, j) -> (i)>], operandSegmentSizes = array<i32: 1, 2, 1, 1, 0>
  } : (memref<512x8xf16>, index, index, vector<16xindex>, f16) -> vector<16x8xf16>
  return %g : vector<16x8xf16>
}

// -----

// Index values are signed: all rows are two above the offset.
// CHECK-LABEL: func.func @negative_splat_moves_to_the_offset
// CHECK-SAME: %[[I:[a-z0-9]+]]: index
func.func @negative_splat_moves_to_the_offset(%i: index, %base: memref<512x8xf16>, %cols: vector<16xindex>, %pad: f16) -> vector<16xf16> {
  // CHECK: %[[C:.*]] = arith.constant -2 : index
  // CHECK: arith.addi %[[I]], %[[C]] : index
  %rows = arith.constant dense<-2> : vector<16xi8>
  %0 = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xi8>, %cols : vector<16xindex>], %pad {
    indexing_maps = [affine_map<(d0)[s0, s1] -> (s0, s1)>, affine_map<(d0)[s0, s1] -> (d0)>, affine_map<(d0)[s0, s1] -> (d0)>]} : memref<512x8xf16>, vector<16xf16>
  return %0 : vector<16xf16>
}
