// RUN: distaff-opt %s --distaff-distribute | FileCheck %s

#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#all = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2],
  subgroup_strides = [1], thread_strides = [1]>
#replicas = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [4],
  subgroup_strides = [0], thread_strides = [1]>
#gaps = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [8], element_tile = [8],
  subgroup_strides = [1], thread_strides = [4]>

// No thread holds a copy of another's element: no guard (VX-76).
// CHECK-LABEL: func.func @every_thread_writes
// CHECK-NOT:     scf.if
// CHECK:         vector.transfer_write
func.func @every_thread_writes(%m: memref<128xf32>, %n: memref<128xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<128xf32>, vector<128xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#all) : vector<128xf32>
  vector.transfer_write %x, %n[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  return
}

// The second subgroup holds copies.
// CHECK-LABEL: func.func @one_subgroup_writes
// CHECK:         %[[ID:.*]]:2 = affine.delinearize_index
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %[[ID]]#0
// CHECK:         scf.if %[[FIRST]] {
// CHECK-NEXT:      vector.extract
// CHECK-NEXT:      vector.transfer_write
func.func @one_subgroup_writes(%m: memref<128xf32>, %n: memref<128xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<128xf32>, vector<128xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#replicas) : vector<128xf32>
  vector.transfer_write %x, %n[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  return
}

// Lanes 0, 4, 8, ... write; and the write waits for those who read the same
// memory (VX-94).
// CHECK-LABEL: func.func @every_fourth_lane_writes
// CHECK:         %[[ID:.*]]:2 = affine.delinearize_index
// CHECK:         %[[OWN:.*]] = affine.apply
// CHECK:         %[[CANONICAL:.*]] = arith.cmpi eq, %[[ID]]#1, %[[OWN]]
// CHECK:         vector.transfer_read
// CHECK:         gpu.barrier
// CHECK-NEXT:    scf.if %[[CANONICAL]]
func.func @every_fourth_lane_writes(%m: memref<128xf32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<128xf32>, vector<128xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#gaps) : vector<128xf32>
  vector.transfer_write %x, %m[%c0] {in_bounds = [true]} : vector<128xf32>, memref<128xf32>
  return
}
