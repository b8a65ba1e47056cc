// RUN: distaff run %s --func chosen --target sm_80 --check --pipeline run-cluster --every-stage --input arg2=0
// RUN: distaff run %s --func chosen --target sm_80 --check --device ptx --input arg2=1
// RUN: distaff run %s --func chosen --target gfx942 --check --pipeline run-cluster --stages=convert --input arg2=1
// RUN: distaff run %s --func handed_on --target sm_80 --check --pipeline run-cluster --every-stage --input arg2=0
// RUN: distaff run %s --func handed_on --target sm_80 --check --device ptx --input arg2=3
// RUN: distaff run %s --func handed_on --target gfx942 --check --pipeline run-cluster --every-stage --input arg2=1
// RUN: distaff compile %s --target gfx942 --pipeline run-cluster --stop-after=specialize | FileCheck %s

// A phase waits for a token that it chooses among its payload itself, and for one that a loop hands on (PCF-184).

#sg = #iree_gpu.subgroup_scope
#L4 = #iree_codegen.translation_info<workgroup_size = [128, 1, 1]>
!X = !pcf.sref<64xf32, #sg>
!O = !pcf.sref<64xf32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {!pcf.copy_token}>
!T2 = !pcf.threadgroup<#sg, {!pcf.copy_token, !pcf.copy_token}>

// CHECK-LABEL: func.func @chosen(
// CHECK: initialize
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%{{.*}}, %{{.*}})
func.func @chosen(%in: tensor<64xf32>, %out: tensor<64xf32>, %n: index) -> tensor<64xf32> attributes {translation_info = #L4} {
  %c0 = arith.constant 0 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !X  %b = pcf.alloc() : !X  pcf.yield %a, %b : !X, !X } -> (%p: !X, %q: !X)
    execute(%x <- %in : tensor<64xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<64xf32>) {
    %first = arith.cmpi eq, %n, %c0 : index
    %h = pcf.shared_executor.run_cluster(%tg)[] () {
      %u = pcf.async_copy %x into %p : !X into !X
      %v = pcf.async_copy %x into %q : !X into !X
      pcf.cluster_yield %u, %v : !pcf.copy_token, !pcf.copy_token
    } : (!TG) -> !T2
    pcf.shared_executor.run_cluster(%h)[] (%t: !pcf.copy_token, %t2: !pcf.copy_token) {
      %s = arith.select %first, %t, %t2 : !pcf.copy_token
      pcf.wait %s
      scf.if %first {
        %v = pcf.read_slice %p[0] [64] [1] : !X to tensor<64xf32>
        %w = arith.addf %v, %v : tensor<64xf32>
        pcf.write_slice %w into %o[0] [64] [1] : tensor<64xf32> into !O
      } else {
        %v = pcf.read_slice %q[0] [64] [1] : !X to tensor<64xf32>
        %w = arith.mulf %v, %v : tensor<64xf32>
        pcf.write_slice %w into %o[0] [64] [1] : tensor<64xf32> into !O
      }
      pcf.cluster_yield
    } : (!T2)
    pcf.return
  }
  return %r : tensor<64xf32>
}

// After a step the token is that of the second copy, without one that of the first.
// CHECK-LABEL: func.func @handed_on(
// CHECK: initialize
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%{{.*}}, %{{.*}})
func.func @handed_on(%in: tensor<64xf32>, %out: tensor<64xf32>, %n: index) -> tensor<64xf32> attributes {translation_info = #L4} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !X  %b = pcf.alloc() : !X  pcf.yield %a, %b : !X, !X } -> (%p: !X, %q: !X)
    execute(%x <- %in : tensor<64xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<64xf32>) {
    %none = arith.cmpi eq, %n, %c0 : index
    %h = pcf.shared_executor.run_cluster(%tg)[] () {
      %u = pcf.async_copy %x into %p : !X into !X
      %v = pcf.async_copy %x into %q : !X into !X
      %t = scf.for %i = %c0 to %n step %c1 iter_args(%last = %u) -> (!pcf.copy_token) {
        scf.yield %v : !pcf.copy_token
      }
      pcf.cluster_yield %t : !pcf.copy_token
    } : (!TG) -> !T
    pcf.shared_executor.run_cluster(%h)[] (%t: !pcf.copy_token) {
      %s = scf.for %i = %c0 to %n step %c1 iter_args(%last = %t) -> (!pcf.copy_token) {
        scf.yield %last : !pcf.copy_token
      }
      pcf.wait %s
      scf.if %none {
        %v = pcf.read_slice %p[0] [64] [1] : !X to tensor<64xf32>
        %w = arith.addf %v, %v : tensor<64xf32>
        pcf.write_slice %w into %o[0] [64] [1] : tensor<64xf32> into !O
      } else {
        %v = pcf.read_slice %q[0] [64] [1] : !X to tensor<64xf32>
        %w = arith.mulf %v, %v : tensor<64xf32>
        pcf.write_slice %w into %o[0] [64] [1] : tensor<64xf32> into !O
      }
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return %r : tensor<64xf32>
}
