// RUN: distaff-opt %s -pcf-specialize-producers -pcf-multi-buffer > %t.slots-last
// RUN: distaff-opt %s -pcf-multi-buffer -pcf-specialize-producers > %t.slots-first
// RUN: diff %t.slots-last %t.slots-first
// RUN: FileCheck %s < %t.slots-last
// RUN: distaff-opt %s -pcf-specialize-producers | FileCheck %s --check-prefix=ALONE
// RUN: distaff-opt %s -pcf-specialize-producers=producers=arg3 | FileCheck %s --check-prefix=ARGUMENT
// RUN: distaff-opt %s '-pcf-specialize-producers=producers=1 add-workers=false' | FileCheck %s --check-prefix=WITHIN
// RUN: distaff-opt %t.slots-last '-pcf-distribute=scope=#iree_gpu.subgroup_scope' | FileCheck %s --check-prefix=MEMBERS
// RUN: distaff-opt %t.slots-last '-pcf-distribute=scope=#iree_gpu.subgroup_scope' '-pcf-resolve-clusters=telescope-to=#iree_gpu.lane_scope' | FileCheck %s --check-prefix=CASES

// Stage 5 of chapter 8 as 7.1 has it: producers one step ahead, and one barrier
// per step (PCF-76). Which of the two passes comes first does not matter.

#wg  = #iree_codegen.workgroup_scope
#sg  = #iree_gpu.subgroup_scope
#ti  = #iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [256, 1, 1] subgroup_size = 64>
#mma = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>
#cfg = #iree_gpu.lowering_config<{workgroup = [256, 128, 0], reduction = [0, 0, 64], subgroup = [128, 64, 0], promote_operands = [0, 1], mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>}>
#left = affine_map<()[s0, s1] -> (s0 - s1, 0)>            // affine.max: extent - offset, never negative
!GA = !pcf.sref<?x?xf16, #wg>
!GC = !pcf.sref<?x?xf32, sync(#wg)>
!LA = !pcf.sref<256x64xf16, #sg>
!LB = !pcf.sref<64x128xf16, #sg>
!SG = !pcf.threadgroup<#sg>
!SGA = !pcf.threadgroup<#sg, {tensor<256x128xf32>}>

// CHECK: translation_info<pipeline = RunClusterDistribute workgroup_size = [512, 1, 1] subgroup_size = 64>
// CHECK-LABEL: func.func @copies
// CHECK: } -> (%[[LA:.*]]: !sref_2x256x64xf16_subgroup, %[[LB:.*]]: !sref_2x64x128xf16_subgroup) execute[%[[TG:.*]]: !subgroup_tg] {
// CHECK-NEXT: %[[P:.*]] = arith.constant 4 : index
// CHECK-NEXT: pcf.shared_executor.tile_group %[[TG]] ns(ws) split {{\[\[}}%[[P]]]] (%[[PROD:.*]]: !ws_prod, %[[CONS:.*]]: !ws_cons) {
// CHECK-NEXT: %[[ACC0:.*]] = pcf.shared_executor.run_cluster(%[[CONS]])[%[[P]]] () {
// CHECK: } : (!ws_cons) -> !ws_cons1
// CHECK: pcf.shared_executor.run_cluster(%[[PROD]])[%[[P]]] () {
// CHECK: pcf.write_slice %{{.*}} into
// CHECK: pcf.write_slice %{{.*}} into
// CHECK: } : (!ws_prod)
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[LA]], %[[LB]])
// CHECK-NEXT: %[[ACC:.*]] = scf.for {{.*}} iter_args(%[[IT:.*]] = %[[ACC0]]) -> (!ws_cons1) {
// CHECK: %[[CUR:.*]] = arith.remui
// CHECK: %[[NXT:.*]] = arith.remui
// CHECK: %[[MORE:.*]] = arith.cmpi slt
// CHECK-NEXT: pcf.shared_executor.run_cluster(%[[PROD]])[%[[P]]] () {
// CHECK-NEXT: scf.if %[[MORE]] {
// CHECK: pcf.subview %[[LA]][%[[NXT]], 0, 0]
// CHECK: pcf.subview %[[LB]][%[[NXT]], 0, 0]
// CHECK: } : (!ws_prod)
// CHECK-NEXT: %[[N:.*]] = pcf.shared_executor.run_cluster(%[[IT]])[%[[P]]] (%[[X:.*]]: tensor<256x128xf32>) {
// CHECK: pcf.subview %[[LA]][%[[CUR]], 0, 0]
// CHECK: pcf.subview %[[LB]][%[[CUR]], 0, 0]
// CHECK: linalg.matmul {{.*}} outs(%[[X]]
// CHECK: } : (!ws_cons1) -> !ws_cons1
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[LA]], %[[LB]])
// CHECK-NEXT: scf.yield %[[N]] : !ws_cons1
// CHECK-NEXT: }
// CHECK-NEXT: pcf.shared_executor.run_cluster(%[[ACC]])[%[[P]]] (%{{.*}}: tensor<256x128xf32>) {
// CHECK: } : (!ws_cons1)
// CHECK-NEXT: pcf.return
// CHECK-NEXT: } : !subgroup_tg
// CHECK-NEXT: pcf.return

