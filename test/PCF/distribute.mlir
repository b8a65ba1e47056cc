// RUN: distaff-opt %s -split-input-file -pcf-distribute='impl=#pcf.tensor_tiling<workers=[64,1]>' | FileCheck %s

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
!TG = !pcf.threadgroup<#ln>
!TT = !pcf.threadgroup<#ln, {tensor<64x64xf32>}>

// PCF-73: the sample of 6.4. PCF-74: the write decides for the whole loop.
// CHECK-DAG: !lane_tg = !pcf.threadgroup<#iree_gpu.lane_scope>
// CHECK-DAG: !lane_tg1 = !pcf.threadgroup<#iree_gpu.lane_scope, private: {tensor<1x64xf32>}>
// CHECK-LABEL: func.func @chained
// CHECK-SAME: (%[[CST:.*]]: f32, %[[N:.*]]: index, %[[OUT:.*]]: !sref
// CHECK: execute[%[[TG:.*]]: !lane_tg] {
// CHECK-NEXT: %[[P0:.*]] = pcf.shared_executor.run_thread(%[[TG]])[] () [%[[L:.*]]: index] {
// CHECK-NEXT:   %[[E:.*]] = tensor.empty() : tensor<1x64xf32>
// CHECK-NEXT:   %[[Z:.*]] = linalg.fill ins(%[[CST]] : f32) outs(%[[E]] : tensor<1x64xf32>) -> tensor<1x64xf32>
// CHECK-NEXT:   pcf.cluster_yield %[[Z]] : tensor<1x64xf32>
// CHECK-NEXT: } : (!lane_tg) -> !lane_tg1
// CHECK-NEXT: %[[P1:.*]] = scf.for %{{.*}} = %{{.*}} to %[[N]] step %{{.*}} iter_args(%[[IT:.*]] = %[[P0]]) -> (!lane_tg1) {
// CHECK-NEXT:   %[[NX:.*]] = pcf.shared_executor.run_thread(%[[IT]])[] (%[[X:.*]]: tensor<1x64xf32>) [%{{.*}}: index] {
// CHECK-NEXT:     %[[Y:.*]] = linalg.exp ins(%[[X]] : tensor<1x64xf32>) outs(%[[X]] : tensor<1x64xf32>) -> tensor<1x64xf32>
// CHECK-NEXT:     pcf.cluster_yield %[[Y]] : tensor<1x64xf32>
// CHECK-NEXT:   } : (!lane_tg1) -> !lane_tg1
// CHECK-NEXT:   scf.yield %[[NX]] : !lane_tg1
// CHECK-NEXT: }
// CHECK-NEXT: pcf.shared_executor.run_thread(%[[P1]])[] (%[[X:.*]]: tensor<1x64xf32>) [%[[L:.*]]: index] {
// CHECK-NEXT:   pcf.write_slice %[[X]] into %[[OUT]][%[[L]], 0] [1, 64] [1, 1] : tensor<1x64xf32> into !sref
// CHECK-NEXT:   pcf.cluster_yield
// CHECK-NEXT: } : (!lane_tg1)
func.func @chained(%cst: f32, %n: index, %out: !pcf.sref<64x64xf32, #ln>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %e = tensor.empty() : tensor<64x64xf32>
      %z = linalg.fill ins(%cst : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
      pcf.cluster_yield %z : tensor<64x64xf32>
    } : (!TG) -> !TT
    %t1 = scf.for %i = %c0 to %n step %c1 iter_args(%it = %t0) -> (!TT) {
      %nx = pcf.shared_executor.run_cluster(%it)[] (%x: tensor<64x64xf32>) {
        %y = linalg.exp ins(%x : tensor<64x64xf32>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
        pcf.cluster_yield %y : tensor<64x64xf32>
      } : (!TT) -> !TT
      scf.yield %nx : !TT
    }
    pcf.shared_executor.run_cluster(%t1)[] (%x: tensor<64x64xf32>) {
      pcf.write_slice %x into %out[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !pcf.sref<64x64xf32, #ln>
      pcf.cluster_yield
    } : (!TT)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 128>
!TG = !pcf.threadgroup<#ln>
!V = !pcf.threadgroup<#ln, {tensor<64x4xf32>, index, f32}>

// PCF-72: numbers stay as they are; what two members hold alike one writes.
// 128 members hold 64 boxes, so members 0 to 63 write.
// CHECK-LABEL: func.func @replicas
// CHECK: run_thread(%{{.*}})[] () [%[[ID:.*]]: index] {
// CHECK: pcf.cluster_yield %{{.*}}, %{{.*}}, %{{.*}} : tensor<1x4xf32>, index, f32
// CHECK: run_thread(%{{.*}})[] (%[[X:.*]]: tensor<1x4xf32>, %{{.*}}: index, %{{.*}}: f32) [%[[ID:.*]]: index] {
// CHECK: %[[C:.*]] = affine.apply #{{.*}}()[%[[ID]]]
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[ID]], %[[C]]
// CHECK: scf.if %[[FIRST]] {
// CHECK: pcf.write_slice %[[X]] into
// CHECK: }
func.func @replicas(%v: f32, %out: !pcf.sref<64x4xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %e = tensor.empty() : tensor<64x4xf32>
      %z = linalg.fill ins(%v : f32) outs(%e : tensor<64x4xf32>) -> tensor<64x4xf32>
      %i = arith.constant 3 : index
      pcf.cluster_yield %z, %i, %v : tensor<64x4xf32>, index, f32
    } : (!TG) -> !V
    pcf.shared_executor.run_cluster(%a)[] (%x: tensor<64x4xf32>, %i: index, %w: f32) {
      pcf.write_slice %x into %out[0, 0] [64, 4] [1, 1] : tensor<64x4xf32> into !pcf.sref<64x4xf32, #ln>
      pcf.cluster_yield
    } : (!V)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
!TG = !pcf.threadgroup<#ln>

// PCF-70: constants and empty tensors are made again, and so are reads of what
// is not written in between; a ref that is only read never is.
// CHECK-LABEL: func.func @captures
// CHECK-SAME: (%[[SRC:.*]]: !sref{{[^,]*}}, %[[OUT:.*]]: !sref
// CHECK: run_thread(%{{.*}})[] () [%[[ID:.*]]: index] {
// CHECK-DAG: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<1x8xf32>
// CHECK-DAG: %[[R:.*]] = pcf.read_slice %[[SRC]][%[[ID]], 0] [1, 8] [1, 1]
// CHECK-DAG: %[[E:.*]] = tensor.empty() : tensor<1x8xf32>
// CHECK: %[[S:.*]] = linalg.add ins(%[[R]], %[[C]] : {{.*}}) outs(%[[E]]
// CHECK: pcf.write_slice %[[S]] into %[[OUT]][%[[ID]], 0] [1, 8] [1, 1]
func.func @captures(%src: !pcf.sref<64x8xf32, #ln>, %out: !pcf.sref<64x8xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %c = arith.constant dense<2.0> : tensor<64x8xf32>
    %e = tensor.empty() : tensor<64x8xf32>
    %r = pcf.read_slice %src[0, 0] [64, 8] [1, 1] : !pcf.sref<64x8xf32, #ln> to tensor<64x8xf32>
    pcf.shared_executor.run_cluster(%tg)[] () {
      %s = linalg.add ins(%r, %c : tensor<64x8xf32>, tensor<64x8xf32>) outs(%e : tensor<64x8xf32>) -> tensor<64x8xf32>
      pcf.write_slice %s into %out[0, 0] [64, 8] [1, 1] : tensor<64x8xf32> into !pcf.sref<64x8xf32, #ln>
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
!T = !pcf.threadgroup<#ln, {tensor<64x64xf32>}>

// PCF-71: two handles of one type, of two classes, in one loop: rows in one,
// and columns in the other, since its phases read it transposed.
// CHECK-LABEL: func.func @two_classes_of_one_type
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (!lane_tg1, !lane_tg2) {
// CHECK: run_thread({{.*}}) [%[[ID:.*]]: index] {
// CHECK: linalg.transpose ins(%{{.*}} : tensor<64x1xf32>) outs(%{{.*}} : tensor<1x64xf32>)
func.func @two_classes_of_one_type(%cst: f32, %n: index, %out: !pcf.sref<64x64xf32, #ln>) attributes {translation_info = #launch} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %a = pcf.shared_executor.run_cluster(%tg)[] () {
      %e = tensor.empty() : tensor<64x64xf32>
      %z = linalg.fill ins(%cst : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
      pcf.cluster_yield %z : tensor<64x64xf32>
    } : (!TG) -> !T
    %b = pcf.shared_executor.run_cluster(%tg)[] () {
      %e = tensor.empty() : tensor<64x64xf32>
      %z = linalg.fill ins(%cst : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
      pcf.cluster_yield %z : tensor<64x64xf32>
    } : (!TG) -> !T
    %l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (!T, !T) {
      pcf.shared_executor.run_cluster(%x, %y)[] (%p: tensor<64x64xf32>, %q: tensor<64x64xf32>) {
        %e = tensor.empty() : tensor<64x64xf32>
        %t = linalg.transpose ins(%q : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) permutation = [1, 0]
        %s = linalg.add ins(%p, %t : tensor<64x64xf32>, tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
        pcf.write_slice %s into %out[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !pcf.sref<64x64xf32, #ln>
        pcf.cluster_yield
      } : (!T, !T)
      scf.yield %x, %y : !T, !T
    }
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
!TG = !pcf.threadgroup<#ln>

// PCF-75: of an extent that is not known a member has what is left of its box,
// and never less than nothing; the padding fills the rest.
// CHECK-DAG: #[[LEFT:.*]] = affine_map<()[s0, s1] -> (s0 - s1, 0)>
// CHECK-DAG: #[[ONE:.*]] = affine_map<()[s0] -> (s0, 1)>
// CHECK-DAG: #[[REST:.*]] = affine_map<()[s0] -> (-s0 + 1)>
// CHECK-LABEL: func.func @tails
// CHECK-SAME: (%[[SRC:.*]]: !sref{{[^,]*}}, %{{.*}}: !sref{{[^,]*}}, %[[M:.*]]: index
// CHECK: run_thread({{.*}}) [%[[ID:.*]]: index] {
// CHECK: %[[MAX:.*]] = affine.max #[[LEFT]]()[%[[M]], %[[ID]]]
// CHECK: %[[SIZE:.*]] = affine.min #[[ONE]]()[%[[MAX]]]
// CHECK: %[[R:.*]] = pcf.read_slice %[[SRC]][%[[ID]], 0] [%[[SIZE]], 8] [1, 1]
// CHECK: %[[HIGH:.*]] = affine.apply #[[REST]]()[%[[SIZE]]]
// CHECK: tensor.pad %[[R]] low[0, 0] high[%[[HIGH]], 0]
// CHECK: : tensor<?x8xf32> to tensor<1x8xf32>
func.func @tails(%src: !pcf.sref<?x8xf32, #ln>, %out: !pcf.sref<64x8xf32, #ln>, %m: index) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %c64 = arith.constant 64 : index
      %z = arith.constant 0.0 : f32
      %h = arith.subi %c64, %m : index
      %r = pcf.read_slice %src[0, 0] [%m, 8] [1, 1] : !pcf.sref<?x8xf32, #ln> to tensor<?x8xf32>
      %p = tensor.pad %r low[0, 0] high[%h, 0] {
      ^bb0(%i: index, %j: index):
        tensor.yield %z : f32
      } : tensor<?x8xf32> to tensor<64x8xf32>
      pcf.write_slice %p into %out[0, 0] [64, 8] [1, 1] : tensor<64x8xf32> into !pcf.sref<64x8xf32, #ln>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
!TG = !pcf.threadgroup<#sg>
!l = !pcf.cluster<#sg, (0 -> d0), w.l>
!r = !pcf.cluster<#sg, (d0 -> s0), w.r>
!lv = !pcf.cluster<#sg, (0 -> d0), shared: {tensor<64x64xf32>}, w.l>

// A cluster of a size that is not known, empty perhaps: all members have all
// of it, and the first writes.
// CHECK-LABEL: func.func @unknown_size
// CHECK: run_thread(%{{.*}})[%{{.*}}] (%[[X:.*]]: tensor<64x64xf32>) [%[[ID:.*]]: index] {
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[ID]], %c0
// CHECK: scf.if %[[FIRST]] {
// CHECK: pcf.write_slice %[[X]] into %{{.*}}[0, 0] [64, 64] [1, 1]
func.func @unknown_size(%k: index, %cst: f32, %out: !pcf.sref<64x64xf32, #sg>) {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%l: !l, %r: !r) {
      %a = pcf.shared_executor.run_cluster(%l)[%k] () {
        %e = tensor.empty() : tensor<64x64xf32>
        %z = linalg.fill ins(%cst : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
        pcf.cluster_yield %z : tensor<64x64xf32>
      } : (!l) -> !lv
      pcf.shared_executor.run_cluster(%a)[%k] (%x: tensor<64x64xf32>) {
        pcf.write_slice %x into %out[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !pcf.sref<64x64xf32, #sg>
        pcf.cluster_yield
      } : (!lv)
      pcf.return
    } : !TG
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#sg>
!l = !pcf.cluster<#sg, (0 -> d0), w.l>
!r = !pcf.cluster<#sg, (d0 -> s0), w.r>

// Members of a cluster whose bounds are known, and its end the launch's: 2 and 6.
// Whole rows for each: 64 over 2, and the 2 of 6 that divide 64; positions
// count from the beginning of the whole.
// CHECK-DAG: #[[MAP:.*]] = affine_map<()[s0] -> (s0 * 32)>
// CHECK-LABEL: func.func @known_sizes
// CHECK: run_thread(%{{.*}})[%{{.*}}] () [%[[ID:.*]]: index] {
// CHECK: %[[W:.*]] = linalg.generic
// CHECK:   %[[I:.*]] = linalg.index 0
// CHECK:   affine.apply {{.*}}[%[[ID]], %[[I]]]
// CHECK: affine.apply #[[MAP]]()[%[[ID]]]
// CHECK: %[[O:.*]] = affine.apply #[[MAP]]()[%[[ID]]]
// CHECK-NEXT: pcf.write_slice %[[W]] into %{{.*}}[%[[O]]] [32] [1]
// CHECK: run_thread(%{{.*}})[%{{.*}}] () [%[[ID:.*]]: index] {
// CHECK: arith.cmpi eq, %[[ID]]
// CHECK: pcf.write_slice %{{.*}} into %{{.*}}[%{{.*}}] [32] [1]
func.func @known_sizes(%out: !pcf.sref<64xindex, #sg>) attributes {translation_info = #launch} {
  %k = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%l: !l, %r: !r) {
      pcf.shared_executor.run_cluster(%l)[%k] () {
        %e = tensor.empty() : tensor<64xindex>
        %z = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%e : tensor<64xindex>) {
        ^bb0(%o: index):
          %i = linalg.index 0 : index
          linalg.yield %i : index
        } -> tensor<64xindex>
        pcf.write_slice %z into %out[0] [64] [1] : tensor<64xindex> into !pcf.sref<64xindex, #sg>
        pcf.cluster_yield
      } : (!l)
      pcf.shared_executor.run_cluster(%r)[%k] () {
        %e = tensor.empty() : tensor<64xindex>
        %z = linalg.fill ins(%k : index) outs(%e : tensor<64xindex>) -> tensor<64xindex>
        pcf.write_slice %z into %out[0] [64] [1] : tensor<64xindex> into !pcf.sref<64xindex, #sg>
        pcf.cluster_yield
      } : (!r)
      pcf.return
    } : !TG
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#sg>
!l = !pcf.cluster<#sg, (0 -> d0), w.l>
!r = !pcf.cluster<#sg, (d0 -> s0), w.r>

// A quarter of the launch's 8 subgroups: 2 members, with 32 of 64 elements each.
// CHECK-DAG: #[[MAP:.*]] = affine_map<()[s0] -> (s0 * 32)>
// CHECK-LABEL: func.func @size_computed_from_all
// CHECK: run_thread(%{{.*}})[%{{.*}}] () [%[[ID:.*]]: index] {
// CHECK-NOT: scf.if
// CHECK: %[[O:.*]] = affine.apply #[[MAP]]()[%[[ID]]]
// CHECK: pcf.write_slice %{{.*}} into %{{.*}}[%[[O]]] [32] [1]
func.func @size_computed_from_all(%cst: f32, %out: !pcf.sref<64xf32, #sg>) attributes {translation_info = #launch} {
  %all = gpu.num_subgroups : index
  %k = affine.apply affine_map<()[s0] -> (s0 floordiv 4)>()[%all]
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%l: !l, %r: !r) {
      pcf.shared_executor.run_cluster(%l)[%k] () {
        %e = tensor.empty() : tensor<64xf32>
        %z = linalg.fill ins(%cst : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
        pcf.write_slice %z into %out[0] [64] [1] : tensor<64xf32> into !pcf.sref<64xf32, #sg>
        pcf.cluster_yield
      } : (!l)
      pcf.return
    } : !TG
    pcf.return
  }
  return
}
