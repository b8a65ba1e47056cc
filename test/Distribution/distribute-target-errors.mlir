// RUN: not distaff-opt %s --distaff-distribute=target=sm_1 2>&1 | FileCheck %s
// A target that is none.

// CHECK: error: has unknown target 'sm_1'
func.func @f() attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  return
}
