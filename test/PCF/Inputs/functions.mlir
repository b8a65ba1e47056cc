// Functions to be distributed at the same time.
#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#ln>
!T = !pcf.threadgroup<#ln, {tensor<32xf32>}>
func.func @f0(%in: !pcf.sref<32xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %t = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [32] [1] : !pcf.sref<32xf32, #ln> to tensor<32xf32>
      pcf.cluster_yield %x : tensor<32xf32>
    } : (!TG) -> !T
    pcf.shared_executor.run_cluster(%t)[] (%x: tensor<32xf32>) {
      %y = math.exp %x : tensor<32xf32>
      pcf.write_slice %y into %in[0] [32] [1] : tensor<32xf32> into !pcf.sref<32xf32, #ln>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}
func.func @f1(%in: !pcf.sref<32xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %t = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [32] [1] : !pcf.sref<32xf32, #ln> to tensor<32xf32>
      pcf.cluster_yield %x : tensor<32xf32>
    } : (!TG) -> !T
    pcf.shared_executor.run_cluster(%t)[] (%x: tensor<32xf32>) {
      %y = math.exp %x : tensor<32xf32>
      pcf.write_slice %y into %in[0] [32] [1] : tensor<32xf32> into !pcf.sref<32xf32, #ln>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}
func.func @f2(%in: !pcf.sref<32xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %t = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [32] [1] : !pcf.sref<32xf32, #ln> to tensor<32xf32>
      pcf.cluster_yield %x : tensor<32xf32>
    } : (!TG) -> !T
    pcf.shared_executor.run_cluster(%t)[] (%x: tensor<32xf32>) {
      %y = math.exp %x : tensor<32xf32>
      pcf.write_slice %y into %in[0] [32] [1] : tensor<32xf32> into !pcf.sref<32xf32, #ln>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}
func.func @f3(%in: !pcf.sref<32xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %t = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [32] [1] : !pcf.sref<32xf32, #ln> to tensor<32xf32>
      pcf.cluster_yield %x : tensor<32xf32>
    } : (!TG) -> !T
    pcf.shared_executor.run_cluster(%t)[] (%x: tensor<32xf32>) {
      %y = math.exp %x : tensor<32xf32>
      pcf.write_slice %y into %in[0] [32] [1] : tensor<32xf32> into !pcf.sref<32xf32, #ln>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}
