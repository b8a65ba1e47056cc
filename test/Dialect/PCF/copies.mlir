// RUN: distaff-opt %s > %t.once
// RUN: distaff-opt %t.once | diff %t.once -
// RUN: distaff-opt %s --mlir-print-op-generic | distaff-opt | diff %t.once -
// RUN: distaff-opt %s --emit-bytecode | distaff-opt | diff %t.once -
// RUN: distaff-opt %s --canonicalize --cse | FileCheck %s --check-prefix=STAY
// RUN: FileCheck %s < %t.once

// PCF-118: copies give tokens, which loops, branches and handles carry; neither is merged nor dropped.

#sg = #iree_gpu.subgroup_scope
!R = !pcf.sref<4x8xf32, #sg>
!D = !pcf.sref<?x8xf32, #sg>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {!pcf.copy_token}>
!P = !pcf.threadgroup<#sg, private: {!pcf.copy_token, index}>

// CHECK-LABEL: func.func @copies
// CHECK-SAME: (%[[A:.*]]: !sref{{.*}}, %[[B:.*]]: !sref{{.*}}, %[[D:.*]]: !sref{{.*}}, %{{.*}}: index)
// CHECK: %[[T:.*]] = pcf.async_copy %[[A]] into %[[B]] : !sref_4x8xf32_subgroup into !sref_4x8xf32_subgroup
// CHECK: %[[U:.*]] = pcf.async_copy %[[D]] into %[[B]] {note = "ragged"} : !sref_Dx8xf32_subgroup into !sref_4x8xf32_subgroup
// CHECK: pcf.wait %[[T]], %[[U]]{{$}}
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[T]]) -> (!pcf.copy_token)
// STAY-LABEL: func.func @copies
// STAY-COUNT-4: pcf.async_copy
// STAY: pcf.wait
func.func @copies(%a: !R, %b: !R, %d: !D, %n: index) -> !pcf.copy_token {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = pcf.async_copy %a into %b : !R into !R
  %u = pcf.async_copy %d into %b {note = "ragged"} : !D into !R
  pcf.wait %t, %u
  %unused = pcf.async_copy %a into %b : !R into !R
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %t) -> (!pcf.copy_token) {
    %v = pcf.async_copy %a into %b : !R into !R
    pcf.wait %it {done}
    scf.yield %v : !pcf.copy_token
  }
  return %r : !pcf.copy_token
}

// CHECK-LABEL: func.func @payload
// CHECK: pcf.shared_executor.run_cluster(%{{.*}})[] (%[[T:.*]]: !pcf.copy_token) {
// CHECK-NEXT: pcf.wait %[[T]]
// CHECK: pcf.shared_executor.run_thread(%{{.*}})[] (%[[U:.*]]: !pcf.copy_token, %{{.*}}: index) [%{{.*}}: index] {
// CHECK-NEXT: pcf.wait %[[U]]
func.func @payload(%a: !R, %b: !R) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %h = pcf.shared_executor.run_cluster(%tg)[] () {
      %t = pcf.async_copy %a into %b : !R into !R
      pcf.cluster_yield %t : !pcf.copy_token
    } : (!TG) -> !T
    pcf.shared_executor.run_cluster(%h)[] (%t: !pcf.copy_token) {
      pcf.wait %t
      pcf.cluster_yield
    } : (!T)
    %p = pcf.shared_executor.run_thread(%tg)[] () [%id: index] {
      %t = pcf.async_copy %a into %b : !R into !R
      pcf.cluster_yield %t, %id : !pcf.copy_token, index
    } : (!TG) -> !P
    pcf.shared_executor.run_thread(%p)[] (%t: !pcf.copy_token, %k: index) [%id: index] {
      pcf.wait %t
      pcf.cluster_yield
    } : (!P)
    pcf.return
  }
  return
}
