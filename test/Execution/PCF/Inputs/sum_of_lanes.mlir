// Payload of rank 0, and of indices, and a sum over lanes.
#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#l = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
!TG = !pcf.threadgroup<#ln>
!T = !pcf.threadgroup<#ln, {vector<i32>, vector<64xindex>}>
func.func @f(%a: tensor<64xi32>, %init: tensor<64xi32>) -> tensor<64xi32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#ln) execute(%x <- %a : tensor<64xi32>, %out = %init)[%tg: !TG] : (!pcf.sref<64xi32, #ln>, !pcf.sref<64xi32, sync(#ln)>) -> (tensor<64xi32>) {
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %v = pcf.read_slice %x[0] [64] [1] : !pcf.sref<64xi32, #ln> to vector<64xi32>
      %l = iree_vector_ext.to_layout %v to layout(#l) : vector<64xi32>
      %z = arith.constant 0 : i32
      %s = vector.multi_reduction <add>, %l, %z [0] : vector<64xi32> to i32
      %b = vector.broadcast %s : i32 to vector<i32>
      %i = arith.index_cast %l : vector<64xi32> to vector<64xindex>
      pcf.cluster_yield %b, %i : vector<i32>, vector<64xindex>
    } : (!TG) -> !T
    pcf.shared_executor.run_cluster(%t0)[] (%p: vector<i32>, %i: vector<64xindex>) {
      %s = vector.extract %p[] : i32 from vector<i32>
      %b = vector.broadcast %s : i32 to vector<64xi32>
      %v = arith.index_cast %i : vector<64xindex> to vector<64xi32>
      %w = arith.addi %v, %b : vector<64xi32>
      pcf.write_slice %w into %out[0] [64] [1] : vector<64xi32> into !pcf.sref<64xi32, sync(#ln)>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return %r : tensor<64xi32>
}
