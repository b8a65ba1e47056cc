// RUN: distaff-opt %s --pcf-skew-cluster --canonicalize --cse | FileCheck %s
// RUN: distaff-opt %s --pcf-skew-cluster=cluster=pp.odd | FileCheck %s --check-prefix=ODD
// RUN: not distaff-opt %s --pcf-skew-cluster=steps=2 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not distaff-opt %s --pcf-skew-cluster=steps=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: distaff-opt %s --pcf-skew-cluster --pcf-distribute --pcf-resolve-clusters --canonicalize --cse | FileCheck %s --check-prefix=ADJACENT

#sg  = #iree_gpu.subgroup_scope
!GA = !pcf.sref<1x256x?xf16, #sg>
!GB = !pcf.sref<1x?x128xf16, #sg>
!GC = !pcf.sref<1x256x128xf32, sync(#sg)>
!LA = !pcf.sref<2x256x32xf16, #sg>
!LB = !pcf.sref<2x32x128xf16, #sg>
!T0 = !pcf.threadgroup<#sg>
!E0 = !pcf.cluster<#sg, (0 -> d0), pp.even>
!O0 = !pcf.cluster<#sg, (d0 -> s0), pp.odd>
!E1 = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x128x128xf32>}, pp.even>
!O1 = !pcf.cluster<#sg, (d0 -> s0), shared: {tensor<1x128x128xf32>}, pp.odd>
!E3 = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x128x128xf32>, tensor<1x128x32xf16>, tensor<1x32x128xf16>}, pp.even>
!O3 = !pcf.cluster<#sg, (d0 -> s0), shared: {tensor<1x128x128xf32>, tensor<1x128x32xf16>, tensor<1x32x128xf16>}, pp.odd>

// PCF-78: the kernel that is split in two becomes the one in which one half
// computes while the other moves data. Even's first move stands in front of the
// loop, and guards look one panel further.
// CHECK-LABEL: @v2_split
// CHECK-SAME: %[[NK:[^,]*]]: index, %[[H:[^,]*]]: index)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0
// CHECK-DAG: %[[C1:.*]] = arith.constant 1
// CHECK-DAG: %[[C2:.*]] = arith.constant 2
// CHECK: %[[EA:.*]] = pcf.shared_executor.run_cluster(%even)
// CHECK: %[[OA:.*]] = pcf.shared_executor.run_cluster(%odd)
// CHECK: pcf.barrier
// CHECK: %[[ONE:.*]] = arith.cmpi ugt, %[[NK]], %[[C1]]
// CHECK: %[[EP:.*]] = pcf.shared_executor.run_cluster(%[[EA]])
// CHECK: scf.if %[[ONE]]
// CHECK: read_slice %{{.*}}[0, 0, 32] [1, 128, 32]
// CHECK: read_slice %{{.*}}[0, 32, 0] [1, 16, 128]
// CHECK: write_slice %{{.*}} into %[[LA:.*]][1, 0, 0]
// CHECK: write_slice %{{.*}} into %[[LB:.*]][1, 0, 0]
// CHECK: read_slice %[[LA]][0, 0, 0]
// CHECK: read_slice %[[LB]][0, 0, 0]
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[LA]], %[[LB]])
// CHECK: %[[R:.*]]:2 = scf.for %[[K:.*]] = %[[C0]] to %[[NK]] step %[[C1]] iter_args(%[[E:.*]] = %[[EP]], %[[O:.*]] = %[[OA]])
// CHECK-DAG: %[[CUR:.*]] = arith.remui %[[K]], %[[C2]]
// CHECK-DAG: %[[K1:.*]] = arith.addi %[[K]], %[[C1]]
// CHECK-DAG: %[[NXT:.*]] = arith.remui %[[K1]], %[[C2]]
// CHECK-DAG: %[[MORE:.*]] = arith.cmpi ult, %[[K1]], %[[NK]]
// CHECK-DAG: %[[K2:.*]] = arith.addi %[[K]], %[[C2]]
// CHECK-DAG: %[[MORE2:.*]] = arith.cmpi ult, %[[K2]], %[[NK]]
// CHECK-DAG: %[[KO2:.*]] = arith.muli %[[K2]]
// CHECK: %[[E1:.*]] = pcf.shared_executor.run_cluster(%[[E]])
// CHECK: linalg.batch_matmul
// CHECK: %[[O1:.*]] = pcf.shared_executor.run_cluster(%[[O]])
// CHECK: scf.if %[[MORE]]
// CHECK: write_slice %{{.*}} into %[[LA]][%[[NXT]], 128, 0]
// CHECK: read_slice %[[LA]][%[[CUR]], 128, 0]
// CHECK: pcf.barrier
// CHECK: %[[E2:.*]] = pcf.shared_executor.run_cluster(%[[E1]])
// CHECK: scf.if %[[MORE2]]
// CHECK: read_slice %{{.*}}[0, 0, %[[KO2]]]
// CHECK: write_slice %{{.*}} into %[[LA]][%[[CUR]], 0, 0]
// CHECK: read_slice %[[LA]][%[[NXT]], 0, 0]
// CHECK: %[[O2:.*]] = pcf.shared_executor.run_cluster(%[[O1]])
// CHECK: linalg.batch_matmul
// CHECK: pcf.barrier
// CHECK: scf.yield %[[E2]], %[[O2]]
// CHECK: run_cluster(%[[R]]#0)[%[[H]]] (%[[X:.*]]: tensor<1x128x128xf32>, %{{.*}}: tensor<1x128x32xf16>, %{{.*}}: tensor<1x32x128xf16>)
// CHECK: write_slice %[[X]]

