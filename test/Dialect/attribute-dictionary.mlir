// RUN: distaff-opt %s | FileCheck %s --check-prefixes=CHECK,DICTIONARY
// RUN: distaff-opt %s --print-inherent-attributes=dictionary | FileCheck %s --check-prefixes=CHECK,DICTIONARY
// RUN: distaff-opt %s --print-inherent-attributes=properties | FileCheck %s --check-prefixes=CHECK,PROPERTIES
// RUN: distaff-opt %s --print-inherent-attributes=properties | distaff-opt | FileCheck %s --check-prefixes=CHECK,DICTIONARY
// RUN: not distaff-opt %s --print-inherent-attributes=none 2>&1 | FileCheck %s --check-prefix=FLAG
// RUN: distaff run %s --func moved --target sm_80 --input arg0=iota --check --counters | FileCheck %s --check-prefix=MOVED
// RUN: distaff-opt %s --print-inherent-attributes=properties -o %t.mlir
// RUN: distaff run %t.mlir --func moved --target sm_80 --input arg0=iota --check --counters | FileCheck %s --check-prefix=MOVED
// RUN: distaff compile %t.mlir --func moved --target sm_80 --stop-after=configure | FileCheck %s --check-prefix=COMPILED

// Inherent attributes are entries of the attribute dictionary, properties in front of it, or both; unittests/Dialect/AttributeFormsTest.cpp
// has every op.

// FLAG: Cannot find option named 'none'

#row = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>

