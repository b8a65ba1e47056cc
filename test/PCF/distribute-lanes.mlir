// RUN: distaff-opt %s -split-input-file -pcf-distribute='scope=#iree_gpu.lane_scope' -pcf-resolve-clusters -cse | FileCheck %s
// RUN: distaff-opt %s -split-input-file -pcf-distribute='scope=#iree_gpu.lane_scope' -pcf-resolve-clusters -distaff-vectorize -pcf-vectorize-slices -canonicalize -cse | FileCheck %s --check-prefix=VECTORS

// From stage 6 of chapter 8 to stages 7 and 8 (PCF-85). A lane of 64 has of
// A(m, k) row l mod 16 and k 4 * (l / 16) .. + 3, of C column l mod 16 and rows
// 4 * (l / 16) .. + 3; copies are chunks of 8, consecutive lanes on consecutive
// ones: 8 of A, 4 of B.

// CHECK-DAG: #[[LANE16:.*]] = affine_map<()[s0] -> (s0 mod 16)>
// CHECK-DAG: #[[LANE4:.*]] = affine_map<()[s0] -> ((s0 floordiv 16) * 4)>
// CHECK-DAG: #[[AROW:.*]] = affine_map<()[s0, s1, s2] -> (s0 + s1 * 8 + s2 floordiv 8)>
// CHECK-DAG: #[[ACOL:.*]] = affine_map<()[s0] -> (s0 * 8 - (s0 floordiv 8) * 64)>
// CHECK-DAG: #[[BROW:.*]] = affine_map<()[s0, s1, s2] -> (s0 + s1 * 4 + s2 floordiv 16)>
// CHECK-DAG: #[[BCOL:.*]] = affine_map<()[s0] -> (s0 * 8 - (s0 floordiv 16) * 128)>
// CHECK-DAG: #[[CROW:.*]] = affine_map<()[s0, s1, s2] -> (s0 + s1 * 16 + (s2 floordiv 16) * 4)>
// CHECK-DAG: #[[CCOL:.*]] = affine_map<()[s0, s1, s2] -> (s0 + s1 * 16 + s2 mod 16)>
// CHECK-DAG: #[[MK:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[KN:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK-DAG: #[[MN:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @subgroups
// CHECK: pcf.generic scope(#iree_gpu.lane_scope) execute[%[[L:.*]]: index, %{{.*}}: index] {
// CHECK: %[[Z:.*]] = linalg.fill {{.*}} -> tensor<8x4x4x1xf32>
// CHECK: %[[ACC:.*]] = scf.for {{.*}} iter_args(%[[X:.*]] = %[[Z]]) -> (tensor<8x4x4x1xf32>) {
// CHECK:   scf.for %[[J:.*]] = %c0{{.*}} to %c8
// CHECK:     pcf.read_slice {{.*}} to tensor<?x?xf16>
// CHECK:     tensor.pad {{.*}}
// CHECK:     to tensor<1x8xf16>
// CHECK-DAG: %[[R:.*]] = affine.apply #[[AROW]]()[%{{.*}}, %[[J]], %[[L]]]
// CHECK-DAG: %[[C:.*]] = affine.apply #[[ACOL]]()[%[[L]]]
// CHECK:     pcf.write_slice {{.*}}[%[[R]], %[[C]]] [1, 8] [1, 1]
// CHECK:   scf.for %[[J:.*]] = %c0{{.*}} to %c4
// CHECK:     pcf.read_slice
// CHECK:     to tensor<1x8xf16>
// CHECK-DAG: %[[R:.*]] = affine.apply #[[BROW]]()[%{{.*}}, %[[J]], %[[L]]]
// CHECK-DAG: %[[C:.*]] = affine.apply #[[BCOL]]()[%[[L]]]
// CHECK:     pcf.write_slice {{.*}}[%[[R]], %[[C]]] [1, 8] [1, 1]
// CHECK:   pcf.barrier
// CHECK-DAG: %[[LO:.*]] = affine.apply #[[LANE16]]()[%[[L]]]
// CHECK-DAG: %[[HI:.*]] = affine.apply #[[LANE4]]()[%[[L]]]
// CHECK:   pcf.subview {{.*}} [128, 64] [1, 1]
// CHECK:   pcf.expand_shape %{{.*}} {{\[\[}}0, 1], [2, 3]]
// CHECK:   %[[AF:.*]] = pcf.read_slice %{{.*}}[0, %[[LO]], 0, %[[HI]]] [8, 1, 4, 4] [1, 1, 1, 1] : {{.*}} to tensor<8x1x4x4xf16>
// CHECK:   linalg.transpose ins(%[[AF]] : {{.*}} outs(%{{.*}} : tensor<8x4x1x4xf16>) permutation = [0, 2, 1, 3]
// CHECK:   pcf.subview {{.*}} [64, 64] [1, 1]
// CHECK:   pcf.expand_shape %{{.*}} {{\[\[}}0, 1], [2, 3]]
// CHECK:   %[[BF:.*]] = pcf.read_slice %{{.*}}[0, %[[HI]], 0, %[[LO]]] [4, 4, 4, 1] [1, 1, 1, 1] : {{.*}} to tensor<4x4x4x1xf16>
// CHECK:   linalg.transpose ins(%[[BF]] : {{.*}} outs(%{{.*}} : tensor<4x4x4x1xf16>) permutation = [0, 2, 1, 3]
// CHECK:   iree_codegen.inner_tiled ins({{.*}}) outs(%[[X]]) {indexing_maps = [#[[MK]], #[[KN]], #[[MN]]], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : tensor<8x4x1x4xf16>, tensor<4x4x4x1xf16> into tensor<8x4x4x1xf32>
// CHECK:   pcf.barrier
// CHECK: scf.for %[[MO:.*]] = %c0{{.*}} to %c8
// CHECK:   scf.for %[[NO:.*]] = %c0{{.*}} to %c4
// CHECK:     tensor.extract_slice %[[ACC]][%[[MO]], %[[NO]], 0, 0] [1, 1, %[[VR:.*]], %[[VC:.*]]] [1, 1, 1, 1] : tensor<8x4x4x1xf32> to tensor<?x?xf32>
// CHECK-DAG: %[[GR:.*]] = affine.apply #[[CROW]]()[%{{.*}}, %[[MO]], %[[L]]]
// CHECK-DAG: %[[GC:.*]] = affine.apply #[[CCOL]]()[%{{.*}}, %[[NO]], %[[L]]]
// CHECK:     pcf.write_slice {{.*}}[%[[GR]], %[[GC]]] [%[[VR]], %[[VC]]] [1, 1]

