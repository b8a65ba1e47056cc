// RUN: distaff-opt %s --vector-ext-fold-unit-dims | FileCheck %s
// G10 alone, on functions without layouts (VX-16, VX-21).

// CHECK-DAG: #[[BASE:.*]] = affine_map<(d0)[s0] -> (s0, d0)>
// CHECK-DAG: #[[NONE:.*]] = affine_map<(d0)[s0] -> ()>
// CHECK-LABEL: @rows_of_one
// CHECK-SAME: %[[ROW:.*]]: vector<1xindex>
func.func @rows_of_one(%base: memref<8x4xf32>, %row: vector<1xindex>, %pad: f32) -> vector<1x4xf32> {
  %c0 = arith.constant 0 : index
  // CHECK: %[[I:.*]] = vector.extract %{{.*}}[0] : index from vector<1xindex>
  // CHECK: %[[G:.*]] = iree_vector_ext.transfer_gather %{{.*}} [%[[I]] : index], %{{.*}} {indexing_maps = [#[[BASE]], #[[NONE]]]} : memref<8x4xf32>, vector<4xf32>
  // CHECK: vector.shape_cast %[[G]] : vector<4xf32> to vector<1x4xf32>
  %g = iree_vector_ext.transfer_gather %base[%c0, %c0] [%row : vector<1xindex>], %pad {
    indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]
  } : memref<8x4xf32>, vector<1x4xf32>
  return %g : vector<1x4xf32>
}

// The dim is why the row is checked against the base: without it nobody would.
// CHECK-LABEL: @the_check_of_a_unit_dim_stays
func.func @the_check_of_a_unit_dim_stays(%base: memref<8x4xf32>, %row: vector<1xindex>, %pad: f32) -> vector<1x4xf32> {
  %c0 = arith.constant 0 : index
  // CHECK: transfer_gather {{.*}} [%{{.*}} : vector<1xindex>], {{.*}} in_bounds = [false, true]} : memref<8x4xf32>, vector<1x4xf32>
  %g = iree_vector_ext.transfer_gather %base[%c0, %c0] [%row : vector<1xindex>], %pad {
    indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>], in_bounds = [false, true]
  } : memref<8x4xf32>, vector<1x4xf32>
  return %g : vector<1x4xf32>
}

// CHECK-LABEL: @scatter_of_one
func.func @scatter_of_one(%base: memref<8x4xf32>, %rows: vector<4xindex>, %v: vector<4x1xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: %[[V:.*]] = vector.shape_cast %{{.*}} : vector<4x1xf32> to vector<4xf32>
  // CHECK: transfer_scatter %[[V]] into {{.*}} : vector<4xf32>, memref<8x4xf32>
  iree_vector_ext.transfer_scatter %v into %base[%c0, %c0] [%rows : vector<4xindex>] {
    indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]
  } : vector<4x1xf32>, memref<8x4xf32>
  return
}

// Only unit dims go: what other folds would do is left alone.
// CHECK-LABEL: @nothing_else
func.func @nothing_else(%base: memref<8x4xf32>, %pad: f32) -> vector<8x4xf32> {
  %c0 = arith.constant 0 : index
  %rows = vector.step : vector<8xindex>
  // CHECK: transfer_gather {{.*}} [%{{.*}} : vector<8xindex>]
  %g = iree_vector_ext.transfer_gather %base[%c0, %c0] [%rows : vector<8xindex>], %pad {
    indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>]
  } : memref<8x4xf32>, vector<8x4xf32>
  return %g : vector<8x4xf32>
}
