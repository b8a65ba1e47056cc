// RUN: distaff-opt %s -split-input-file -verify-diagnostics "-pcf-distribute=impl='#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>'"

// What implementation B refuses, with the phase and the reason (6.3, 6.7).

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#cyclic = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
#blocked = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
!TG = !pcf.threadgroup<#ln>
!T = !pcf.threadgroup<#ln, {vector<64xf32>}>

// PCF-69: both say the same type here; their layouts differ.
func.func @two_demands(%in: !pcf.sref<64xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    // expected-note @below {{'vector<2x1x1xf32>' required here}}
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #ln> to vector<64xf32>
      %l = iree_vector_ext.to_layout %x to layout(#cyclic) : vector<64xf32>
      pcf.cluster_yield %l : vector<64xf32>
    } : (!TG) -> !T
    // expected-error @below {{conflicting distributions for payload class: 'vector<1x1x2xf32>' required here}}
    pcf.shared_executor.run_cluster(%t0)[] (%p: vector<64xf32>) {
      %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #ln> to vector<64xf32>
      %l = iree_vector_ext.to_layout %x to layout(#blocked) : vector<64xf32>
      %s = arith.addf %p, %l : vector<64xf32>
      pcf.write_slice %s into %in[0] [64] [1] : vector<64xf32> into !pcf.sref<64xf32, #ln>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#ln>
!T = !pcf.threadgroup<#ln, {vector<64xf32>}>

// PCF-69: the given layout is of 32 elements.
func.func @nobody_says(%in: !pcf.sref<64xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    // expected-error @below {{no phase determines the distribution of payload field 0 of a handle of type '!pcf.threadgroup<#iree_gpu.lane_scope, {vector<64xf32>}>'}}
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #ln> to vector<64xf32>
      pcf.cluster_yield %x : vector<64xf32>
    } : (!TG) -> !T
    pcf.shared_executor.run_cluster(%t0)[] (%p: vector<64xf32>) {
      pcf.write_slice %p into %in[0] [64] [1] : vector<64xf32> into !pcf.sref<64xf32, #ln>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#subgroups = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
!TG = !pcf.threadgroup<#ln>
!T = !pcf.threadgroup<#ln, {vector<64xf32>}>

func.func @lanes_are_no_subgroups(%in: !pcf.sref<64xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    // expected-error @below {{cannot distribute this phase: layout is split over subgroups, where values may be split over lanes only: ⟨S[2]:[1] T[32]:[1]⟩ (DG6); lay it out without subgroups}}
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #ln> to vector<64xf32>
      %l = iree_vector_ext.to_layout %x to layout(#subgroups) : vector<64xf32>
      pcf.cluster_yield %l : vector<64xf32>
    } : (!TG) -> !T
    pcf.shared_executor.run_cluster(%t0)[] (%p: vector<64xf32>) {
      pcf.write_slice %p into %in[0] [64] [1] : vector<64xf32> into !pcf.sref<64xf32, #ln>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#eight = #iree_vector_ext.nested_layout<subgroup_tile = [8], batch_tile = [1], outer_tile = [1], thread_tile = [8], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
!TG = !pcf.threadgroup<#sg>

func.func @more_subgroups_than_there_are(%in: !pcf.sref<64xf32, #sg>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    // expected-error @below {{cannot distribute this phase: 'iree_vector_ext.to_layout' op cannot be distributed: layout is split over 8 subgroups, and 4 hold it: ⟨S[8]:[1] T[8]:[1]⟩ (DG6); split it over 4 at most}}
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #sg> to vector<64xf32>
      %l = iree_vector_ext.to_layout %x to layout(#eight) : vector<64xf32>
      pcf.write_slice %l into %in[0] [64] [1] : vector<64xf32> into !pcf.sref<64xf32, #sg>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), w.a>
!B = !pcf.cluster<#sg, (d0 -> s0), w.b>

func.func @a_split_that_is_not_known(%in: !pcf.sref<32xf32, #sg>, %k: index) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%a: !A, %b: !B) {
      // expected-error @below {{cannot distribute this phase: how many members run it is not known; give the launch sizes, and split at constants}}
      pcf.shared_executor.run_cluster(%a)[%k] () {
        %x = pcf.read_slice %in[0] [32] [1] : !pcf.sref<32xf32, #sg> to vector<32xf32>
        pcf.write_slice %x into %in[0] [32] [1] : vector<32xf32> into !pcf.sref<32xf32, #sg>
        pcf.cluster_yield
      } : (!A)
      pcf.return
    } : !TG
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#lanes = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [4], outer_tile = [1], thread_tile = [16], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
!TG = !pcf.threadgroup<#ln>
!A = !pcf.cluster<#ln, (0 -> d0), w.a>
!B = !pcf.cluster<#ln, (d0 -> s0), w.b>

// A subgroup's lanes run one code, so some of them do not wait alone.
func.func @lanes_of_a_cluster_do_not_wait(%in: !pcf.sref<64xf32, #ln>) attributes {translation_info = #launch} {
  %k = arith.constant 16 : index
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%a: !A, %b: !B) {
      // expected-error @below {{cannot distribute this phase: a member needs what others hold, and lanes of a cluster cannot wait for each other inside of a phase}}
      pcf.shared_executor.run_cluster(%a)[%k] () {
        %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #ln> to vector<64xf32>
        %l = iree_vector_ext.to_layout %x to layout(#lanes) : vector<64xf32>
        %z = arith.constant 0.0 : f32
        %s = vector.multi_reduction <add>, %l, %z [0] : vector<64xf32> to f32
        %v = vector.broadcast %s : f32 to vector<64xf32>
        %y = arith.divf %l, %v : vector<64xf32>
        pcf.write_slice %y into %in[0] [64] [1] : vector<64xf32> into !pcf.sref<64xf32, #ln>
        pcf.cluster_yield
      } : (!A)
      pcf.return
    } : !TG
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#ln>

func.func @no_rule(%in: !pcf.sref<32xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    // expected-error @below {{cannot distribute this phase: 'vector.print' op}}
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [32] [1] : !pcf.sref<32xf32, #ln> to vector<32xf32>
      vector.print %x : vector<32xf32>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#ln>

func.func @dynamic_tensors(%in: !pcf.sref<?xf32, #ln>, %n: index) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    // expected-error @below {{cannot distribute this phase: 'pcf.read_slice' is on tensors that are no vectors: of static shapes, in linalg ops that have a vector form, elementwise ops, slices and padded slices}}
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [%n] [1] : !pcf.sref<?xf32, #ln> to tensor<?xf32>
      pcf.write_slice %x into %in[0] [%n] [1] : tensor<?xf32> into !pcf.sref<?xf32, #ln>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
!TG = !pcf.threadgroup<#ln>

// What a vector has beyond its slice is zero.
func.func @padded_with_one(%in: !pcf.sref<?xf32, #ln>, %n: index, %high: index) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    // expected-error @below {{cannot distribute this phase: 'pcf.read_slice' is on tensors that are no vectors}}
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [%n] [1] : !pcf.sref<?xf32, #ln> to tensor<?xf32>
      %one = arith.constant 1.0 : f32
      %p = tensor.pad %x low[0] high[%high] {
      ^bb0(%i: index):
        tensor.yield %one : f32
      } : tensor<?xf32> to tensor<32xf32>
      pcf.write_slice %p into %in[0] [32] [1] : tensor<32xf32> into !pcf.sref<?xf32, #ln>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
!TG = !pcf.threadgroup<#ln>

func.func @no_launch(%in: !pcf.sref<32xf32, #ln>) {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    // expected-error @below {{cannot distribute this phase: how many members run it is not known}}
    pcf.shared_executor.run_cluster(%tg)[] () {
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#even = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [16], element_tile = [2], subgroup_strides = [1], thread_strides = [1]>
#odd = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [2], outer_tile = [1], thread_tile = [16], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
!TG = !pcf.threadgroup<#sg>
!T = !pcf.threadgroup<#sg, {vector<64xf32>}>

// Subgroups have the same blocks in both; their lanes would not.
func.func @the_lanes_differ(%in: !pcf.sref<64xf32, #sg>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    // expected-note @below {{'vector<32xf32>' required here}}
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #sg> to vector<64xf32>
      %l = iree_vector_ext.to_layout %x to layout(#even) : vector<64xf32>
      pcf.cluster_yield %l : vector<64xf32>
    } : (!TG) -> !T
    // expected-error @below {{conflicting distributions for payload class: 'vector<32xf32>' required here}}
    pcf.shared_executor.run_cluster(%t0)[] (%p: vector<64xf32>) {
      %c = arith.constant dense<2.0> : vector<64xf32>
      %l = iree_vector_ext.to_layout %c to layout(#odd) : vector<64xf32>
      %s = arith.addf %p, %l : vector<64xf32>
      pcf.write_slice %s into %in[0] [64] [1] : vector<64xf32> into !pcf.sref<64xf32, #sg>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#half = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [16], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
!TG = !pcf.threadgroup<#ln>
!A = !pcf.cluster<#ln, (0 -> d0), w.a>
!B = !pcf.cluster<#ln, (d0 -> s0), w.b>

// Lanes 0 to 7 cannot hold what 16 lanes hold.
func.func @more_lanes_than_the_cluster_has(%in: !pcf.sref<32xf32, #ln>) attributes {translation_info = #launch} {
  %k = arith.constant 8 : index
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%a: !A, %b: !B) {
      // expected-error @below {{cannot distribute this phase: 'iree_vector_ext.to_layout' op cannot be distributed: }}
      pcf.shared_executor.run_cluster(%a)[%k] () {
        %x = pcf.read_slice %in[0] [32] [1] : !pcf.sref<32xf32, #ln> to vector<32xf32>
        %l = iree_vector_ext.to_layout %x to layout(#half) : vector<32xf32>
        pcf.write_slice %l into %in[0] [32] [1] : vector<32xf32> into !pcf.sref<32xf32, #ln>
        pcf.cluster_yield
      } : (!A)
      pcf.return
    } : !TG
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>
#woven = #iree_vector_ext.digit_layout<[[lane(32, 1), sg(2, 1)]]>
!TG = !pcf.threadgroup<#sg>

// Neighbours are on two subgroups: what one holds is no slice that it could share with its lanes.
func.func @no_block(%in: !pcf.sref<64xf32, #sg>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    // expected-error-re @below {{what a subgroup holds is no block: {{.*}}; split each dim over subgroups before all else, by a nested_layout}}
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #sg> to vector<64xf32>
      %l = iree_vector_ext.to_layout %x to layout(#woven) : vector<64xf32>
      pcf.write_slice %l into %in[0] [64] [1] : vector<64xf32> into !pcf.sref<64xf32, #sg>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
#lhs = #iree_vector_ext.digit_layout<[[sg(2, 1), reg(2, 4), lane(8, 4)], [reg(2, 2), lane(4, 1), reg(2, 1)]]>
#rhs = #iree_vector_ext.digit_layout<[[reg(2, 2), lane(4, 1), reg(2, 1)], [reg(2, 4), lane(8, 4)]]>
#acc = #iree_vector_ext.digit_layout<[[sg(2, 1), reg(2, 2), lane(8, 4)], [sg(2, 2), lane(4, 1), reg(2, 1)]]>
!TG = !pcf.threadgroup<#sg>

// A subgroup holds all 16 columns of rhs, and 8 of those of acc.
func.func @columns_of_other_subgroups(%a: !pcf.sref<32x16xf16, #sg>, %b: !pcf.sref<16x16xf16, #sg>, %o: !pcf.sref<32x16xf32, #sg>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    // expected-error-re @below {{'vector.contract' op has operands that split a common dim differently: rhs {{.*}}[16,16]{{.*}}, acc {{.*}}[2,2]{{.*}}[16,8]{{.*}}}}
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %a[0, 0] [32, 16] [1, 1] : !pcf.sref<32x16xf16, #sg> to vector<32x16xf16>
      %y = pcf.read_slice %b[0, 0] [16, 16] [1, 1] : !pcf.sref<16x16xf16, #sg> to vector<16x16xf16>
      %z = pcf.read_slice %o[0, 0] [32, 16] [1, 1] : !pcf.sref<32x16xf32, #sg> to vector<32x16xf32>
      %l = iree_vector_ext.to_layout %x to layout(#lhs) {mma_kind = #kind} : vector<32x16xf16>
      %r = iree_vector_ext.to_layout %y to layout(#rhs) {mma_kind = #kind} : vector<16x16xf16>
      %c = iree_vector_ext.to_layout %z to layout(#acc) {mma_kind = #kind} : vector<32x16xf32>
      %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %l, %r, %c : vector<32x16xf16>, vector<16x16xf16> into vector<32x16xf32>
      pcf.write_slice %d into %o[0, 0] [32, 16] [1, 1] : vector<32x16xf32> into !pcf.sref<32x16xf32, #sg>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#cyclic = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [2], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>
#blocked = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [2], subgroup_strides = [0], thread_strides = [1]>
!TG = !pcf.threadgroup<#ln>
!T = !pcf.threadgroup<#ln, {vector<64xf32>}>

// PCF-214: one mask is needed in two layouts. The payload has the layout that the phase needs it in, so it is not what
// stands in the way, and no relayout would mend it.
func.func @payload_without_a_conflict(%in: !pcf.sref<64xf32, #ln>, %n: index) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !TG] {
    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #ln> to vector<64xf32>
      %l = iree_vector_ext.to_layout %x to layout(#cyclic) : vector<64xf32>
      pcf.cluster_yield %l : vector<64xf32>
    } : (!TG) -> !T
    // expected-error @below {{cannot distribute this phase: 'arith.select' op operand #1 is laid out as ⟨B[2] T[32]:[1]⟩, operand #0 demands ⟨T[32]:[1] E[2]⟩ (DG1); convert operand #1 by an 'iree_vector_ext.to_layout'}}
    pcf.shared_executor.run_cluster(%t0)[] (%p: vector<64xf32>) {
      %zero = arith.constant dense<0.0> : vector<64xf32>
      %step = vector.step : vector<64xindex>
      %end = vector.broadcast %n : index to vector<64xindex>
      %mask = arith.cmpi slt, %step, %end : vector<64xindex>
      %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #ln> to vector<64xf32>
      %l = iree_vector_ext.to_layout %x to layout(#blocked) : vector<64xf32>
      %a = arith.select %mask, %l, %zero : vector<64xi1>, vector<64xf32>
      %m = iree_vector_ext.to_layout %x to layout(#cyclic) : vector<64xf32>
      %s = arith.addf %m, %p : vector<64xf32>
      %b = arith.select %mask, %s, %zero : vector<64xi1>, vector<64xf32>
      pcf.write_slice %a into %in[0] [64] [1] : vector<64xf32> into !pcf.sref<64xf32, #ln>
      pcf.write_slice %b into %in[0] [64] [1] : vector<64xf32> into !pcf.sref<64xf32, #ln>
      pcf.cluster_yield
    } : (!T)
    pcf.return
  }
  return
}
