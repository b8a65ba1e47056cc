// RUN: distaff explain %s --target sm_80 | FileCheck %s

// A user's tiles beyond the extents are the extents, also where they are judged:
// one workgroup of one step, not none (VX-113).

// CHECK: tile sizes (line {{[0-9]+}}): tile 64x64x128, {{.*}} 1 workgroups (cost {{[1-9][0-9]*}}) over

#config = #iree_gpu.lowering_config<{workgroup = [4096, 4096, 0], reduction = [0, 0, 4096], mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
func.func @k(%a: tensor<64x128xf16>, %b: tensor<128x64xf16>) -> tensor<64x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %c = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<64x128xf16>, tensor<128x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
