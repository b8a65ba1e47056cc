// RUN: distaff-opt %s --pcf-split-threadgroup --canonicalize --cse | FileCheck %s
// RUN: distaff-opt %s '--pcf-split-threadgroup=names=a,b,c,d ns=all dim=2' | FileCheck %s --check-prefix=FOUR
// RUN: not distaff-opt %s --pcf-split-threadgroup=split=0 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: not distaff-opt %s --pcf-split-threadgroup=split=4 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: not distaff-opt %s --pcf-split-threadgroup=names=a,a 2>&1 | FileCheck %s --check-prefix=NAMES
// RUN: not distaff-opt %s --pcf-split-threadgroup=names=a-b,c 2>&1 | FileCheck %s --check-prefix=NAMES
// RUN: not distaff-opt %s '--pcf-split-threadgroup=split=1,2' 2>&1 | FileCheck %s --check-prefix=POINTS
// RUN: not distaff-opt %s --pcf-split-threadgroup=dim=0 2>&1 | FileCheck %s --check-prefix=DIM

#sg  = #iree_gpu.subgroup_scope
!GA = !pcf.sref<1x256x?xf16, #sg>
!GB = !pcf.sref<1x?x128xf16, #sg>
!GC = !pcf.sref<1x256x128xf32, sync(#sg)>
!LA = !pcf.sref<2x256x32xf16, #sg>
!LB = !pcf.sref<2x32x128xf16, #sg>
!T0 = !pcf.threadgroup<#sg>
!T1 = !pcf.threadgroup<#sg, {tensor<1x256x128xf32>}>
!T3 = !pcf.threadgroup<#sg, {tensor<1x256x128xf32>, tensor<1x256x32xf16>, tensor<1x32x128xf16>}>
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>

// PCF-77: the collective kernel of chapter 7 becomes the one that is split in two:
// each cluster has half the rows of C, and copies half the rows of A and of B.
// CHECK-DAG: ![[E1:.*]] = !pcf.cluster<#iree_gpu.subgroup_scope, (0 -> d0), shared: {tensor<1x128x128xf32>}, pp.even>
// CHECK-DAG: ![[E3:.*]] = !pcf.cluster<#iree_gpu.subgroup_scope, (0 -> d0), shared: {tensor<1x128x128xf32>, tensor<1x128x32xf16>, tensor<1x32x128xf16>}, pp.even>
// CHECK-DAG: ![[O1:.*]] = !pcf.cluster<#iree_gpu.subgroup_scope, (d0 -> s0), shared: {tensor<1x128x128xf32>}, pp.odd>
// CHECK-DAG: ![[O3:.*]] = !pcf.cluster<#iree_gpu.subgroup_scope, (d0 -> s0), shared: {tensor<1x128x128xf32>, tensor<1x128x32xf16>, tensor<1x32x128xf16>}, pp.odd>
// CHECK-LABEL: @v1_collective
// CHECK-DAG: %[[TWO:.*]] = arith.constant 2
// CHECK: execute(%[[A:.*]] <- %{{.*}}, %[[B:.*]] <- %{{.*}}, %[[O:.*]] = %
// CHECK: %[[ALL:.*]] = gpu.num_subgroups
// CHECK: %[[H:.*]] = arith.{{shrui|divui}} %[[ALL]]
// CHECK: tile_group %{{.*}} ns(pp) split {{\[\[}}%[[H]]]] (%[[EVEN:.*]]: !pp_even, %[[ODD:.*]]: !pp_odd)
// CHECK: %[[EA:.*]] = pcf.shared_executor.run_cluster(%[[EVEN]])[%[[H]]] ()
// CHECK: read_slice %[[A]][0, 0, 0] [1, 128, 32]
// CHECK: read_slice %[[B]][0, 0, 0] [1, 16, 128]
// CHECK: write_slice %{{.*}} into %[[LA:.*]][0, 0, 0] [1, 128, 32]
// CHECK: write_slice %{{.*}} into %[[LB:.*]][0, 0, 0] [1, 16, 128]
// CHECK: -> ![[E1]]
// CHECK: %[[OA:.*]] = pcf.shared_executor.run_cluster(%[[ODD]])[%[[H]]] ()
// CHECK: read_slice %[[A]][0, 128, 0] [1, 128, 32]
// CHECK: read_slice %[[B]][0, 16, 0] [1, 16, 128]
// CHECK: write_slice %{{.*}} into %[[LA]][0, 128, 0] [1, 128, 32]
// CHECK: write_slice %{{.*}} into %[[LB]][0, 16, 0] [1, 16, 128]
// CHECK: -> ![[O1]]
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[LA]], %[[LB]])
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[E:.*]] = %[[EA]], %[[OIT:.*]] = %[[OA]]) -> (![[E1]], ![[O1]])
// CHECK: %[[KO:.*]] = arith.muli
// CHECK: %[[EM:.*]] = pcf.shared_executor.run_cluster(%[[E]])[%[[H]]] (%[[X:.*]]: tensor<1x128x128xf32>)
// CHECK: scf.if
// CHECK: read_slice %[[B]][0, %[[KO]], 0] [1, 16, 128]
// CHECK: %[[BV:.*]] = pcf.read_slice %[[LB]][%{{.*}}, 0, 0] [1, 32, 128]
// CHECK: pcf.cluster_yield %[[X]], %{{.*}}, %[[BV]]
// CHECK: -> ![[E3]]
// CHECK: %[[KO16:.*]] = arith.addi %[[KO]], %c16
// CHECK: %[[OM:.*]] = pcf.shared_executor.run_cluster(%[[OIT]])[%[[H]]]
// CHECK: scf.if
// CHECK: read_slice %[[A]][0, 128, %[[KO]]] [1, 128, 32]
// CHECK: read_slice %[[B]][0, %[[KO16]], 0] [1, 16, 128]
// CHECK: read_slice %[[LA]][%{{.*}}, 128, 0] [1, 128, 32]
// CHECK: read_slice %[[LB]][%{{.*}}, 0, 0] [1, 32, 128]
// CHECK: -> ![[O3]]
// CHECK: pcf.barrier
// CHECK: run_cluster(%[[EM]])
// CHECK: linalg.batch_matmul {{.*}} -> tensor<1x128x128xf32>
// CHECK: run_cluster(%[[OM]])
// CHECK: linalg.batch_matmul {{.*}} -> tensor<1x128x128xf32>
// CHECK: pcf.barrier
// CHECK: run_cluster(%[[R]]#0)
// CHECK: write_slice %{{.*}} into %[[O]][0, 0, 0] [1, 128, 128]
// CHECK: run_cluster(%[[R]]#1)
// CHECK: write_slice %{{.*}} into %[[O]][0, 128, 0] [1, 128, 128]
// CHECK-NOT: pcf.barrier

