func.func @p(%a: tensor<2x2x16x16xf16>, %b: tensor<2x2x16x8xf16>, %c: tensor<2x2x16x8xf32>) -> tensor<2x2x16x8xf32> {
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<(m,n,k) -> (m,k)>, affine_map<(m,n,k) -> (k,n)>, affine_map<(m,n,k) -> (m,n)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = false, opaque = true>> : tensor<2x2x16x16xf16>, tensor<2x2x16x8xf16> into tensor<2x2x16x8xf32>
  return %d : tensor<2x2x16x8xf32>
}
