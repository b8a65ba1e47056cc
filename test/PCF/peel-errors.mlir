// RUN: distaff-opt %s -verify-diagnostics -split-input-file '--pcf-peel=front=3 back=2'

// What cannot be peeled, and why (PCF-79). IR stays as it was.

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>

// Of four iterations three and two cannot be taken.
func.func @too_short(%n: index, %table: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    // expected-error @+1 {{'scf.for' op runs 4 times; 3 and 2 iterations cannot be peeled off}}
    scf.for %k = %c0 to %c4 step %c1 {
      pcf.shared_executor.run_cluster(%tg)[] () {
        pcf.cluster_yield
      } : (!T)
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>

// Which iteration is the last is not known.
func.func @step_of_an_argument(%n: index, %table: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    // expected-error @+1 {{'scf.for' op must count up by a number, with signed values of type index, to be peeled}}
    scf.for %k = %c0 to %n step %n {
      pcf.shared_executor.run_cluster(%tg)[] () {
        pcf.cluster_yield
      } : (!T)
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>

// Peeled barriers stand under a condition, on which all clusters must agree.
func.func @bound_of_memory(%n: index, %table: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    %m = memref.load %table[%c0] : memref<?xindex>
    // expected-error @+1 {{'scf.for' op has a bound that is not known to be the same for all clusters; peeled barriers would stand under a condition that they may disagree on}}
    scf.for %k = %c0 to %m step %c1 {
      pcf.shared_executor.run_cluster(%tg)[] () {
        pcf.cluster_yield
      } : (!T)
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!T = !pcf.threadgroup<#sg>

// A loop in a phase is no loop of phases.
func.func @no_loop(%n: index, %table: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-error @+1 {{'pcf.shared_executor' op has no loop 0 to peel; there are 0 loops of phases}}
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      scf.for %k = %c0 to %n step %c1 {
      }
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}