// CHECK-LABEL: @layouts(
func.func @layouts(%v: vector<64xf32>) {
  // DICTIONARY-COUNT-6: to_layout %arg0 to layout(#{{[a-z_0-9]+}}) {mma_kind = 1 : i32, other, shared_memory_conversion} : vector<64xf32>
  // PROPERTIES-COUNT-6: to_layout %arg0 to layout(#{{[a-z_0-9]+}}) <{mma_kind = 1 : i32, shared_memory_conversion}> {other} : vector<64xf32>
  %0 = iree_vector_ext.to_layout %v to layout(#row) {shared_memory_conversion, mma_kind = 1 : i32, other} : vector<64xf32>
  %1 = iree_vector_ext.to_layout %v to layout(#row) <{shared_memory_conversion, mma_kind = 1 : i32}> {other} : vector<64xf32>
  %2 = iree_vector_ext.to_layout %v to layout(#row) <{shared_memory_conversion}> {mma_kind = 1 : i32, other} : vector<64xf32>
  %3 = "iree_vector_ext.to_layout"(%v) <{layout = #row, shared_memory_conversion, mma_kind = 1 : i32}> {other} : (vector<64xf32>) -> vector<64xf32>
  %4 = "iree_vector_ext.to_layout"(%v) {layout = #row, shared_memory_conversion, mma_kind = 1 : i32, other} : (vector<64xf32>) -> vector<64xf32>
  %5 = "iree_vector_ext.to_layout"(%v) <{layout = #row, mma_kind = 1 : i32}> {shared_memory_conversion, other} : (vector<64xf32>) -> vector<64xf32>
  // CHECK: to_layout %arg0 to layout(#{{[a-z_0-9]+}}) : vector<64xf32>
  %6 = iree_vector_ext.to_layout %v to layout(#row) <{}> : vector<64xf32>
  // CHECK: to_layout %arg0 to layout(#{{[a-z_0-9]+}}) {other} : vector<64xf32>
  %7 = iree_vector_ext.to_layout %v to layout(#row) {other} : vector<64xf32>
  return
}

// CHECK-LABEL: @gathers(
func.func @gathers(%m: memref<512x8xf16>, %rows: vector<16xindex>, %v: vector<16x8xf16>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f16
  // DICTIONARY-COUNT-3: transfer_gather {{.*}} {indexing_maps = [#map, #map1], in_bounds = [false, true], other} : memref<512x8xf16>, vector<16x8xf16>
  // PROPERTIES-COUNT-3: transfer_gather {{.*}} <{in_bounds = [false, true], indexing_maps = [#map, #map1]}> {other} : memref<512x8xf16>, vector<16x8xf16>
  %0 = iree_vector_ext.transfer_gather %m[%c0, %c0] [%rows : vector<16xindex>], %pad {in_bounds = [false, true], other,
    indexing_maps = [affine_map<(i, j)[s] -> (s, j)>, affine_map<(i, j)[s] -> (i)>]} : memref<512x8xf16>, vector<16x8xf16>
  %1 = iree_vector_ext.transfer_gather %m[%c0, %c0] [%rows : vector<16xindex>], %pad <{in_bounds = [false, true],
    indexing_maps = [affine_map<(i, j)[s] -> (s, j)>, affine_map<(i, j)[s] -> (i)>]}> {other} : memref<512x8xf16>, vector<16x8xf16>
  // The classic form.
  %2 = iree_vector_ext.transfer_gather %m[%c0, %c0] [%rows : vector<16xindex>, None], %pad <{indexed_maps = [affine_map<(i, j) -> (i)>]}>
    {in_bounds = [false, true], other} : memref<512x8xf16>, vector<16x8xf16>
  // DICTIONARY-COUNT-2: transfer_scatter {{.*}} {indexing_maps = [#map, #map1], in_bounds = [false, true]} : vector<16x8xf16>, memref<512x8xf16>
  // PROPERTIES-COUNT-2: transfer_scatter {{.*}} <{in_bounds = [false, true], indexing_maps = [#map, #map1]}> : vector<16x8xf16>, memref<512x8xf16>
  iree_vector_ext.transfer_scatter %v into %m[%c0, %c0] [%rows : vector<16xindex>] {in_bounds = [false, true],
    indexing_maps = [affine_map<(i, j)[s] -> (s, j)>, affine_map<(i, j)[s] -> (i)>]} : vector<16x8xf16>, memref<512x8xf16>
  iree_vector_ext.transfer_scatter %v into %m[%c0, %c0] [%rows : vector<16xindex>] <{in_bounds = [false, true],
    indexing_maps = [affine_map<(i, j)[s] -> (s, j)>, affine_map<(i, j)[s] -> (i)>]}> : vector<16x8xf16>, memref<512x8xf16>
  return
}

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: @fragments(
func.func @fragments(%a: vector<1x1x4x2xf16>, %b: vector<1x1x2x2xf16>, %c: vector<1x1x2x2xf32>) {
  // DICTIONARY-COUNT-3: inner_tiled ins(%arg0, %arg1) outs(%arg2) {indexing_maps = [{{.*}}], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} : vector
  // PROPERTIES-COUNT-3: inner_tiled ins(%arg0, %arg1) outs(%arg2) <{indexing_maps = [{{.*}}], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}> : vector
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}
    : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
  %1 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <{indexing_maps = [#mk, #kn, #mn], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
    : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
  %2 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <{kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}> {indexing_maps = [#mk, #kn, #mn]}
    : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
  return
}

// Properties come before the keyword.
// CHECK-LABEL: @best(
func.func @best(%x: vector<4x8xf32>, %v: vector<4xf32>, %i: vector<4xi32>) {
  // CHECK: arg_compare dimension(1) {{.*}} attributes {other} {
  %0:2 = iree_vector_ext.arg_compare dimension(1) ins(%x : vector<4x8xf32>) inits(%v, %i : vector<4xf32>, vector<4xi32>) <{}> attributes {other} {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf ogt, %a, %b : f32
    iree_vector_ext.yield <{}> {other} %c : i1
  } -> vector<4xf32>, vector<4xi32>
  return
}

// The conversion goes through shared memory, as its property says.
// MOVED: lower {{.*}} ok
// MOVED: shared bytes written {{ *}}256
// COMPILED: to_layout %{{.*}} to layout(#{{.*}}) {shared_memory_conversion} : vector<64xf32>
func.func @moved(%x: memref<64xf32>, %y: memref<64xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %r = vector.transfer_read %x[%c0], %pad {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %a = iree_vector_ext.to_layout %r to layout(#row) : vector<64xf32>
  %b = iree_vector_ext.to_layout %a to layout(#rows) <{shared_memory_conversion}> : vector<64xf32>
  vector.transfer_write %b, %y[%c0] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return
}
