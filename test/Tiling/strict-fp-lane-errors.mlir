// RUN: distaff-opt %s --pass-pipeline="builtin.module(gpu.module(gpu.func(distaff-strict-fp)))" --verify-diagnostics

gpu.module @kernels {
  gpu.func @fragments(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf32>) -> vector<2x2xf32> {
    // expected-error @+1 {{adds floats in an order of its own, that of #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>; strict-fp keeps the order of the source}}
    %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} : vector<4x2xf16>, vector<2x2xf16> into vector<2x2xf32>
    gpu.return %0 : vector<2x2xf32>
  }
}
