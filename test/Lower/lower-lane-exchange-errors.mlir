// RUN: distaff-opt %s --distaff-lower-lane-exchange=target=sm_80 --split-input-file --verify-diagnostics

func.func @unknown_subgroup(%v: f32) -> f32 {
  // expected-error@+1 {{needs to know the subgroup size}}
  %r = gpu.subgroup_reduce add %v : (f32) -> f32
  return %r : f32
}

// -----

#t = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
func.func @beyond_the_subgroup(%v: f32) -> f32 attributes {translation_info = #t} {
  // expected-error@+1 {{reduces 16 lanes at stride 4, needed powers of two within the subgroup's 32 lanes}}
  %r = gpu.subgroup_reduce add %v cluster(size = 16, stride = 4) : (f32) -> f32
  return %r : f32
}

// -----

func.func @more_than_a_lane_holds(%m: memref<65537xf32>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  // expected-error@+1 {{about 65537 registers per lane hold vectors here, more than the 65536 that can be spilled to memory}}
  %v = vector.load %m[%c0] : memref<65537xf32>, vector<65537xf32>
  %r = gpu.subgroup_reduce add %v cluster(size = 2) : (vector<65537xf32>) -> vector<65537xf32>
  vector.store %r, %m[%c0] : memref<65537xf32>, vector<65537xf32>
  return
}
