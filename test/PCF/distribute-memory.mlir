// RUN: distaff-opt %s -split-input-file -verify-diagnostics "-pcf-distribute=target=gfx942 impl='#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [1], element_tile = [1], subgroup_strides = [0], thread_strides = [0]>'" | FileCheck %s

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 64>
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [4, 1], batch_tile = [1, 2], outer_tile = [1, 1], thread_tile = [4, 16], element_tile = [4, 4], subgroup_strides = [1, 0], thread_strides = [16, 1]>
#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 4], batch_tile = [4, 2], outer_tile = [1, 1], thread_tile = [4, 16], element_tile = [4, 1], subgroup_strides = [0, 1], thread_strides = [16, 1]>
#fewer = #iree_vector_ext.nested_layout<subgroup_tile = [1, 4], batch_tile = [2, 1], outer_tile = [1, 1], thread_tile = [16, 4], element_tile = [1, 4], subgroup_strides = [0, 1], thread_strides = [4, 1]>
#few = #iree_vector_ext.nested_layout<subgroup_tile = [4, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 16], element_tile = [2, 4], subgroup_strides = [1, 0], thread_strides = [16, 1]>
!TG = !pcf.threadgroup<#sg>

// PCF-134: what both phases exchange, 32 KiB and 8 KiB, lies on the same bytes,
// and each waits before it writes there.
// CHECK-LABEL: func.func @same_bytes
// CHECK: %[[ALL:.*]] = memref.alloc() {alignment = 16 : i64} : memref<32768xi8, #gpu.address_space<workgroup>>
// CHECK-NOT: memref.alloc
// CHECK: run_thread
// CHECK: pcf.barrier
// CHECK-NEXT: %[[BEGIN:.*]] = arith.constant 0
// CHECK-NEXT: memref.view %[[ALL]][%[[BEGIN]]]
// CHECK: run_thread
// CHECK: pcf.barrier
// CHECK-NEXT: %[[AGAIN:.*]] = arith.constant 0
// CHECK-NEXT: memref.view %[[ALL]][%[[AGAIN]]]
func.func @same_bytes(%in: !pcf.sref<64x128xf32, #sg>, %small: !pcf.sref<32x64xf32, #sg>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %small[0, 0] [32, 64] [1, 1] : !pcf.sref<32x64xf32, #sg> to vector<32x64xf32>
      %r = iree_vector_ext.to_layout %x to layout(#few) : vector<32x64xf32>
      %c = iree_vector_ext.to_layout %r to layout(#fewer) {shared_memory_conversion} : vector<32x64xf32>
      pcf.write_slice %c into %small[0, 0] [32, 64] [1, 1] : vector<32x64xf32> into !pcf.sref<32x64xf32, #sg>
      pcf.cluster_yield
    } : (!TG)
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0, 0] [64, 128] [1, 1] : !pcf.sref<64x128xf32, #sg> to vector<64x128xf32>
      %r = iree_vector_ext.to_layout %x to layout(#rows) : vector<64x128xf32>
      %c = iree_vector_ext.to_layout %r to layout(#columns) {shared_memory_conversion} : vector<64x128xf32>
      pcf.write_slice %c into %in[0, 0] [64, 128] [1, 1] : vector<64x128xf32> into !pcf.sref<64x128xf32, #sg>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 64>
#rows = #iree_vector_ext.nested_layout<subgroup_tile = [4, 1], batch_tile = [4, 2], outer_tile = [1, 1], thread_tile = [4, 16], element_tile = [4, 4], subgroup_strides = [1, 0], thread_strides = [16, 1]>
#columns = #iree_vector_ext.nested_layout<subgroup_tile = [1, 4], batch_tile = [16, 2], outer_tile = [1, 1], thread_tile = [4, 16], element_tile = [4, 1], subgroup_strides = [0, 1], thread_strides = [16, 1]>
!TG = !pcf.threadgroup<#sg>

// PCF-134: of 128 KiB, 48 fit at a time, for a quarter of the 64 is left to the
// lanes: 64 rows in each of four rounds, which are one subgroup's.
// CHECK-LABEL: func.func @in_rounds
// CHECK: %[[ALL:.*]] = memref.alloc() {alignment = 16 : i64} : memref<32768xi8, #gpu.address_space<workgroup>>
// CHECK: run_thread
// CHECK-COUNT-4: vector.insert_strided_slice
// CHECK-NOT: vector.insert_strided_slice
func.func @in_rounds(%in: !pcf.sref<256x128xf32, #sg>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0, 0] [256, 128] [1, 1] : !pcf.sref<256x128xf32, #sg> to vector<256x128xf32>
      %r = iree_vector_ext.to_layout %x to layout(#rows) : vector<256x128xf32>
      %c = iree_vector_ext.to_layout %r to layout(#columns) {shared_memory_conversion} : vector<256x128xf32>
      pcf.write_slice %c into %in[0, 0] [256, 128] [1, 1] : vector<256x128xf32> into !pcf.sref<256x128xf32, #sg>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}

// -----

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [256, 1, 1] subgroup_size = 64>
#parts = #iree_vector_ext.nested_layout<subgroup_tile = [4], batch_tile = [32], outer_tile = [1], thread_tile = [64], element_tile = [4], subgroup_strides = [1], thread_strides = [1]>
#copies = #iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [1], outer_tile = [1], thread_tile = [64], element_tile = [512], subgroup_strides = [0], thread_strides = [1]>
!TG = !pcf.threadgroup<#sg>

// PCF-134: lanes have neighbours from all of the vector, so there are no rounds.
func.func @too_many_bytes(%in: !pcf.sref<32768xf32, #sg>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#sg) execute[%tg: !TG] {
    // expected-error @below {{cannot distribute this phase: 'iree_vector_ext.to_layout' op passes 131072 bytes between subgroups, and of the target's workgroup memory those who run it are given 49152 (PCF-134); make the tiles of a workgroup smaller, or lay the data out over one subgroup}}
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %in[0] [32768] [1] : !pcf.sref<32768xf32, #sg> to vector<32768xf32>
      %r = iree_vector_ext.to_layout %x to layout(#parts) : vector<32768xf32>
      %c = iree_vector_ext.to_layout %r to layout(#copies) {shared_memory_conversion} : vector<32768xf32>
      pcf.write_slice %c into %in[0] [32768] [1] : vector<32768xf32> into !pcf.sref<32768xf32, #sg>
      pcf.cluster_yield
    } : (!TG)
    pcf.return
  }
  return
}
