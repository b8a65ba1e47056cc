// RUN: distaff-opt %s -verify-diagnostics -split-input-file -pcf-distribute

// An MMA that a configuration names is a demand: what does not fit is refused,
// not computed otherwise.

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#mma = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
func.func @rows(%a: !pcf.sref<24x16xf16, #ln>, %b: !pcf.sref<16x8xf16, #ln>, %c: !pcf.sref<24x8xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !pcf.threadgroup<#ln>] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %a[0, 0] [24, 16] [1, 1] : !pcf.sref<24x16xf16, #ln> to tensor<24x16xf16>
      %y = pcf.read_slice %b[0, 0] [16, 8] [1, 1] : !pcf.sref<16x8xf16, #ln> to tensor<16x8xf16>
      %z = pcf.read_slice %c[0, 0] [24, 8] [1, 1] : !pcf.sref<24x8xf32, #ln> to tensor<24x8xf32>
      // expected-error @+1 {{cannot distribute this phase: linalg.matmul has an extent of 24 along m, which is no multiple of the 16 of NV_MMA_SYNC_F32_16x8x16_F16; pad it by tensor.pad, or give the product no mma_kind}}
      %p = linalg.matmul {lowering_config = #mma} ins(%x, %y : tensor<24x16xf16>, tensor<16x8xf16>) outs(%z : tensor<24x8xf32>) -> tensor<24x8xf32>
      pcf.write_slice %p into %c[0, 0] [24, 8] [1, 1] : tensor<24x8xf32> into !pcf.sref<24x8xf32, #ln>
      pcf.cluster_yield
    } : (!pcf.threadgroup<#ln>)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#mma = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
func.func @types(%A: !pcf.sref<16x16xf32, #ln>, %B: !pcf.sref<16x8xf16, #ln>, %C: !pcf.sref<16x8xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !pcf.threadgroup<#ln>] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %A[0, 0] [16, 16] [1, 1] : !pcf.sref<16x16xf32, #ln> to tensor<16x16xf32>
      %y = pcf.read_slice %B[0, 0] [16, 8] [1, 1] : !pcf.sref<16x8xf16, #ln> to tensor<16x8xf16>
      %z = pcf.read_slice %C[0, 0] [16, 8] [1, 1] : !pcf.sref<16x8xf32, #ln> to tensor<16x8xf32>
      // expected-error @+1 {{cannot distribute this phase: NV_MMA_SYNC_F32_16x8x16_F16 multiplies f16 and f16 and adds to f32; linalg.matmul has f32, f16 and f32}}
      %p = linalg.matmul {lowering_config = #mma} ins(%x, %y : tensor<16x16xf32>, tensor<16x8xf16>) outs(%z : tensor<16x8xf32>) -> tensor<16x8xf32>
      pcf.write_slice %p into %C[0, 0] [16, 8] [1, 1] : tensor<16x8xf32> into !pcf.sref<16x8xf32, #ln>
      pcf.cluster_yield
    } : (!pcf.threadgroup<#ln>)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
#mma = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
func.func @lanes(%a: !pcf.sref<16x16xf16, #ln>, %b: !pcf.sref<16x8xf16, #ln>, %c: !pcf.sref<16x8xf32, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !pcf.threadgroup<#ln>] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %a[0, 0] [16, 16] [1, 1] : !pcf.sref<16x16xf16, #ln> to tensor<16x16xf16>
      %y = pcf.read_slice %b[0, 0] [16, 8] [1, 1] : !pcf.sref<16x8xf16, #ln> to tensor<16x8xf16>
      %z = pcf.read_slice %c[0, 0] [16, 8] [1, 1] : !pcf.sref<16x8xf32, #ln> to tensor<16x8xf32>
      // expected-error @+1 {{cannot distribute this phase: NV_MMA_SYNC_F32_16x8x16_F16 needs subgroups of 32 lanes, and here 64 take part}}
      %p = linalg.matmul {lowering_config = #mma} ins(%x, %y : tensor<16x16xf16>, tensor<16x8xf16>) outs(%z : tensor<16x8xf32>) -> tensor<16x8xf32>
      pcf.write_slice %p into %c[0, 0] [16, 8] [1, 1] : tensor<16x8xf32> into !pcf.sref<16x8xf32, #ln>
      pcf.cluster_yield
    } : (!pcf.threadgroup<#ln>)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#mma = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
func.func @unknown_lanes(%a: !pcf.sref<16x16xf16, #ln>, %b: !pcf.sref<16x8xf16, #ln>, %c: !pcf.sref<16x8xf32, #ln>) {
  pcf.shared_executor scope(#ln) execute[%tg: !pcf.threadgroup<#ln>] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %a[0, 0] [16, 16] [1, 1] : !pcf.sref<16x16xf16, #ln> to tensor<16x16xf16>
      %y = pcf.read_slice %b[0, 0] [16, 8] [1, 1] : !pcf.sref<16x8xf16, #ln> to tensor<16x8xf16>
      %z = pcf.read_slice %c[0, 0] [16, 8] [1, 1] : !pcf.sref<16x8xf32, #ln> to tensor<16x8xf32>
      // expected-error @+1 {{NV_MMA_SYNC_F32_16x8x16_F16 needs subgroups of 32 lanes, and here it is not known how many take part}}
      %p = linalg.matmul {lowering_config = #mma} ins(%x, %y : tensor<16x16xf16>, tensor<16x8xf16>) outs(%z : tensor<16x8xf32>) -> tensor<16x8xf32>
      pcf.write_slice %p into %c[0, 0] [16, 8] [1, 1] : tensor<16x8xf32> into !pcf.sref<16x8xf32, #ln>
      pcf.cluster_yield
    } : (!pcf.threadgroup<#ln>)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#mma = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
func.func @dynamic(%a: !pcf.sref<16x?xf16, #ln>, %b: !pcf.sref<?x8xf16, #ln>, %c: !pcf.sref<16x8xf32, #ln>, %k: index) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !pcf.threadgroup<#ln>] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %a[0, 0] [16, %k] [1, 1] : !pcf.sref<16x?xf16, #ln> to tensor<16x?xf16>
      %y = pcf.read_slice %b[0, 0] [%k, 8] [1, 1] : !pcf.sref<?x8xf16, #ln> to tensor<?x8xf16>
      %z = pcf.read_slice %c[0, 0] [16, 8] [1, 1] : !pcf.sref<16x8xf32, #ln> to tensor<16x8xf32>
      // expected-error @+1 {{cannot distribute this phase: linalg.matmul has an extent that is dynamic or 0, and fragments are registers}}
      %p = linalg.matmul {lowering_config = #mma} ins(%x, %y : tensor<16x?xf16>, tensor<?x8xf16>) outs(%z : tensor<16x8xf32>) -> tensor<16x8xf32>
      pcf.write_slice %p into %c[0, 0] [16, 8] [1, 1] : tensor<16x8xf32> into !pcf.sref<16x8xf32, #ln>
      pcf.cluster_yield
    } : (!pcf.threadgroup<#ln>)
    pcf.return
  }
  return
}

// -----

#ln = #iree_gpu.lane_scope
#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>
#mma = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F16_16x8x16_F16>}>
// The result of one product is, in a lane, not where the next has its operand:
// columns in eights there, in sixteens here.
func.func @chained(%a: !pcf.sref<16x16xf16, #ln>, %c: !pcf.sref<16x16xf16, #ln>) attributes {translation_info = #launch} {
  pcf.shared_executor scope(#ln) execute[%tg: !pcf.threadgroup<#ln>] {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %a[0, 0] [16, 16] [1, 1] : !pcf.sref<16x16xf16, #ln> to tensor<16x16xf16>
      %y = pcf.read_slice %c[0, 0] [16, 16] [1, 1] : !pcf.sref<16x16xf16, #ln> to tensor<16x16xf16>
      %z = pcf.read_slice %c[0, 0] [16, 16] [1, 1] : !pcf.sref<16x16xf16, #ln> to tensor<16x16xf16>
      %p = linalg.matmul {lowering_config = #mma} ins(%x, %y : tensor<16x16xf16>, tensor<16x16xf16>) outs(%z : tensor<16x16xf16>) -> tensor<16x16xf16>
      %w = pcf.read_slice %c[0, 0] [16, 16] [1, 1] : !pcf.sref<16x16xf16, #ln> to tensor<16x16xf16>
      %v = pcf.read_slice %c[0, 0] [16, 16] [1, 1] : !pcf.sref<16x16xf16, #ln> to tensor<16x16xf16>
      // expected-error @+1 {{cannot distribute this phase: a tensor is needed as}}
      %q = linalg.matmul {lowering_config = #mma} ins(%p, %w : tensor<16x16xf16>, tensor<16x16xf16>) outs(%v : tensor<16x16xf16>) -> tensor<16x16xf16>
      pcf.write_slice %q into %c[0, 0] [16, 16] [1, 1] : tensor<16x16xf16> into !pcf.sref<16x16xf16, #ln>
      pcf.cluster_yield
    } : (!pcf.threadgroup<#ln>)
    pcf.return
  }
  return
}
