// RUN: distaff-opt %s -allow-unregistered-dialect -split-input-file -pcf-resolve-clusters -cse | FileCheck %s --implicit-check-not=unrealized --implicit-check-not=threadgroup --implicit-check-not='pcf.cluster<'

#sg = #iree_gpu.subgroup_scope

// PCF-56: the sample of 5.2; -cse drops the branch that is empty on the right.
// CHECK-LABEL: func.func @nested_control_flow
// CHECK-SAME: (%[[K:.*]]: index, %[[N:.*]]: index, %[[COND:.*]]: i1)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0
// CHECK-DAG: %[[C1:.*]] = arith.constant 1
// CHECK: pcf.generic scope(#iree_gpu.subgroup_scope) execute[%[[G:.*]]: index, %{{.*}}: index] {
// CHECK-NEXT: %[[GE:.*]] = arith.cmpi uge, %[[G]], %[[K]]
// CHECK-NEXT: %[[IDX:.*]] = arith.select %[[GE]], %[[C1]], %[[C0]]
// CHECK-NEXT: scf.index_switch %[[IDX]]
// CHECK-NEXT: case 0 {
// CHECK-NEXT:   scf.for %[[I:.*]] = %[[C0]] to %[[N]] step %[[C1]] {
// CHECK-NEXT:     scf.if %[[COND]] {
// CHECK-NEXT:       "test.left"(%[[G]], %[[I]])
// CHECK-NEXT:     }
// CHECK-NEXT:     pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT:   }
// CHECK-NEXT:   scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: default {
// CHECK-NEXT:   %[[T:.*]] = arith.subi %[[G]], %[[K]]
// CHECK-NEXT:   scf.for %[[I:.*]] = %[[C0]] to %[[N]] step %[[C1]] {
// CHECK-NEXT:     pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT:     "test.right"(%[[T]], %[[I]])
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: pcf.return
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
!L  = !pcf.cluster<#sg, (0 -> d0), left>
!LP = !pcf.cluster<#sg, (0 -> d0), private: {f32}, left>
!R  = !pcf.cluster<#sg, (d0 -> s0), right>