// Both clusters have as many members as the split and the launch say: producers
// copy rows, consumers have the tiles of the configuration.
// MEMBERS-LABEL: func.func @copies
// MEMBERS: linalg.fill {{.*}} -> tensor<128x64xf32>
// MEMBERS: run_thread(%prod)
// MEMBERS: tensor.pad {{.*}}
// MEMBERS: to tensor<64x64xf16>
// MEMBERS: to tensor<16x128xf16>
// MEMBERS: linalg.matmul {{.*}} -> tensor<128x64xf32>

// An executor of lanes per case (PCF-65), and one barrier before the loop and one
// in it in each.
// CASES-LABEL: func.func @copies
// CASES: scf.index_switch
// CASES-NEXT: case 0 {
// CASES-NEXT: pcf.shared_executor scope(#iree_gpu.lane_scope)
// CASES: pcf.barrier(#iree_gpu.subgroup_scope)
// CASES-NEXT: scf.for
// CASES-NOT: linalg.matmul
// CASES: pcf.barrier(#iree_gpu.subgroup_scope)
// CASES: default {
// CASES: pcf.shared_executor scope(#iree_gpu.lane_scope)
// CASES-NOT: tensor.pad
// CASES: pcf.barrier(#iree_gpu.subgroup_scope)
// CASES-NEXT: scf.for
// CASES: linalg.matmul
// CASES: pcf.barrier(#iree_gpu.subgroup_scope)
// CASES-NOT: pcf.barrier
// CASES-NOT: tile_group

// Without slots nothing overlaps: both barriers stay.
// ALONE-LABEL: func.func @copies
// ALONE: tile_group
// ALONE: scf.for
// ALONE-NEXT: run_cluster(%prod)[%c4]
// ALONE: } : (!ws_prod)
// ALONE-NEXT: pcf.barrier
// ALONE-NEXT: run_cluster
// ALONE: } : (!ws_cons1) -> !ws_cons1
// ALONE-NEXT: pcf.barrier

// How many is an argument: the launch has what it had.
// ARGUMENT: workgroup_size = [256, 1, 1]
// ARGUMENT-LABEL: func.func @copies
// ARGUMENT-SAME: , %[[P:arg3]]: index)
// ARGUMENT: split {{\[\[}}%[[P]]]]
// ARGUMENT: run_cluster(%prod)[%[[P]]]

