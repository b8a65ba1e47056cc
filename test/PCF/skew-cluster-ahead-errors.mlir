// RUN: distaff-opt %s -allow-unregistered-dialect -verify-diagnostics -split-input-file --pcf-skew-cluster=cluster=pp.a

// What phases that run an iteration ahead need, or would do once too often: PCF-78.

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), pp.a>
!B = !pcf.cluster<#sg, (d0 -> s0), pp.b>
!AV = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>}, pp.a>
!AVW = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<1x8xf32>, tensor<1x8xf32>}, pp.a>
!L = !pcf.sref<2x8xf32, #sg>
!V = tensor<1x8xf32>

// The next iteration's number is not there yet.
func.func @carried_number(%n: index, %ring: !L) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%at = %c0) -> (index) {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        // expected-error @+1 {{'pcf.shared_executor.run_cluster' op uses a number that the loop carries, which is not known an iteration ahead}}
        pcf.shared_executor.run_cluster(%a)[%c1] () {
          %v = arith.constant dense<1.0> : !V
          pcf.write_slice %v into %ring[%at, 0] [1, 8] [1, 1] : !V into !L
          pcf.cluster_yield
        } : (!A)
        pcf.barrier(#sg) fence(%ring) : !L
        pcf.barrier(#sg) fence(%ring) : !L
        %next = arith.remui %k1, %c2 : index
        scf.yield %next : index
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

// The panel behind the last one is not there to be read.
func.func @past_the_end(%n: index, %ring: !L, %in: !pcf.sref<?x8xf32, #sg>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      scf.for %k = %c0 to %n step %c1 {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        %h = pcf.shared_executor.run_cluster(%a)[%c1] () {
          // expected-error @+1 {{'pcf.read_slice' op would run once after the loop's last iteration, and is not known to be within bounds then; put it under a condition}}
          %v = pcf.read_slice %in[%k, 0] [1, 8] [1, 1] : !pcf.sref<?x8xf32, #sg> to !V
          pcf.cluster_yield %v : !V
        } : (!A) -> !AV
        pcf.barrier(#sg) fence(%ring) : !L
        pcf.shared_executor.run_cluster(%h)[%c1] (%v: !V) {
          %i = tensor.extract %v[%c0, %c0] : !V
          pcf.cluster_yield
        } : (!AV)
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

// A condition that holds once more stops nothing.
func.func @still_there(%n: index, %ring: !L, %in: !pcf.sref<?x8xf32, #sg>) {
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
          %some = arith.cmpi ule, %k, %n : index
          scf.if %some {
            // expected-error @+1 {{'pcf.read_slice' op would run once after the loop's last iteration, and is not known to be within bounds then; put it under a condition}}
            %v = pcf.read_slice %in[%k, 0] [1, 8] [1, 1] : !pcf.sref<?x8xf32, #sg> to !V
          }
          pcf.cluster_yield
        } : (!A)
        pcf.barrier(#sg) fence(%ring) : !L
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

// What was never written must not be computed with.
func.func @stale_values(%n: index, %ring: !L) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      scf.for %k = %c0 to %n step %c1 {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        %h = pcf.shared_executor.run_cluster(%a)[%c1] () {
          // expected-note @+1 {{which is read here}}
          %v = pcf.read_slice %ring[%cur, 0] [1, 8] [1, 1] : !L to !V
          // expected-error @+1 {{'arith.addf' op would run once after the loop's last iteration, on what was never written}}
          %w = arith.addf %v, %v : !V
          pcf.cluster_yield %w : !V
        } : (!A) -> !AV
        pcf.barrier(#sg) fence(%ring) : !L
        pcf.shared_executor.run_cluster(%h)[%c1] (%v: !V) {
          %i = tensor.extract %v[%c0, %c0] : !V
          pcf.cluster_yield
        } : (!AV)
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

// A position may be none in the iteration that is not there.
func.func @position_past_the_end(%n: index, %ring: !L) {
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
          %v = arith.constant dense<1.0> : tensor<8xf32>
          // expected-error @+1 {{'tensor.extract' op would run once after the loop's last iteration, and may not be defined then; put it under a condition}}
          %i = tensor.extract %v[%k] : tensor<8xf32>
          pcf.cluster_yield
        } : (!A)
        pcf.barrier(#sg) fence(%ring) : !L
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

// What the phase adds once too often is used after the loop.
func.func @one_run_too_many(%n: index, %ring: !L) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      %s = pcf.shared_executor.run_cluster(%a)[%c1] () {
        %v = arith.constant dense<1.0> : !V
        pcf.cluster_yield %v : !V
      } : (!A) -> !AV
      // expected-error @+1 {{'scf.for' op hands on a payload that the phases which run ahead do not pass on; one run too many would change it}}
      %r = scf.for %k = %c0 to %n step %c1 iter_args(%it = %s) -> (!AV) {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        %h = pcf.shared_executor.run_cluster(%it)[%c1] (%v: !V) {
          %w = arith.addf %v, %v : !V
          pcf.cluster_yield %w : !V
        } : (!AV) -> !AV
        pcf.barrier(#sg) fence(%ring) : !L
        pcf.barrier(#sg) fence(%ring) : !L
        scf.yield %h : !AV
      }
      pcf.shared_executor.run_cluster(%r)[%c1] (%v: !V) {
        pcf.write_slice %v into %ring[0, 0] [1, 8] [1, 1] : !V into !L
        pcf.cluster_yield
      } : (!AV)
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

// One barrier in an iteration is one step; another would be an iteration.
func.func @whole_iterations(%n: index, %ring: !L) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      // expected-error @+1 {{'scf.for' op has 1 barriers; a skew by 1 would move whole iterations}}
      scf.for %k = %c0 to %n step %c1 {
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

// Nor is it there to be viewed, though it is not read.
func.func @view_past_the_end(%n: index, %ring: !L, %four: !pcf.sref<4x8xf32, #sg>, %row: !pcf.sref<8xf32, #sg>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.tile_group %tg ns(pp) split [[%c1]] (%a: !A, %b: !B) {
      scf.for %k = %c0 to %n step %c1 {
        %k1 = arith.addi %k, %c1 : index
        %cur = arith.remui %k, %c2 : index
        %nxt = arith.remui %k1, %c2 : index
        %more = arith.cmpi ult, %k, %n : index
        pcf.shared_executor.run_cluster(%a)[%c1] () {
          // expected-error @+1 {{'pcf.subview' op would run once after the loop's last iteration, and may not be defined then; put it under a condition}}
          %w = pcf.subview %four[%k, 0] [1, 8] [1, 1] : !pcf.sref<4x8xf32, #sg> to !pcf.sref<8xf32, #sg>
          scf.if %more {
            %v = pcf.read_slice %w[0] [8] [1] : !pcf.sref<8xf32, #sg> to tensor<8xf32>
            pcf.write_slice %v into %row[0] [8] [1] : tensor<8xf32> into !pcf.sref<8xf32, #sg>
          }
          pcf.cluster_yield
        } : (!A)
        pcf.barrier(#sg) fence(%ring) : !L
        pcf.barrier(#sg) fence(%ring) : !L
      }
      pcf.return
    } : !T
    pcf.return
  }
  return
}
