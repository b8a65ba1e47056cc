// RUN: distaff-opt %s | FileCheck %s
// RUN: distaff-opt %s | distaff-opt | FileCheck %s
// RUN: distaff-opt --mlir-print-op-generic %s | distaff-opt | FileCheck %s

#row = #iree_vector_ext.nested_layout<
  subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [64], element_tile = [1],
  subgroup_strides = [0], thread_strides = [1]>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>

// CHECK-LABEL: func.func @vectors
func.func @vectors(%v: vector<64xf32>) -> vector<64xf32> {
  // CHECK: iree_vector_ext.to_layout %{{.*}} to layout(#nested_layout) : vector<64xf32>
  %l = iree_vector_ext.to_layout %v to layout(#row) : vector<64xf32>
  return %l : vector<64xf32>
}

// VX-10: a conversion through shared memory, the default one or a described one.
// CHECK-LABEL: func.func @conversion_attributes
func.func @conversion_attributes(%v: vector<64xf32>) -> (vector<64xf32>, vector<64xf32>) {
  // CHECK: to_layout %{{.*}} to layout(#nested_layout) {shared_memory_conversion} : vector<64xf32>
  %0 = iree_vector_ext.to_layout %v to layout(#row) {shared_memory_conversion} : vector<64xf32>
  // CHECK: to_layout %{{.*}} to layout(#nested_layout) {shared_memory_conversion = "copy"} : vector<64xf32>
  %1 = iree_vector_ext.to_layout %v to layout(#row) {shared_memory_conversion = "copy"} : vector<64xf32>
  return %0, %1 : vector<64xf32>, vector<64xf32>
}

// VX-10
// CHECK-LABEL: func.func @mma_kind
func.func @mma_kind(%v: vector<64xf32>) -> vector<64xf32> {
  // CHECK: to_layout %{{.*}} to layout(#nested_layout) {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} : vector<64xf32>
  %0 = iree_vector_ext.to_layout %v to layout(#row) {mma_kind = #mma} : vector<64xf32>
  return %0 : vector<64xf32>
}

// VX-6: a tensor may be smaller than its layout, or of unknown extent.
// CHECK-LABEL: func.func @tensors
func.func @tensors(%s: tensor<60xf32>, %d: tensor<?xf32>) -> (tensor<60xf32>, tensor<?xf32>) {
  // CHECK: to_layout %{{.*}} to layout(#nested_layout) : tensor<60xf32>
  %0 = iree_vector_ext.to_layout %s to layout(#row) : tensor<60xf32>
  // CHECK: to_layout %{{.*}} to layout(#nested_layout) : tensor<?xf32>
  %1 = iree_vector_ext.to_layout %d to layout(#row) : tensor<?xf32>
  return %0, %1 : tensor<60xf32>, tensor<?xf32>
}
