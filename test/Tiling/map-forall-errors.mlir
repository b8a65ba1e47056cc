// RUN: distaff-opt %s --distaff-map-forall --split-input-file --verify-diagnostics

func.func @no_mapping(%m: memref<4xf32>, %v: f32) {
  // expected-error@+1 {{needs one #gpu.block mapping per dimension to become a grid of workgroups}}
  scf.forall (%i) in (4) {
    memref.store %v, %m[%i] : memref<4xf32>
  }
  return
}

// -----

func.func @mapped_to_threads(%m: memref<4xf32>, %v: f32) {
  // expected-error@+1 {{is mapped to #gpu.thread<x>, needed #gpu.block<x>, <y> or <z>}}
  scf.forall (%i) in (4) {
    memref.store %v, %m[%i] : memref<4xf32>
  } {mapping = [#gpu.thread<x>]}
  return
}

// -----

// A grid has three dimensions.
func.func @mapped_beyond_z(%m: memref<4xf32>, %v: f32) {
  // expected-error@+1 {{is mapped to #gpu.block<linear_dim_0>, needed #gpu.block<x>, <y> or <z>}}
  scf.forall (%i) in (4) {
    memref.store %v, %m[%i] : memref<4xf32>
  } {mapping = [#gpu.block<linear_dim_0>]}
  return
}

// -----

func.func @two_grids(%m: memref<4xf32>, %v: f32) {
  // expected-note@+1 {{the grid comes from this loop}}
  scf.forall (%i) in (4) {
    memref.store %v, %m[%i] : memref<4xf32>
  } {mapping = [#gpu.block<x>]}
  // expected-error@+1 {{is a second workgroup-mapped loop; one launch has one grid}}
  scf.forall (%i) in (2) {
    memref.store %v, %m[%i] : memref<4xf32>
  } {mapping = [#gpu.block<x>]}
  return
}

// -----

func.func @tensors_leave(%t: tensor<4xf32>, %v: tensor<1xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{yields tensors; bufferize first}}
  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> (tensor<4xf32>) {
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<4xf32>
}
