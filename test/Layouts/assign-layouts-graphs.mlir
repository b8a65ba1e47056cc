// RUN: distaff-opt %s --distaff-assign-layouts=target=sm_80 --split-input-file | FileCheck %s
// RUN: distaff-opt %s --distaff-assign-layouts=target=sm_80 --split-input-file > %t.first
// RUN: distaff-opt %t.first --distaff-assign-layouts=target=sm_80 --split-input-file | diff %t.first -
// RUN: distaff-opt %s --distaff-assign-layouts=target=sm_80 --split-input-file | diff %t.first -

// Shapes of graphs that once broke the pass: what it writes must be valid IR
// that propagation can read, and must come out at all. The second run shows
// that what was assigned is a fixpoint, the third that runs agree (VX-53).

// One placement written in two ways, batch and outer. Choice sees the second
// first, propagation the first: a to_layout that moves nothing stands between.

// CHECK-LABEL: @one_placement_two_notations
// CHECK: %[[CAST:.*]] = vector.shape_cast
// CHECK: iree_vector_ext.to_layout %[[CAST]]
// CHECK-NOT: shared_memory_conversion
// CHECK: vector.transfer_write
#line = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [16], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
#square = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 1], thread_tile = [4, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @one_placement_two_notations(%x: memref<64xf32>, %y: memref<8x8xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %4 = vector.transfer_read %y[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x8xf32>, vector<8x8xf32>
  %5 = iree_vector_ext.to_layout %4 to layout(#square) : vector<8x8xf32>
  %6 = math.exp2 %5 : vector<8x8xf32>
  %7 = math.exp2 %6 : vector<8x8xf32>
  %0 = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#line) : vector<64xf32>
  %2 = vector.shape_cast %1 : vector<64xf32> to vector<8x8xf32>
  %3 = arith.addf %2, %7 : vector<8x8xf32>
  vector.transfer_write %3, %y[%c0, %c0] {in_bounds = [true, true]} : vector<8x8xf32>, memref<8x8xf32>
  return
}

// -----

// The region of a mask has room for one op: a conflict behind it is settled
// outside.

// CHECK-LABEL: @masked_reduction
// CHECK: %[[SUM:.*]] = vector.mask %{{.*}} { vector.multi_reduction <add>, %{{.*}}, %{{.*}} [1] : vector<8x32xf32> to vector<8xf32> }
// CHECK-NEXT: iree_vector_ext.to_layout %[[SUM]]
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 8], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#spread = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [8], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @masked_reduction(%x: memref<8x32xf32>, %y: memref<8xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c30 = arith.constant 30 : index
  %z = arith.constant 0.0 : f32
  %acc = arith.constant dense<1.0> : vector<8xf32>
  %0 = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x32xf32>, vector<8x32xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#rows) : vector<8x32xf32>
  %m = vector.create_mask %c5, %c30 : vector<8x32xi1>
  %2 = vector.mask %m { vector.multi_reduction <add>, %1, %acc [1] : vector<8x32xf32> to vector<8xf32> } : vector<8x32xi1> -> vector<8xf32>
  %3 = iree_vector_ext.to_layout %2 to layout(#spread) : vector<8xf32>
  vector.transfer_write %3, %y[%c0] {in_bounds = [true]} : vector<8xf32>, memref<8xf32>
  return
}

// -----

// So is what nothing else determines.

// CHECK-LABEL: @masked_without_anchor
// CHECK: %[[SUM:.*]] = vector.mask %{{.*}} { vector.multi_reduction
// CHECK-NEXT: iree_vector_ext.to_layout %[[SUM]]
#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @masked_without_anchor(%y: memref<2xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1.0> : vector<1x2xf32>
  %acc = arith.constant dense<0.0> : vector<2xf32>
  %m = vector.create_mask %c1, %c1 : vector<1x2xi1>
  %0 = vector.mask %m { vector.multi_reduction <add>, %one, %acc [0] : vector<1x2xf32> to vector<2xf32> } : vector<1x2xi1> -> vector<2xf32>
  vector.transfer_write %0, %y[%c0] {in_bounds = [true]} : vector<2xf32>, memref<2xf32>
  return
}

// -----

