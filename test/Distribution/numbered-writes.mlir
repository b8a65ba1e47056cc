// Guarded stores of a tile's edge in loops whose counters number registers (VX-290).
// RUN: distaff-opt %s --distaff-distribute=target=gfx942 | FileCheck %s
// RUN: distaff-opt %s --distaff-distribute | FileCheck %s --check-prefix=APART

#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [2, 2], outer_tile = [4, 1], thread_tile = [2, 32], element_tile = [4, 1], subgroup_strides = [0, 0], thread_strides = [32, 1]>
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [2, 2], outer_tile = [1, 4], thread_tile = [32, 2], element_tile = [1, 4], subgroup_strides = [0, 0], thread_strides = [1, 32]>
#few = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [4, 1], thread_tile = [2, 32], element_tile = [4, 1], subgroup_strides = [0, 0], thread_strides = [32, 1]>

// CHECK-DAG: #[[TILES:.*]] = affine_map<(d0)[s0] -> (d0 * 8 + s0)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0)[s0] -> (d0 + s0)>

// Four tiles of 4 rows, 8 rows apart, for each of 2x2 batches: elements of a column, none of which share an access.
// CHECK-LABEL: func.func @edge
// CHECK: scf.for %[[TILE:.*]] = %c0{{.*}} to %c4{{.*}} step %c1
// CHECK: scf.for %[[ROW:.*]] = %c0{{.*}} to %c4{{.*}} step %c1
// CHECK: %[[FIRST:.*]] = affine.apply #[[TILES]](%[[TILE]])
// CHECK: %[[AT:.*]] = affine.apply #[[ROWS]](%[[ROW]])[%[[FIRST]]]
// CHECK: %[[REGISTER:.*]] = vector.extract %{{.*}}[0, 0, %[[TILE]], 0, %[[ROW]], 0] : f32 from vector<2x2x4x1x4x1xf32>
// CHECK: %[[ONE:.*]] = vector.broadcast %[[REGISTER]] : f32 to vector<1x1xf32>
// CHECK: vector.transfer_write %[[ONE]], %arg1[%[[AT]],
// CHECK: vector.extract %{{.*}}[0, 1, %[[TILE]], 0, %[[ROW]], 0]
// CHECK: vector.extract %{{.*}}[1, 0, %[[TILE]], 0, %[[ROW]], 0]
// CHECK: vector.extract %{{.*}}[1, 1, %[[TILE]], 0, %[[ROW]], 0]
// CHECK: vector.transfer_write
// CHECK-NOT: vector.transfer_write
// CHECK: return
// Where no instruction reads a numbered register, there are 16 writes.
// APART-LABEL: func.func @edge
// APART-NOT: scf.for
// APART-COUNT-16: vector.transfer_write
func.func @edge(%m: memref<64x64xf32>, %n: memref<?x?xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#columns) : vector<64x64xf32>
  vector.transfer_write %x, %n[%c0, %c0] : vector<64x64xf32>, memref<?x?xf32>
  return
}

// Elements of a row may share an access: the tiles are in a loop, their elements are not.
// CHECK-LABEL: func.func @shared_access
// CHECK: scf.for %[[TILE:.*]] = %c0{{.*}} to %c4{{.*}} step %c1
// CHECK-NOT: scf.for
// CHECK: vector.extract %{{.*}}[0, 0, 0, %[[TILE]]] : vector<1x4xf32>
// CHECK: return
func.func @shared_access(%m: memref<64x64xf32>, %n: memref<?x?xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#rows) : vector<64x64xf32>
  vector.transfer_write %x, %n[%c0, %c0] : vector<64x64xf32>, memref<?x?xf32>
  return
}

// No loop for what is inside the memory, for few stores, for halves of registers, or inside another loop.
// CHECK-LABEL: func.func @apart
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @apart(%m: memref<64x64xf32>, %h: memref<64x64xf16>, %n: memref<?x?xf32>, %o: memref<?x?xf16>, %trips: index) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %y = arith.constant 0.0 : f16
  %0 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x64xf32>, vector<64x64xf32>
  %1 = iree_vector_ext.to_layout %0 to layout(#columns) : vector<64x64xf32>
  vector.transfer_write %1, %n[%c0, %c0] {in_bounds = [true, true]} : vector<64x64xf32>, memref<?x?xf32>
  %2 = vector.transfer_read %m[%c0, %c0], %z {in_bounds = [true, true]} : memref<64x64xf32>, vector<32x32xf32>
  %3 = iree_vector_ext.to_layout %2 to layout(#few) : vector<32x32xf32>
  vector.transfer_write %3, %n[%c0, %c0] : vector<32x32xf32>, memref<?x?xf32>
  %4 = vector.transfer_read %h[%c0, %c0], %y {in_bounds = [true, true]} : memref<64x64xf16>, vector<64x64xf16>
  %5 = iree_vector_ext.to_layout %4 to layout(#columns) : vector<64x64xf16>
  vector.transfer_write %5, %o[%c0, %c0] : vector<64x64xf16>, memref<?x?xf16>
  scf.for %i = %c0 to %trips step %c1 {
    vector.transfer_write %1, %n[%i, %c0] : vector<64x64xf32>, memref<?x?xf32>
  }
  return
}

// What is no number of bits is written as ever.
// CHECK-LABEL: func.func @positions
// CHECK: vector.transfer_write %{{.*}} : vector<1xindex>, memref<?xindex>
func.func @positions(%n: memref<?xindex>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %0 = vector.step : vector<64xindex>
  %x = iree_vector_ext.to_layout %0 to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [64], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>) : vector<64xindex>
  vector.transfer_write %x, %n[%c0] : vector<64xindex>, memref<?xindex>
  return
}
