// RUN: distaff-opt %s -split-input-file -allow-unregistered-dialect -pcf-merge-groups -verify-diagnostics
// RUN: distaff-opt %s -split-input-file -allow-unregistered-dialect -pcf-replicate-clusters -verify-diagnostics

// PCF-114: one cluster in common is not enough.
#sg = #iree_gpu.subgroup_scope
!tg = !pcf.threadgroup<#sg>
func.func @another_split(%k: index, %j: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    // expected-note @+1 {{the outer group is split here}}
    pcf.shared_executor.tile_group %tg ns(o) split [[%k]] (%a: !pcf.cluster<#sg, (0 -> d0), o.a>, %b: !pcf.cluster<#sg, (d0 -> s0), o.b>) {
      // expected-note @+1 {{the inner group is split here}}
      pcf.shared_executor.tile_group %tg ns(i) split [[%k, %j]] (%ia: !pcf.cluster<#sg, (0 -> d0), o.i.a>, %ib: !pcf.cluster<#sg, (d0 -> d1), o.i.b>, %ic: !pcf.cluster<#sg, (d1 -> s0), o.i.c>) {
        // expected-error @+1 {{takes payload of clusters of two groups that are not split alike; split both at the same points, and take payload of clusters in the same place}}
        pcf.shared_executor.run_thread(%ia, %a)[%k] () [%id: index] {
          pcf.cluster_yield
        } : (!pcf.cluster<#sg, (0 -> d0), o.i.a>, !pcf.cluster<#sg, (0 -> d0), o.a>)
        pcf.return
      } : !tg
      pcf.return
    } : !tg
    pcf.return
  }
  return
}

// -----

// PCF-114: the same group, and another place; both clusters are empty.
#sg = #iree_gpu.subgroup_scope
!tg = !pcf.threadgroup<#sg>
func.func @another_place() {
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    // expected-note @+1 {{the outer group is split here}}
    pcf.shared_executor.tile_group %tg ns(o) split [[0, 0]] (%a: !pcf.cluster<#sg, (0 -> 0), o.a>, %b: !pcf.cluster<#sg, (0 -> 0), o.b>, %c: !pcf.cluster<#sg, (0 -> s0), o.c>) {
      // expected-note @+1 {{the inner group is split here}}
      pcf.shared_executor.tile_group %tg ns(i) split [[0, 0]] (%ia: !pcf.cluster<#sg, (0 -> 0), o.i.a>, %ib: !pcf.cluster<#sg, (0 -> 0), o.i.b>, %ic: !pcf.cluster<#sg, (0 -> s0), o.i.c>) {
        // expected-error @+1 {{takes payload of clusters of two groups that are not split alike}}
        pcf.shared_executor.run_thread(%a, %ib)[] () [%id: index] {
          pcf.cluster_yield
        } : (!pcf.cluster<#sg, (0 -> 0), o.a>, !pcf.cluster<#sg, (0 -> 0), o.i.b>)
        pcf.return
      } : !tg
      pcf.return
    } : !tg
    pcf.return
  }
  return
}

// -----

// PCF-114: a part of a cluster counts its range values from the cluster's.
#sg = #iree_gpu.subgroup_scope
!tg = !pcf.threadgroup<#sg>
func.func @part(%j: index) {
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    // expected-note @+1 {{the outer group is split here}}
    pcf.shared_executor.tile_group %tg ns(o) split [[2]] (%a: !pcf.cluster<#sg, (0 -> 2), o.a>, %b: !pcf.cluster<#sg, (2 -> s0), o.b>) {
      pcf.shared_executor.tile_group %tg ns(i) split [[%c2]] (%ia: !pcf.cluster<#sg, (0 -> d0), o.i.a>, %ib: !pcf.cluster<#sg, (d0 -> s0), o.i.b>) {
        pcf.shared_executor.run_thread(%ia, %a)[%c2] () [%id: index] {
          pcf.cluster_yield
        } : (!pcf.cluster<#sg, (0 -> d0), o.i.a>, !pcf.cluster<#sg, (0 -> 2), o.a>)
        // expected-error @+1 {{splits cluster o.i.b, which is to be one with a cluster whose bounds are written in another way; write both by the same range values}}
        pcf.shared_executor.tile_group %ib[%c2] ns(part) split [[%j]] (%x: !pcf.cluster<#sg, (d0 -> d1), o.i.part.x>, %y: !pcf.cluster<#sg, (d1 -> s0), o.i.part.y>) {
          pcf.return
        } : !pcf.cluster<#sg, (d0 -> s0), o.i.b>
        pcf.return
      } : !tg
      pcf.return
    } : !tg
    pcf.return
  }
  return
}
