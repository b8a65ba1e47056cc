// Layouts of what functions take and return (5.1), and what is none.
// RUN: distaff-opt %s --split-input-file --verify-diagnostics

#L = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [8], element_tile = [8], subgroup_strides = [0], thread_strides = [1]>
// expected-error @below {{dim 0 of 'vector<32xf32>' has extent 32, its layout covers 64}}
func.func private @extent(vector<32xf32> {iree_vector_ext.layout = #L})

// -----

// expected-error @below {{result #0 has attribute 'iree_vector_ext.layout', which is no layout}}
func.func private @no_layout() -> (vector<32xf32> {iree_vector_ext.layout = 3 : i32})

// -----

#L = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [8], element_tile = [8], subgroup_strides = [0], thread_strides = [1]>
// expected-error @below {{argument #1 has attribute 'iree_vector_ext.layout', and is no vector; lay out what is read of it by 'iree_vector_ext.to_layout'}}
func.func private @memory(f32, memref<64xf32> {iree_vector_ext.layout = #L})

// -----

// expected-error @below {{argument #0 has attribute 'iree_vector_ext.lay_out', which is none of this dialect's; a layout is 'iree_vector_ext.layout'}}
func.func private @misspelt(vector<32xf32> {iree_vector_ext.lay_out = 1 : i32})
