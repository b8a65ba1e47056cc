// RUN: distaff-opt %s -canonicalize | FileCheck %s

#lanes = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [64], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
// The same layout, its unused stride spelt differently (VX-2).
#respelt = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [64], element_tile = [1],
  subgroup_strides = [5], thread_strides = [1]>
#batches = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>

// VX-10
// CHECK-LABEL: func.func @equal_layouts_fold
func.func @equal_layouts_fold(%v: vector<64xf32>) -> vector<64xf32> {
  // CHECK: %[[ONE:.*]] = iree_vector_ext.to_layout
  // CHECK-NEXT: return %[[ONE]]
  %0 = iree_vector_ext.to_layout %v to layout(#lanes) : vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#respelt) : vector<64xf32>
  return %1 : vector<64xf32>
}

// VX-10
// CHECK-LABEL: func.func @inner_attributes_survive
func.func @inner_attributes_survive(%v: vector<64xf32>) -> vector<64xf32> {
  // CHECK: %[[ONE:.*]] = iree_vector_ext.to_layout {{.*}} {shared_memory_conversion}
  // CHECK-NEXT: return %[[ONE]]
  %0 = iree_vector_ext.to_layout %v to layout(#lanes) {shared_memory_conversion} : vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#lanes) : vector<64xf32>
  return %1 : vector<64xf32>
}

// VX-10
// CHECK-LABEL: func.func @different_layouts_stay
func.func @different_layouts_stay(%v: vector<64xf32>) -> vector<64xf32> {
  // CHECK-COUNT-2: iree_vector_ext.to_layout
  %0 = iree_vector_ext.to_layout %v to layout(#lanes) : vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#batches) : vector<64xf32>
  return %1 : vector<64xf32>
}

// VX-10
// CHECK-LABEL: func.func @outer_conversion_stays
func.func @outer_conversion_stays(%v: vector<64xf32>) -> vector<64xf32> {
  // CHECK-COUNT-2: iree_vector_ext.to_layout
  %0 = iree_vector_ext.to_layout %v to layout(#lanes) : vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#lanes) {shared_memory_conversion} : vector<64xf32>
  return %1 : vector<64xf32>
}

// VX-10: folding would lose what the value is an operand of.
// CHECK-LABEL: func.func @outer_instruction_stays
func.func @outer_instruction_stays(%v: vector<64xf32>) -> vector<64xf32> {
  // CHECK-COUNT-2: iree_vector_ext.to_layout
  %0 = iree_vector_ext.to_layout %v to layout(#lanes) : vector<64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#lanes) {mma_kind = "some instruction"} : vector<64xf32>
  return %1 : vector<64xf32>
}

// VX-10
// CHECK-LABEL: func.func @constants_keep_their_anchor
func.func @constants_keep_their_anchor() -> vector<64xf32> {
  // CHECK: iree_vector_ext.to_layout
  %c = arith.constant dense<0.0> : vector<64xf32>
  %0 = iree_vector_ext.to_layout %c to layout(#lanes) : vector<64xf32>
  return %0 : vector<64xf32>
}
