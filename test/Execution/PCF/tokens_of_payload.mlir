// RUN: distaff run %s --func by_if --target sm_80 --check --pipeline run-cluster --every-stage --input arg2=0
// RUN: distaff run %s --func by_if --target sm_80 --check --device ptx --input arg2=1
// RUN: distaff run %s --func by_if --target gfx942 --check --pipeline run-cluster --every-stage --input arg2=1
// RUN: distaff run %s --func by_switch --target gfx942 --check --pipeline run-cluster --every-stage --input arg2=0
// RUN: distaff run %s --func by_select --target sm_80 --check --pipeline run-cluster --every-stage --input arg2=1
// RUN: distaff run %s --func around_a_loop --target sm_80 --check --pipeline run-cluster --every-stage --input arg2=1
// RUN: distaff run %s --func around_a_loop --target gfx942 --check --pipeline run-cluster --every-stage --input arg2=0
// RUN: distaff compile %s --target gfx942 --pipeline run-cluster --stop-after=specialize | FileCheck %s
// RUN: distaff compile %s --target sm_80 --pipeline run-cluster --emit ptx | FileCheck %s --check-prefix=PTX

// A token that a phase chooses among its payload stands for the copies behind every choice (PCF-162).

#sg = #iree_gpu.subgroup_scope
#L4 = #iree_codegen.translation_info<workgroup_size = [128, 1, 1]>
!X = !pcf.sref<64xf32, #sg>
!O = !pcf.sref<64xf32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {!pcf.copy_token}>
!T2 = !pcf.threadgroup<#sg, {!pcf.copy_token, !pcf.copy_token}>

// By a branch.
// CHECK-LABEL: func.func @by_if(
// CHECK: initialize
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%{{.*}}, %{{.*}})
// PTX-LABEL: .entry by_if(
// PTX-COUNT-2: cp.async.cg.shared.global
// PTX: cp.async.wait_group 0
func.func @by_if(%in: tensor<64xf32>, %out: tensor<64xf32>, %n: index) -> tensor<64xf32> attributes {translation_info = #L4} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !X  %b = pcf.alloc() : !X  pcf.yield %a, %b : !X, !X } -> (%p: !X, %q: !X)
    execute(%x <- %in : tensor<64xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<64xf32>) {
    %first = arith.cmpi eq, %n, %c0 : index
    %h0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %u = pcf.async_copy %x into %p : !X into !X
      %v = pcf.async_copy %x into %q : !X into !X
      pcf.cluster_yield %u, %v : !pcf.copy_token, !pcf.copy_token
    } : (!TG) -> !T2
    %h = pcf.shared_executor.run_cluster(%h0)[] (%t: !pcf.copy_token, %t2: !pcf.copy_token) {
      %s = scf.if %first -> !pcf.copy_token { scf.yield %t : !pcf.copy_token } else { scf.yield %t2 : !pcf.copy_token }
      pcf.cluster_yield %s : !pcf.copy_token
    } : (!T2) -> !T
    pcf.shared_executor.run_cluster(%h)[] (%t: !pcf.copy_token) {
      pcf.wait %t
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
    } : (!T)
    pcf.return
  }
  return %r : tensor<64xf32>
}

// By a switch.
// CHECK-LABEL: func.func @by_switch(
// CHECK: initialize
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%{{.*}}, %{{.*}})
// PTX-LABEL: .entry by_switch(
// PTX-COUNT-2: cp.async.cg.shared.global
// PTX: cp.async.wait_group 0
func.func @by_switch(%in: tensor<64xf32>, %out: tensor<64xf32>, %n: index) -> tensor<64xf32> attributes {translation_info = #L4} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !X  %b = pcf.alloc() : !X  pcf.yield %a, %b : !X, !X } -> (%p: !X, %q: !X)
    execute(%x <- %in : tensor<64xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<64xf32>) {
    %first = arith.cmpi eq, %n, %c0 : index
    %h0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %u = pcf.async_copy %x into %p : !X into !X
      %v = pcf.async_copy %x into %q : !X into !X
      pcf.cluster_yield %u, %v : !pcf.copy_token, !pcf.copy_token
    } : (!TG) -> !T2
    %h = pcf.shared_executor.run_cluster(%h0)[] (%t: !pcf.copy_token, %t2: !pcf.copy_token) {
      %s = scf.index_switch %n -> !pcf.copy_token
      case 0 { scf.yield %t : !pcf.copy_token }
      default { scf.yield %t2 : !pcf.copy_token }
      pcf.cluster_yield %s : !pcf.copy_token
    } : (!T2) -> !T
    pcf.shared_executor.run_cluster(%h)[] (%t: !pcf.copy_token) {
      pcf.wait %t
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
    } : (!T)
    pcf.return
  }
  return %r : tensor<64xf32>
}

