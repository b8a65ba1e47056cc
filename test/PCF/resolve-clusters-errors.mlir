// RUN: distaff-opt %s -allow-unregistered-dialect -verify-diagnostics -split-input-file -pcf-resolve-clusters

#sg = #iree_gpu.subgroup_scope
!tg = !pcf.threadgroup<#sg>

// PCF-61
func.func @run_cluster() {
  // expected-error @+1 {{expected fully distributed clusters: pcf.shared_executor.run_cluster}}
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      pcf.cluster_yield
    } : (!tg)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!tg = !pcf.threadgroup<#sg>

// PCF-61
func.func @collective_write(%ref: !pcf.sref<4xf32, #sg>, %v: vector<4xf32>) {
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    scf.execute_region {
      // expected-error @+1 {{collective operation pcf.write_slice outside a phase}}
      pcf.write_slice %v into %ref[0] [4] [1] : vector<4xf32> into !pcf.sref<4xf32, #sg>
      scf.yield
    }
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!tg = !pcf.threadgroup<#sg>

// PCF-61: what an op does is not known.
func.func @collective_unknown() {
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    // expected-error @+1 {{collective operation test.use outside a phase}}
    "test.use"() : () -> ()
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
!tg = !pcf.threadgroup<#ln>
!l = !pcf.cluster<#ln, (0 -> d0), l>
!r = !pcf.cluster<#ln, (d0 -> s0), r>

// PCF-63
func.func @no_subset_barrier(%k: index) {
  pcf.shared_executor scope(#ln) execute[%tg: !tg] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%l: !l, %r: !r) {
      // expected-error @+1 {{scope #iree_gpu.lane_scope has no subset barrier}}
      pcf.barrier(#ln) among(%l)[%k] : !l
      pcf.return
    } : !tg
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!tg = !pcf.threadgroup<#sg>
!l = !pcf.cluster<#sg, (0 -> d0), l>
!r = !pcf.cluster<#sg, (d0 -> s0), r>

// 5.1: what takes a handle and is none of ours.
func.func @unknown_user(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%l: !l, %r: !r) {
      pcf.shared_executor.run_thread(%l)[%k] () [%t: index] {
        // expected-error @+1 {{cluster handle r is used by test.use, which cannot be converted}}
        "test.use"(%r) : (!r) -> ()
        pcf.cluster_yield
      } : (!l)
      pcf.return
    } : !tg
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!tg = !pcf.threadgroup<#sg>
!l = !pcf.cluster<#sg, (0 -> d0), l>
!r = !pcf.cluster<#sg, (d0 -> s0), r>
!a = !pcf.cluster<#sg, (0 -> d0), in.a>
!b = !pcf.cluster<#sg, (d0 -> s0), in.b>

func.func @participants_of_two_groups(%k: index, %j: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%l: !l, %r: !r) {
      pcf.shared_executor.tile_group %tg ns(in) split [[%k]] (%a: !a, %b: !b) {
        // expected-error @+1 {{'among' lists clusters of different tile_groups}}
        pcf.barrier(#sg) among(%l, %b)[%k] : !l, !b
        pcf.return
      } : !tg
      pcf.return
    } : !tg
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!tg = !pcf.threadgroup<#sg>

// The barrier check runs on what was made: a phase may hold none of one side.
func.func @sides_disagree(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    pcf.shared_executor.run_thread(%tg)[] () [%t: index] {
      %first = arith.cmpi ult, %t, %k : index
      // expected-error @+1 {{clusters disagree on the barrier sequence: barrier vs nothing}}
      scf.if %first {
        pcf.barrier(#sg)
      }
      pcf.cluster_yield
    } : (!tg)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!tg = !pcf.threadgroup<#sg>
!a = !pcf.cluster<#sg, (0 -> d0), a>
!b = !pcf.cluster<#sg, (d0 -> d1), b>
!c = !pcf.cluster<#sg, (d1 -> d2), c>
!d = !pcf.cluster<#sg, (d2 -> d3), d>
!e = !pcf.cluster<#sg, (d3 -> s0), e>

// PCF-81: sixteen sets of participants need sixteen numbers.
func.func @sixteen_sets(%p: index, %q: index, %r: index, %s: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    pcf.shared_executor.tile_group %tg split [[%p, %q, %r, %s]] (%a: !a, %b: !b, %c: !c, %d: !d, %e: !e) {
      pcf.barrier(#sg) among(%a)[%p] : !a
      pcf.barrier(#sg) among(%b)[%p, %q] : !b
      pcf.barrier(#sg) among(%c)[%p, %q, %r] : !c
      pcf.barrier(#sg) among(%d)[%p, %q, %r, %s] : !d
      pcf.barrier(#sg) among(%e)[%p, %q, %r, %s] : !e
      pcf.barrier(#sg) among(%a, %b)[%p, %q] : !a, !b
      pcf.barrier(#sg) among(%a, %c)[%p, %q, %r] : !a, !c
      pcf.barrier(#sg) among(%a, %d)[%p, %q, %r, %s] : !a, !d
      pcf.barrier(#sg) among(%a, %e)[%p, %q, %r, %s] : !a, !e
      pcf.barrier(#sg) among(%b, %c)[%p, %q, %r] : !b, !c
      pcf.barrier(#sg) among(%b, %d)[%p, %q, %r, %s] : !b, !d
      pcf.barrier(#sg) among(%b, %e)[%p, %q, %r, %s] : !b, !e
      pcf.barrier(#sg) among(%c, %d)[%p, %q, %r, %s] : !c, !d
      pcf.barrier(#sg) among(%c, %e)[%p, %q, %r, %s] : !c, !e
      pcf.barrier(#sg) among(%d, %e)[%p, %q, %r, %s] : !d, !e
      // expected-error @+1 {{more than 15 sets of participants in one executor}}
      pcf.barrier(#sg) among(%a, %b, %c)[%p, %q, %r] : !a, !b, !c
      pcf.return
    } : !tg
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!tg = !pcf.threadgroup<#sg>
!l = !pcf.cluster<#sg, (0 -> d0), l>
!r = !pcf.cluster<#sg, (d0 -> s0), r>

// PCF-117: a number names one set of participants.
func.func @one_id_of_two_sets(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%l: !l, %r: !r) {
      pcf.barrier(#sg) among(%l, %r)[%k] id(3) : !l, !r
      // expected-error @+1 {{barrier id 3 is of one set of participants, and each set has one id}}
      pcf.barrier(#sg) among(%l)[%k] id(3) : !l
      pcf.return
    } : !tg
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!tg = !pcf.threadgroup<#sg>
!l = !pcf.cluster<#sg, (0 -> d0), l>
!r = !pcf.cluster<#sg, (d0 -> s0), r>

func.func @two_ids_of_one_set(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !tg] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%l: !l, %r: !r) {
      pcf.barrier(#sg) among(%l, %r)[%k] id(3) : !l, !r
      // expected-error @+1 {{barrier id 4 is of one set of participants, and each set has one id}}
      pcf.barrier(#sg) among(%r, %l)[%k] id(4) : !r, !l
      pcf.return
    } : !tg
    pcf.return
  }
  return
}
