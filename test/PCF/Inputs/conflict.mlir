#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
!TG = !pcf.threadgroup<#ln>
!T = !pcf.threadgroup<#ln, {tensor<64x64xf32>}>

// The phases could be distributed one by one; together they disagree. The
// captured constant would have been moved.
func.func @conflict(%cst: f32, %n: index, %out: !pcf.sref<64x64xf32, #ln>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %z = arith.constant dense<1.0> : tensor<64x64xf32>
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      pcf.cluster_yield %z : tensor<64x64xf32>
    } : (!TG) -> !T
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (!T) {
      %y = pcf.shared_executor.run_cluster(%x)[] (%p: tensor<64x64xf32>) {
        %e = tensor.empty() : tensor<64x64xf32>
        %t = linalg.transpose ins(%p : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) permutation = [1, 0]
        pcf.cluster_yield %t : tensor<64x64xf32>
      } : (!T) -> !T
      scf.yield %y : !T
    }
    pcf.shared_executor.run_cluster(%l)[] (%x: tensor<64x64xf32>) {
      pcf.write_slice %x into %out[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !pcf.sref<64x64xf32, #ln>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}
