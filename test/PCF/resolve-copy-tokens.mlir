// RUN: distaff-opt %s -allow-unregistered-dialect -split-input-file -pcf-resolve-copy-tokens | FileCheck %s --implicit-check-not=copy_token

#sg = #iree_gpu.subgroup_scope
!R = !pcf.sref<2x8xf32, #sg>
!V = !pcf.sref<1x8xf32, #sg>
!TG = !pcf.threadgroup<#sg>
!C = !pcf.threadgroup<#sg, {tensor<1x8xf32>, !pcf.copy_token}>

// PCF-118: the wait is a barrier in front of the phase, with a fence of what was copied to; a copy is a read and a write.
// CHECK-LABEL: func.func @next_panel
// CHECK-SAME: (%[[X:.*]]: !sref{{.*}}, %[[RING:.*]]: !sref{{.*}}, %{{.*}}: index)
// CHECK: %[[FIRST:.*]] = pcf.shared_executor.run_cluster
// CHECK:   %[[V:.*]] = pcf.read_slice %[[X]][0, 0] [1, 8] [1, 1] : {{.*}} to tensor<1x8xf32>
// CHECK:   pcf.write_slice %[[V]] into %[[RING]][0, 0] [1, 8] [1, 1]
// CHECK:   pcf.cluster_yield %{{.*}} : tensor<1x8xf32>
// CHECK: scf.for %[[K:.*]] = {{.*}} iter_args(%[[IT:.*]] = %[[FIRST]])
// CHECK:   pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[RING]])
// CHECK-NEXT: pcf.shared_executor.run_cluster(%[[IT]])[] (%[[ACC:.*]]: tensor<1x8xf32>) {
// CHECK-NEXT: pcf.read_slice %[[X]][%[[K]], 0] [1, 8] [1, 1]
// CHECK-NEXT: pcf.write_slice %{{.*}} into %[[RING]][%[[K]], 0] [1, 8] [1, 1]
// CHECK-NEXT: "test.use"(%[[ACC]])
// CHECK:   pcf.cluster_yield %[[ACC]] : tensor<1x8xf32>
func.func @next_panel(%x: !R, %ring: !R, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %first = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<0.0> : tensor<1x8xf32>
      %from = pcf.subview %x[0, 0] [1, 8] [1, 1] : !R to !V
      %to = pcf.subview %ring[0, 0] [1, 8] [1, 1] : !R to !V
      %t = pcf.async_copy %from into %to : !V into !V
      pcf.cluster_yield %z, %t : tensor<1x8xf32>, !pcf.copy_token
    } : (!TG) -> !C
    %end = scf.for %k = %c0 to %n step %c1 iter_args(%it = %first) -> (!C) {
      %next = pcf.shared_executor.run_cluster(%it)[] (%acc: tensor<1x8xf32>, %t: !pcf.copy_token) {
        pcf.wait %t
        %from = pcf.subview %x[%k, 0] [1, 8] [1, 1] : !R to !V
        %to = pcf.subview %ring[%k, 0] [1, 8] [1, 1] : !R to !V
        %u = pcf.async_copy %from into %to : !V into !V
        "test.use"(%acc) : (tensor<1x8xf32>) -> ()
        pcf.cluster_yield %acc, %u : tensor<1x8xf32>, !pcf.copy_token
      } : (!C) -> !C
      scf.yield %next : !C
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!R = !pcf.sref<8xf32, #sg>
!D = !pcf.sref<?xf32, #sg>
!TG = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), a>
!B = !pcf.cluster<#sg, (d0 -> s0), b>
!T = !pcf.cluster<#sg, (0 -> d0), shared: {!pcf.copy_token, !pcf.copy_token}, a>

// PCF-118: a cluster waits for its own members; a token that is passed on is that of the copies it stands for; what carried
// nothing else carries nothing. A slice may be of dynamic size.
// CHECK-LABEL: func.func @of_a_cluster
// CHECK-SAME: (%[[R:.*]]: !sref{{.*}}, %[[S:.*]]: !sref{{.*}}, %[[X:.*]]: !sref{{.*}}, %[[K:.*]]: index, %[[N:.*]]: index)
// CHECK: pcf.shared_executor.run_cluster(%[[A:.*]])[%[[K]]] ()
// CHECK: pcf.read_slice %[[X]][0] [%[[N]]] [1] : {{.*}} to tensor<?xf32>
// CHECK: pcf.write_slice %{{.*}} into %[[S]][0] [%[[N]]] [1] : tensor<?xf32>
// CHECK: } : (!a) -> !a
// CHECK: %[[Q:.*]] = pcf.shared_executor.run_cluster(%{{.*}})[%[[K]]] () {
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) among(%[[Q]])[%[[K]]] fence(%[[R]], %[[S]])
// CHECK-NEXT: pcf.shared_executor.run_cluster(%[[Q]])
func.func @of_a_cluster(%r: !R, %s: !R, %x: !R, %k: index, %n: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !A, %b: !B) {
      %h = pcf.shared_executor.run_cluster(%a)[%k] () {
        %t = pcf.async_copy %x into %r : !R into !R
        %from = pcf.subview %x[0] [%n] [1] : !R to !D
        %to = pcf.subview %s[0] [%n] [1] : !R to !D
        %u = pcf.async_copy %from into %to : !D into !D
        pcf.cluster_yield %t, %u : !pcf.copy_token, !pcf.copy_token
      } : (!A) -> !T
      %q = pcf.shared_executor.run_cluster(%h)[%k] (%t: !pcf.copy_token, %u: !pcf.copy_token) {
        pcf.cluster_yield %t, %u : !pcf.copy_token, !pcf.copy_token
      } : (!T) -> !T
      pcf.shared_executor.run_cluster(%q)[%k] (%t: !pcf.copy_token, %u: !pcf.copy_token) {
        pcf.wait %t, %u
        pcf.cluster_yield
      } : (!T)
      pcf.return
    } : !TG
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!R = !pcf.sref<8xf32, #sg>

// PCF-118: a worker's own copies are in the order of its program; loops carry no token any more.
// CHECK-LABEL: func.func @of_a_worker
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{[a-z0-9_]+}} {
// CHECK-NEXT: pcf.read_slice
// CHECK-NEXT: pcf.write_slice
// CHECK-NEXT: }
func.func @of_a_worker(%x: !R, %r: !R, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %t = pcf.async_copy %x into %r : !R into !R
    %e = scf.for %i = %c0 to %n step %c1 iter_args(%it = %t) -> (!pcf.copy_token) {
      pcf.wait %it
      %u = pcf.async_copy %x into %r : !R into !R
      scf.yield %u : !pcf.copy_token
    }
    pcf.wait %e
    pcf.return
  }
  return
}
