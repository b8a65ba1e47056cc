// RUN: distaff-opt %s | FileCheck %s
// RUN: distaff-opt %s | distaff-opt | FileCheck %s
// RUN: distaff-opt --mlir-print-op-generic %s | distaff-opt | FileCheck %s

#rows = affine_map<(d0, d1)[s0] -> (s0, d1)>
#by_row = affine_map<(d0, d1)[s0] -> (d0)>

// VX-13
// CHECK-LABEL: func.func @gathered_rows
func.func @gathered_rows(%base: memref<512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16) -> vector<16x8xf16> {
  // CHECK: iree_vector_ext.transfer_gather %{{.*}}[%{{.*}}, %{{.*}}] [%{{.*}} : vector<16xindex>], %{{.*}} {indexing_maps = [#map, #map1]} : memref<512x8xf16>, vector<16x8xf16>{{$}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xindex>], %pad {
    indexing_maps = [#rows, #by_row]
  } : memref<512x8xf16>, vector<16x8xf16>
  return %g : vector<16x8xf16>
}

// VX-13
// CHECK-LABEL: func.func @masked
func.func @masked(%base: memref<128x512x8xf16>, %rows: vector<16xindex>, %i: index, %pad: f16, %m: vector<16x8xi1>) -> vector<16x8xf16> {
  // CHECK: transfer_gather %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] [%{{.*}} : vector<16xindex>], %{{.*}}, %{{.*}} {indexing_maps = {{.*}}} : memref<128x512x8xf16>, vector<16x8xf16>, vector<16x8xi1>{{$}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i, %i] [%rows : vector<16xindex>], %pad, %m {
    indexing_maps = [affine_map<(d0, d1)[s0] -> (0, s0, d1)>, #by_row, affine_map<(d0, d1)[s0] -> (d0, d1)>]
  } : memref<128x512x8xf16>, vector<16x8xf16>, vector<16x8xi1>
  return %g : vector<16x8xf16>
}

// VX-13: a scalar index has the empty map; a tensor is a base too.
// CHECK-LABEL: func.func @scalar_index
func.func @scalar_index(%base: tensor<512x8xf16>, %row: index, %i: index, %pad: f16) -> vector<8xf16> {
  // CHECK: transfer_gather %{{.*}} [%{{.*}} : index], %{{.*}} : tensor<512x8xf16>, vector<8xf16>{{$}}
  %g = iree_vector_ext.transfer_gather %base[%i, %i] [%row : index], %pad {
    indexing_maps = [affine_map<(d0)[s0] -> (s0, d0)>, affine_map<(d0)[s0] -> ()>]
  } : tensor<512x8xf16>, vector<8xf16>
  return %g : vector<8xf16>
}

// VX-13: in_bounds is printed unless all true; indices may be integers.
// CHECK-LABEL: func.func @in_bounds
func.func @in_bounds(%base: memref<512x8xf16>, %rows: vector<16xi32>, %i: index, %pad: f16) -> (vector<16x8xf16>, vector<16x8xf16>) {
  // CHECK: transfer_gather %{{.*}} [%{{.*}} : vector<16xi32>], %{{.*}} {indexing_maps = [#map, #map1], in_bounds = [false, true]} : memref
  %0 = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xi32>], %pad {
    indexing_maps = [#rows, #by_row], in_bounds = [false, true]
  } : memref<512x8xf16>, vector<16x8xf16>
  // CHECK: transfer_gather %{{.*}} [%{{.*}} : vector<16xi32>], %{{.*}} {indexing_maps = [#map, #map1]} : memref
  %1 = iree_vector_ext.transfer_gather %base[%i, %i] [%rows : vector<16xi32>], %pad {
    indexing_maps = [#rows, #by_row], in_bounds = [true, true]
  } : memref<512x8xf16>, vector<16x8xf16>
  return %0, %1 : vector<16x8xf16>, vector<16x8xf16>
}

// VX-13: attributes that the op does not know are kept.
// CHECK-LABEL: func.func @discardable_attributes
func.func @discardable_attributes(%base: memref<512xf16>, %rows: vector<16xindex>, %i: index, %pad: f16) -> vector<16xf16> {
  // CHECK: {indexing_maps = {{.*}}, my.note = "kept"}
  %0 = iree_vector_ext.transfer_gather %base[%i] [%rows : vector<16xindex>], %pad {
    indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>], my.note = "kept"
  } : memref<512xf16>, vector<16xf16>
  return %0 : vector<16xf16>
}

// VX-12: types behind all operands that have none yet, one entry for each.
// CHECK-LABEL: func.func @types_at_the_end
func.func @types_at_the_end(%base: memref<32x16x4xf16>, %pages: vector<8xi32>, %rows: vector<16xindex>, %h: index, %pad: f16) -> (vector<8x16xf16>, vector<8x16xf16>, vector<8x16xf16>) {
  %c0 = arith.constant 0 : index
  // CHECK-COUNT-3: [%{{.*}} : vector<8xi32>, %{{.*}} : vector<16xindex>, %{{.*}} : index], %
  %0 = iree_vector_ext.transfer_gather %base[%c0, %c0, %c0] [%pages, %rows, %h : vector<8xi32>, vector<16xindex>, index], %pad {
    indexing_maps = [affine_map<(d0, d1)[s0, s1, s2] -> (s0, s1, s2)>, affine_map<(d0, d1)[s0, s1, s2] -> (d0)>, affine_map<(d0, d1)[s0, s1, s2] -> (d1)>, affine_map<(d0, d1)[s0, s1, s2] -> ()>]} : memref<32x16x4xf16>, vector<8x16xf16>
  %1 = iree_vector_ext.transfer_gather %base[%c0, %c0, %c0] [%pages : vector<8xi32>, %rows, %h : vector<16xindex>, index], %pad {
    indexing_maps = [affine_map<(d0, d1)[s0, s1, s2] -> (s0, s1, s2)>, affine_map<(d0, d1)[s0, s1, s2] -> (d0)>, affine_map<(d0, d1)[s0, s1, s2] -> (d1)>, affine_map<(d0, d1)[s0, s1, s2] -> ()>]} : memref<32x16x4xf16>, vector<8x16xf16>
  %2 = iree_vector_ext.transfer_gather %base[%c0, %c0, %c0] [%pages, %rows : vector<8xi32>, vector<16xindex>, %h : index], %pad {
    indexing_maps = [affine_map<(d0, d1)[s0, s1, s2] -> (s0, s1, s2)>, affine_map<(d0, d1)[s0, s1, s2] -> (d0)>, affine_map<(d0, d1)[s0, s1, s2] -> (d1)>, affine_map<(d0, d1)[s0, s1, s2] -> ()>]} : memref<32x16x4xf16>, vector<8x16xf16>
  // CHECK: transfer_scatter {{.*}} [%{{.*}} : vector<8xi32>, %{{.*}} : vector<16xindex>]
  iree_vector_ext.transfer_scatter %0 into %base[%c0, %c0, %h] [%pages, %rows : vector<8xi32>, vector<16xindex>] {
    indexing_maps = [affine_map<(d0, d1)[s0, s1] -> (s0, s1, 0)>, affine_map<(d0, d1)[s0, s1] -> (d0)>, affine_map<(d0, d1)[s0, s1] -> (d1)>]} : vector<8x16xf16>, memref<32x16x4xf16>
  return %0, %1, %2 : vector<8x16xf16>, vector<8x16xf16>, vector<8x16xf16>
}
