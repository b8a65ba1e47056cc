// RUN: distaff-opt %s -allow-unregistered-dialect -verify-diagnostics -split-input-file --pcf-skew-cluster=cluster=pp.a

// What cannot be sheared, and why: PCF-78. IR stays as it was.

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), pp.a>
!B = !pcf.cluster<#sg, (d0 -> s0), pp.b>
!AV = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>}, pp.a>
!AVW = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>, tensor<1x8xf32>}, pp.a>
!L = !pcf.sref<2x8xf32, #sg>
!V = tensor<1x8xf32>

// PCF-78: the panel of an iteration later lies where the one is that is read.
func.func @order(%n: index, %ring: !L) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      scf.for %k = %c0 to %n step %c1 {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        pcf.shared_executor.run_cluster(%a)[%c1] () {
          %v = arith.constant dense<1.0> : !V
          // expected-error @+1 {{skew by 1 breaks the order of the write of pp.a and the read of pp.b}}
          pcf.write_slice %v into %ring[%nxt, 0] [1, 8] [1, 1] : !V into !L
          pcf.cluster_yield
        } : (!A)
        pcf.shared_executor.run_cluster(%b)[%c1] () {
          // expected-note @+1 {{the read of pp.b is here}}
          %v = pcf.read_slice %ring[%cur, 0] [1, 8] [1, 1] : !L to !V
          %i = tensor.extract %v[%c0, %c0] : !V
          pcf.cluster_yield
        } : (!B)
        pcf.barrier(#sg) fence(%ring) : !L
      }
      pcf.return
    } : !T
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), pp.a>
!B = !pcf.cluster<#sg, (d0 -> s0), pp.b>
!AV = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>}, pp.a>
!AVW = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>, tensor<1x8xf32>}, pp.a>
!L = !pcf.sref<1x8xf32, #sg>
!V = tensor<1x8xf32>

// A ring of one panel: nothing orders the write and the read as it is.
func.func @unordered(%n: index, %ring: !L) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      scf.for %k = %c0 to %n step %c1 {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        pcf.shared_executor.run_cluster(%a)[%c1] () {
          %v = arith.constant dense<1.0> : !V
          // expected-error @+1 {{no barrier fixes the order of the write of pp.a and the read of pp.b}}
          pcf.write_slice %v into %ring[%nxt, 0] [1, 8] [1, 1] : !V into !L
          pcf.cluster_yield
        } : (!A)
        pcf.shared_executor.run_cluster(%b)[%c1] () {
          // expected-note @+1 {{the read of pp.b is here}}
          %v = pcf.read_slice %ring[%cur, 0] [1, 8] [1, 1] : !L to !V
          %i = tensor.extract %v[%c0, %c0] : !V
          pcf.cluster_yield
        } : (!B)
        pcf.barrier(#sg) fence(%ring) : !L
      }
      pcf.return
    } : !T
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), pp.a>
!B = !pcf.cluster<#sg, (d0 -> s0), pp.b>
!AV = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>}, pp.a>
!AVW = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>, tensor<1x8xf32>}, pp.a>
!L = !pcf.sref<3x8xf32, #sg>
!V = tensor<1x8xf32>

// Barriers that fence other memory order nothing here.
func.func @not_fenced(%n: index, %ring: !L) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 3 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      scf.for %k = %c0 to %n step %c1 {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        pcf.shared_executor.run_cluster(%a)[%c1] () {
          %v = arith.constant dense<1.0> : !V
          // expected-error @+1 {{no barrier fixes the order of the write of pp.a and the read of pp.b}}
          pcf.write_slice %v into %ring[%nxt, 0] [1, 8] [1, 1] : !V into !L
          pcf.cluster_yield
        } : (!A)
        pcf.shared_executor.run_cluster(%b)[%c1] () {
          // expected-note @+1 {{the read of pp.b is here}}
          %v = pcf.read_slice %ring[%cur, 0] [1, 8] [1, 1] : !L to !V
          %i = tensor.extract %v[%c0, %c0] : !V
          pcf.cluster_yield
        } : (!B)
        pcf.barrier(#sg)
      }
      pcf.return
    } : !T
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), pp.a>
!B = !pcf.cluster<#sg, (d0 -> s0), pp.b>
!AV = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>}, pp.a>
!AVW = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>, tensor<1x8xf32>}, pp.a>
!L = !pcf.sref<4x8xf32, #sg>
!V = tensor<1x8xf32>

// An offset that is read from memory may be any.
func.func @anywhere(%n: index, %ring: !L, %table: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 4 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      scf.for %k = %c0 to %n step %c1 {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        pcf.shared_executor.run_cluster(%a)[%c1] () {
          // expected-error @+1 {{'memref.load' op would run once after the loop's last iteration, and may not be defined then; put it under a condition}}
          %at = memref.load %table[%k] : memref<?xindex>
          %v = arith.constant dense<1.0> : !V
          pcf.write_slice %v into %ring[%at, 0] [1, 8] [1, 1] : !V into !L
          pcf.cluster_yield
        } : (!A)
        pcf.shared_executor.run_cluster(%b)[%c1] () {
          %v = pcf.read_slice %ring[%cur, 0] [1, 8] [1, 1] : !L to !V
          %i = tensor.extract %v[%c0, %c0] : !V
          pcf.cluster_yield
        } : (!B)
        pcf.barrier(#sg) fence(%ring) : !L
      }
      pcf.return
    } : !T
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), pp.a>
!B = !pcf.cluster<#sg, (d0 -> s0), pp.b>
!AV = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>}, pp.a>
!AVW = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>, tensor<1x8xf32>}, pp.a>
!L = !pcf.sref<4x8xf32, #sg>
!V = tensor<1x8xf32>

