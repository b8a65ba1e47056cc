// RUN: distaff-opt %s -split-input-file -verify-diagnostics -pcf-multi-buffer
// RUN: not distaff-opt %S/Inputs/producers.mlir -pcf-multi-buffer=depth=1 2>&1 | FileCheck %s --check-prefix=DEPTH

// DEPTH: error: 'depth' must be from 2 to 64, got 1

// Panels that are not proved to be filled and read as slots need it.

#sg = #iree_gpu.subgroup_scope
!P = !pcf.sref<8xf32, #sg>
!X = !pcf.sref<?xf32, #sg>
!O = !pcf.sref<8xf32, sync(#sg)>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {tensor<8xf32>}>

func.func @no_panel(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // expected-error @+1 {{cannot multi-buffer a panel: no phase of a loop fills one that the executor allocates}}
  %r = pcf.shared_executor scope(#sg)
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    scf.for %k = %c0 to %n step %c8 {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
        pcf.cluster_yield
      } : (!TG)
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

func.func @in_two_phases(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
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
      // expected-error @+1 {{cannot multi-buffer a panel: two phases fill it}}
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

func.func @read_where_filled(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    // expected-note @+1 {{the panel}}
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    scf.for %k = %c0 to %n step %c8 {
      // expected-error @+1 {{cannot multi-buffer a panel: the phase that fills it reads it}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        %w = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
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

func.func @never_read(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    // expected-note @+1 {{the panel}}
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    scf.for %k = %c0 to %n step %c8 {
      // expected-error @+1 {{cannot multi-buffer a panel: nothing reads it}}
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

func.func @passed_on(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    // expected-note @+1 {{the panel}}
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    scf.for %k = %c0 to %n step %c8 {
      // expected-error @+1 {{cannot multi-buffer a panel: it is read before it is filled, so one iteration passes it on to the next}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
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

func.func @in_part(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    // expected-note @+1 {{the panel}}
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    scf.for %k = %c0 to %n step %c8 {
      // expected-note @+1 {{the phase that fills it}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [7] [1] : !X to tensor<7xf32>
        pcf.write_slice %v into %l[0] [7] [1] : tensor<7xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      pcf.shared_executor.run_cluster(%tg)[] () {
        // expected-error @+1 {{cannot multi-buffer a panel: not all that is read of it is known to be filled in every iteration}}
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

func.func @of_unknown_size(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    // expected-note @+1 {{the panel}}
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    scf.for %k = %c0 to %n step %c8 {
      // expected-note @+1 {{the phase that fills it}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        %s = arith.minsi %n, %c8 : index
        %v = pcf.read_slice %x[%k] [%s] [1] : !X to tensor<?xf32>
        pcf.write_slice %v into %l[0] [%s] [1] : tensor<?xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      pcf.shared_executor.run_cluster(%tg)[] () {
        // expected-error @+1 {{cannot multi-buffer a panel: not all that is read of it is known to be filled in every iteration}}
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

func.func @under_a_condition(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    // expected-note @+1 {{the panel}}
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    scf.for %k = %c0 to %n step %c8 {
      // expected-note @+1 {{the phase that fills it}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        %more = arith.cmpi slt, %k, %n : index
        scf.if %more {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        }
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
      pcf.shared_executor.run_cluster(%tg)[] () {
        // expected-error @+1 {{cannot multi-buffer a panel: not all that is read of it is known to be filled in every iteration}}
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

func.func @not_ordered(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
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
      // expected-error @+1 {{cannot multi-buffer a panel: no barrier that fences it stands between the phase that fills it and this one}}
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

func.func @ordered_without_fence(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
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
      pcf.barrier(#sg)
      // expected-error @+1 {{cannot multi-buffer a panel: no barrier that fences it stands between the phase that fills it and this one}}
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

func.func @not_ordered_before_the_next(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
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
      // expected-error @+1 {{cannot multi-buffer a panel: no barrier that fences it stands between this phase and the next one that fills it}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
        pcf.cluster_yield
      } : (!TG)
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

func.func @read_after_the_loop(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
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
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
        pcf.cluster_yield
      } : (!TG)
      pcf.barrier(#sg) fence(%l) : !P
    }
      // expected-error @+1 {{cannot multi-buffer a panel: it is accessed outside the body of the loop that fills it}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
        pcf.cluster_yield
      } : (!TG)
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

func.func @read_in_another_loop(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
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
      scf.for %j = %c0 to %n step %c1 {
      // expected-error @+1 {{cannot multi-buffer a panel: it is accessed outside the body of the loop that fills it}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %l[0] [8] [1] : !P to tensor<8xf32>
        pcf.write_slice %v into %o[0] [8] [1] : tensor<8xf32> into !O
        pcf.cluster_yield
      } : (!TG)
      }
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

func.func @filled_in_a_branch(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    // expected-note @+1 {{the panel}}
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    scf.for %k = %c0 to %n step %c8 {
      %more = arith.cmpi slt, %k, %n : index
      scf.if %more {
      // expected-error @+1 {{cannot multi-buffer a panel: it is filled outside the body of an scf.for}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        %v = pcf.read_slice %x[%k] [8] [1] : !X to tensor<8xf32>
        pcf.write_slice %v into %l[0] [8] [1] : tensor<8xf32> into !P
        pcf.cluster_yield
      } : (!TG)
      }
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

func.func @in_an_open_loop(%in: tensor<?xf32>, %out: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %r = pcf.shared_executor scope(#sg)
    // expected-note @+1 {{the panel}}
    initialize { %p = pcf.alloc() : !P  pcf.yield %p : !P } -> (%l: !P)
    execute(%x <- %in : tensor<?xf32>, %o = %out)[%tg: !TG] : (!X, !O) -> (tensor<8xf32>) {
    scf.while (%k = %c0) : (index) -> index {
      %on = arith.cmpi slt, %k, %n : index
      scf.condition(%on) %k : index
    } do {
    ^bb0(%k: index):
      // expected-error @+1 {{cannot multi-buffer a panel: it is filled outside the body of an scf.for}}
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
