// RUN: distaff-opt %s -allow-unregistered-dialect -pcf-merge-groups | FileCheck %s
// RUN: distaff-opt %s -allow-unregistered-dialect -pcf-merge-groups > %t.once
// RUN: distaff-opt %t.once -allow-unregistered-dialect -pcf-merge-groups | diff %t.once -

#sg = #iree_gpu.subgroup_scope
#t2 = #pcf.test_scope<2>
!tg = !pcf.threadgroup<#sg>
!tg2 = !pcf.threadgroup<#t2>
!a = !pcf.cluster<#sg, (0 -> 2), o.a>
!ap = !pcf.cluster<#sg, (0 -> 2), private: {f32}, o.a>
!b = !pcf.cluster<#sg, (2 -> s0), o.b>
!ia = !pcf.cluster<#sg, (0 -> d0), o.i.a>
!iap = !pcf.cluster<#sg, (0 -> d0), private: {f32}, o.i.a>
!ib = !pcf.cluster<#sg, (d0 -> s0), o.i.b>

// PCF-114: the inner group's handles are the outer one's, in loops and barriers too, with its range values.
// CHECK-LABEL: func.func @two_groups(
// CHECK: tile_group %[[TG:.*]] ns(o) split {{\[\[}}2]] (%[[A:.*]]: !{{.*}}, %[[B:.*]]: !{{.*}}) {
// CHECK-NOT: tile_group
// CHECK: %[[P:.*]] = pcf.shared_executor.run_thread(%[[A]])[]
// CHECK: %[[Q:.*]] = pcf.shared_executor.run_thread(%[[A]])[]
// CHECK: scf.for {{.*}} iter_args(%[[IT:.*]] = %[[Q]])
// CHECK: %[[R:.*]] = pcf.shared_executor.run_thread(%[[IT]], %[[P]])[] (%{{.*}}: f32, %{{.*}}: f32)
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) among(%[[B]])[] : !o_b
// CHECK: scf.yield %[[R]]
// CHECK-NOT: o_i
func.func @two_groups(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    pcf.shared_executor.tile_group %tg ns(o) split [[2]] (%a: !a, %b: !b) {
      %p = pcf.shared_executor.run_thread(%a)[] () [%id: index] {
        %v = "test.left"() : () -> f32
        pcf.cluster_yield %v : f32
      } : (!a) -> !ap
      pcf.shared_executor.tile_group %tg ns(i) split [[%c2]] (%ia: !ia, %ib: !ib) {
        %q = pcf.shared_executor.run_thread(%ia)[%c2] () [%id: index] {
          %v = "test.inner"() : () -> f32
          pcf.cluster_yield %v : f32
        } : (!ia) -> !iap
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %q) -> (!iap) {
          %next = pcf.shared_executor.run_thread(%it, %p)[%c2] (%x: f32, %y: f32) [%id: index] {
            %s = arith.addf %x, %y : f32
            pcf.cluster_yield %s : f32
          } : (!iap, !ap) -> !iap
          pcf.barrier(#sg) among(%ib)[%c2] : !ib
          scf.yield %next : !iap
        }
        pcf.return
      } : !tg
      pcf.return
    } : !tg
    pcf.return
  }
  return
}

