// RUN: distaff-opt %s -allow-unregistered-dialect > %t.once
// RUN: distaff-opt %t.once -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --mlir-print-op-generic | distaff-opt -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --emit-bytecode | distaff-opt -allow-unregistered-dialect | diff %t.once -
// RUN: FileCheck %s < %t.once

// Groups split into clusters (PCF-14), in 1-D and 2-D, of threadgroups and of
// clusters.

#sg = #iree_gpu.subgroup_scope
#t2 = #pcf.test_scope<2>
!all = !pcf.threadgroup<#sg>
!all2 = !pcf.threadgroup<#t2>

// Without a name ids are leaves; the arguments are named by them.
// CHECK-LABEL: @no_parts
// CHECK: pcf.shared_executor.tile_group %tg split {{\[\[}}]] (%only: !only) {
// CHECK-NEXT: pcf.return
// CHECK-NEXT: } : !subgroup_tg
func.func @no_parts() {
  pcf.shared_executor scope(#sg) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg split [[]] (%c: !pcf.cluster<#sg, (0 -> s0), only>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// PCF-33: dimension 0 is the slowest of the arguments; its points come first in
// the list of range values. PCF-34: ids are full paths.
// CHECK-LABEL: @all_parts
// CHECK-SAME: %[[K:.*]]: index, %[[J:.*]]: index, %[[I:.*]]: index
// CHECK: pcf.shared_executor.tile_group %tg ns(tg) split {{\[\[}}%[[K]]], [%[[J]], %[[I]]]] (%c00: !tg_c00, %c01: !tg_c01, %c02: !tg_c02, %c10: !tg_c10, %c11: !tg_c11, %c12: !tg_c12) {
// CHECK: pcf.shared_executor.tile_group %c11[%[[K]], %[[J]], %[[I]]] ns(in) split {{\[\[}}%[[I]]], []] (%a: !tg_in_a, %b: !tg_in_b) {
// CHECK: } {x} : !tg_c11{{$}}
// CHECK: } {ns2 = "y"} : !test2d_tg
func.func @all_parts(%k: index, %j: index, %i: index) {
  pcf.shared_executor scope(#t2) execute[%tg: !all2] {
    pcf.shared_executor.tile_group %tg ns(tg) split [[%k], [%j, %i]]
      (%c00: !pcf.cluster<#t2, (0 -> d0) x (0 -> d1), tg.c00>,
       %c01: !pcf.cluster<#t2, (0 -> d0) x (d1 -> d2), tg.c01>,
       %c02: !pcf.cluster<#t2, (0 -> d0) x (d2 -> s1), tg.c02>,
       %c10: !pcf.cluster<#t2, (d0 -> s0) x (0 -> d1), tg.c10>,
       %c11: !pcf.cluster<#t2, (d0 -> s0) x (d1 -> d2), tg.c11>,
       %c12: !pcf.cluster<#t2, (d0 -> s0) x (d2 -> s1), tg.c12>) {
      pcf.shared_executor.tile_group %c11[%k, %j, %i] ns(in) split [[%i], []]
        (%a: !pcf.cluster<#t2, (d0 -> d3) x (d1 -> d2), tg.in.a>,
         %b: !pcf.cluster<#t2, (d3 -> s0) x (d1 -> d2), tg.in.b>) {
        pcf.return
      } {x} : !pcf.cluster<#t2, (d0 -> s0) x (d1 -> d2), tg.c11>
      pcf.return
    } {ns2 = "y"} : !all2
    pcf.return
  }
  return
}

// PCF-32: the cluster in the corner needs no range value of the split, so those
// of its parts number from 0, in either dimension.
// CHECK-LABEL: @parts_of_the_last_cluster
// CHECK: pcf.shared_executor.tile_group %last[%{{.*}}, %{{.*}}] split
func.func @parts_of_the_last_cluster(%k: index, %j: index, %i: index) {
  pcf.shared_executor scope(#t2) execute[%tg: !all2] {
    pcf.shared_executor.tile_group %tg split [[%k], [%j]]
      (%c00: !pcf.cluster<#t2, (0 -> d0) x (0 -> d1), c00>,
       %c01: !pcf.cluster<#t2, (0 -> d0) x (d1 -> s1), c01>,
       %c10: !pcf.cluster<#t2, (d0 -> s0) x (0 -> d1), c10>,
       %last: !pcf.cluster<#t2, (d0 -> s0) x (d1 -> s1), last>) {
      pcf.shared_executor.tile_group %last[%k, %j] split [[], [%i]]
        (%a: !pcf.cluster<#t2, (d0 -> s0) x (d1 -> d2), a>,
         %b: !pcf.cluster<#t2, (d0 -> s0) x (d2 -> s1), b>) {
        pcf.return
      } : !pcf.cluster<#t2, (d0 -> s0) x (d1 -> s1), last>
      pcf.return
    } : !all2
    pcf.return
  }
  return
}

// PCF-34: siblings may use the same ids; a group without a name adds nothing to
// the ids in it; a leaf may be called as an outer leaf if the path differs.
// CHECK-LABEL: @ids
func.func @ids(%k: index, %j: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg split [[%k]]
      (%a: !pcf.cluster<#sg, (0 -> d0), a>, %b: !pcf.cluster<#sg, (d0 -> s0), b>) {
      pcf.shared_executor.tile_group %a[%k] ns(in) split [[%j]]
        (%aa: !pcf.cluster<#sg, (0 -> d1), in.a>, %ab: !pcf.cluster<#sg, (d1 -> d0), in.b>) {
        pcf.return
      } : !pcf.cluster<#sg, (0 -> d0), a>
      pcf.shared_executor.tile_group %b[%k] ns(in) split [[%j]]
        (%ba: !pcf.cluster<#sg, (d0 -> d1), in.a>, %bb: !pcf.cluster<#sg, (d1 -> s0), in.b>) {
        pcf.return
      } : !pcf.cluster<#sg, (d0 -> s0), b>
      pcf.return
    } : !all
    pcf.shared_executor.tile_group %tg split [[%j]]
      (%a: !pcf.cluster<#sg, (0 -> d0), a>, %b: !pcf.cluster<#sg, (d0 -> s0), b>) {
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// PCF-35: the leading split values, by value or as equal constants.
// CHECK-LABEL: @range_values
func.func @range_values(%k: index) {
  %c3 = arith.constant 3 : index
  %other = arith.constant 3 : index
  pcf.shared_executor scope(#sg) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg split [[%c3, %k]]
      (%a: !pcf.cluster<#sg, (0 -> d0), a>, %b: !pcf.cluster<#sg, (d0 -> d1), b>, %c: !pcf.cluster<#sg, (d1 -> s0), c>) {
      pcf.shared_executor.run_cluster(%a)[%other] () {
        pcf.cluster_yield
      } : (!pcf.cluster<#sg, (0 -> d0), a>)
      %inner = arith.constant 3 : index
      pcf.shared_executor.run_thread(%c)[%inner, %k] () [%id: index] {
        pcf.cluster_yield
      } : (!pcf.cluster<#sg, (d1 -> s0), c>)
      pcf.barrier(#sg) among(%a, %b)[%c3, %k] : !pcf.cluster<#sg, (0 -> d0), a>, !pcf.cluster<#sg, (d0 -> d1), b>
      pcf.return
    } : !all
    pcf.return
  }
  return
}
