// RUN: distaff-opt %s -split-input-file -verify-diagnostics -pcf-form-collective-phases

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<64x8xf32, #sg>
!TG = !pcf.threadgroup<#sg>

func.func @number(%in: memref<f32>, %out: memref<f32>) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    // expected-error @+1 {{'memref.load' op computes a number in a phase, of what its members share out, and control flow or arithmetic outside of phases uses it; let every member read the number from memory, in a run_thread}}
    %x = memref.load %in[] : memref<f32>
    pcf.shared_executor.run_cluster(%tg)[] () {
      memref.store %x, %out[] : memref<f32>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<64x8xf32, #sg>
!TG = !pcf.threadgroup<#sg>

// No member has all elements that a place may name (PCF-156).
func.func @element(%a: !A, %i: index, %out: memref<f32>) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %t = pcf.read_slice %a[0, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
    // expected-error @+1 {{'tensor.extract' op reads an element of a tensor that the members of a group share out, at a place that any of them may have; let every member read the element from memory, in a run_thread}}
    %x = tensor.extract %t[%i, %i] : tensor<8x8xf32>
    memref.store %x, %out[] : memref<f32>
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<64x8xf32, #sg>
!TG = !pcf.threadgroup<#sg>
#map = affine_map<(i, j) -> (i, j)>

// Nor in the body of another op, of a tensor that a loop hands on.
func.func @element_in_body(%a: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %t = pcf.read_slice %a[0, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
    %r = scf.for %k = %c0 to %n step %c1 iter_args(%q = %t) -> (tensor<8x8xf32>) {
      %e = tensor.empty() : tensor<8x8xf32>
      %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
          ins(%t : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
        ^bb0(%u: f32, %w: f32):
          // expected-error @+1 {{'tensor.extract' op reads an element of a tensor that the members of a group share out}}
          %x = tensor.extract %q[%k, %c0] : tensor<8x8xf32>
          %g = arith.addf %u, %x : f32
          linalg.yield %g : f32
      } -> tensor<8x8xf32>
      scf.yield %y : tensor<8x8xf32>
    }
    pcf.write_slice %r into %a[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<64x8xf32, #sg>
!TG = !pcf.threadgroup<#sg>
!L = !pcf.cluster<#sg, (0 -> d0), left>
!R = !pcf.cluster<#sg, (d0 -> s0), right>

func.func @other_group(%a: !A, %k: index, %j: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    // expected-note @+1 {{the tensor is made here}}
    %t = pcf.read_slice %a[0, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
    pcf.shared_executor.tile_group %tg split [[%k]] (%l: !L, %r: !R) {
      pcf.shared_executor.tile_group %r[%k] ns(in) split [[%j]] (%ra: !pcf.cluster<#sg, (d0 -> d1), in.ra>, %rb: !pcf.cluster<#sg, (d1 -> s0), in.rb>) {
        // expected-error @+1 {{'pcf.write_slice' op is run by '!pcf.cluster<#iree_gpu.subgroup_scope, (d0 -> s0), right>' and takes a tensor that members of '!pcf.threadgroup<#iree_gpu.subgroup_scope>' hold; write it to memory there, and read it behind a barrier}}
        pcf.write_slice %t into %a[8, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
        pcf.return
      } : !R
      pcf.return
    } : !TG
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<8x8xf32, #sg>
!TG = !pcf.threadgroup<#sg>

func.func @not_made(%a: !A, %given: tensor<8x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    // expected-error @+1 {{'scf.for' op hands on a tensor that the group has not made; give it to the executor, and read it there by a pcf.read_slice}}
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%x = %given) -> (tensor<8x8xf32>) {
      %y = arith.addf %x, %x : tensor<8x8xf32>
      scf.yield %y : tensor<8x8xf32>
    }
    pcf.write_slice %t into %a[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<8x8xf32, #sg>
!TG = !pcf.threadgroup<#sg>

func.func @captured(%a: !A, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    %s = pcf.read_slice %a[0, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
    // expected-error @+1 {{a phase takes a tensor that control flow hands on; pass it as payload, or put what the phase does outside of phases}}
    %t = scf.for %i = %c0 to %n step %c1 iter_args(%x = %s) -> (tensor<8x8xf32>) {
      %y = arith.addf %x, %x : tensor<8x8xf32>
      scf.yield %y : tensor<8x8xf32>
    }
    pcf.shared_executor.run_cluster(%tg)[] () {
      pcf.write_slice %t into %a[0, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}
