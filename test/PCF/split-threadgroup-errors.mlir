// RUN: distaff-opt %s -allow-unregistered-dialect -verify-diagnostics -split-input-file --pcf-split-threadgroup

// What cannot be split, and why: PCF-77. IR stays as it was.

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!TX = !pcf.threadgroup<#sg, {tensor<8x4xf32>}>
!X = tensor<8x4xf32>
!M = !pcf.sref<8x4xf32, #sg>

// Rows are written, and sums of columns, which need all rows.
func.func @rows_and_columns(%in: !M, %out: !M, %sums: !pcf.sref<4xf32, #sg>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0, 0] [8, 4] [1, 1] : !M to !X
      pcf.cluster_yield %x : !X
    } : (!T) -> !TX
    pcf.shared_executor.run_cluster(%a)[] (%x: !X) {
      pcf.write_slice %x into %out[0, 0] [8, 4] [1, 1] : !X into !M
      %z = arith.constant dense<0.0> : tensor<4xf32>
      // expected-note @+1 {{at this 'linalg.reduce'}}
      %s = linalg.reduce ins(%x : !X) outs(%z : tensor<4xf32>) dimensions = [0] (%p: f32, %q: f32) {
        %t = arith.addf %p, %q : f32
        linalg.yield %t : f32
      }
      // expected-error @+1 {{'pcf.write_slice' op cannot be split among the clusters: it needs a payload of type tensor<8x4xf32> cut along dimension 1, which another phase needs cut along dimension 0}}
      pcf.write_slice %s into %sums[0] [4] [1] : tensor<4xf32> into !pcf.sref<4xf32, #sg>
      pcf.cluster_yield
    } : (!TX)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!TX = !pcf.threadgroup<#sg, {tensor<8x4xf32>}>
!X = tensor<8x4xf32>
!M = !pcf.sref<8x4xf32, #sg>

// Of one sum there are no two parts.
func.func @total(%in: !M, %out: !M, %sum: !pcf.sref<1xf32, #sg>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0, 0] [8, 4] [1, 1] : !M to !X
      pcf.cluster_yield %x : !X
    } : (!T) -> !TX
    pcf.shared_executor.run_cluster(%a)[] (%x: !X) {
      %z = arith.constant dense<0.0> : tensor<1xf32>
      %e = tensor.collapse_shape %x [[0, 1]] : !X into tensor<32xf32>
      %y = tensor.expand_shape %e [[0, 1]] output_shape [1, 32] : tensor<32xf32> into tensor<1x32xf32>
      %s = linalg.reduce ins(%y : tensor<1x32xf32>) outs(%z : tensor<1xf32>) dimensions = [1] (%p: f32, %q: f32) {
        %t = arith.addf %p, %q : f32
        linalg.yield %t : f32
      }
      // expected-error @+1 {{'pcf.write_slice' op cannot be split among the clusters: no dimension of tensor<1xf32> is a multiple of 2}}
      pcf.write_slice %s into %sum[0] [1] [1] : tensor<1xf32> into !pcf.sref<1xf32, #sg>
      pcf.cluster_yield
    } : (!TX)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!TX = !pcf.threadgroup<#sg, {tensor<8x4xf32>}>
!X = tensor<8x4xf32>
!M = !pcf.sref<8x4xf32, #sg>

// Which part of a reshaped tensor is which is not known.
func.func @no_rule(%in: !M, %out: !M, %flat: !pcf.sref<32xf32, #sg>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0, 0] [8, 4] [1, 1] : !M to !X
      pcf.cluster_yield %x : !X
    } : (!T) -> !TX
    pcf.shared_executor.run_cluster(%a)[] (%x: !X) {
      // expected-note @+1 {{at this 'tensor.collapse_shape'}}
      %y = tensor.collapse_shape %x [[0, 1]] : !X into tensor<32xf32>
      // expected-error @+1 {{'pcf.write_slice' op cannot be split among the clusters: there is no rule to cut it}}
      pcf.write_slice %y into %flat[0] [32] [1] : tensor<32xf32> into !pcf.sref<32xf32, #sg>
      pcf.cluster_yield
    } : (!TX)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!TX = !pcf.threadgroup<#sg, {tensor<8x4xf32>}>
!X = tensor<8x4xf32>
!M = !pcf.sref<8x4xf32, #sg>

