// RUN: distaff-opt %s --pcf-prefetch-panel-reads | FileCheck %s
// RUN: distaff-opt %s --pcf-prefetch-panel-reads --pcf-split-threadgroup -o /dev/null

// A phase that reads panels and computes becomes M and C of ping-pong (7.2 of
// the specification, PCF-77).

#sg  = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!G = !pcf.sref<?x32xf16, #sg>
!O = !pcf.sref<32x32xf32, sync(#sg)>
!L = !pcf.sref<2x32x32xf16, #sg>
!T0 = !pcf.threadgroup<#sg>
!T1 = !pcf.threadgroup<#sg, {tensor<32x32xf32>}>

// CHECK-LABEL: @product
// CHECK: -> (%[[L:.*]]: !sref_2x32x32xf16_subgroup) execute
// CHECK: scf.for {{.*}} iter_args(%[[IT:.*]] = %
// CHECK: %[[SLOT:.*]] = arith.remui
// CHECK: %[[READ:.*]] = pcf.shared_executor.run_cluster(%[[IT]])[] (%[[X:.*]]: tensor<32x32xf32>) {
// CHECK-NEXT: %[[VIEW:.*]] = pcf.subview %[[L]][%[[SLOT]], 0, 0] [1, 32, 32] [1, 1, 1]
// CHECK-NEXT: %[[P:.*]] = pcf.read_slice %[[VIEW]][0, 0] [32, 32] [1, 1]
// CHECK-NEXT: %[[Q:.*]] = pcf.read_slice %[[VIEW]][0, 0] [32, 32] [1, 1]
// CHECK-NEXT: pcf.cluster_yield %[[X]], %[[P]], %[[Q]] : tensor<32x32xf32>, tensor<32x32xf16>, tensor<32x32xf16>
// CHECK-NEXT: } : (!subgroup_tg1) -> !subgroup_tg2
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[L]])
// CHECK-NEXT: %[[N:.*]] = pcf.shared_executor.run_cluster(%[[READ]])[] (%[[X2:.*]]: tensor<32x32xf32>, %[[P2:.*]]: tensor<32x32xf16>, %[[Q2:.*]]: tensor<32x32xf16>) {
// CHECK-NEXT: linalg.matmul ins(%[[P2]], %[[Q2]] : {{.*}}) outs(%[[X2]]
// CHECK-NEXT: pcf.cluster_yield
// CHECK-NEXT: } : (!subgroup_tg2) -> !subgroup_tg1
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[L]])
// CHECK-NEXT: scf.yield %[[N]]
func.func @product(%g: tensor<?x32xf16>, %o: tensor<32x32xf32>, %nk: index) -> tensor<32x32xf32> attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %res = pcf.shared_executor scope(#sg) initialize {
    %l = pcf.alloc() : !L
    pcf.yield %l : !L
  } -> (%l: !L) execute(%G <- %g : tensor<?x32xf16>, %O = %o)[%tg: !T0] : (!G, !O) -> (tensor<32x32xf32>) {
    %acc0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<0.0> : tensor<32x32xf32>
      pcf.cluster_yield %z : tensor<32x32xf32>
    } : (!T0) -> !T1
    %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%it = %acc0) -> (!T1) {
      %slot = arith.remui %k, %c2 : index
      %ko = arith.muli %k, %c32 : index
      pcf.shared_executor.run_cluster(%tg)[] () {
        %a = pcf.read_slice %G[%ko, 0] [32, 32] [1, 1] : !G to tensor<32x32xf16>
        %v = pcf.subview %l[%slot, 0, 0] [1, 32, 32] [1, 1, 1] : !L to !pcf.sref<32x32xf16, #sg>
        pcf.write_slice %a into %v[0, 0] [32, 32] [1, 1] : tensor<32x32xf16> into !pcf.sref<32x32xf16, #sg>
        pcf.cluster_yield
      } : (!T0)
      pcf.barrier(#sg) fence(%l) : !L
      %n = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<32x32xf32>) {
        %v = pcf.subview %l[%slot, 0, 0] [1, 32, 32] [1, 1, 1] : !L to !pcf.sref<32x32xf16, #sg>
        %p = pcf.read_slice %v[0, 0] [32, 32] [1, 1] : !pcf.sref<32x32xf16, #sg> to tensor<32x32xf16>
        %q = pcf.read_slice %v[0, 0] [32, 32] [1, 1] : !pcf.sref<32x32xf16, #sg> to tensor<32x32xf16>
        %y = linalg.matmul ins(%p, %q : tensor<32x32xf16>, tensor<32x32xf16>) outs(%x : tensor<32x32xf32>) -> tensor<32x32xf32>
        pcf.cluster_yield %y : tensor<32x32xf32>
      } : (!T1) -> !T1
      pcf.barrier(#sg) fence(%l) : !L
      scf.yield %n : !T1
    }
    pcf.shared_executor.run_cluster(%acc)[] (%x: tensor<32x32xf32>) {
      pcf.write_slice %x into %O[0, 0] [32, 32] [1, 1] : tensor<32x32xf32> into !O
      pcf.cluster_yield
    } : (!T1)
    pcf.return
  }
  return %res : tensor<32x32xf32>
}
