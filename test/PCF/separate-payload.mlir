// RUN: distaff-opt %s -allow-unregistered-dialect -split-input-file -pcf-separate-payload | FileCheck %s
// RUN: distaff-opt %s -allow-unregistered-dialect -split-input-file -pcf-separate-payload > %t.once
// RUN: distaff-opt %t.once -allow-unregistered-dialect -split-input-file -pcf-separate-payload | diff %t.once -

#sg = #iree_gpu.subgroup_scope
!tg = !pcf.threadgroup<#sg>
!s = !pcf.threadgroup<#sg, {tensor<64xf32>}>
!p = !pcf.threadgroup<#sg, private: {index}>
!both = !pcf.threadgroup<#sg, shared: {tensor<64xf32>}, private: {index}>

// PCF-112: a loop carries two handles; each phase takes its own, and what passed by is what went in.
// CHECK-DAG: !subgroup_tg{{[0-9]*}} = !pcf.threadgroup<#iree_gpu.subgroup_scope, {tensor<64xf32>}>
// CHECK-DAG: !subgroup_tg{{[0-9]*}} = !pcf.threadgroup<#iree_gpu.subgroup_scope, private: {index}>
// CHECK-LABEL: func.func @both_kinds
// CHECK: execute[%[[TG:.*]]: !subgroup_tg]
// CHECK: %[[P0:.*]] = pcf.shared_executor.run_thread(%[[TG]])
// CHECK: %[[S0:.*]] = pcf.shared_executor.run_cluster(%[[TG]])[] ()
// CHECK: %[[L:.*]]:2 = scf.for {{.*}} iter_args(%[[S:.*]] = %[[S0]], %[[P:.*]] = %[[P0]])
// CHECK:   %[[S1:.*]] = pcf.shared_executor.run_cluster(%[[S]])[] (%{{.*}}: tensor<64xf32>)
// CHECK:   %[[P1:.*]] = pcf.shared_executor.run_thread(%[[P]])[] (%{{.*}}: index) [%{{.*}}: index]
// CHECK:   scf.yield %[[S1]], %[[P1]]
// CHECK: pcf.shared_executor.run_thread(%[[L]]#1)
// CHECK: pcf.shared_executor.run_cluster(%[[L]]#0)
func.func @both_kinds(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    %p = pcf.shared_executor.run_thread(%tg)[] () [%id: index] {
      pcf.cluster_yield %id : index
    } : (!tg) -> !p
    %b = pcf.shared_executor.run_cluster(%p)[] () {
      %t = "test.make"() : () -> tensor<64xf32>
      pcf.cluster_yield %t : tensor<64xf32>
    } : (!p) -> !both
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %b) -> (!both) {
      %x = pcf.shared_executor.run_cluster(%it)[] (%t: tensor<64xf32>) {
        %u = "test.step"(%t) : (tensor<64xf32>) -> tensor<64xf32>
        pcf.cluster_yield %u : tensor<64xf32>
      } : (!both) -> !both
      %y = pcf.shared_executor.run_thread(%x)[] (%k: index) [%id: index] {
        %next = arith.addi %k, %id : index
        pcf.cluster_yield %next : index
      } : (!both) -> !both
      scf.yield %y : !both
    }
    pcf.shared_executor.run_thread(%r)[] (%k: index) [%id: index] {
      "test.use"(%k) : (index) -> ()
      pcf.cluster_yield
    } : (!both)
    pcf.shared_executor.run_cluster(%r)[] (%t: tensor<64xf32>) {
      "test.use"(%t) : (tensor<64xf32>) -> ()
      pcf.cluster_yield
    } : (!both)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!tg = !pcf.threadgroup<#sg>
!c = !pcf.cluster<#sg, (0 -> d0), c>
!d = !pcf.cluster<#sg, (d0 -> s0), d>
!p = !pcf.cluster<#sg, (0 -> d0), private: {index}, c>
!both = !pcf.cluster<#sg, (0 -> d0), shared: {f32}, private: {index, index}, c>
!three = !pcf.cluster<#sg, (0 -> d0), shared: {f32}, private: {index, index, index}, c>

// PCF-112: several handles that pass by become one; a handle of a cluster may name a barrier; a select chooses both.
// CHECK-LABEL: func.func @several_sources
// CHECK-SAME: (%[[K:.*]]: index, %[[COND:.*]]: i1)
// CHECK: tile_group %{{.*}} split {{.*}} (%[[C:.*]]: !c, %{{.*}}: !d)
// CHECK: %[[P:.*]] = pcf.shared_executor.run_thread(%[[C]])[%[[K]]]
// CHECK: %[[S:.*]] = pcf.shared_executor.run_cluster(%[[C]])[%[[K]]] ()
// CHECK: %[[PP:.*]] = pcf.shared_executor.run_thread(%[[P]], %[[P]])[%[[K]]] (%[[A:.*]]: index, %[[B:.*]]: index) [%{{.*}}: index] {
// CHECK-NEXT: pcf.cluster_yield %[[A]], %[[B]]
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) among(%[[S]])[%[[K]]]
// CHECK: %[[S2:.*]] = pcf.shared_executor.run_cluster(%[[S]])[%[[K]]] (%{{.*}}: f32)
// CHECK: %[[SS:.*]] = arith.select %[[COND]], %[[S]], %[[S2]]
// CHECK: %[[PS:.*]] = arith.select %[[COND]], %[[PP]], %[[PP]]
// CHECK: pcf.shared_executor.run_cluster(%[[SS]])[%[[K]]] (%{{.*}}: f32)
// CHECK: pcf.shared_executor.run_thread(%[[PS]], %[[P]])[%[[K]]] (%{{.*}}: index, %{{.*}}: index, %{{.*}}: index)
func.func @several_sources(%k: index, %cond: i1) {
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%c: !c, %d: !d) {
      %p = pcf.shared_executor.run_thread(%c)[%k] () [%id: index] {
        pcf.cluster_yield %id : index
      } : (!c) -> !p
      %b = pcf.shared_executor.run_cluster(%p, %p)[%k] () {
        %f = arith.constant 1.0 : f32
        pcf.cluster_yield %f : f32
      } : (!p, !p) -> !both
      pcf.barrier(#sg) among(%b)[%k] : !both
      %b2 = pcf.shared_executor.run_cluster(%b)[%k] (%f: f32) {
        pcf.cluster_yield %f : f32
      } : (!both) -> !both
      %e = arith.select %cond, %b, %b2 : !both
      %q = pcf.shared_executor.run_cluster(%e, %p)[%k] (%f: f32) {
        %g = arith.addf %f, %f : f32
        pcf.cluster_yield %g : f32
      } : (!both, !p) -> !three
      pcf.shared_executor.run_thread(%q)[%k] (%x: index, %y: index, %z: index) [%id: index] {
        "test.use"(%x, %y, %z) : (index, index, index) -> ()
        pcf.cluster_yield
      } : (!three)
      pcf.return
    } : !tg
    pcf.return
  }
  return
}