// Three rows and three columns are not two halves.
func.func @odd_extents(%in: !M, %out: !M) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0, 0] [3, 3] [1, 1] : !M to tensor<3x3xf32>
      // expected-error @+1 {{'pcf.write_slice' op cannot be split among the clusters: no dimension of tensor<3x3xf32> is a multiple of 2}}
      pcf.write_slice %x into %out[0, 0] [3, 3] [1, 1] : tensor<3x3xf32> into !M
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!TX = !pcf.threadgroup<#sg, {tensor<8x4xf32>}>
!X = tensor<8x4xf32>
!M = !pcf.sref<8x4xf32, #sg>

// A tensor from outside has no parts.
func.func @captured(%in: !M, %out: !M, %t: !X) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      // expected-error @+1 {{'pcf.write_slice' op cannot be split among the clusters: it captures a tensor; pass it as payload}}
      pcf.write_slice %t into %out[0, 0] [8, 4] [1, 1] : !X into !M
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!TX = !pcf.threadgroup<#sg, {tensor<8x4xf32>}>
!X = tensor<8x4xf32>
!M = !pcf.sref<8x4xf32, #sg>

// The halves of a constant differ.
func.func @constant(%in: !M, %out: !M, %two: !pcf.sref<2xf32, #sg>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      // expected-note @+1 {{at this 'arith.constant'}}
      %t = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
      // expected-error @+1 {{'pcf.write_slice' op cannot be split among the clusters: it is a constant whose elements differ}}
      pcf.write_slice %t into %two[0] [2] [1] : tensor<2xf32> into !pcf.sref<2xf32, #sg>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!TX = !pcf.threadgroup<#sg, {tensor<8x4xf32>}>
!X = tensor<8x4xf32>
!M = !pcf.sref<8x4xf32, #sg>

// Halves of what is turned around are not halves of what it is made of.
func.func @turned(%in: !M, %out: !M, %ids: !pcf.sref<8xi32, #sg>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %ids[0] [8] [1] : !pcf.sref<8xi32, #sg> to tensor<8xi32>
      %e = tensor.empty() : tensor<8xi32>
      // expected-note @+1 {{at this 'linalg.generic'}}
      %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (7 - i)>], iterator_types = ["parallel"]} ins(%x : tensor<8xi32>) outs(%e : tensor<8xi32>) {
      ^bb0(%v: i32, %o: i32):
        linalg.yield %v : i32
      } -> tensor<8xi32>
      // expected-error @+1 {{'pcf.write_slice' op cannot be split among the clusters: dimension 0 of its result is no loop of its own that is parallel}}
      pcf.write_slice %y into %ids[0] [8] [1] : tensor<8xi32> into !pcf.sref<8xi32, #sg>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!TX = !pcf.threadgroup<#sg, {tensor<8x4xf32>}>
!X = tensor<8x4xf32>
!M = !pcf.sref<8x4xf32, #sg>

