// RUN: distaff-opt %s -distaff-promote-to-shared-memory | FileCheck %s
// RUN: distaff-opt %s -distaff-promote-to-shared-memory=target=gfx942 | FileCheck %s --check-prefix=PACKS
// RUN: distaff-opt %s -distaff-promote-to-shared-memory=target=sm_80 | FileCheck %s
// RUN: distaff-opt %s -distaff-promote-to-shared-memory > %t.once
// RUN: distaff-opt %t.once -distaff-promote-to-shared-memory | diff %t.once -

// Stage 5 of chapter 8 from stage 4 (PCF-85): both barriers of every step, with
// fences (PCF-87).

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

// CDNA's instructions take four k as one word, B has them apart, and no load
// transposes: the panel of B is transposed, that of A is not (PCF-208).
// PACKS-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// PACKS-DAG: #[[NK:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// PACKS-LABEL: func.func @flow
// PACKS: pcf.alloc() : !sref_256x64xf16_subgroup
// PACKS: pcf.alloc() : !sref_128x64xf16_subgroup
// PACKS: %[[A:.*]] = tensor.pad
// PACKS: %[[B:.*]] = tensor.pad
// PACKS: pcf.write_slice %[[A]] into %[[LA:.*]][0, 0] [256, 64] [1, 1]
// PACKS: %[[T:.*]] = linalg.transpose ins(%[[B]] : tensor<64x128xf16>) outs(%{{.*}} : tensor<128x64xf16>) permutation = [1, 0]
// PACKS: pcf.write_slice %[[T]] into %[[LB:.*]][0, 0] [128, 64] [1, 1]
// PACKS: %[[AS:.*]] = pcf.read_slice %[[LA]][0, 0] [256, 64] [1, 1]
// PACKS: %[[BS:.*]] = pcf.read_slice %[[LB]][0, 0] [128, 64] [1, 1]
// PACKS: linalg.generic {indexing_maps = [#[[MK]], #[[NK]], {{.*}}ins(%[[AS]], %[[BS]]
// PACKS-SAME: lowering_config

// CHECK-LABEL: func.func @flow
// CHECK: pcf.shared_executor scope(#iree_gpu.subgroup_scope) initialize {
// CHECK-NEXT: %[[PA:.*]] = pcf.alloc() : !sref_256x64xf16_subgroup
// CHECK-NEXT: %[[PB:.*]] = pcf.alloc() : !sref_64x128xf16_subgroup
// CHECK-NEXT: pcf.yield %[[PA]], %[[PB]]
// CHECK-NEXT: } -> (%[[LA:.*]]: !sref_256x64xf16_subgroup, %[[LB:.*]]: !sref_64x128xf16_subgroup) execute[%[[TG:.*]]: !subgroup_tg] {
// CHECK: linalg.fill
// CHECK: scf.for {{.*}} iter_args(%[[IT:.*]] = %{{.*}})
// CHECK-NEXT: pcf.shared_executor.run_cluster(%[[TG]])[] () {
// CHECK:   %[[A:.*]] = tensor.pad
// CHECK:   %[[B:.*]] = tensor.pad
// CHECK:   pcf.write_slice %[[A]] into %[[LA]][0, 0] [256, 64] [1, 1]
// CHECK-NEXT: pcf.write_slice %[[B]] into %[[LB]][0, 0] [64, 128] [1, 1]
// CHECK-NEXT: pcf.cluster_yield
// CHECK-NEXT: } : (!subgroup_tg)
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[LA]], %[[LB]])
// CHECK-NEXT: %[[N:.*]] = pcf.shared_executor.run_cluster(%[[IT]])[] (%[[X:.*]]: tensor<256x128xf32>) {
// CHECK-NEXT:   %[[AS:.*]] = pcf.read_slice %[[LA]][0, 0] [256, 64] [1, 1]
// CHECK-NEXT:   %[[BS:.*]] = pcf.read_slice %[[LB]][0, 0] [64, 128] [1, 1]
// CHECK-NEXT:   linalg.matmul {{.*}}ins(%[[AS]], %[[BS]]
// CHECK-NEXT:   pcf.cluster_yield
// CHECK-NEXT: } : (!subgroup_tg1) -> !subgroup_tg1
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[LA]], %[[LB]])
// CHECK-NEXT: scf.yield %[[N]]
func.func @flow(%A: tensor<?x?xf16>, %B: tensor<?x?xf16>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {translation_info = #ti} {
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
    pcf.shared_executor scope(#sg) execute[%tg: !SG] {
      %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
        %e = tensor.empty() : tensor<256x128xf32>   %z = linalg.fill ins(%cst : f32) outs(%e : tensor<256x128xf32>) -> tensor<256x128xf32>
        pcf.cluster_yield %z : tensor<256x128xf32> } : (!SG) -> !SGA
      %t1 = scf.for %k = %c0 to %K step %c64 iter_args(%it = %t0) -> (!SGA) {
        %n = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<256x128xf32>) {
          %lk = affine.max #left()[%K, %k]   %sk = arith.minsi %lk, %c64 : index   %pm = arith.subi %c256, %sm : index
          %pn = arith.subi %c128, %sn : index   %pk = arith.subi %c64, %sk : index
          %at = pcf.read_slice %a[%om, %k] [%sm, %sk] [1, 1] : !GA to tensor<?x?xf16>
          %bt = pcf.read_slice %b[%k, %on] [%sk, %sn] [1, 1] : !GA to tensor<?x?xf16>
          %ap = tensor.pad %at low[0, 0] high[%pm, %pk] { ^bb0(%i: index, %j: index): tensor.yield %z16 : f16 } : tensor<?x?xf16> to tensor<256x64xf16>
          %bp = tensor.pad %bt low[0, 0] high[%pk, %pn] { ^bb0(%i: index, %j: index): tensor.yield %z16 : f16 } : tensor<?x?xf16> to tensor<64x128xf16>
          %m = linalg.matmul {lowering_config = #cfg} ins(%ap, %bp : tensor<256x64xf16>, tensor<64x128xf16>) outs(%x : tensor<256x128xf32>) -> tensor<256x128xf32>
          pcf.cluster_yield %m : tensor<256x128xf32> } : (!SGA) -> !SGA
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

