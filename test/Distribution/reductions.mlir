// RUN: distaff-opt %s --distaff-distribute | FileCheck %s

#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#w9 = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [4, 1], outer_tile = [1, 1], thread_tile = [1, 4], element_tile = [1, 4],
  subgroup_strides = [0, 0], thread_strides = [0, 1]>
#six = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [6], element_tile = [2],
  subgroup_strides = [0], thread_strides = [1]>
#two = #iree_vector_ext.nested_layout<
  subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1],
  subgroup_strides = [1], thread_strides = [1]>

// W9: a dim on one lane needs no exchange; there is no cluster of one.
// CHECK-LABEL: func.func @w9_cluster_of_one
// CHECK:         gpu.subgroup_reduce add %{{.*}} cluster(size = 4) : (f32) -> f32
// CHECK-NOT:     gpu.subgroup_reduce
// CHECK-NOT:     memref.alloc
func.func @w9_cluster_of_one(%m: memref<4x16xf32>, %a: f32, %o: memref<f32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_read %m[%c0, %c0], %a {in_bounds = [true, true]} : memref<4x16xf32>, vector<4x16xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#w9) : vector<4x16xf32>
  %r = vector.multi_reduction <add>, %x, %a [0, 1] : vector<4x16xf32> to f32
  memref.store %r, %o[] : memref<f32>
  return
}

// Six lanes: three rounds of a tree, then all read digit value 0 (W11).
// CHECK-LABEL:   func.func @six_lanes
// CHECK-NOT:       gpu.subgroup_reduce
// CHECK-COUNT-4:   gpu.shuffle idx
// CHECK-NOT:       gpu.shuffle
func.func @six_lanes(%m: memref<12xf32>, %a: f32, %o: memref<f32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_read %m[%c0], %a {in_bounds = [true]} : memref<12xf32>, vector<12xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#six) : vector<12xf32>
  %r = vector.multi_reduction <maximumf>, %x, %a [0] : vector<12xf32> to f32
  memref.store %r, %o[] : memref<f32>
  return
}

// A slot per subgroup, one barrier, and everybody reads both slots.
// CHECK-LABEL: func.func @two_subgroups
// CHECK:         memref.alloc() : memref<2xf32, #gpu.address_space<workgroup>>
// CHECK:         gpu.subgroup_reduce add %{{.*}} cluster(size = 32)
// CHECK:         scf.if
// CHECK-NEXT:      memref.store
// CHECK:         gpu.barrier
// CHECK-COUNT-2: memref.load
// CHECK-NOT:     gpu.barrier
func.func @two_subgroups(%m: memref<64xf32>, %a: f32, %o: memref<f32>) attributes {translation_info = #info} {
  %c0 = arith.constant 0 : index
  %0 = vector.transfer_read %m[%c0], %a {in_bounds = [true]} : memref<64xf32>, vector<64xf32>
  %x = iree_vector_ext.to_layout %0 to layout(#two) : vector<64xf32>
  %r = vector.multi_reduction <add>, %x, %a [0] : vector<64xf32> to f32
  memref.store %r, %o[] : memref<f32>
  return
}
