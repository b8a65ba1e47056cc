// RUN: distaff-opt %s > %t.once
// RUN: distaff-opt %t.once | diff %t.once -
// RUN: distaff-opt %s --mlir-print-op-generic | distaff-opt | diff %t.once -
// RUN: distaff-opt %s --emit-bytecode | distaff-opt | diff %t.once -
// RUN: FileCheck %s < %t.once
// RUN: distaff explain %s --target sm_80 --func points | FileCheck %s --check-prefix=EXPLAIN

// PCF-113: bounds are affine expressions of range values and worker counts.

#sg = #iree_gpu.subgroup_scope
#t2 = #pcf.test_scope<2>
#launch = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 32>

// Bounds fold as those of affine maps do.
// CHECK-DAG: !half = !pcf.cluster<#iree_gpu.subgroup_scope, (0 -> s0 floordiv 2), half>
// CHECK-DAG: !one = !pcf.cluster<#iree_gpu.subgroup_scope, (d0 -> d0 + 1), one>
// CHECK-DAG: !all_forms = !pcf.cluster<#pcf.test_scope<2>, (s0 ceildiv 3 -> (d0 + d1 * 2) mod 5) x (-d2 + s1 - 4 -> s1), all.forms>
// CHECK-DAG: !last = !pcf.cluster<#iree_gpu.subgroup_scope, (0 -> d0 - 1), shared: {f32}, last>
// CHECK-DAG: !folded = !pcf.cluster<#iree_gpu.subgroup_scope, (6 -> d0), folded>
// CHECK-LABEL: func.func private @types(!half, !half, !one, !all_forms, !folded
// CHECK-SAME: -> !last
func.func private @types(!pcf.cluster<#sg, (0 -> s0 floordiv 2), half>, !pcf.cluster<#sg, (3 - 3 -> (s0 floordiv 2)), half>,
  !pcf.cluster<#sg, (d0 -> 1 + d0), one>,
  !pcf.cluster<#t2, (s0 ceildiv 3 -> (d0 + 2 * d1) mod 5) x (s1 - d2 - 4 -> s1), all.forms>,
  !pcf.cluster<#sg, (2 * (1 + 2) -> d0), folded>) -> !pcf.cluster<#sg, (0 -> d0 - 1), shared: {f32}, last>

// Points are operands or expressions; the bounds of the clusters are the points.
// EXPLAIN: all subgroups: 8 subgroups
// EXPLAIN-NEXT: w.a [0, 2): 2 subgroups
// EXPLAIN-NEXT: w.b [2, k): k-2 subgroups
// EXPLAIN-NEXT: w.c [k, k+1): k+1-k subgroups
// EXPLAIN-NEXT: w.d [k+1, 8): 8-(k+1) subgroups
// CHECK-LABEL: func.func @points(
// CHECK-SAME: %[[K:.*]]: index)
// CHECK: tile_group %tg ns(w) split {{\[\[}}s0 floordiv 4, %[[K]], d0 + 1]] (%a: !w_a, %b: !w_b, %c: !w_c, %d: !w_d)
func.func @points(%k: index) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg ns(w) split [[s0 floordiv 4, %k, d0 + 1]]
      (%a: !pcf.cluster<#sg, (0 -> s0 floordiv 4), w.a>, %b: !pcf.cluster<#sg, (s0 floordiv 4 -> d0), w.b>,
       %c: !pcf.cluster<#sg, (d0 -> d0 + 1), w.c>, %d: !pcf.cluster<#sg, (d0 + 1 -> s0), w.d>) {
      pcf.shared_executor.run_thread(%a)[] () [%id: index] {
        pcf.cluster_yield
      } : (!pcf.cluster<#sg, (0 -> s0 floordiv 4), w.a>)
      pcf.shared_executor.run_thread(%c)[%k] () [%id: index] {
        pcf.cluster_yield
      } : (!pcf.cluster<#sg, (d0 -> d0 + 1), w.c>)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// In a group of a cluster the expressions may name its range values; a bare `d0` that is one of them is no operand.
// CHECK-LABEL: func.func @of_a_cluster(
// CHECK-SAME: %[[K:.*]]: index, %[[J:.*]]: index)
// CHECK: tile_group %b[%[[K]]] ns(in) split {{\[\[}}d0, d0 + 2, %[[J]], d1]]
func.func @of_a_cluster(%k: index, %j: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.tile_group %tg split [[%k]] (%a: !pcf.cluster<#sg, (0 -> d0), a>, %b: !pcf.cluster<#sg, (d0 -> s0), b>) {
      pcf.shared_executor.tile_group %b[%k] ns(in) split [[d0, d0 + 2, %j, d1]]
        (%x: !pcf.cluster<#sg, (d0 -> d0), in.x>, %y: !pcf.cluster<#sg, (d0 -> d0 + 2), in.y>, %z: !pcf.cluster<#sg, (d0 + 2 -> d1), in.z>,
         %v: !pcf.cluster<#sg, (d1 -> d1), in.v>, %w: !pcf.cluster<#sg, (d1 -> s0), in.w>) {
        pcf.return
      } : !pcf.cluster<#sg, (d0 -> s0), b>
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}