// So may one that is no linear term of the loop's variable.
func.func @any_offset(%n: index, %ring: !L) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 4 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      scf.for %k = %c0 to %n step %c1 {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %at = arith.shrui %k, %c1 : index
        %nxt = arith.remui %k1, %c2 : index
        pcf.shared_executor.run_cluster(%a)[%c1] () {
          %v = arith.constant dense<1.0> : !V
          // expected-error @+1 {{no barrier fixes the order of the write of pp.a and the read of pp.b}}
          pcf.write_slice %v into %ring[%at, 0] [1, 8] [1, 1] : !V into !L
          pcf.cluster_yield
        } : (!A)
        pcf.shared_executor.run_cluster(%b)[%c1] () {
          // expected-note @+1 {{the read of pp.b is here}}
          %v = pcf.read_slice %ring[%cur, 0] [1, 8] [1, 1] : !L to !V
          %i = tensor.extract %v[%c0, %c0] : !V
          pcf.cluster_yield
        } : (!B)
        pcf.barrier(#sg) fence(%ring) : !L
      }
      pcf.return
    } : !T
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), pp.a>
!B = !pcf.cluster<#sg, (d0 -> s0), pp.b>
!AV = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>}, pp.a>
!AVW = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>, tensor<1x8xf32>}, pp.a>
!L = !pcf.sref<2x8xf32, #sg>
!V = tensor<1x8xf32>

// What a memref shows is outside any order.
func.func @unknown_access(%n: index, %ring: !L) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      scf.for %k = %c0 to %n step %c1 {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        pcf.shared_executor.run_cluster(%a)[%c1] () {
          // expected-error @+1 {{'pcf.get_memref' op is not known to access only what slices of the phase read and write}}
          %m = pcf.get_memref %ring[0, 0] [1, 8] [1, 1] : !L to memref<1x8xf32, strided<[?, ?], offset: ?>>
          pcf.cluster_yield
        } : (!A)
        pcf.barrier(#sg) fence(%ring) : !L
      }
      pcf.return
    } : !T
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), pp.a>
!B = !pcf.cluster<#sg, (d0 -> s0), pp.b>
!AV = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>}, pp.a>
!AVW = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>, tensor<1x8xf32>}, pp.a>
!L = !pcf.sref<2x8xf32, #sg>
!V = tensor<1x8xf32>

// What another op between phases does is not known.
func.func @unknown_op(%n: index, %ring: !L) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      scf.for %k = %c0 to %n step %c1 {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        pcf.shared_executor.run_cluster(%a)[%c1] () {
          %v = arith.constant dense<1.0> : !V
          pcf.write_slice %v into %ring[%nxt, 0] [1, 8] [1, 1] : !V into !L
          pcf.cluster_yield
        } : (!A)
        // expected-error @+1 {{'test.op' op in the loop is neither phase, barrier nor arithmetic; it cannot be ordered anew}}
        "test.op"() : () -> ()
        pcf.barrier(#sg) fence(%ring) : !L
      }
      pcf.return
    } : !T
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), pp.a>
!B = !pcf.cluster<#sg, (d0 -> s0), pp.b>
!AV = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>}, pp.a>
!AVW = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>, tensor<1x8xf32>}, pp.a>
!L = !pcf.sref<2x8xf32, #sg>
!V = tensor<1x8xf32>

// The pass is told pp.a.
func.func @unknown_cluster(%n: index, %ring: !L) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    // expected-error @+1 {{'pcf.shared_executor.tile_group' op has no cluster 'pp.a'; it names}}
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%c: !pcf.cluster<#sg, (0 -> d0), pp.c>, %b: !B) {
      scf.for %k = %c0 to %n step %c1 {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        pcf.shared_executor.run_cluster(%c)[%c1] () {
          %v = arith.constant dense<1.0> : !V
          pcf.write_slice %v into %ring[%nxt, 0] [1, 8] [1, 1] : !V into !L
          pcf.cluster_yield
        } : (!pcf.cluster<#sg, (0 -> d0), pp.c>)
        pcf.barrier(#sg) fence(%ring) : !L
      }
      pcf.return
    } : !T
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), pp.a>
!B = !pcf.cluster<#sg, (d0 -> s0), pp.b>
!AV = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>}, pp.a>
!AVW = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>, tensor<1x8xf32>}, pp.a>
!L = !pcf.sref<2x8xf32, #sg>
!V = tensor<1x8xf32>

