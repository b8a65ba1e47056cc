// RUN: distaff-opt %s --pass-pipeline='builtin.module(gpu.module(gpu.func(distaff-lower-lane-exchange{target=sm_80})))' --split-input-file --verify-diagnostics

gpu.module @kernels {
  gpu.func @unknown_subgroup(%v: f32) -> f32 {
    // expected-error@+1 {{needs to know the subgroup size, and its function has no translation_info with a subgroup_size; give it one}}
    %r = gpu.subgroup_reduce add %v : (f32) -> f32
    gpu.return %r : f32
  }
}

// -----

#t = #iree_codegen.translation_info<subgroup_size = 32>
gpu.module @kernels {
  gpu.func @beyond_the_subgroup(%v: f32) -> f32 attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #t} {
    // expected-error@+1 {{reduces 16 lanes at stride 4, needed powers of two within the subgroup's 32 lanes}}
    %r = gpu.subgroup_reduce add %v cluster(size = 16, stride = 4) : (f32) -> f32
    gpu.return %r : f32
  }
}

// -----

gpu.module @kernels {
  gpu.func @more_than_a_lane_holds(%m: memref<65537xf32>) kernel attributes {known_block_size = array<i32: 32, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = 32>} {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{about 65537 registers per lane hold vectors here, more than the 65536 that can be spilled to memory}}
    %v = vector.load %m[%c0] : memref<65537xf32>, vector<65537xf32>
    %r = gpu.subgroup_reduce add %v cluster(size = 2) : (vector<65537xf32>) -> vector<65537xf32>
    vector.store %r, %m[%c0] : memref<65537xf32>, vector<65537xf32>
    gpu.return
  }
}
