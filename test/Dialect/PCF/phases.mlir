// RUN: distaff-opt %s -allow-unregistered-dialect > %t.once
// RUN: distaff-opt %t.once -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --mlir-print-op-generic | distaff-opt -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --emit-bytecode | distaff-opt -allow-unregistered-dialect | diff %t.once -
// RUN: FileCheck %s < %t.once

// Phases, with all their optional parts and with none (PCF-14).

#sg = #iree_gpu.subgroup_scope
#t2 = #pcf.test_scope<2>
!all = !pcf.threadgroup<#sg>
!all2 = !pcf.threadgroup<#t2>

// CHECK-LABEL: @no_parts
// CHECK: pcf.shared_executor.run_cluster(%tg)[] () {
// CHECK-NEXT: pcf.cluster_yield
// CHECK-NEXT: } : (!subgroup_tg)
// CHECK-NEXT: pcf.shared_executor.run_thread(%tg)[] () [%id: index] {
// CHECK-NEXT: pcf.cluster_yield {y}
// CHECK-NEXT: } {x} : (!subgroup_tg)
// A result may be a handle that carries nothing.
// CHECK-NEXT: %{{.*}} = pcf.shared_executor.run_cluster(%tg)[] () {
// CHECK: } : (!subgroup_tg) -> !subgroup_tg
func.func @no_parts() {
  pcf.shared_executor scope(#sg) execute[%tg: !all] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      pcf.cluster_yield
    } : (!all)
    pcf.shared_executor.run_thread(%tg)[] () [%w: index] {
      pcf.cluster_yield {y}
    } {x} : (!all)
    %h = pcf.shared_executor.run_cluster(%tg)[] () {
      pcf.cluster_yield
    } : (!all) -> !all
    pcf.return
  }
  return
}