// One group writes and reads in one interval; of two clusters one would read what the other writes.
func.func @unordered(%in: !M, %out: !M, %back: !pcf.sref<4x8xf32, #sg>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) initialize { %m = pcf.alloc() : !M   pcf.yield %m : !M } -> (%panel: !M) execute[%tg: !T] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = arith.constant dense<1.0> : !X
      // expected-error @+1 {{cannot be split: no barrier would order the write of pp.even and the read of pp.odd}}
      pcf.write_slice %x into %panel[0, 0] [8, 4] [1, 1] : !X into !M
      pcf.cluster_yield
    } : (!T)
    pcf.shared_executor.run_cluster(%tg)[] () {
      // expected-note @+1 {{the read of pp.odd is here}}
      %x = pcf.read_slice %panel[0, 0] [8, 4] [1, 1] : !M to !X
      %e = tensor.empty() : tensor<4x8xf32>
      %y = linalg.transpose ins(%x : !X) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
      pcf.write_slice %y into %back[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into !pcf.sref<4x8xf32, #sg>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!TX = !pcf.threadgroup<#sg, {tensor<8x4xf32>}>
!X = tensor<8x4xf32>
!M = !pcf.sref<8x4xf32, #sg>

// Clusters are not split here.
func.func @named(%in: !M, %out: !M) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    // expected-error @+1 {{'pcf.shared_executor.tile_group' op names clusters already; phases on a threadgroup can be split}}
    pcf.shared_executor.tile_group %tg ns(q) split [[%c1]] (%a: !pcf.cluster<#sg, (0 -> d0), q.a>, %b: !pcf.cluster<#sg, (d0 -> s0), q.b>) {
      pcf.shared_executor.run_cluster(%a)[%c1] () {
        pcf.cluster_yield
      } : (!pcf.cluster<#sg, (0 -> d0), q.a>)
      pcf.return
    } : !T
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!TX = !pcf.threadgroup<#sg, {tensor<8x4xf32>}>
!X = tensor<8x4xf32>
!M = !pcf.sref<8x4xf32, #sg>

// Members have their parts already.
func.func @members(%in: !M, %out: !M) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    // expected-error @+1 {{'pcf.shared_executor.run_thread' op is distributed already; phases of a group can be split}}
    pcf.shared_executor.run_thread(%tg)[] ()[%i: index] {
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!TX = !pcf.threadgroup<#sg, {tensor<8x4xf32>}>
!X = tensor<8x4xf32>
!M = !pcf.sref<8x4xf32, #sg>

// What an op does to memory is not known.
func.func @unknown_op(%in: !M, %out: !M) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      // expected-error @+1 {{'test.op' op in a phase has no rule to split it}}
      "test.op"() : () -> ()
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!TX = !pcf.threadgroup<#sg, {tensor<8x4xf32>}>
!X = tensor<8x4xf32>
!M = !pcf.sref<8x4xf32, #sg>

// Nor between phases.
func.func @between_phases(%in: !M, %out: !M) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0, 0] [8, 4] [1, 1] : !M to !X
      pcf.cluster_yield %x : !X
    } : (!T) -> !TX
    // expected-error @+1 {{'scf.while' op between phases has no rule to split it}}
    %b = scf.while (%it = %a) : (!TX) -> !TX {
      %more = arith.cmpi ult, %c0, %c1 : index
      scf.condition(%more) %it : !TX
    } do {
    ^bb0(%it: !TX):
      scf.yield %it : !TX
    }
    pcf.shared_executor.run_cluster(%b)[] (%x: !X) {
      pcf.write_slice %x into %out[0, 0] [8, 4] [1, 1] : !X into !M
      pcf.cluster_yield
    } : (!TX)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!TX = !pcf.threadgroup<#sg, {tensor<8x4xf32>}>
!X = tensor<8x4xf32>
!M = !pcf.sref<8x4xf32, #sg>

// Of one subgroup there are no two clusters, and the part of one without would be missing.
func.func @unknown_workers(%in: !M, %out: !M) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    // expected-error @+1 {{'pcf.shared_executor.run_cluster' op cannot be split: the number of its workers is not known, so a cluster may have none; give the kernel a translation_info}}
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0, 0] [8, 4] [1, 1] : !M to !X
      pcf.cluster_yield %x : !X
    } : (!T) -> !TX
    pcf.shared_executor.run_cluster(%a)[] (%x: !X) {
      pcf.write_slice %x into %out[0, 0] [8, 4] [1, 1] : !X into !M
      pcf.cluster_yield
    } : (!TX)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!TX = !pcf.threadgroup<#sg, {tensor<8x4xf32>}>
!X = tensor<8x4xf32>
!M = !pcf.sref<8x4xf32, #sg>

// Here it is known.
func.func @one_worker(%in: !M, %out: !M) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !T] {
    // expected-error @+1 {{'pcf.shared_executor.run_cluster' op cannot be split: 1 workers are not enough for 2 clusters}}
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0, 0] [8, 4] [1, 1] : !M to !X
      pcf.cluster_yield %x : !X
    } : (!T) -> !TX
    pcf.shared_executor.run_cluster(%a)[] (%x: !X) {
      pcf.write_slice %x into %out[0, 0] [8, 4] [1, 1] : !X into !M
      pcf.cluster_yield
    } : (!TX)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!P = tensor<6x3xf32>
