// RUN: distaff-opt %s --distaff-configure-phases=target=sm_80 --split-input-file --verify-diagnostics

// A product in a phase that no instruction computes says why (PCF-101).

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
func.func @types(%tg: tensor<1xi8>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#sg) execute[%tg0: !T] {
    pcf.shared_executor.run_cluster(%tg0)[] () {
      %x = arith.constant dense<1.0> : tensor<64x32xf32>
      %y = arith.constant dense<1.0> : tensor<32x64xf32>
      %z = arith.constant dense<0.0> : tensor<64x64xf32>
      // expected-warning @+1 {{'linalg.matmul' op is computed without a matrix instruction: sm_80 has no instruction for f32 x f32 -> f32; with `allow_tf32` it has one that drops bits}}
      %m = linalg.matmul ins(%x, %y : tensor<64x32xf32>, tensor<32x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
func.func @extents(%n: index) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = arith.constant dense<1.0> : tensor<60x32xf16>
      %y = arith.constant dense<1.0> : tensor<32x60xf16>
      %z = arith.constant dense<0.0> : tensor<60x60xf32>
      // expected-warning @+1 {{'linalg.matmul' op is computed without a matrix instruction: 60x60x32 (m, n, k) is no multiple of}}
      %m = linalg.matmul ins(%x, %y : tensor<60x32xf16>, tensor<32x60xf16>) outs(%z : tensor<60x60xf32>) -> tensor<60x60xf32>
      pcf.cluster_yield
    } : (!T)
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = tensor.empty(%n) : tensor<?x32xf16>
      %y = arith.constant dense<1.0> : tensor<32x64xf16>
      %z = tensor.empty(%n) : tensor<?x64xf32>
      // expected-warning @+1 {{'linalg.matmul' op is computed without a matrix instruction: the extent of its loop 0 is only known at run time, and fragments are registers}}
      %m = linalg.matmul ins(%x, %y : tensor<?x32xf16>, tensor<32x64xf16>) outs(%z : tensor<?x64xf32>) -> tensor<?x64xf32>
      pcf.cluster_yield
    } : (!T)
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = arith.constant dense<1.0> : tensor<64x32xf16>
      %y = arith.constant dense<1.0> : tensor<32xf16>
      %z = arith.constant dense<0.0> : tensor<64xf32>
      // expected-warning @+1 {{'linalg.matvec' op is computed without a matrix instruction: it has not an m, an n and a k dimension}}
      %m = linalg.matvec ins(%x, %y : tensor<64x32xf16>, tensor<32xf16>) outs(%z : tensor<64xf32>) -> tensor<64xf32>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

// A result is laid out in other fragments than an operand.
#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
func.func @chain() attributes {translation_info = #launch} {
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = arith.constant dense<1.0> : tensor<64x64xf16>
      %z = arith.constant dense<0.0> : tensor<64x64xf32>
      // expected-warning @+1 {{'linalg.matmul' op is computed without a matrix instruction: its phase computes one product from another; end the phase between them, and write what is between to shared memory}}
      %m = linalg.matmul ins(%x, %x : tensor<64x64xf16>, tensor<64x64xf16>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
      %h = arith.truncf %m : tensor<64x64xf32> to tensor<64x64xf16>
      // expected-warning @+1 {{its phase computes one product from another}}
      %n = linalg.matmul ins(%h, %x : tensor<64x64xf16>, tensor<64x64xf16>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}
