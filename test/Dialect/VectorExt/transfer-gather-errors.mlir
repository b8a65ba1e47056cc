// RUN: distaff-opt %s -verify-diagnostics -split-input-file

// VX-15: every clause of the verifier.

func.func @map_missing(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{has 1 indexing maps, expected 2: one for the base, 1 for index values, 0 for the mask}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @mask_map_missing(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{has 2 indexing maps, expected 3: one for the base, 1 for index values, 1 for the mask}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad, %m {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]} : memref<512x8xf16>, vector<16x8xf16>, vector<16x8xi1>
  return
}

// -----

func.func @map_of_too_few_dims(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{indexing map 1 has 1 dims and 1 symbols, expected 2 dims of the vector and 1 index values}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0)[s0] -> (d0)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @map_without_symbols(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{indexing map 1 has 2 dims and 0 symbols, expected 2 dims of the vector and 1 index values}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1) -> (d0)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @base_map_of_another_rank(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{map of the base has 1 results, the base has rank 2}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0)>, affine_map<(d0, d1)[s0] -> (d0)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @base_map_computes(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{map of the base has a result that is no dim, no symbol and not 0: affine_map<(d0, d1)[s0] -> (d0 + s0, d1)>}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (d0 + s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @base_map_adds_one(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{map of the base has a result that is no dim, no symbol and not 0}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, 1)>, affine_map<(d0, d1)[s0] -> (d0)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @index_value_unused(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{index value 0 is not used by the map of the base}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (d0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @index_map_uses_a_symbol(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{map of index value 0 has a result that is no dim}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (s0)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @index_map_repeats_a_dim(%base: memref<512x8xf16>, %rows: vector<16x16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{map of index value 0 uses dim 0 twice}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16x16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0, d0)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @mask_map_repeats_a_dim(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{map of mask uses dim 1 twice}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad, %m {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>, affine_map<(d0, d1)[s0] -> (d1, d1)>]} : memref<512x8xf16>, vector<16x8xf16>, vector<16x8xi1>
  return
}

// -----

func.func @index_value_of_another_shape(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{index value 0 has type 'vector<16xindex>', its map asks for shape [8]}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d1)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @mask_of_another_shape(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{mask has type 'vector<16x8xi1>', its map asks for shape [8, 16]}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad, %m {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>, affine_map<(d0, d1)[s0] -> (d1, d0)>]} : memref<512x8xf16>, vector<16x8xf16>, vector<16x8xi1>
  return
}

// -----

func.func @scalar_with_a_map(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{index value 0 has type 'index', its map asks for a vector of 1 dims}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%i : index], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @vector_with_an_empty_map(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{index value 0 has type 'vector<16xindex>', its map has no results: expected a scalar}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> ()>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @offset_missing(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{has 1 offsets for a base of rank 2}}
  %g = iree_vector_ext.transfer_gather %base[%i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @in_bounds_entry_missing(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{has 1 in_bounds entries for a vector of rank 2}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>], in_bounds = [true]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @element_types_differ(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{vector has elements of type 'f32', the base of type 'f16'}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]} : memref<512x8xf16>, vector<16x8xf32>
  return
}

// -----

func.func @mask_of_vector_elements(%base: memref<512x8xvector<4xf16>>, %rows: vector<16xindex>, %i: index, %pad: vector<4xf16>, %m: vector<16x8xi1>) {
  // expected-error @+1 {{a mask needs scalar elements, the base has 'vector<4xf16>'}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad, %m {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>, affine_map<(d0, d1)[s0] -> (d0, d1)>]} : memref<512x8xvector<4xf16>>, vector<16x8xf16>, vector<16x8xi1>
  return
}

// -----

func.func @scalable(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{does not take scalable vectors, got 'vector<16x[8]xf16>'}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]} : memref<512x8xf16>, vector<16x[8]xf16>
  return
}

// -----

func.func @none_in_the_unified_form(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{only the classic form has entries without operand or type}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [None], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @mixed_forms(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{mixes indexing_maps with the attributes of the classic form}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>], indexed = [true, false]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @unranked_base(%base: tensor<*xf16>, %rows: vector<16xindex>, %i: index, %pad: f16) {
  // expected-error @+1 {{memref of any type values or ranked tensor}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]} : tensor<*xf16>, vector<16x8xf16>
  return
}

// -----

func.func @padding_of_another_type(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f32, %m: vector<16x8xi1>) {
  // expected-error @+1 {{padding has type 'f32', the base has elements of type 'f16'}}
  %g = "iree_vector_ext.transfer_gather"(%base, %i, %i, %rows, %pad) {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>], operandSegmentSizes = array<i32: 1, 2, 1, 1, 0>} : (memref<512x8xf16>, index, index, vector<16xindex>, f32) -> vector<16x8xf16>
  return
}

// -----

func.func @classic_entry_missing(%base: memref<8192x8x16xf32>, %i0: vector<2xindex>, %i1: vector<8x16xindex>, %c: index, %pad: f32) {
  // expected-error @+1 {{has 2 indexed entries for a base of rank 3}}
  %g = iree_vector_ext.transfer_gather %base[%c, %c, %c][%i0 : vector<2xindex>, %i1 : vector<8x16xindex>], %pad {indexed_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (j, k)>], permutation_map = affine_map<(i, j, k) -> (k, j, i)>} : memref<8192x8x16xf32>, vector<16x8x2xf32>
  return
}

