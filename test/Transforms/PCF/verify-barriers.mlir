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

func.func @between_blocks(%n: index, %c: i1) {
  // expected-error @+1 {{clusters disagree on the barrier sequence: barriers between branches of blocks cannot be compared}}
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    pcf.br.cond_return %c ^next
  ^next:
    pcf.barrier(#sg)
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

// Bounds whose operands are shared a hundred times over: read once each.
func.func @shared_operands(%n: index, %p: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.generic scope(#sg) execute[%id: index, %count: index] {
    %left = arith.cmpi ult, %id, %p : index
    // expected-error @+1 {{clusters disagree on the barrier sequence}}
    scf.if %left {
        %a0 = arith.muli %n, %n : index
        %a1 = arith.muli %a0, %a0 : index
        %a2 = arith.muli %a1, %a1 : index
        %a3 = arith.muli %a2, %a2 : index
        %a4 = arith.muli %a3, %a3 : index
        %a5 = arith.muli %a4, %a4 : index
        %a6 = arith.muli %a5, %a5 : index
        %a7 = arith.muli %a6, %a6 : index
        %a8 = arith.muli %a7, %a7 : index
        %a9 = arith.muli %a8, %a8 : index
        %a10 = arith.muli %a9, %a9 : index
        %a11 = arith.muli %a10, %a10 : index
        %a12 = arith.muli %a11, %a11 : index
        %a13 = arith.muli %a12, %a12 : index
        %a14 = arith.muli %a13, %a13 : index
        %a15 = arith.muli %a14, %a14 : index
        %a16 = arith.muli %a15, %a15 : index
        %a17 = arith.muli %a16, %a16 : index
        %a18 = arith.muli %a17, %a17 : index
        %a19 = arith.muli %a18, %a18 : index
        %a20 = arith.muli %a19, %a19 : index
        %a21 = arith.muli %a20, %a20 : index
        %a22 = arith.muli %a21, %a21 : index
        %a23 = arith.muli %a22, %a22 : index
        %a24 = arith.muli %a23, %a23 : index
        %a25 = arith.muli %a24, %a24 : index
        %a26 = arith.muli %a25, %a25 : index
        %a27 = arith.muli %a26, %a26 : index
        %a28 = arith.muli %a27, %a27 : index
        %a29 = arith.muli %a28, %a28 : index
        %a30 = arith.muli %a29, %a29 : index
        %a31 = arith.muli %a30, %a30 : index
        %a32 = arith.muli %a31, %a31 : index
        %a33 = arith.muli %a32, %a32 : index
        %a34 = arith.muli %a33, %a33 : index
        %a35 = arith.muli %a34, %a34 : index
        %a36 = arith.muli %a35, %a35 : index
        %a37 = arith.muli %a36, %a36 : index
        %a38 = arith.muli %a37, %a37 : index
        %a39 = arith.muli %a38, %a38 : index
        %a40 = arith.muli %a39, %a39 : index
        %a41 = arith.muli %a40, %a40 : index
        %a42 = arith.muli %a41, %a41 : index
        %a43 = arith.muli %a42, %a42 : index
        %a44 = arith.muli %a43, %a43 : index
        %a45 = arith.muli %a44, %a44 : index
        %a46 = arith.muli %a45, %a45 : index
        %a47 = arith.muli %a46, %a46 : index
        %a48 = arith.muli %a47, %a47 : index
        %a49 = arith.muli %a48, %a48 : index
        %a50 = arith.muli %a49, %a49 : index
        %a51 = arith.muli %a50, %a50 : index
        %a52 = arith.muli %a51, %a51 : index
        %a53 = arith.muli %a52, %a52 : index
        %a54 = arith.muli %a53, %a53 : index
        %a55 = arith.muli %a54, %a54 : index
        %a56 = arith.muli %a55, %a55 : index
        %a57 = arith.muli %a56, %a56 : index
        %a58 = arith.muli %a57, %a57 : index
        %a59 = arith.muli %a58, %a58 : index
        %a60 = arith.muli %a59, %a59 : index
        %a61 = arith.muli %a60, %a60 : index
        %a62 = arith.muli %a61, %a61 : index
        %a63 = arith.muli %a62, %a62 : index
        %a64 = arith.muli %a63, %a63 : index
        %a65 = arith.muli %a64, %a64 : index
        %a66 = arith.muli %a65, %a65 : index
        %a67 = arith.muli %a66, %a66 : index
        %a68 = arith.muli %a67, %a67 : index
        %a69 = arith.muli %a68, %a68 : index
        %a70 = arith.muli %a69, %a69 : index
        %a71 = arith.muli %a70, %a70 : index
        %a72 = arith.muli %a71, %a71 : index
        %a73 = arith.muli %a72, %a72 : index
        %a74 = arith.muli %a73, %a73 : index
        %a75 = arith.muli %a74, %a74 : index
        %a76 = arith.muli %a75, %a75 : index
        %a77 = arith.muli %a76, %a76 : index
        %a78 = arith.muli %a77, %a77 : index
        %a79 = arith.muli %a78, %a78 : index
        %a80 = arith.muli %a79, %a79 : index
        %a81 = arith.muli %a80, %a80 : index
        %a82 = arith.muli %a81, %a81 : index
        %a83 = arith.muli %a82, %a82 : index
        %a84 = arith.muli %a83, %a83 : index
        %a85 = arith.muli %a84, %a84 : index
        %a86 = arith.muli %a85, %a85 : index
        %a87 = arith.muli %a86, %a86 : index
        %a88 = arith.muli %a87, %a87 : index
        %a89 = arith.muli %a88, %a88 : index
        %a90 = arith.muli %a89, %a89 : index
        %a91 = arith.muli %a90, %a90 : index
        %a92 = arith.muli %a91, %a91 : index
        %a93 = arith.muli %a92, %a92 : index
        %a94 = arith.muli %a93, %a93 : index
        %a95 = arith.muli %a94, %a94 : index
        %a96 = arith.muli %a95, %a95 : index
        %a97 = arith.muli %a96, %a96 : index
        %a98 = arith.muli %a97, %a97 : index
        %a99 = arith.muli %a98, %a98 : index
        scf.for %i = %c0 to %a99 step %c1 {
          pcf.barrier(#sg)
        }
    } else {
        %b0 = arith.muli %n, %n : index
        %b1 = arith.muli %b0, %b0 : index
        %b2 = arith.muli %b1, %b1 : index
        %b3 = arith.muli %b2, %b2 : index
        %b4 = arith.muli %b3, %b3 : index
        %b5 = arith.muli %b4, %b4 : index
        %b6 = arith.muli %b5, %b5 : index
        %b7 = arith.muli %b6, %b6 : index
        %b8 = arith.muli %b7, %b7 : index
        %b9 = arith.muli %b8, %b8 : index
        %b10 = arith.muli %b9, %b9 : index
        %b11 = arith.muli %b10, %b10 : index
        %b12 = arith.muli %b11, %b11 : index
        %b13 = arith.muli %b12, %b12 : index
        %b14 = arith.muli %b13, %b13 : index
        %b15 = arith.muli %b14, %b14 : index
        %b16 = arith.muli %b15, %b15 : index
        %b17 = arith.muli %b16, %b16 : index
        %b18 = arith.muli %b17, %b17 : index
        %b19 = arith.muli %b18, %b18 : index
        %b20 = arith.muli %b19, %b19 : index
        %b21 = arith.muli %b20, %b20 : index
        %b22 = arith.muli %b21, %b21 : index
        %b23 = arith.muli %b22, %b22 : index
        %b24 = arith.muli %b23, %b23 : index
        %b25 = arith.muli %b24, %b24 : index
        %b26 = arith.muli %b25, %b25 : index
        %b27 = arith.muli %b26, %b26 : index
        %b28 = arith.muli %b27, %b27 : index
        %b29 = arith.muli %b28, %b28 : index
        %b30 = arith.muli %b29, %b29 : index
        %b31 = arith.muli %b30, %b30 : index
        %b32 = arith.muli %b31, %b31 : index
        %b33 = arith.muli %b32, %b32 : index
        %b34 = arith.muli %b33, %b33 : index
        %b35 = arith.muli %b34, %b34 : index
        %b36 = arith.muli %b35, %b35 : index
        %b37 = arith.muli %b36, %b36 : index
        %b38 = arith.muli %b37, %b37 : index
        %b39 = arith.muli %b38, %b38 : index
        %b40 = arith.muli %b39, %b39 : index
        %b41 = arith.muli %b40, %b40 : index
        %b42 = arith.muli %b41, %b41 : index
        %b43 = arith.muli %b42, %b42 : index
        %b44 = arith.muli %b43, %b43 : index
        %b45 = arith.muli %b44, %b44 : index
        %b46 = arith.muli %b45, %b45 : index
        %b47 = arith.muli %b46, %b46 : index
        %b48 = arith.muli %b47, %b47 : index
        %b49 = arith.muli %b48, %b48 : index
        %b50 = arith.muli %b49, %b49 : index
        %b51 = arith.muli %b50, %b50 : index
        %b52 = arith.muli %b51, %b51 : index
        %b53 = arith.muli %b52, %b52 : index
        %b54 = arith.muli %b53, %b53 : index
        %b55 = arith.muli %b54, %b54 : index
        %b56 = arith.muli %b55, %b55 : index
        %b57 = arith.muli %b56, %b56 : index
        %b58 = arith.muli %b57, %b57 : index
        %b59 = arith.muli %b58, %b58 : index
        %b60 = arith.muli %b59, %b59 : index
        %b61 = arith.muli %b60, %b60 : index
        %b62 = arith.muli %b61, %b61 : index
        %b63 = arith.muli %b62, %b62 : index
        %b64 = arith.muli %b63, %b63 : index
        %b65 = arith.muli %b64, %b64 : index
        %b66 = arith.muli %b65, %b65 : index
        %b67 = arith.muli %b66, %b66 : index
        %b68 = arith.muli %b67, %b67 : index
        %b69 = arith.muli %b68, %b68 : index
        %b70 = arith.muli %b69, %b69 : index
        %b71 = arith.muli %b70, %b70 : index
        %b72 = arith.muli %b71, %b71 : index
        %b73 = arith.muli %b72, %b72 : index
        %b74 = arith.muli %b73, %b73 : index
        %b75 = arith.muli %b74, %b74 : index
        %b76 = arith.muli %b75, %b75 : index
        %b77 = arith.muli %b76, %b76 : index
        %b78 = arith.muli %b77, %b77 : index
        %b79 = arith.muli %b78, %b78 : index
        %b80 = arith.muli %b79, %b79 : index
        %b81 = arith.muli %b80, %b80 : index
        %b82 = arith.muli %b81, %b81 : index
        %b83 = arith.muli %b82, %b82 : index
        %b84 = arith.muli %b83, %b83 : index
        %b85 = arith.muli %b84, %b84 : index
        %b86 = arith.muli %b85, %b85 : index
        %b87 = arith.muli %b86, %b86 : index
        %b88 = arith.muli %b87, %b87 : index
        %b89 = arith.muli %b88, %b88 : index
        %b90 = arith.muli %b89, %b89 : index
        %b91 = arith.muli %b90, %b90 : index
        %b92 = arith.muli %b91, %b91 : index
        %b93 = arith.muli %b92, %b92 : index
        %b94 = arith.muli %b93, %b93 : index
        %b95 = arith.muli %b94, %b94 : index
        %b96 = arith.muli %b95, %b95 : index
        %b97 = arith.muli %b96, %b96 : index
        %b98 = arith.muli %b97, %b97 : index
        scf.for %i = %c0 to %b98 step %c1 {
          pcf.barrier(#sg)
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
