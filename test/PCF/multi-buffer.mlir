// RUN: distaff-opt %s -pcf-multi-buffer | FileCheck %s
// RUN: distaff-opt %s -pcf-multi-buffer=depth=4 | FileCheck %s --check-prefix=FOUR

// Stage 5 of chapter 8, a step ahead: slot n mod 2 is read while the other is
// filled, and one barrier per step is left.

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

// CHECK-LABEL: func.func @copies
// CHECK: initialize {
// CHECK-NEXT: pcf.alloc() : !sref_2x256x64xf16_subgroup
// CHECK-NEXT: pcf.alloc() : !sref_2x64x128xf16_subgroup
// CHECK: } -> (%[[LA:.*]]: !sref_2x256x64xf16_subgroup, %[[LB:.*]]: !sref_2x64x128xf16_subgroup) execute[%[[TG:.*]]: !subgroup_tg] {
// CHECK: linalg.fill
// The first panels, if there is a step.
// CHECK: %[[FIRST:.*]] = arith.cmpi sgt, %[[K:.*]], %c0
// CHECK-NEXT: pcf.shared_executor.run_cluster(%[[TG]])[] () {
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK: pcf.subview %[[LA]][0, 0, 0] [1, 256, 64] [1, 1, 1]
// CHECK: pcf.subview %[[LB]][0, 0, 0] [1, 64, 128] [1, 1, 1]
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[LA]], %[[LB]])
// CHECK-NEXT: scf.for %[[I:.*]] = %c0{{.*}} to %[[K]] step %[[STEP:c64.*]] iter_args(%[[IT:.*]] = %{{.*}})
// CHECK: %[[N:.*]] = arith.divui %[[I]], %[[STEP]]
// CHECK: %[[CUR:.*]] = arith.remui %[[N]], %c2
// CHECK: %[[LATER:.*]] = arith.addi %[[I]], %[[STEP]]
// CHECK: %[[N1:.*]] = arith.addi %[[N]], %c1
// CHECK: %[[NXT:.*]] = arith.remui %[[N1]], %c2
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[LATER]], %[[K]]
// CHECK-NEXT: pcf.shared_executor.run_cluster(%[[TG]])[] () {
// CHECK-NEXT: scf.if %[[MORE]] {
// CHECK: %[[VA:.*]] = pcf.subview %[[LA]][%[[NXT]], 0, 0] [1, 256, 64] [1, 1, 1] : !sref_2x256x64xf16_subgroup to !sref_256x64xf16_subgroup
// CHECK: %[[VB:.*]] = pcf.subview %[[LB]][%[[NXT]], 0, 0]
// CHECK: pcf.read_slice %{{.*}}[%{{.*}}, %[[LATER]]]
// CHECK: pcf.read_slice %{{.*}}[%[[LATER]], %{{.*}}]
// CHECK: pcf.write_slice %{{.*}} into %[[VA]][0, 0] [256, 64] [1, 1]
// CHECK: pcf.write_slice %{{.*}} into %[[VB]][0, 0] [64, 128] [1, 1]
// CHECK-NEXT: }
// CHECK-NEXT: pcf.cluster_yield
// CHECK-NEXT: } : (!subgroup_tg)
// CHECK-NEXT: %[[NEW:.*]] = pcf.shared_executor.run_cluster(%[[IT]])[]
// CHECK-NEXT: %[[RA:.*]] = pcf.subview %[[LA]][%[[CUR]], 0, 0] [1, 256, 64] [1, 1, 1]
// CHECK-NEXT: %[[RB:.*]] = pcf.subview %[[LB]][%[[CUR]], 0, 0] [1, 64, 128] [1, 1, 1]
// CHECK-NEXT: pcf.read_slice %[[RA]][0, 0] [256, 64]
// CHECK-NEXT: pcf.read_slice %[[RB]][0, 0] [64, 128]
// CHECK-NEXT: linalg.matmul
// CHECK-NEXT: pcf.cluster_yield
// CHECK-NEXT: } : (!subgroup_tg1) -> !subgroup_tg1
// CHECK-NEXT: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[LA]], %[[LB]])
// CHECK-NEXT: scf.yield %[[NEW]]
// CHECK-NEXT: }
// CHECK-NOT: pcf.barrier

