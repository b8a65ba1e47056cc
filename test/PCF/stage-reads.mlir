// RUN: distaff-opt %s --distaff-stage-reads=target=sm_80 | FileCheck %s
// RUN: distaff-opt %s '--distaff-stage-reads=target=sm_80 all' | FileCheck %s --check-prefix=ALL

// A read that is converted through shared memory goes through a panel, as it lies in memory; of others,
// those of loops, where all are asked for (PCF-131).
#sg = #iree_gpu.subgroup_scope
#a = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [4, 8], element_tile = [2, 2], subgroup_strides = [0, 0], thread_strides = [8, 1]>
#b = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 4], subgroup_strides = [0, 0], thread_strides = [4, 1]>
#turned = affine_map<(i, j) -> (j, i)>
// CHECK-LABEL: func.func @promoted
// CHECK: pcf.shared_executor {{.*}} initialize
// CHECK: pcf.alloc() : {{.*}}16x8xf16
// CHECK-NOT: pcf.alloc
// CHECK: scf.for %[[I:.*]] =
// CHECK: run_cluster(%{{.*}})[] ()
// CHECK: %[[READ:.*]] = vector.transfer_read %{{.*}}[%[[I]], %c0], %{{.*}} {in_bounds = [true, true]} : memref<64x8xf16>, vector<16x8xf16>
// CHECK: pcf.write_slice %[[READ]] into %[[PANEL:.*]][0, 0] [16, 8] [1, 1]
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[PANEL]])
// CHECK: run_cluster(%{{.*}})[] ()
// CHECK: %[[SLICE:.*]] = pcf.read_slice %[[PANEL]][0, 0] [16, 8] [1, 1]
// CHECK: %[[TURNED:.*]] = vector.transpose %[[SLICE]], [1, 0]
// CHECK: vector.transfer_read %arg1
// CHECK: iree_vector_ext.to_layout %[[TURNED]]
// CHECK-NOT: shared_memory_conversion
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[PANEL]])
// ALL-LABEL: func.func @promoted
// ALL: pcf.alloc
// ALL: pcf.alloc
// ALL: run_cluster
// ALL: vector.transfer_read
// ALL: vector.transfer_read
// ALL: run_cluster
// ALL-NOT: vector.transfer_read
// ALL: return
func.func @promoted(%in: memref<64x8xf16>, %other: memref<8x16xf16>, %out: memref<8x16xf16>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %z = arith.constant 0.0 : f16
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    scf.for %i = %c0 to %c64 step %c16 {
      pcf.shared_executor.run_cluster(%tg)[] () {
        %x = vector.transfer_read %in[%i, %c0], %z {in_bounds = [true, true], permutation_map = #turned} : memref<64x8xf16>, vector<8x16xf16>
        %y = vector.transfer_read %other[%c0, %c0], %z {in_bounds = [true, true]} : memref<8x16xf16>, vector<8x16xf16>
        %p = iree_vector_ext.to_layout %x to layout(#a) : vector<8x16xf16>
        %q = iree_vector_ext.to_layout %p to layout(#b) {shared_memory_conversion} : vector<8x16xf16>
        %s = arith.addf %q, %y : vector<8x16xf16>
        vector.transfer_write %s, %out[%c0, %c0] {in_bounds = [true, true]} : vector<8x16xf16>, memref<8x16xf16>
        pcf.cluster_yield
      } : (!pcf.threadgroup<#sg>)
    }
    pcf.return
  }
  return
}

// PCF-135: the second phase has the panel of the first, whose readers are waited for.
// CHECK-LABEL: func.func @one_after_the_other
// CHECK: pcf.alloc() : {{.*}}16x8xf16
// CHECK-NOT: pcf.alloc
// CHECK: pcf.write_slice %{{.*}} into %[[PANEL:.*]][0, 0] [16, 8] [1, 1]
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[PANEL]])
// CHECK: pcf.read_slice %[[PANEL]]
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[PANEL]])
// CHECK: pcf.write_slice %{{.*}} into %[[PANEL]][0, 0] [16, 8] [1, 1]
// CHECK: pcf.barrier(#iree_gpu.subgroup_scope) fence(%[[PANEL]])
// CHECK: pcf.read_slice %[[PANEL]]
// CHECK-NOT: pcf.barrier
// CHECK: return
func.func @one_after_the_other(%in: memref<64x8xf16>, %out: memref<16x16xf16>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %z = arith.constant 0.0 : f16
  pcf.shared_executor scope(#sg) execute[%tg: !pcf.threadgroup<#sg>] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = vector.transfer_read %in[%c0, %c0], %z {in_bounds = [true, true], permutation_map = #turned} : memref<64x8xf16>, vector<8x16xf16>
      %p = iree_vector_ext.to_layout %x to layout(#a) : vector<8x16xf16>
      %q = iree_vector_ext.to_layout %p to layout(#b) {shared_memory_conversion} : vector<8x16xf16>
      vector.transfer_write %q, %out[%c0, %c0] {in_bounds = [true, true]} : vector<8x16xf16>, memref<16x16xf16>
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg>)
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = vector.transfer_read %in[%c16, %c0], %z {in_bounds = [true, true], permutation_map = #turned} : memref<64x8xf16>, vector<8x16xf16>
      %p = iree_vector_ext.to_layout %x to layout(#a) : vector<8x16xf16>
      %q = iree_vector_ext.to_layout %p to layout(#b) {shared_memory_conversion} : vector<8x16xf16>
      vector.transfer_write %q, %out[%c8, %c0] {in_bounds = [true, true]} : vector<8x16xf16>, memref<16x16xf16>
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg>)
    pcf.return
  }
  return
}
