// RUN: distaff-opt %s --distaff-convert-gpu-to-nvvm=target=sm_80 --split-input-file --verify-diagnostics
// RUN: distaff-opt %s --distaff-convert-gpu-to-rocdl=target=gfx942 --split-input-file --verify-diagnostics

gpu.module @kernels {
  gpu.func @more_than_a_lane_holds(%m: memref<16777216xf64>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    // expected-error@+1 {{about 33554432 registers per lane hold vectors here, more than the 65536 that can be spilled to memory; make the tiles smaller or take more lanes}}
    %v = vector.load %m[%c0] : memref<16777216xf64>, vector<16777216xf64>
    gpu.return
  }
}

// -----

gpu.module @kernels {
  gpu.func @one_more(%m: memref<65536xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    // As many as there may be.
    %v = vector.load %m[%c0] : memref<65536xf32>, vector<65536xf32>
    // expected-error@+1 {{about 65537 registers per lane hold vectors here}}
    %w = ub.poison : vector<65537xf32>
    gpu.return
  }
}