// TWO: skew by 2 breaks the order of the write of pp.even and the read of pp.odd
// NONE: 'pcf.shared_executor.tile_group' op cannot be skewed by 0 steps; it takes at least one

// PCF-80: where even moves ahead, odd waits twice in a row.
// ADJACENT: default {
// ADJACENT: pcf.write_slice
// ADJACENT: pcf.barrier
// ADJACENT-NEXT: pcf.barrier
// ADJACENT-NEXT: scf.for

// ODD: scf.for {{.*}} -> (!pp_even1, !pp_odd2)
func.func @v2_split(%lhs: tensor<1x256x?xf16>, %rhs: tensor<1x?x128xf16>, %out3: tensor<1x256x128xf32>, %nk: index, %h: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %res = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !LA   %b = pcf.alloc() : !LB   pcf.yield %a, %b : !LA, !LB } -> (%la: !LA, %lb: !LB)
    execute(%A <- %lhs : tensor<1x256x?xf16>, %B <- %rhs : tensor<1x?x128xf16>, %O = %out3)[%tg: !pcf.threadgroup<#sg>]
    : (!GA, !GB, !GC) -> (tensor<1x256x128xf32>) {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%h]] (%even: !E0, %odd: !O0) {
      %ea0 = pcf.shared_executor.run_cluster(%even)[%h] () {
        %a = pcf.read_slice %A[0, 0, 0] [1, 128, 32] [1, 1, 1] : !GA to tensor<1x128x32xf16>
        %b = pcf.read_slice %B[0, 0, 0] [1, 16, 128] [1, 1, 1] : !GB to tensor<1x16x128xf16>
        pcf.write_slice %a into %la[0, 0, 0] [1, 128, 32] [1, 1, 1] : tensor<1x128x32xf16> into !LA
        pcf.write_slice %b into %lb[0, 0, 0] [1, 16, 128] [1, 1, 1] : tensor<1x16x128xf16> into !LB
        %z = arith.constant dense<0.0> : tensor<1x128x128xf32>
        pcf.cluster_yield %z : tensor<1x128x128xf32> } : (!E0) -> !E1
      %oa0 = pcf.shared_executor.run_cluster(%odd)[%h] () {
        %a = pcf.read_slice %A[0, 128, 0] [1, 128, 32] [1, 1, 1] : !GA to tensor<1x128x32xf16>
        %b = pcf.read_slice %B[0, 16, 0] [1, 16, 128] [1, 1, 1] : !GB to tensor<1x16x128xf16>
        pcf.write_slice %a into %la[0, 128, 0] [1, 128, 32] [1, 1, 1] : tensor<1x128x32xf16> into !LA
        pcf.write_slice %b into %lb[0, 16, 0] [1, 16, 128] [1, 1, 1] : tensor<1x16x128xf16> into !LB
        %z = arith.constant dense<0.0> : tensor<1x128x128xf32>
        pcf.cluster_yield %z : tensor<1x128x128xf32> } : (!O0) -> !O1
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      %r:2 = scf.for %k = %c0 to %nk step %c1 iter_args(%e = %ea0, %o = %oa0) -> (!E1, !O1) {
        %cur = arith.remui %k, %c2 : index   %k1 = arith.addi %k, %c1 : index   %nxt = arith.remui %k1, %c2 : index
        %more = arith.cmpi ult, %k1, %nk : index   %ko = arith.muli %k1, %c32 : index   %ko16 = arith.addi %ko, %c16 : index
        %e1 = pcf.shared_executor.run_cluster(%e)[%h] (%x: tensor<1x128x128xf32>) {                     // M_even(k)
          scf.if %more {
            %a = pcf.read_slice %A[0, 0, %ko] [1, 128, 32] [1, 1, 1] : !GA to tensor<1x128x32xf16>
            %b = pcf.read_slice %B[0, %ko, 0] [1, 16, 128] [1, 1, 1] : !GB to tensor<1x16x128xf16>
            pcf.write_slice %a into %la[%nxt, 0, 0] [1, 128, 32] [1, 1, 1] : tensor<1x128x32xf16> into !LA
            pcf.write_slice %b into %lb[%nxt, 0, 0] [1, 16, 128] [1, 1, 1] : tensor<1x16x128xf16> into !LB
          }
          %av = pcf.read_slice %la[%cur, 0, 0] [1, 128, 32] [1, 1, 1] : !LA to tensor<1x128x32xf16>
          %bv = pcf.read_slice %lb[%cur, 0, 0] [1, 32, 128] [1, 1, 1] : !LB to tensor<1x32x128xf16>
          pcf.cluster_yield %x, %av, %bv : tensor<1x128x128xf32>, tensor<1x128x32xf16>, tensor<1x32x128xf16> } : (!E1) -> !E3
        %o1 = pcf.shared_executor.run_cluster(%o)[%h] (%x: tensor<1x128x128xf32>) {                     // M_odd(k)
          scf.if %more {
            %a = pcf.read_slice %A[0, 128, %ko] [1, 128, 32] [1, 1, 1] : !GA to tensor<1x128x32xf16>
            %b = pcf.read_slice %B[0, %ko16, 0] [1, 16, 128] [1, 1, 1] : !GB to tensor<1x16x128xf16>
            pcf.write_slice %a into %la[%nxt, 128, 0] [1, 128, 32] [1, 1, 1] : tensor<1x128x32xf16> into !LA
            pcf.write_slice %b into %lb[%nxt, 16, 0] [1, 16, 128] [1, 1, 1] : tensor<1x16x128xf16> into !LB
          }
          %av = pcf.read_slice %la[%cur, 128, 0] [1, 128, 32] [1, 1, 1] : !LA to tensor<1x128x32xf16>
          %bv = pcf.read_slice %lb[%cur, 0, 0] [1, 32, 128] [1, 1, 1] : !LB to tensor<1x32x128xf16>
          pcf.cluster_yield %x, %av, %bv : tensor<1x128x128xf32>, tensor<1x128x32xf16>, tensor<1x32x128xf16> } : (!O1) -> !O3
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
        %e2 = pcf.shared_executor.run_cluster(%e1)[%h] (%x: tensor<1x128x128xf32>, %a: tensor<1x128x32xf16>, %b: tensor<1x32x128xf16>) {   // C_even(k)
          %y = linalg.batch_matmul ins(%a, %b : tensor<1x128x32xf16>, tensor<1x32x128xf16>) outs(%x : tensor<1x128x128xf32>) -> tensor<1x128x128xf32>
          pcf.cluster_yield %y : tensor<1x128x128xf32> } : (!E3) -> !E1
        %o2 = pcf.shared_executor.run_cluster(%o1)[%h] (%x: tensor<1x128x128xf32>, %a: tensor<1x128x32xf16>, %b: tensor<1x32x128xf16>) {   // C_odd(k)
          %y = linalg.batch_matmul ins(%a, %b : tensor<1x128x32xf16>, tensor<1x32x128xf16>) outs(%x : tensor<1x128x128xf32>) -> tensor<1x128x128xf32>
          pcf.cluster_yield %y : tensor<1x128x128xf32> } : (!O3) -> !O1
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
        scf.yield %e2, %o2 : !E1, !O1 }
      pcf.shared_executor.run_cluster(%r#0)[%h] (%x: tensor<1x128x128xf32>) {
        pcf.write_slice %x into %O[0, 0, 0] [1, 128, 128] [1, 1, 1] : tensor<1x128x128xf32> into !GC
        pcf.cluster_yield } : (!E1)
      pcf.shared_executor.run_cluster(%r#1)[%h] (%x: tensor<1x128x128xf32>) {
        pcf.write_slice %x into %O[0, 128, 0] [1, 128, 128] [1, 1, 1] : tensor<1x128x128xf32> into !GC
        pcf.cluster_yield } : (!O1)
      pcf.return
    } : !T0
    pcf.return
  }
  return
}