// -----

func.func @classic_map_missing(%base: memref<8192x8x16xf32>, %i0: vector<2xindex>, %i1: vector<8x16xindex>, %c: index, %pad: f32) {
  // expected-error @+1 {{has 2 index vectors and 1 indexed_maps for 2 gathered dims}}
  %g = iree_vector_ext.transfer_gather %base[%c, %c, %c][None, %i0 : vector<2xindex>, %i1 : vector<8x16xindex>], %pad {indexed_maps = [affine_map<(i, j, k) -> (i)>], permutation_map = affine_map<(i, j, k) -> (k, j, i)>} : memref<8192x8x16xf32>, vector<16x8x2xf32>
  return
}

// -----

func.func @classic_map_of_another_rank(%base: memref<8192x8x16xf32>, %i0: vector<2xindex>, %i1: vector<8x16xindex>, %c: index, %pad: f32) {
  // expected-error @+1 {{indexed_maps #0 has 2 dims and 0 symbols, expected 3 dims of the base and no symbol}}
  %g = iree_vector_ext.transfer_gather %base[%c, %c, %c][None, %i0 : vector<2xindex>, %i1 : vector<8x16xindex>], %pad {indexed_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j, k) -> (j, k)>], permutation_map = affine_map<(i, j, k) -> (k, j, i)>} : memref<8192x8x16xf32>, vector<16x8x2xf32>
  return
}

// -----

func.func @classic_map_computes(%base: memref<8192x8x16xf32>, %i0: vector<2xindex>, %i1: vector<8x16xindex>, %c: index, %pad: f32) {
  // expected-error @+1 {{indexed_maps #0 must address distinct base dims}}
  %g = iree_vector_ext.transfer_gather %base[%c, %c, %c][None, %i0 : vector<2xindex>, %i1 : vector<8x16xindex>], %pad {indexed_maps = [affine_map<(i, j, k) -> (i + j)>, affine_map<(i, j, k) -> (j, k)>], permutation_map = affine_map<(i, j, k) -> (k, j, i)>} : memref<8192x8x16xf32>, vector<16x8x2xf32>
  return
}

// -----

func.func @classic_index_vector_of_another_shape(%base: memref<8192x8x16xf32>, %i0: vector<2xindex>, %i1: vector<8x16xindex>, %c: index, %pad: f32) {
  // expected-error @+1 {{index vector 0 has shape [2], its map over the slice [2, 8, 16] needs [16]}}
  %g = iree_vector_ext.transfer_gather %base[%c, %c, %c][None, %i0 : vector<2xindex>, %i1 : vector<8x16xindex>], %pad {indexed_maps = [affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (j, k)>], permutation_map = affine_map<(i, j, k) -> (k, j, i)>} : memref<8192x8x16xf32>, vector<16x8x2xf32>
  return
}