// Three groups are one too, and parts of the inner ones stay parts, under the names that are left.
// CHECK-LABEL: func.func @three_groups(
// CHECK: tile_group %{{.*}} ns(o) split {{\[\[}}%[[K:.*]]]] (%[[A:.*]]: !{{.*}}, %[[B:.*]]: !
// CHECK: pcf.shared_executor.run_thread(%[[B]], %[[B]], %[[B]])[%[[K]]]
// CHECK: tile_group %[[B]][%[[K]]] ns(part) split {{\[\[}}%[[J:.*]]]] (%{{.*}}: !o_part_x, %{{.*}}: !o_part_y)
// CHECK: pcf.shared_executor.run_thread(%{{.*}})[%[[K]], %[[J]]]
// CHECK: tile_group %[[A]][%[[K]]] ns(i) split {{\[\[}}]] (%{{.*}}: !o_i_all)
// CHECK-NOT: tile_group
func.func @three_groups(%k: index, %j: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    pcf.shared_executor.tile_group %tg ns(o) split [[%k]] (%a: !pcf.cluster<#sg, (0 -> d0), o.a>, %b: !pcf.cluster<#sg, (d0 -> s0), o.b>) {
      pcf.shared_executor.tile_group %tg ns(i) split [[%k]] (%ia: !pcf.cluster<#sg, (0 -> d0), o.i.a>, %ib: !pcf.cluster<#sg, (d0 -> s0), o.i.b>) {
        pcf.shared_executor.tile_group %tg ns(n) split [[%k]] (%na: !pcf.cluster<#sg, (0 -> d0), o.i.n.a>, %nb: !pcf.cluster<#sg, (d0 -> s0), o.i.n.b>) {
          pcf.shared_executor.run_thread(%nb, %b, %ib)[%k] () [%id: index] {
            "test.use"(%id) : (index) -> ()
            pcf.cluster_yield
          } : (!pcf.cluster<#sg, (d0 -> s0), o.i.n.b>, !pcf.cluster<#sg, (d0 -> s0), o.b>, !pcf.cluster<#sg, (d0 -> s0), o.i.b>)
          pcf.shared_executor.tile_group %nb[%k] ns(part) split [[%j]] (%x: !pcf.cluster<#sg, (d0 -> d1), o.i.n.part.x>, %y: !pcf.cluster<#sg, (d1 -> s0), o.i.n.part.y>) {
            pcf.shared_executor.run_thread(%x)[%k, %j] () [%id: index] {
              pcf.cluster_yield
            } : (!pcf.cluster<#sg, (d0 -> d1), o.i.n.part.x>)
            pcf.return
          } : !pcf.cluster<#sg, (d0 -> s0), o.i.n.b>
          pcf.return
        } : !tg
        pcf.shared_executor.tile_group %ia[%k] split [[]] (%all: !pcf.cluster<#sg, (0 -> d0), o.i.all>) {
          pcf.return
        } : !pcf.cluster<#sg, (0 -> d0), o.i.a>
        pcf.return
      } : !tg
      pcf.return
    } : !tg
    pcf.return
  }
  return
}

// Groups of two worker ids; and groups whose clusters no phase joins stay.
// CHECK-LABEL: func.func @two_ids(
// CHECK: tile_group %{{.*}} ns(o)
// CHECK: pcf.shared_executor.run_thread(%[[C:.*]], %[[C]])[%{{.*}}] () [%{{.*}}: index, %{{.*}}: index]
// CHECK: tile_group %{{.*}} ns(j)
// CHECK-NOT: tile_group
func.func @two_ids(%k: index) {
  pcf.shared_executor scope(#t2) execute[%tg: !tg2] {
    pcf.shared_executor.tile_group %tg ns(o) split [[], [%k]] (%a: !pcf.cluster<#t2, (0 -> s0) x (0 -> d0), o.a>, %b: !pcf.cluster<#t2, (0 -> s0) x (d0 -> s1), o.b>) {
      pcf.shared_executor.tile_group %tg ns(i) split [[], [%k]] (%ia: !pcf.cluster<#t2, (0 -> s0) x (0 -> d0), o.i.a>, %ib: !pcf.cluster<#t2, (0 -> s0) x (d0 -> s1), o.i.b>) {
        pcf.shared_executor.run_thread(%ib, %b)[%k] () [%x: index, %y: index] {
          "test.use"(%x, %y) : (index, index) -> ()
          pcf.cluster_yield
        } : (!pcf.cluster<#t2, (0 -> s0) x (d0 -> s1), o.i.b>, !pcf.cluster<#t2, (0 -> s0) x (d0 -> s1), o.b>)
        pcf.return
      } : !tg2
      pcf.shared_executor.tile_group %tg ns(j) split [[], [%k]] (%ja: !pcf.cluster<#t2, (0 -> s0) x (0 -> d0), o.j.a>, %jb: !pcf.cluster<#t2, (0 -> s0) x (d0 -> s1), o.j.b>) {
        pcf.return
      } : !tg2
      pcf.return
    } : !tg2
    pcf.return
  }
  return
}
