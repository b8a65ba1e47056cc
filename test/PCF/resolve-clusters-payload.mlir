// RUN: distaff-opt %s -allow-unregistered-dialect -split-input-file -pcf-resolve-clusters -cse | FileCheck %s --implicit-check-not=unrealized --implicit-check-not='pcf.cluster<'

// PCF-59: payloads of 0, 1 and 3 values cross control flow as values on the
// active side, and vanish on the other. PCF-60: no handle is left.

#sg = #iree_gpu.subgroup_scope
!l = !pcf.cluster<#sg, (0 -> d0), l>
!l1 = !pcf.cluster<#sg, (0 -> d0), private: {f32}, l>
!l3 = !pcf.cluster<#sg, (0 -> d0), private: {f32, index, vector<2xf16>}, l>
!r = !pcf.cluster<#sg, (d0 -> s0), r>

// CHECK-LABEL: func.func @for_of_two_handles
// CHECK: case 0 {
// CHECK:   %[[X:.*]]:3 = "test.make3"
// CHECK:   scf.for {{.*}} iter_args(%[[A:.*]] = %[[X]]#0, %[[B:.*]] = %[[X]]#1, %[[C:.*]] = %[[X]]#2) -> (f32, index, vector<2xf16>)
// CHECK:     %[[Y:.*]]:3 = "test.next3"(%[[A]], %[[B]], %[[C]])
// CHECK:     scf.yield %[[Y]]#0, %[[Y]]#1, %[[Y]]#2
// CHECK: default {
// CHECK-NOT: test
// CHECK:   scf.for
// CHECK-NOT: iter_args
// CHECK:   "test.right"
func.func @for_of_two_handles(%k: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%l: !l, %r: !r) {
      %x = pcf.shared_executor.run_thread(%l)[%k] () [%t: index] {
        %v:3 = "test.make3"() : () -> (f32, index, vector<2xf16>)
        pcf.cluster_yield %v#0, %v#1, %v#2 : f32, index, vector<2xf16>
      } : (!l) -> !l3
      %e:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %r) -> (!l3, !r) {
        %y = pcf.shared_executor.run_thread(%a)[%k] (%p: f32, %q: index, %s: vector<2xf16>) [%t: index] {
          %v:3 = "test.next3"(%p, %q, %s) : (f32, index, vector<2xf16>) -> (f32, index, vector<2xf16>)
          pcf.cluster_yield %v#0, %v#1, %v#2 : f32, index, vector<2xf16>
        } : (!l3) -> !l3
        pcf.shared_executor.run_thread(%b)[%k] () [%t: index] {
          "test.right"() : () -> ()
          pcf.cluster_yield
        } : (!r)
        scf.yield %y, %b : !l3, !r
      }
      pcf.shared_executor.run_thread(%e#0)[%k] (%p: f32, %q: index, %s: vector<2xf16>) [%t: index] {
        "test.use"(%p, %q, %s) : (f32, index, vector<2xf16>) -> ()
        pcf.cluster_yield
      } : (!l3)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!l = !pcf.cluster<#sg, (0 -> d0), l>
!l1 = !pcf.cluster<#sg, (0 -> d0), private: {f32}, l>
!l2 = !pcf.cluster<#sg, (0 -> d0), private: {f32, index}, l>
!r = !pcf.cluster<#sg, (d0 -> s0), r>

