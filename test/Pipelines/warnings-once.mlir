// Who reads warnings is told once: of a product per place of a window, and of a verifier that runs after each pass (PCF-197).
// RUN: distaff compile %s --func window --target sm_80 --pipeline run-cluster --stop-after=distribute-subgroups -o %t 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: distaff compile %s --func unconsumed --target sm_80 --emit ptx -o %t 2>&1 | FileCheck %s --check-prefix=PAYLOAD
// WINDOW-COUNT-1: computed without a matrix instruction: sm_80 has no instruction for f32 x f32 -> f32
// WINDOW-NOT: warning:
// PAYLOAD-COUNT-1: payload of the result is never consumed
// PAYLOAD-NOT: warning:

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!A = !pcf.sref<1x10x10x4xf32, #sg>
!W = !pcf.sref<3x3x4x8xf32, #sg>
!O = !pcf.sref<1x8x8x8xf32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>

func.func @window(%in: tensor<1x10x10x4xf32>, %w: tensor<3x3x4x8xf32>, %out: tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> attributes {translation_info = #launch} {
  %z = arith.constant 0.0 : f32
  %r = pcf.shared_executor scope(#sg)
    execute(%A <- %in : tensor<1x10x10x4xf32>, %W <- %w : tensor<3x3x4x8xf32>, %O = %out)[%tg: !TG] : (!A, !W, !O) -> (tensor<1x8x8x8xf32>) {
    %a = pcf.read_slice %A[0, 0, 0, 0] [1, 10, 10, 4] [1, 1, 1, 1] : !A to tensor<1x10x10x4xf32>
    %b = pcf.read_slice %W[0, 0, 0, 0] [3, 3, 4, 8] [1, 1, 1, 1] : !W to tensor<3x3x4x8xf32>
    %e = tensor.empty() : tensor<1x8x8x8xf32>
    %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    %c = linalg.conv_2d_nhwc_hwcf ins(%a, %b : tensor<1x10x10x4xf32>, tensor<3x3x4x8xf32>) outs(%f : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
    pcf.write_slice %c into %O[0, 0, 0, 0] [1, 8, 8, 8] [1, 1, 1, 1] : tensor<1x8x8x8xf32> into !O
    pcf.return
  }
  return %r : tensor<1x8x8x8xf32>
}

func.func @unconsumed(%in: tensor<64xf32>, %out: tensor<64xf32>) -> tensor<64xf32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#sg)
    execute(%A <- %in : tensor<64xf32>, %O = %out)[%tg: !TG] : (!pcf.sref<64xf32, #sg>, !pcf.sref<64xf32, sync(#sg)>) -> (tensor<64xf32>) {
    %p = pcf.shared_executor.run_cluster(%tg)[] () {
      %a = pcf.read_slice %A[0] [64] [1] : !pcf.sref<64xf32, #sg> to tensor<64xf32>
      pcf.write_slice %a into %O[0] [64] [1] : tensor<64xf32> into !pcf.sref<64xf32, sync(#sg)>
      pcf.cluster_yield %a : tensor<64xf32>
    } : (!TG) -> !pcf.threadgroup<#sg, {tensor<64xf32>}>
    pcf.return
  }
  return %r : tensor<64xf32>
}
