// RUN: distaff-opt %s -verify-diagnostics -split-input-file

#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [64], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>

// VX-6
func.func @ranks_differ(%v: vector<8x8xf32>) -> vector<8x8xf32> {
  // expected-error @+1 {{layout has rank 1, 'vector<8x8xf32>' has rank 2}}
  %l = iree_vector_ext.to_layout %v to layout(#row) : vector<8x8xf32>
  return %l : vector<8x8xf32>
}

// -----

#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [64], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>

// VX-6
func.func @vector_is_smaller(%v: vector<60xf32>) -> vector<60xf32> {
  // expected-error @+1 {{dim 0 of 'vector<60xf32>' has extent 60, its layout covers 64}}
  %l = iree_vector_ext.to_layout %v to layout(#row) : vector<60xf32>
  return %l : vector<60xf32>
}

// -----

#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [64], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>

// VX-6
func.func @tensor_is_larger(%t: tensor<65xf32>) -> tensor<65xf32> {
  // expected-error @+1 {{dim 0 of 'tensor<65xf32>' has extent 65, its layout covers 64}}
  %l = iree_vector_ext.to_layout %t to layout(#row) : tensor<65xf32>
  return %l : tensor<65xf32>
}

// -----

#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [64], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>

// VX-6
func.func @scalable(%v: vector<[64]xf32>) -> vector<[64]xf32> {
  // expected-error @+1 {{layouts do not cover scalable vectors, got 'vector<[64]xf32>'}}
  %l = iree_vector_ext.to_layout %v to layout(#row) : vector<[64]xf32>
  return %l : vector<[64]xf32>
}

// -----

#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [64], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>

// VX-6
func.func @unranked(%t: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error @+1 {{a layout needs a ranked type, got 'tensor<*xf32>'}}
  %l = iree_vector_ext.to_layout %t to layout(#row) : tensor<*xf32>
  return %l : tensor<*xf32>
}

// -----

// VX-10: memory is no value that lanes hold parts of.
#row = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
func.func @memref(%m: memref<64xf32>) {
  // expected-error @+1 {{lays out 'memref<64xf32>', memory that all lanes share; lay out the vector or the tensor that is read of it}}
  %l = iree_vector_ext.to_layout %m to layout(#row) : memref<64xf32>
  return
}
