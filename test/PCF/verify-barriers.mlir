// RUN: distaff-opt %s -allow-unregistered-dialect -verify-diagnostics -split-input-file -pcf-verify-barriers=report-uniformity

// PCF-79

#sg = #iree_gpu.subgroup_scope

// The form written by hand: two streams whose loops and barriers are equal.
func.func @same_loops(%p: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %first = arith.cmpi ult, %id, %p : index
    scf.if %first {
      pcf.barrier(#sg)
      scf.for %i = %c0 to %n step %c1 {
        "test.copy"(%i) : (index) -> ()
        pcf.barrier(#sg)
      }
    } else {
      %zero = arith.constant 0 : index
      pcf.barrier(#sg)
      scf.for %i = %zero to %n step %c1 {
        pcf.barrier(#sg)
        "test.use"(%i) : (index) -> ()
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

func.func @barrier_is_missing(%p: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %idx = arith.remui %id, %p : index
    // expected-error @+1 {{clusters disagree on the barrier sequence: barrier, for(0, v0, 1){barrier x2} vs barrier, for(0, v0, 1){barrier}}}
    scf.index_switch %idx
    case 0 {
      pcf.barrier(#sg)
      scf.for %i = %c0 to %n step %c1 {
        pcf.barrier(#sg)
        pcf.barrier(#sg)
      }
      scf.yield
    }
    default {
      pcf.barrier(#sg)
      scf.for %i = %c0 to %n step %c1 {
        pcf.barrier(#sg)
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

func.func @another_trip_count(%p: index, %n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %idx = arith.remui %id, %p : index
    // expected-error @+1 {{clusters disagree on the barrier sequence: for(0, v0, 1){barrier} vs for(0, v1, 1){barrier}}}
    scf.index_switch %idx
    case 0 {
      scf.for %i = %c0 to %n step %c1 {
        pcf.barrier(#sg)
      }
      scf.yield
    }
    default {
      scf.for %i = %c0 to %m step %c1 {
        pcf.barrier(#sg)
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// The same expression is the same bound, whichever op computes it; one of
// another induction variable is too, at the same depth.
func.func @equal_expressions(%p: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %idx = arith.remui %id, %p : index
    scf.index_switch %idx
    case 0 {
      %m = arith.muli %n, %c2 : index
      scf.for %i = %c0 to %m step %c1 {
        %e = arith.addi %i, %count : index
        scf.for %j = %c0 to %e step %c1 {
          pcf.barrier(#sg)
        }
      }
      scf.yield
    }
    default {
      %m = arith.muli %n, %c2 : index
      scf.for %i = %c0 to %m step %c1 {
        %e = arith.addi %i, %count : index
        scf.for %j = %c0 to %e step %c1 {
          pcf.barrier(#sg)
        }
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

func.func @another_predicate(%p: index, %n: index) {
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %idx = arith.remui %id, %p : index
    // expected-error @+1 {{clusters disagree on the barrier sequence}}
    scf.index_switch %idx
    case 0 {
      %some = arith.cmpi ult, %n, %count : index
      scf.if %some {
        pcf.barrier(#sg)
      }
      scf.yield
    }
    default {
      %some = arith.cmpi ule, %n, %count : index
      scf.if %some {
        pcf.barrier(#sg)
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

func.func @under_a_branch_on_the_id(%p: index) {
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %first = arith.cmpi eq, %id, %p : index
    // expected-error @+1 {{clusters disagree on the barrier sequence: barrier vs nothing}}
    scf.if %first {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// A branch that all take alike may hold one on one side.
func.func @under_a_uniform_branch(%p: index) {
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %some = arith.cmpi eq, %count, %p : index
    scf.if %some {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

func.func @as_often_as_the_id(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    // expected-error @+1 {{clusters disagree on the barrier sequence: for(0, v0, 1){barrier} runs differently often on different workers}}
    scf.for %i = %c0 to %id step %c1 {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// A value that comes round in a loop is as uniform as what goes in.
func.func @the_id_comes_round(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0) -> (index) {
      %y = arith.addi %x, %id : index
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

func.func @iterations_are_handed_out(%n: index) {
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    // expected-error @+1 {{runs differently often on different workers}}
    pcf.loop scope(#iree_gpu.lane_scope) count(%n) execute[%i: index] {
      pcf.barrier(#sg)
      pcf.return
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

func.func @between_blocks(%n: index) {
  // expected-error @+1 {{clusters disagree on the barrier sequence: barriers between branches of blocks cannot be compared}}
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %c = arith.cmpi ult, %id, %n : index
    pcf.br.cond_return %c ^next
  ^next:
    pcf.barrier(#sg)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// A block's argument says which worker runs it where one branch to it does.
func.func @blocks_are_told(%n: index) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{clusters disagree on the barrier sequence: barriers between branches of blocks cannot be compared}}
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    cf.br ^head(%c0 : index)
  ^head(%i: index):
    %c = arith.cmpi ult, %i, %n : index
    pcf.br.cond_return %c ^next
  ^next:
    pcf.barrier(#sg)
    cf.br ^head(%id : index)
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// All workers take the same way through blocks whose conditions they share; two graphs are not compared.
func.func @uniform_blocks(%n: index, %p: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    cf.br ^head(%c0 : index)
  ^head(%i: index):
    %c = arith.cmpi ult, %i, %n : index
    pcf.br.cond_return %c ^next
  ^next:
    pcf.barrier(#sg)
    %j = arith.addi %i, %c1 : index
    cf.br ^head(%j : index)
  }
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %isFirst = arith.cmpi ult, %id, %p : index
    // expected-error @+1 {{clusters disagree on the barrier sequence: blocks 0{barrier} vs nothing}}
    scf.if %isFirst {
      scf.execute_region {
        %c = arith.cmpi ult, %n, %p : index
        cf.cond_br %c, ^one, ^two
      ^one:
        pcf.barrier(#sg)
        cf.br ^two
      ^two:
        scf.yield
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// Lanes of one subgroup wait for each other alone: subgroups may differ in it.
func.func @lane_barriers_differ(%p: index) {
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    pcf.generic scope(#iree_gpu.lane_scope) execute[%lane: index, %lanes: index] {
      %first = arith.cmpi eq, %id, %p : index
      scf.if %first {
        pcf.barrier(#iree_gpu.lane_scope)
      }
      pcf.return
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

func.func @lanes_differ(%p: index) {
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    pcf.generic scope(#iree_gpu.lane_scope) execute[%lane: index, %lanes: index] {
      %first = arith.cmpi eq, %lane, %p : index
      // expected-error @+1 {{clusters disagree on the barrier sequence: barrier vs nothing}}
      scf.if %first {
        pcf.barrier(#iree_gpu.lane_scope)
      }
      pcf.return
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// A barrier of some is compared among those that have it.
func.func @subset_barriers(%p: index, %n: index) {
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %idx = arith.remui %id, %p : index
    scf.index_switch %idx
    case 0 {
      iree_gpu.global_subgroup_barrier id(1) threads(%n)
      pcf.barrier(#sg)
      scf.yield
    }
    case 1 {
      iree_gpu.global_subgroup_barrier id(1) threads(%n)
      pcf.barrier(#sg)
      scf.yield
    }
    default {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

func.func @subset_barriers_in_another_order(%p: index, %n: index) {
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %idx = arith.remui %id, %p : index
    // expected-error @+1 {{clusters disagree on the barrier sequence: barrier 1, barrier vs barrier, barrier 1}}
    scf.index_switch %idx
    case 0 {
      iree_gpu.global_subgroup_barrier id(1) threads(%n)
      pcf.barrier(#sg)
      scf.yield
    }
    default {
      pcf.barrier(#sg)
      iree_gpu.global_subgroup_barrier id(1) threads(%n)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

func.func @a_bound_from_memory(%m: memref<1xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %n = memref.load %m[%c0] : memref<1xindex>
    // expected-remark @+1 {{assumes that all workers agree on a value that is read from memory}}
    scf.for %i = %c0 to %n step %c1 {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// -----

// In lowered code ids are the machine's.
func.func @lowered(%n: index, %p: index) {
  %id = gpu.subgroup_id : index
  %lane = gpu.lane_id
  %left = arith.cmpi ult, %id, %p : index
  scf.if %left {
    %first = arith.cmpi eq, %lane, %p : index
    scf.if %first {
      "test.use"() : () -> ()
    }
    iree_gpu.lane_barrier
    iree_gpu.global_subgroup_barrier
  } else {
    iree_gpu.global_subgroup_barrier
  }
  // expected-error @+1 {{clusters disagree on the barrier sequence: barrier vs nothing}}
  scf.if %left {
    iree_gpu.global_subgroup_barrier
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// A loop that goes on as all agree.
func.func @while_all_agree(%n: index) {
  %c0 = arith.constant 0 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %r = scf.while (%x = %n) : (index) -> index {
      %go = arith.cmpi ugt, %x, %c0 : index
      scf.condition(%go) %x : index
    } do {
    ^bb0(%x: index):
      pcf.barrier(#sg)
      %y = arith.shrui %x, %count : index
      scf.yield %y : index
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// Two loops whose state differs are not known to go on equally long.
func.func @while_on_two_sides(%n: index, %p: index) {
  %c0 = arith.constant 0 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %left = arith.cmpi ult, %id, %p : index
    // expected-error @+1 {{clusters disagree on the barrier sequence}}
    scf.if %left {
      %r = scf.while (%x = %n) : (index) -> index {
        %go = arith.cmpi ugt, %x, %c0 : index
        scf.condition(%go) %x : index
      } do {
      ^bb0(%x: index):
        pcf.barrier(#sg)
        %y = arith.shrui %x, %count : index
        scf.yield %y : index
      }
    } else {
      %r = scf.while (%x = %n) : (index) -> index {
        %go = arith.cmpi ugt, %x, %c0 : index
        scf.condition(%go) %x : index
      } do {
      ^bb0(%x: index):
        pcf.barrier(#sg)
        %y = arith.shrui %x, %p : index
        scf.yield %y : index
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// Hardware ids tell workers apart as the op's own do.
func.func @hardware_id() {
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %w = gpu.subgroup_id : index
    %first = arith.cmpi ult, %w, %c1 : index
    // expected-error @+1 {{clusters disagree on the barrier sequence: barrier vs nothing}}
    scf.if %first {
      pcf.barrier(#sg)
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// A barrier of some is not asked of the others, but they come to it equally often.
func.func @subset_in_a_loop(%p: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %first = arith.cmpi ult, %id, %p : index
    scf.for %i = %c0 to %p step %c1 {
      scf.if %first {
        iree_gpu.global_subgroup_barrier id(1) threads(%c64)
      }
    }
    // expected-error @+1 {{runs differently often on different workers}}
    scf.for %i = %c0 to %id step %c1 {
      scf.if %first {
        iree_gpu.global_subgroup_barrier id(1) threads(%c64)
      }
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope

// Of those who come to the first branch some may be left out, so others do not wait as often.
func.func @subset_in_a_branch_of_one_side(%p: index, %q: index, %n: index) {
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %first = arith.cmpi ult, %id, %p : index
    %odd = arith.cmpi ult, %id, %q : index
    // expected-error @+1 {{clusters disagree on the barrier sequence: nothing vs barrier 1}}
    scf.if %first {
      scf.if %odd {
        iree_gpu.global_subgroup_barrier id(1) threads(%n)
      }
    } else {
      iree_gpu.global_subgroup_barrier id(1) threads(%n)
    }
    pcf.return
  }
  return
}
