// RUN: distaff-opt %s -distaff-wrap-in-executor | FileCheck %s
// RUN: distaff-opt %s -distaff-wrap-in-executor > %t.once
// RUN: distaff-opt %t.once -distaff-wrap-in-executor | diff %t.once -

// Stage 3 of chapter 8 from stage 2 (PCF-85).

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

// CHECK-LABEL: func.func @tiled
// CHECK: pcf.loop scope(#iree_codegen.workgroup_scope)
// CHECK-NEXT: %[[OM:.*]] = arith.muli
// CHECK-NEXT: %[[ON:.*]] = arith.muli
// CHECK-NEXT: affine.max
// CHECK-NEXT: affine.max
// CHECK-NEXT: %[[SM:.*]] = arith.minsi
// CHECK-NEXT: %[[SN:.*]] = arith.minsi
// CHECK-NEXT: pcf.shared_executor scope(#iree_gpu.subgroup_scope) execute[%{{.*}}: !subgroup_tg] {
// CHECK-NEXT: %[[AT:.*]] = pcf.read_slice %{{.*}}[%[[OM]], 0] [%[[SM]], %{{.*}}] [1, 1]
// CHECK-NEXT: %[[BT:.*]] = pcf.read_slice
// CHECK-NEXT: tensor.empty(%[[SM]], %[[SN]])
// CHECK-NEXT: linalg.fill
// CHECK-NEXT: linalg.matmul
// CHECK-NEXT: pcf.write_slice
// CHECK-NEXT: pcf.return
// CHECK-NEXT: }
// CHECK-NEXT: pcf.return
func.func @tiled(%A: tensor<?x?xf16>, %B: tensor<?x?xf16>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {translation_info = #ti} {
  %c0 = arith.constant 0 : index   %c1 = arith.constant 1 : index   %c128 = arith.constant 128 : index   %c256 = arith.constant 256 : index
  %cst = arith.constant 0.0 : f32
  %M = tensor.dim %A, %c0 : tensor<?x?xf16>   %K = tensor.dim %A, %c1 : tensor<?x?xf16>   %N = tensor.dim %B, %c1 : tensor<?x?xf16>
  %ntm = affine.apply affine_map<()[s0] -> (s0 ceildiv 256)>()[%M]   %ntn = affine.apply affine_map<()[s0] -> (s0 ceildiv 128)>()[%N]
  %r = pcf.loop scope(#wg) count(%ntn, %ntm)
    execute(%a <- %A : tensor<?x?xf16>, %b <- %B : tensor<?x?xf16>, %c = %C)[%in: index, %im: index]
    : (!GA, !GA, !GC) -> (tensor<?x?xf32>) {
    %om = arith.muli %im, %c256 : index   %on = arith.muli %in, %c128 : index   %lm = affine.max #left()[%M, %om]   %ll = affine.max #left()[%N, %on]
    %sm = arith.minsi %lm, %c256 : index   %sn = arith.minsi %ll, %c128 : index
    %at = pcf.read_slice %a[%om, 0] [%sm, %K] [1, 1] : !GA to tensor<?x?xf16>
    %bt = pcf.read_slice %b[0, %on] [%K, %sn] [1, 1] : !GA to tensor<?x?xf16>
    %e = tensor.empty(%sm, %sn) : tensor<?x?xf32>
    %ft = linalg.fill ins(%cst : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    %mt = linalg.matmul {lowering_config = #cfg} ins(%at, %bt : tensor<?x?xf16>, tensor<?x?xf16>) outs(%ft : tensor<?x?xf32>) -> tensor<?x?xf32>
    pcf.write_slice %mt into %c[%om, %on] [%sm, %sn] [1, 1] : tensor<?x?xf32> into !GC
    pcf.return
  }
  return %r : tensor<?x?xf32>
}


// PCF-86: nothing to wrap.
// CHECK-LABEL: func.func @empty
// CHECK-NOT: shared_executor
// CHECK: return
func.func @empty(%n: index) {
  pcf.loop scope(#wg) count(%n) execute[%i: index] {
    %j = arith.addi %i, %n : index
    pcf.return
  }
  return
}

// What depends on a tensor's elements is wrapped with it, in order.
// CHECK-LABEL: func.func @number_of_a_tensor
// CHECK: pcf.shared_executor
// CHECK-NEXT: %[[T:.*]] = pcf.read_slice
// CHECK-NEXT: %[[E:.*]] = tensor.extract %[[T]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[E]], %[[E]]
// CHECK-NEXT: %[[F:.*]] = tensor.from_elements %[[S]]
// CHECK-NEXT: pcf.write_slice %[[F]]
func.func @number_of_a_tensor(%n: index, %a: tensor<?xf32>, %o: tensor<?xf32>) -> tensor<?xf32> {
  %r = pcf.loop scope(#wg) count(%n) execute(%x <- %a : tensor<?xf32>, %y = %o)[%i: index]
    : (!pcf.sref<?xf32, #wg>, !pcf.sref<?xf32, sync(#wg)>) -> (tensor<?xf32>) {
    %c0 = arith.constant 0 : index
    %t = pcf.read_slice %x[%i] [1] [1] : !pcf.sref<?xf32, #wg> to tensor<1xf32>
    %e = tensor.extract %t[%c0] : tensor<1xf32>
    %s = arith.addf %e, %e : f32
    %f = tensor.from_elements %s : tensor<1xf32>
    pcf.write_slice %f into %y[%i] [1] [1] : tensor<1xf32> into !pcf.sref<?xf32, sync(#wg)>
    pcf.return
  }
  return %r : tensor<?xf32>
}
