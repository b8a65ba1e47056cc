#sg = #iree_gpu.subgroup_scope
!P = !pcf.sref<8xf32, #sg>
!X = !pcf.sref<?xf32, #sg>
!O = !pcf.sref<8xf32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {tensor<8xf32>}>

func.func @launched(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<0.0> : tensor<8xf32>
      pcf.cluster_yield %z : tensor<8xf32>
    } : (!TG) -> !T
    %t1 = scf.for %k = %c0 to %n step %c8 iter_args(%t = %t0) -> (!T) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      %u = pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        %s = arith.addf %a, %v : tensor<8xf32>
        pcf.cluster_yield %s : tensor<8xf32>
      } : (!T) -> !T
      pcf.barrier(#sg) fence(%l) : !P
      scf.yield %u : !T
    }
    pcf.shared_executor.run_cluster(%t1)[] (%v: tensor<8xf32>) {
      pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return %r : tensor<8xf32>
}
