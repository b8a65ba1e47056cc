// RUN: distaff-opt %s --distaff-form-launches="target=sm_80 strict-fp" --distaff-configure="target=sm_80 strict-fp" --distaff-tile="target=sm_80 strict-fp" --split-input-file --verify-diagnostics

func.func @instruction(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{asks for `mma_kind` NV_MMA_SYNC_F32_16x8x16_F16, which adds floats in an order of its own; strict-fp keeps the order of the source}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @anchor(%x: memref<16x16xf16>, %z: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %raw = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %acc = vector.transfer_read %z[%c0, %c0], %q {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  // expected-error @+1 {{has the mma_kind NV_MMA_SYNC_F32_16x8x16_F16, which adds floats in an order of its own}}
  %a = iree_vector_ext.to_layout %raw to layout(#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [2, 2], thread_tile = [8, 4], element_tile = [1, 2], subgroup_strides = [0, 0], thread_strides = [4, 1]>) {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} : vector<16x16xf16>
  %d = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]} %a, %a, %acc : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %z[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// -----

// All of the first loop for each step of the second is not the order written.
func.func @order_of_tiles(%x: tensor<8x64xf32>, %s: tensor<f32>) -> tensor<f32> {
  // expected-error @+1 {{would take its floats in another order than written, which strict-fp forbids; give `reduction` tiles of 1 to all loops before the tiled one}}
  %r = linalg.reduce { arith.addf } ins(%x : tensor<8x64xf32>) outs(%s : tensor<f32>) dimensions = [0, 1] {lowering_config = #iree_gpu.lowering_config<{reduction = [0, 16]}>}
  return %r : tensor<f32>
}

// -----

func.func @row_by_row(%x: tensor<8x64xf32>, %s: tensor<f32>) -> tensor<f32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<8x64xf32>) outs(%s : tensor<f32>) dimensions = [0, 1] {lowering_config = #iree_gpu.lowering_config<{reduction = [1, 16]}>}
  return %r : tensor<f32>
}

// -----

func.func @maxima_have_no_order(%x: tensor<8x64xf32>, %s: tensor<f32>) -> tensor<f32> {
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<8x64xf32>) outs(%s : tensor<f32>) dimensions = [0, 1] {lowering_config = #iree_gpu.lowering_config<{reduction = [0, 16]}>}
  return %r : tensor<f32>
}
