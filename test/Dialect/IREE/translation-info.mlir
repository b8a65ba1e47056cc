// RUN: distaff-opt %s | FileCheck %s
// RUN: distaff-opt %s | distaff-opt | FileCheck %s

// Every part is optional.
// CHECK-DAG: #[[FULL:.*]] = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [32, 1, 1] subgroup_size = 32>
// CHECK-DAG: #[[NONE:.*]] = #iree_codegen.translation_info<>
// CHECK-DAG: #[[SIZES:.*]] = #iree_codegen.translation_info<workgroup_size = [128] subgroup_size = 64>
// CHECK-DAG: #[[SUBGROUP:.*]] = #iree_codegen.translation_info<subgroup_size = 32>
// CHECK-DAG: #[[OPTIONS:.*]] = #iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [256, 1, 1] subgroup_size = 64, {stages = 4 : i64}>
// CHECK-DAG: #[[OPTIONSONLY:.*]] = #iree_codegen.translation_info<{stages = 4 : i64}>

// CHECK: func.func private @full() attributes {translation_info = #[[FULL]]}
func.func private @full() attributes {translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [32, 1, 1] subgroup_size = 32>}
// CHECK: func.func private @none() attributes {translation_info = #[[NONE]]}
func.func private @none() attributes {translation_info = #iree_codegen.translation_info<>}
// CHECK: func.func private @sizes() attributes {translation_info = #[[SIZES]]}
func.func private @sizes() attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [128] subgroup_size = 64>}
// CHECK: func.func private @subgroup() attributes {translation_info = #[[SUBGROUP]]}
func.func private @subgroup() attributes {translation_info = #iree_codegen.translation_info<subgroup_size = 32>}
// CHECK: func.func private @options() attributes {translation_info = #[[OPTIONS]]}
func.func private @options() attributes {translation_info = #iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [256, 1, 1] subgroup_size = 64, {stages = 4 : i64}>}
// CHECK: func.func private @options_only() attributes {translation_info = #[[OPTIONSONLY]]}
func.func private @options_only() attributes {translation_info = #iree_codegen.translation_info<{stages = 4 : i64}>}