// Three fills stand in front, behind checks of their own.
// FOUR-LABEL: func.func @copies
// FOUR: !sref_4x256x64xf16_subgroup
// FOUR: arith.cmpi sgt, %[[K:.*]], %c0
// FOUR: pcf.subview %{{.*}}[0, 0, 0]
// FOUR: arith.cmpi sgt, %[[K]], %c64
// FOUR: pcf.subview %{{.*}}[1, 0, 0]
// FOUR: arith.cmpi sgt, %[[K]], %c128
// FOUR: pcf.subview %{{.*}}[2, 0, 0]
// FOUR: pcf.barrier
// FOUR-NEXT: scf.for
// FOUR: arith.remui %{{.*}}, %c4
// FOUR: arith.addi %{{.*}}, %c192
// FOUR: arith.addi %{{.*}}, %c3
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

!P = !pcf.sref<8xf32, #sg>
!TG = !pcf.threadgroup<#sg>
!X = !pcf.sref<8x8xf32, #sg>

// What is known of the trip count needs no check, and the number of an iteration
// counts from the lower bound.
// CHECK-LABEL: func.func @known_steps
// CHECK: run_cluster
// CHECK-NEXT: pcf.subview %{{.*}}[0, 0]
// CHECK: scf.for %[[I:.*]] = %c3
// CHECK: %[[POS:.*]] = arith.subi %[[I]], %c3
// CHECK: arith.divui %[[POS]], %c2
// Two fills, but only one iteration.
// FOUR-LABEL: func.func @known_steps
// FOUR: pcf.subview %{{.*}}[0, 0]
// FOUR: pcf.subview %{{.*}}[1, 0]
// FOUR-NOT: pcf.subview %{{.*}}[2, 0]
// FOUR: pcf.barrier
func.func @known_steps(%in: tensor<8x8xf32>, %out: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<8x8xf32>, %o = %out)[%tg: !TG] : (!X, !pcf.sref<8x8xf32, sync(#sg)>) -> (tensor<8x8xf32>) {
    scf.for %k = %c3 to %c6 step %c2 {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k, 0] [1, 8] [1, 1] : !X to tensor<1x8xf32>
        %w = tensor.collapse_shape %v [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
        pcf.write_slice %w into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        %w = tensor.expand_shape %v [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
        pcf.write_slice %w into %o[%k, 0] [1, 8] [1, 1] : tensor<1x8xf32> into !pcf.sref<8x8xf32, sync(#sg)>
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
    }
    pcf.return
  }
  return %r : tensor<8x8xf32>
}

// Where the barrier stands before the fill, the first fill waits for one, too;
// a padded panel is read through views that the phases make for themselves;
// the barrier between the two reads goes, for both see what the fill wrote.
// CHECK-LABEL: func.func @barrier_in_front
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[L:.*]]) :
// CHECK: scf.if
// CHECK-NEXT: pcf.subview %[[L]][0, 0] [1, 12] [1, 1]
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[L]])
// CHECK-NEXT: scf.for
// CHECK-NOT: subview
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[L]])
// CHECK: scf.if
// CHECK: %[[S:.*]] = pcf.subview %[[L]][%{{.*}}, 0] [1, 12] [1, 1]
// CHECK: %[[V:.*]] = pcf.subview %[[S]][2] [8] [1]
// CHECK: pcf.write_slice %{{.*}} into %[[V]][0] [8] [1]
// CHECK-NOT: pcf.barrier
// CHECK: pcf.subview %{{.*}}[2] [8] [1]
// CHECK: pcf.subview %{{.*}}[2] [8] [1]
// CHECK: pcf.return
func.func @barrier_in_front(%in: tensor<8x8xf32>, %out: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !pcf.sref<12xf32, #sg>  pcf.yield %p : !pcf.sref<12xf32, #sg> } -> (%l: !pcf.sref<12xf32, #sg>)
    execute(%x <- %in : tensor<8x8xf32>, %o = %out)[%tg: !TG] : (!X, !pcf.sref<8x8xf32, sync(#sg)>) -> (tensor<8x8xf32>) {
    %view = pcf.subview %l[2] [8] [1] : !pcf.sref<12xf32, #sg> to !P
    scf.for %k = %c0 to %n step %c1 {
      pcf.barrier(#sg) fence(%view) : !P
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k, 0] [1, 8] [1, 1] : !X to tensor<1x8xf32>
        %w = tensor.collapse_shape %v [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
        pcf.write_slice %w into %view[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%view) : !P
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %view[0] [4] [1] : !P to tensor<4xf32>
        %w = tensor.expand_shape %v [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
        pcf.write_slice %w into %o[%k, 0] [1, 4] [1, 1] : tensor<1x4xf32> into !pcf.sref<8x8xf32, sync(#sg)>
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%view) : !P
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %view[4] [4] [1] : !P to tensor<4xf32>
        %w = tensor.expand_shape %v [[0, 1]] output_shape [1, 4] : tensor<4xf32> into tensor<1x4xf32>
        pcf.write_slice %w into %o[%k, 4] [1, 4] [1, 1] : tensor<1x4xf32> into !pcf.sref<8x8xf32, sync(#sg)>
        pcf.cluster_yield
      } : (!TG)
    }
    pcf.return
  }
  return %r : tensor<8x8xf32>
}

// A panel that is filled once has no slots, also where its phase has a loop, and
// what fences it orders its accesses still.
// CHECK-LABEL: func.func @filled_once
// CHECK: pcf.alloc() : !sref_2x8xf32_subgroup
// CHECK: pcf.alloc() : !sref_8xf32_subgroup
// CHECK: scf.for
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%{{.*}}, %{{.*}}) : !sref_2x8xf32_subgroup, !sref_8xf32_subgroup
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%{{.*}}) : !sref_2x8xf32_subgroup
func.func @filled_once(%in: tensor<8x8xf32>, %out: tensor<8x8xf32>, %n: index) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  %q = pcf.alloc() : !P  pcf.yield %p, %q : !P, !P } -> (%l: !P, %once: !P)
    execute(%x <- %in : tensor<8x8xf32>, %o = %out)[%tg: !TG] : (!X, !pcf.sref<8x8xf32, sync(#sg)>) -> (tensor<8x8xf32>) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      scf.for %i = %c0 to %c8 step %c1 {
        %v = pcf.read_slice %x[%i, 0] [1, 1] [1, 1] : !X to tensor<1x1xf32>
        %w = tensor.collapse_shape %v [[0, 1]] : tensor<1x1xf32> into tensor<1xf32>
        pcf.write_slice %w into %once[%i] [1] [1] : tensor<1xf32> into !P
      }
      pcf.cluster_yield
    } : (!TG)
    scf.for %k = %c0 to %n step %c1 {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k, 0] [1, 8] [1, 1] : !X to tensor<1x8xf32>
        %w = tensor.collapse_shape %v [[0, 1]] : tensor<1x8xf32> into tensor<8xf32>
        pcf.write_slice %w into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l, %once) : !P, !P
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        %u = pcf.read_slice %once[0] [8] [1] : !P to tensor<8xf32>
        %w = arith.addf %u, %v : tensor<8xf32>
        %e = tensor.expand_shape %w [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
        pcf.write_slice %e into %o[%k, 0] [1, 8] [1, 1] : tensor<1x8xf32> into !pcf.sref<8x8xf32, sync(#sg)>
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
    }
    pcf.return
  }
  return %r : tensor<8x8xf32>
}
