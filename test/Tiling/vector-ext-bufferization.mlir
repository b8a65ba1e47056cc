// RUN: distaff-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s
// Gathers and scatters of tensors (VX-21).

#base = affine_map<(d0)[s0] -> (s0)>
#index = affine_map<(d0)[s0] -> (d0)>

// CHECK-LABEL: @gather
// CHECK-SAME: %[[M:.*]]: memref<9xf32>
func.func @gather(%t: tensor<9xf32>, %i: vector<3xindex>, %pad: f32) -> vector<3xf32> {
  %c0 = arith.constant 0 : index
  // CHECK: transfer_gather %[[M]][{{.*}} in_bounds = [false]} : memref<9xf32>, vector<3xf32>
  %g = iree_vector_ext.transfer_gather %t[%c0] [%i : vector<3xindex>], %pad {indexing_maps = [#base, #index], in_bounds = [false]} : tensor<9xf32>, vector<3xf32>
  return %g : vector<3xf32>
}

// CHECK-LABEL: @scatter_in_place
// CHECK-SAME: %[[M:.*]]: memref<9xf32>
func.func @scatter_in_place(%t: tensor<9xf32>, %i: vector<3xindex>, %v: vector<3xf32>) -> tensor<9xf32> {
  %c0 = arith.constant 0 : index
  // CHECK-NOT: alloc
  // CHECK: transfer_scatter %{{.*}} into %[[M]][
  // CHECK: return %[[M]]
  %r = iree_vector_ext.transfer_scatter %v into %t[%c0] [%i : vector<3xindex>] {indexing_maps = [#base, #index]} : vector<3xf32>, tensor<9xf32> -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// What is still read keeps its memory: the copy holds what the scatter leaves.
// CHECK-LABEL: @scatter_into_what_is_read
// CHECK-SAME: %[[M:.*]]: memref<9xf32>
func.func @scatter_into_what_is_read(%t: tensor<9xf32>, %i: vector<3xindex>, %v: vector<3xf32>, %pad: f32) -> (tensor<9xf32>, vector<3xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[A:.*]] = memref.alloc() {{.*}} : memref<9xf32>
  // CHECK: memref.copy %[[M]], %[[A]]
  // CHECK: transfer_scatter %{{.*}} into %[[A]][
  // CHECK: transfer_gather %[[M]][
  %r = iree_vector_ext.transfer_scatter %v into %t[%c0] [%i : vector<3xindex>] {indexing_maps = [#base, #index]} : vector<3xf32>, tensor<9xf32> -> tensor<9xf32>
  %g = iree_vector_ext.transfer_gather %t[%c0] [%i : vector<3xindex>], %pad {indexing_maps = [#base, #index]} : tensor<9xf32>, vector<3xf32>
  return %r, %g : tensor<9xf32>, vector<3xf32>
}
