// RUN: distaff-opt %s | FileCheck %s
// RUN: distaff-opt %s | distaff-opt | FileCheck %s
// RUN: distaff-opt --mlir-print-op-generic %s | distaff-opt | FileCheck %s

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mma = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>
#nvmma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>

// CHECK-LABEL: func.func @mfma_tensors
func.func @mfma_tensors(%a: tensor<8x4x1x4xf16>, %b: tensor<4x4x4x1xf16>, %c: tensor<8x4x4x1xf32>) -> tensor<8x4x4x1xf32> {
  // CHECK: iree_codegen.inner_tiled ins(%{{.*}}, %{{.*}}) outs(%{{.*}}) {indexing_maps = [#map, #map1, #map2], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : tensor<8x4x1x4xf16>, tensor<4x4x4x1xf16> into tensor<8x4x4x1xf32>
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #mma} : tensor<8x4x1x4xf16>, tensor<4x4x4x1xf16> into tensor<8x4x4x1xf32>
  return %0 : tensor<8x4x4x1xf32>
}

// CHECK-LABEL: func.func @mma_sync_vectors
func.func @mma_sync_vectors(%a: vector<4x4x4x2xf16>, %b: vector<4x8x2x2xf16>, %c: vector<4x8x2x2xf32>) -> vector<4x8x2x2xf32> {
  // CHECK: : vector<4x4x4x2xf16>, vector<4x8x2x2xf16> into vector<4x8x2x2xf32>
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #nvmma} : vector<4x4x4x2xf16>, vector<4x8x2x2xf16> into vector<4x8x2x2xf32>
  return %0 : vector<4x8x2x2xf32>
}

// CHECK-LABEL: func.func @iterators_may_be_named
func.func @iterators_may_be_named(%a: vector<1x1x4x2xf16>, %b: vector<1x1x2x2xf16>, %c: vector<1x1x2x2xf32>) -> vector<1x1x2x2xf32> {
  // CHECK: iterator_types = ["parallel", "parallel", "reduction"]
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"], kind = #nvmma} : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>
  return %0 : vector<1x1x2x2xf32>
}

// One fragment of each operand, with no outer dims at all.
// CHECK-LABEL: func.func @single_fragments
func.func @single_fragments(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf32>) -> vector<2x2xf32> {
  // CHECK: : vector<4x2xf16>, vector<2x2xf16> into vector<2x2xf32>
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], kind = #nvmma} : vector<4x2xf16>, vector<2x2xf16> into vector<2x2xf32>
  return %0 : vector<2x2xf32>
}

// The instruction's A is the transposed right-hand side.
// CHECK-LABEL: func.func @column_major_swaps_the_operands
func.func @column_major_swaps_the_operands(%a: vector<2x2xf16>, %b: vector<4x2xf16>, %c: vector<2x2xf32>) -> vector<2x2xf32> {
  // CHECK: kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16, col_major>
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16, col_major>} : vector<2x2xf16>, vector<4x2xf16> into vector<2x2xf32>
  return %0 : vector<2x2xf32>
}

// As IREE has it, before lanes have their parts.
// CHECK-LABEL: func.func @tiles_of_a_dispatch
func.func @tiles_of_a_dispatch(%a: tensor<8x4x16x16xf16>, %b: tensor<4x4x16x16xf16>, %c: tensor<8x4x16x16xf32>) -> tensor<8x4x16x16xf32> {
  // CHECK: iree_codegen.inner_tiled
  // CHECK-SAME: permutations = [array<i64: 0, 1>, array<i64: 1, 0>, array<i64: 0, 1>]
  // CHECK-SAME: semantics = #iree_gpu.mma_semantics<distributed = false, opaque = false>
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #mma, permutations = [array<i64: 0, 1>, array<i64: 1, 0>, array<i64: 0, 1>], semantics = #iree_gpu.mma_semantics<distributed = false, opaque = false>} : tensor<8x4x16x16xf16>, tensor<4x4x16x16xf16> into tensor<8x4x16x16xf32>
  // CHECK: iree_codegen.fusion_barrier %{{.*}} : tensor<8x4x16x16xf32>
  %1 = iree_codegen.fusion_barrier %0 : tensor<8x4x16x16xf32>
  return %1 : tensor<8x4x16x16xf32>
}