// PCF-56: the sample of 5.3.
// CHECK-LABEL: func.func @loop_carried
// CHECK: scf.index_switch
// CHECK-NEXT: case 0 {
// CHECK-NEXT:   %[[Z:.*]] = arith.constant 0.0
// CHECK-NEXT:   %[[R:.*]] = scf.for %[[I:.*]] = {{.*}} iter_args(%[[A:.*]] = %[[Z]]) -> (f32) {
// CHECK-NEXT:     %[[V:.*]] = "test.acc"(%[[A]], %[[G:.*]], %[[I]])
// CHECK-NEXT:     pcf.barrier
// CHECK-NEXT:     scf.yield %[[V]] : f32
// CHECK-NEXT:   }
// CHECK-NEXT:   "test.store"(%[[R]], %[[G]])
// CHECK-NEXT:   scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: default {
// CHECK-NEXT:   %[[T:.*]] = arith.subi %[[G]], %{{.*}}
// CHECK-NEXT:   scf.for %[[I:.*]] = {{.*}} {
// CHECK-NEXT:     pcf.barrier
// CHECK-NEXT:     "test.right"(%[[T]], %[[I]])
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @loop_carried(%k: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%left: !L, %right: !R) {
      %l0 = pcf.shared_executor.run_thread(%left)[%k] () [%t: index] {
        %z = arith.constant 0.0 : f32
        pcf.cluster_yield %z : f32
      } : (!L) -> !LP
      %ln = scf.for %i = %c0 to %n step %c1 iter_args(%it = %l0) -> (!LP) {
        %l1 = pcf.shared_executor.run_thread(%it)[%k] (%a: f32) [%t: index] {
          %v = "test.acc"(%a, %t, %i) : (f32, index, index) -> f32
          pcf.cluster_yield %v : f32
        } : (!LP) -> !LP
        pcf.barrier(#sg)
        pcf.shared_executor.run_thread(%right)[%k] () [%t: index] {
          "test.right"(%t, %i) : (index, index) -> ()
          pcf.cluster_yield
        } : (!R)
        scf.yield %l1 : !LP
      }
      pcf.shared_executor.run_thread(%ln)[%k] (%a: f32) [%t: index] {
        "test.store"(%a, %t) : (f32, index) -> ()
        pcf.cluster_yield
      } : (!LP)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!left = !pcf.cluster<#sg, (0 -> d0), left>
!right = !pcf.cluster<#sg, (d0 -> s0), right>
!ra = !pcf.cluster<#sg, (d0 -> d1), in.ra>
!rb = !pcf.cluster<#sg, (d1 -> s0), in.rb>

// PCF-57: the inner group is in the outer case of its source alone, and its
// members count from their global bounds.
// CHECK-LABEL: func.func @cluster_of_a_cluster
// CHECK-SAME: (%[[K:.*]]: index, %[[J:.*]]: index)
// CHECK: execute[%[[G:.*]]: index, %{{.*}}: index]
// CHECK: scf.index_switch
// CHECK: case 0 {
// CHECK-NEXT: "test.left"(%[[G]])
// CHECK-NEXT: scf.yield
// CHECK: default {
// CHECK-NOT: "test.left"
// CHECK: %[[GE:.*]] = arith.cmpi uge, %[[G]], %[[J]]
// CHECK: %[[IDX:.*]] = arith.select %[[GE]]
// CHECK: scf.index_switch %[[IDX]]
// CHECK-NEXT: case 0 {
// CHECK-NEXT: %[[LA:.*]] = arith.subi %[[G]], %[[K]]
// CHECK-NEXT: "test.ra"(%[[LA]])
// CHECK-NEXT: scf.yield
// CHECK: default {
// CHECK-NEXT: %[[LB:.*]] = arith.subi %[[G]], %[[J]]
// CHECK-NEXT: "test.rb"(%[[LB]])
func.func @cluster_of_a_cluster(%k: index, %j: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%left: !left, %right: !right) {
      pcf.shared_executor.run_thread(%left)[%k] () [%t: index] {
        "test.left"(%t) : (index) -> ()
        pcf.cluster_yield
      } : (!left)
      pcf.shared_executor.tile_group %right[%k] ns(in) split [[%j]] (%ra: !ra, %rb: !rb) {
        pcf.shared_executor.run_thread(%ra)[%k, %j] () [%t: index] {
          "test.ra"(%t) : (index) -> ()
          pcf.cluster_yield
        } : (!ra)
        pcf.shared_executor.run_thread(%rb)[%k, %j] () [%t: index] {
          "test.rb"(%t) : (index) -> ()
          pcf.cluster_yield
        } : (!rb)
        pcf.return
      } : !right
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!left = !pcf.cluster<#sg, (0 -> d0), left>
!right = !pcf.cluster<#sg, (d0 -> s0), right>
!a = !pcf.cluster<#sg, (0 -> d0), in.a>
!b = !pcf.cluster<#sg, (d0 -> s0), in.b>

// PCF-57: an inner group of everybody is resolved in every case.
// CHECK-LABEL: func.func @inner_group_of_all
// CHECK: scf.index_switch
// CHECK: case 0 {
// CHECK:   scf.index_switch
// CHECK:   "test.a"
// CHECK:   "test.b"
// CHECK: default {
// CHECK:   scf.index_switch
// CHECK:   "test.a"
// CHECK:   "test.b"
func.func @inner_group_of_all(%k: index, %j: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%left: !left, %right: !right) {
      pcf.shared_executor.tile_group %tg ns(in) split [[%j]] (%x: !a, %y: !b) {
        pcf.shared_executor.run_thread(%x)[%j] () [%t: index] {
          "test.a"(%t) : (index) -> ()
          pcf.cluster_yield
        } : (!a)
        pcf.shared_executor.run_thread(%y)[%j] () [%t: index] {
          "test.b"(%t) : (index) -> ()
          pcf.cluster_yield
        } : (!b)
        pcf.return
      } : !pcf.threadgroup<#sg>
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#t2 = #pcf.test_scope<2>
!c00 = !pcf.cluster<#t2, (0 -> d0) x (0 -> d1), c00>
!c01 = !pcf.cluster<#t2, (0 -> d0) x (d1 -> s1), c01>
!c10 = !pcf.cluster<#t2, (d0 -> s0) x (0 -> d1), c10>
!c11 = !pcf.cluster<#t2, (d0 -> s0) x (d1 -> s1), c11>

// PCF-58: dimension 0 is the slowest; every dimension has its own bounds.
// CHECK-LABEL: func.func @two_by_two
// CHECK-SAME: (%[[P:.*]]: index, %[[Q:.*]]: index)
// CHECK: execute[%[[X:.*]]: index, %[[Y:.*]]: index, %{{.*}}: index, %{{.*}}: index]
// CHECK: %[[GX:.*]] = arith.cmpi uge, %[[X]], %[[P]]
// CHECK: %[[IX:.*]] = arith.select %[[GX]]
// CHECK: %[[GY:.*]] = arith.cmpi uge, %[[Y]], %[[Q]]
// CHECK: %[[IY:.*]] = arith.select %[[GY]]
// CHECK: %[[C2:.*]] = arith.constant 2
// CHECK: %[[SLOW:.*]] = arith.muli %[[IX]], %[[C2]]
// CHECK: %[[IDX:.*]] = arith.addi %[[SLOW]], %[[IY]]
// CHECK: scf.index_switch %[[IDX]]
// CHECK: case 0 {
// CHECK-NEXT: "test.c00"(%[[X]], %[[Y]])
// CHECK: case 1 {
// CHECK-NEXT: %[[LY:.*]] = arith.subi %[[Y]], %[[Q]]
// CHECK-NEXT: "test.c01"(%[[X]], %[[LY]])
// CHECK: case 2 {
// CHECK-NEXT: %[[LX:.*]] = arith.subi %[[X]], %[[P]]
// CHECK-NEXT: "test.c10"(%[[LX]], %[[Y]])
// CHECK: default {
// CHECK-DAG: %[[LX:.*]] = arith.subi %[[X]], %[[P]]
// CHECK-DAG: %[[LY:.*]] = arith.subi %[[Y]], %[[Q]]
// CHECK: "test.c11"(%[[LX]], %[[LY]])
func.func @two_by_two(%p: index, %q: index) {
  pcf.shared_executor scope(#t2) execute[%tg: !pcf.threadgroup<#t2>] {
    pcf.shared_executor.tile_group %tg split [[%p], [%q]] (%a: !c00, %b: !c01, %c: !c10, %d: !c11) {
      pcf.shared_executor.run_thread(%a)[%p, %q] () [%x: index, %y: index] {
        "test.c00"(%x, %y) : (index, index) -> ()
        pcf.cluster_yield
      } : (!c00)
      pcf.shared_executor.run_thread(%b)[%p, %q] () [%x: index, %y: index] {
        "test.c01"(%x, %y) : (index, index) -> ()
        pcf.cluster_yield
      } : (!c01)
      pcf.shared_executor.run_thread(%c)[%p, %q] () [%x: index, %y: index] {
        "test.c10"(%x, %y) : (index, index) -> ()
        pcf.cluster_yield
      } : (!c10)
      pcf.shared_executor.run_thread(%d)[%p, %q] () [%x: index, %y: index] {
        "test.c11"(%x, %y) : (index, index) -> ()
        pcf.cluster_yield
      } : (!c11)
      pcf.return
    } : !pcf.threadgroup<#t2>
    pcf.return
  }
  return
}

// -----

#t2 = #pcf.test_scope<2>
!a = !pcf.cluster<#t2, (0 -> s0) x (0 -> d0), a>
!b = !pcf.cluster<#t2, (0 -> s0) x (d0 -> d1), b>
!c = !pcf.cluster<#t2, (0 -> s0) x (d1 -> s1), c>

// PCF-58: a dimension that is not split takes no part.
// CHECK-LABEL: func.func @one_by_three
// CHECK-SAME: (%[[P:.*]]: index, %[[Q:.*]]: index)
// CHECK: execute[%[[X:.*]]: index, %[[Y:.*]]: index, %{{.*}}: index, %{{.*}}: index]
// CHECK: %[[GP:.*]] = arith.cmpi uge, %[[Y]], %[[P]]
// CHECK: %[[IP:.*]] = arith.select %[[GP]]
// CHECK: %[[GQ:.*]] = arith.cmpi uge, %[[Y]], %[[Q]]
// CHECK: %[[IQ:.*]] = arith.select %[[GQ]], %{{.*}}, %[[IP]]
// CHECK: scf.index_switch
// CHECK: case 0 {
// CHECK-NEXT: "test.a"(%[[X]], %[[Y]])
// CHECK: case 1 {
// CHECK-NEXT: %[[LB:.*]] = arith.subi %[[Y]], %[[P]]
// CHECK-NEXT: "test.b"(%[[X]], %[[LB]])
// CHECK: default {
// CHECK-NEXT: %[[LC:.*]] = arith.subi %[[Y]], %[[Q]]
// CHECK-NEXT: "test.c"(%[[X]], %[[LC]])
func.func @one_by_three(%p: index, %q: index) {
  pcf.shared_executor scope(#t2) execute[%tg: !pcf.threadgroup<#t2>] {
    pcf.shared_executor.tile_group %tg split [[], [%p, %q]] (%a: !a, %b: !b, %c: !c) {
      pcf.shared_executor.run_thread(%a)[%p] () [%x: index, %y: index] {
        "test.a"(%x, %y) : (index, index) -> ()
        pcf.cluster_yield
      } : (!a)
      pcf.shared_executor.run_thread(%b)[%p, %q] () [%x: index, %y: index] {
        "test.b"(%x, %y) : (index, index) -> ()
        pcf.cluster_yield
      } : (!b)
      pcf.shared_executor.run_thread(%c)[%p, %q] () [%x: index, %y: index] {
        "test.c"(%x, %y) : (index, index) -> ()
        pcf.cluster_yield
      } : (!c)
      pcf.return
    } : !pcf.threadgroup<#t2>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!all = !pcf.cluster<#sg, (0 -> s0), all>

// A group of one cluster is everybody: no switch.
// CHECK-LABEL: func.func @one_cluster
// CHECK: execute[%[[G:.*]]: index, %{{.*}}: index]
// CHECK-NOT: index_switch
// CHECK: "test.use"(%[[G]])
func.func @one_cluster() {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[]] (%all: !all) {
      pcf.shared_executor.run_thread(%all)[] () [%t: index] {
        "test.use"(%t) : (index) -> ()
        pcf.cluster_yield
      } : (!all)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>
!P = !pcf.threadgroup<#sg, private: {f32, index}>

// PCF-64: without a group there is no switch; refs, initializer and attributes
// stay, ids are the scope's.
// CHECK-LABEL: func.func @no_group
// CHECK: %[[R:.*]] = pcf.generic scope(#iree_gpu.subgroup_scope) initialize {
// CHECK: pcf.alloc
// CHECK: } -> (%[[BUF:.*]]: !{{.*}}) execute(%[[A:.*]] <- %{{.*}} : tensor<8xf32>, %[[B:.*]] = %{{.*}})[%[[G:.*]]: index, %[[N:.*]]: index]
// CHECK-NOT: index_switch
// CHECK: %[[MADE:.*]]:2 = "test.make"(%[[G]], %[[BUF]])
// CHECK: "test.use"(%[[MADE]]#0, %[[MADE]]#1, %[[A]], %[[B]], %[[G]])
// CHECK: } {mark = 3 : i64}
// CHECK: return %[[R]]
func.func @no_group(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %r = pcf.shared_executor scope(#sg)
    initialize {
      %m = pcf.alloc() : !pcf.sref<4xf32, #sg>
      pcf.yield %m : !pcf.sref<4xf32, #sg>
    } -> (%buf: !pcf.sref<4xf32, #sg>)
    execute(%x <- %a : tensor<8xf32>, %y = %b)[%tg: !TG]
    : (!pcf.sref<8xf32, #sg>, !pcf.sref<8xf32, sync(#sg)>) -> (tensor<8xf32>) {
    %p = pcf.shared_executor.run_thread(%tg)[] () [%t: index] {
      %v:2 = "test.make"(%t, %buf) : (index, !pcf.sref<4xf32, #sg>) -> (f32, index)
      pcf.cluster_yield %v#0, %v#1 : f32, index
    } : (!TG) -> !P
    pcf.shared_executor.run_thread(%p)[] (%f: f32, %i: index) [%t: index] {
      "test.use"(%f, %i, %x, %y, %t) : (f32, index, !pcf.sref<8xf32, #sg>, !pcf.sref<8xf32, sync(#sg)>, index) -> ()
      pcf.cluster_yield
    } : (!P)
    pcf.return
  } {mark = 3 : i64}
  return %r : tensor<8xf32>
}

// -----

#sg = #iree_gpu.subgroup_scope
!l = !pcf.cluster<#sg, (0 -> d0), w.l>
!m = !pcf.cluster<#sg, (d0 -> d1), w.m>
!r = !pcf.cluster<#sg, (d1 -> s0), w.r>

// PCF-63: barriers among clusters are in their cases alone; equal sets share a
// number, whatever their order, and what is waited for is counted in members.
// CHECK-LABEL: func.func @barriers_among
// CHECK-SAME: (%[[P:.*]]: index, %[[Q:.*]]: index, %arg2
// CHECK: execute[%{{.*}}: index, %[[N:.*]]: index]
// CHECK: case 0 {
// CHECK: iree_gpu.global_subgroup_barrier id(1) threads(%{{.*}})
// CHECK-NOT: id(2)
// CHECK: iree_gpu.global_subgroup_barrier id(1) threads(%{{.*}})
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK: case 1 {
// CHECK: %[[M:.*]] = arith.subi %[[Q]], %[[P]]
// CHECK: %[[LM:.*]] = arith.addi %[[P]], %[[M]]
// CHECK: %[[S:.*]] = gpu.subgroup_size
// CHECK: %[[T:.*]] = arith.muli %[[LM]], %[[S]]
// CHECK: iree_gpu.global_subgroup_barrier id(1) threads(%[[T]])
// CHECK: %[[R:.*]] = arith.subi %[[N]], %[[Q]]
// CHECK: arith.addi %[[M]], %[[R]]
// CHECK: pcf.fence release %arg
// CHECK: iree_gpu.global_subgroup_barrier id(2)
// CHECK: pcf.fence acquire %arg
// CHECK: iree_gpu.global_subgroup_barrier id(1)
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK: default {
// CHECK-NOT: id(1)
// CHECK: iree_gpu.global_subgroup_barrier id(2)
// CHECK-NOT: id(1)
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope)
func.func @barriers_among(%p: index, %q: index, %ref: !pcf.sref<8xf32, #sg>) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%p, %q]] (%l: !l, %m: !m, %r: !r) {
      pcf.barrier(#sg) among(%l, %m)[%p, %q] : !l, !m
      pcf.barrier(#sg) among(%m, %r)[%p, %q] fence(%ref) : !m, !r, !pcf.sref<8xf32, #sg>
      pcf.barrier(#sg) among(%m, %l)[%p, %q] : !m, !l
      pcf.barrier(#sg)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!l = !pcf.cluster<#sg, (0 -> d0), w.l>
!L = !pcf.cluster<#sg, (0 -> d0), private: {f32}, w.l>
!r = !pcf.cluster<#sg, (d0 -> s0), w.r>

// PCF-63: members that two handles name are waited for once.
// CHECK-LABEL: func.func @one_cluster_twice
// CHECK-SAME: (%[[P:.*]]: index, %{{.*}}: f32
// CHECK: %[[S:.*]] = gpu.subgroup_size
// CHECK: %[[T:.*]] = arith.muli %[[P]], %[[S]]
// CHECK: iree_gpu.global_subgroup_barrier id(1) threads(%[[T]])
func.func @one_cluster_twice(%p: index, %v: f32) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%p]] (%l: !l, %r: !r) {
      %a = pcf.shared_executor.run_thread(%l)[%p] () [%id: index] {
        pcf.cluster_yield %v : f32
      } : (!l) -> !L
      pcf.barrier(#sg) among(%l, %a)[%p] : !l, !L
      pcf.shared_executor.run_thread(%a)[%p] (%x: f32) [%id: index] {
        "test.use"(%x) : (f32) -> ()
        pcf.cluster_yield
      } : (!L)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}
