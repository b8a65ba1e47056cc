// RUN: distaff-opt %s --distaff-bufferize=of-vectors --split-input-file | FileCheck %s

// A layout of a tensor lays out its vectors, transposed as they are, and may
// exceed it (D11).
#rows = #iree_vector_ext.nested_layout<
  subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [2, 1],
  subgroup_strides = [0, 0], thread_strides = [4, 1]>
// CHECK:       #[[TURNED:.*]] = #iree_vector_ext.nested_layout<{{.*}}thread_tile = [4, 8], element_tile = [1, 2]
// CHECK-LABEL: func.func @turned(
// CHECK-SAME:    %[[IN:.*]]: memref<13x4xf32
// CHECK-SAME:    %[[OUT:.*]]: memref<4x16xf32>
// CHECK:         %[[READ:.*]] = vector.transfer_read %[[IN]]
// CHECK:         %[[LAID:.*]] = iree_vector_ext.to_layout %[[READ]] to layout(#[[TURNED]]) : vector<4x16xf32>
// CHECK:         vector.transfer_write %[[LAID]], %[[OUT]]
func.func @turned(%t: tensor<13x4xf32>) -> tensor<4x16xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %l = iree_vector_ext.to_layout %t to layout(#rows) : tensor<13x4xf32>
  %x = vector.transfer_read %l[%c0, %c0], %z {in_bounds = [true, false], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : tensor<13x4xf32>, vector<4x16xf32>
  %e = tensor.empty() : tensor<4x16xf32>
  %w = vector.transfer_write %x, %e[%c0, %c0] {in_bounds = [true, true]} : vector<4x16xf32>, tensor<4x16xf32>
  return %w : tensor<4x16xf32>
}

// -----

// What has linalg in it waits until it is tiled.
// CHECK-LABEL: func.func @untiled(
// CHECK-SAME:    tensor<4xf32>
func.func @untiled(%t: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.exp ins(%t : tensor<4xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// VX-80, VX-81: gathers and scatters access tensors as transfers do.
// CHECK-LABEL: func.func @gathered(
// CHECK-SAME:    %[[IN:[a-z0-9]+]]: memref<10xf32
// CHECK-SAME:    %[[OUT:[a-z0-9]+]]: memref<4xf32>
// CHECK:         iree_vector_ext.transfer_gather %[[IN]]
// CHECK:         iree_vector_ext.transfer_scatter %{{.*}} into %[[OUT]]
func.func @gathered(%t: tensor<10xf32>, %i: vector<4xindex>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %lanes = vector.step : vector<4xindex>
  %x = iree_vector_ext.transfer_gather %t[%c0] [%i : vector<4xindex>], %z {indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>], in_bounds = [true]} : tensor<10xf32>, vector<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %w = iree_vector_ext.transfer_scatter %x into %e[%c0] [%lanes : vector<4xindex>] {indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>], in_bounds = [true]} : vector<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %w : tensor<4xf32>
}
