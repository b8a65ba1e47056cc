// RUN: distaff-opt %s -allow-unregistered-dialect -verify-diagnostics -split-input-file '-pcf-convert-clusters=telescope-to=#iree_gpu.lane_scope'

#sg = #iree_gpu.subgroup_scope
#ln = #iree_gpu.lane_scope
!left = !pcf.cluster<#sg, (0 -> d0), left>
!right = !pcf.cluster<#sg, (d0 -> s0), right>
!carried = !pcf.cluster<#sg, (0 -> d0), shared: {f32}, left>

// PCF-117: a group that is no switch yet.
func.func @not_replicated(%k: index) {
  pcf.generic scope(#sg) execute[%g: index, %n: index] {
    %all = builtin.unrealized_conversion_cast %g : index to !pcf.threadgroup<#sg>
    // expected-error @+1 {{is not replicated; run 'pcf-replicate-clusters' before handles are converted}}
    pcf.shared_executor.tile_group %all split [[%k]] (%left: !left, %right: !right) {
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!left = !pcf.cluster<#sg, (0 -> d0), left>
!carried = !pcf.cluster<#sg, (0 -> d0), shared: {f32}, left>

// PCF-117: a phase that is not distributed, though it came this far.
func.func @not_distributed(%k: index) {
  pcf.generic scope(#sg) execute[%g: index, %n: index] {
    %left = builtin.unrealized_conversion_cast %g : index to !left
    // expected-error @+1 {{cluster handle left is used by pcf.shared_executor.run_cluster, which cannot be converted}}
    pcf.shared_executor.run_cluster(%left)[%k] () {
      pcf.cluster_yield
    } : (!left)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
!some = !pcf.cluster<#ln, (0 -> d0), some>

func.func @no_finer_scope(%k: index) {
  // expected-error @+1 {{members at #iree_gpu.lane_scope are no groups of workers at #iree_gpu.lane_scope; 'telescope-to' needs a finer scope}}
  pcf.generic scope(#ln) execute[%g: index, %n: index] {
    %some = builtin.unrealized_conversion_cast %g : index to !some
    pcf.shared_executor.run_thread(%some)[%k] () [%t: index] {
      pcf.cluster_yield
    } : (!some)
    pcf.return
  }
  return
}

// -----

// Lanes whose code has no handles are nothing to convert.
func.func @lanes() {
  pcf.generic scope(#iree_gpu.lane_scope) execute[%g: index, %n: index] {
    pcf.return
  }
  return
}
