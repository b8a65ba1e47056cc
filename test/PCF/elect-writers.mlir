// RUN: distaff-opt %s -pcf-elect-writers | FileCheck %s
// RUN: distaff-opt %s -pcf-elect-writers -pcf-elect-writers | FileCheck %s

// What all lanes of a subgroup run writes memory once (PCF-125).

#sg = #iree_gpu.subgroup_scope
#ln = #iree_gpu.lane_scope

// CHECK-LABEL: @by_subgroups
// CHECK: pcf.generic scope(#iree_gpu.subgroup_scope) execute[%[[ID:.*]]: index, %{{.*}}: index] {
// CHECK-NEXT: %[[X:.*]] = memref.load %{{.*}}[%[[ID]]]
// CHECK-NEXT: pcf.barrier(#iree_gpu.lane_scope)
// CHECK-NEXT: pcf.generic sync true scope(#iree_gpu.lane_scope) execute[%[[LANE:.*]]: index, %{{.*}}: index] {
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %[[ZERO]]
// CHECK-NEXT: scf.if %[[FIRST]] {
// CHECK-NEXT: memref.store %[[X]]
// CHECK-NEXT: }
// CHECK-NEXT: pcf.return
func.func @by_subgroups(%a: memref<4xi32>, %o: memref<4xi32>) {
  pcf.generic scope(#sg) execute[%id: index, %n: index] {
    %x = memref.load %a[%id] : memref<4xi32>
    memref.store %x, %o[%id] : memref<4xi32>
    pcf.return
  }
  return
}

// Lanes write for themselves.
// CHECK-LABEL: @by_lanes
// CHECK: pcf.generic scope(#iree_gpu.lane_scope)
// CHECK-NEXT: memref.store
// CHECK-NOT: pcf.generic
func.func @by_lanes(%o: memref<4x32xi32>, %x: i32) {
  pcf.generic scope(#sg) execute[%id: index, %n: index] {
    pcf.generic scope(#ln) execute[%lane: index, %m: index] {
      memref.store %x, %o[%id, %lane] : memref<4x32xi32>
      pcf.return
    }
    pcf.return
  }
  return
}
