// RUN: distaff-opt %s -allow-unregistered-dialect --canonicalize --cse --loop-invariant-code-motion --canonicalize --cse | FileCheck %s

// Barriers and fences keep their number and order (PCF-29), and so do phases
// (PCF-38): every one is an event of its own.

#sg = #iree_gpu.subgroup_scope
!ref = !pcf.sref<8xf32, #sg>
!all = !pcf.threadgroup<#sg>

// CHECK-LABEL: @in_a_row
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope){{$}}
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope){{$}}
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope) fence(
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope) fence(
// CHECK-NEXT: pcf.fence release
// CHECK-NEXT: pcf.fence release
// CHECK-NEXT: pcf.fence acquire
// CHECK-NEXT: pcf.fence release
// CHECK-NEXT: pcf.barrier(#pcf.sequential)
// CHECK-NEXT: pcf.barrier(#iree_gpu.lane_scope)
// CHECK-NEXT: iree_gpu.global_subgroup_barrier
// CHECK-NEXT: iree_gpu.global_subgroup_barrier
// CHECK-NEXT: iree_gpu.global_subgroup_barrier id(2) threads(
// CHECK-NEXT: iree_gpu.global_subgroup_barrier id(2) threads(
// CHECK-NEXT: iree_gpu.lane_barrier
// CHECK-NEXT: iree_gpu.lane_barrier
// CHECK-NEXT: iree_gpu.fence release workgroup
// CHECK-NEXT: iree_gpu.fence release workgroup
// CHECK-NEXT: iree_gpu.fence acquire device
// CHECK-NEXT: iree_gpu.fence release subgroup
// CHECK-NEXT: return
func.func @in_a_row(%r: !ref, %n: index) {
  pcf.barrier(#sg)
  pcf.barrier(#sg)
  pcf.barrier(#sg) fence(%r) : !ref
  pcf.barrier(#sg) fence(%r) : !ref
  pcf.fence release %r : !ref
  pcf.fence release %r : !ref
  pcf.fence acquire %r : !ref
  pcf.fence release %r : !ref
  pcf.barrier(#pcf.sequential)
  pcf.barrier(#iree_gpu.lane_scope)
  iree_gpu.global_subgroup_barrier
  iree_gpu.global_subgroup_barrier
  iree_gpu.global_subgroup_barrier id(2) threads(%n)
  iree_gpu.global_subgroup_barrier id(2) threads(%n)
  iree_gpu.lane_barrier
  iree_gpu.lane_barrier
  iree_gpu.fence release workgroup
  iree_gpu.fence release workgroup
  iree_gpu.fence acquire device
  iree_gpu.fence release subgroup
  return
}

// Also in loops, branches, and owners without any other code.
// CHECK-LABEL: @in_control_flow
// CHECK: scf.for
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT: iree_gpu.lane_barrier
// CHECK-NEXT: }
// CHECK: scf.if
// CHECK-NEXT: pcf.barrier
// CHECK-NEXT: } else {
// CHECK-NEXT: pcf.barrier
// CHECK-NEXT: pcf.barrier
// CHECK-NEXT: }
// CHECK: pcf.generic
// CHECK-NEXT: pcf.barrier(#iree_gpu.lane_scope)
// CHECK-NEXT: pcf.barrier(#iree_gpu.lane_scope)
// CHECK: pcf.generic
// CHECK-NEXT: pcf.barrier(#iree_gpu.lane_scope)
// CHECK: pcf.shared_executor
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope)
func.func @in_control_flow(%n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    pcf.barrier(#sg)
    pcf.barrier(#sg)
    iree_gpu.lane_barrier
  }
  scf.if %c {
    pcf.barrier(#sg)
  } else {
    pcf.barrier(#sg)
    pcf.barrier(#sg)
  }
  pcf.generic scope(#iree_gpu.lane_scope) execute[] {
    pcf.barrier(#iree_gpu.lane_scope)
    pcf.barrier(#iree_gpu.lane_scope)
    pcf.return
  }
  pcf.generic scope(#iree_gpu.lane_scope) execute[] {
    pcf.barrier(#iree_gpu.lane_scope)
    pcf.return
  }
  pcf.shared_executor scope(#sg) execute[%tg: !all] {
    pcf.barrier(#sg)
    pcf.return
  }
  return
}

// PCF-38: equal phases are two; one without a result and with an empty body
// stays, as does a group that runs nothing; nothing leaves a phase, though a loop
// is around it.
// CHECK-LABEL: @phases
// CHECK: pcf.shared_executor.run_cluster(%tg)[] () {
// CHECK-NEXT: pcf.cluster_yield
// CHECK: pcf.shared_executor.run_cluster(%tg)[] () {
// CHECK-NEXT: pcf.cluster_yield
// CHECK: %[[H:.*]] = pcf.shared_executor.run_cluster(%tg)[] () {
// CHECK: arith.addf
// CHECK: pcf.cluster_yield
// CHECK: %[[G:.*]] = pcf.shared_executor.run_cluster(%tg)[] () {
// CHECK: arith.addf
// CHECK: pcf.cluster_yield
// CHECK: pcf.shared_executor.run_thread(%tg)[] () [%id: index] {
// CHECK: pcf.shared_executor.run_thread(%tg)[] () [%id: index] {
// CHECK: scf.for
// CHECK-NEXT: pcf.shared_executor.run_cluster(%[[H]], %[[G]])
// CHECK-NEXT: %[[SUM:.*]] = arith.mulf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT: "test.use"(%[[SUM]])
// CHECK: pcf.shared_executor.tile_group
// CHECK-NEXT: pcf.return
// CHECK: pcf.shared_executor.tile_group
// CHECK-NEXT: pcf.return
func.func @phases(%x: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !all] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      pcf.cluster_yield
    } : (!all)
    pcf.shared_executor.run_cluster(%tg)[] () {
      pcf.cluster_yield
    } : (!all)
    %h = pcf.shared_executor.run_cluster(%tg)[] () {
      %y = arith.addf %x, %x : f32
      pcf.cluster_yield %y : f32
    } : (!all) -> !pcf.threadgroup<#sg, {f32}>
    %g = pcf.shared_executor.run_cluster(%tg)[] () {
      %y = arith.addf %x, %x : f32
      pcf.cluster_yield %y : f32
    } : (!all) -> !pcf.threadgroup<#sg, {f32}>
    pcf.shared_executor.run_thread(%tg)[] () [%id: index] {
      pcf.cluster_yield
    } : (!all)
    pcf.shared_executor.run_thread(%tg)[] () [%id: index] {
      pcf.cluster_yield
    } : (!all)
    scf.for %i = %c0 to %n step %c1 {
      pcf.shared_executor.run_cluster(%h, %g)[] (%a: f32, %b: f32) {
        %z = arith.mulf %x, %x : f32
        "test.use"(%z) : (f32) -> ()
        pcf.cluster_yield
      } : (!pcf.threadgroup<#sg, {f32}>, !pcf.threadgroup<#sg, {f32}>)
    }
    pcf.shared_executor.tile_group %tg split [[]] (%a: !pcf.cluster<#sg, (0 -> s0), a>) {
      pcf.return
    } : !all
    pcf.shared_executor.tile_group %tg split [[]] (%a: !pcf.cluster<#sg, (0 -> s0), a>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}
