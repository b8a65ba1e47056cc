// RUN: distaff-opt %s -allow-unregistered-dialect -split-input-file -pcf-resolve-clusters='telescope-to=#iree_gpu.lane_scope' -cse | FileCheck %s --implicit-check-not=unrealized

#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>
!P = !pcf.threadgroup<#sg, private: {tensor<4xf32>, index}>

// PCF-65: without a group the whole body is one executor of the finer scope;
// members' phases are its phases, and what was private is shared by the lanes.
// CHECK-LABEL: func.func @no_group
// CHECK: pcf.generic scope(#iree_gpu.subgroup_scope) execute[%[[G:.*]]: index, %{{.*}}: index] {
// CHECK-NEXT: pcf.shared_executor scope(#iree_gpu.lane_scope) execute[%[[TG:.*]]: !lane_tg] {
// CHECK-NEXT:   %[[A:.*]] = pcf.shared_executor.run_cluster(%[[TG]])[] () {
// CHECK-NEXT:     %[[V:.*]] = "test.make"(%[[G]])
// CHECK-NEXT:     pcf.cluster_yield %[[V]], %[[G]] : tensor<4xf32>, index
// CHECK-NEXT:   } : (!lane_tg) -> !lane_tg1
// CHECK-NEXT:   %[[L:.*]] = scf.for {{.*}} iter_args(%[[IT:.*]] = %[[A]]) -> (!lane_tg1) {
// CHECK-NEXT:     %[[B:.*]] = pcf.shared_executor.run_cluster(%[[IT]])[] (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: index) {
// CHECK-NEXT:       "test.next"(%[[X]], %[[I]], %[[G]])
// CHECK:          } : (!lane_tg1) -> !lane_tg1
// CHECK-NEXT:     pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT:     scf.yield %[[B]] : !lane_tg1
// CHECK:        pcf.shared_executor.run_cluster(%[[L]], %[[TG]])[] (%{{.*}}: tensor<4xf32>, %{{.*}}: index) {
// CHECK:        pcf.return
// CHECK-NEXT: }
// CHECK-NEXT: pcf.return
func.func @no_group(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %a = pcf.shared_executor.run_thread(%tg)[] () [%t: index] {
      %v = "test.make"(%t) : (index) -> tensor<4xf32>
      pcf.cluster_yield %v, %t : tensor<4xf32>, index
    } : (!TG) -> !P
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%it = %a) -> (!P) {
      %b = pcf.shared_executor.run_thread(%it)[] (%x: tensor<4xf32>, %j: index) [%t: index] {
        %v = "test.next"(%x, %j, %t) : (tensor<4xf32>, index, index) -> tensor<4xf32>
        pcf.cluster_yield %v, %j : tensor<4xf32>, index
      } : (!P) -> !P
      pcf.barrier(#sg)
      scf.yield %b : !P
    }
    pcf.shared_executor.run_thread(%l, %tg)[] (%x: tensor<4xf32>, %j: index) [%t: index] {
      "test.use"(%x, %j, %t) : (tensor<4xf32>, index, index) -> ()
      pcf.cluster_yield
    } : (!P, !TG)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!l = !pcf.cluster<#sg, (0 -> d0), l>
!l1 = !pcf.cluster<#sg, (0 -> d0), private: {f32}, l>
!r = !pcf.cluster<#sg, (d0 -> s0), r>

// PCF-65: one executor per case, in which only that cluster's phases are.
// CHECK-LABEL: func.func @executor_per_case
// CHECK-SAME: (%[[K:.*]]: index
// CHECK: execute[%[[G:.*]]: index, %{{.*}}: index]
// CHECK: case 0 {
// CHECK-NEXT: pcf.shared_executor scope(#iree_gpu.lane_scope) execute[%[[TG:.*]]: !lane_tg] {
// CHECK-NEXT:   %[[A:.*]] = pcf.shared_executor.run_cluster(%[[TG]])[] () {
// CHECK-NEXT:     "test.left"(%[[G]])
// CHECK:        } : (!lane_tg) -> !lane_tg1
// CHECK-NEXT:   pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT:   pcf.shared_executor.run_cluster(%[[A]])[]
// CHECK-NOT: test.right
// CHECK: default {
// CHECK-NEXT: %[[T:.*]] = arith.subi %[[G]], %[[K]]
// CHECK-NEXT: pcf.shared_executor scope(#iree_gpu.lane_scope) execute[%[[TG:.*]]: !lane_tg] {
// CHECK-NEXT:   pcf.barrier(#iree_gpu.subgroup_scope)
// CHECK-NEXT:   pcf.shared_executor.run_cluster(%[[TG]])[] () {
// CHECK-NEXT:     "test.right"(%[[T]])
// CHECK-NOT: test.left
func.func @executor_per_case(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%l: !l, %r: !r) {
      %a = pcf.shared_executor.run_thread(%l)[%k] () [%t: index] {
        %v = "test.left"(%t) : (index) -> f32
        pcf.cluster_yield %v : f32
      } : (!l) -> !l1
      pcf.barrier(#sg)
      pcf.shared_executor.run_thread(%a)[%k] (%v: f32) [%t: index] {
        "test.left"(%v) : (f32) -> ()
        pcf.cluster_yield
      } : (!l1)
      pcf.shared_executor.run_thread(%r)[%k] () [%t: index] {
        "test.right"(%t) : (index) -> ()
        pcf.cluster_yield
      } : (!r)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!tg = !pcf.threadgroup<#sg>
!l = !pcf.cluster<#sg, (0 -> d0), l>
!r = !pcf.cluster<#sg, (d0 -> s0), r>

// Phases of everybody beside a group: the executor is around all of it.
// CHECK-LABEL: func.func @everybody_and_a_group
// CHECK: execute[%[[G:.*]]: index, %{{.*}}: index]
// CHECK: pcf.shared_executor scope(#iree_gpu.lane_scope) execute[%[[TG:.*]]: !lane_tg] {
// CHECK: run_cluster(%[[TG]])
// CHECK: "test.all"(%[[G]])
// CHECK: scf.index_switch
// CHECK: case 0 {
// CHECK-NEXT: pcf.shared_executor.run_cluster(%[[TG]])
// CHECK: "test.left"
// CHECK-NOT: shared_executor scope
func.func @everybody_and_a_group(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    pcf.shared_executor.run_thread(%tg)[] () [%t: index] {
      "test.all"(%t) : (index) -> ()
      pcf.cluster_yield
    } : (!tg)
    pcf.shared_executor.tile_group %tg split [[%k]] (%l: !l, %r: !r) {
      pcf.shared_executor.run_thread(%l)[%k] () [%t: index] {
        "test.left"(%t) : (index) -> ()
        pcf.cluster_yield
      } : (!l)
      pcf.return
    } : !tg
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [16, 1, 1] subgroup_size = 16>
!TG = !pcf.threadgroup<#ln>
!SG = !pcf.threadgroup<#sg>

// PCF-65: groups in a case are of the same executor of the finer scope.
// CHECK-LABEL: func.func @nested_groups
// CHECK: scf.index_switch
// CHECK: case 0 {
// CHECK-NEXT: pcf.shared_executor scope(#iree_gpu.lane_scope)
// CHECK: "test.left"
// CHECK: default {
// CHECK: pcf.shared_executor scope(#iree_gpu.lane_scope) execute[%[[LN:.*]]: !lane_tg]
// CHECK: scf.index_switch
// CHECK: run_cluster(%[[LN]])
// CHECK: "test.ra"
// CHECK: run_cluster(%[[LN]])
// CHECK: "test.rb"
func.func @nested_groups(%k: index, %j: index) {
pcf.shared_executor scope(#sg) execute[%tg: !SG] {
pcf.shared_executor.tile_group %tg ns(tg) split [[%k]]
  (%left: !pcf.cluster<#sg, (0 -> d0), tg.left>, %right: !pcf.cluster<#sg, (d0 -> s0), tg.right>) {
  pcf.shared_executor.run_thread(%left)[%k] () [%t: index] {
    "test.left"(%t) : (index) -> ()
    pcf.cluster_yield
  } : (!pcf.cluster<#sg, (0 -> d0), tg.left>)
  pcf.shared_executor.tile_group %right[%k] ns(in) split [[%j]]
    (%ra: !pcf.cluster<#sg, (d0 -> d1), tg.in.a>, %rb: !pcf.cluster<#sg, (d1 -> s0), tg.in.b>) {
    pcf.shared_executor.run_thread(%ra)[%k,%j] () [%t: index] {
      "test.ra"(%t) : (index) -> ()
      pcf.cluster_yield
    } : (!pcf.cluster<#sg, (d0 -> d1), tg.in.a>)
    pcf.shared_executor.run_thread(%rb)[%k,%j] () [%t: index] {
      "test.rb"(%t) : (index) -> ()
      pcf.cluster_yield
    } : (!pcf.cluster<#sg, (d1 -> s0), tg.in.b>)
    pcf.return
  } : !pcf.cluster<#sg, (d0 -> s0), tg.right>
  pcf.return
} : !pcf.threadgroup<#sg>
pcf.return
}
return
}
