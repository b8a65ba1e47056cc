// RUN: distaff explain %s --target sm_80 | FileCheck %s

// PCF-118: what a copy reads and writes is shown where it starts, and who waits for it.

// CHECK: 1 all subgroups: async_copy
// CHECK-NEXT: reads x[0]
// CHECK-NEXT: writes ring[0]
// CHECK-NEXT: gives !pcf.copy_token
// CHECK: 2 all subgroups: wait
// CHECK: takes !pcf.copy_token
// CHECK: reads ring[0]

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<pipeline = VectorDistribute workgroup_size = [64, 1, 1] subgroup_size = 32>
!X = !pcf.sref<4x8xi32, #sg>
!R = !pcf.sref<2x8xi32, #sg>
!V = !pcf.sref<1x8xi32, #sg>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {!pcf.copy_token}>
func.func @copies(%in: tensor<4x8xi32>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#sg)
    initialize { %m = pcf.alloc() : !R  pcf.yield %m : !R } -> (%ring: !R)
    execute(%x <- %in : tensor<4x8xi32>)[%tg: !TG] : (!X) {
    %h = pcf.shared_executor.run_cluster(%tg)[] () {
      %from = pcf.subview %x[0, 0] [1, 8] [1, 1] : !X to !V
      %to = pcf.subview %ring[0, 0] [1, 8] [1, 1] : !R to !V
      %t = pcf.async_copy %from into %to : !V into !V
      pcf.cluster_yield %t : !pcf.copy_token
    } : (!TG) -> !T
    pcf.shared_executor.run_cluster(%h)[] (%t: !pcf.copy_token) {
      pcf.wait %t
      %v = pcf.read_slice %ring[0, 0] [1, 8] [1, 1] : !R to tensor<1x8xi32>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}