// VECTORS-LABEL: func.func @subgroups
// VECTORS-NOT: tensor.{{pad|empty|extract_slice}}
// VECTORS: scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}) -> (vector<8x4x4x1xf32>) {
// VECTORS:   scf.for
// VECTORS:     pcf.read_slice {{.*}} to vector<1x8xf16>
// VECTORS:     pcf.write_slice {{.*}} [1, 8] [1, 1] : vector<1x8xf16>
// VECTORS:   %[[AF:.*]] = pcf.read_slice {{.*}} to vector<8x1x4x4xf16>
// VECTORS:   vector.transpose %[[AF]], [0, 2, 1, 3] : vector<8x1x4x4xf16> to vector<8x4x1x4xf16>
// VECTORS:   iree_codegen.inner_tiled {{.*}} outs(%[[X]]) {{.*}} into vector<8x4x4x1xf32>
// VECTORS-COUNT-32: pcf.write_slice %{{.*}} : vector<4x1xf32> into
// VECTORS-NOT: pcf.write_slice
// VECTORS: return

#wg  = #iree_codegen.workgroup_scope
#sg  = #iree_gpu.subgroup_scope
#ln  = #iree_gpu.lane_scope
#ti  = #iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [256, 1, 1] subgroup_size = 64>
#cfg = #iree_gpu.lowering_config<{workgroup = [256, 128, 0], reduction = [0, 0, 64], subgroup = [128, 64, 0], promote_operands = [0, 1], mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>}>
#left = affine_map<()[s0, s1] -> (s0 - s1, 0)>            // affine.max: extent - offset, never negative
!GA = !pcf.sref<?x?xf16, #wg>
!GC = !pcf.sref<?x?xf32, sync(#wg)>
!LA = !pcf.sref<256x64xf16, #sg>
!LB = !pcf.sref<64x128xf16, #sg>
!LN = !pcf.threadgroup<#ln>
!LNA = !pcf.threadgroup<#ln, {tensor<128x64xf32>}>
func.func @subgroups(%A: tensor<?x?xf16>, %B: tensor<?x?xf16>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {translation_info = #ti} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
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
    pcf.generic scope(#sg)
      initialize { %pa = pcf.alloc() : !LA   %pb = pcf.alloc() : !LB   pcf.yield %pa, %pb : !LA, !LB } -> (%la: !LA, %lb: !LB)
      execute[%id: index, %nid: index] {
      %s2:2 = affine.delinearize_index %id into (2, 2) : index, index   %row = arith.muli %s2#0, %c128 : index   %col = arith.muli %s2#1, %c64 : index
      %ar = arith.muli %id, %c64 : index   %br = arith.muli %id, %c16 : index   %gm = arith.addi %om, %ar : index   %crow = arith.addi %om, %row : index
      %ccol = arith.addi %on, %col : index
      pcf.shared_executor scope(#ln) execute[%tg: !LN] {
        %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
          %e = tensor.empty() : tensor<128x64xf32>   %z = linalg.fill ins(%cst : f32) outs(%e : tensor<128x64xf32>) -> tensor<128x64xf32>
          pcf.cluster_yield %z : tensor<128x64xf32> } : (!LN) -> !LNA
        %t1 = scf.for %k = %c0 to %K step %c64 iter_args(%it = %t0) -> (!LNA) {
          pcf.shared_executor.run_cluster(%tg)[] () {                                          // copy
            %gk = arith.addi %k, %br : index   %lm2 = affine.max #left()[%M, %gm]   %lk2 = affine.max #left()[%K, %k]   %lb2 = affine.max #left()[%K, %gk]
            %vm = arith.minsi %lm2, %c64 : index   %vk = arith.minsi %lk2, %c64 : index   %vb = arith.minsi %lb2, %c16 : index
            %pm = arith.subi %c64, %vm : index   %pk = arith.subi %c64, %vk : index   %pb2 = arith.subi %c16, %vb : index
            %pn = arith.subi %c128, %sn : index
            %at = pcf.read_slice %a[%gm, %k] [%vm, %vk] [1, 1] : !GA to tensor<?x?xf16>
            %bt = pcf.read_slice %b[%gk, %on] [%vb, %sn] [1, 1] : !GA to tensor<?x?xf16>
            %ap = tensor.pad %at low[0, 0] high[%pm, %pk] { ^bb0(%i: index, %j: index): tensor.yield %z16 : f16 } : tensor<?x?xf16> to tensor<64x64xf16>
            %bp = tensor.pad %bt low[0, 0] high[%pb2, %pn] { ^bb0(%i: index, %j: index): tensor.yield %z16 : f16 } : tensor<?x?xf16> to tensor<16x128xf16>
            pcf.write_slice %ap into %la[%ar, 0] [64, 64] [1, 1] : tensor<64x64xf16> into !LA
            pcf.write_slice %bp into %lb[%br, 0] [16, 128] [1, 1] : tensor<16x128xf16> into !LB
            pcf.cluster_yield } : (!LN)
          pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
          %n = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<128x64xf32>) {               // compute
            %as = pcf.read_slice %la[%row, 0] [128, 64] [1, 1] : !LA to tensor<128x64xf16>
            %bs = pcf.read_slice %lb[0, %col] [64, 64] [1, 1] : !LB to tensor<64x64xf16>
            %m = linalg.matmul {lowering_config = #cfg} ins(%as, %bs : tensor<128x64xf16>, tensor<64x64xf16>) outs(%x : tensor<128x64xf32>) -> tensor<128x64xf32>
            pcf.cluster_yield %m : tensor<128x64xf32> } : (!LNA) -> !LNA
          pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
          scf.yield %n : !LNA }
        pcf.shared_executor.run_cluster(%t1)[] (%x: tensor<128x64xf32>) {
          %lr = affine.max #left()[%M, %crow]   %lc = affine.max #left()[%N, %ccol]   %vr = arith.minsi %lr, %c128 : index
          %vc = arith.minsi %lc, %c64 : index
          %s = tensor.extract_slice %x[0, 0] [%vr, %vc] [1, 1] : tensor<128x64xf32> to tensor<?x?xf32>
          pcf.write_slice %s into %c[%crow, %ccol] [%vr, %vc] [1, 1] : tensor<?x?xf32> into !GC
          pcf.cluster_yield } : (!LNA)
        pcf.return
      }
      pcf.return
    }
    pcf.return
  }
  return %r : tensor<?x?xf32>
}

// -----

// PCF-91: mma.sync has in a lane g * 4 + t of A rows g and g + 8, k 2 * t, 2 * t + 1
// and those + 8, of which register 2 * (k half) + (row half) is made; of C rows g
// and g + 8, columns 2 * t and 2 * t + 1 (8.1).

// CHECK-DAG: #[[G:.*]] = affine_map<()[s0] -> (s0 floordiv 4)>
// CHECK-DAG: #[[T2:.*]] = affine_map<()[s0] -> (s0 * 2 - (s0 floordiv 4) * 8)>
// CHECK-DAG: #[[CROW:.*]] = affine_map<()[s0, s1, s2, s3] -> (s0 + s1 * 16 + s2 * 8 + s3 floordiv 4)>
// CHECK-DAG: #[[CCOL:.*]] = affine_map<()[s0, s1, s2] -> (s0 + s1 * 8 + s2 * 2 - (s2 floordiv 4) * 8)>
// CHECK-LABEL: func.func @mma_sync
// CHECK: pcf.generic scope(#iree_gpu.lane_scope) execute[%[[L:.*]]: index, %{{.*}}: index] {
// CHECK-DAG: %[[GV:.*]] = affine.apply #[[G]]()[%[[L]]]
// CHECK-DAG: %[[TV:.*]] = affine.apply #[[T2]]()[%[[L]]]
// CHECK: pcf.expand_shape %{{.*}} {{\[\[}}0, 1, 2], [3, 4, 5]]
// CHECK: %[[AF:.*]] = pcf.read_slice %{{.*}}[0, 0, %[[GV]], 0, 0, %[[TV]]] [4, 2, 1, 4, 2, 2] [1, 1, 1, 1, 1, 1] : {{.*}} to tensor<4x2x1x4x2x2xf16>
// CHECK: %[[AT:.*]] = linalg.transpose ins(%[[AF]] : {{.*}} outs(%{{.*}} : tensor<4x4x2x2x1x2xf16>) permutation = [0, 3, 4, 1, 2, 5]
// CHECK: %[[AA:.*]] = tensor.collapse_shape %[[AT]] {{.*}} into tensor<4x4x4x2xf16>
// CHECK: pcf.expand_shape %{{.*}} {{\[\[}}0, 1, 2], [3, 4]]
// CHECK: %[[BF:.*]] = pcf.read_slice %{{.*}}[0, 0, %[[TV]], 0, %[[GV]]] [4, 2, 2, 8, 1] [1, 1, 1, 1, 1] : {{.*}} to tensor<4x2x2x8x1xf16>
// CHECK: %[[BT:.*]] = linalg.transpose ins(%[[BF]] : {{.*}} outs(%{{.*}} : tensor<4x8x2x2x1xf16>) permutation = [0, 3, 1, 2, 4]
// CHECK: %[[BB:.*]] = tensor.collapse_shape %[[BT]] {{.*}} into tensor<4x8x2x2xf16>
// CHECK: iree_codegen.inner_tiled ins(%[[AA]], %[[BB]]) {{.*}} : tensor<4x4x4x2xf16>, tensor<4x8x2x2xf16> into tensor<4x8x2x2xf32>
// CHECK: scf.for %[[MO:.*]] = %c0{{.*}} to %c4
// CHECK: scf.for %[[H:.*]] = %c0{{.*}} to %c2
// CHECK: scf.for %[[NO:.*]] = %c0{{.*}} to %c8
// CHECK: tensor.extract_slice %{{.*}}[%[[MO]], %[[NO]], %[[H]], 0] [1, 1, %[[VR:.*]], %[[VC:.*]]] [1, 1, 1, 1] : tensor<4x8x2x2xf32> to tensor<?x?xf32>
// CHECK-DAG: %[[GR:.*]] = affine.apply #[[CROW]]()[%{{.*}}, %[[MO]], %[[H]], %[[L]]]
// CHECK-DAG: %[[GC:.*]] = affine.apply #[[CCOL]]()[%{{.*}}, %[[NO]], %[[L]]]
// CHECK: pcf.write_slice {{.*}}[%[[GR]], %[[GC]]] [%[[VR]], %[[VC]]] [1, 1]

// VECTORS-LABEL: func.func @mma_sync
// VECTORS: vector.shape_cast %{{.*}} : vector<4x4x2x2x1x2xf16> to vector<4x4x4x2xf16>
// VECTORS: vector.shape_cast %{{.*}} : vector<4x8x2x2x1xf16> to vector<4x8x2x2xf16>
// VECTORS: iree_codegen.inner_tiled {{.*}} into vector<4x8x2x2xf32>
// VECTORS-COUNT-64: pcf.write_slice %{{.*}} : vector<1x2xf32> into

#wg  = #iree_codegen.workgroup_scope
#sg  = #iree_gpu.subgroup_scope
#ln  = #iree_gpu.lane_scope
#ti  = #iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [256, 1, 1] subgroup_size = 32>
#cfg = #iree_gpu.lowering_config<{workgroup = [256, 128, 0], reduction = [0, 0, 64], subgroup = [64, 64, 0], promote_operands = [0, 1], mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
#left = affine_map<()[s0, s1] -> (s0 - s1, 0)>            // affine.max: extent - offset, never negative
!GA = !pcf.sref<?x?xf16, #wg>
!GC = !pcf.sref<?x?xf32, sync(#wg)>
!LA = !pcf.sref<256x64xf16, #sg>
!LB = !pcf.sref<64x128xf16, #sg>
!LN = !pcf.threadgroup<#ln>
!LNA = !pcf.threadgroup<#ln, {tensor<64x64xf32>}>
func.func @mma_sync(%A: tensor<?x?xf16>, %B: tensor<?x?xf16>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {translation_info = #ti} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
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
    pcf.generic scope(#sg)
      initialize { %pa = pcf.alloc() : !LA   %pb = pcf.alloc() : !LB   pcf.yield %pa, %pb : !LA, !LB } -> (%la: !LA, %lb: !LB)
      execute[%id: index, %nid: index] {
      %s2:2 = affine.delinearize_index %id into (4, 2) : index, index   %row = arith.muli %s2#0, %c64 : index   %col = arith.muli %s2#1, %c64 : index
      %ar = arith.muli %id, %c32 : index   %br = arith.muli %id, %c8 : index   %gm = arith.addi %om, %ar : index   %crow = arith.addi %om, %row : index
      %ccol = arith.addi %on, %col : index
      pcf.shared_executor scope(#ln) execute[%tg: !LN] {
        %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
          %e = tensor.empty() : tensor<64x64xf32>   %z = linalg.fill ins(%cst : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
          pcf.cluster_yield %z : tensor<64x64xf32> } : (!LN) -> !LNA
        %t1 = scf.for %k = %c0 to %K step %c64 iter_args(%it = %t0) -> (!LNA) {
          pcf.shared_executor.run_cluster(%tg)[] () {                                          // copy
            %gk = arith.addi %k, %br : index   %lm2 = affine.max #left()[%M, %gm]   %lk2 = affine.max #left()[%K, %k]   %lb2 = affine.max #left()[%K, %gk]
            %vm = arith.minsi %lm2, %c32 : index   %vk = arith.minsi %lk2, %c64 : index   %vb = arith.minsi %lb2, %c8 : index
            %pm = arith.subi %c32, %vm : index   %pk = arith.subi %c64, %vk : index   %pb2 = arith.subi %c8, %vb : index
            %pn = arith.subi %c128, %sn : index
            %at = pcf.read_slice %a[%gm, %k] [%vm, %vk] [1, 1] : !GA to tensor<?x?xf16>
            %bt = pcf.read_slice %b[%gk, %on] [%vb, %sn] [1, 1] : !GA to tensor<?x?xf16>
            %ap = tensor.pad %at low[0, 0] high[%pm, %pk] { ^bb0(%i: index, %j: index): tensor.yield %z16 : f16 } : tensor<?x?xf16> to tensor<32x64xf16>
            %bp = tensor.pad %bt low[0, 0] high[%pb2, %pn] { ^bb0(%i: index, %j: index): tensor.yield %z16 : f16 } : tensor<?x?xf16> to tensor<8x128xf16>
            pcf.write_slice %ap into %la[%ar, 0] [32, 64] [1, 1] : tensor<32x64xf16> into !LA
            pcf.write_slice %bp into %lb[%br, 0] [8, 128] [1, 1] : tensor<8x128xf16> into !LB
            pcf.cluster_yield } : (!LN)
          pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
          %n = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<64x64xf32>) {               // compute
            %as = pcf.read_slice %la[%row, 0] [64, 64] [1, 1] : !LA to tensor<64x64xf16>
            %bs = pcf.read_slice %lb[0, %col] [64, 64] [1, 1] : !LB to tensor<64x64xf16>
            %m = linalg.matmul {lowering_config = #cfg} ins(%as, %bs : tensor<64x64xf16>, tensor<64x64xf16>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
            pcf.cluster_yield %m : tensor<64x64xf32> } : (!LNA) -> !LNA
          pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
          scf.yield %n : !LNA }
        pcf.shared_executor.run_cluster(%t1)[] (%x: tensor<64x64xf32>) {
          %lr = affine.max #left()[%M, %crow]   %lc = affine.max #left()[%N, %ccol]   %vr = arith.minsi %lr, %c64 : index
          %vc = arith.minsi %lc, %c64 : index
          %s = tensor.extract_slice %x[0, 0] [%vr, %vc] [1, 1] : tensor<64x64xf32> to tensor<?x?xf32>
          pcf.write_slice %s into %c[%crow, %ccol] [%vr, %vc] [1, 1] : tensor<?x?xf32> into !GC
          pcf.cluster_yield } : (!LNA)
        pcf.return
      }
      pcf.return
    }
    pcf.return
  }
  return %r : tensor<?x?xf32>
}
