// RUN: distaff-opt %s -verify-diagnostics -split-input-file -pcf-resolve-copy-tokens

#sg = #iree_gpu.subgroup_scope
!R = !pcf.sref<8xf32, #sg>
!TG = !pcf.threadgroup<#sg>

// PCF-118: members of a group cannot meet inside of a phase.
func.func @own_copy(%x: !R, %r: !R) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      // expected-note @+1 {{the phase starts this copy}}
      %t = pcf.async_copy %x into %r : !R into !R
      // expected-error @+1 {{is of a phase, which can wait for copies of its payload only; yield the token, and wait in a later phase}}
      pcf.wait %t
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!R = !pcf.sref<8xf32, #sg>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {!pcf.copy_token}>

// PCF-118: which refs a token stands for must be known.
func.func @token_of_a_while(%x: !R, %r: !R, %n: i1) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %h = pcf.shared_executor.run_cluster(%tg)[] () {
      %u = pcf.async_copy %x into %r : !R into !R
      // expected-note @+1 {{this 'scf.while' makes it}}
      %t = scf.while (%last = %u) : (!pcf.copy_token) -> !pcf.copy_token {
        scf.condition(%n) %last : !pcf.copy_token
      } do {
      ^bb0(%last: !pcf.copy_token):
        %v = pcf.async_copy %x into %r : !R into !R
        scf.yield %v : !pcf.copy_token
      }
      pcf.cluster_yield %t : !pcf.copy_token
    } : (!TG) -> !T
    pcf.shared_executor.run_cluster(%h)[] (%t: !pcf.copy_token) {
      // expected-error @+1 {{waits for a token of which the copies are not known; tokens are followed through 'arith.select', 'scf.if', 'scf.index_switch' and 'scf.for'}}
      pcf.wait %t
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!D = !pcf.sref<?xf32, #sg>

func.func @dynamic(%x: !D, %r: !D) {
  pcf.generic scope(#sg) execute[%id: index, %n: index] {
    // expected-error @+1 {{copies a ref of dynamic shape; copy a slice of it through 'pcf.subview'}}
    %t = pcf.async_copy %x into %r : !D into !D
    pcf.wait %t
    pcf.return
  }
  return
}