// WITHIN: workgroup_size = [256, 1, 1]
// WITHIN-LABEL: func.func @copies
// WITHIN: execute[%tg: !subgroup_tg] {
// WITHIN-NEXT: %[[P:.*]] = arith.constant 1 : index
// WITHIN-NEXT: pcf.shared_executor.tile_group %tg ns(ws) split {{\[\[}}%[[P]]]]
func.func @copies(%A: tensor<?x?xf16>, %B: tensor<?x?xf16>, %C: tensor<?x?xf32>, %p: index) -> tensor<?x?xf32> attributes {translation_info = #ti} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %cst = arith.constant 0.0 : f32
  %z16 = arith.constant 0.0 : f16
  %M = tensor.dim %A, %c0 : tensor<?x?xf16>   %K = tensor.dim %A, %c1 : tensor<?x?xf16>   %N = tensor.dim %B, %c1 : tensor<?x?xf16>
  %ntm = affine.apply affine_map<()[s0] -> (s0 ceildiv 256)>()[%M]   %ntn = affine.apply affine_map<()[s0] -> (s0 ceildiv 128)>()[%N]
  %r = pcf.loop scope(#wg) count(%ntn, %ntm)
    execute(%a <- %A : tensor<?x?xf16>, %b <- %B : tensor<?x?xf16>, %c = %C)[%in: index, %im: index]
    : (!GA, !GA, !GC) -> (tensor<?x?xf32>) {
    %om = arith.muli %im, %c256 : index   %on = arith.muli %in, %c128 : index   %lm = affine.max #left()[%M, %om]   %ll = affine.max #left()[%N, %on]
    %sm = arith.minsi %lm, %c256 : index   %sn = arith.minsi %ll, %c128 : index
    pcf.shared_executor scope(#sg)
      initialize { %pa = pcf.alloc() : !LA   %pb = pcf.alloc() : !LB   pcf.yield %pa, %pb : !LA, !LB } -> (%la: !LA, %lb: !LB)
      execute[%tg: !SG] {
      %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
        %e = tensor.empty() : tensor<256x128xf32>   %z = linalg.fill ins(%cst : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
        pcf.cluster_yield %z : tensor<256x128xf32> } : (!SG) -> !SGA
      %t1 = scf.for %k = %c0 to %K step %c64 iter_args(%it = %t0) -> (!SGA) {
        pcf.shared_executor.run_cluster(%tg)[] () {                                            // copy
          %lk = affine.max #left()[%K, %k]   %sk = arith.minsi %lk, %c64 : index   %pm = arith.subi %c256, %sm : index
          %pn = arith.subi %c128, %sn : index   %pk = arith.subi %c64, %sk : index
          %at = pcf.read_slice %a[%om, %k] [%sm, %sk] [1, 1] : !GA to tensor<?x?xf16>
          %bt = pcf.read_slice %b[%k, %on] [%sk, %sn] [1, 1] : !GA to tensor<?x?xf16>
          %ap = tensor.pad %at low[0, 0] high[%pm, %pk] { ^bb0(%i: index, %j: index): tensor.yield %z16 : f16 } : tensor<?x?xf16> to tensor<256x64xf16>
          %bp = tensor.pad %bt low[0, 0] high[%pk, %pn] { ^bb0(%i: index, %j: index): tensor.yield %z16 : f16 } : tensor<?x?xf16> to tensor<64x128xf16>
          pcf.write_slice %ap into %la[0, 0] [256, 64] [1, 1] : tensor<256x64xf16> into !LA
          pcf.write_slice %bp into %lb[0, 0] [64, 128] [1, 1] : tensor<64x128xf16> into !LB
          pcf.cluster_yield } : (!SG)
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
        %n = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<256x128xf32>) {                // compute
          %as = pcf.read_slice %la[0, 0] [256, 64] [1, 1] : !LA to tensor<256x64xf16>
          %bs = pcf.read_slice %lb[0, 0] [64, 128] [1, 1] : !LB to tensor<64x128xf16>
          %m = linalg.matmul {lowering_config = #cfg} ins(%as, %bs : tensor<256x64xf16>, tensor<64x128xf16>) outs(%x : tensor<256x128xf32>) -> tensor<256x128xf32>
          pcf.cluster_yield %m : tensor<256x128xf32> } : (!SGA) -> !SGA
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
        scf.yield %n : !SGA }
      pcf.shared_executor.run_cluster(%t1)[] (%x: tensor<256x128xf32>) {
        %s = tensor.extract_slice %x[0, 0] [%sm, %sn] [1, 1] : tensor<256x128xf32> to tensor<?x?xf32>
        pcf.write_slice %s into %c[%om, %on] [%sm, %sn] [1, 1] : tensor<?x?xf32> into !GC
        pcf.cluster_yield } : (!SGA)
      pcf.return
    }
    pcf.return
  }
  return %r : tensor<?x?xf32>
}