// -----

func.func @classic_permutation_with_symbols(%base: memref<8192x8x16xf32>, %i0: vector<2xindex>, %i1: vector<8x16xindex>, %c: index, %pad: f32) {
  // expected-error @+1 {{permutation_map has 1 symbols, expected none}}
  %g = iree_vector_ext.transfer_gather %base[%c, %c, %c][None, %i0 : vector<2xindex>, %i1 : vector<8x16xindex>], %pad {indexed_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (j, k)>], permutation_map = affine_map<(i, j, k)[s] -> (k, j, i)>} : memref<8192x8x16xf32>, vector<16x8x2xf32>
  return
}

// -----

func.func @classic_permutation_of_another_rank(%base: memref<8192x8x16xf32>, %i0: vector<2xindex>, %i1: vector<8x16xindex>, %c: index, %pad: f32) {
  // expected-error @+1 {{permutation_map has 3 dims and 2 results, expected 3 dims of the base and 3 of the vector}}
  %g = iree_vector_ext.transfer_gather %base[%c, %c, %c][None, %i0 : vector<2xindex>, %i1 : vector<8x16xindex>], %pad {indexed_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (j, k)>], permutation_map = affine_map<(i, j, k) -> (k, j)>} : memref<8192x8x16xf32>, vector<16x8x2xf32>
  return
}

// -----

func.func @classic_permutation_repeats_a_dim(%base: memref<8192x8x16xf32>, %i0: vector<2xindex>, %i1: vector<8x16xindex>, %c: index, %pad: f32) {
  // expected-error @+1 {{permutation_map must send each vector dim to a distinct base dim or 0}}
  %g = iree_vector_ext.transfer_gather %base[%c, %c, %c][None, %i0 : vector<2xindex>, %i1 : vector<8x16xindex>], %pad {indexed_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (j, k)>], permutation_map = affine_map<(i, j, k) -> (k, j, j)>} : memref<8192x8x16xf32>, vector<16x8x2xf32>
  return
}

// -----

func.func @classic_permutation_adds_one(%base: memref<8192x8x16xf32>, %i0: vector<2xindex>, %i1: vector<8x16xindex>, %c: index, %pad: f32) {
  // expected-error @+1 {{permutation_map must send each vector dim to a distinct base dim or 0}}
  %g = iree_vector_ext.transfer_gather %base[%c, %c, %c][None, %i0 : vector<2xindex>, %i1 : vector<8x16xindex>], %pad {indexed_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (j, k)>], permutation_map = affine_map<(i, j, k) -> (k, j, 1)>} : memref<8192x8x16xf32>, vector<16x8x2xf32>
  return
}

// -----

func.func @gathered_dim_out_of_range(%base: memref<8192x8x16xf32>, %i0: vector<2xindex>, %i1: vector<8x16xindex>, %c: index, %pad: f32) {
  // expected-error @+1 {{gathered dim 3 is not a further one of the 3 dims of the base}}
  %g = iree_vector_ext.transfer_gather %base[%c, %c, %c](%i0 : vector<2xindex>, %i1 : vector<8x16xindex>), %pad {gather_dims = [0, 3], index_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (j, k)>], permutation_map = affine_map<(i, j, k) -> (k, j, i)>} : memref<8192x8x16xf32>, vector<16x8x2xf32>
  return
}

// -----

func.func @gathered_dim_twice(%base: memref<8192x8x16xf32>, %i0: vector<2xindex>, %i1: vector<8x16xindex>, %c: index, %pad: f32) {
  // expected-error @+1 {{gathered dim 1 is not a further one of the 3 dims of the base}}
  %g = iree_vector_ext.transfer_gather %base[%c, %c, %c](%i0 : vector<2xindex>, %i1 : vector<8x16xindex>), %pad {gather_dims = [1, 1], index_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (j, k)>], permutation_map = affine_map<(i, j, k) -> (k, j, i)>} : memref<8192x8x16xf32>, vector<16x8x2xf32>
  return
}

// -----

