// RUN: distaff-opt %s --pcf-unify-fences | FileCheck %s

// PCF-143: barriers of a loop in a group can take each other's place.

#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), w.a>
!AT = !pcf.cluster<#sg, (0 -> d0), shared: {index}, w.a>
!B = !pcf.cluster<#sg, (d0 -> s0), w.b>
!P = !pcf.sref<4xi32, #sg>

// Two in a row, with payload handed on between, are one; both fence both.
// CHECK-LABEL: func.func @in_a_row
// CHECK: scf.for
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[P:.*]], %[[Q:.*]])
// CHECK-NOT: pcf.barrier
// CHECK: pcf.cluster_yield %{{.*}} : index
// CHECK-NOT: pcf.barrier
// CHECK: pcf.write_slice
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[P]], %[[Q]])
func.func @in_a_row(%p: !P, %q: !P, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%c1]] (%a: !A, %b: !B) {
      %t = pcf.shared_executor.run_cluster(%a)[%c1] () {
        pcf.cluster_yield %c0 : index
      } : (!A) -> !AT
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%x = %t) -> (!AT) {
        pcf.barrier(#sg) fence(%p) : !P
        %y = pcf.shared_executor.run_cluster(%x)[%c1] (%i: index) {
          pcf.cluster_yield %i : index
        } : (!AT) -> !AT
        pcf.barrier(#sg) fence(%q) : !P
        pcf.shared_executor.run_cluster(%y)[%c1] (%i: index) {
          %v = arith.constant dense<1> : vector<4xi32>
          pcf.write_slice %v into %p[0] [4] [1] : vector<4xi32> into !P
          pcf.cluster_yield
        } : (!AT)
        pcf.barrier(#sg)
        scf.yield %y : !AT
      }
      pcf.return
    } : !TG
    pcf.return
  }
  return
}
