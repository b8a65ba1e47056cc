// RUN: distaff-opt %s -split-input-file -verify-diagnostics -pcf-multi-buffer

// Panels that cannot have slots, and phases that cannot run ahead.

#sg = #iree_gpu.subgroup_scope
!P = !pcf.sref<8xf32, #sg>
!X = !pcf.sref<?xf32, #sg>
!O = !pcf.sref<8xf32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {tensor<8xf32>}>

func.func @as_a_memref(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    // expected-note @+1 {{the panel}}
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    scf.for %k = %c0 to %n step %c8 {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      pcf.shared_executor.run_cluster(%tg)[] () {
        // expected-error @+1 {{cannot multi-buffer a panel: what pcf.get_memref does with it is not known}}
        %m = pcf.get_memref %l[0] [8] [1] : !P to memref<8xf32, strided<[?], offset: ?>>
        pcf.cluster_yield
      } : (!TG)
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
    }
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

func.func @of_dynamic_size(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    // expected-error @+2 {{cannot multi-buffer a panel: its size is not static}}
    // expected-note @+1 {{the panel}}
    initialize { %p = pcf.alloc(%n) : !X  pcf.yield %p : !X } -> (%l: !X)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    scf.for %k = %c0 to %n step %c8 {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !X
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !X
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %l[0] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !X
    }
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

func.func @other_memory(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    scf.for %k = %c0 to %n step %c8 {
      // expected-note @+1 {{the phase that fills it}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        // expected-error @+1 {{cannot multi-buffer a panel: the phase that fills it writes other memory, too}}
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
    }
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

func.func @of_what_the_loop_writes(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    scf.for %k = %c0 to %n step %c8 {
      // expected-note @+1 {{the phase that fills it}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        // expected-error @+1 {{cannot multi-buffer a panel: the phase that fills it reads what the loop may write}}
        %v = pcf.read_slice %o[0] [8] [1] : !O to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
    }
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

func.func @ordered_in_the_loop(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  %q = pcf.alloc() : !P  pcf.yield %p, %q : !P, !P } -> (%l: !P, %s: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[0] [8] [1] : !X to tensor<8xf32>
        // expected-error @+1 {{cannot multi-buffer a panel: no barrier stands between this and the loop, where the phase that fills it reads what is written here}}
        pcf.write_slice %v into %s[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
    scf.for %k = %c0 to %n step %c8 {
      pcf.barrier(#sg) fence(%s) : !P
      // expected-note @+1 {{the phase that fills it}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %s[0] [8] [1] : !P to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
    }
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

func.func @more_than_copies(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    scf.for %k = %c0 to %n step %c8 {
      // expected-note @+1 {{the phase that fills it}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        // expected-error @+1 {{cannot multi-buffer a panel: what gpu.printf does to memory is not known}}
        gpu.printf "here"
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
    }
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

func.func @of_what_is_carried(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    %last = scf.for %j = %c0 to %n step %c8 iter_args(%k = %c0) -> index {
      // expected-error @+1 {{cannot multi-buffer a panel: the phase that fills it depends on what the loop computes from one iteration to the next}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      %next = arith.addi %k, %c8 : index
      scf.yield %next : index
    }
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

func.func @with_payload(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    scf.for %k = %c0 to %n step %c8 {
      // expected-error @+1 {{cannot multi-buffer a panel: the phase that fills it has payload}}
      %t = pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield %v : tensor<8xf32>
      } : (!TG) -> !T
      pcf.barrier(#sg) fence(%l) : !P
      pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
        pcf.cluster_yield
      } : (!T)
      pcf.barrier(#sg) fence(%l) : !P
    }
    pcf.return
  }
  return %r : tensor<8xf32>
}
