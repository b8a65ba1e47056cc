// RUN: distaff-opt %s -verify-diagnostics -split-input-file -pcf-resolve-clusters='telescope-to=#iree_gpu.subgroup_scope'

// PCF-65: a member's part is shared out among workers of a finer scope.
func.func @same_scope() {
  // expected-error @+1 {{members at #iree_gpu.subgroup_scope are no groups of workers at #iree_gpu.subgroup_scope; 'telescope-to' needs a finer scope}}
  pcf.shared_executor scope(#iree_gpu.subgroup_scope) execute[%tg: !pcf.threadgroup<#iree_gpu.subgroup_scope>] {
    pcf.return
  }
  return
}

// -----

func.func @coarser_scope() {
  // expected-error @+1 {{members at #iree_gpu.lane_scope are no groups}}
  pcf.shared_executor scope(#iree_gpu.lane_scope) execute[%tg: !pcf.threadgroup<#iree_gpu.lane_scope>] {
    pcf.return
  }
  return
}

// -----

func.func @finer_scope() {
  pcf.shared_executor scope(#iree_codegen.workgroup_scope) execute[%tg: !pcf.threadgroup<#iree_codegen.workgroup_scope>] {
    pcf.return
  }
  return
}
