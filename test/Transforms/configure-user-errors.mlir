// RUN: distaff-opt %s --distaff-configure=target=sm_80 --split-input-file --verify-diagnostics

// What a user asks for in vain is refused by its key (VX-113).

func.func @instruction_of_another_target(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{'linalg.matmul' op asks for `mma_kind` MFMA_F32_16x16x16_F16, which sm_80 does not have}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @instruction_for_other_elements(%a: tensor<128x64xf32>, %b: tensor<64x32xf32>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{asks for `mma_kind` NV_MMA_SYNC_F32_16x8x16_F16, which does not fit its element types, or no tile that may be chosen}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>} ins(%a, %b : tensor<128x64xf32>, tensor<64x32xf32>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @tile_smaller_than_the_instruction(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{asks for `mma_kind` NV_MMA_SYNC_F32_16x8x16_F16, which does not fit}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, workgroup = [8, 8, 0]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @result_in_shared_memory(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{asks for operand 2 in shared memory; `promote_operands` are 0 or 1}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{promote_operands = [2]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @more_tiles_than_loops(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{has 4 `workgroup` tiles for 3 loops}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{workgroup = [32, 32, 0, 7]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @workgroup_tile_of_k(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{workgroup tile 16 of extent 64 lies along a dimension that an op of the kernel reduces or lacks}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{workgroup = [32, 32, 16]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @tile_does_not_divide(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{workgroup tile 48 does not divide the extent 128}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{workgroup = [48, 32, 0]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @step_does_not_divide(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{reduction tile 48 does not divide the extent 64}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{reduction = [0, 0, 48]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @too_many_subgroups(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{asks by `subgroup_basis` for workgroups of 2048 lanes; sm_80 has up to 1024}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[8, 8, 1], [0, 1, 2]]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @basis_against_workgroup_size(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1]>} {
  // expected-error @+1 {{asks by `subgroup_basis` for 128 lanes, its function's `workgroup_size` for 64}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[2, 2, 1], [0, 1, 2]]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @lanes_per_dimension(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{asks for `thread`, which is not supported; subgroups are split by `subgroup_basis`}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{thread = [1, 1, 0]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @instruction_for_a_sum(%x: tensor<64x512xf32>, %s: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{'linalg.reduce' op asks for `mma_kind`, which only contractions have}}
  %r = linalg.reduce { arith.addf } ins(%x : tensor<64x512xf32>) outs(%s : tensor<64xf32>) dimensions = [1] {lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>}
  return %r : tensor<64xf32>
}

// -----

func.func @subgroups_of_a_sum(%x: tensor<64x512xf32>, %s: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{asks for `subgroup_basis`, which only contractions have}}
  %r = linalg.reduce { arith.addf } ins(%x : tensor<64x512xf32>) outs(%s : tensor<64xf32>) dimensions = [1] {lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[1, 4], [0, 1]]}>}
  return %r : tensor<64xf32>
}

// -----

#first = #iree_gpu.lowering_config<{workgroup = [64, 32, 0]}>
#second = #iree_gpu.lowering_config<{reduction = [0, 0, 16]}>

func.func @two_ops_with_tiles(%a: tensor<64x32xf16>, %b: tensor<32x32xf16>, %c: tensor<64x32xf16>) -> tensor<64x32xf16> {
  // expected-note @+1 {{the kernel is tiled by those of this op}}
  %d = linalg.matmul {lowering_config = #first} ins(%a, %b : tensor<64x32xf16>, tensor<32x32xf16>) outs(%c : tensor<64x32xf16>) -> tensor<64x32xf16>
  // expected-error @+1 {{has `reduction` tiles of its own}}
  %e = linalg.matmul {lowering_config = #second} ins(%d, %b : tensor<64x32xf16>, tensor<32x32xf16>) outs(%c : tensor<64x32xf16>) -> tensor<64x32xf16>
  return %e : tensor<64x32xf16>
}
