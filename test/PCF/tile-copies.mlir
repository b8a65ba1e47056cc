// RUN: distaff-opt %s '--pcf-tile-copies=target=sm_80 workers=4' | FileCheck %s
// RUN: distaff-opt %s '--pcf-tile-copies=target=gfx942 workers=4' | FileCheck %s --check-prefix=REGISTERS

// PCF-170: a copy of many pieces is a loop along one dim, of as many elements
// at a time as lanes have pieces of 16 bytes.

#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>
!P = !pcf.sref<4x1024xf32, #sg>
!T = !pcf.sref<1024x4xf32, #sg>
!B = !pcf.sref<4096xi1, #sg>

// Rows may reach over an edge: 128 lanes have one piece each at a time, and 256
// lanes without asynchronous copies two.
// CHECK-LABEL: func.func @rows
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: %[[AT:.*]] = affine.apply
// CHECK: %[[V:.*]] = vector.transfer_read %{{.*}}[%{{.*}}, %[[AT]]], %{{.*}} : memref<?x?xf32>, vector<4x128xf32>
// CHECK: pcf.write_slice %[[V]] into %{{.*}}[0, %[[K]]] [4, 128] [1, 1] : vector<4x128xf32>
// REGISTERS-LABEL: func.func @rows
// REGISTERS: vector.transfer_read {{.*}} vector<2x1024xf32>
func.func @rows(%a: memref<?x?xf32>, %p: !P, %i: index, %j: index) {
  %z = arith.constant 0.0 : f32
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %v = vector.transfer_read %a[%i, %j], %z : memref<?x?xf32>, vector<4x1024xf32>
      pcf.write_slice %v into %p[0, 0] [4, 1024] [1, 1] : vector<4x1024xf32> into !P
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// Rows of one piece stay whole.
// CHECK-LABEL: func.func @columns
// CHECK: vector.transfer_read {{.*}} vector<128x4xf32>
func.func @columns(%a: memref<?x?xf32>, %p: !T, %i: index, %j: index) {
  %z = arith.constant 0.0 : f32
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %v = vector.transfer_read %a[%i, %j], %z : memref<?x?xf32>, vector<1024x4xf32>
      pcf.write_slice %v into %p[0, 0] [1024, 4] [1, 1] : vector<1024x4xf32> into !T
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// The vector's dims are those of the memory in another order.
// CHECK-LABEL: func.func @turned
// CHECK: vector.transfer_read %{{.*}}[%{{.*}}, %[[J:.*]]], %{{.*}} {permutation_map = {{.*}}} : memref<?x?xf32>, vector<128x4xf32>
func.func @turned(%a: memref<?x?xf32>, %p: !T, %i: index, %j: index) {
  %z = arith.constant 0.0 : f32
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %v = vector.transfer_read %a[%i, %j], %z {permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<?x?xf32>, vector<1024x4xf32>
      pcf.write_slice %v into %p[0, 0] [1024, 4] [1, 1] : vector<1024x4xf32> into !T
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// Elements that do not fill their bytes are accessed one by one.
// CHECK-LABEL: func.func @bits
// CHECK: vector.transfer_read {{.*}} vector<128xi1>
func.func @bits(%a: memref<4096xi1>, %p: !B) {
  %c0 = arith.constant 0 : index
  %z = arith.constant false
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %v = vector.transfer_read %a[%c0], %z {in_bounds = [true]} : memref<4096xi1>, vector<4096xi1>
      pcf.write_slice %v into %p[0] [4096] [1] : vector<4096xi1> into !B
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// Eight pieces inside the memory are eight instructions, and what is used
// besides, or is written in part, is as it was.
// CHECK-LABEL: func.func @as_they_are
// CHECK-NOT: scf.for
// CHECK: return
func.func @as_they_are(%a: memref<4x1024xf32>, %b: memref<?x?xf32>, %p: !P, %q: !P) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %v = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<4x1024xf32>, vector<4x1024xf32>
      pcf.write_slice %v into %p[0, 0] [4, 1024] [1, 1] : vector<4x1024xf32> into !P
      %w = vector.transfer_read %b[%c0, %c0], %z : memref<?x?xf32>, vector<4x1024xf32>
      pcf.write_slice %w into %q[0, 0] [4, 1000] [1, 1] : vector<4x1024xf32> into !P
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}
