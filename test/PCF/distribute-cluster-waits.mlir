// RUN: distaff-opt %s "-pcf-distribute=impl='#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>'" | FileCheck %s --check-prefixes=CHECK,SOME
// RUN: distaff-opt %s "-pcf-distribute=barriers-of-all impl='#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [0], thread_strides = [1]>'" | FileCheck %s --check-prefixes=CHECK,ALL

// PCF-140: a phase of a cluster ends where its members need what others hold.

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#two = #iree_vector_ext.nested_layout<subgroup_tile = [2], batch_tile = [1], outer_tile = [1], thread_tile = [32], element_tile = [1], subgroup_strides = [1], thread_strides = [1]>
!TG = !pcf.threadgroup<#sg>
!A = !pcf.cluster<#sg, (0 -> d0), w.a>
!B = !pcf.cluster<#sg, (d0 -> s0), w.b>

// The buffer of the sum is written and read in a loop of the group, perhaps, so
// members wait before they write, too. What is read of %in stays with the member
// as private payload; constants are made again.
// CHECK-LABEL: func.func @a_sum_of_two_subgroups
// CHECK: %[[BUFFER:.*]] = memref.alloc
// CHECK: tile_group %{{.*}} (%[[A:.*]]: !{{.*}}, %{{.*}})
// SOME: pcf.barrier(#iree_gpu.subgroup_scope) among(%[[A]])[%[[K:.*]]] fence(%[[BUFFER]]
// ALL: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[BUFFER]]
// CHECK: %[[HEAD:.*]] = pcf.shared_executor.run_thread(%[[A]])[%{{.*}}] () [%{{.*}}: index] {
// CHECK:   pcf.read_slice
// CHECK:   memref.store
// CHECK:   pcf.cluster_yield %{{.*}} : vector<32xf32>
// SOME: pcf.barrier(#iree_gpu.subgroup_scope) among(%[[A]])[%[[K]]] fence(%[[BUFFER]]
// ALL: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[BUFFER]]
// CHECK: run_thread(%[[HEAD]])[%{{.*}}] (%[[X:.*]]: vector<32xf32>) [%{{.*}}: index] {
// CHECK:   memref.load
// CHECK:   pcf.write_slice
// CHECK-NOT: pcf.barrier
// CHECK: return
func.func @a_sum_of_two_subgroups(%in: !pcf.sref<64xf32, #sg>) attributes {translation_info = #launch} {
  %k = arith.constant 2 : index
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%a: !A, %b: !B) {
      pcf.shared_executor.run_cluster(%a)[%k] () {
        %x = pcf.read_slice %in[0] [64] [1] : !pcf.sref<64xf32, #sg> to vector<64xf32>
        %l = iree_vector_ext.to_layout %x to layout(#two) : vector<64xf32>
        %z = arith.constant 0.0 : f32
        %s = vector.multi_reduction <add>, %l, %z [0] : vector<64xf32> to f32
        %v = vector.broadcast %s : f32 to vector<64xf32>
        %y = arith.divf %l, %v : vector<64xf32>
        pcf.write_slice %y into %in[0] [64] [1] : vector<64xf32> into !pcf.sref<64xf32, #sg>
        pcf.cluster_yield
      } : (!A)
      pcf.return
    } : !TG
    pcf.return
  }
  return
}
