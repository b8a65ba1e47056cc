// RUN: distaff-opt %s -split-input-file -verify-diagnostics "-pcf-distribute=barriers-of-all impl='#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>'"

// PCF-140: where members of a cluster cannot wait.

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#two = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
!TG = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), w.a>
!B = !pcf.cluster<#sg, (d0 -> s0), w.b>

// PCF-166: a loop is the group's where members agree on its bounds. A number that each reads may be another one for each.
func.func @in_a_loop(%in: !pcf.sref<64xf32, #sg>, %m: memref<4xindex>) attributes {translation_info = #launch} {
  %k = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%a: !A, %b: !B) {
      pcf.shared_executor.run_cluster(%a)[%k] () {
        %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #sg> to vector<64xf32>
        %l = iree_vector_ext.to_layout %x to layout(#two) : vector<64xf32>
        %end = memref.load %m[%c0] : memref<4xindex>
        %z = arith.constant 0.0 : f32
        // expected-error @below {{cannot distribute this phase: members of a cluster need what others hold in a loop of it whose bounds may differ from member to member; compute them of numbers from outside of the phase}}
        %r = scf.for %i = %c0 to %end step %c1 iter_args(%y = %l) -> vector<64xf32> {
          %s = vector.multi_reduction <add>, %y, %z [0] : vector<64xf32> to f32
          %v = vector.broadcast %s : f32 to vector<64xf32>
          %d = arith.divf %y, %v : vector<64xf32>
          scf.yield %d : vector<64xf32>
        }
        pcf.write_slice %r into %in[0] [64] [1] : vector<64xf32> into !pcf.sref<64xf32, #sg>
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
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#two = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
!TG = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), w.a>
!B = !pcf.cluster<#sg, (d0 -> s0), w.b>

// The same of a condition.
func.func @in_a_branch(%in: !pcf.sref<64xf32, #sg>, %m: memref<4xindex>) attributes {translation_info = #launch} {
  %k = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%a: !A, %b: !B) {
      pcf.shared_executor.run_cluster(%a)[%k] () {
        %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #sg> to vector<64xf32>
        %l = iree_vector_ext.to_layout %x to layout(#two) : vector<64xf32>
        %end = memref.load %m[%c0] : memref<4xindex>
        %z = arith.constant 0.0 : f32
        %c = arith.cmpi ugt, %end, %c1 : index
        // expected-error @below {{cannot distribute this phase: members of a cluster need what others hold in a branch of it whose condition may differ from member to member; compute it of numbers from outside of the phase}}
        %r = scf.if %c -> (vector<64xf32>) {
          %s = vector.multi_reduction <add>, %l, %z [0] : vector<64xf32> to f32
          %v = vector.broadcast %s : f32 to vector<64xf32>
          %d = arith.divf %l, %v : vector<64xf32>
          scf.yield %d : vector<64xf32>
        } else {
          scf.yield %l : vector<64xf32>
        }
        pcf.write_slice %r into %in[0] [64] [1] : vector<64xf32> into !pcf.sref<64xf32, #sg>
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
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#two = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
!TG = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), w.a>
!B = !pcf.cluster<#sg, (d0 -> s0), w.b>

// Of other ops with regions nothing is known.
func.func @in_a_switch(%in: !pcf.sref<64xf32, #sg>, %m: memref<4xindex>) attributes {translation_info = #launch} {
  %k = arith.constant 2 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%a: !A, %b: !B) {
      pcf.shared_executor.run_cluster(%a)[%k] () {
        %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #sg> to vector<64xf32>
        %l = iree_vector_ext.to_layout %x to layout(#two) : vector<64xf32>
        %end = memref.load %m[%c0] : memref<4xindex>
        %z = arith.constant 0.0 : f32
        // expected-error @below {{cannot distribute this phase: members of a cluster need what others hold in a region of it that is neither scf.for nor scf.if; end the phase before}}
        %r = scf.index_switch %k -> vector<64xf32>
        case 1 {
          %s = vector.multi_reduction <add>, %l, %z [0] : vector<64xf32> to f32
          %v = vector.broadcast %s : f32 to vector<64xf32>
          %d = arith.divf %l, %v : vector<64xf32>
          scf.yield %d : vector<64xf32>
        }
        default {
          scf.yield %l : vector<64xf32>
        }
        pcf.write_slice %r into %in[0] [64] [1] : vector<64xf32> into !pcf.sref<64xf32, #sg>
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
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#two = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
!TG = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), w.a>
!B = !pcf.cluster<#sg, (d0 -> s0), w.b>
!C = !pcf.cluster<#sg, (0 -> d1), w.in.c>
!D = !pcf.cluster<#sg, (d1 -> d0), w.in.d>

// Subgroups of %b never come by.
func.func @in_a_part_of_a_cluster(%in: !pcf.sref<64xf32, #sg>) attributes {translation_info = #launch} {
  %k = arith.constant 3 : index
  %j = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%a: !A, %b: !B) {
      pcf.shared_executor.tile_group %a[%k] ns(in) split [[%j]] (%c: !C, %d: !D) {
        // expected-error @below {{cannot distribute this phase: members of a part of a cluster need what others hold, and the target has no barrier of some subgroups; split the workgroup once}}
        pcf.shared_executor.run_cluster(%c)[%k, %j] () {
          %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #sg> to vector<64xf32>
          %l = iree_vector_ext.to_layout %x to layout(#two) : vector<64xf32>
          %z = arith.constant 0.0 : f32
          %s = vector.multi_reduction <add>, %l, %z [0] : vector<64xf32> to f32
          %v = vector.broadcast %s : f32 to vector<64xf32>
          %y = arith.divf %l, %v : vector<64xf32>
          pcf.write_slice %y into %in[0] [64] [1] : vector<64xf32> into !pcf.sref<64xf32, #sg>
          pcf.cluster_yield
        } : (!C)
        pcf.return
      } : !A
      pcf.return
    } : !TG
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
!C = !pcf.cluster<#sg, (0 -> d1), w.in.c>
!D = !pcf.cluster<#sg, (d1 -> d0), w.in.d>

// PCF-167: a barrier among some clusters that not all subgroups come by.
func.func @among_parts_of_a_cluster() attributes {translation_info = #launch} {
  %k = arith.constant 3 : index
  %j = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%a: !A, %b: !B) {
      pcf.shared_executor.tile_group %a[%k] ns(in) split [[%j]] (%c: !C, %d: !D) {
        // expected-error @below {{'pcf.barrier' op is among parts of a cluster, and the target has no barrier of some subgroups; split the workgroup once, so that all subgroups can wait here}}
        pcf.barrier(#sg) among(%c)[%k, %j] : !C
        pcf.return
      } : !A
      pcf.return
    } : !TG
    pcf.return
  }
  return
}