!TX = !pcf.threadgroup<#sg, {!P}>
!X = tensor<8x3xf32>
!M = !pcf.sref<8x3xf32, #sg>
!W = !pcf.sref<8x3xf32, sync(#sg)>

// Which rows of what is padded in front a half has depends on the padding.
func.func @padded_in_front(%from: tensor<8x3xf32>, %to: tensor<8x3xf32>) -> tensor<8x3xf32> attributes {translation_info = #launch} {
  %zero = arith.constant 0.0 : f32
  %r = pcf.shared_executor scope(#sg) execute(%in <- %from : tensor<8x3xf32>, %out = %to)[%tg: !T] : (!M, !W) -> (!X) {
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0, 0] [6, 3] [1, 1] : !M to !P
      pcf.cluster_yield %x : !P
    } : (!T) -> !TX
    pcf.shared_executor.run_cluster(%a)[] (%x: !P) {
      // expected-note @+1 {{at this 'tensor.pad'}}
      %y = tensor.pad %x low[2, 0] high[0, 0] {
      ^bb0(%i: index, %j: index):
        tensor.yield %zero : f32
      } : !P to !X
      // expected-error @+1 {{'pcf.write_slice' op cannot be split among the clusters: there is no rule to cut it}}
      pcf.write_slice %y into %out[0, 0] [8, 3] [1, 1] : !X into !W
      pcf.cluster_yield
    } : (!TX)
    pcf.return
  }
  return %r : !X
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg>
!P = tensor<6x3xf32>
!TX = !pcf.threadgroup<#sg, {!P}>
!X = tensor<8x3xf32>
!M = !pcf.sref<8x3xf32, #sg>
!W = !pcf.sref<8x3xf32, sync(#sg)>

// The half of a payload is not the half of what it is padded to.
func.func @padded_payload(%from: tensor<8x3xf32>, %to: tensor<8x3xf32>) -> tensor<8x3xf32> attributes {translation_info = #launch} {
  %zero = arith.constant 0.0 : f32
  %r = pcf.shared_executor scope(#sg) execute(%in <- %from : tensor<8x3xf32>, %out = %to)[%tg: !T] : (!M, !W) -> (!X) {
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0, 0] [6, 3] [1, 1] : !M to !P
      pcf.cluster_yield %x : !P
    } : (!T) -> !TX
    pcf.shared_executor.run_cluster(%a)[] (%x: !P) {
      // expected-note @+1 {{at this 'tensor.pad'}}
      %y = tensor.pad %x low[0, 0] high[2, 0] {
      ^bb0(%i: index, %j: index):
        tensor.yield %zero : f32
      } : !P to !X
      // expected-error @+1 {{'pcf.write_slice' op cannot be split among the clusters: dimension 0 of a payload of type tensor<6x3xf32> is not 2 parts of 4}}
      pcf.write_slice %y into %out[0, 0] [8, 3] [1, 1] : !X into !W
      pcf.cluster_yield
    } : (!TX)
    pcf.return
  }
  return %r : !X
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#config = #iree_gpu.lowering_config<{workgroup = [8, 6, 0], reduction = [0, 0, 4], subgroup = [8, 6, 0]}>
!T = !pcf.threadgroup<#sg>
!TX = !pcf.threadgroup<#sg, {tensor<8x6xf32>}>
!X = tensor<8x6xf32>
!W = !pcf.sref<8x6xf32, sync(#sg)>

// Neither rows nor columns have two subgroup tiles.
func.func @parts_of_subgroup_tiles(%to: tensor<8x6xf32>) -> tensor<8x6xf32> attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#sg) execute(%out = %to)[%tg: !T] : (!W) -> (!X) {
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %l = tensor.empty() : tensor<8x4xf32>
      %h = tensor.empty() : tensor<4x6xf32>
      %e = tensor.empty() : !X
      // expected-note @+1 {{at this 'linalg.matmul'}}
      %x = linalg.matmul {lowering_config = #config} ins(%l, %h : tensor<8x4xf32>, tensor<4x6xf32>) outs(%e : !X) -> !X
      pcf.cluster_yield %x : !X
    } : (!T) -> !TX
    pcf.shared_executor.run_cluster(%a)[] (%x: !X) {
      // expected-error @+1 {{'pcf.write_slice' op cannot be split among the clusters: a part of 3 of its loop 1 is no multiple of its `subgroup` tile 6}}
      pcf.write_slice %x into %out[0, 0] [8, 6] [1, 1] : !X into !W
      pcf.cluster_yield
    } : (!TX)
    pcf.return
  }
  return %r : !X
}
