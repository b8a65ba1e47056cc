// RUN: distaff-opt %s -verify-diagnostics -split-input-file

// Every message of pcf.barrier and pcf.fence (PCF-30, PCF-39) but those at
// lowering.

func.func @no_scope() {
  // expected-error @+1 {{scope 3 : i64 does not implement ScopeAttrInterface}}
  pcf.barrier(3)
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
func.func @finer_group() {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[]] (%a: !pcf.cluster<#sg, (0 -> s0), a>) {
      // expected-error @+1 {{barrier of scope #iree_codegen.workgroup_scope is nested in a tile_group of scope #iree_gpu.subgroup_scope}}
      pcf.barrier(#iree_codegen.workgroup_scope)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

// An op that opens another scope does not help.
#sg = #iree_gpu.subgroup_scope
func.func @finer_group_and_loop(%n: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[]] (%a: !pcf.cluster<#sg, (0 -> s0), a>) {
      pcf.loop scope(#iree_gpu.lane_scope) count(%n) execute[%i: index] {
        // expected-error @+1 {{barrier of scope #pcf.sequential is nested in a tile_group of scope #iree_gpu.subgroup_scope}}
        pcf.barrier(#pcf.sequential)
        pcf.return
      }
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

// Whoever runs the code, a group of another scope is said to be in the way.
#sg = #iree_gpu.subgroup_scope
func.func @finer_group_and_phase() {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[]] (%a: !pcf.cluster<#sg, (0 -> s0), a>) {
      pcf.shared_executor.run_thread(%a)[] () [%id: index] {
        // expected-error @+1 {{barrier of scope #iree_gpu.lane_scope is nested in a tile_group of scope #iree_gpu.subgroup_scope}}
        pcf.barrier(#iree_gpu.lane_scope)
        pcf.cluster_yield
      } : (!pcf.cluster<#sg, (0 -> s0), a>)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
func.func @in_run_cluster(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#sg, (0 -> d0), a>, %b: !pcf.cluster<#sg, (d0 -> s0), b>) {
      pcf.shared_executor.run_cluster(%b)[%k] () {
        // expected-error @+1 {{all-worker barrier in a region that only a cluster executes}}
        pcf.barrier(#sg)
        pcf.cluster_yield
      } : (!pcf.cluster<#sg, (d0 -> s0), b>)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
func.func @in_run_thread(%k: index, %c: i1) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#sg, (0 -> d0), a>, %b: !pcf.cluster<#sg, (d0 -> s0), b>) {
      pcf.shared_executor.run_thread(%b)[%k] () [%id: index] {
        pcf.generic scope(#iree_gpu.lane_scope) execute[] {
          scf.if %c {
            // expected-error @+1 {{all-worker barrier in a region that only a cluster executes}}
            pcf.barrier(#sg)
          }
          pcf.return
        }
        pcf.cluster_yield
      } : (!pcf.cluster<#sg, (d0 -> s0), b>)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
func.func @in_a_cluster_of_a_cluster(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#sg, (0 -> d0), a>, %b: !pcf.cluster<#sg, (d0 -> s0), b>) {
      pcf.shared_executor.tile_group %a[%k] split [[]] (%c: !pcf.cluster<#sg, (0 -> d0), c>) {
        // expected-error @+1 {{all-worker barrier in a region that only a cluster executes}}
        pcf.barrier(#sg)
        pcf.return
      } : !pcf.cluster<#sg, (0 -> d0), a>
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

func.func @among_outside_of_groups(%a: !pcf.cluster<#iree_gpu.subgroup_scope, (0 -> 4), a>) {
  // expected-error @+1 {{'among' barrier must be inside a tile_group and outside phases}}
  pcf.barrier(#iree_gpu.subgroup_scope) among(%a)[] : !pcf.cluster<#iree_gpu.subgroup_scope, (0 -> 4), a>
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
func.func @among_in_a_phase(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#sg, (0 -> d0), a>, %b: !pcf.cluster<#sg, (d0 -> s0), b>) {
      pcf.shared_executor.run_cluster(%b)[%k] () {
        // expected-error @+1 {{'among' barrier must be inside a tile_group and outside phases}}
        pcf.barrier(#sg) among(%a, %b)[%k] : !pcf.cluster<#sg, (0 -> d0), a>, !pcf.cluster<#sg, (d0 -> s0), b>
        pcf.cluster_yield
      } : (!pcf.cluster<#sg, (d0 -> s0), b>)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

// As many values as the cluster that takes most of them.
#sg = #iree_gpu.subgroup_scope
func.func @among_range_values(%k: index, %j: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k, %j]]
      (%a: !pcf.cluster<#sg, (0 -> d0), a>, %b: !pcf.cluster<#sg, (d0 -> d1), b>, %c: !pcf.cluster<#sg, (d1 -> s0), c>) {
      // expected-error @+1 {{expected 2 range values, got 1}}
      pcf.barrier(#sg) among(%a, %b)[%k] : !pcf.cluster<#sg, (0 -> d0), a>, !pcf.cluster<#sg, (d0 -> d1), b>
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
func.func @among_other_values(%k: index, %j: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#sg, (0 -> d0), a>, %b: !pcf.cluster<#sg, (d0 -> s0), b>) {
      // expected-error @+1 {{range values of a must be the leading split values of its tile_group}}
      pcf.barrier(#sg) among(%a)[%j] : !pcf.cluster<#sg, (0 -> d0), a>
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
func.func @among_a_threadgroup(%k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    // expected-error @+1 {{participant #0 must be '!pcf.cluster', got '!pcf.threadgroup<#iree_gpu.subgroup_scope>'}}
    pcf.barrier(#sg) among(%tg)[] : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

func.func @among_another_scope(%a: !pcf.cluster<#iree_gpu.lane_scope, (0 -> 4), a>) {
  // expected-error @+1 {{participant #0 has scope #iree_gpu.lane_scope, expected #iree_gpu.subgroup_scope}}
  pcf.barrier(#iree_gpu.subgroup_scope) among(%a)[] : !pcf.cluster<#iree_gpu.lane_scope, (0 -> 4), a>
  return
}

// -----

// Nobody is not everybody.
func.func @among_nobody() {
  // expected-error @+1 {{'among' expects at least one cluster}}
  pcf.barrier(#iree_gpu.subgroup_scope) among()[]
  return
}

// -----

func.func @range_values_of_everybody(%k: index) {
  // expected-error @+1 {{expected 0 range values, got 1}}
  "pcf.barrier"(%k) <{operandSegmentSizes = array<i32: 0, 1, 0>, scope = #pcf.sequential}> : (index) -> ()
  return
}

// -----

func.func @types(%r: !pcf.sref<f32, #pcf.sequential>) {
  // expected-error @+1 {{expected 2 types, got 1}}
  pcf.barrier(#pcf.sequential) fence(%r, %r) : !pcf.sref<f32, #pcf.sequential>
  return
}

// -----

func.func @fence_no_sref(%m: memref<f32>) {
  // expected-error @+1 {{operand #0 must be variadic of sref}}
  pcf.fence release %m : memref<f32>
  return
}

// -----

func.func @fence_no_kind(%r: !pcf.sref<f32, #pcf.sequential>) {
  // expected-error @+2 {{expected one of [release, acquire]}}
  // expected-error @+1 {{invalid value for property kind}}
  pcf.fence relaxed %r : !pcf.sref<f32, #pcf.sequential>
  return
}

// -----

func.func @id_of_everybody() {
  // expected-error @+1 {{'id' is of a barrier 'among' clusters only}}
  pcf.barrier(#pcf.test_scope) id(1)
  return
}

// -----

#ts = #pcf.test_scope
func.func @id_that_no_machine_has(%k: index) {
  pcf.shared_executor scope(#ts) execute[%tg: !pcf.threadgroup<#ts>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%l: !pcf.cluster<#ts, (0 -> d0), l>, %r: !pcf.cluster<#ts, (d0 -> s0), r>) {
      // expected-error @+1 {{'id' must be from 1 to 15, got 16}}
      pcf.barrier(#ts) among(%l)[%k] id(16) : !pcf.cluster<#ts, (0 -> d0), l>
      pcf.return
    } : !pcf.threadgroup<#ts>
    pcf.return
  }
  return
}

// -----

// Outside of a group an id says that the handles are those of a case.
#ts = #pcf.test_scope
func.func @no_group(%l: !pcf.cluster<#ts, (0 -> 1), l>) {
  // expected-error @+1 {{'among' barrier must be inside a tile_group and outside phases}}
  pcf.barrier(#ts) among(%l)[] id(1) : !pcf.cluster<#ts, (0 -> 1), l>
  return
}
