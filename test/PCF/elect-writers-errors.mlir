// RUN: distaff-opt %s -pcf-elect-writers -verify-diagnostics

#sg = #iree_gpu.subgroup_scope

func.func @update_with_a_result(%o: memref<4xi32>, %p: memref<4xi32>, %x: i32) {
  pcf.generic scope(#sg) execute[%id: index, %n: index] {
    // expected-error @+1 {{'memref.atomic_rmw' op updates memory once for all workers of #iree_gpu.lane_scope, which cannot all have its result; update it in a pcf.generic of that scope}}
    %old = memref.atomic_rmw addi %x, %o[%id] : (i32, memref<4xi32>) -> i32
    memref.store %old, %p[%id] : memref<4xi32>
    pcf.return
  }
  return
}
