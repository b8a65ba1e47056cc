// RUN: distaff-opt %s -allow-unregistered-dialect -verify-diagnostics -split-input-file

// Every message of run_cluster, run_thread and cluster_yield (PCF-30).

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @no_source() {
  // expected-error @+1 {{expected at least one source}}
  pcf.shared_executor.run_cluster()[] () {
    pcf.cluster_yield
  } : ()
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @no_source_of_threads() {
  // expected-error @+1 {{expected at least one source}}
  pcf.shared_executor.run_thread()[] () {
    pcf.cluster_yield
  } : ()
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @source_type(%x: index) {
  // expected-error @+1 {{source #0 must be a threadgroup or cluster, got 'index'}}
  pcf.shared_executor.run_cluster(%x)[] () {
    pcf.cluster_yield
  } : (index)
  return
}

// -----

// PCF-36
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @other_scope(%a: !all, %b: !pcf.threadgroup<#iree_gpu.lane_scope>) {
  // expected-error @+1 {{source #1 has another scope than source #0}}
  pcf.shared_executor.run_cluster(%a, %b)[] () {
    pcf.cluster_yield
  } : (!all, !pcf.threadgroup<#iree_gpu.lane_scope>)
  return
}

// -----

// PCF-36
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @other_bounds(%a: !pcf.cluster<#s, (0 -> 4), a>, %b: !pcf.cluster<#s, (0 -> 5), a>) {
  // expected-error @+1 {{source #2 has other bounds than source #0}}
  pcf.shared_executor.run_cluster(%a, %a, %b)[] () {
    pcf.cluster_yield
  } : (!pcf.cluster<#s, (0 -> 4), a>, !pcf.cluster<#s, (0 -> 4), a>, !pcf.cluster<#s, (0 -> 5), a>)
  return
}

// -----

// PCF-36
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @threadgroup_and_cluster(%a: !all, %b: !pcf.cluster<#s, (0 -> s0), a>) {
  // expected-error @+1 {{source #1 has other bounds than source #0}}
  pcf.shared_executor.run_cluster(%a, %b)[] () {
    pcf.cluster_yield
  } : (!all, !pcf.cluster<#s, (0 -> s0), a>)
  return
}

// -----

// PCF-36, PCF-114: clusters of one group are two, also where both are empty.
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @one_group() {
  pcf.shared_executor scope(#s) execute[%tg: !all] {
    pcf.shared_executor.tile_group %tg split [[0, 0]]
      (%a: !pcf.cluster<#s, (0 -> 0), a>, %b: !pcf.cluster<#s, (0 -> 0), b>, %c: !pcf.cluster<#s, (0 -> s0), c>) {
      // expected-error @+1 {{source #1 has another cluster id than source #0}}
      pcf.shared_executor.run_thread(%a, %b)[] () [%id: index] {
        pcf.cluster_yield
      } : (!pcf.cluster<#s, (0 -> 0), a>, !pcf.cluster<#s, (0 -> 0), b>)
      pcf.return
    } : !all
    pcf.return
  }
  return
}

// -----

// PCF-114: each value of the longest list is there.
#s = #iree_gpu.subgroup_scope
func.func @two_lists(%a: !pcf.cluster<#s, (0 -> 4), a>, %b: !pcf.cluster<#s, (0 -> d0), b>) {
  // expected-error @+1 {{source #1 has other bounds than source #0}}
  pcf.shared_executor.run_thread(%a, %b)[] () [%id: index] {
    pcf.cluster_yield
  } : (!pcf.cluster<#s, (0 -> 4), a>, !pcf.cluster<#s, (0 -> d0), b>)
  return
}

// -----

// PCF-114: another constant.
#s = #iree_gpu.subgroup_scope
func.func @other_constant(%a: !pcf.cluster<#s, (0 -> 4), a>, %b: !pcf.cluster<#s, (0 -> d0), b>) {
  %c5 = arith.constant 5 : index
  // expected-error @+1 {{source #1 has other bounds than source #0}}
  pcf.shared_executor.run_thread(%a, %b)[%c5] () [%id: index] {
    pcf.cluster_yield
  } : (!pcf.cluster<#s, (0 -> 4), a>, !pcf.cluster<#s, (0 -> d0), b>)
  return
}

// -----

// PCF-36, PCF-114: values that are not the same show nothing.
#s = #iree_gpu.subgroup_scope
func.func @not_shown(%a: !pcf.cluster<#s, (0 -> d0), a>, %b: !pcf.cluster<#s, (0 -> d1), b>, %k: index, %j: index) {
  // expected-error @+1 {{source #1 has other bounds than source #0}}
  pcf.shared_executor.run_thread(%a, %b)[%k, %j] () [%id: index] {
    pcf.cluster_yield
  } : (!pcf.cluster<#s, (0 -> d0), a>, !pcf.cluster<#s, (0 -> d1), b>)
  return
}

// -----

// PCF-37
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @private_source(%a: !all, %b: !pcf.threadgroup<#s, private: {f32}>) {
  // expected-error @+1 {{run_cluster source #1 carries private payload}}
  pcf.shared_executor.run_cluster(%a, %b)[] (%x: f32) {
    pcf.cluster_yield
  } : (!all, !pcf.threadgroup<#s, private: {f32}>)
  return
}

// -----

// PCF-37
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @shared_source(%a: !pcf.threadgroup<#s, {f32}>) {
  // expected-error @+1 {{run_thread source #0 carries shared payload}}
  pcf.shared_executor.run_thread(%a)[] (%x: f32) [%id: index] {
    pcf.cluster_yield
  } : (!pcf.threadgroup<#s, {f32}>)
  return
}

// -----

// PCF-7: as many as the largest dN, whichever are named.
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @range_values(%a: !pcf.cluster<#s, (0 -> d1), a>, %k: index) {
  // expected-error @+1 {{expected 2 range values, got 1}}
  pcf.shared_executor.run_cluster(%a)[%k] () {
    pcf.cluster_yield
  } : (!pcf.cluster<#s, (0 -> d1), a>)
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @no_range_values_of_a_threadgroup(%a: !all, %k: index) {
  // expected-error @+1 {{expected 0 range values, got 1}}
  pcf.shared_executor.run_cluster(%a)[%k] () {
    pcf.cluster_yield
  } : (!all)
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @argument_types(%a: !pcf.threadgroup<#s, {f32}>) {
  // expected-error @+1 {{body arguments ('i32') do not match the payload ('f32')}}
  pcf.shared_executor.run_cluster(%a)[] (%x: i32) {
    pcf.cluster_yield
  } : (!pcf.threadgroup<#s, {f32}>)
  return
}

// -----

// PCF-36
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @concatenated_arguments(%a: !pcf.threadgroup<#s, {f32}>, %b: !pcf.threadgroup<#s, {i32}>) {
  // expected-error @+1 {{body arguments ('f32', 'i32') do not match the payload ('i32', 'f32')}}
  pcf.shared_executor.run_cluster(%b, %a)[] (%x: f32, %y: i32) {
    pcf.cluster_yield
  } : (!pcf.threadgroup<#s, {i32}>, !pcf.threadgroup<#s, {f32}>)
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @missing_id(%a: !pcf.threadgroup<#s, private: {f32}>) {
  // expected-error @+1 {{expected 1 thread ids of type 'index'}}
  pcf.shared_executor.run_thread(%a)[] (%x: f32) {
    pcf.cluster_yield
  } : (!pcf.threadgroup<#s, private: {f32}>)
  return
}

// -----

#s = #pcf.test_scope<2>
!all = !pcf.threadgroup<#s>
func.func @missing_id_of_a_grid(%a: !pcf.threadgroup<#s, private: {f32}>) {
  // expected-error @+1 {{expected 2 thread ids of type 'index'}}
  pcf.shared_executor.run_thread(%a)[] (%x: f32) [%id: index] {
    pcf.cluster_yield
  } : (!pcf.threadgroup<#s, private: {f32}>)
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @narrow_id(%a: !all) {
  // expected-error @+1 {{expected 1 thread ids of type 'index'}}
  pcf.shared_executor.run_thread(%a)[] () [%id: i32] {
    pcf.cluster_yield
  } : (!all)
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @ids_of_a_cluster(%a: !all) {
  // expected-error @+1 {{expected 0 thread ids of type 'index'}}
  pcf.shared_executor.run_cluster(%a)[] () [%id: index] {
    pcf.cluster_yield
  } : (!all)
  return
}

// -----

// What is in brackets is an id, of whatever type the payload is.
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @payload_is_no_id(%a: !pcf.threadgroup<#s, {index}>) {
  // expected-error @+1 {{expected 0 thread ids of type 'index'}}
  pcf.shared_executor.run_cluster(%a)[] () [%id: index] {
    pcf.cluster_yield
  } : (!pcf.threadgroup<#s, {index}>)
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @id_is_no_payload(%a: !pcf.threadgroup<#s, private: {index}>) {
  // expected-error @+1 {{expected 1 thread ids of type 'index'}}
  pcf.shared_executor.run_thread(%a)[] (%x: index, %y: index) {
    pcf.cluster_yield
  } : (!pcf.threadgroup<#s, private: {index}>)
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @ids_in_generic_form(%a: !pcf.threadgroup<#s, private: {f32}>) {
  // expected-error @+1 {{expected 1 thread ids of type 'index'}}
  "pcf.shared_executor.run_thread"(%a) <{operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%x: f32):
    "pcf.cluster_yield"() : () -> ()
  }) : (!pcf.threadgroup<#s, private: {f32}>) -> ()
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @result_scope(%a: !all) {
  // expected-error @+1 {{result has another scope than the source}}
  %h = pcf.shared_executor.run_cluster(%a)[] () {
    pcf.cluster_yield
  } : (!all) -> !pcf.threadgroup<#iree_gpu.lane_scope>
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @result_bounds(%a: !pcf.cluster<#s, (0 -> 4), a>) {
  // expected-error @+1 {{result has other bounds than the source}}
  %h = pcf.shared_executor.run_cluster(%a)[] () {
    pcf.cluster_yield
  } : (!pcf.cluster<#s, (0 -> 4), a>) -> !pcf.cluster<#s, (1 -> 4), a>
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @result_id(%a: !pcf.cluster<#s, (0 -> 4), a>) {
  // expected-error @+1 {{result has another cluster id than the source}}
  %h = pcf.shared_executor.run_thread(%a)[] () [%id: index] {
    pcf.cluster_yield
  } : (!pcf.cluster<#s, (0 -> 4), a>) -> !pcf.cluster<#s, (0 -> 4), b.a>
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @result_type(%a: !all) {
  // expected-error @+1 {{result must be a threadgroup or cluster, got 'index'}}
  %h = pcf.shared_executor.run_cluster(%a)[] () {
    pcf.cluster_yield
  } : (!all) -> index
  return
}

// -----

// PCF-37
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @private_result(%a: !pcf.threadgroup<#s, {f32}>) {
  // expected-error @+1 {{run_cluster result carries private payload}}
  %h = pcf.shared_executor.run_cluster(%a)[] (%x: f32) {
    pcf.cluster_yield %x : f32
  } : (!pcf.threadgroup<#s, {f32}>) -> !pcf.threadgroup<#s, private: {f32}>
  return
}

// -----

// PCF-37
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @shared_result(%a: !pcf.threadgroup<#s, private: {f32}>) {
  // expected-error @+1 {{run_thread result carries shared payload}}
  %h = pcf.shared_executor.run_thread(%a)[] (%x: f32) [%id: index] {
    pcf.cluster_yield %x : f32
  } : (!pcf.threadgroup<#s, private: {f32}>) -> !pcf.threadgroup<#s, {f32}>
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @yielded_types(%a: !pcf.threadgroup<#s, {f32}>) {
  // expected-error @+1 {{yields ('f32', 'f32'), expected the result payload ('f32')}}
  %h = pcf.shared_executor.run_cluster(%a)[] (%x: f32) {
    pcf.cluster_yield %x, %x : f32, f32
  } : (!pcf.threadgroup<#s, {f32}>) -> !pcf.threadgroup<#s, {f32}>
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @yields_too_little(%a: !pcf.threadgroup<#s, {f32}>) {
  // expected-error @+1 {{yields (), expected the result payload ('f32')}}
  %h = pcf.shared_executor.run_cluster(%a)[] (%x: f32) {
    pcf.cluster_yield
  } : (!pcf.threadgroup<#s, {f32}>) -> !pcf.threadgroup<#s, {f32}>
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @yields_without_a_result(%a: !pcf.threadgroup<#s, {f32}>) {
  pcf.shared_executor.run_cluster(%a)[] (%x: f32) {
    // expected-error @+1 {{cluster_yield must have no operands when the op has no result}}
    pcf.cluster_yield %x : f32
  } : (!pcf.threadgroup<#s, {f32}>)
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @no_yield(%a: !all) {
  // expected-error @+1 {{body must end in 'pcf.cluster_yield'}}
  pcf.shared_executor.run_cluster(%a)[] () {
    "test.end"() : () -> ()
  } : (!all)
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @blocks(%a: !all) {
  // expected-error @+1 {{body must be a single block}}
  pcf.shared_executor.run_cluster(%a)[] () {
    cf.br ^a
  ^a:
  pcf.cluster_yield
  } : (!all)
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @no_body(%a: !all) {
  // expected-error @+1 {{body must be a single block}}
  "pcf.shared_executor.run_cluster"(%a) <{operandSegmentSizes = array<i32: 1, 0>}> ({
  }) : (!all) -> ()
  return
}

// -----

#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @two_results(%a: !all) {
  // expected-error @+1 {{result group starting at #0 requires 0 or 1 element, but found 2}}
  %h:2 = pcf.shared_executor.run_cluster(%a)[] () {
    pcf.cluster_yield
  } : (!all) -> (!all, !all)
  return
}

// -----

func.func @parent_of_yield() {
  // expected-error @+1 {{expects parent op to be one of 'pcf.shared_executor.run_cluster, pcf.shared_executor.run_thread'}}
  pcf.cluster_yield
}

// -----

// PCF-40: a warning alone.
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @dropped_payload(%a: !pcf.threadgroup<#s, {f32}>) {
  // expected-warning @+1 {{payload of the result is never consumed}}
  %h = pcf.shared_executor.run_cluster(%a)[] (%x: f32) {
    pcf.cluster_yield %x : f32
  } : (!pcf.threadgroup<#s, {f32}>) -> !pcf.threadgroup<#s, {f32}>
  return
}

// -----

// A value that an earlier region uses and a later one defines is not defined any
// more when the later op turns out wrong.
#s = #iree_gpu.subgroup_scope
!all = !pcf.threadgroup<#s>
func.func @wrong_type_after_a_region(%a: !all) {
  scf.execute_region {
    "test.use"(%v) : (f32) -> ()
    scf.yield
  }
  pcf.shared_executor.run_cluster(%a)[] () {
    %v = "test.make"() : () -> f32
    pcf.cluster_yield
  // expected-error @+1 {{cluster id is missing}}
  } : (!pcf.cluster<#s, (0 -> 1)>)
  return
}

// -----

// PCF-112: what passes by a phase passes whole, or not at all.
#s = #iree_gpu.subgroup_scope
!both = !pcf.threadgroup<#s, shared: {f32}, private: {index, i32}>
func.func @a_part_passes_by(%a: !both) {
  // expected-error @+1 {{run_cluster result carries private payload ('index'), expected that of the sources ('index', 'i32')}}
  %h = pcf.shared_executor.run_cluster(%a)[] (%x: f32) {
    pcf.cluster_yield %x : f32
  } : (!both) -> !pcf.threadgroup<#s, shared: {f32}, private: {index}>
  return
}

// -----

// PCF-112
#s = #iree_gpu.subgroup_scope
!both = !pcf.threadgroup<#s, shared: {f32}, private: {index}>
func.func @another_order(%a: !both, %b: !pcf.threadgroup<#s, {i32}>) {
  // expected-error @+1 {{run_thread result carries shared payload ('i32', 'f32'), expected that of the sources ('f32', 'i32')}}
  %h = pcf.shared_executor.run_thread(%a, %b)[] (%x: index) [%id: index] {
    pcf.cluster_yield
  } : (!both, !pcf.threadgroup<#s, {i32}>) -> !pcf.threadgroup<#s, {i32, f32}>
  return
}

// -----

// PCF-112: a body has what its phase takes.
#s = #iree_gpu.subgroup_scope
!both = !pcf.threadgroup<#s, shared: {f32}, private: {index}>
func.func @arguments_of_both_kinds(%a: !both) {
  // expected-error @+1 {{body arguments ('f32', 'index') do not match the payload ('f32')}}
  pcf.shared_executor.run_cluster(%a)[] (%x: f32, %y: index) {
    pcf.cluster_yield
  } : (!both)
  return
}
