// RUN: distaff-opt %s --distaff-map-grid | FileCheck %s

// The workgroups that the grid function counts run one tile each; a rank that it
// makes 1 has the id 0.
// CHECK-LABEL: func.func @shared_out(
// CHECK-NOT: scf.for
// CHECK-NOT: gpu.grid_dim
// CHECK: %[[Y:.*]] = gpu.block_id y
// CHECK: memref.store %{{.*}}, %arg0[%[[Y]]]
func.func @shared_out(%m: memref<?xi32>, %v: i32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  %tiles = affine.apply affine_map<()[s0] -> (s0 ceildiv 4)>()[%n]
  %y = gpu.block_id y
  %z = gpu.block_id z
  %ny = gpu.grid_dim y
  %nz = gpu.grid_dim z
  %zy = arith.muli %z, %ny : index
  %id = arith.addi %y, %zy : index
  %step = arith.muli %ny, %nz : index
  scf.for %i = %id to %tiles step %step {
    memref.store %v, %m[%i] : memref<?xi32>
  }
  return
}
func.func @shared_out__grid(%n: index) -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %tiles = affine.apply affine_map<()[s0] -> (s0 ceildiv 4)>()[%n]
  return %c1, %tiles, %c1 : index, index, index
}

// Fewer workgroups than tiles: each goes on with the next of its own.
// CHECK-LABEL: func.func @several_each(
// CHECK-DAG: %[[THREE:.*]] = arith.constant 3 : index
// CHECK-DAG: %[[X:.*]] = gpu.block_id x
// CHECK: scf.for %{{.*}} = %[[X]] to %{{.*}} step %[[THREE]]
func.func @several_each(%m: memref<?xi32>, %v: i32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  %x = gpu.block_id x
  %nx = gpu.grid_dim x
  scf.for %i = %x to %n step %nx {
    memref.store %v, %m[%i] : memref<?xi32>
  }
  return
}
func.func @several_each__grid(%n: index) -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  return %c3, %c1, %c1 : index, index, index
}

// As many steps as workgroups, along another dimension: that is another's share.
// CHECK-LABEL: func.func @of_another(
// CHECK: scf.for
func.func @of_another(%m: memref<?xi32>, %v: i32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  %y = gpu.block_id y
  %nx = gpu.grid_dim x
  scf.for %i = %y to %n step %nx {
    memref.store %v, %m[%i] : memref<?xi32>
  }
  return
}
func.func @of_another__grid(%n: index) -> (index, index, index) attributes {host} {
  %c2 = arith.constant 2 : index
  %c1 = arith.constant 1 : index
  return %n, %c2, %c1 : index, index, index
}

// CHECK-LABEL: func.func @nobody_says(
// CHECK: gpu.grid_dim
func.func @nobody_says(%m: memref<?xi32>, %v: i32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  %x = gpu.block_id x
  %nx = gpu.grid_dim x
  scf.for %i = %x to %n step %nx {
    memref.store %v, %m[%i] : memref<?xi32>
  }
  return
}

// What a launch requires is the launch's to check.
// CHECK-LABEL: func.func @required(
// CHECK-NOT: cf.assert
// CHECK-NOT: scf.for
// CHECK: return
func.func @required(%m: memref<?xi32>, %k: memref<?xi32>, %v: i32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  %x = gpu.block_id x
  %nx = gpu.grid_dim x
  scf.for %i = %x to %n step %nx {
    memref.store %v, %m[%i] : memref<?xi32>
  }
  return
}
func.func @required__grid(%n: index, %k: index) -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %same = arith.cmpi eq, %n, %k : index
  cf.assert %same, "as long as each other"
  return %n, %c1, %c1 : index, index, index
}
