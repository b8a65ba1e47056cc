// RUN: distaff-opt %s > %t.once
// RUN: distaff-opt %t.once | diff %t.once -
// RUN: distaff-opt --mlir-print-op-generic %s | distaff-opt | diff %t.once -
// RUN: FileCheck %s < %t.once

// Types print as aliases (PCF-41), above the module in the order of use.

#sg = #iree_gpu.subgroup_scope
#t2 = #pcf.test_scope<2>

// PCF-1: plain, explicit and `sync(...)` spelling; any attribute synchronizes.
// CHECK-DAG: !sref_4xDxf32_subgroup = !pcf.sref<4x?xf32, #iree_gpu.subgroup_scope>
// CHECK-DAG: !sref_f16_sequential = !pcf.sref<f16, #pcf.sequential>
// CHECK-DAG: !sref_8xf32_sync_subgroup = !pcf.sref<8xf32, sync(#iree_gpu.subgroup_scope)>
// CHECK-DAG: !{{.*}} = !pcf.sref<4xi32, #iree_gpu.subgroup_scope, i32>
// CHECK-DAG: !{{.*}} = !pcf.sref<4xi32, #iree_gpu.subgroup_scope, 7 : i64>
// PCF-3: shared payload prints bare; empty payloads print nothing.
// CHECK-DAG: !subgroup_tg = !pcf.threadgroup<#iree_gpu.subgroup_scope>
// CHECK-DAG: !{{.*}} = !pcf.threadgroup<#iree_gpu.subgroup_scope, {index, tensor<64x128xf32>}>
// CHECK-DAG: !{{.*}} = !pcf.threadgroup<#iree_gpu.lane_scope, private: {vector<8x4xf32>}>
// PCF-112: both kinds at once, the shared fields first.
// CHECK-DAG: !{{.*}} = !pcf.threadgroup<#iree_gpu.lane_scope, shared: {tensor<8xf32>, index}, private: {f32}>
// CHECK-DAG: !mixed = !pcf.cluster<#iree_gpu.subgroup_scope, (0 -> d0), shared: {f32}, private: {index, index}, mixed>
// PCF-5: ranges, payloads and ids of clusters.
// CHECK-DAG: !left = !pcf.cluster<#iree_gpu.subgroup_scope, (0 -> d0), left>
// CHECK-DAG: !ws_prod{{.*}} = !pcf.cluster<#iree_gpu.subgroup_scope, (0 -> d0), shared: {f32}, ws.prod>
// CHECK-DAG: !tg_c01{{.*}} = !pcf.cluster<#pcf.test_scope<2>, (0 -> d0) x (d1 -> s1), private: {f32, index}, tg.c01>
// CHECK-DAG: !a_b_c = !pcf.cluster<#pcf.test_scope<2>, (3 -> 7) x (0 -> s1), a.b.c>

// CHECK-LABEL: func.func private @srefs
// CHECK-SAME: (!sref_4xDxf32_subgroup, !sref_f16_sequential, !sref_8xf32_sync_subgroup, !sref_8xf32_sync_subgroup,
func.func private @srefs(!pcf.sref<4x?xf32, #sg>, !pcf.sref<f16, #pcf.sequential>,
  !pcf.sref<8xf32, #sg, #pcf.sync_on_return>, !pcf.sref<8xf32, sync(#sg)>,
  !pcf.sref<4xi32, #sg, i32>, !pcf.sref<4xi32, #sg, 7>)

// CHECK: func.func private @threadgroups
// CHECK-SAME: (!subgroup_tg, !subgroup_tg, !subgroup_tg, !subgroup_tg,
// CHECK-SAME: !subgroup_tg1, !subgroup_tg1, !lane_tg)
func.func private @threadgroups(!pcf.threadgroup<#sg>, !pcf.threadgroup<#sg, {}>,
  !pcf.threadgroup<#sg, shared: {}>, !pcf.threadgroup<#sg, private: {}>,
  !pcf.threadgroup<#sg, {index, tensor<64x128xf32>}>,
  !pcf.threadgroup<#sg, shared: {index, tensor<64x128xf32>}>,
  !pcf.threadgroup<#iree_gpu.lane_scope, private: {vector<8x4xf32>}>)

// CHECK: func.func private @both_kinds
// CHECK-SAME: (!lane_tg1, !lane_tg1, !mixed, !mixed)
func.func private @both_kinds(
  !pcf.threadgroup<#iree_gpu.lane_scope, shared: {tensor<8xf32>, index}, private: {f32}>,
  !pcf.threadgroup<#iree_gpu.lane_scope, private: {f32}, {tensor<8xf32>, index}>,
  !pcf.cluster<#sg, (0 -> d0), shared: {f32}, private: {index, index}, mixed>,
  !pcf.cluster<#sg, (0 -> d0), private: {index, index}, shared: {f32}, mixed>)

// CHECK: func.func private @clusters
// CHECK-SAME: (!left, !left, !ws_prod
func.func private @clusters(!pcf.cluster<#sg, (0 -> d0), left>,
  !pcf.cluster<#sg, (0 -> d0), private: {}, left>,
  !pcf.cluster<#sg, (0 -> d0), shared: {f32}, ws.prod>,
  !pcf.cluster<#t2, (0 -> d0) x (d1 -> s1), private: {f32, index}, tg.c01>,
  !pcf.cluster<#t2, (3 -> 7) x (0 -> s1), a.b.c>)

// PCF-8: the id as an attribute of its own.
// CHECK: func.func private @ids() attributes {deep = #pcf.ns_sym<a.b_2.c$>, leaf = #pcf.ns_sym<a>}
func.func private @ids() attributes {deep = #pcf.ns_sym<a.b_2.c$>, leaf = #pcf.ns_sym<a>}

// CHECK: func.func private @scopes() attributes {
// CHECK-SAME: a = #pcf.sequential, b = #iree_codegen.workgroup_scope, c = #iree_codegen.workgroup_scope<linearize>
// CHECK-SAME: d = #iree_gpu.subgroup_scope, e = #iree_gpu.lane_scope, f = #pcf.test_scope, g = #pcf.test_scope<3>
// CHECK-SAME: h = #iree_codegen.local_mapping<2>
func.func private @scopes() attributes {
  a = #pcf.sequential, b = #iree_codegen.workgroup_scope, c = #iree_codegen.workgroup_scope<linearize>,
  d = #iree_gpu.subgroup_scope, e = #iree_gpu.lane_scope, f = #pcf.test_scope<1>, g = #pcf.test_scope<3>,
  h = #iree_codegen.local_mapping<2>}