// CHECK-LABEL: func.func @while_with_other_types_after
// CHECK: case 0 {
// CHECK:   %[[W:.*]]:2 = scf.while (%{{.*}} = %{{.*}}) : (f32) -> (f32, index) {
// CHECK:     scf.condition(%{{.*}}) %{{.*}}, %{{.*}} : f32, index
// CHECK:   ^bb0(%{{.*}}: f32, %{{.*}}: index):
// CHECK:     scf.yield %{{.*}} : f32
// CHECK:   "test.use"(%[[W]]#0, %[[W]]#1)
// CHECK: default {
// CHECK:   scf.while : () -> () {
// CHECK-NEXT: scf.condition
// CHECK:      "test.right"
// CHECK-NOT: test.use
func.func @while_with_other_types_after(%k: index, %go: i1) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%l: !l, %r: !r) {
      %x = pcf.shared_executor.run_thread(%l)[%k] () [%t: index] {
        %v = "test.make"() : () -> f32
        pcf.cluster_yield %v : f32
      } : (!l) -> !l1
      %w = scf.while (%a = %x) : (!l1) -> !l2 {
        %y = pcf.shared_executor.run_thread(%a)[%k] (%p: f32) [%t: index] {
          pcf.cluster_yield %p, %t : f32, index
        } : (!l1) -> !l2
        scf.condition(%go) %y : !l2
      } do {
      ^bb0(%b: !l2):
        %z = pcf.shared_executor.run_thread(%b)[%k] (%p: f32, %q: index) [%t: index] {
          %v = "test.next"(%p, %q) : (f32, index) -> f32
          pcf.cluster_yield %v : f32
        } : (!l2) -> !l1
        pcf.shared_executor.run_thread(%r)[%k] () [%t: index] {
          "test.right"() : () -> ()
          pcf.cluster_yield
        } : (!r)
        scf.yield %z : !l1
      }
      pcf.shared_executor.run_thread(%w)[%k] (%p: f32, %q: index) [%t: index] {
        "test.use"(%p, %q) : (f32, index) -> ()
        pcf.cluster_yield
      } : (!l2)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!l = !pcf.cluster<#sg, (0 -> d0), l>
!l2 = !pcf.cluster<#sg, (0 -> d0), private: {f32, index}, l>
!r = !pcf.cluster<#sg, (d0 -> s0), r>

// CHECK-LABEL: func.func @branches
// CHECK: case 0 {
// CHECK:   %[[IF:.*]]:2 = scf.if %{{.*}} -> (f32, index) {
// CHECK:   %[[SW:.*]]:2 = scf.index_switch %{{.*}} -> f32, index
// CHECK:   %[[EX:.*]]:2 = scf.execute_region -> (f32, index) {
// CHECK:     cf.cond_br %{{.*}}, ^bb1(%[[SW]]#0, %[[SW]]#1 : f32, index), ^bb1(%[[IF]]#0, %[[IF]]#1 : f32, index)
// CHECK:   ^bb1(%[[A:.*]]: f32, %[[B:.*]]: index):
// CHECK:     scf.yield %[[A]], %[[B]] : f32, index
// CHECK:   %[[SELA:.*]] = arith.select %{{.*}}, %[[EX]]#0, %[[IF]]#0 : f32
// CHECK:   %[[SELB:.*]] = arith.select %{{.*}}, %[[EX]]#1, %[[IF]]#1 : index
// CHECK:   scf.forall (%[[I:.*]]) in (3) {
// CHECK:     "test.use"(%[[SELA]], %[[SELB]], %[[I]])
// CHECK: default {
// CHECK-NOT: test
// CHECK: pcf.return
func.func @branches(%k: index, %cond: i1, %n: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%l: !l, %r: !r) {
      %x = pcf.shared_executor.run_thread(%l)[%k] () [%t: index] {
        %v = "test.make"() : () -> f32
        pcf.cluster_yield %v, %t : f32, index
      } : (!l) -> !l2
      %a = scf.if %cond -> !l2 {
        scf.yield %x : !l2
      } else {
        %y = pcf.shared_executor.run_thread(%x)[%k] (%p: f32, %q: index) [%t: index] {
          %v = "test.next"(%p) : (f32) -> f32
          pcf.cluster_yield %v, %q : f32, index
        } : (!l2) -> !l2
        scf.yield %y : !l2
      }
      %b = scf.index_switch %n -> !l2
      case 2 {
        scf.yield %x : !l2
      }
      default {
        scf.yield %a : !l2
      }
      %c = scf.execute_region -> !l2 {
        cf.cond_br %cond, ^bb1(%b : !l2), ^bb1(%a : !l2)
      ^bb1(%z: !l2):
        scf.yield %z : !l2
      }
      %d = arith.select %cond, %c, %a : !l2
      scf.forall (%i) in (3) {
        pcf.shared_executor.run_thread(%d)[%k] (%p: f32, %q: index) [%t: index] {
          "test.use"(%p, %q, %i) : (f32, index, index) -> ()
          pcf.cluster_yield
        } : (!l2)
      }
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!l = !pcf.cluster<#sg, (0 -> d0), l>
!l1 = !pcf.cluster<#sg, (0 -> d0), private: {f32}, l>
!l2 = !pcf.cluster<#sg, (0 -> d0), private: {index, i8}, l>
!r = !pcf.cluster<#sg, (d0 -> s0), r>

// Several sources are one list, in order; a yielded argument is what was passed.
// CHECK-LABEL: func.func @several_sources
// CHECK: %[[A:.*]] = "test.a"
// CHECK: %[[B:.*]]:2 = "test.b"
// CHECK: "test.use"(%[[B]]#0, %[[B]]#1, %[[A]])
// CHECK: "test.last"(%[[A]])
// CHECK: default {
// CHECK-NEXT: }
func.func @several_sources(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%l: !l, %r: !r) {
      %a = pcf.shared_executor.run_thread(%l)[%k] () [%t: index] {
        %v = "test.a"() : () -> f32
        pcf.cluster_yield %v : f32
      } : (!l) -> !l1
      %b = pcf.shared_executor.run_thread(%l)[%k] () [%t: index] {
        %v:2 = "test.b"() : () -> (index, i8)
        pcf.cluster_yield %v#0, %v#1 : index, i8
      } : (!l) -> !l2
      %c = pcf.shared_executor.run_thread(%b, %l, %a)[%k] (%x: index, %y: i8, %z: f32) [%t: index] {
        "test.use"(%x, %y, %z) : (index, i8, f32) -> ()
        pcf.cluster_yield %z : f32
      } : (!l2, !l, !l1) -> !l1
      pcf.shared_executor.run_thread(%c)[%k] (%x: f32) [%t: index] {
        "test.last"(%x) : (f32) -> ()
        pcf.cluster_yield
      } : (!l1)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!l = !pcf.cluster<#sg, (0 -> d0), l>
!l2 = !pcf.cluster<#sg, (0 -> d0), private: {f32, index}, l>
!r = !pcf.cluster<#sg, (d0 -> s0), r>

// Each handle that a region returns has its own values, numbers among them.
// CHECK-LABEL: func.func @two_handles_of_a_region
// CHECK: case 0 {
// CHECK:   %[[EX:.*]]:5 = scf.execute_region -> (f32, index, index, f32, index) {
// CHECK:   "test.use"(%[[EX]]#0, %[[EX]]#1, %[[EX]]#2)
// CHECK:   "test.use"(%[[EX]]#3, %[[EX]]#4, %[[EX]]#2)
func.func @two_handles_of_a_region(%k: index, %cond: i1, %n: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%l: !l, %r: !r) {
      %a, %i, %b = scf.execute_region -> (!l2, index, !l2) {
        %x = pcf.shared_executor.run_thread(%l)[%k] () [%t: index] {
          %v = "test.make"() : () -> f32
          pcf.cluster_yield %v, %t : f32, index
        } : (!l) -> !l2
        %y = pcf.shared_executor.run_thread(%x)[%k] (%p: f32, %q: index) [%t: index] {
          %v = "test.next"(%p) : (f32) -> f32
          pcf.cluster_yield %v, %q : f32, index
        } : (!l2) -> !l2
        cf.cond_br %cond, ^bb1(%x, %y : !l2, !l2), ^bb1(%y, %x : !l2, !l2)
      ^bb1(%z: !l2, %w: !l2):
        scf.yield %z, %n, %w : !l2, index, !l2
      }
      pcf.shared_executor.run_thread(%a)[%k] (%p: f32, %q: index) [%t: index] {
        "test.use"(%p, %q, %i) : (f32, index, index) -> ()
        pcf.cluster_yield
      } : (!l2)
      pcf.shared_executor.run_thread(%b)[%k] (%p: f32, %q: index) [%t: index] {
        "test.use"(%p, %q, %i) : (f32, index, index) -> ()
        pcf.cluster_yield
      } : (!l2)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}
