// RUN: distaff-opt %s -allow-unregistered-dialect > %t.once
// RUN: distaff-opt %t.once -allow-unregistered-dialect | diff %t.once -
// RUN: distaff-opt %s -allow-unregistered-dialect --mlir-print-op-generic | distaff-opt -allow-unregistered-dialect | diff %t.once -

// A dynamic matmul at every stage of RunClusterDistribute (chapter 8 of the
// specification): PCF-14.

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

func.func @configured(%A: tensor<?x?xf16>, %B: tensor<?x?xf16>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {translation_info = #ti} {
  %cst = arith.constant 0.0 : f32
  %f = linalg.fill ins(%cst : f32) outs(%C : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul {lowering_config = #cfg} ins(%A, %B : tensor<?x?xf16>, tensor<?x?xf16>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

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

func.func @lanes(%A: tensor<?x?xf16>, %B: tensor<?x?xf16>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {translation_info = #ti} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
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
      pcf.generic scope(#ln) execute[%lane: index, %nl: index] {
        %l2:2 = affine.delinearize_index %lane into (4, 16) : index, index                       // (l / 16, l mod 16)
        %l4 = arith.muli %l2#0, %c4 : index
        %e = tensor.empty() : tensor<8x4x4x1xf32>   %z = linalg.fill ins(%cst : f32) outs(%e : tensor<8x4x4x1xf32>) -> tensor<8x4x4x1xf32>
        %acc = scf.for %k = %c0 to %K step %c64 iter_args(%x = %z) -> (tensor<8x4x4x1xf32>) {
          scf.for %j = %c0 to %c8 step %c1 {                                                     // A: 64x64 = 512 chunks, 8 per lane
            %cid = affine.apply affine_map<()[s0, s1] -> (s0 * 64 + s1)>()[%j, %lane]   %rc:2 = affine.delinearize_index %cid into (64, 8) : index, index
            %cc = arith.muli %rc#1, %c8 : index   %lrow = arith.addi %ar, %rc#0 : index   %grow = arith.addi %om, %lrow : index
            %gcol = arith.addi %k, %cc : index   %d0 = affine.max #left()[%M, %grow]   %d1 = affine.max #left()[%K, %gcol]
            %vr = arith.minsi %d0, %c1 : index   %vc = arith.minsi %d1, %c8 : index   %h0 = arith.subi %c1, %vr : index   %h1 = arith.subi %c8, %vc : index
            %g = pcf.read_slice %a[%grow, %gcol] [%vr, %vc] [1, 1] : !GA to tensor<?x?xf16>
            %p = tensor.pad %g low[0, 0] high[%h0, %h1] { ^bb0(%i0: index, %i1: index): tensor.yield %z16 : f16 } : tensor<?x?xf16> to tensor<1x8xf16>
            pcf.write_slice %p into %la[%lrow, %cc] [1, 8] [1, 1] : tensor<1x8xf16> into !LA
          }
          scf.for %j = %c0 to %c4 step %c1 {                                                     // B: 16x128 = 256 chunks, 4 per lane
            %cid = affine.apply affine_map<()[s0, s1] -> (s0 * 64 + s1)>()[%j, %lane]   %rc:2 = affine.delinearize_index %cid into (16, 16) : index, index
            %cc = arith.muli %rc#1, %c8 : index   %lrow = arith.addi %br, %rc#0 : index   %grow = arith.addi %k, %lrow : index
            %gcol = arith.addi %on, %cc : index   %d0 = affine.max #left()[%K, %grow]   %d1 = affine.max #left()[%N, %gcol]
            %vr = arith.minsi %d0, %c1 : index   %vc = arith.minsi %d1, %c8 : index   %h0 = arith.subi %c1, %vr : index   %h1 = arith.subi %c8, %vc : index
            %g = pcf.read_slice %b[%grow, %gcol] [%vr, %vc] [1, 1] : !GA to tensor<?x?xf16>
            %p = tensor.pad %g low[0, 0] high[%h0, %h1] { ^bb0(%i0: index, %i1: index): tensor.yield %z16 : f16 } : tensor<?x?xf16> to tensor<1x8xf16>
            pcf.write_slice %p into %lb[%lrow, %cc] [1, 8] [1, 1] : tensor<1x8xf16> into !LB
          }
          pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
          %av = pcf.subview %la[%row, 0] [128, 64] [1, 1] : !LA to !pcf.sref<128x64xf16, #sg>
          %ax = pcf.expand_shape %av [[0, 1], [2, 3]] : !pcf.sref<128x64xf16, #sg> into !pcf.sref<8x16x4x16xf16, #sg>
          %af = pcf.read_slice %ax[0, %l2#1, 0, %l4] [8, 1, 4, 4] [1, 1, 1, 1] : !pcf.sref<8x16x4x16xf16, #sg> to tensor<8x1x4x4xf16>
          %ae = tensor.empty() : tensor<8x4x1x4xf16>
          %at = linalg.transpose ins(%af : tensor<8x1x4x4xf16>) outs(%ae : tensor<8x4x1x4xf16>) permutation = [0, 2, 1, 3]
          %bv = pcf.subview %lb[0, %col] [64, 64] [1, 1] : !LB to !pcf.sref<64x64xf16, #sg>
          %bx = pcf.expand_shape %bv [[0, 1], [2, 3]] : !pcf.sref<64x64xf16, #sg> into !pcf.sref<4x16x4x16xf16, #sg>
          %bf = pcf.read_slice %bx[0, %l4, 0, %l2#1] [4, 4, 4, 1] [1, 1, 1, 1] : !pcf.sref<4x16x4x16xf16, #sg> to tensor<4x4x4x1xf16>
          %be = tensor.empty() : tensor<4x4x4x1xf16>
          %bt = linalg.transpose ins(%bf : tensor<4x4x4x1xf16>) outs(%be : tensor<4x4x4x1xf16>) permutation = [0, 2, 1, 3]
          %y = iree_codegen.inner_tiled ins(%at, %bt) outs(%x) {indexing_maps = [#mk, #kn, #mn], kind = #mma} : tensor<8x4x1x4xf16>, tensor<4x4x4x1xf16> into tensor<8x4x4x1xf32>
          pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
          scf.yield %y : tensor<8x4x4x1xf32> }
        scf.for %mo = %c0 to %c8 step %c1 {
          scf.for %no = %c0 to %c4 step %c1 {
            %gr = affine.apply affine_map<()[s0, s1, s2] -> (s0 + s1 * 16 + s2)>()[%crow, %mo, %l4]
            %gc = affine.apply affine_map<()[s0, s1, s2] -> (s0 + s1 * 16 + s2)>()[%ccol, %no, %l2#1]   %d0 = affine.max #left()[%M, %gr]
            %d1 = affine.max #left()[%N, %gc]   %vr = arith.minsi %d0, %c4 : index   %vc = arith.minsi %d1, %c1 : index
            %fs = tensor.extract_slice %acc[%mo, %no, 0, 0] [1, 1, %vr, %vc] [1, 1, 1, 1] : tensor<8x4x4x1xf32> to tensor<?x?xf32>
            pcf.write_slice %fs into %c[%gr, %gc] [%vr, %vc] [1, 1] : tensor<?x?xf32> into !GC
          }
        }
        pcf.return
      }
      pcf.return
    }
    pcf.return
  }
  return %r : tensor<?x?xf32>
}

func.func @vectorized(%A: tensor<?x?xf16>, %B: tensor<?x?xf16>, %C: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {translation_info = #ti} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
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
      pcf.generic scope(#ln) execute[%lane: index, %nl: index] {
        %l2:2 = affine.delinearize_index %lane into (4, 16) : index, index   %l4 = arith.muli %l2#0, %c4 : index
        %z = arith.constant dense<0.0> : vector<8x4x4x1xf32>
        %acc = scf.for %k = %c0 to %K step %c64 iter_args(%x = %z) -> (vector<8x4x4x1xf32>) {
          scf.for %j = %c0 to %c8 step %c1 {
            %cid = affine.apply affine_map<()[s0, s1] -> (s0 * 64 + s1)>()[%j, %lane]   %rc:2 = affine.delinearize_index %cid into (64, 8) : index, index
            %cc = arith.muli %rc#1, %c8 : index   %lrow = arith.addi %ar, %rc#0 : index   %grow = arith.addi %om, %lrow : index
            %gcol = arith.addi %k, %cc : index   %d0 = affine.max #left()[%M, %grow]   %d1 = affine.max #left()[%K, %gcol]
            %vr = arith.minsi %d0, %c1 : index   %vc = arith.minsi %d1, %c8 : index
            %g = pcf.read_slice %a[%grow, %gcol] [%vr, %vc] [1, 1] : !GA to vector<1x8xf16>
            pcf.write_slice %g into %la[%lrow, %cc] [1, 8] [1, 1] : vector<1x8xf16> into !LA
          }
          scf.for %j = %c0 to %c4 step %c1 {
            %cid = affine.apply affine_map<()[s0, s1] -> (s0 * 64 + s1)>()[%j, %lane]   %rc:2 = affine.delinearize_index %cid into (16, 16) : index, index
            %cc = arith.muli %rc#1, %c8 : index   %lrow = arith.addi %br, %rc#0 : index   %grow = arith.addi %k, %lrow : index
            %gcol = arith.addi %on, %cc : index   %d0 = affine.max #left()[%K, %grow]   %d1 = affine.max #left()[%N, %gcol]
            %vr = arith.minsi %d0, %c1 : index   %vc = arith.minsi %d1, %c8 : index
            %g = pcf.read_slice %b[%grow, %gcol] [%vr, %vc] [1, 1] : !GA to vector<1x8xf16>
            pcf.write_slice %g into %lb[%lrow, %cc] [1, 8] [1, 1] : vector<1x8xf16> into !LB
          }
          pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
          %av = pcf.subview %la[%row, 0] [128, 64] [1, 1] : !LA to !pcf.sref<128x64xf16, #sg>
          %ax = pcf.expand_shape %av [[0, 1], [2, 3]] : !pcf.sref<128x64xf16, #sg> into !pcf.sref<8x16x4x16xf16, #sg>
          %af = pcf.read_slice %ax[0, %l2#1, 0, %l4] [8, 1, 4, 4] [1, 1, 1, 1] : !pcf.sref<8x16x4x16xf16, #sg> to vector<8x1x4x4xf16>
          %at = vector.transpose %af, [0, 2, 1, 3] : vector<8x1x4x4xf16> to vector<8x4x1x4xf16>
          %bv = pcf.subview %lb[0, %col] [64, 64] [1, 1] : !LB to !pcf.sref<64x64xf16, #sg>
          %bx = pcf.expand_shape %bv [[0, 1], [2, 3]] : !pcf.sref<64x64xf16, #sg> into !pcf.sref<4x16x4x16xf16, #sg>
          %bf = pcf.read_slice %bx[0, %l4, 0, %l2#1] [4, 4, 4, 1] [1, 1, 1, 1] : !pcf.sref<4x16x4x16xf16, #sg> to vector<4x4x4x1xf16>
          %bt = vector.transpose %bf, [0, 2, 1, 3] : vector<4x4x4x1xf16> to vector<4x4x4x1xf16>
          %y = iree_codegen.inner_tiled ins(%at, %bt) outs(%x) {indexing_maps = [#mk, #kn, #mn], kind = #mma} : vector<8x4x1x4xf16>, vector<4x4x4x1xf16> into vector<8x4x4x1xf32>
          pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
          scf.yield %y : vector<8x4x4x1xf32> }
        scf.for %mo = %c0 to %c8 step %c1 {
          scf.for %no = %c0 to %c4 step %c1 {
            %gr = affine.apply affine_map<()[s0, s1, s2] -> (s0 + s1 * 16 + s2)>()[%crow, %mo, %l4]
            %gc = affine.apply affine_map<()[s0, s1, s2] -> (s0 + s1 * 16 + s2)>()[%ccol, %no, %l2#1]   %d0 = affine.max #left()[%M, %gr]
            %d1 = affine.max #left()[%N, %gc]   %vr = arith.minsi %d0, %c4 : index   %vc = arith.minsi %d1, %c1 : index
            %v = vector.extract %acc[%mo, %no] : vector<4x1xf32> from vector<8x4x4x1xf32>
            pcf.write_slice %v into %c[%gr, %gc] [%vr, %vc] [1, 1] : vector<4x1xf32> into !GC
          }
        }
        pcf.return
      }
      pcf.return
    }
    pcf.return
  }
  return %r : tensor<?x?xf32>
}

func.func @bufferized(%mA: memref<?x?xf16>, %mB: memref<?x?xf16>, %mC: memref<?x?xf32>, %ntn: index, %ntm: index) {
  %r = pcf.loop sync true scope(#wg) count(%ntn, %ntm)
    execute(%a <- %mA : memref<?x?xf16>, %b <- %mB : memref<?x?xf16>, %c = %mC)[%in: index, %im: index]
    : (!GA, !GA, !pcf.sref<?x?xf32, #wg>) -> (memref<?x?xf32>) {
    "stage8.body"(%a, %b, %c, %in, %im) : (!GA, !GA, !pcf.sref<?x?xf32, #wg>, index, index) -> ()
    pcf.return
  }
  return
}

func.func @final(%mA: memref<?x?xf16>, %mB: memref<?x?xf16>, %mC: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index   %c1 = arith.constant 1 : index   %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index   %c16 = arith.constant 16 : index   %c64 = arith.constant 64 : index   %c128 = arith.constant 128 : index   %c256 = arith.constant 256 : index
  %z16 = arith.constant 0.0 : f16
  %la = memref.alloc() {alignment = 16 : i64} : memref<256x64xf16, #ws>
  %lb = memref.alloc() {alignment = 16 : i64} : memref<64x128xf16, #ws>
  %M = memref.dim %mA, %c0 : memref<?x?xf16>   %K = memref.dim %mA, %c1 : memref<?x?xf16>   %N = memref.dim %mB, %c1 : memref<?x?xf16>
  %ntm = affine.apply affine_map<()[s0] -> (s0 ceildiv 256)>()[%M]   %ntn = affine.apply affine_map<()[s0] -> (s0 ceildiv 128)>()[%N]
  %bx0 = gpu.block_id x   %by0 = gpu.block_id y   %bz0 = gpu.block_id z
  %nx0 = gpu.grid_dim x   %ny0 = gpu.grid_dim y   %nz0 = gpu.grid_dim z
  %yz = affine.apply affine_map<()[s0, s1, s2] -> (s0 + s1 * s2)>()[%by0, %bz0, %ny0]       // 2 counts on rank 3: y and z linearized
  %nyz = affine.apply affine_map<()[s0, s1] -> (s0 * s1)>()[%ny0, %nz0]
  scf.forall (%im, %in) = (%yz, %bx0) to (%ntm, %ntn) step (%nyz, %nx0) {
    %om = arith.muli %im, %c256 : index   %on = arith.muli %in, %c128 : index   %id = gpu.subgroup_id : index
    %s2:2 = affine.delinearize_index %id into (2, 2) : index, index   %row = arith.muli %s2#0, %c128 : index   %col = arith.muli %s2#1, %c64 : index
    %ar = arith.muli %id, %c64 : index   %br = arith.muli %id, %c16 : index   %crow = arith.addi %om, %row : index
    %ccol = arith.addi %on, %col : index
    %lane = gpu.lane_id
    %l2:2 = affine.delinearize_index %lane into (4, 16) : index, index   %l4 = arith.muli %l2#0, %c4 : index
    %z = arith.constant dense<0.0> : vector<8x4x4x1xf32>
    %acc = scf.for %k = %c0 to %K step %c64 iter_args(%x = %z) -> (vector<8x4x4x1xf32>) {
      scf.for %j = %c0 to %c8 step %c1 {
        %cid = affine.apply affine_map<()[s0, s1] -> (s0 * 64 + s1)>()[%j, %lane]   %rc:2 = affine.delinearize_index %cid into (64, 8) : index, index
        %cc = arith.muli %rc#1, %c8 : index   %lrow = arith.addi %ar, %rc#0 : index   %grow = arith.addi %om, %lrow : index
        %gcol = arith.addi %k, %cc : index   %d0 = affine.max #left()[%M, %grow]   %d1 = affine.max #left()[%K, %gcol]
        %vr = arith.minsi %d0, %c1 : index   %vc = arith.minsi %d1, %c8 : index
        %gs = memref.subview %mA[%grow, %gcol] [%vr, %vc] [1, 1] : memref<?x?xf16> to memref<?x?xf16, strided<[?, 1], offset: ?>>
        %g = vector.transfer_read %gs[%c0, %c0], %z16 : memref<?x?xf16, strided<[?, 1], offset: ?>>, vector<1x8xf16>
        %ls = memref.subview %la[%lrow, %cc] [1, 8] [1, 1] : memref<256x64xf16, #ws> to memref<1x8xf16, strided<[64, 1], offset: ?>, #ws>
        vector.transfer_write %g, %ls[%c0, %c0] {in_bounds = [true, true]} : vector<1x8xf16>, memref<1x8xf16, strided<[64, 1], offset: ?>, #ws>
      }
      scf.for %j = %c0 to %c4 step %c1 {
        %cid = affine.apply affine_map<()[s0, s1] -> (s0 * 64 + s1)>()[%j, %lane]   %rc:2 = affine.delinearize_index %cid into (16, 16) : index, index
        %cc = arith.muli %rc#1, %c8 : index   %lrow = arith.addi %br, %rc#0 : index   %grow = arith.addi %k, %lrow : index
        %gcol = arith.addi %on, %cc : index   %d0 = affine.max #left()[%K, %grow]   %d1 = affine.max #left()[%N, %gcol]
        %vr = arith.minsi %d0, %c1 : index   %vc = arith.minsi %d1, %c8 : index
        %gs = memref.subview %mB[%grow, %gcol] [%vr, %vc] [1, 1] : memref<?x?xf16> to memref<?x?xf16, strided<[?, 1], offset: ?>>
        %g = vector.transfer_read %gs[%c0, %c0], %z16 : memref<?x?xf16, strided<[?, 1], offset: ?>>, vector<1x8xf16>
        %ls = memref.subview %lb[%lrow, %cc] [1, 8] [1, 1] : memref<64x128xf16, #ws> to memref<1x8xf16, strided<[128, 1], offset: ?>, #ws>
        vector.transfer_write %g, %ls[%c0, %c0] {in_bounds = [true, true]} : vector<1x8xf16>, memref<1x8xf16, strided<[128, 1], offset: ?>, #ws>
      }
      iree_gpu.fence release workgroup
      iree_gpu.global_subgroup_barrier
      iree_gpu.fence acquire workgroup
      %av = memref.subview %la[%row, 0] [128, 64] [1, 1] : memref<256x64xf16, #ws> to memref<128x64xf16, strided<[64, 1], offset: ?>, #ws>
      %ax = memref.expand_shape %av [[0, 1], [2, 3]] output_shape [8, 16, 4, 16] : memref<128x64xf16, strided<[64, 1], offset: ?>, #ws> into memref<8x16x4x16xf16, strided<[1024, 64, 16, 1], offset: ?>, #ws>
      %as = memref.subview %ax[0, %l2#1, 0, %l4] [8, 1, 4, 4] [1, 1, 1, 1] : memref<8x16x4x16xf16, strided<[1024, 64, 16, 1], offset: ?>, #ws> to memref<8x1x4x4xf16, strided<[1024, 64, 16, 1], offset: ?>, #ws>
      %af = vector.transfer_read %as[%c0, %c0, %c0, %c0], %z16 {in_bounds = [true, true, true, true]} : memref<8x1x4x4xf16, strided<[1024, 64, 16, 1], offset: ?>, #ws>, vector<8x1x4x4xf16>
      %at = vector.transpose %af, [0, 2, 1, 3] : vector<8x1x4x4xf16> to vector<8x4x1x4xf16>
      %bv = memref.subview %lb[0, %col] [64, 64] [1, 1] : memref<64x128xf16, #ws> to memref<64x64xf16, strided<[128, 1], offset: ?>, #ws>
      %bx = memref.expand_shape %bv [[0, 1], [2, 3]] output_shape [4, 16, 4, 16] : memref<64x64xf16, strided<[128, 1], offset: ?>, #ws> into memref<4x16x4x16xf16, strided<[2048, 128, 16, 1], offset: ?>, #ws>
      %bs = memref.subview %bx[0, %l4, 0, %l2#1] [4, 4, 4, 1] [1, 1, 1, 1] : memref<4x16x4x16xf16, strided<[2048, 128, 16, 1], offset: ?>, #ws> to memref<4x4x4x1xf16, strided<[2048, 128, 16, 1], offset: ?>, #ws>
      %bf = vector.transfer_read %bs[%c0, %c0, %c0, %c0], %z16 {in_bounds = [true, true, true, true]} : memref<4x4x4x1xf16, strided<[2048, 128, 16, 1], offset: ?>, #ws>, vector<4x4x4x1xf16>
      %bt = vector.transpose %bf, [0, 2, 1, 3] : vector<4x4x4x1xf16> to vector<4x4x4x1xf16>
      %y = iree_codegen.inner_tiled ins(%at, %bt) outs(%x) {indexing_maps = [#mk, #kn, #mn], kind = #mma} : vector<8x4x1x4xf16>, vector<4x4x4x1xf16> into vector<8x4x4x1xf32>
      iree_gpu.fence release workgroup
      iree_gpu.global_subgroup_barrier
      iree_gpu.fence acquire workgroup
      scf.yield %y : vector<8x4x4x1xf32> }
    scf.for %mo = %c0 to %c8 step %c1 {
      scf.for %no = %c0 to %c4 step %c1 {
        %gr = affine.apply affine_map<()[s0, s1, s2] -> (s0 + s1 * 16 + s2)>()[%crow, %mo, %l4]
        %gc = affine.apply affine_map<()[s0, s1, s2] -> (s0 + s1 * 16 + s2)>()[%ccol, %no, %l2#1]   %d0 = affine.max #left()[%M, %gr]
        %d1 = affine.max #left()[%N, %gc]   %vr = arith.minsi %d0, %c4 : index   %vc = arith.minsi %d1, %c1 : index
        %v = vector.extract %acc[%mo, %no] : vector<4x1xf32> from vector<8x4x4x1xf32>
        %cs = memref.subview %mC[%gr, %gc] [%vr, %vc] [1, 1] : memref<?x?xf32> to memref<?x?xf32, strided<[?, 1], offset: ?>>
        vector.transfer_write %v, %cs[%c0, %c0] : vector<4x1xf32>, memref<?x?xf32, strided<[?, 1], offset: ?>>
      }
    }
  }
  return
}

func.func @mma_sync(%row: index, %col: index, %lane: index, %la: !LA, %lb: !LB, %x: vector<4x8x2x2xf32>) {
  %g2:2 = affine.delinearize_index %lane into (8, 4) : index, index                          // (g, t)
  %t2 = affine.apply affine_map<()[s0] -> (s0 * 2)>()[%g2#1]
  %av = pcf.subview %la[%row, 0] [64, 64] [1, 1] : !LA to !pcf.sref<64x64xf16, #sg>
  %ax = pcf.expand_shape %av [[0, 1, 2], [3, 4, 5]] : !pcf.sref<64x64xf16, #sg> into !pcf.sref<4x2x8x4x2x8xf16, #sg>
  %af = pcf.read_slice %ax[0, 0, %g2#0, 0, 0, %t2] [4, 2, 1, 4, 2, 2] [1, 1, 1, 1, 1, 1] : !pcf.sref<4x2x8x4x2x8xf16, #sg> to vector<4x2x1x4x2x2xf16>
  %at = vector.transpose %af, [0, 3, 4, 1, 2, 5] : vector<4x2x1x4x2x2xf16> to vector<4x4x2x2x1x2xf16>
  %aa = vector.shape_cast %at : vector<4x4x2x2x1x2xf16> to vector<4x4x4x2xf16>
  %bv = pcf.subview %lb[0, %col] [64, 64] [1, 1] : !LB to !pcf.sref<64x64xf16, #sg>
  %bx = pcf.expand_shape %bv [[0, 1, 2], [3, 4]] : !pcf.sref<64x64xf16, #sg> into !pcf.sref<4x2x8x8x8xf16, #sg>
  %bf = pcf.read_slice %bx[0, 0, %t2, 0, %g2#0] [4, 2, 2, 8, 1] [1, 1, 1, 1, 1] : !pcf.sref<4x2x8x8x8xf16, #sg> to vector<4x2x2x8x1xf16>
  %bt = vector.transpose %bf, [0, 3, 1, 2, 4] : vector<4x2x2x8x1xf16> to vector<4x8x2x2x1xf16>
  %bb = vector.shape_cast %bt : vector<4x8x2x2x1xf16> to vector<4x8x2x2xf16>
  %y = iree_codegen.inner_tiled ins(%aa, %bb) outs(%x) {indexing_maps = [#mk, #kn, #mn], kind = #nvmma} : vector<4x4x4x2xf16>, vector<4x8x2x2xf16> into vector<4x8x2x2xf32>
  return
}
