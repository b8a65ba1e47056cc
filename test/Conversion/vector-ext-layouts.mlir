// RUN: distaff-opt %s --vector-ext-drop-layouts | FileCheck %s
// Code without layouts (VX-12, VX-21).

#layout = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>

// CHECK-LABEL: @no_layouts
// CHECK-SAME: %[[V:.*]]: vector<8x8xf32>
func.func @no_layouts(%v: vector<8x8xf32>) -> vector<8x8xf32> {
  %l = iree_vector_ext.to_layout %v to layout(#layout) : vector<8x8xf32>
  %part = iree_vector_ext.to_simt %l : vector<8x8xf32> -> vector<1x2xf32>
  %whole = iree_vector_ext.to_simd %part : vector<1x2xf32> -> vector<8x8xf32>
  // CHECK-NEXT: return %[[V]]
  return %whole : vector<8x8xf32>
}
