// RUN: distaff-opt %s --distaff-lower-subgroup-reduce --split-input-file --verify-diagnostics

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
