// RUN: distaff-opt %s | FileCheck %s
// RUN: distaff-opt %s | distaff-opt | FileCheck %s
// RUN: distaff-opt --mlir-print-op-generic %s | distaff-opt | FileCheck %s

// Layouts print as aliases above the module.

// VX-1: seven keys in order.
// CHECK-DAG: #[[KEYS:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 4], outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [1, 16]>
// VX-1: rank 0.
// CHECK-DAG: #[[SCALAR:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [], batch_tile = [], outer_tile = [], thread_tile = [], element_tile = [], subgroup_strides = [], thread_strides = []>
// VX-2: a stride is 0 where its tile is 1.
// CHECK-DAG: #[[NORMAL:.*]] = #iree_vector_ext.nested_layout<{{.*}}thread_tile = [1, 8], element_tile = [1, 1], subgroup_strides = [0, 1], thread_strides = [0, 2]>
// VX-4, W15: a tile of stride 0 is not distributed; it is registers, printed as such.
// CHECK-DAG: #[[WHOLE:.*]] = #iree_vector_ext.nested_layout<subgroup_tile = [1, 2], batch_tile = [6, 1], outer_tile = [1, 8], thread_tile = [8, 1], element_tile = [1, 2], subgroup_strides = [0, 1], thread_strides = [1, 0]>
// VX-5: gaps in a chain of strides are replicas.
// CHECK-DAG: #[[GAPS:.*]] = #iree_vector_ext.nested_layout<{{.*}}subgroup_strides = [3, 12], thread_strides = [10, 2]>

// CHECK: func.func @keys_keep_their_order() attributes {layout = #[[KEYS]]}
func.func @keys_keep_their_order() attributes {
  layout = #iree_vector_ext.nested_layout<
    subgroup_tile = [2, 1], batch_tile = [2, 4], outer_tile = [1, 1],
    thread_tile = [16, 4], element_tile = [1, 4],
    subgroup_strides = [1, 0], thread_strides = [1, 16]>} {
  return
}

// CHECK: func.func @rank_zero() attributes {layout = #[[SCALAR]]}
func.func @rank_zero() attributes {
  layout = #iree_vector_ext.nested_layout<
    subgroup_tile = [], batch_tile = [], outer_tile = [], thread_tile = [],
    element_tile = [], subgroup_strides = [], thread_strides = []>} {
  return
}

// CHECK: func.func @strides_are_normalised() attributes {layout = #[[NORMAL]]}
func.func @strides_are_normalised() attributes {
  layout = #iree_vector_ext.nested_layout<
    subgroup_tile = [1, 2], batch_tile = [1, 1], outer_tile = [1, 1],
    thread_tile = [1, 8], element_tile = [1, 1],
    subgroup_strides = [7, 1], thread_strides = [9, 2]>} {
  return
}

// VX-2: spellings with one normal form are one attribute.
// CHECK: func.func @equal_after_normalisation() attributes {layout = #[[NORMAL]]}
func.func @equal_after_normalisation() attributes {
  layout = #iree_vector_ext.nested_layout<
    subgroup_tile = [1, 2], batch_tile = [1, 1], outer_tile = [1, 1],
    thread_tile = [1, 8], element_tile = [1, 1],
    subgroup_strides = [0, 1], thread_strides = [1, 2]>} {
  return
}

// CHECK: func.func @gaps_are_replicas() attributes {layout = #[[GAPS]]}
func.func @gaps_are_replicas() attributes {
  layout = #iree_vector_ext.nested_layout<
    subgroup_tile = [2, 2], batch_tile = [1, 1], outer_tile = [1, 1],
    thread_tile = [3, 5], element_tile = [1, 1],
    subgroup_strides = [3, 12], thread_strides = [10, 2]>} {
  return
}

// CHECK: func.func @tiles_that_are_not_distributed() attributes {layout = #[[WHOLE]]}
func.func @tiles_that_are_not_distributed() attributes {
  layout = #iree_vector_ext.nested_layout<
    subgroup_tile = [3, 2], batch_tile = [2, 1], outer_tile = [1, 2],
    thread_tile = [8, 4], element_tile = [1, 2],
    subgroup_strides = [0, 1], thread_strides = [1, 0]>} {
  return
}
