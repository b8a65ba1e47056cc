// RUN: distaff-opt %s -verify-diagnostics -split-input-file -pcf-verify-barriers

// PCF-79: of what a loop carries, each value depends on what it begins with and comes round as, and on how often the loop
// runs; not on what is carried beside it.

#sg = #iree_gpu.subgroup_scope

// What each worker carries for itself says nothing of the induction variable, or of a value beside it.
func.func @beside_the_id(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %id, %y = %c0) -> (index, index) {
      %k = arith.remui %i, %c2 : index
      %c = arith.cmpi eq, %k, %y : index
      scf.if %c {
        pcf.barrier(#sg)
      }
      %z = arith.addi %x, %i : index
      %w = arith.subi %c1, %y : index
      scf.yield %z, %w : index, index
    }
    scf.for %i = %c0 to %r#1 step %c1 {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

func.func @while_beside_the_id(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    // Passed on in another order.
    %r:2 = scf.while (%i = %c0, %x = %id) : (index, index) -> (index, index) {
      %c = arith.cmpi ult, %i, %n : index
      scf.condition(%c) %x, %i : index, index
    } do {
    ^bb0(%x: index, %i: index):
      pcf.barrier(#sg)
      %j = arith.addi %i, %c1 : index
      scf.yield %j, %x : index, index
    }
    %c = arith.cmpi eq, %r#1, %n : index
    scf.if %c {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

func.func @results_of_a_branch(%n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %r:2 = scf.if %c -> (index, index) {
      scf.yield %id, %n : index, index
    } else {
      scf.yield %c1, %c0 : index, index
    }
    scf.for %i = %c0 to %r#1 step %c1 {
      pcf.barrier(#sg)
    }
    // expected-error @+1 {{runs differently often on different workers}}
    scf.for %i = %c0 to %r#0 step %c1 {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// Which side gave it decides what it is.
func.func @branch_by_the_id(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %c = arith.cmpi eq, %id, %n : index
    %r = scf.if %c -> index {
      scf.yield %n : index
    } else {
      scf.yield %c0 : index
    }
    // expected-error @+1 {{runs differently often on different workers}}
    scf.for %i = %c0 to %r step %c1 {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// The value of one worker comes to the other place in the second round.
func.func @places_change(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %id, %y = %c0) -> (index, index) {
      %c = arith.cmpi eq, %y, %c0 : index
      // expected-error @+1 {{clusters disagree on the barrier sequence: barrier vs nothing}}
      scf.if %c {
        pcf.barrier(#sg)
      }
      scf.yield %y, %x : index, index
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// How often the loop runs is the worker's: so is all that it counts.
func.func @counts_to_the_id(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %r = scf.for %i = %c0 to %id step %c1 iter_args(%x = %c0) -> (index) {
      %y = arith.addi %x, %c1 : index
      scf.yield %y : index
    }
    // expected-error @+1 {{runs differently often on different workers}}
    scf.for %i = %c0 to %r step %c1 {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

func.func @begins_at_the_id(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %end = arith.addi %id, %n : index
    scf.for %i = %id to %end step %c1 {
      %c = arith.cmpi eq, %i, %n : index
      // expected-error @+1 {{clusters disagree on the barrier sequence: barrier vs nothing}}
      scf.if %c {
        pcf.barrier(#sg)
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// The condition is the worker's, though nothing that is carried is.
func.func @while_less_than_the_id(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %r = scf.while (%i = %c0) : (index) -> index {
      %c = arith.cmpi ult, %i, %id : index
      scf.condition(%c) %i : index
    } do {
    ^bb0(%i: index):
      %j = arith.addi %i, %c1 : index
      scf.yield %j : index
    }
    // expected-error @+1 {{runs differently often on different workers}}
    scf.for %i = %c0 to %r step %c1 {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}
