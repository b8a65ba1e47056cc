// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 | FileCheck %s

// What a user wrote stays, and the rest is chosen to agree with it (VX-113).

#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
#config = #iree_gpu.lowering_config<{workgroup = [128, 128, 0], reduction = [0, 0, 32],
  subgroup_basis = [[2, 2, 1], [0, 1, 2]], mma_kind = #mma, promote_operands = [0, 1]}>
#launch = #iree_codegen.translation_info<workgroup_size = [96, 1, 1]>

// CHECK-DAG: #[[CONFIG:.*]] = #iree_gpu.lowering_config<{{.*}}reduction = [0, 0, 32], {{.*}}workgroup = [128, 128, 0]
// CHECK-DAG: #[[PART:.*]] = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>, {{.*}}reduction = [0, 0, {{[1-9].*}}], subgroup_basis = {{.*}}, workgroup = [64, 0, 0]}>
// CHECK-DAG: #[[BEYOND:.*]] = #iree_gpu.lowering_config<{mma_kind = {{.*}}reduction = [0, 0, 512], {{.*}}workgroup = [512, 32, 0]}>
// CHECK-DAG: #[[FOUR:.*]] = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
// CHECK-DAG: #[[THREE:.*]] = #iree_codegen.translation_info<workgroup_size = [96, 1, 1] subgroup_size = 32>

// CHECK:     func.func @subgroups_follow_the_users_basis
// CHECK-SAME: translation_info = #[[FOUR]]
// CHECK:     linalg.matmul {lowering_config = #[[CONFIG]]}
func.func @subgroups_follow_the_users_basis(%a: tensor<512x256xf16>, %b: tensor<256x384xf16>) -> tensor<512x384xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x384xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<512x384xf32>) -> tensor<512x384xf32>
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<512x256xf16>, tensor<256x384xf16>) outs(%c : tensor<512x384xf32>) -> tensor<512x384xf32>
  return %d : tensor<512x384xf32>
}

// CHECK:     func.func @tiles_follow_the_users_workgroup
// CHECK-SAME: translation_info = #[[THREE]]
// CHECK:     lowering_config
func.func @tiles_follow_the_users_workgroup(%a: tensor<96x64xf32>) -> tensor<96x64xf32> attributes {translation_info = #launch} {
  %r = math.exp %a : tensor<96x64xf32>
  return %r : tensor<96x64xf32>
}

#instruction = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x8_F16>, workgroup = [64, 0, 0]}>

// Whatever the user left open is chosen.
// CHECK:     func.func @the_rest_is_chosen
// CHECK:     linalg.matmul {lowering_config = #[[PART]]}
func.func @the_rest_is_chosen(%a: tensor<512x256xf16>, %b: tensor<256x64xf16>) -> tensor<512x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x64xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<512x64xf32>) -> tensor<512x64xf32>
  %d = linalg.matmul {lowering_config = #instruction} ins(%a, %b : tensor<512x256xf16>, tensor<256x64xf16>) outs(%c : tensor<512x64xf32>) -> tensor<512x64xf32>
  return %d : tensor<512x64xf32>
}

// Tiles beyond an extent are the extent: one step along k, two tiles along n.
// CHECK-LABEL: func.func @tiles_beyond_the_extents
// CHECK: linalg.matmul {lowering_config = #[[BEYOND]]}
func.func @tiles_beyond_the_extents(%a: tensor<64x128xf16>, %b: tensor<128x64xf16>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %c = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{workgroup = [512, 32, 0], reduction = [0, 0, 512]}>} ins(%a, %b : tensor<64x128xf16>, tensor<128x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
