// RUN: distaff-opt %s -verify-diagnostics -split-input-file

// VX-3, NV1
// expected-error @+1 {{fields must all have rank 2}}
func.func @ranks_differ() attributes {nested = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1], outer_tile = [1, 1], thread_tile = [4, 8],
  element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [8, 1]>} { return }

// -----

// VX-3, NV2
// expected-error @+1 {{tile sizes must be positive}}
func.func @tile_of_zero() attributes {nested = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [0], outer_tile = [1], thread_tile = [4],
  element_tile = [1], subgroup_strides = [0], thread_strides = [1]>} { return }

// -----

// VX-3, NV3
// expected-error @+1 {{strides must not be negative}}
func.func @negative_stride() attributes {nested = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [4],
  element_tile = [1], subgroup_strides = [0], thread_strides = [-1]>} { return }

// -----

// VX-4, NV6: not distributed, all lanes would hold too much.
// expected-error @+1 {{layout too large: with outer_tile[0] = 4294967296 it has more than}}
func.func @all_lanes_hold_too_much() attributes {nested = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [4294967296], thread_tile = [4294967296],
  element_tile = [1], subgroup_strides = [0], thread_strides = [0]>} { return }

// -----

// VX-5, NV5
// expected-error @+1 {{thread strides overlap}}
func.func @lanes_overlap() attributes {nested = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 8],
  element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [1, 1]>} { return }

// -----

// VX-5, NV5: coprime sizes would cover everything, but not by a chain.
// expected-error @+1 {{thread strides overlap}}
func.func @coprime_lanes_overlap() attributes {nested = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [3, 5],
  element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [1, 1]>} { return }

// -----

// VX-5, NV5
// expected-error @+1 {{subgroup strides overlap}}
func.func @subgroups_overlap() attributes {nested = #iree_vector_ext.nested_layout<
  subgroup_tile = [4, 2], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [1, 1],
  element_tile = [1, 1], subgroup_strides = [1, 2], thread_strides = [0, 0]>} { return }

// -----

// VX-5, NV6
// expected-error @+1 {{layout too large}}
func.func @dim_overflows() attributes {nested = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [4294967296], outer_tile = [4294967296], thread_tile = [1],
  element_tile = [1], subgroup_strides = [0], thread_strides = [0]>} { return }

// -----

// VX-5, NV6
// expected-error @+1 {{layout too large}}
func.func @element_count_overflows() attributes {nested = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [4294967296, 4294967296], outer_tile = [1, 1], thread_tile = [1, 1],
  element_tile = [1, 1], subgroup_strides = [0, 0], thread_strides = [0, 0]>} { return }

// -----

// VX-5, NV6
// expected-error @+1 {{layout too large}}
func.func @stride_overflows() attributes {nested = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [4],
  element_tile = [1], subgroup_strides = [0], thread_strides = [4611686018427387904]>} { return }

// -----

// VX-1: all keys are mandatory.
func.func @key_missing() attributes {nested = #iree_vector_ext.nested_layout<
  // expected-error @+1 {{expected 'batch_tile'}}
  subgroup_tile = [1], outer_tile = [1], thread_tile = [4],
  element_tile = [1], subgroup_strides = [0], thread_strides = [1]>} { return }
