// RUN: distaff-opt %s | FileCheck %s
// RUN: distaff-opt %s | distaff-opt | FileCheck %s
// RUN: distaff-opt --mlir-print-op-generic %s | distaff-opt | FileCheck %s

#rows = affine_map<(d0, d1)[s0] -> (s0, d1)>
#by_row = affine_map<(d0, d1)[s0] -> (d0)>
#all = affine_map<(d0, d1)[s0] -> (d0, d1)>

// VX-18
// CHECK-LABEL: func.func @into_a_memref
func.func @into_a_memref(%v: vector<16x8xf16>, %base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index) {
  // CHECK: iree_vector_ext.transfer_scatter %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}] [%{{.*}} : vector<16xindex>] {indexing_maps = [#map, #map1]} : vector<16x8xf16>, memref<512x8xf16>{{$}}
  iree_vector_ext.transfer_scatter %v into %base[%i, %i] [%rows : vector<16xindex>] {indexing_maps = [#rows, #by_row]} : vector<16x8xf16>, memref<512x8xf16>
  return
}

// VX-18
// CHECK-LABEL: func.func @into_a_tensor_with_a_mask
func.func @into_a_tensor_with_a_mask(%v: vector<16x8xf16>, %base: tensor<512x8xf16>, %rows: vector<16xindex>, %i: index, %m: vector<16x8xi1>) -> tensor<512x8xf16> {
  // CHECK: iree_vector_ext.transfer_scatter %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}] [%{{.*}} : vector<16xindex>], %{{.*}} {indexing_maps = [#map, #map1, #map2], in_bounds = [true, false]} : vector<16x8xf16>, tensor<512x8xf16>, vector<16x8xi1> -> tensor<512x8xf16>
  %0 = iree_vector_ext.transfer_scatter %v into %base[%i, %i] [%rows : vector<16xindex>], %m {indexing_maps = [#rows, #by_row, #all], in_bounds = [true, false]} : vector<16x8xf16>, tensor<512x8xf16>, vector<16x8xi1> -> tensor<512x8xf16>
  return %0 : tensor<512x8xf16>
}

// VX-18: a dim of extent 1 needs no map.
// CHECK-LABEL: func.func @unit_dim_in_no_map
func.func @unit_dim_in_no_map(%v: vector<1x16xf16>, %base: memref<512xf16>, %rows: vector<16xindex>, %i: index) {
  // CHECK: transfer_scatter
  iree_vector_ext.transfer_scatter %v into %base[%i] [%rows : vector<16xindex>] {indexing_maps = [affine_map<(d0, d1)[s0] -> (s0)>, affine_map<(d0, d1)[s0] -> (d1)>]} : vector<1x16xf16>, memref<512xf16>
  return
}
