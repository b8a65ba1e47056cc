// Lane 31 goes past the matrix instruction that the others are at.
#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @missing_lane(%o: memref<32x4xf32>) attributes {translation_info = #launch} {
  %c31 = arith.constant 31 : index
  pcf.generic scope(#ln) execute(%O = %o)[%lane: index, %lanes: index] : (!pcf.sref<32x4xf32, #ln>) -> (memref<32x4xf32>) {
    %a = arith.constant dense<1.0> : tensor<4x2xf16>
    %b = arith.constant dense<1.0> : tensor<2x2xf16>
    %c = arith.constant dense<1.0> : tensor<2x2xf32>
    %some = arith.cmpi ult, %lane, %c31 : index
    scf.if %some {
      %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}
        : tensor<4x2xf16>, tensor<2x2xf16> into tensor<2x2xf32>
      %e = tensor.collapse_shape %d [[0, 1]] : tensor<2x2xf32> into tensor<4xf32>
      %f = tensor.expand_shape %e [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
      pcf.write_slice %f into %O[%lane, 0] [1, 4] [1, 1] : tensor<1x4xf32> into !pcf.sref<32x4xf32, #ln>
    }
    pcf.return
  }
  return
}
