// RUN: distaff-opt %s -distaff-form-matmul-phases | FileCheck %s
// RUN: distaff-opt %s -distaff-form-matmul-phases > %t.once
// RUN: distaff-opt %t.once -distaff-form-matmul-phases | diff %t.once -

// Stage 4 of chapter 8 from stage 3 (PCF-85).

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

// CHECK-DAG: #[[LEFT:.*]] = affine_map<()[s0, s1] -> (s0 - s1, 0)>
// CHECK-DAG: #[[STEP:.*]] = affine_map<()[s0] -> (s0, 64)>
// CHECK-DAG: #[[PM:.*]] = affine_map<()[s0] -> (-s0 + 256)>
// CHECK-DAG: #[[PK:.*]] = affine_map<()[s0] -> (-s0 + 64)>
// CHECK-DAG: #[[PN:.*]] = affine_map<()[s0] -> (-s0 + 128)>
// CHECK-LABEL: func.func @wrapped
// CHECK: pcf.shared_executor scope(#iree_gpu.subgroup_scope) execute[%[[TG:.*]]: !subgroup_tg] {
// CHECK-NEXT: %[[T0:.*]] = pcf.shared_executor.run_cluster(%[[TG]])[] () {
// CHECK-NEXT:   tensor.empty() : tensor<256x128xf32>
// CHECK-NEXT:   %[[Z:.*]] = linalg.fill
// CHECK-NEXT:   pcf.cluster_yield %[[Z]] : tensor<256x128xf32>
// CHECK:      %[[T1:.*]] = scf.for %[[K:.*]] = %{{.*}} to %[[KK:.*]] step %{{.*}} iter_args(%[[IT:.*]] = %[[T0]])
// CHECK-NEXT:   %[[N:.*]] = pcf.shared_executor.run_cluster(%[[IT]])[] (%[[X:.*]]: tensor<256x128xf32>) {
// CHECK-NEXT:     %[[LK:.*]] = affine.max #[[LEFT]]()[%[[KK]], %[[K]]]
// CHECK-NEXT:     %[[SK:.*]] = affine.min #[[STEP]]()[%[[LK]]]
// CHECK-NEXT:     %[[A:.*]] = pcf.read_slice %{{.*}}[%[[OM:.*]], %[[K]]] [%[[SM:.*]], %[[SK]]] [1, 1]
// CHECK-DAG:      %[[AM:.*]] = affine.apply #[[PM]]()[%[[SM]]]
// CHECK-DAG:      %[[AK:.*]] = affine.apply #[[PK]]()[%[[SK]]]
// CHECK:          %[[AP:.*]] = tensor.pad %[[A]] low[0, 0] high[%[[AM]], %[[AK]]]
// CHECK:          } : tensor<?x?xf16> to tensor<256x64xf16>
// CHECK:          %[[B:.*]] = pcf.read_slice %{{.*}}[%[[K]], %[[ON:.*]]] [%[[SK]], %[[SN:.*]]] [1, 1]
// CHECK:          %[[BN:.*]] = affine.apply #[[PN]]()[%[[SN]]]
// CHECK:          %[[BP:.*]] = tensor.pad %[[B]] low[0, 0] high[%{{.*}}, %[[BN]]]
// CHECK:          } : tensor<?x?xf16> to tensor<64x128xf16>
// CHECK-NEXT:     %[[M:.*]] = linalg.matmul {lowering_config = #{{.*}}} ins(%[[AP]], %[[BP]] : tensor<256x64xf16>, tensor<64x128xf16>) outs(%[[X]] : tensor<256x128xf32>)
// CHECK-NEXT:     pcf.cluster_yield %[[M]]
// CHECK:        scf.yield %[[N]]
// CHECK:      pcf.shared_executor.run_cluster(%[[T1]])[] (%[[X:.*]]: tensor<256x128xf32>) {
// CHECK-NEXT:   %[[S:.*]] = tensor.extract_slice %[[X]][0, 0] [%[[SM]], %[[SN]]] [1, 1]
// CHECK-NEXT:   pcf.write_slice %[[S]] into %{{.*}}[%[[OM]], %[[ON]]] [%[[SM]], %[[SN]]] [1, 1]
// CHECK-NEXT:   pcf.cluster_yield
// CHECK-NEXT: } : (!subgroup_tg1)
// CHECK-NEXT: pcf.return
func.func @wrapped(%A: tensor<?x?xf16>, %B: tensor<?x?xf16>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {translation_info = #ti} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
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
      %at = pcf.read_slice %a[%om, 0] [%sm, %K] [1, 1] : !GA to tensor<?x?xf16>
      %bt = pcf.read_slice %b[0, %on] [%K, %sn] [1, 1] : !GA to tensor<?x?xf16>
      %e = tensor.empty(%sm, %sn) : tensor<?x?xf32>
      %ft = linalg.fill ins(%cst : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
      %mt = linalg.matmul {lowering_config = #cfg} ins(%at, %bt : tensor<?x?xf16>, tensor<?x?xf16>) outs(%ft : tensor<?x?xf32>) -> tensor<?x?xf32>
      pcf.write_slice %mt into %c[%om, %on] [%sm, %sn] [1, 1] : tensor<?x?xf32> into !GC
      pcf.return
    }
    pcf.return
  }
  return %r : tensor<?x?xf32>
}


#small = #iree_gpu.lowering_config<{workgroup = [1, 32, 64, 0], reduction = [0, 0, 0, 16], promote_operands = [0, 1]}>
!BA = !pcf.sref<?x?x?xf32, #wg>
!BC = !pcf.sref<?x?x?xf32, sync(#wg)>

// A batch, the right operand transposed, exp on the way in and a bias on the
// way out, all on whole tiles. Of what is beyond the end of the reduction exp
// makes no zeros, so a mask does; what is beyond the result is cut off.
// CHECK-LABEL: func.func @prologue_and_epilogue
// CHECK: run_cluster(%{{.*}})[] (%[[X:.*]]: tensor<1x32x64xf32>) {
// CHECK: %[[A:.*]] = pcf.read_slice %{{.*}}[%{{.*}}, %{{.*}}, %[[K:.*]]] [1, %{{.*}}, %[[SK:.*]]] [1, 1, 1]
// CHECK: %[[AP:.*]] = tensor.pad %[[A]]
// CHECK: } : tensor<1x?x?xf32> to tensor<1x32x16xf32>
// CHECK: %[[E:.*]] = linalg.exp ins(%[[AP]] : tensor<1x32x16xf32>)
// CHECK: %[[MASKED:.*]] = linalg.generic {{.*}} ins(%[[E]] : tensor<1x32x16xf32>)
// CHECK: %[[I:.*]] = linalg.index 2
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[I]], %[[SK]]
// CHECK: arith.select %[[INSIDE]], %{{.*}}, %{{.*}}
// CHECK: %[[B:.*]] = pcf.read_slice %{{.*}}[%{{.*}}, %{{.*}}, %[[K]]] [1, %{{.*}}, %[[SK]]] [1, 1, 1]
// CHECK: %[[BP:.*]] = tensor.pad %[[B]]
// CHECK: } : tensor<1x?x?xf32> to tensor<1x64x16xf32>
// CHECK-NEXT: linalg.batch_matmul {{.*}}ins(%[[MASKED]], %[[BP]]
// CHECK: run_cluster(%{{.*}})[] (%[[X:.*]]: tensor<1x32x64xf32>) {
// CHECK: %[[BIAS:.*]] = pcf.read_slice
// CHECK: %[[WHOLE:.*]] = tensor.pad %[[BIAS]]
// CHECK: %[[R:.*]] = linalg.add ins(%[[X]], %[[WHOLE]] : tensor<1x32x64xf32>, tensor<1x32x64xf32>)
// CHECK: %[[S:.*]] = tensor.extract_slice %[[R]]
// CHECK: pcf.write_slice %[[S]]
func.func @prologue_and_epilogue(%ta: tensor<?x?x?xf32>, %tb: tensor<?x?x?xf32>, %bias: tensor<?x?x?xf32>, %tc: tensor<?x?x?xf32>, %nb: index, %ob: index, %om: index, %on: index, %sm: index, %sn: index, %K: index) -> tensor<?x?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %r = pcf.loop scope(#wg) count(%nb) execute(%a <- %ta : tensor<?x?x?xf32>, %b <- %tb : tensor<?x?x?xf32>, %d <- %bias : tensor<?x?x?xf32>, %c = %tc)[%i: index]
    : (!BA, !BA, !BA, !BC) -> (tensor<?x?x?xf32>) {
    pcf.shared_executor scope(#sg) execute[%tg: !SG] {
      %at = pcf.read_slice %a[%ob, %om, 0] [1, %sm, %K] [1, 1, 1] : !BA to tensor<1x?x?xf32>
      %ae = tensor.empty(%sm, %K) : tensor<1x?x?xf32>
      %ax = linalg.exp ins(%at : tensor<1x?x?xf32>) outs(%ae : tensor<1x?x?xf32>) -> tensor<1x?x?xf32>
      %bt = pcf.read_slice %b[%ob, %on, 0] [1, %sn, %K] [1, 1, 1] : !BA to tensor<1x?x?xf32>
      %e = tensor.empty(%sm, %sn) : tensor<1x?x?xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x?x?xf32>) -> tensor<1x?x?xf32>
      %m = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>] {lowering_config = #small}
        ins(%ax, %bt : tensor<1x?x?xf32>, tensor<1x?x?xf32>) outs(%f : tensor<1x?x?xf32>) -> tensor<1x?x?xf32>
      %dt = pcf.read_slice %d[%ob, %om, %on] [1, %sm, %sn] [1, 1, 1] : !BA to tensor<1x?x?xf32>
      %s = linalg.add ins(%m, %dt : tensor<1x?x?xf32>, tensor<1x?x?xf32>) outs(%e : tensor<1x?x?xf32>) -> tensor<1x?x?xf32>
      pcf.write_slice %s into %c[%ob, %om, %on] [1, %sm, %sn] [1, 1, 1] : tensor<1x?x?xf32> into !BC
      pcf.return
    }
    pcf.return
  }
  return %r : tensor<?x?x?xf32>
}
