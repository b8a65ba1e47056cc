// One tile of C = A * B, f16 x f16 -> f32: one of the ways of docs/Specialization.md
// to say it, which all take the same arguments and give equal bits:
//
//   arg0, arg1   1x256xK and 1xKx128, K a multiple of 32
//   arg2         1x256x128, overwritten
//   arg3         which subgroup the second cluster begins with: 1 to 7 of the 8
//                of 32 lanes, 1 to 3 of the 4 of 64
//   arg4         the number of panels, K / 32

#launch = #iree_codegen.translation_info<workgroup_size = [256, 1, 1]>

// What is computed, and nothing of how.
func.func @from_linalg(%lhs: tensor<1x256x?xf16>, %rhs: tensor<1x?x128xf16>, %out3: tensor<1x256x128xf32>,
    %p: index, %nk: index) -> tensor<1x256x128xf32> attributes {translation_info = #launch} {
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%out3 : tensor<1x256x128xf32>) -> tensor<1x256x128xf32>
  %r = linalg.batch_matmul ins(%lhs, %rhs : tensor<1x256x?xf16>, tensor<1x?x128xf16>) outs(%z : tensor<1x256x128xf32>) -> tensor<1x256x128xf32>
  return %r : tensor<1x256x128xf32>
}
