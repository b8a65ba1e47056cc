// RUN: distaff-opt %s -allow-unregistered-dialect > %t.once
// RUN: distaff-opt %t.once -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --mlir-print-op-generic | distaff-opt -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --emit-bytecode | distaff-opt -allow-unregistered-dialect | diff %t.once -
// RUN: FileCheck %s < %t.once

// Barriers and fences (PCF-14); types print as aliases (PCF-41).

#sg = #iree_gpu.subgroup_scope
!ref = !pcf.sref<8xf32, #sg>
!left = !pcf.cluster<#sg, (0 -> d0), left>
!mid = !pcf.cluster<#sg, (d0 -> d1), mid>
!right = !pcf.cluster<#sg, (d1 -> s0), right>

// CHECK-LABEL: @all_parts
// CHECK-SAME: %[[A:.*]]: !sref_8xf32_subgroup, %[[B:.*]]: !sref_8xf32_subgroup, %[[K:.*]]: index, %[[J:.*]]: index
// CHECK: split {{\[\[}}%[[K]], %[[J]]]] (%left: !left, %mid: !mid, %right: !right) {
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope){{$}}
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope) {x}
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[A]], %[[B]]) {x} : !sref_8xf32_subgroup, !sref_8xf32_subgroup
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope) among(%left)[%[[K]]] : !left
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope) among(%left, %right)[%[[K]], %[[J]]] fence(%[[A]]) {ranges, x} : !left, !right, !sref_8xf32_subgroup
// CHECK-NEXT: pcf.fence release %[[A]] : !sref_8xf32_subgroup
// CHECK-NEXT: pcf.fence acquire %[[A]], %[[B]] {x} : !sref_8xf32_subgroup, !sref_8xf32_subgroup
// CHECK-NEXT: pcf.fence acquire{{$}}
func.func @all_parts(%a: !ref, %b: !ref, %k: index, %j: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k, %j]] (%left: !left, %mid: !mid, %right: !right) {
      pcf.barrier(#sg)
      pcf.barrier(#sg) {x}
      pcf.barrier(#sg) fence(%a, %b) {x} : !ref, !ref
      pcf.barrier(#sg) among(%left)[%k] : !left
      pcf.barrier(#sg) among(%left, %right)[%k, %j] fence(%a) {x, ranges} : !left, !right, !ref
      pcf.fence release %a : !ref
      pcf.fence acquire %a, %b {x} : !ref, !ref
      pcf.fence acquire
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// PCF-39: barriers of all workers are where all workers come: also in a group
// of the same scope, in a phase of a threadgroup, and below an op that opens
// the scope anew.
// CHECK-LABEL: @where_all_workers_come
// CHECK-COUNT-5: pcf.barrier(
func.func @where_all_workers_come(%c: i1) {
  pcf.barrier(#sg)
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    scf.if %c {
      pcf.barrier(#sg)
    }
    pcf.shared_executor.run_cluster(%tg)[] () {
      pcf.barrier(#sg)
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg>)
    pcf.shared_executor.tile_group %tg split [[]] (%all: !pcf.cluster<#sg, (0 -> s0), all>) {
      pcf.barrier(#sg)
      pcf.shared_executor.run_thread(%all)[] () [%id: index] {
        pcf.generic scope(#iree_gpu.lane_scope) execute[%l: index, %n: index] {
          pcf.barrier(#iree_gpu.lane_scope)
          pcf.return
        }
        pcf.cluster_yield
      } : (!pcf.cluster<#sg, (0 -> s0), all>)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}
