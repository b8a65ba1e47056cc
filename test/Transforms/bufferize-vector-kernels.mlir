// RUN: distaff-opt %s --distaff-bufferize=only-vector-kernels | FileCheck %s
// Kernels whose tensors only meet vectors are of one workgroup: no tiles are
// chosen for them (VX-75, VX-80).

// CHECK-LABEL: func.func @gather
// CHECK-SAME: %[[T:.*]]: memref<9xf32>, %[[I:.*]]: memref<4xindex>, %[[R:.*]]: memref<4xf32> {iree.abi.output = 0 : index}) {
func.func @gather(%t: tensor<9xf32>, %i: tensor<4xindex>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  // CHECK: vector.transfer_read %[[I]]
  // CHECK: transfer_gather %[[T]]
  // CHECK: vector.transfer_write {{.*}}, %[[R]]
  // CHECK: return
  %v = vector.transfer_read %i[%c0], %c0 {in_bounds = [true]} : tensor<4xindex>, vector<4xindex>
  %g = iree_vector_ext.transfer_gather %t[%c0] [%v : vector<4xindex>], %pad {indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>]} : tensor<9xf32>, vector<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %r = vector.transfer_write %g, %e[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
  return %r : tensor<4xf32>
}

// The layout of a tensor is that of the vector, which is read once.
#layout = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [4], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
// CHECK-LABEL: func.func @laid_out
func.func @laid_out(%t: tensor<4xf32>, %out: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  // CHECK: %[[V:.*]] = vector.transfer_read
  // CHECK-NEXT: %[[L:.*]] = iree_vector_ext.to_layout %[[V]]
  // CHECK-NEXT: vector.transfer_write %[[L]], %arg2
  // CHECK-NEXT: return
  %l = iree_vector_ext.to_layout %t to layout(#layout) : tensor<4xf32>
  %v = vector.transfer_read %l[%c0], %pad {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
  %r = vector.transfer_write %v, %out[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @tiled_later
// CHECK-SAME: tensor<64xf32>
func.func @tiled_later(%t: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.exp ins(%t : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
