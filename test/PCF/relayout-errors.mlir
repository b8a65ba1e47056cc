// RUN: distaff-opt %s -verify-diagnostics '-pcf-distribute=insert-relayout impl=#pcf.tensor_tiling<workers=[64,1]>'

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
!TG = !pcf.threadgroup<#ln>
!T = !pcf.threadgroup<#ln, {tensor<64x64xf32>}>

// Boxes move through memory of the scope, and lanes have none.
func.func @no_memory(%in: !pcf.sref<64x64xf32, #ln>, %n: index) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0, 0] [64, 64] [1, 1] : !pcf.sref<64x64xf32, #ln> to tensor<64x64xf32>
      pcf.cluster_yield %x : tensor<64x64xf32>
    } : (!TG) -> !T
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (!T) {
      // expected-error @below {{cannot relay a value of type 'tensor<64x64xf32>' to 'tensor<64x1xf32>': that needs memory of a static size, which scope #iree_gpu.lane_scope is to allocate}}
      %y = pcf.shared_executor.run_cluster(%x)[] (%p: tensor<64x64xf32>) {
        %e = tensor.empty() : tensor<64x64xf32>
        %t = linalg.transpose ins(%p : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) permutation = [1, 0]
        pcf.cluster_yield %t : tensor<64x64xf32>
      } : (!T) -> !T
      scf.yield %y : !T
    }
    pcf.shared_executor.run_cluster(%l)[] (%x: tensor<64x64xf32>) {
      pcf.write_slice %x into %in[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !pcf.sref<64x64xf32, #ln>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}
