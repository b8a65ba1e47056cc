// RUN: distaff-opt %s --one-shot-bufferize --split-input-file --verify-diagnostics

// PCF-50: what a handle carries cannot be seen.
#sg = #iree_gpu.subgroup_scope
func.func @run_cluster(%t: tensor<8xf32>) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    // expected-error@+1 {{PCF handle reached bufferization; distribute and resolve clusters first}}
    pcf.shared_executor.run_cluster(%tg)[] () {
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg>)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
func.func @tile_group_and_run_thread(%t: tensor<8xf32>, %k: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    // expected-error@+1 {{PCF handle reached bufferization; distribute and resolve clusters first}}
    pcf.shared_executor.tile_group %tg split [[%k]] (%l: !pcf.cluster<#sg, (0 -> d0), l>, %r: !pcf.cluster<#sg, (d0 -> s0), r>) {
      // expected-error@+1 {{PCF handle reached bufferization; distribute and resolve clusters first}}
      pcf.shared_executor.run_thread(%l)[%k] () [%id: index] {
        pcf.cluster_yield
      } : (!pcf.cluster<#sg, (0 -> d0), l>)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
func.func @lanes_have_no_memory(%n: index) -> tensor<8xf32> {
  // expected-error@+2 {{scope #iree_gpu.lane_scope cannot allocate}}
  // expected-error@+1 {{failed to bufferize op}}
  %r = pcf.loop scope(#ln) count(%n) execute(%x)[%i: index] : (!pcf.sref<8xf32, #ln>) -> (tensor<8xf32>) {
    pcf.return
  }
  return %r : tensor<8xf32>
}