// PCF-36: payloads of several sources follow each other; an empty one adds
// nothing. PCF-37: shared for run_cluster, private for run_thread.
// CHECK-LABEL: @several_sources
// CHECK: %[[A:.*]] = pcf.shared_executor.run_cluster(%{{.*}})[%[[K:.*]]] ()
// CHECK: %[[B:.*]] = pcf.shared_executor.run_cluster(%[[A]], %{{.*}}, %[[A]])[%[[K]]] (%{{.*}}: f32, %{{.*}}: index, %{{.*}}: f32, %{{.*}}: index) {
// CHECK: } {x} : (!a{{.*}}, !a{{.*}}, !a{{.*}}) -> !a
func.func @several_sources(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg split [[%k]]
      (%a: !pcf.cluster<#sg, (0 -> d0), a>, %b: !pcf.cluster<#sg, (d0 -> s0), b>) {
      %p = pcf.shared_executor.run_cluster(%a)[%k] () {
        %v:2 = "test.make"() : () -> (f32, index)
        pcf.cluster_yield %v#0, %v#1 : f32, index
      } : (!pcf.cluster<#sg, (0 -> d0), a>) -> !pcf.cluster<#sg, (0 -> d0), shared: {f32, index}, a>
      %q = pcf.shared_executor.run_cluster(%p, %a, %p)[%k] (%w: f32, %x: index, %y: f32, %z: index) {
        pcf.cluster_yield %z : index
      } {x} : (!pcf.cluster<#sg, (0 -> d0), shared: {f32, index}, a>, !pcf.cluster<#sg, (0 -> d0), a>, !pcf.cluster<#sg, (0 -> d0), shared: {f32, index}, a>)
        -> !pcf.cluster<#sg, (0 -> d0), shared: {index}, a>
      "test.use"(%q) : (!pcf.cluster<#sg, (0 -> d0), shared: {index}, a>) -> ()
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// An id per dimension, apart from payload of type index.
// CHECK-LABEL: @ids_of_a_grid
// CHECK: %{{.*}} = pcf.shared_executor.run_thread(%tg)[] () [%id: index, %id_{{.*}}: index] {
// CHECK: pcf.shared_executor.run_thread(%{{.*}}, %{{.*}})[] (%[[P:.*]]: index, %[[Q:.*]]: index) [%[[X:.*]]: index, %[[Y:.*]]: index] {
// CHECK-NEXT: "test.use"(%[[P]], %[[Q]], %[[X]], %[[Y]])
func.func @ids_of_a_grid() {
  pcf.shared_executor scope(#t2) execute[%tg: !all2] {
    %p = pcf.shared_executor.run_thread(%tg)[] () [%x: index, %y: index] {
      pcf.cluster_yield %x : index
    } : (!all2) -> !pcf.threadgroup<#t2, private: {index}>
    pcf.shared_executor.run_thread(%p, %p)[] (%a: index, %b: index) [%x: index, %y: index] {
      "test.use"(%a, %b, %x, %y) : (index, index, index, index) -> ()
      pcf.cluster_yield
    } : (!pcf.threadgroup<#t2, private: {index}>, !pcf.threadgroup<#t2, private: {index}>)
    pcf.return
  }
  return
}

// Handles go through loops and branches; a CFG is inside execute_region.
// CHECK-LABEL: @handles_flow
func.func @handles_flow(%n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !all] {
    %h = pcf.shared_executor.run_cluster(%tg)[] () {
      %v = "test.make"() : () -> f32
      pcf.cluster_yield %v : f32
    } : (!all) -> !pcf.threadgroup<#sg, {f32}>
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%it = %h) -> (!pcf.threadgroup<#sg, {f32}>) {
      %m = pcf.shared_executor.run_cluster(%it)[] (%v: f32) {
        pcf.cluster_yield %v : f32
      } : (!pcf.threadgroup<#sg, {f32}>) -> !pcf.threadgroup<#sg, {f32}>
      scf.yield %m : !pcf.threadgroup<#sg, {f32}>
    }
    scf.execute_region {
      cf.cond_br %c, ^a, ^b
    ^a:
      pcf.shared_executor.run_cluster(%l)[] (%v: f32) {
        pcf.cluster_yield
      } : (!pcf.threadgroup<#sg, {f32}>)
      cf.br ^b
    ^b:
      scf.yield
    }
    pcf.return
  }
  return
}

// PCF-114: clusters of two groups whose bounds are the same value, or constants that are equal.
// CHECK-LABEL: @two_groups
// CHECK: run_cluster(%{{.*}}, %{{.*}})[%[[K:.*]]] (%{{.*}}: f32, %{{.*}}: index) {
// CHECK: } : (!o_a{{.*}}, !o_i_a{{.*}}) -> !o_a
// CHECK: run_thread(%{{.*}}, %{{.*}})[%[[FOUR:.*]]] () [%id: index] {
// CHECK: } : (!left, !right)
func.func @two_groups(%k: index, %left: !pcf.cluster<#sg, (0 -> 4), left>, %right: !pcf.cluster<#sg, (0 -> d0), right>) {
  %four = arith.constant 4 : index
  pcf.shared_executor scope(#sg) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg ns(o) split [[%k]]
      (%a: !pcf.cluster<#sg, (0 -> d0), o.a>, %b: !pcf.cluster<#sg, (d0 -> s0), o.b>) {
      %p = pcf.shared_executor.run_cluster(%a)[%k] () {
        %v = "test.make"() : () -> f32
        pcf.cluster_yield %v : f32
      } : (!pcf.cluster<#sg, (0 -> d0), o.a>) -> !pcf.cluster<#sg, (0 -> d0), shared: {f32}, o.a>
      pcf.shared_executor.tile_group %tg ns(i) split [[%k]]
        (%ia: !pcf.cluster<#sg, (0 -> d0), o.i.a>, %ib: !pcf.cluster<#sg, (d0 -> s0), o.i.b>) {
        %q = pcf.shared_executor.run_cluster(%ia)[%k] () {
          pcf.cluster_yield %k : index
        } : (!pcf.cluster<#sg, (0 -> d0), o.i.a>) -> !pcf.cluster<#sg, (0 -> d0), shared: {index}, o.i.a>
        %r = pcf.shared_executor.run_cluster(%p, %q)[%k] (%x: f32, %y: index) {
          pcf.cluster_yield %x : f32
        } : (!pcf.cluster<#sg, (0 -> d0), shared: {f32}, o.a>, !pcf.cluster<#sg, (0 -> d0), shared: {index}, o.i.a>)
          -> !pcf.cluster<#sg, (0 -> d0), shared: {f32}, o.a>
        "test.use"(%r) : (!pcf.cluster<#sg, (0 -> d0), shared: {f32}, o.a>) -> ()
        pcf.return
      } : !all
      pcf.return
    } : !all
    pcf.return
  }
  pcf.shared_executor.run_thread(%left, %right)[%four] () [%id: index] {
    pcf.cluster_yield
  } : (!pcf.cluster<#sg, (0 -> 4), left>, !pcf.cluster<#sg, (0 -> d0), right>)
  return
}
