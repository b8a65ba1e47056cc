// RUN: distaff-opt %s -allow-unregistered-dialect -split-input-file -pcf-replicate-clusters | FileCheck %s --implicit-check-not=shared_executor.tile_group
// RUN: distaff-opt %s -allow-unregistered-dialect -split-input-file -pcf-replicate-clusters > %t.once
// RUN: distaff-opt %t.once -allow-unregistered-dialect -split-input-file | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect -split-input-file -pcf-replicate-clusters -mlir-print-op-generic | distaff-opt -allow-unregistered-dialect -split-input-file | diff %t.once -

#sg = #iree_gpu.subgroup_scope

// PCF-117: the sample of 5.2 after its steps 1 to 3. Both cases hold all of the region; which cluster's code a case is
// is said by the cast that takes the member's ids.
// CHECK-LABEL: func.func @nested_control_flow
// CHECK-SAME: (%[[K:.*]]: index, %[[N:.*]]: index, %[[COND:.*]]: i1)
// CHECK: pcf.generic scope(#iree_gpu.subgroup_scope) execute[%[[G:.*]]: index, %{{.*}}: index] {
// CHECK: %[[GE:.*]] = arith.cmpi uge, %[[G]], %[[K]]
// CHECK: %[[IDX:.*]] = arith.select %[[GE]]
// CHECK: scf.index_switch %[[IDX]]
// CHECK-NEXT: case 0 {
// CHECK-NEXT:   %[[LEFT:.*]] = builtin.unrealized_conversion_cast %[[G]] : index to !left
// CHECK-NEXT:   %[[RIGHT:.*]] = builtin.unrealized_conversion_cast to !right
// CHECK-NEXT:   scf.for %[[I:.*]] = {{.*}} {
// CHECK-NEXT:     scf.if %[[COND]] {
// CHECK-NEXT:       pcf.shared_executor.run_thread(%[[LEFT]])[%[[K]]] () [%[[T:.*]]: index] {
// CHECK-NEXT:         "test.left"(%[[T]], %[[I]])
// CHECK:          } : (!left)
// CHECK:          pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT:     pcf.shared_executor.run_thread(%[[RIGHT]])[%[[K]]] () [%[[T:.*]]: index] {
// CHECK-NEXT:       "test.right"(%[[T]], %[[I]])
// CHECK:   scf.yield
// CHECK: default {
// CHECK-NEXT:   %[[L:.*]] = arith.subi %[[G]], %[[K]]
// CHECK-NEXT:   %[[LEFT:.*]] = builtin.unrealized_conversion_cast to !left
// CHECK-NEXT:   %[[RIGHT:.*]] = builtin.unrealized_conversion_cast %[[L]] : index to !right
// CHECK:       pcf.shared_executor.run_thread(%[[LEFT]])
// CHECK:     pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT:     pcf.shared_executor.run_thread(%[[RIGHT]])
// CHECK: pcf.return
func.func @nested_control_flow(%k: index, %n: index, %cond: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]]
      (%left: !pcf.cluster<#sg, (0 -> d0), left>, %right: !pcf.cluster<#sg, (d0 -> s0), right>) {
      scf.for %i = %c0 to %n step %c1 {
        scf.if %cond {
          pcf.shared_executor.run_thread(%left)[%k] () [%t: index] {
            "test.left"(%t, %i) : (index, index) -> ()
            pcf.cluster_yield
          } : (!pcf.cluster<#sg, (0 -> d0), left>)
        }
        pcf.barrier(#sg)
        pcf.shared_executor.run_thread(%right)[%k] () [%t: index] {
          "test.right"(%t, %i) : (index, index) -> ()
          pcf.cluster_yield
        } : (!pcf.cluster<#sg, (d0 -> s0), right>)
      }
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!a = !pcf.cluster<#sg, (0 -> d0), a>
!b = !pcf.cluster<#sg, (d0 -> s0), b>
!c = !pcf.cluster<#sg, (d0 -> d1), in.c>
!d = !pcf.cluster<#sg, (d1 -> s0), in.d>

// PCF-117: groups in groups are switches in switches, but those of other clusters; each set of clusters that waits has
// its number, as the one that has it says.
// CHECK-LABEL: func.func @groups_in_groups
// CHECK: scf.index_switch
// CHECK: case 0 {
// CHECK:   pcf.barrier(#iree_gpu.subgroup_scope) among(%{{.*}}, %{{.*}})[%{{.*}}] id(1) : !a, !b
// CHECK-NOT: scf.index_switch
// CHECK: default {
// CHECK:   pcf.barrier(#iree_gpu.subgroup_scope) among(%{{.*}}, %{{.*}})[%{{.*}}] id(1) : !a, !b
// CHECK:   scf.index_switch
// CHECK:   case 0 {
// CHECK:     %[[C:.*]] = builtin.unrealized_conversion_cast %{{.*}} : index to !in_c
// CHECK:     builtin.unrealized_conversion_cast to !in_d
// CHECK:     pcf.barrier(#iree_gpu.subgroup_scope) among(%[[C]])[%{{.*}}, %{{.*}}] id(2) : !in_c
// CHECK:     pcf.barrier(#iree_gpu.subgroup_scope) among(%{{.*}})[%{{.*}}, %{{.*}}] id(3) : !in_d
// CHECK:   default {
// CHECK:     builtin.unrealized_conversion_cast to !in_c
// CHECK:     %[[D:.*]] = builtin.unrealized_conversion_cast %{{.*}} : index to !in_d
// CHECK:     pcf.barrier(#iree_gpu.subgroup_scope) among(%{{.*}})[%{{.*}}, %{{.*}}] id(2) : !in_c
// CHECK:     pcf.barrier(#iree_gpu.subgroup_scope) among(%[[D]])[%{{.*}}, %{{.*}}] id(3) : !in_d
func.func @groups_in_groups(%k: index, %j: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !a, %b: !b) {
      pcf.barrier(#sg) among(%a, %b)[%k] id(1) : !a, !b
      pcf.shared_executor.tile_group %b[%k] ns(in) split [[%j]] (%c: !c, %d: !d) {
        pcf.barrier(#sg) among(%c)[%k, %j] : !c
        pcf.barrier(#sg) among(%d)[%k, %j] : !d
        pcf.return
      } : !b
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// PCF-117: a group of one cluster is a switch of one case.
// CHECK-LABEL: func.func @one_cluster
// CHECK: scf.index_switch %{{.*}}
// CHECK-NEXT: default {
// CHECK-NEXT: builtin.unrealized_conversion_cast %{{.*}} : index to !all
func.func @one_cluster() {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[]] (%all: !pcf.cluster<#sg, (0 -> s0), all>) {
      pcf.shared_executor.run_thread(%all)[] () [%t: index] {
        "test.all"(%t) : (index) -> ()
        pcf.cluster_yield
      } : (!pcf.cluster<#sg, (0 -> s0), all>)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}
