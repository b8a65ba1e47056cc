// RUN: distaff-opt %s --vector-ext-vectorize-to-layout | FileCheck %s
// Layouts of tensors (VX-10, VX-21).

#layout = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>

// CHECK-LABEL: @smaller_than_its_layout
// CHECK-SAME: %[[T:.*]]: tensor<?x5xf32>
func.func @smaller_than_its_layout(%t: tensor<?x5xf32>) -> tensor<?x5xf32> {
  // CHECK: %[[D:.*]] = tensor.dim %[[T]]
  // CHECK: %[[M:.*]] = vector.create_mask %[[D]], %{{.*}} : vector<8x8xi1>
  // CHECK: %[[P:.*]] = ub.poison : f32
  // CHECK: %[[R:.*]] = vector.transfer_read %[[T]][%{{.*}}], %[[P]], %[[M]] {in_bounds = [true, true]} : tensor<?x5xf32>, vector<8x8xf32>
  // CHECK: %[[L:.*]] = iree_vector_ext.to_layout %[[R]] to layout({{.*}}) {shared_memory_conversion} : vector<8x8xf32>
  // CHECK: %[[E:.*]] = tensor.empty(%[[D]]) : tensor<?x5xf32>
  // CHECK: vector.transfer_write %[[L]], %[[E]][%{{.*}}], %[[M]] {in_bounds = [true, true]}
  %l = iree_vector_ext.to_layout %t to layout(#layout) {shared_memory_conversion} : tensor<?x5xf32>
  return %l : tensor<?x5xf32>
}

// CHECK-LABEL: @as_large_as_its_layout
func.func @as_large_as_its_layout(%t: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-NOT: mask
  // CHECK: vector.transfer_read {{.*}} : tensor<8x8xf32>, vector<8x8xf32>
  // CHECK: to_layout {{.*}} : vector<8x8xf32>
  %l = iree_vector_ext.to_layout %t to layout(#layout) : tensor<8x8xf32>
  return %l : tensor<8x8xf32>
}

#scalar = #iree_vector_ext.nested_layout<subgroup_tile = [], batch_tile = [], outer_tile = [], thread_tile = [], element_tile = [], subgroup_strides = [], thread_strides = []>
// CHECK-LABEL: @rank_0
func.func @rank_0(%t: tensor<f32>) -> tensor<f32> {
  // CHECK: vector.transfer_read {{.*}} : tensor<f32>, vector<f32>
  %l = iree_vector_ext.to_layout %t to layout(#scalar) : tensor<f32>
  return %l : tensor<f32>
}
