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

// A workgroup that goes on with its next tile has the memory of the one before: all
// have read it then. What runs one tile has no such barrier.
#shared = #gpu.address_space<workgroup>
// CHECK-LABEL: func.func @memory_of_all_tiles(
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:   memref.load %{{.*}}#gpu.address_space<workgroup>>
// CHECK:   memref.store %{{.*}} : memref<?xi32>
// CHECK-NEXT: iree_gpu.fence release workgroup
// CHECK-NEXT: iree_gpu.global_subgroup_barrier
// CHECK-NEXT: iree_gpu.fence acquire workgroup
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @memory_of_all_tiles(%m: memref<?xi32>, %p: memref<4xi32, #shared>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  %x = gpu.block_id x
  %nx = gpu.grid_dim x
  scf.for %i = %x to %n step %nx {
    %v = memref.load %p[%c0] : memref<4xi32, #shared>
    memref.store %v, %m[%i] : memref<?xi32>
  }
  return
}
func.func @memory_of_all_tiles__grid(%n: index) -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  return %c3, %c1, %c1 : index, index, index
}

// CHECK-LABEL: func.func @memory_of_one_tile(
// CHECK-NOT: barrier
// CHECK: return
func.func @memory_of_one_tile(%m: memref<?xi32>, %p: memref<4xi32, #shared>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  %x = gpu.block_id x
  %nx = gpu.grid_dim x
  scf.for %i = %x to %n step %nx {
    %v = memref.load %p[%c0] : memref<4xi32, #shared>
    memref.store %v, %m[%i] : memref<?xi32>
  }
  return
}
func.func @memory_of_one_tile__grid(%n: index) -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  return %n, %c1, %c1 : index, index, index
}

// Where a barrier that orders memory follows every access, there is no need of
// another: behind a loop's last, in either case of a branch, beyond a loop that may
// not run.
// CHECK-LABEL: func.func @ordered_anyway(
// CHECK-COUNT-4: iree_gpu.global_subgroup_barrier
// CHECK-NOT: barrier
// CHECK: return
func.func @ordered_anyway(%m: memref<?xi32>, %p: memref<4xi32, #shared>, %k: index, %b: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  %x = gpu.block_id x
  %nx = gpu.grid_dim x
  scf.for %i = %x to %n step %nx {
    %u = memref.load %p[%c1] : memref<4xi32, #shared>
    iree_gpu.fence release workgroup
    iree_gpu.global_subgroup_barrier
    iree_gpu.fence acquire workgroup
    scf.for %j = %c0 to %k step %c1 {
      %v = memref.load %p[%c0] : memref<4xi32, #shared>
      memref.store %v, %m[%i] : memref<?xi32>
      iree_gpu.fence release workgroup
      iree_gpu.global_subgroup_barrier
      iree_gpu.fence acquire workgroup
    }
    scf.if %b {
      memref.store %u, %p[%c0] : memref<4xi32, #shared>
      iree_gpu.fence release workgroup
      iree_gpu.global_subgroup_barrier
      iree_gpu.fence acquire workgroup
    } else {
      iree_gpu.fence release workgroup
      iree_gpu.global_subgroup_barrier
      iree_gpu.fence acquire workgroup
    }
  }
  return
}
func.func @ordered_anyway__grid(%n: index) -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  return %c3, %c1, %c1 : index, index, index
}

// A barrier of some, one that orders no memory, one that may not be met, and one in
// front of the access are none.
// CHECK-LABEL: func.func @not_ordered(
// CHECK-COUNT-4: iree_gpu.global_subgroup_barrier
// CHECK: iree_gpu.fence release workgroup
// CHECK-NEXT: iree_gpu.global_subgroup_barrier
// CHECK-NEXT: iree_gpu.fence acquire workgroup
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @not_ordered(%m: memref<?xi32>, %p: memref<4xi32, #shared>, %k: index, %b: i1) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  %x = gpu.block_id x
  %nx = gpu.grid_dim x
  scf.for %i = %x to %n step %nx {
    iree_gpu.fence release workgroup
    iree_gpu.global_subgroup_barrier
    iree_gpu.fence acquire workgroup
    %u = memref.load %p[%c0] : memref<4xi32, #shared>
    memref.store %u, %m[%i] : memref<?xi32>
    iree_gpu.fence release workgroup
    iree_gpu.global_subgroup_barrier id(1) threads(%c64)
    iree_gpu.fence acquire workgroup
    iree_gpu.global_subgroup_barrier
    scf.if %b {
      iree_gpu.fence release workgroup
      iree_gpu.global_subgroup_barrier
      iree_gpu.fence acquire workgroup
    }
  }
  return
}
func.func @not_ordered__grid(%n: index) -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  return %c3, %c1, %c1 : index, index, index
}

// Behind the access there is a barrier in a loop that may not run.
// CHECK-LABEL: func.func @ordered_by_a_loop(
// CHECK:   scf.for
// CHECK:     scf.for
// CHECK:       iree_gpu.global_subgroup_barrier
// CHECK:     }
// CHECK-NEXT: iree_gpu.fence release workgroup
// CHECK-NEXT: iree_gpu.global_subgroup_barrier
// CHECK-NEXT: iree_gpu.fence acquire workgroup
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @ordered_by_a_loop(%m: memref<?xi32>, %p: memref<4xi32, #shared>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  %x = gpu.block_id x
  %nx = gpu.grid_dim x
  scf.for %i = %x to %n step %nx {
    %v = memref.load %p[%c0] : memref<4xi32, #shared>
    memref.store %v, %m[%i] : memref<?xi32>
    scf.for %j = %c0 to %k step %c1 {
      iree_gpu.fence release workgroup
      iree_gpu.global_subgroup_barrier
      iree_gpu.fence acquire workgroup
    }
  }
  return
}
func.func @ordered_by_a_loop__grid(%n: index) -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  return %c3, %c1, %c1 : index, index, index
}

// Loops along several dimensions are one walk through the tiles.
// CHECK-LABEL: func.func @of_two_dimensions(
// CHECK: scf.for
// CHECK:   scf.for
// CHECK:     iree_gpu.global_subgroup_barrier
// CHECK-NOT: barrier
// CHECK: return
func.func @of_two_dimensions(%m: memref<?xi32>, %p: memref<4xi32, #shared>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  %x = gpu.block_id x
  %y = gpu.block_id y
  %nx = gpu.grid_dim x
  %ny = gpu.grid_dim y
  scf.for %j = %y to %n step %ny {
    scf.for %i = %x to %n step %nx {
      %v = memref.load %p[%c0] : memref<4xi32, #shared>
      memref.store %v, %m[%i] : memref<?xi32>
    }
  }
  return
}
func.func @of_two_dimensions__grid(%n: index) -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  return %c3, %c3, %c1 : index, index, index
}
