// RUN: distaff-opt %s -verify-diagnostics -split-input-file -pcf-specialize-producers

// Without a barrier between a read and the fill of a panel, their places
// have to be known to differ.

#sg = #iree_gpu.subgroup_scope
!P = !pcf.sref<8xf32, #sg>
!X = !pcf.sref<?xf32, #sg>
!O = !pcf.sref<8xf32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {tensor<8xf32>}>

// m + 1 and k may be one number, or eight apart.
func.func @slots_of_unrelated_numbers(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index, %m: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<0.0> : tensor<8xf32>
      pcf.cluster_yield %z : tensor<8xf32>
    } : (!TG) -> !T
    %t1 = scf.for %k = %c0 to %n step %c1 iter_args(%t = %t0) -> (!T) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [1] [1] : !X to tensor<1xf32>
        %next = arith.addi %m, %c1 : index
        %s = arith.remui %next, %c8 : index
        // expected-note @+1 {{it is filled here}}
        pcf.write_slice %v into %l[%s] [1] [1] : tensor<1xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      %u = pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        %q = arith.remui %k, %c8 : index
        // expected-error @+1 {{cannot separate producers: no barrier that fences it stands between a read of a panel and a phase that fills it}}
        %i = pcf.read_slice %l[%q] [1] [1] : !P to tensor<1xf32>
        %v = tensor.empty() : tensor<8xf32>
        %s = arith.addf %a, %v : tensor<8xf32>
        pcf.cluster_yield %s : tensor<8xf32>
      } : (!T) -> !T
      pcf.barrier(#sg) fence(%l) : !P
      scf.yield %u : !T
    }
    pcf.shared_executor.run_cluster(%t1)[] (%v: tensor<8xf32>) {
      pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return %r : tensor<8xf32>
}

// -----

#sg = #iree_gpu.subgroup_scope
!P = !pcf.sref<8xf32, #sg>
!X = !pcf.sref<?xf32, #sg>
!O = !pcf.sref<8xf32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {tensor<8xf32>}>

// The second element that is read may be any of the panel: a stride may be
// negative.
func.func @elements_at_unknown_strides(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index, %m: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<0.0> : tensor<8xf32>
      pcf.cluster_yield %z : tensor<8xf32>
    } : (!TG) -> !T
    %t1 = scf.for %k = %c0 to %n step %c1 iter_args(%t = %t0) -> (!T) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [1] [1] : !X to tensor<1xf32>
        // expected-note @+1 {{it is filled here}}
        pcf.write_slice %v into %l[0] [1] [1] : tensor<1xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      %u = pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        // expected-error @+1 {{cannot separate producers: no barrier that fences it stands between a read of a panel and a phase that fills it}}
        %i = pcf.read_slice %l[4] [2] [%m] : !P to tensor<2xf32>
        %v = tensor.empty() : tensor<8xf32>
        %s = arith.addf %a, %v : tensor<8xf32>
        pcf.cluster_yield %s : tensor<8xf32>
      } : (!T) -> !T
      pcf.barrier(#sg) fence(%l) : !P
      scf.yield %u : !T
    }
    pcf.shared_executor.run_cluster(%t1)[] (%v: tensor<8xf32>) {
      pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return %r : tensor<8xf32>
}
