// RUN: distaff-opt %s -verify-diagnostics -split-input-file

// VX-12
func.func @element_types_differ(%v: vector<64xf32>) {
  // expected-error @+1 {{casts between element types 'f32' and 'f16'}}
  %0 = iree_vector_ext.to_simt %v : vector<64xf32> -> vector<2xf16>
  return
}

// -----

// VX-12
func.func @part_exceeds_whole(%v: vector<8xf32>) {
  // expected-error @+1 {{a lane's part 'vector<16xf32>' has 16 elements, the whole 'vector<8xf32>' has only 8}}
  %0 = iree_vector_ext.to_simt %v : vector<8xf32> -> vector<16xf32>
  return
}

// -----

// VX-12
func.func @whole_falls_short(%v: vector<16xf32>) {
  // expected-error @+1 {{a lane's part 'vector<16xf32>' has 16 elements, the whole 'vector<8xf32>' has only 8}}
  %0 = iree_vector_ext.to_simd %v : vector<16xf32> -> vector<8xf32>
  return
}

// -----

// VX-12
func.func @scalable(%v: vector<[16]xf32>) {
  // expected-error @+1 {{does not take scalable vectors}}
  %0 = iree_vector_ext.to_simt %v : vector<[16]xf32> -> vector<8xf32>
  return
}
