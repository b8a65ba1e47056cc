// RUN: distaff-opt %s -verify-diagnostics -split-input-file

#row = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
func.func @twice(%v: vector<64xf32>) {
  // expected-error @below {{custom op 'iree_vector_ext.to_layout' has attribute 'mma_kind' in <{...}> and in {...}; remove one}}
  %0 = iree_vector_ext.to_layout %v to layout(#row) <{mma_kind = 1 : i32}> {mma_kind = 1 : i32} : vector<64xf32>
  return
}

// -----

#row = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
func.func @unknown(%v: vector<64xf32>) {
  // expected-error @below {{custom op 'iree_vector_ext.to_layout' has no property 'other', only 'shared_memory_conversion', 'mma_kind'; write discardable attributes as {...}}}
  %0 = iree_vector_ext.to_layout %v to layout(#row) <{other}> : vector<64xf32>
  return
}

// -----

func.func @unknown_where_there_is_none(%v: vector<2xf32>) {
  // expected-error @below {{custom op 'iree_vector_ext.to_simd' has no property 'other'; write discardable attributes as {...}}}
  %0 = iree_vector_ext.to_simd %v <{other}> : vector<2xf32> -> vector<64xf32>
  return
}

// -----

#row = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
func.func @spelled_in_properties(%v: vector<64xf32>) {
  // expected-error @below {{custom op 'iree_vector_ext.to_layout' has attribute 'layout' in its syntax; remove it here}}
  %0 = iree_vector_ext.to_layout %v to layout(#row) <{layout = #row}> : vector<64xf32>
  return
}

// -----

#row = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
func.func @spelled_in_dictionary(%v: vector<64xf32>) {
  // expected-error @below {{custom op 'iree_vector_ext.to_layout' has attribute 'layout' in its syntax; remove it here}}
  %0 = iree_vector_ext.to_layout %v to layout(#row) {layout = #row} : vector<64xf32>
  return
}

// -----

func.func @spelled_by_operands() {
  // expected-error @below {{custom op 'pcf.barrier' has attribute 'operandSegmentSizes' in its syntax; remove it here}}
  pcf.barrier(#pcf.sequential) <{operandSegmentSizes = array<i32: 1, 0, 0>}>
  return
}

// -----

func.func @wrong_type(%a: vector<1x1x4x2xf16>, %b: vector<1x1x2x2xf16>, %c: vector<1x1x2x2xf32>) {
  // expected-error @below {{'iree_codegen.inner_tiled' op attribute 'indexing_maps' failed to satisfy constraint: AffineMap array attribute}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <{indexing_maps = 3 : i32, kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
    : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
  return
}

// -----

func.func @wrong_type_of_a_gather(%m: memref<512x8xf16>, %rows: vector<16xindex>, %pad: f16, %c0: index) {
  // expected-error @below {{'iree_vector_ext.transfer_gather' op attribute 'in_bounds' failed to satisfy constraint: 1-bit boolean array attribute}}
  %0 = iree_vector_ext.transfer_gather %m[%c0, %c0] [%rows : vector<16xindex>], %pad {in_bounds = 1 : i32,
    indexing_maps = [affine_map<(i, j)[s] -> (s, j)>, affine_map<(i, j)[s] -> (i)>]} : memref<512x8xf16>, vector<16x8xf16>
  return
}

// -----

func.func @missing(%a: vector<1x1x4x2xf16>, %b: vector<1x1x2x2xf16>, %c: vector<1x1x2x2xf32>) {
  // expected-error @below {{'iree_codegen.inner_tiled' op requires attribute 'indexing_maps'}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <{kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
    : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
  return
}

// -----

func.func @unfinished() {
  // expected-error @below {{expected '>'}}
  pcf.barrier(#pcf.sequential) <{} {other}
  return
}

// -----

#row = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
func.func @properties_without_braces(%v: vector<64xf32>) {
  // expected-error @below {{expected attribute value}}
  %0 = iree_vector_ext.to_layout %v to layout(#row) <> : vector<64xf32>
  return
}

// -----

#row = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
func.func @no_properties(%v: vector<64xf32>) {
  %0 = iree_vector_ext.to_layout %v to layout(#row) <{}> : vector<64xf32>
  return
}
