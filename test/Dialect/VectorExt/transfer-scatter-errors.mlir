// RUN: distaff-opt %s -verify-diagnostics -split-input-file

// VX-18; the clauses shared with transfer_gather are tested there.

func.func @tensor_without_result(%v: vector<16xf16>, %base: tensor<512xf16>, %rows: vector<16xindex>, %i: index) {
  // expected-error @+1 {{into a tensor needs a result of type 'tensor<512xf16>'}}
  iree_vector_ext.transfer_scatter %v into %base[%i] [%rows : vector<16xindex>] {indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>]} : vector<16xf16>, tensor<512xf16>
  return
}

// -----

func.func @result_of_another_type(%v: vector<16xf16>, %base: tensor<512xf16>, %rows: vector<16xindex>, %i: index) {
  // expected-error @+1 {{has a result of type 'tensor<511xf16>', into a tensor it has its type}}
  %0 = iree_vector_ext.transfer_scatter %v into %base[%i] [%rows : vector<16xindex>] {indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>]} : vector<16xf16>, tensor<512xf16> -> tensor<511xf16>
  return
}

// -----

func.func @memref_with_result(%v: vector<16xf16>, %base: memref<512xf16>, %rows: vector<16xindex>, %i: index) {
  // expected-error @+1 {{has a result of type 'tensor<512xf16>', into a memref it has none}}
  %0 = iree_vector_ext.transfer_scatter %v into %base[%i] [%rows : vector<16xindex>] {indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>]} : vector<16xf16>, memref<512xf16> -> tensor<512xf16>
  return
}

// -----

func.func @dim_in_no_map(%v: vector<4x16xf16>, %base: memref<512xf16>, %rows: vector<16xindex>, %i: index) {
  // expected-error @+1 {{dim 0 of extent 4 is in no map: its elements would be written to one address}}
  iree_vector_ext.transfer_scatter %v into %base[%i] [%rows : vector<16xindex>] {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0)>, affine_map<(d0, d1)[s0] -> (d1)>]} : vector<4x16xf16>, memref<512xf16>
  return
}

// -----

// A mask chooses elements; it gives them no address.
func.func @dim_in_the_mask_only(%v: vector<4x16xf16>, %base: memref<512xf16>, %rows: vector<16xindex>, %i: index, %m: vector<4x16xi1>) {
  // expected-error @+1 {{dim 0 of extent 4 is in no map}}
  iree_vector_ext.transfer_scatter %v into %base[%i] [%rows : vector<16xindex>], %m {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0)>, affine_map<(d0, d1)[s0] -> (d1)>, affine_map<(d0, d1)[s0] -> (d0, d1)>]} : vector<4x16xf16>, memref<512xf16>, vector<4x16xi1>
  return
}

// -----

func.func @classic_entry(%v: vector<16xf16>, %base: memref<512xf16>, %i: index) {
  // expected-error @+1 {{'None' is of the classic form of transfer_gather, which this op has not}}
  iree_vector_ext.transfer_scatter %v into %base[%i] [None] {indexing_maps = [affine_map<(d0) -> (d0)>]} : vector<16xf16>, memref<512xf16>
  return
}

// -----

func.func @map_missing(%v: vector<16xf16>, %base: memref<512xf16>, %rows: vector<16xindex>, %i: index) {
  // expected-error @+1 {{has 1 indexing maps, expected 2: one for the base, 1 for index values, 0 for the mask}}
  iree_vector_ext.transfer_scatter %v into %base[%i] [%rows : vector<16xindex>] {indexing_maps = [affine_map<(d0)[s0] -> (s0)>]} : vector<16xf16>, memref<512xf16>
  return
}
