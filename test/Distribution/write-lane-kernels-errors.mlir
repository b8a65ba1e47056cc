// RUN: distaff-opt %s --split-input-file --verify-diagnostics --distaff-write-lane-kernels

// expected-error @+1 {{returns values; results are out-arguments in the program of one lane}}
func.func @returns(%x: f32) -> f32 attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32] subgroup_size = 32>} {
  return %x : f32
}

// -----

// expected-error @+1 {{has no translation_info with a workgroup_size; give it one, or --config workgroup_size=128}}
func.func @no_launch() {
  return
}

// -----

func.func @loop() attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32] subgroup_size = 32>} {
  // expected-error @+1 {{is a loop over workgroups; map it first}}
  scf.forall (%i) in (4) {
  } {mapping = [#gpu.block<x>]}
  return
}
