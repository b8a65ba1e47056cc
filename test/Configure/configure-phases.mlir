// RUN: distaff-opt %s --distaff-configure-phases=target=sm_80 | FileCheck %s

// Products in phases get an instruction and a box of subgroups (PCF-101).

#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
!T = !pcf.threadgroup<#sg, {tensor<64x64xf32>}>
!C = !pcf.cluster<#sg, (d0 -> s0), ws.b>
!A = !pcf.sref<64x32xf16, #sg>
!B = !pcf.sref<32x64xf16, #sg>
!O = !pcf.sref<64x64xf32, sync(#sg)>

// Four subgroups, four boxes.
// CHECK-DAG: #[[FOUR:.*]] = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, subgroup = [32, 32, 0]}>
// CHECK-DAG: #[[OWN:.*]] = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, subgroup = [16, 64, 0]}>
// CHECK-LABEL: @all_subgroups
// CHECK: linalg.matmul {lowering_config = #[[FOUR]]}
func.func @all_subgroups(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32>
    attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#sg) execute(%A <- %a : tensor<64x32xf16>, %B <- %b : tensor<32x64xf16>, %O = %c)[%tg: !pcf.threadgroup<#sg>]
      : (!A, !B, !O) -> (tensor<64x64xf32>) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %A[0, 0] [64, 32] [1, 1] : !A to tensor<64x32xf16>
      %y = pcf.read_slice %B[0, 0] [32, 64] [1, 1] : !B to tensor<32x64xf16>
      %z = arith.constant dense<0.0> : tensor<64x64xf32>
      %m = linalg.matmul ins(%x, %y : tensor<64x32xf16>, tensor<32x64xf16>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
      pcf.write_slice %m into %O[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !O
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg>)
    pcf.return
  }
  return %r : tensor<64x64xf32>
}

// What is asked for stays, and the rest agrees with it.
// CHECK-LABEL: @own_box
// CHECK: linalg.matmul {lowering_config = #[[OWN]]}
func.func @own_box(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32>
    attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#sg) execute(%A <- %a : tensor<64x32xf16>, %B <- %b : tensor<32x64xf16>, %O = %c)[%tg: !pcf.threadgroup<#sg>]
      : (!A, !B, !O) -> (tensor<64x64xf32>) {
    pcf.shared_executor.run_cluster(%tg)[] () {
      %x = pcf.read_slice %A[0, 0] [64, 32] [1, 1] : !A to tensor<64x32xf16>
      %y = pcf.read_slice %B[0, 0] [32, 64] [1, 1] : !B to tensor<32x64xf16>
      %z = arith.constant dense<0.0> : tensor<64x64xf32>
      %m = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{subgroup = [16, 64, 0]}>}
          ins(%x, %y : tensor<64x32xf16>, tensor<32x64xf16>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
      pcf.write_slice %m into %O[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !O
      pcf.cluster_yield
    } : (!pcf.threadgroup<#sg>)
    pcf.return
  }
  return %r : tensor<64x64xf32>
}

// Only the launch knows how many subgroups there are: a box fits into the
// registers of one, however many they are.
// CHECK-LABEL: @cluster_of_any_size
// CHECK: linalg.matmul {lowering_config = #{{.*}}}
func.func @cluster_of_any_size(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>, %p: index) -> tensor<64x64xf32>
    attributes {translation_info = #launch} {
  %r = pcf.shared_executor scope(#sg) execute(%A <- %a : tensor<64x32xf16>, %B <- %b : tensor<32x64xf16>, %O = %c)[%tg: !pcf.threadgroup<#sg>]
      : (!A, !B, !O) -> (tensor<64x64xf32>) {
    pcf.shared_executor.tile_group %tg ns(ws) split [[%p]] (%first: !pcf.cluster<#sg, (0 -> d0), ws.a>, %rest: !C) {
      pcf.shared_executor.run_cluster(%rest)[%p] () {
        %x = pcf.read_slice %A[0, 0] [64, 32] [1, 1] : !A to tensor<64x32xf16>
        %y = pcf.read_slice %B[0, 0] [32, 64] [1, 1] : !B to tensor<32x64xf16>
        %z = arith.constant dense<0.0> : tensor<64x64xf32>
        %m = linalg.matmul ins(%x, %y : tensor<64x32xf16>, tensor<32x64xf16>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
        pcf.write_slice %m into %O[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into !O
        pcf.cluster_yield
      } : (!C)
      pcf.return
    } : !pcf.threadgroup<#sg>
    pcf.return
  }
  return %r : tensor<64x64xf32>
}
