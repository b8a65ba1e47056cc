// What breaks a stage's contract is said at the op that breaks it, one file
// section per stage.
//
// RUN: split-file %s %t
// RUN: distaff-opt %t/form-launches.mlir --split-input-file --verify-diagnostics --distaff-verify-form-launches
// RUN: distaff-opt %t/configure.mlir --split-input-file --verify-diagnostics --distaff-verify-configure
// RUN: distaff-opt %t/tile.mlir --split-input-file --verify-diagnostics --distaff-verify-tile
// RUN: distaff-opt %t/vectorize.mlir --split-input-file --verify-diagnostics --distaff-verify-vectorize
// RUN: distaff-opt %t/assign-layouts.mlir --split-input-file --verify-diagnostics --distaff-verify-assign-layouts
// RUN: distaff-opt %t/distribute.mlir --split-input-file --verify-diagnostics --distaff-verify-distribute
// RUN: distaff-opt %t/lower.mlir --split-input-file --verify-diagnostics --distaff-verify-lower

//--- form-launches.mlir
// expected-error @+1 {{has `inherited_config` after form-launches, which reads it}}
func.func @inherited(%m: memref<4xf32>) attributes {inherited_config} {
  return
}

// -----

// expected-error @+1 {{has `launch_configs` after form-launches, which reads it}}
func.func @for_launches(%m: memref<4xf32>) attributes {launch_configs = {}} {
  return
}

// -----

// expected-error @+1 {{has a vector argument or a result that is no tensor after form-launches}}
func.func @scalar_result(%m: memref<4xf32>) -> f32 {
  %z = arith.constant 0.0 : f32
  return %z : f32
}

// -----

func.func @not_linalg(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{computes a tensor in a launch after form-launches}}
  %0 = arith.addf %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- configure.mlir
// expected-error @+1 {{has no translation_info with workgroup_size and subgroup_size after configure}}
func.func @no_subgroup_size(%m: memref<4xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1]>} {
  return
}

// -----

// expected-error @+1 {{has no translation_info with workgroup_size and subgroup_size after configure}}
func.func @unconfigured(%m: memref<4xf32>) {
  return
}

// -----

// expected-error @+1 {{has a vector argument or a result that is no tensor after configure}}
func.func @vector_at_the_border(%v: vector<4xf32>) attributes {
    translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  return
}

// -----

func.func @one_lanes_op(%m: memref<4xf32>) attributes {
    translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  // expected-error @+1 {{is run by one lane, and a func.func is the program of one workgroup; write one lane's program as a gpu.func kernel in a gpu.module, with known_block_size}}
  gpu.barrier
  return
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{is the program of one lane, needed that of one grid}}
  gpu.func @one_lane() kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    gpu.return
  }
}

//--- tile.mlir
// expected-error @+1 {{has no grid function after tile}}
func.func @no_grid(%m: memref<4xf32>) {
  return
}

// -----

// expected-error @+1 {{has a loop over 2, 1, 1 workgroups, and a grid function that returns 3, 1, 1}}
func.func @another_grid(%m: memref<4xf32>) {
  scf.forall (%i) in (2) {
  } {mapping = [#gpu.block<x>]}
  return
}
// expected-note @+1 {{the grid function}}
func.func @another_grid__grid() -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  return %c3, %c1, %c1 : index, index, index
}

// -----

func.func @linalg_outside(%x: tensor<4xf32>, %z: f32) -> tensor<4xf32> {
  // expected-error @+1 {{is outside the workgroup-mapped loop after tile}}
  %y = linalg.fill ins(%z : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  %r = scf.forall (%i) in (2) shared_outs(%o = %y) -> tensor<4xf32> {
    scf.forall.in_parallel {
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<4xf32>
}
func.func @linalg_outside__grid() -> (index, index, index) attributes {host} {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  return %c2, %c1, %c1 : index, index, index
}


// -----

// expected-error @+1 {{has 2 workgroup-mapped loops after tile, one is allowed}}
func.func @two_loops(%m: memref<4xf32>) {
  scf.forall (%i) in (4) {
  } {mapping = [#gpu.block<x>]}
  scf.forall (%i) in (4) {
  } {mapping = [#gpu.block<x>]}
  return
}
func.func @two_loops__grid() -> (index, index, index) attributes {host} {
  %c4 = arith.constant 4 : index
  return %c4, %c4, %c4 : index, index, index
}

//--- vectorize.mlir
func.func @linalg_left(%x: tensor<4xf32>, %z: f32) -> tensor<4xf32> {
  // expected-error @+1 {{is left after vectorize}}
  %y = linalg.fill ins(%z : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

//--- assign-layouts.mlir
// A vector that no to_layout determines.
func.func @no_layout(%m: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error @+1 {{result has no layout: no 'iree_vector_ext.to_layout' reaches it (DG4); lay it out by one, or run distaff-assign-layouts, which chooses}}
  %v = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<4xf32>, vector<4xf32>
  vector.transfer_write %v, %m[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>
  return
}

// -----

func.func @tensor_left() {
  // expected-error @+1 {{mentions a tensor after assign-layouts}}
  %e = tensor.empty() : tensor<4xf32>
  return
}

//--- distribute.mlir
#row = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1],
  thread_tile = [4], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
gpu.module @kernels {
  gpu.func @layout_left(%v: vector<4xf32>) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    // expected-error @+1 {{is left after distribute}}
    %w = iree_vector_ext.to_layout %v to layout(#row) : vector<4xf32>
    gpu.return
  }
}

// -----

// expected-error @+1 {{is the program of one workgroup, needed that of one lane}}
func.func @not_written_for_a_lane() {
  return
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{has no known_block_size, the lanes of its workgroups along x, y and z}}
  gpu.func @no_lanes() kernel {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{has a known_block_size of 4, 0, 1, needed positive numbers}}
  gpu.func @lanes_of_nothing() kernel attributes {known_block_size = array<i32: 4, 0, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{has a workgroup_size in its translation_info; one lane's program has it as known_block_size}}
  gpu.func @said_twice() kernel attributes {known_block_size = array<i32: 4, 1, 1>,
      translation_info = #iree_codegen.translation_info<workgroup_size = [4, 1, 1]>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  // expected-error @+1 {{declares buffers in its signature; allocate them in its body, by memref.alloc}}
  gpu.func @attributions() workgroup(%w : memref<4xf32, #gpu.address_space<workgroup>>) kernel
      attributes {known_block_size = array<i32: 4, 1, 1>} {
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @loop_over_workgroups() kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    // expected-error @+1 {{is a loop over workgroups in the program of one lane; use gpu.block_id and known_grid_size}}
    scf.forall (%i) in (4) {
    } {mapping = [#gpu.block<x>]}
    gpu.return
  }
}

//--- lower.mlir
// Wide accesses keep their vectors, arithmetic does not.
gpu.module @kernels {
  gpu.func @vector_left(%m: memref<4xf32>) kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
    %c0 = arith.constant 0 : index
    %a = vector.load %m[%c0] : memref<4xf32>, vector<4xf32>
    // expected-error @+1 {{still computes with a vector after lower}}
    %b = arith.addf %a, %a : vector<4xf32>
    vector.store %b, %m[%c0] : memref<4xf32>, vector<4xf32>
    gpu.return
  }
}
