// RUN: distaff-opt %s -allow-unregistered-dialect -verify-diagnostics -split-input-file -pcf-distribute='impl=#pcf.tensor_tiling<workers=[64,1]>'

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
!TG = !pcf.threadgroup<#ln>
!T = !pcf.threadgroup<#ln, {tensor<64x64xf32>}>

// PCF-69: rows come in, and columns go round.
func.func @conflict(%cst: f32, %n: index, %out: !pcf.sref<64x64xf32, #ln>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %e = tensor.empty() : tensor<64x64xf32>
      %z = linalg.fill ins(%cst : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
      pcf.cluster_yield %z : tensor<64x64xf32>
    } : (!TG) -> !T
    %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> (!T) {
      // expected-error @+1 {{conflicting distributions for payload class: 'tensor<64x1xf32>' required here}}
      %y = pcf.shared_executor.run_cluster(%x)[] (%p: tensor<64x64xf32>) {
        %e = tensor.empty() : tensor<64x64xf32>
        %t = linalg.transpose ins(%p : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) permutation = [1, 0]
        pcf.cluster_yield %t : tensor<64x64xf32>
      } : (!T) -> !T
      scf.yield %y : !T
    }
    // expected-note @+1 {{'tensor<1x64xf32>' required here}}
    pcf.shared_executor.run_cluster(%l)[] (%x: tensor<64x64xf32>) {
      pcf.write_slice %x into %out[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !pcf.sref<64x64xf32, #ln>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
!TG = !pcf.threadgroup<#ln>
!V = !pcf.threadgroup<#ln, {vector<4xf32>}>

func.func @no_rule() {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      // expected-error @+1 {{cannot distribute this phase: no tiling rule for test.use; put it in a run_thread, in which every member runs it}}
      "test.use"() : () -> ()
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
!TG = !pcf.threadgroup<#ln>
!V = !pcf.threadgroup<#ln, {vector<4xf32>}>

// PCF-69: a class of a type that this way to distribute has nothing to say of.
func.func @undetermined() {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    // expected-error @+1 {{no phase determines the distribution of payload field 0 of a handle of type '!pcf.threadgroup<#iree_gpu.lane_scope, {vector<4xf32>}>'}}
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %z = arith.constant dense<1.0> : vector<4xf32>
      pcf.cluster_yield %z : vector<4xf32>
    } : (!TG) -> !V
    pcf.shared_executor.run_cluster(%a)[] (%x: vector<4xf32>) {
      pcf.cluster_yield
    } : (!V)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
!TG = !pcf.threadgroup<#ln>

// PCF-70
func.func @captured_result(%t: tensor<64x4xf32>, %out: !pcf.sref<64x4xf32, #ln>) {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    // expected-note @+1 {{the value is made here}}
    %u = linalg.exp ins(%t : tensor<64x4xf32>) outs(%t : tensor<64x4xf32>) -> tensor<64x4xf32>
    // expected-error @+1 {{shaped value captured by a phase has no distribution; pass it as payload}}
    pcf.shared_executor.run_cluster(%tg)[] () {
      pcf.write_slice %u into %out[0, 0] [64, 4] [1, 1] : tensor<64x4xf32> into !pcf.sref<64x4xf32, #ln>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
!TG = !pcf.threadgroup<#ln>

// PCF-70: another phase writes what was read before.
func.func @captured_read_is_overwritten(%v: f32, %buffer: !pcf.sref<64x4xf32, #ln>, %out: !pcf.sref<64x4xf32, #ln>) {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    // expected-note @+1 {{the value is made here}}
    %r = pcf.read_slice %buffer[0, 0] [64, 4] [1, 1] : !pcf.sref<64x4xf32, #ln> to tensor<64x4xf32>
    pcf.shared_executor.run_cluster(%tg)[] () {
      %e = tensor.empty() : tensor<64x4xf32>
      %z = linalg.fill ins(%v : f32) outs(%e : tensor<64x4xf32>) -> tensor<64x4xf32>
      pcf.write_slice %z into %buffer[0, 0] [64, 4] [1, 1] : tensor<64x4xf32> into !pcf.sref<64x4xf32, #ln>
      pcf.cluster_yield
    } : (!TG)
    // expected-error @+1 {{shaped value captured by a phase has no distribution; pass it as payload}}
    pcf.shared_executor.run_cluster(%tg)[] () {
      pcf.write_slice %r into %out[0, 0] [64, 4] [1, 1] : tensor<64x4xf32> into !pcf.sref<64x4xf32, #ln>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
!TG = !pcf.threadgroup<#ln>

// What is summed is not split.
func.func @sum_over_members(%src: !pcf.sref<64x4xf32, #ln>, %out: !pcf.sref<64x4xf32, #ln>, %sum: !pcf.sref<4xf32, #ln>, %z: f32) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %r = pcf.read_slice %src[0, 0] [64, 4] [1, 1] : !pcf.sref<64x4xf32, #ln> to tensor<64x4xf32>
      %e = tensor.empty() : tensor<4xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      // expected-error @+1 {{cannot distribute this phase: no tiling rule for linalg.reduce, of which members would have several tiles of what it reduces; put it outside of phases, where operands go through memory}}
      %s = linalg.reduce ins(%r : tensor<64x4xf32>) outs(%f : tensor<4xf32>) dimensions = [0]
        (%a: f32, %b: f32) {
          %c = arith.addf %a, %b : f32
          linalg.yield %c : f32
        }
      pcf.write_slice %r into %out[0, 0] [64, 4] [1, 1] : tensor<64x4xf32> into !pcf.sref<64x4xf32, #ln>
      pcf.write_slice %s into %sum[0] [4] [1] : tensor<4xf32> into !pcf.sref<4xf32, #ln>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
!TG = !pcf.threadgroup<#ln>

// A part of the sums needs more than a part of what slides along them.
func.func @sliding_window(%src: !pcf.sref<66x4xf32, #ln>, %out: !pcf.sref<64x4xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %s = pcf.read_slice %src[0, 0] [66, 4] [1, 1] : !pcf.sref<66x4xf32, #ln> to tensor<66x4xf32>
      %k = arith.constant dense<2.0> : tensor<3xf32>
      %z = arith.constant dense<0.0> : tensor<64x4xf32>
      // expected-error @+1 {{cannot distribute this phase: no tiling rule for linalg.generic, which indexes a tensor by more than loops; put it outside of phases, where windows of reduced loops are split into slices}}
      %r = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a + c, b)>, affine_map<(a, b, c) -> (c)>, affine_map<(a, b, c) -> (a, b)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%s, %k : tensor<66x4xf32>, tensor<3xf32>) outs(%z : tensor<64x4xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %p = arith.mulf %a, %b : f32
        %q = arith.addf %c, %p : f32
        linalg.yield %q : f32
      } -> tensor<64x4xf32>
      pcf.write_slice %r into %out[0, 0] [64, 4] [1, 1] : tensor<64x4xf32> into !pcf.sref<64x4xf32, #ln>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [16, 1, 1] subgroup_size = 16>
!TG = !pcf.threadgroup<#ln>
!SG = !pcf.threadgroup<#sg>

// PCF-72: what writes to memory is done once, not once per member.
func.func @fills_memory(%c: f32, %b: i1, %n: index, %out: !pcf.sref<?x?xf32, #ln>, %in: !pcf.sref<?x?xf32, #ln>, %m: memref<64x64xf32>, %o1: !pcf.sref<?xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
 // expected-error @+1 {{cannot distribute this phase: no tiling rule for linalg.fill on memory; read and write tensors by pcf.read_slice and pcf.write_slice}}
 linalg.fill ins(%c : f32) outs(%m : memref<64x64xf32>)
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [16, 1, 1] subgroup_size = 16>
!TG = !pcf.threadgroup<#ln>
!SG = !pcf.threadgroup<#sg>

// PCF-72: what writes to memory is done once, not once per member.
func.func @multiplies_memory(%c: f32, %b: i1, %n: index, %out: !pcf.sref<?x?xf32, #ln>, %in: !pcf.sref<?x?xf32, #ln>, %m: memref<64x64xf32>, %o1: !pcf.sref<?xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
 // expected-error @+1 {{cannot distribute this phase: no tiling rule for linalg.matmul}}
 linalg.matmul ins(%m, %m : memref<64x64xf32>, memref<64x64xf32>) outs(%m : memref<64x64xf32>)
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [16, 1, 1] subgroup_size = 16>
!TG = !pcf.threadgroup<#ln>
!SG = !pcf.threadgroup<#sg>

!T = !pcf.threadgroup<#ln, {tensor<10x16xf32>}>
// Boxes of what is padded later are smaller at the end.
func.func @padded_later(%c: f32, %out: !pcf.sref<?x?xf32, #ln>, %in: !pcf.sref<?x?xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %h = pcf.shared_executor.run_cluster(%tg)[] () {
 %x = pcf.read_slice %in[0,0][10,16][1,1] : !pcf.sref<?x?xf32, #ln> to tensor<10x16xf32>
      pcf.cluster_yield %x : tensor<10x16xf32>
    } : (!TG) -> !T
    // expected-error @+1 {{cannot distribute this phase: payload needs boxes of one size}}
    pcf.shared_executor.run_cluster(%h)[] (%x: tensor<10x16xf32>) {
 %p = tensor.pad %x low[0,0] high[6,0] { ^bb0(%i: index, %j: index): tensor.yield %c : f32 } : tensor<10x16xf32> to tensor<16x16xf32>
 pcf.write_slice %p into %out[0,0][16,16][1,1] : tensor<16x16xf32> into !pcf.sref<?x?xf32, #ln>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
!TG = !pcf.threadgroup<#ln>
!S = !pcf.sref<64x4xf32, sync(#ln)>

// PCF-70: the next round of a loop reads what this one wrote.
func.func @captured_read_in_a_loop(%v: f32, %n: index, %init: tensor<64x4xf32>, %other: tensor<64x4xf32>) -> tensor<64x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %res:2 = pcf.shared_executor scope(#ln) execute(%o = %init, %out = %other)[%tg: !TG] : (!S, !S) -> (tensor<64x4xf32>, tensor<64x4xf32>) {
    // expected-note @+1 {{the value is made here}}
    %r = pcf.read_slice %o[0, 0] [64, 4] [1, 1] : !S to tensor<64x4xf32>
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{shaped value captured by a phase has no distribution; pass it as payload}}
      pcf.shared_executor.run_cluster(%tg)[] () {
        pcf.write_slice %r into %out[0, 0] [64, 4] [1, 1] : tensor<64x4xf32> into !S
        pcf.cluster_yield
      } : (!TG)
      pcf.shared_executor.run_cluster(%tg)[] () {
        %e = tensor.empty() : tensor<64x4xf32>
        %z = linalg.fill ins(%v : f32) outs(%e : tensor<64x4xf32>) -> tensor<64x4xf32>
        pcf.write_slice %z into %o[0, 0] [64, 4] [1, 1] : tensor<64x4xf32> into !S
        pcf.cluster_yield
      } : (!TG)
    }
    pcf.return
  }
  return %res#0 : tensor<64x4xf32>
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
!TG = !pcf.threadgroup<#ln>
!R = !pcf.sref<64x64xf32, #ln>
!O = !pcf.sref<64x32xf32, #ln>

// Whose elements the columns are another member wrote as parts of rows.
func.func @reads_what_it_wrote(%c: f32, %n: index, %r: !R, %out: !O) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    // expected-error @+1 {{cannot distribute this phase: it reads memory that other members may write earlier in it, and nothing makes members wait inside of a phase; end the phase before the read and put a pcf.barrier that fences the memory there}}
    pcf.shared_executor.run_cluster(%tg)[] () {
      %e = tensor.empty() : tensor<64x64xf32>
      %z = linalg.fill ins(%c : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
      // expected-note @+1 {{the earlier access: 'pcf.write_slice' writes 64x64 elements from [0, 0] of !pcf.sref<64x64xf32, #iree_gpu.lane_scope>}}
      pcf.write_slice %z into %r[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !R
      // expected-note @+1 {{the later access: 'pcf.read_slice' reads 64x32 elements from [0, ?] of !pcf.sref<64x64xf32, #iree_gpu.lane_scope>}}
      %x = pcf.read_slice %r[0, %n] [64, 32] [1, 1] : !R to tensor<64x32xf32>
      pcf.write_slice %x into %out[0, 0] [64, 32] [1, 1] : tensor<64x32xf32> into !O
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
!TG = !pcf.threadgroup<#ln>
!R = !pcf.sref<65x64xf32, #ln>

func.func @writes_what_it_read(%r: !R) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    // expected-error @+1 {{cannot distribute this phase: it writes memory that other members may read earlier in it}}
    pcf.shared_executor.run_cluster(%tg)[] () {
      // expected-note @+1 {{the earlier access: 'pcf.read_slice' reads 64x64 elements from [0, 0] of}}
      %x = pcf.read_slice %r[0, 0] [64, 64] [1, 1] : !R to tensor<64x64xf32>
      // expected-note @+1 {{the later access: 'pcf.write_slice' writes 64x64 elements from [1, 0] of}}
      pcf.write_slice %x into %r[1, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !R
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
!TG = !pcf.threadgroup<#ln>
!R = !pcf.sref<65x64xf32, #ln>

// Two arguments of an executor that are one memref.
func.func @writes_what_it_wrote(%x: tensor<64x64xf32>, %m: memref<65x64xf32>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute(%r = %m, %s = %m)[%tg: !TG] : (!R, !R) -> (memref<65x64xf32>, memref<65x64xf32>) {
    // expected-error @+1 {{cannot distribute this phase: it writes memory that other members may write earlier in it}}
    pcf.shared_executor.run_cluster(%tg)[] () {
      %c = arith.constant dense<1.0> : tensor<64x64xf32>
      %d = arith.constant dense<2.0> : tensor<64x64xf32>
      %y = arith.addf %c, %c : tensor<64x64xf32>
      %z = arith.addf %d, %d : tensor<64x64xf32>
      // expected-note @+1 {{the earlier access: 'pcf.write_slice' writes 64x64 elements from [0, 0] of !pcf.sref<65x64xf32, #iree_gpu.lane_scope>}}
      pcf.write_slice %y into %r[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !R
      // expected-note @+1 {{the later access: 'pcf.write_slice' writes 64x64 elements from [0, 0] of !pcf.sref<65x64xf32, #iree_gpu.lane_scope>, which may be the same memory}}
      pcf.write_slice %z into %s[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !R
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
!TG = !pcf.threadgroup<#ln>
!R = !pcf.sref<130x64xf32, #ln>

// A note is where the access is, in whichever region.
func.func @writes_in_a_branch(%r: !R, %yes: i1) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    // expected-error @+1 {{cannot distribute this phase: it writes memory that other members may read earlier in it}}
    pcf.shared_executor.run_cluster(%tg)[] () {
      // expected-note @+1 {{the earlier access: 'pcf.read_slice' reads 64x32 elements from [0, 0] in steps of [2, 1] of}}
      %x = pcf.read_slice %r[0, 0] [64, 32] [2, 1] : !R to tensor<64x32xf32>
      scf.if %yes {
        // Apart from what is read; what follows is not.
        pcf.write_slice %x into %r[0, 32] [64, 32] [2, 1] : tensor<64x32xf32> into !R
        // expected-note @+1 {{the later access: 'pcf.write_slice' writes 64x32 elements from [2, 0] in steps of [2, 1] of}}
        pcf.write_slice %x into %r[2, 0] [64, 32] [2, 1] : tensor<64x32xf32> into !R
      }
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [4, 1, 1] subgroup_size = 4>
!TG = !pcf.threadgroup<#ln>

// A member's part of it would lie in memory.
func.func @different_constants(%out: !pcf.sref<4xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      // expected-error @+1 {{cannot distribute this phase: no tiling rule for arith.constant of different elements; pass it as an argument}}
      %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      pcf.write_slice %c into %out[0] [4] [1] : tensor<4xf32> into !pcf.sref<4xf32, #ln>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#sg = #iree_gpu.subgroup_scope
!LG = !pcf.threadgroup<#ln>
!SG = !pcf.threadgroup<#sg>

// Another executor's group runs nothing of this one's.
func.func @group_of_another_executor(%out: !pcf.sref<4xf32, #sg>) {
  pcf.shared_executor scope(#sg) execute[%tg: !SG] {
    pcf.shared_executor.run_thread(%tg)[] () [%id: index] {
      // expected-error @+1 {{unsupported use of a PCF handle in pcf.shared_executor}}
      pcf.shared_executor scope(#ln) execute[%lg: !LG] {
        pcf.shared_executor.run_cluster(%tg)[] () {
          pcf.cluster_yield
        } : (!SG)
        pcf.return
      }
      pcf.cluster_yield
    } : (!SG)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<64x8xf32, #sg>
!TG = !pcf.threadgroup<#sg>
#map = affine_map<(i, j) -> (i, j)>

// No member has all elements that a place may name (PCF-156).
func.func @element_in_body(%a: !A, %i: index) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %t = pcf.read_slice %a[0, 0] [8, 8] [1, 1] : !A to tensor<8x8xf32>
      %e = tensor.empty() : tensor<8x8xf32>
      // expected-error @+1 {{cannot distribute this phase: the body of linalg.generic reads an element of a tensor that members share out; let every member read it from memory, in a run_thread}}
      %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
          ins(%t : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) {
        ^bb0(%u: f32, %w: f32):
          %x = tensor.extract %t[%i, %i] : tensor<8x8xf32>
          %g = arith.addf %u, %x : f32
          linalg.yield %g : f32
      } -> tensor<8x8xf32>
      pcf.write_slice %y into %a[8, 0] [8, 8] [1, 1] : tensor<8x8xf32> into !A
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
!S = !pcf.sref<64x4xf32, #ln>
// PCF-176: outside of phases it goes through memory.
func.func @concat_in_phase(%src: !S) {
  pcf.shared_executor scope(#ln) execute[%tg: !pcf.threadgroup<#ln>] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %r = pcf.read_slice %src[0, 0] [64, 4] [1, 1] : !S to tensor<64x4xf32>
      // expected-error @+1 {{cannot distribute this phase: no tiling rule for tensor.concat, whose elements are at other places than those of its operands; put it outside of phases, where elements are arranged in memory}}
      %c = tensor.concat dim(0) %r, %r : (tensor<64x4xf32>, tensor<64x4xf32>) -> tensor<128x4xf32>
      pcf.cluster_yield
    } : (!pcf.threadgroup<#ln>)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
func.func private @helper(f32) -> f32
func.func @call_in_phase(%x: f32) {
  pcf.shared_executor scope(#ln) execute[%tg: !pcf.threadgroup<#ln>] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      // expected-error @+1 {{cannot distribute this phase: no tiling rule for func.call; inline what it calls}}
      %y = func.call @helper(%x) : (f32) -> f32
      pcf.cluster_yield
    } : (!pcf.threadgroup<#ln>)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
func.func @barrier_in_phase() {
  pcf.shared_executor scope(#ln) execute[%tg: !pcf.threadgroup<#ln>] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      // expected-error @+1 {{cannot distribute this phase: no tiling rule for gpu.barrier; a group waits at a pcf.barrier between its phases}}
      gpu.barrier
      pcf.cluster_yield
    } : (!pcf.threadgroup<#ln>)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
func.func @loop_in_phase(%src: !pcf.sref<64x4xf32, #ln>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#ln) execute[%tg: !pcf.threadgroup<#ln>] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %init = pcf.read_slice %src[0, 0] [64, 4] [1, 1] : !pcf.sref<64x4xf32, #ln> to tensor<64x4xf32>
      // expected-error @+1 {{cannot distribute this phase: no tiling rule for scf.for; put phases into the loop, and let it carry their handles}}
      %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %init) -> (tensor<64x4xf32>) {
        %y = math.exp %x : tensor<64x4xf32>
        scf.yield %y : tensor<64x4xf32>
      }
      pcf.cluster_yield
    } : (!pcf.threadgroup<#ln>)
    pcf.return
  }
  return
}
