// RUN: distaff-opt %s -pcf-distribute='scope=#iree_gpu.subgroup_scope' -cse | FileCheck %s
// RUN: distaff-opt %s -pcf-distribute='scope=#iree_gpu.subgroup_scope' -pcf-resolve-clusters='telescope-to=#iree_gpu.lane_scope' -cse | FileCheck %s --check-prefix=LANES

// From stage 5 of chapter 8 to stage 6 (PCF-85): a class of 256x128 is 128x64
// for each of 2x2 subgroups, as the contraction's configuration has it; what is
// copied is split by rows, 64 of A and 16 of B.

#seq = #pcf.sequential
#wg  = #iree_codegen.workgroup_scope
#wgl = #iree_codegen.workgroup_scope<linearize>
#sg  = #iree_gpu.subgroup_scope
#ln  = #iree_gpu.lane_scope
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
!LN = !pcf.threadgroup<#ln>
!LNA = !pcf.threadgroup<#ln, {tensor<128x64xf32>}>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#nvmma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
#ws = #gpu.address_space<workgroup>

// CHECK-DAG: #[[LEFT64:.*]] = affine_map<()[s0, s1] -> (s0 - s1 * 64, 0)>
// CHECK-DAG: #[[LEFT16:.*]] = affine_map<()[s0, s1] -> (s0 - s1 * 16, 0)>
// CHECK-DAG: #[[AT64:.*]] = affine_map<()[s0, s1] -> (s0 + s1 * 64)>
// CHECK-DAG: #[[AT16:.*]] = affine_map<()[s0, s1] -> (s0 + s1 * 16)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<()[s0] -> ((s0 floordiv 2) * 128)>
// CHECK-DAG: #[[COL:.*]] = affine_map<()[s0] -> (s0 * 64 - (s0 floordiv 2) * 128)>
// CHECK: pcf.shared_executor scope(#iree_gpu.subgroup_scope) initialize {
// CHECK: run_thread(%{{.*}})[] () [%{{.*}}: index] {
// CHECK:   linalg.fill {{.*}} -> tensor<128x64xf32>
// CHECK: scf.for %[[K:.*]] = {{.*}} iter_args
// CHECK:   run_thread(%{{.*}})[] () [%[[ID:.*]]: index] {
// CHECK:     %[[GM:.*]] = affine.apply #[[AT64]]()[%[[OM:.*]], %[[ID]]]
// CHECK:     %[[LM:.*]] = affine.max #[[LEFT64]]()[%[[SM:.*]], %[[ID]]]
// CHECK:     %[[VM:.*]] = affine.min #{{.*}}()[%[[LM]]]
// CHECK:     %[[A:.*]] = pcf.read_slice %{{.*}}[%[[GM]], %[[K]]] [%[[VM]], %{{.*}}] [1, 1]
// CHECK:     %[[GK:.*]] = affine.apply #[[AT16]]()[%[[K]], %[[ID]]]
// CHECK:     %[[LK:.*]] = affine.max #[[LEFT16]]()[%{{.*}}, %[[ID]]]
// CHECK:     %[[VK:.*]] = affine.min #{{.*}}()[%[[LK]]]
// CHECK:     %[[B:.*]] = pcf.read_slice %{{.*}}[%[[GK]], %{{.*}}] [%[[VK]], %{{.*}}] [1, 1]
// CHECK:     tensor.pad %[[A]]
// CHECK:     tensor<?x?xf16> to tensor<64x64xf16>
// CHECK:     tensor.pad %[[B]]
// CHECK:     tensor<?x?xf16> to tensor<16x128xf16>
// CHECK:   pcf.barrier
// CHECK:   run_thread(%{{.*}})[] (%[[X:.*]]: tensor<128x64xf32>) [%[[ID:.*]]: index] {
// CHECK:     %[[R:.*]] = affine.apply #[[ROW]]()[%[[ID]]]
// CHECK:     %[[AS:.*]] = pcf.read_slice %{{.*}}[%[[R]], 0] [128, 64] [1, 1]
// CHECK:     %[[C:.*]] = affine.apply #[[COL]]()[%[[ID]]]
// CHECK:     %[[BS:.*]] = pcf.read_slice %{{.*}}[0, %[[C]]] [64, 64] [1, 1]
// CHECK:     linalg.matmul {{.*}} ins(%[[AS]], %[[BS]] : tensor<128x64xf16>, tensor<64x64xf16>) outs(%[[X]] : tensor<128x64xf32>)
// CHECK:   pcf.barrier

// PCF-65: telescoped, the same phases are the lanes', and ids are the
// subgroup's.
// LANES: pcf.generic scope(#iree_gpu.subgroup_scope) initialize {
// LANES: execute[%[[ID:.*]]: index, %{{.*}}: index] {
// LANES-NEXT: pcf.shared_executor scope(#iree_gpu.lane_scope) execute[%[[TG:.*]]: !lane_tg] {
// LANES:   %[[T0:.*]] = pcf.shared_executor.run_cluster(%[[TG]])[] () {
// LANES:     pcf.cluster_yield %{{.*}} : tensor<128x64xf32>
// LANES:   } : (!lane_tg) -> !lane_tg1
// LANES:   scf.for {{.*}} iter_args(%[[IT:.*]] = %[[T0]]) -> (!lane_tg1) {
// LANES:     pcf.shared_executor.run_cluster(%[[TG]])[] () {
// LANES:       affine.apply {{.*}}%[[ID]]
// LANES:     } : (!lane_tg)
// LANES-NEXT: pcf.barrier(#iree_gpu.subgroup_scope)
// LANES:     pcf.shared_executor.run_cluster(%[[IT]])[] (%{{.*}}: tensor<128x64xf32>) {
// LANES:   pcf.return
// LANES: pcf.return
func.func @copies(%A: tensor<?x?xf16>, %B: tensor<?x?xf16>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {translation_info = #ti} {
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
