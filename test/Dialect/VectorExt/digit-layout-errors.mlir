// RUN: distaff-opt %s -verify-diagnostics -split-input-file

// VX-9
// expected-error @+1 {{digit sizes must be at least 2, got lane(1, 1)}}
func.func @size_one() attributes {digits = #iree_vector_ext.digit_layout<[[lane(1, 1)]]>} { return }

// -----

// VX-9
// expected-error @+1 {{digit strides must be positive, got sg(2, 0)}}
func.func @stride_zero() attributes {digits = #iree_vector_ext.digit_layout<[[sg(2, 0)]]>} { return }

// -----

// VX-9
// expected-error @+1 {{lane strides overlap}}
func.func @lanes_overlap() attributes {digits = #iree_vector_ext.digit_layout<[[lane(4, 1)], [lane(2, 2)]]>} { return }

// -----

// VX-9
// expected-error @+1 {{register}}
func.func @registers_have_a_gap() attributes {digits = #iree_vector_ext.digit_layout<[[reg(2, 4)], [reg(2, 1)]]>} { return }

// -----

// VX-9
// expected-error @+1 {{expected 'sg', 'lane' or 'reg', got 'warp'}}
func.func @unknown_axis() attributes {digits = #iree_vector_ext.digit_layout<[[warp(2, 1)]]>} { return }
