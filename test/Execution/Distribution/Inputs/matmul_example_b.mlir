// The specification's example B (9.3): tiles 128x128x32 on 2x2 subgroups, m16n8k16, both operands promoted, rhs (n, k).
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
#translation = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [128, 1, 1] subgroup_size = 32>
#config = #iree_gpu.lowering_config<{workgroup = [128, 128, 0], reduction = [0, 0, 32], subgroup_basis = [[2, 2, 1], [0, 1, 2]],
                                     promote_operands = [0, 1], mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
func.func @example_b(%a: tensor<256x96xf16>, %b: tensor<128x96xf16>) -> tensor<256x128xf32> attributes {translation_info = #translation} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x128xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
  %d = linalg.matmul indexing_maps = [#mk, #nk, #mn] {lowering_config = #config}
    ins(%a, %b : tensor<256x96xf16>, tensor<128x96xf16>) outs(%c : tensor<256x128xf32>) -> tensor<256x128xf32>
  return %d : tensor<256x128xf32>
}
