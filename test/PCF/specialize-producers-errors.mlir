// RUN: distaff-opt %s -split-input-file -verify-diagnostics -pcf-specialize-producers

// Phases that are not proved to be a producer's or a consumer's, each with its reason.

#sg = #iree_gpu.subgroup_scope
!P = !pcf.sref<8xf32, #sg>
!X = !pcf.sref<?xf32, #sg>
!O = !pcf.sref<8xf32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {tensor<8xf32>}>

func.func @no_producer(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{cannot separate producers: no phase only fills panels}}
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<0.0> : tensor<8xf32>
      pcf.cluster_yield %z : tensor<8xf32>
    } : (!TG) -> !T
    %t1 = scf.for %k = %c0 to %n step %c8 iter_args(%t = %t0) -> (!T) {
      %u = pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        %s = arith.addf %a, %v : tensor<8xf32>
        pcf.cluster_yield %s : tensor<8xf32>
      } : (!T) -> !T
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

func.func @no_consumer(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{cannot separate producers: no phase has payload}}
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    scf.for %k = %c0 to %n step %c8 {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
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

func.func @both_in_one_phase(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
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
    %t1 = scf.for %k = %c0 to %n step %c8 iter_args(%t = %t0) -> (!T) {
      // expected-error @+1 {{cannot separate producers: the phase fills a panel and has payload; its copies must be a phase of their own}}
      %u = pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield %v : tensor<8xf32>
      } : (!T) -> !T
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

func.func @global_memory(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
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
    %t1 = scf.for %k = %c0 to %n step %c8 iter_args(%t = %t0) -> (!T) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      %u = pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        %s = arith.addf %a, %v : tensor<8xf32>
        pcf.cluster_yield %s : tensor<8xf32>
      } : (!T) -> !T
      pcf.barrier(#sg) fence(%l) : !P
      // expected-note @+1 {{the phase}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        // expected-error @+1 {{cannot separate producers: a phase that fills a panel writes memory that is no panel}}
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
        pcf.cluster_yield
      } : (!TG)
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

func.func @writes_nothing(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
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
    %t1 = scf.for %k = %c0 to %n step %c8 iter_args(%t = %t0) -> (!T) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      %u = pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        %s = arith.addf %a, %v : tensor<8xf32>
        pcf.cluster_yield %s : tensor<8xf32>
      } : (!T) -> !T
      pcf.barrier(#sg) fence(%l) : !P
      // expected-error @+1 {{cannot separate producers: the phase has no payload and writes nothing}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.cluster_yield
      } : (!TG)
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

func.func @what_consumers_write(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
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
    %t1 = scf.for %k = %c0 to %n step %c8 iter_args(%t = %t0) -> (!T) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        // expected-error @+1 {{cannot separate producers: a phase that fills a panel reads what a consumer may write}}
        %v = pcf.read_slice %o[0] [8] [1] : !O to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      %u = pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        %s = arith.addf %a, %v : tensor<8xf32>
        pcf.cluster_yield %s : tensor<8xf32>
      } : (!T) -> !T
      pcf.barrier(#sg) fence(%l) : !P
      scf.yield %u : !T
    }
    // expected-note @+1 {{the consumer}}
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

func.func @not_ordered(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
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
    %t1 = scf.for %k = %c0 to %n step %c8 iter_args(%t = %t0) -> (!T) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        // expected-note @+1 {{it is filled here}}
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      %u = pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        // expected-error @+1 {{cannot separate producers: no barrier that fences it stands between a read of a panel and a phase that fills it}}
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
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

func.func @not_ordered_before_the_next(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
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
    %t1 = scf.for %k = %c0 to %n step %c8 iter_args(%t = %t0) -> (!T) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        // expected-note @+1 {{it is filled here}}
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      %u = pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        // expected-error @+1 {{cannot separate producers: no barrier that fences it stands between a read of a panel and a phase that fills it}}
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        %s = arith.addf %a, %v : tensor<8xf32>
        pcf.cluster_yield %s : tensor<8xf32>
      } : (!T) -> !T
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

func.func @one_slot_too_near(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
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
    %t1 = scf.for %k = %c0 to %n step %c8 iter_args(%t = %t0) -> (!T) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [1] [1] : !X to tensor<1xf32>
        %k1 = arith.addi %k, %c8 : index
        %s = arith.remui %k1, %c8 : index
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

func.func @outside_phases(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
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
    // expected-error @+1 {{cannot separate producers: pcf.read_slice is outside the phases of its group; put it into one}}
    %init = pcf.read_slice %o[0] [8] [1] : !O to tensor<8xf32>
    pcf.write_slice %init into %o[0] [8] [1] : tensor<8xf32> into !O
    %t1 = scf.for %k = %c0 to %n step %c8 iter_args(%t = %t0) -> (!T) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      %u = pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
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

func.func @group_in_a_loop(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
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
    // expected-error @+1 {{cannot separate producers: scf.for takes the group of all workers}}
    %t1, %same = scf.for %k = %c0 to %n step %c8 iter_args(%t = %t0, %all = %tg) -> (!T, !TG) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      %u = pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        %s = arith.addf %a, %v : tensor<8xf32>
        pcf.cluster_yield %s : tensor<8xf32>
      } : (!T) -> !T
      pcf.barrier(#sg) fence(%l) : !P
      scf.yield %u, %all : !T, !TG
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

func.func @unknown_effects(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
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
    %t1 = scf.for %k = %c0 to %n step %c8 iter_args(%t = %t0) -> (!T) {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        // expected-error @+1 {{cannot separate producers: what gpu.printf does to memory is not known}}
        gpu.printf "here"
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      %u = pcf.shared_executor.run_cluster(%t)[] (%a: tensor<8xf32>) {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
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
!TG = !pcf.threadgroup<#sg>

// PCF-186: memory of a workgroup is allocated once.
func.func @allocated_in_a_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{cannot separate producers: memref.alloc is outside the phases of its group, in a loop or of a computed size; allocate a number of bytes in front of all loops}}
      %m = memref.alloc() : memref<4xf32, #gpu.address_space<workgroup>>
    }
    pcf.return
  }
  return
}