// NOBODY: cannot be split at worker {{[04]}}: every cluster of the 4 workers needs one
// NAMES: cannot be split{{.*('a-b' is no identifier|two are named 'a')}}
// POINTS: is split at 2 points, which does not make 2 clusters
// DIM: dimension 0 of tensor<1x256x128xf32> is not a multiple of 2

// Along columns all clusters need all of A's panel and a part of B's.
// FOUR-DAG: (d0 -> d1), all.b>
// FOUR-DAG: (d2 -> s0), all.d>
// FOUR: ns(all) split {{\[\[}}%{{.*}}, %{{.*}}, %{{.*}}]]
// FOUR: linalg.batch_matmul ins(%{{.*}} : tensor<1x256x32xf16>, tensor<1x32x32xf16>) outs(%{{.*}} : tensor<1x256x32xf32>)
func.func @v1_collective(%lhs: tensor<1x256x?xf16>, %rhs: tensor<1x?x128xf16>, %out3: tensor<1x256x128xf32>, %nk: index) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %res = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !LA   %b = pcf.alloc() : !LB   pcf.yield %a, %b : !LA, !LB } -> (%la: !LA, %lb: !LB)
    execute(%A <- %lhs : tensor<1x256x?xf16>, %B <- %rhs : tensor<1x?x128xf16>, %O = %out3)[%tg: !pcf.threadgroup<#sg>]
    : (!GA, !GB, !GC) -> (tensor<1x256x128xf32>) {
    %acc0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %a = pcf.read_slice %A[0, 0, 0] [1, 256, 32] [1, 1, 1] : !GA to tensor<1x256x32xf16>
      %b = pcf.read_slice %B[0, 0, 0] [1, 32, 128] [1, 1, 1] : !GB to tensor<1x32x128xf16>
      pcf.write_slice %a into %la[0, 0, 0] [1, 256, 32] [1, 1, 1] : tensor<1x256x32xf16> into !LA
      pcf.write_slice %b into %lb[0, 0, 0] [1, 32, 128] [1, 1, 1] : tensor<1x32x128xf16> into !LB
      %z = arith.constant dense<0.0> : tensor<1x256x128xf32>
      pcf.cluster_yield %z : tensor<1x256x128xf32> } : (!T0) -> !T1
    pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
    %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%it = %acc0) -> (!T1) {
      %cur = arith.remui %k, %c2 : index   %k1 = arith.addi %k, %c1 : index   %nxt = arith.remui %k1, %c2 : index
      %more = arith.cmpi ult, %k1, %nk : index   %ko = arith.muli %k1, %c32 : index
      %ops = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<1x256x128xf32>) {                       // M(k)
        scf.if %more {
          %a = pcf.read_slice %A[0, 0, %ko] [1, 256, 32] [1, 1, 1] : !GA to tensor<1x256x32xf16>
          %b = pcf.read_slice %B[0, %ko, 0] [1, 32, 128] [1, 1, 1] : !GB to tensor<1x32x128xf16>
          pcf.write_slice %a into %la[%nxt, 0, 0] [1, 256, 32] [1, 1, 1] : tensor<1x256x32xf16> into !LA
          pcf.write_slice %b into %lb[%nxt, 0, 0] [1, 32, 128] [1, 1, 1] : tensor<1x32x128xf16> into !LB
        }
        %av = pcf.read_slice %la[%cur, 0, 0] [1, 256, 32] [1, 1, 1] : !LA to tensor<1x256x32xf16>
        %bv = pcf.read_slice %lb[%cur, 0, 0] [1, 32, 128] [1, 1, 1] : !LB to tensor<1x32x128xf16>
        pcf.cluster_yield %x, %av, %bv : tensor<1x256x128xf32>, tensor<1x256x32xf16>, tensor<1x32x128xf16> } : (!T1) -> !T3
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      %n = pcf.shared_executor.run_cluster(%ops)[] (%x: tensor<1x256x128xf32>, %a: tensor<1x256x32xf16>, %b: tensor<1x32x128xf16>) {   // C(k)
        %y = linalg.batch_matmul ins(%a, %b : tensor<1x256x32xf16>, tensor<1x32x128xf16>) outs(%x : tensor<1x256x128xf32>) -> tensor<1x256x128xf32>
        pcf.cluster_yield %y : tensor<1x256x128xf32> } : (!T3) -> !T1
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      scf.yield %n : !T1 }
    pcf.shared_executor.run_cluster(%acc)[] (%x: tensor<1x256x128xf32>) {
      pcf.write_slice %x into %O[0, 0, 0] [1, 256, 128] [1, 1, 1] : tensor<1x256x128xf32> into !GC
      pcf.cluster_yield } : (!T1)
    pcf.return
  }
  return
}
