// RUN: distaff-opt %s --vector-ext-lower-indexed-access | FileCheck %s
// Which accesses become vector.gather and vector.scatter, and which loops (VX-21);
// what they compute is executed in test/Execution/VectorExt/without_lanes.test.

// The last base dim is gathered, the first counts with the rows.
// CHECK-LABEL: @rows
func.func @rows(%base: memref<4x9xf32>, %indices: vector<2x3xindex>, %pad: f32) -> vector<2x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : index
  // CHECK: %[[ROW0:.*]] = vector.extract %{{.*}}[0] : vector<3xindex> from vector<2x3xindex>
  // CHECK: %[[ALL:.*]] = arith.constant dense<true> : vector<3xi1>
  // CHECK: %[[G0:.*]] = vector.gather %{{.*}}[%{{.*}}, %{{.*}}] [%[[ROW0]]], %[[ALL]], %{{.*}} : memref<4x9xf32>, vector<3xindex>, vector<3xi1>, vector<3xf32> into vector<3xf32>
  // CHECK: vector.insert %[[G0]], %{{.*}} [0] : vector<3xf32> into vector<2x3xf32>
  // CHECK: %[[ROW1:.*]] = vector.extract %{{.*}}[1]
  // CHECK: vector.gather {{.*}} [%[[ROW1]]]
  // CHECK-NOT: scf
  %g = iree_vector_ext.transfer_gather %base[%c1, %c0] [%indices : vector<2x3xindex>], %pad {
    indexing_maps = [affine_map<(d0, d1)[s0] -> (d0, s0)>, affine_map<(d0, d1)[s0] -> (d0, d1)>]
  } : memref<4x9xf32>, vector<2x3xf32>
  return %g : vector<2x3xf32>
}

// An index of another order is transposed, integers become indices, and what
// in_bounds does not promise joins the mask.
// CHECK-LABEL: @checked
func.func @checked(%base: memref<?xf32>, %indices: vector<3x2xi32>, %mask: vector<2x3xi1>, %pad: f32) -> vector<2x3xf32> {
  %c1 = arith.constant 1 : index
  // CHECK: %[[T:.*]] = vector.transpose %{{.*}}, [1, 0] : vector<3x2xi32> to vector<2x3xi32>
  // CHECK: vector.extract %[[T]][0]
  // CHECK: arith.index_cast {{.*}} : vector<3xi32> to vector<3xindex>
  // CHECK: %[[EXTENT:.*]] = memref.dim
  // CHECK: %[[B:.*]] = vector.broadcast %[[EXTENT]] : index to vector<3xindex>
  // CHECK: %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %[[B]] : vector<3xindex>
  // CHECK: arith.andi %{{.*}}, %[[IN]] : vector<3xi1>
  %g = iree_vector_ext.transfer_gather %base[%c1] [%indices : vector<3x2xi32>], %pad, %mask {
    indexing_maps = [affine_map<(d0, d1)[s0] -> (s0)>, affine_map<(d0, d1)[s0] -> (d1, d0)>, affine_map<(d0, d1)[s0] -> (d0, d1)>],
    in_bounds = [true, false]
  } : memref<?xf32>, vector<2x3xf32>, vector<2x3xi1>
  return %g : vector<2x3xf32>
}

// A row is an address per element: loops.
// CHECK-LABEL: @rows_are_gathered
func.func @rows_are_gathered(%base: memref<4x9xf32>, %rows: vector<2xindex>, %pad: f32) -> vector<2x3xf32> {
  %c0 = arith.constant 0 : index
  // CHECK: scf.for {{.*}} -> (vector<6xf32>)
  // CHECK: scf.for {{.*}} -> (vector<6xf32>)
  // CHECK: %[[ROW:.*]] = vector.extract %{{.*}}[%{{.*}}] : index from vector<2xindex>
  // CHECK: memref.load
  // CHECK: vector.insert {{.*}} : f32 into vector<6xf32>
  // CHECK: vector.shape_cast {{.*}} : vector<6xf32> to vector<2x3xf32>
  %g = iree_vector_ext.transfer_gather %base[%c0, %c0] [%rows : vector<2xindex>], %pad {
    indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]
  } : memref<4x9xf32>, vector<2x3xf32>
  return %g : vector<2x3xf32>
}

// vector.gather would not be lowered: its last dim must be contiguous.
// CHECK-LABEL: @strided
func.func @strided(%base: memref<9xf32, strided<[2]>>, %indices: vector<3xindex>, %pad: f32) -> vector<3xf32> {
  %c0 = arith.constant 0 : index
  // CHECK-NOT: vector.gather
  // CHECK: scf.for
  %g = iree_vector_ext.transfer_gather %base[%c0] [%indices : vector<3xindex>], %pad {
    indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>]
  } : memref<9xf32, strided<[2]>>, vector<3xf32>
  return %g : vector<3xf32>
}

// CHECK-LABEL: @scatter
func.func @scatter(%base: memref<9xf32>, %indices: vector<3xindex>, %v: vector<3xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: vector.scatter %{{.*}}[%{{.*}}] [%{{.*}}], %{{.*}}, %{{.*}} : memref<9xf32>
  iree_vector_ext.transfer_scatter %v into %base[%c0] [%indices : vector<3xindex>] {
    indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>]
  } : vector<3xf32>, memref<9xf32>
  return
}

// A tensor is carried from write to write, also past those that do not happen.
// CHECK-LABEL: @scatter_into_a_tensor
func.func @scatter_into_a_tensor(%base: tensor<9xf32>, %indices: vector<3xindex>, %mask: vector<3xi1>, %v: vector<3xf32>) -> tensor<9xf32> {
  %c0 = arith.constant 0 : index
  // CHECK: %[[R:.*]] = scf.for {{.*}} iter_args(%[[T:.*]] = %{{.*}}) -> (tensor<9xf32>)
  // CHECK: %[[NEXT:.*]] = scf.if {{.*}} -> (tensor<9xf32>)
  // CHECK: tensor.insert %{{.*}} into %[[T]]
  // CHECK: else
  // CHECK: scf.yield %[[T]]
  // CHECK: return %[[R]]
  %r = iree_vector_ext.transfer_scatter %v into %base[%c0] [%indices : vector<3xindex>], %mask {
    indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>, affine_map<(d0)[s0] -> (d0)>]
  } : vector<3xf32>, tensor<9xf32>, vector<3xi1> -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// CHECK-LABEL: @rank_0
func.func @rank_0(%base: memref<f32>, %pad: f32) -> vector<f32> {
  // CHECK-NOT: scf.for
  // CHECK: memref.load %{{.*}}[] : memref<f32>
  %g = iree_vector_ext.transfer_gather %base[], %pad {indexing_maps = [affine_map<() -> ()>]} : memref<f32>, vector<f32>
  return %g : vector<f32>
}