// By a selection.
// CHECK-LABEL: func.func @by_select(
// CHECK: initialize
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%{{.*}}, %{{.*}})
// PTX-LABEL: .entry by_select(
// PTX-COUNT-2: cp.async.cg.shared.global
// PTX: cp.async.wait_group 0
func.func @by_select(%in: tensor<64xf32>, %out: tensor<64xf32>, %n: index) -> tensor<64xf32> attributes {translation_info = #L4} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !X  %b = pcf.alloc() : !X  pcf.yield %a, %b : !X, !X } -> (%p: !X, %q: !X)
    execute(%x <- %in : tensor<64xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<64xf32>) {
    %first = arith.cmpi eq, %n, %c0 : index
    %h0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %u = pcf.async_copy %x into %p : !X into !X
      %v = pcf.async_copy %x into %q : !X into !X
      pcf.cluster_yield %u, %v : !pcf.copy_token, !pcf.copy_token
    } : (!TG) -> !T2
    %h = pcf.shared_executor.run_cluster(%h0)[] (%t: !pcf.copy_token, %t2: !pcf.copy_token) {
      %s = arith.select %first, %t, %t2 : !pcf.copy_token
      pcf.cluster_yield %s : !pcf.copy_token
    } : (!T2) -> !T
    pcf.shared_executor.run_cluster(%h)[] (%t: !pcf.copy_token) {
      pcf.wait %t
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
    } : (!T)
    pcf.return
  }
  return %r : tensor<64xf32>
}

// Tokens of two classes that change places in a loop: each class stands for both copies.
// CHECK-LABEL: func.func @around_a_loop(
// CHECK: initialize
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%{{.*}}, %{{.*}})
// PTX-LABEL: .entry around_a_loop(
// PTX-COUNT-2: cp.async.cg.shared.global
// PTX: cp.async.wait_group 0
func.func @around_a_loop(%in: tensor<64xf32>, %out: tensor<64xf32>, %n: index) -> tensor<64xf32> attributes {translation_info = #L4} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %a = pcf.alloc() : !X  %b = pcf.alloc() : !X  pcf.yield %a, %b : !X, !X } -> (%p: !X, %q: !X)
    execute(%x <- %in : tensor<64xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<64xf32>) {
    %first = arith.cmpi eq, %n, %c0 : index
    %h0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %u = pcf.async_copy %x into %p : !X into !X
      %v = pcf.async_copy %x into %q : !X into !X
      pcf.cluster_yield %u, %v : !pcf.copy_token, !pcf.copy_token
    } : (!TG) -> !T2
    %h = scf.for %i = %c0 to %c5 step %c1 iter_args(%it = %h0) -> (!T2) {
      %next = pcf.shared_executor.run_cluster(%it)[] (%t: !pcf.copy_token, %t2: !pcf.copy_token) {
        %s = arith.select %first, %t, %t2 : !pcf.copy_token
        %s2 = arith.select %first, %t2, %t : !pcf.copy_token
        pcf.cluster_yield %s, %s2 : !pcf.copy_token, !pcf.copy_token
      } : (!T2) -> !T2
      scf.yield %next : !T2
    }
    pcf.shared_executor.run_cluster(%h)[] (%t: !pcf.copy_token, %t2: !pcf.copy_token) {
      pcf.wait %t
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