func.func @published_shapes_do_not_fit(%base: memref<8192x8x16xf32>, %i0: vector<2xindex>, %i1: vector<4x8xindex>, %c: index, %pad: f32) {
  // expected-error @+1 {{index vector 0 has shape [2], its map over the slice [2, 8, 16] needs [16]}}
  %g = iree_vector_ext.transfer_gather %base[%c, %c, %c](%i0 : vector<2xindex>, %i1 : vector<4x8xindex>), %pad {gather_dims = [0, 2], index_maps = [affine_map<(i, j, k) -> (k)>, affine_map<(i, j, k) -> (i, j)>], in_bounds = [true, true, true], permutation_map = affine_map<(i, j, k) -> (k, j, i)>} : memref<8192x8x16xf32>, vector<16x8x2xf32>
  return
}

// -----

func.func @generic_entry_missing(%base: memref<8192x8x16xf32>, %i0: vector<2xindex>, %i1: vector<8x16xindex>, %c: index, %pad: f32) {
  // expected-error @+1 {{has 2 indexed entries for a base of rank 3}}
  %g = "iree_vector_ext.transfer_gather"(%base, %c, %c, %c, %i0, %i1, %pad) {indexed = [true, true], indexed_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (j, k)>], permutation_map = affine_map<(i, j, k) -> (k, j, i)>, operandSegmentSizes = array<i32: 1, 3, 2, 1, 0>} : (memref<8192x8x16xf32>, index, index, index, vector<2xindex>, vector<8x16xindex>, f32) -> vector<16x8x2xf32>
  return
}

// -----

func.func @generic_count_differs(%base: memref<8192x8x16xf32>, %i0: vector<2xindex>, %i1: vector<8x16xindex>, %c: index, %pad: f32) {
  // expected-error @+1 {{has 2 index vectors and 2 indexed_maps for 1 gathered dims}}
  %g = "iree_vector_ext.transfer_gather"(%base, %c, %c, %c, %i0, %i1, %pad) {indexed = [true, false, false], indexed_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (j, k)>], permutation_map = affine_map<(i, j, k) -> (k, j, i)>, operandSegmentSizes = array<i32: 1, 3, 2, 1, 0>} : (memref<8192x8x16xf32>, index, index, index, vector<2xindex>, vector<8x16xindex>, f32) -> vector<16x8x2xf32>
  return
}

// -----

// VX-12
func.func @no_type(%base: memref<32x16xf16>, %rows: vector<8xi32>, %pad: f16) -> vector<8x16xf16> {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{an index operand has no type; write `[%a : type, %b : type]` or `[%a, %b : type, type]`}}
  %0 = iree_vector_ext.transfer_gather %base[%c0, %c0] [%rows], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]} : memref<32x16xf16>, vector<8x16xf16>
  return %0 : vector<8x16xf16>
}

// -----

func.func @gather_dims_of_words(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16) {
  // expected-error @+1 {{gather_dims must be integers, got ["rows"]}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {gather_dims = ["rows"], indexed_maps = [affine_map<(i, j) -> (i)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @gather_dims_no_list(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16) {
  // expected-error @+1 {{attribute 'gather_dims' is 0 : i64}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {gather_dims = 0, indexed_maps = [affine_map<(i, j) -> (i)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @classic_base_of_any_rank(%base: memref<*xf16>, %rows: vector<16xindex>, %i: index, %pad: f16) {
  // expected-error @+1 {{reads a vector from a ranked memref or tensor, got 'vector<16x8xf16>' from 'memref<*xf16>'}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexed_maps = [affine_map<(i, j) -> (i)>]} : memref<*xf16>, vector<16x8xf16>
  return
}

// -----

func.func @scalar_base(%base: f16, %rows: vector<16xindex>, %i: index, %pad: f16) {
  // expected-error @+1 {{base has type 'f16', expected a memref or a tensor}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]} : f16, vector<16x8xf16>
  return
}

// -----

func.func @mask_without_a_type(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) {
  // expected-error @+1 {{the mask has no type; write it behind the vector's}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad, %m {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>, affine_map<(d0)[s0] -> (d0)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}
