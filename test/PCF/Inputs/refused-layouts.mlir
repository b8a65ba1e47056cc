// Two demands, which a relayout makes one of each; then a phase that cannot be
// distributed.
#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#cyclic = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
#blocked = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
!TG = !pcf.threadgroup<#ln>
!T = !pcf.threadgroup<#ln, {vector<64xf32>}>
func.func @refused(%in: !pcf.sref<64xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #ln> to vector<64xf32>
      %l = iree_vector_ext.to_layout %x to layout(#cyclic) : vector<64xf32>
      pcf.cluster_yield %l : vector<64xf32>
    } : (!TG) -> !T
    %t1 = pcf.shared_executor.run_cluster(%t0)[] (%p: vector<64xf32>) {
      %c = arith.constant dense<2.0> : vector<64xf32>
      %l = iree_vector_ext.to_layout %c to layout(#blocked) : vector<64xf32>
      %s = arith.addf %p, %l : vector<64xf32>
      pcf.cluster_yield %s : vector<64xf32>
    } : (!T) -> !T
    pcf.shared_executor.run_cluster(%t1)[] (%p: vector<64xf32>) {
      vector.print %p : vector<64xf32>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}
