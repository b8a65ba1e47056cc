// RUN: distaff-opt %s --pcf-peel=front=0 | FileCheck %s
// RUN: distaff-opt %s --pcf-peel --pcf-verify-barriers | FileCheck %s --check-prefix=BOTH

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

// PCF-77, PCF-79: of the sheared kernel the last iteration is by itself. It moves
// nothing any more, and odd always moves in the loop; even still looks ahead.
// CHECK-LABEL: @v3_sheared
// CHECK-SAME: %[[NK:[^,]*]]: index, %{{[^,]*}}: index)
// CHECK: %[[LAST:.*]] = arith.subi %[[NK]], %c1
// CHECK: %[[R:.*]]:2 = scf.for %{{.*}} = %c0 to %[[LAST]] step %c1
// CHECK-NOT: scf.if
// CHECK: pcf.barrier
// CHECK: scf.if
// CHECK-NOT: scf.if
// CHECK: pcf.barrier
// CHECK: scf.yield
// CHECK: %[[SOME:.*]] = arith.cmpi sge, %[[LAST]], %c0
// CHECK: %[[S:.*]]:2 = scf.if %[[SOME]]
// CHECK-NOT: scf.if
// CHECK: run_cluster(%[[R]]#0)
// CHECK-NOT: scf.if
// CHECK: pcf.barrier
// CHECK-NOT: scf.if
// CHECK: pcf.barrier
// CHECK: } else {
// CHECK: scf.yield %[[R]]#0, %[[R]]#1
// CHECK: run_cluster(%[[S]]#0)
// CHECK: run_cluster(%[[S]]#1)

// BOTH-LABEL: @v3_sheared
// BOTH: %[[F:.*]]:2 = scf.if
// BOTH: %[[M:.*]]:2 = scf.for {{.*}} iter_args(%{{.*}} = %[[F]]#0, %{{.*}} = %[[F]]#1)
// BOTH: %[[B:.*]]:2 = scf.if
// BOTH: run_cluster(%[[M]]#0)
// BOTH: run_cluster(%[[B]]#0)
func.func @v3_sheared(%lhs: tensor<1x256x?xf16>, %rhs: tensor<1x?x128xf16>, %out3: tensor<1x256x128xf32>, %nk: index, %h: index) {
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
      %one = arith.cmpi ugt, %nk, %c1 : index
      %ep = pcf.shared_executor.run_cluster(%ea0)[%h] (%x: tensor<1x128x128xf32>) {                       // M_even(0), peeled
        scf.if %one {
          %a = pcf.read_slice %A[0, 0, 32] [1, 128, 32] [1, 1, 1] : !GA to tensor<1x128x32xf16>
          %b = pcf.read_slice %B[0, 32, 0] [1, 16, 128] [1, 1, 1] : !GB to tensor<1x16x128xf16>
          pcf.write_slice %a into %la[1, 0, 0] [1, 128, 32] [1, 1, 1] : tensor<1x128x32xf16> into !LA
          pcf.write_slice %b into %lb[1, 0, 0] [1, 16, 128] [1, 1, 1] : tensor<1x16x128xf16> into !LB
        }
        %av = pcf.read_slice %la[0, 0, 0] [1, 128, 32] [1, 1, 1] : !LA to tensor<1x128x32xf16>
        %bv = pcf.read_slice %lb[0, 0, 0] [1, 32, 128] [1, 1, 1] : !LB to tensor<1x32x128xf16>
        pcf.cluster_yield %x, %av, %bv : tensor<1x128x128xf32>, tensor<1x128x32xf16>, tensor<1x32x128xf16> } : (!E1) -> !E3
      pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      %r:2 = scf.for %k = %c0 to %nk step %c1 iter_args(%e = %ep, %o = %oa0) -> (!E3, !O1) {
        %cur = arith.remui %k, %c2 : index   %k1 = arith.addi %k, %c1 : index   %k2 = arith.addi %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index   %more = arith.cmpi ult, %k1, %nk : index   %more2 = arith.cmpi ult, %k2, %nk : index
        %ko = arith.muli %k1, %c32 : index   %ko16 = arith.addi %ko, %c16 : index   %ko2 = arith.muli %k2, %c32 : index
        %e1 = pcf.shared_executor.run_cluster(%e)[%h] (%x: tensor<1x128x128xf32>, %a: tensor<1x128x32xf16>, %b: tensor<1x32x128xf16>) {     // slot 2k: C_even(k)
          %y = linalg.batch_matmul ins(%a, %b : tensor<1x128x32xf16>, tensor<1x32x128xf16>) outs(%x : tensor<1x128x128xf32>) -> tensor<1x128x128xf32>
          pcf.cluster_yield %y : tensor<1x128x128xf32> } : (!E3) -> !E1
        %o1 = pcf.shared_executor.run_cluster(%o)[%h] (%x: tensor<1x128x128xf32>) {                       // slot 2k: M_odd(k)
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
        %e2 = pcf.shared_executor.run_cluster(%e1)[%h] (%x: tensor<1x128x128xf32>) {                      // slot 2k+1: M_even(k+1)
          scf.if %more2 {
            %a = pcf.read_slice %A[0, 0, %ko2] [1, 128, 32] [1, 1, 1] : !GA to tensor<1x128x32xf16>
            %b = pcf.read_slice %B[0, %ko2, 0] [1, 16, 128] [1, 1, 1] : !GB to tensor<1x16x128xf16>
            pcf.write_slice %a into %la[%cur, 0, 0] [1, 128, 32] [1, 1, 1] : tensor<1x128x32xf16> into !LA
            pcf.write_slice %b into %lb[%cur, 0, 0] [1, 16, 128] [1, 1, 1] : tensor<1x16x128xf16> into !LB
          }
          %av = pcf.read_slice %la[%nxt, 0, 0] [1, 128, 32] [1, 1, 1] : !LA to tensor<1x128x32xf16>
          %bv = pcf.read_slice %lb[%nxt, 0, 0] [1, 32, 128] [1, 1, 1] : !LB to tensor<1x32x128xf16>
          pcf.cluster_yield %x, %av, %bv : tensor<1x128x128xf32>, tensor<1x128x32xf16>, tensor<1x32x128xf16> } : (!E1) -> !E3
        %o2 = pcf.shared_executor.run_cluster(%o1)[%h] (%x: tensor<1x128x128xf32>, %a: tensor<1x128x32xf16>, %b: tensor<1x32x128xf16>) {    // slot 2k+1: C_odd(k)
          %y = linalg.batch_matmul ins(%a, %b : tensor<1x128x32xf16>, tensor<1x32x128xf16>) outs(%x : tensor<1x128x128xf32>) -> tensor<1x128x128xf32>
          pcf.cluster_yield %y : tensor<1x128x128xf32> } : (!O3) -> !O1
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
        scf.yield %e2, %o2 : !E3, !O1 }
      pcf.shared_executor.run_cluster(%r#0)[%h] (%x: tensor<1x128x128xf32>, %a: tensor<1x128x32xf16>, %b: tensor<1x32x128xf16>) {
        pcf.write_slice %x into %O[0, 0, 0] [1, 128, 128] [1, 1, 1] : tensor<1x128x128xf32> into !GC
        pcf.cluster_yield } : (!E3)
      pcf.shared_executor.run_cluster(%r#1)[%h] (%x: tensor<1x128x128xf32>) {
        pcf.write_slice %x into %O[0, 128, 0] [1, 128, 128] [1, 1, 1] : tensor<1x128x128xf32> into !GC
        pcf.cluster_yield } : (!O1)
      pcf.return
    } : !T0
    pcf.return
  }
  return
}
