// RUN: distaff-opt %s --distaff-complete-launch=target=sm_80 --split-input-file | FileCheck %s --check-prefixes=CHECK,LANES32
// RUN: distaff-opt %s --distaff-complete-launch=target=gfx942 --split-input-file | FileCheck %s --check-prefixes=CHECK,LANES64

// A kernel of phases is one for targets of 32 and of 64 lanes (PCF-101).

#sg = #iree_gpu.subgroup_scope
// LANES32: #[[INFO:.*]] = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 32>
// LANES64: #[[INFO:.*]] = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 64>
// CHECK: @subgroups_of_the_target(){{.*}}translation_info = #[[INFO]]
func.func @subgroups_of_the_target() attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [256, 1, 1]>} {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.return
  }
  return
}

// -----

// What says one keeps it.
#sg = #iree_gpu.subgroup_scope
// CHECK: #[[OWN:.*]] = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 16>
// CHECK: @own_subgroups(){{.*}}translation_info = #[[OWN]]
func.func @own_subgroups() attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 16>} {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.return
  }
  return
}

// -----

// No kernel of phases has its launch chosen by configure.
// CHECK: #iree_codegen.translation_info<workgroup_size = [64, 1, 1]>
// CHECK: @no_phases
func.func @no_phases(%a: tensor<4xf32>) -> tensor<4xf32> attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1]>} {
  return %a : tensor<4xf32>
}