// Cheap to compute again, but 48 elements as three of each of 16 lanes have no
// counterpart on 3x16: converted, not cloned.

// CHECK-LABEL: @clone_without_counterpart
// CHECK: %[[S:.*]] = vector.shape_cast
// CHECK-NOT: vector.shape_cast
// CHECK: iree_vector_ext.to_layout %{{.*}} {shared_memory_conversion} : vector<48xf32>
#threes = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [16], element_tile = [3], subgroup_strides = [0], thread_strides = [1]>
#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @clone_without_counterpart(%y: memref<48xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %0 = vector.step : vector<16xindex>
  %1 = arith.index_cast %0 : vector<16xindex> to vector<16xi32>
  %2 = arith.sitofp %1 : vector<16xi32> to vector<16xf32>
  %3 = vector.broadcast %2 : vector<16xf32> to vector<3x16xf32>
  %4 = vector.shape_cast %3 : vector<3x16xf32> to vector<48xf32>
  %5 = arith.addf %4, %4 : vector<48xf32>
  %6 = iree_vector_ext.to_layout %5 to layout(#threes) : vector<48xf32>
  vector.transfer_write %6, %y[%c0] {in_bounds = [true]} : vector<48xf32>, memref<48xf32>
  return
}

// -----

// Both operands of a contraction are one value, wanted in two layouts.

// CHECK-LABEL: @gram_matrix
// CHECK: %[[A:.*]] = iree_vector_ext.to_layout %{{.*}} {shared_memory_conversion}
// CHECK: vector.contract {{.*}} %[[A]], %{{.*}}
#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @gram_matrix(%x: memref<16x16xf32>, %y: memref<16x16xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<16x16xf32>
  %0 = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %1 = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %0, %0, %zero : vector<16x16xf32>, vector<16x16xf32> into vector<16x16xf32>
  vector.transfer_write %1, %y[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// -----

// Eight subgroups on two: the layout folds into registers (2.1.4), and what is
// around takes it as it is.

// CHECK-LABEL: @more_subgroups_than_there_are
// CHECK-NOT: shared_memory_conversion
// CHECK: vector.transfer_write
#eight = #iree_vector_ext.nested_layout<subgroup_tile = [8], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
#translation = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
func.func @more_subgroups_than_there_are(%x: memref<256xf32>, %y: memref<256xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<256xf32>, vector<256xf32>
  %1 = arith.addf %0, %0 : vector<256xf32>
  %2 = iree_vector_ext.to_layout %1 to layout(#eight) : vector<256xf32>
  %3 = arith.addf %2, %2 : vector<256xf32>
  vector.transfer_write %3, %y[%c0] {in_bounds = [true]} : vector<256xf32>, memref<256xf32>
  return
}

// -----

// A slice that cuts through every lane's elements is taken from registers.

// CHECK: #{{.*}} = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [64], outer_tile = [1], thread_tile = [1]
// CHECK-LABEL: @ragged_slice
// CHECK: vector.extract_strided_slice
#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @ragged_slice(%x: memref<64xf32>, %y: memref<37xf32>) attributes {translation_info = #translation} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %1 = vector.extract_strided_slice %0 {offsets = [3], sizes = [37], strides = [1]} : vector<64xf32> to vector<37xf32>
  vector.transfer_write %1, %y[%c0] {in_bounds = [true]} : vector<37xf32>, memref<37xf32>
  return
}

// -----

// All elements are wanted in every lane. What no anchor or access reaches is
// computed there, in no layout of its own that would have to be converted.

// CHECK: #[[WHOLE:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [1], element_tile = [64]
// CHECK-LABEL: @one_layout_spreads_before_defaults
// CHECK: %[[E:.*]] = math.exp2
// CHECK: %[[W:.*]] = iree_vector_ext.to_layout %[[E]] to layout(#[[WHOLE]])
// CHECK-NEXT: vector.to_elements %[[W]]
#translation = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @one_layout_spreads_before_defaults(%s: f32, %y: memref<f32>) attributes {translation_info = #translation} {
  %0 = vector.broadcast %s : f32 to vector<64xf32>
  %1 = math.exp2 %0 : vector<64xf32>
  %2:64 = vector.to_elements %1 : vector<64xf32>
  memref.store %2#3, %y[] : memref<f32>
  return
}
