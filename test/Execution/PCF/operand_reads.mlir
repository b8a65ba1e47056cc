// RUN: distaff run %s --func square --target sm_80 --pipeline run-cluster --check --every-stage --input arg0=whole:0:-3:3
// RUN: distaff run %s --func square --target sm_80 --device ptx --pipeline run-cluster --specialize producer-consumer --check --input arg0=whole:1:-3:3
// RUN: distaff run %s --func square --target gfx942 --pipeline run-cluster --specialize producer-consumer --check --schedule 4 --input arg0=whole:2:-3:3
// RUN: distaff run %s --func odd --target sm_80 --pipeline run-cluster --check --every-stage --input arg0=whole:0:-3:3
// RUN: distaff run %s --func one --target sm_80 --pipeline run-cluster --check --input arg0=whole:0:-3:3
// RUN: distaff compile %s --func square --target sm_80 --pipeline run-cluster --stop-after=distribute-subgroups | FileCheck %s

// A phase that multiplies a panel by itself reads rows of it for one operand, and columns for the other (PCF-187).
// CHECK-LABEL: func.func @square(
// CHECK: pcf.read_slice %{{.*}}[0, %{{.*}}] [16, 8]
// CHECK: linalg.matmul

#sg = #iree_gpu.subgroup_scope
#L = #iree_codegen.translation_info<workgroup_size = [128, 1, 1]>
!A = !pcf.sref<16x16xf32, #sg>
!O = !pcf.sref<16x16xf32, sync(#sg)>
!T = tensor<16x16xf32>
!TG = !pcf.threadgroup<#sg>
!A17 = !pcf.sref<17x17xf32, #sg>
!O17 = !pcf.sref<17x17xf32, sync(#sg)>
!T17 = tensor<17x17xf32>
!A1 = !pcf.sref<1x1xf32, #sg>
!O1 = !pcf.sref<1x1xf32, sync(#sg)>
!T1 = tensor<1x1xf32>
func.func @square(%in: tensor<16x16xf32>, %out: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {translation_info = #L} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %r = pcf.shared_executor scope(#sg) initialize { %p0 = pcf.alloc() : !A  pcf.yield %p0 : !A } -> (%p: !A)
    execute(%A <- %in : tensor<16x16xf32>, %O = %out)[%tg: !TG] : (!A, !O) -> (tensor<16x16xf32>) {
    %h0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %e = tensor.empty() : !T
      %f = linalg.fill ins(%z : f32) outs(%e : !T) -> !T
      pcf.cluster_yield %f : !T
    } : (!TG) -> !pcf.threadgroup<#sg, {!T}>
    %h = scf.for %i = %c0 to %c2 step %c1 iter_args(%it = %h0) -> (!pcf.threadgroup<#sg, {!T}>) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %a = pcf.read_slice %A[0, 0] [16, 16] [1, 1] : !A to !T
        pcf.write_slice %a into %p[0, 0] [16, 16] [1, 1] : !T into !A
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%p) : !A
      %n = pcf.shared_executor.run_cluster(%it)[] (%x: !T) {
        %v = pcf.read_slice %p[0, 0] [16, 16] [1, 1] : !A to !T
        %m = linalg.matmul ins(%v, %v : !T, !T) outs(%x : !T) -> !T
        pcf.cluster_yield %m : !T
      } : (!pcf.threadgroup<#sg, {!T}>) -> !pcf.threadgroup<#sg, {!T}>
      pcf.barrier(#sg) fence(%p) : !A
      scf.yield %n : !pcf.threadgroup<#sg, {!T}>
    }
    pcf.shared_executor.run_cluster(%h)[] (%x: !T) {
      pcf.write_slice %x into %O[0, 0] [16, 16] [1, 1] : !T into !O
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg, {!T}>)
    pcf.return
  }
  return %r : tensor<16x16xf32>
}

func.func @odd(%in: tensor<17x17xf32>, %out: tensor<17x17xf32>) -> tensor<17x17xf32> attributes {translation_info = #L} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %r = pcf.shared_executor scope(#sg) initialize { %p0 = pcf.alloc() : !A17  pcf.yield %p0 : !A17 } -> (%p: !A17)
    execute(%A <- %in : tensor<17x17xf32>, %O = %out)[%tg: !TG] : (!A17, !O17) -> (tensor<17x17xf32>) {
    %h0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %e = tensor.empty() : !T17
      %f = linalg.fill ins(%z : f32) outs(%e : !T17) -> !T17
      pcf.cluster_yield %f : !T17
    } : (!TG) -> !pcf.threadgroup<#sg, {!T17}>
    %h = scf.for %i = %c0 to %c2 step %c1 iter_args(%it = %h0) -> (!pcf.threadgroup<#sg, {!T17}>) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %a = pcf.read_slice %A[0, 0] [17, 17] [1, 1] : !A17 to !T17
        pcf.write_slice %a into %p[0, 0] [17, 17] [1, 1] : !T17 into !A17
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%p) : !A17
      %n = pcf.shared_executor.run_cluster(%it)[] (%x: !T17) {
        %v = pcf.read_slice %p[0, 0] [17, 17] [1, 1] : !A17 to !T17
        %m = linalg.matmul ins(%v, %v : !T17, !T17) outs(%x : !T17) -> !T17
        pcf.cluster_yield %m : !T17
      } : (!pcf.threadgroup<#sg, {!T17}>) -> !pcf.threadgroup<#sg, {!T17}>
      pcf.barrier(#sg) fence(%p) : !A17
      scf.yield %n : !pcf.threadgroup<#sg, {!T17}>
    }
    pcf.shared_executor.run_cluster(%h)[] (%x: !T17) {
      pcf.write_slice %x into %O[0, 0] [17, 17] [1, 1] : !T17 into !O17
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg, {!T17}>)
    pcf.return
  }
  return %r : tensor<17x17xf32>
}

func.func @one(%in: tensor<1x1xf32>, %out: tensor<1x1xf32>) -> tensor<1x1xf32> attributes {translation_info = #L} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %r = pcf.shared_executor scope(#sg) initialize { %p0 = pcf.alloc() : !A1  pcf.yield %p0 : !A1 } -> (%p: !A1)
    execute(%A <- %in : tensor<1x1xf32>, %O = %out)[%tg: !TG] : (!A1, !O1) -> (tensor<1x1xf32>) {
    %h0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %e = tensor.empty() : !T1
      %f = linalg.fill ins(%z : f32) outs(%e : !T1) -> !T1
      pcf.cluster_yield %f : !T1
    } : (!TG) -> !pcf.threadgroup<#sg, {!T1}>
    %h = scf.for %i = %c0 to %c2 step %c1 iter_args(%it = %h0) -> (!pcf.threadgroup<#sg, {!T1}>) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %a = pcf.read_slice %A[0, 0] [1, 1] [1, 1] : !A1 to !T1
        pcf.write_slice %a into %p[0, 0] [1, 1] [1, 1] : !T1 into !A1
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%p) : !A1
      %n = pcf.shared_executor.run_cluster(%it)[] (%x: !T1) {
        %v = pcf.read_slice %p[0, 0] [1, 1] [1, 1] : !A1 to !T1
        %m = linalg.matmul ins(%v, %v : !T1, !T1) outs(%x : !T1) -> !T1
        pcf.cluster_yield %m : !T1
      } : (!pcf.threadgroup<#sg, {!T1}>) -> !pcf.threadgroup<#sg, {!T1}>
      pcf.barrier(#sg) fence(%p) : !A1
      scf.yield %n : !pcf.threadgroup<#sg, {!T1}>
    }
    pcf.shared_executor.run_cluster(%h)[] (%x: !T1) {
      pcf.write_slice %x into %O[0, 0] [1, 1] [1, 1] : !T1 into !O1
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg, {!T1}>)
    pcf.return
  }
  return %r : tensor<1x1xf32>
}
