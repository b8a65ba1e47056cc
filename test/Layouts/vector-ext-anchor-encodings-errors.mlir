// RUN: distaff-opt %s --vector-ext-anchor-encodings --split-input-file --verify-diagnostics
// Encodings that are no layouts, or of other tensors (VX-142).

// expected-error @+1 {{'func.func' op has a tensor of type 'tensor<16xf32, "rows">', whose encoding "rows" is no layout; encode the type by a nested_layout or a digit_layout of iree_vector_ext, or leave the encoding away}}
func.func @argument(%x: tensor<16xf32, "rows">) {
  return
}

// -----

func.func @result(%x: tensor<16xf32>) -> tensor<16xf32> {
  // expected-error @+1 {{'tensor.cast' op has a tensor of type 'tensor<16xf32, 7 : i64>', whose encoding 7 : i64 is no layout}}
  %y = tensor.cast %x : tensor<16xf32> to tensor<16xf32, 7 : i64>
  %z = tensor.cast %y : tensor<16xf32, 7 : i64> to tensor<16xf32>
  return %z : tensor<16xf32>
}

// -----

#layout = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [8], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
// expected-error @+1 {{dim 0 of 'tensor<17xf32>' has extent 17, its layout covers 16}}
func.func @too_long(%x: tensor<17xf32, #layout>) {
  return
}

// -----

// expected-error @+1 {{layout has rank 1, 'tensor<4x4xf32>' has rank 2}}
func.func @other_rank(%x: tensor<4x4xf32, #iree_vector_ext.digit_layout<[[lane(4, 1)]]>>) {
  return
}