// Without barriers there is nothing to be ahead of.
func.func @no_barriers(%n: index, %ring: !L) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    // expected-error @+1 {{'pcf.shared_executor.tile_group' op runs no phase of the cluster in a loop with barriers; there is nothing to skew}}
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      scf.for %k = %c0 to %n step %c1 {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        pcf.shared_executor.run_cluster(%a)[%c1] () {
          %v = arith.constant dense<1.0> : !V
          pcf.write_slice %v into %ring[%nxt, 0] [1, 8] [1, 1] : !V into !L
          pcf.cluster_yield
        } : (!A)
      }
      pcf.return
    } : !T
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), pp.a>
!B = !pcf.cluster<#sg, (d0 -> s0), pp.b>
!AV = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>}, pp.a>
!AVW = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>, tensor<1x8xf32>}, pp.a>
!L = !pcf.sref<2x8xf32, #sg>
!V = tensor<1x8xf32>

// Phases behind the last barrier are in the interval of the next iteration's first.
func.func @ends_without_barrier(%n: index, %ring: !L) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      // expected-error @+1 {{'scf.for' op has phases after its last barrier, which those of the next iteration do not wait for}}
      scf.for %k = %c0 to %n step %c1 {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        pcf.barrier(#sg) fence(%ring) : !L
        pcf.shared_executor.run_cluster(%a)[%c1] () {
          %v = arith.constant dense<1.0> : !V
          pcf.write_slice %v into %ring[%nxt, 0] [1, 8] [1, 1] : !V into !L
          pcf.cluster_yield
        } : (!A)
      }
      pcf.return
    } : !T
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), pp.a>
!B = !pcf.cluster<#sg, (d0 -> s0), pp.b>
!AV = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>}, pp.a>
!AVW = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>, tensor<1x8xf32>}, pp.a>
!L = !pcf.sref<2x8xf32, #sg>
!V = tensor<1x8xf32>

// A phase would end up before a barrier that does not fence what it writes.
func.func @other_fences(%n: index, %ring: !L, %other: !L) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      scf.for %k = %c0 to %n step %c1 {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        pcf.shared_executor.run_cluster(%a)[%c1] () {
          %v = arith.constant dense<1.0> : !V
          pcf.write_slice %v into %ring[%nxt, 0] [1, 8] [1, 1] : !V into !L
          pcf.cluster_yield
        } : (!A)
        // expected-note @+1 {{the first barrier}}
        pcf.barrier(#sg) fence(%ring) : !L
        // expected-error @+1 {{'pcf.barrier' op fences other memory than the loop's first barrier; they cannot take each other's place}}
        pcf.barrier(#sg) fence(%other) : !L
      }
      pcf.return
    } : !T
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), pp.a>
!B = !pcf.cluster<#sg, (d0 -> s0), pp.b>
!AV = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>}, pp.a>
!AVW = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>, tensor<1x8xf32>}, pp.a>
!L = !pcf.sref<2x8xf32, #sg>
!V = tensor<1x8xf32>

// Nobody says that all clusters read the same bound.
func.func @bound_of_memory(%n: index, %ring: !L, %table: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      %m = memref.load %table[%c0] : memref<?xindex>
      // expected-error @+1 {{'scf.for' op has a bound that is not known to be the same for all clusters}}
      scf.for %k = %c0 to %m step %c1 {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        pcf.shared_executor.run_cluster(%a)[%c1] () {
          %v = arith.constant dense<1.0> : !V
          pcf.write_slice %v into %ring[%nxt, 0] [1, 8] [1, 1] : !V into !L
          pcf.cluster_yield
        } : (!A)
        pcf.barrier(#sg) fence(%ring) : !L
      }
      pcf.return
    } : !T
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), pp.a>
!B = !pcf.cluster<#sg, (d0 -> s0), pp.b>
!AV = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>}, pp.a>
!AVW = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>, tensor<1x8xf32>}, pp.a>
!L = !pcf.sref<2x8xf32, #sg>
!V = tensor<1x8xf32>

// How many iterations there are between two values is not known.
func.func @step_of_an_argument(%n: index, %ring: !L) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      // expected-error @+1 {{'scf.for' op with barriers must count up by a number to be ordered}}
      scf.for %k = %c0 to %n step %n {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        pcf.shared_executor.run_cluster(%a)[%c1] () {
          %v = arith.constant dense<1.0> : !V
          pcf.write_slice %v into %ring[%nxt, 0] [1, 8] [1, 1] : !V into !L
          pcf.cluster_yield
        } : (!A)
        pcf.barrier(#sg) fence(%ring) : !L
      }
      pcf.return
    } : !T
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>
!C = !pcf.cluster<#sg, (0 -> d0), pp.c>
!B = !pcf.cluster<#sg, (d0 -> s0), pp.b>

// Two executors without pp.a: one error, at the first.
func.func @unknown_cluster_twice() {
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    // expected-error @+1 {{'pcf.shared_executor.tile_group' op has no cluster 'pp.a'; it names}}
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%c: !C, %b: !B) {
      pcf.return
    } : !T
    pcf.return
  }
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%c: !C, %b: !B) {
      pcf.return
    } : !T
    pcf.return
  }
  return
}
