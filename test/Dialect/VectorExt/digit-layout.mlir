// RUN: distaff-opt %s | FileCheck %s
// RUN: distaff-opt %s | distaff-opt | FileCheck %s
// RUN: distaff-opt --mlir-print-op-generic %s | distaff-opt | FileCheck %s

// VX-9: digits of every axis.
// CHECK-DAG: #[[ALL:.*]] = #iree_vector_ext.digit_layout<{{\[}}[sg(4, 1), reg(2, 2), lane(8, 4)], [lane(4, 1), reg(2, 1)]]>
// VX-9: a dim without digits has extent 1; gaps between lanes are replicas.
// CHECK-DAG: #[[EMPTY:.*]] = #iree_vector_ext.digit_layout<{{\[}}[], [lane(3, 5)]]>
// CHECK-DAG: #[[SCALAR:.*]] = #iree_vector_ext.digit_layout<[]>
// CHECK-DAG: #[[SPLIT:.*]] = #iree_vector_ext.digit_layout<{{\[}}[lane(2, 2), reg(2, 1), lane(2, 1)]]>

// CHECK: func.func @digits_of_all_axes() attributes {layout = #[[ALL]]}
func.func @digits_of_all_axes() attributes {
  layout = #iree_vector_ext.digit_layout<[[sg(4, 1), reg(2, 2), lane(8, 4)], [lane(4, 1), reg(2, 1)]]>} {
  return
}

// CHECK: func.func @dims_without_digits() attributes {layout = #[[EMPTY]], scalar = #[[SCALAR]]}
func.func @dims_without_digits() attributes {
  layout = #iree_vector_ext.digit_layout<[[], [lane(3, 5)]]>,
  scalar = #iree_vector_ext.digit_layout<[]>} {
  return
}

// VX-9: the only form of a value too scattered for tiles.
// CHECK: func.func @lane_register_lane
func.func @lane_register_lane(%v: vector<8xf32>) -> vector<8xf32> {
  // CHECK: to_layout %{{.*}} to layout(#[[SPLIT]]) : vector<8xf32>
  %l = iree_vector_ext.to_layout %v to layout(#iree_vector_ext.digit_layout<[[lane(2, 2), reg(2, 1), lane(2, 1)]]>) : vector<8xf32>
  return %l : vector<8xf32>
}
