// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 --split-input-file --verify-diagnostics

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
  // expected-error @+1 {{asks for `thread`, which is not supported; subgroups are split by `subgroup_basis`, lanes by the layouts that follow from `mma_kind` and memory}}
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
  // expected-error @+1 {{asks for `subgroup_basis`, which without `thread` or `lane_basis` only contractions have}}
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

// -----

func.func @partial_reduction(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{asks for `partial_reduction`, which is not supported; a loop over partial results is chosen by `reduction`, which keeps one accumulator per result}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{partial_reduction = [0, 0, 32]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @fewer_tiles_than_loops(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{has 2 `workgroup` tiles for 3 loops; 0 is for a loop that is not tiled}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{workgroup = [32, 32]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @no_tiles(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{has 0 `reduction` tiles for 3 loops}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{reduction = []}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @basis_of_two_loops(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{has a `subgroup_basis` with 2 positions for 3 loops}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[2, 2], [0, 1]]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @basis_shared(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{has a `subgroup_basis` in which two loops share position 0}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[2, 1], [0, 0, 1]]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @basis_without_loop(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{has a `subgroup_basis` in which no loop has the 2 subgroups at position 3}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[1, 1, 1, 2], [0, 1, 2]]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @basis_of_k(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{asks for `subgroup_basis`, which splits the tiles of MMA instructions over subgroups, and no instruction fits}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[1, 1, 3], [0, 1, 2]]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @operand_twice(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{names operand 1 twice in `promote_operands`}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{promote_operands = [1, 0, 1]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @config_is_a_dictionary(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{has a `lowering_config` that is no #iree_gpu.lowering_config: {workgroup = [32, 32, 0]}}}
  %d = linalg.matmul {lowering_config = {workgroup = [32, 32, 0]}} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

// A config on an op that nobody tiles.
func.func @config_on_a_function(%a: tensor<64xf32>) -> tensor<64xf32> attributes {info = 1} {
  // expected-error @+1 {{'math.exp' op has a `lowering_config`, which nothing reads: it belongs on linalg ops and on vector.contract}}
  %d = math.exp %a {lowering_config = #iree_gpu.lowering_config<{workgroup = [32]}>} : tensor<64xf32>
  return %d : tensor<64xf32>
}

// -----

// expected-error @+1 {{'func.func' op has a `lowering_config`, of its own or by --config, and no tensors that could be tiled; on vectors it belongs on each vector.contract}}
func.func @config_of_vectors(%a: vector<64xf32>) -> vector<64xf32> attributes {lowering_config = #iree_gpu.lowering_config<{workgroup = [32]}>} {
  %d = math.exp %a : vector<64xf32>
  return %d : vector<64xf32>
}

// -----

// expected-error @+1 {{has the unknown option `stages` in its translation_info; no options are known}}
func.func @options(%a: tensor<64xf32>) -> tensor<64xf32> attributes {translation_info = #iree_codegen.translation_info<{stages = 4 : i64}>} {
  %d = math.exp %a : tensor<64xf32>
  return %d : tensor<64xf32>
}

// -----

// expected-error @+1 {{has a `translation_info` that is no #iree_codegen.translation_info: {workgroup_size = [64, 1, 1]}}}
func.func @info_is_a_dictionary(%a: tensor<64xf32>) -> tensor<64xf32> attributes {translation_info = {workgroup_size = [64, 1, 1]}} {
  %d = math.exp %a : tensor<64xf32>
  return %d : tensor<64xf32>
}

// -----

#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
#row = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 1], element_tile = [1, 16], subgroup_strides = [0, 0], thread_strides = [1, 0]>
func.func @tiles_on_vectors(%x: memref<16x16xf16>, %z: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %raw = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %acc = vector.transfer_read %z[%c0, %c0], %q {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %a = arith.negf %raw : vector<16x16xf16>
  // expected-error @+1 {{has `workgroup` tiles; on vectors the author has written the loops, only linalg ops are tiled}}
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"], lowering_config = #iree_gpu.lowering_config<{workgroup = [16, 16, 0]}>} %a, %a, %acc : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %z[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// -----

#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
#row = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 1], element_tile = [1, 16], subgroup_strides = [0, 0], thread_strides = [1, 0]>
func.func @foreign_instruction_on_vectors(%x: memref<16x16xf16>, %z: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %raw = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %acc = vector.transfer_read %z[%c0, %c0], %q {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %a = arith.negf %raw : vector<16x16xf16>
  // expected-error @+1 {{asks for `mma_kind` MFMA_F32_16x16x16_F16, which sm_80 does not have}}
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"], lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>}>} %a, %a, %acc : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %z[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// -----

#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
#row = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 1], element_tile = [1, 16], subgroup_strides = [0, 0], thread_strides = [1, 0]>
func.func @wrong_instruction_on_vectors(%x: memref<16x16xf16>, %z: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %raw = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %acc = vector.transfer_read %z[%c0, %c0], %q {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %a = arith.negf %raw : vector<16x16xf16>
  // expected-error @+1 {{asks by its `lowering_config` for what does not fit: no instruction with that `mma_kind` and `subgroup_basis` divides its extents}}
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"], lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_BF16>}>} %a, %a, %acc : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %z[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// -----

#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
#row = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 1], element_tile = [1, 16], subgroup_strides = [0, 0], thread_strides = [1, 0]>
func.func @too_many_subgroups_on_vectors(%x: memref<16x16xf16>, %z: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %raw = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %acc = vector.transfer_read %z[%c0, %c0], %q {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %a = arith.negf %raw : vector<16x16xf16>
  // expected-error @+1 {{asks by its `lowering_config` for what does not fit}}
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"], lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[4, 1, 1], [0, 1, 2]]}>} %a, %a, %acc : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %z[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// -----

#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
#row = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 1], element_tile = [1, 16], subgroup_strides = [0, 0], thread_strides = [1, 0]>
func.func @positions_on_vectors(%x: memref<16x16xf16>, %z: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %raw = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %acc = vector.transfer_read %z[%c0, %c0], %q {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %a = arith.negf %raw : vector<16x16xf16>
  // expected-error @+1 {{has a `subgroup_basis` with 2 positions for 3 loops}}
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"], lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[1, 1], [0, 1]]}>} %a, %a, %acc : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %z[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// -----

#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
#row = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 1], element_tile = [1, 16], subgroup_strides = [0, 0], thread_strides = [1, 0]>
func.func @partial_on_vectors(%x: memref<16x16xf16>, %z: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %raw = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %acc = vector.transfer_read %z[%c0, %c0], %q {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %a = arith.negf %raw : vector<16x16xf16>
  // expected-error @+1 {{asks for `partial_reduction`, which is not supported}}
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"], lowering_config = #iree_gpu.lowering_config<{partial_reduction = [0, 0, 4]}>} %a, %a, %acc : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %z[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// -----

#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
#row = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 1], element_tile = [1, 16], subgroup_strides = [0, 0], thread_strides = [1, 0]>
func.func @anchors_and_config(%x: memref<16x16xf16>, %z: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %raw = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %acc = vector.transfer_read %z[%c0, %c0], %q {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  %a = iree_vector_ext.to_layout %raw to layout(#row) : vector<16x16xf16>
  // expected-error @+1 {{has a `lowering_config` and operands with layouts of their own; name the instruction on the to_layout ops, or leave the layouts out}}
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"], lowering_config = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>} %a, %a, %acc : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %z[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// -----

#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
#row = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 1], element_tile = [1, 16], subgroup_strides = [0, 0], thread_strides = [1, 0]>
func.func @config_on_an_anchor(%x: memref<16x16xf16>, %z: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %raw = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %acc = vector.transfer_read %z[%c0, %c0], %q {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  // expected-error @+1 {{has a `lowering_config`, which nothing reads}}
  %a = iree_vector_ext.to_layout %raw to layout(#row) {lowering_config = #iree_gpu.lowering_config<{}>} : vector<16x16xf16>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"]} %a, %a, %acc : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %z[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// -----

#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
#row = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 1], element_tile = [1, 16], subgroup_strides = [0, 0], thread_strides = [1, 0]>
func.func @unknown_conversion(%x: memref<16x16xf16>, %z: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %raw = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %acc = vector.transfer_read %z[%c0, %c0], %q {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  // expected-error @+1 {{has the shared_memory_conversion "foo", which is no promotion attribute; known is the plain `shared_memory_conversion`, a copy by all threads, and #iree_gpu.derived_thread_config and #iree_gpu.use_global_load_dma}}
  %a = iree_vector_ext.to_layout %raw to layout(#row) {shared_memory_conversion = "foo"} : vector<16x16xf16>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"]} %a, %a, %acc : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %z[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// -----

#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
#row = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 1], element_tile = [1, 16], subgroup_strides = [0, 0], thread_strides = [1, 0]>
func.func @unknown_kind(%x: memref<16x16xf16>, %z: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %raw = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %acc = vector.transfer_read %z[%c0, %c0], %q {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  // expected-error @+1 {{has the mma_kind "foo", which is no MMA instruction; it must be an #iree_gpu.mma_layout, or a #distaff.target_op}}
  %a = iree_vector_ext.to_layout %raw to layout(#row) {mma_kind = "foo"} : vector<16x16xf16>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"]} %a, %a, %acc : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %z[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// -----

#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
#row = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 1], element_tile = [1, 16], subgroup_strides = [0, 0], thread_strides = [1, 0]>
func.func @foreign_kind(%x: memref<16x16xf16>, %z: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %raw = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %acc = vector.transfer_read %z[%c0, %c0], %q {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  // expected-error @+1 {{has the mma_kind MFMA_F32_16x16x16_F16, which sm_80 does not have; it has NV_MMA_SYNC}}
  %a = iree_vector_ext.to_layout %raw to layout(#row) {mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>} : vector<16x16xf16>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"]} %a, %a, %acc : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %z[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// -----

#maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
#row = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [16, 1], element_tile = [1, 16], subgroup_strides = [0, 0], thread_strides = [1, 0]>
func.func @kind_without_contraction(%x: memref<16x16xf16>, %z: memref<16x16xf32>) {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %q = arith.constant 0.0 : f32
  %raw = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : memref<16x16xf16>, vector<16x16xf16>
  %acc = vector.transfer_read %z[%c0, %c0], %q {in_bounds = [true, true]} : memref<16x16xf32>, vector<16x16xf32>
  // expected-error @+1 {{has the mma_kind NV_MMA_SYNC_F32_16x8x16_F16, and no vector.contract takes or gives its value}}
  %b = iree_vector_ext.to_layout %raw to layout(#row) {mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>} : vector<16x16xf16>
  %a = arith.negf %b : vector<16x16xf16>
  %d = vector.contract {indexing_maps = #maps, iterator_types = ["parallel", "parallel", "reduction"]} %a, %a, %acc : vector<16x16xf16>, vector<16x16xf16> into vector<16x16xf32>
  vector.transfer_write %d, %z[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, memref<16x16xf32>
  return
}

// -----

func.func @workgroups_of_several_tiles(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{asks for `resident`, which is not supported; here each tile has a workgroup, and on the pipeline run-cluster one takes several}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{resident = 3}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @a_key_of_other_pipelines(%a: tensor<128x64xf16>, %b: tensor<64x32xf16>, %c: tensor<128x32xf32>) -> tensor<128x32xf32> {
  // expected-error @+1 {{asks for `padding`, which only pipelines of IREE obey; leave it out}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{padding = [64, 32, 32]}>} ins(%a, %b : tensor<128x64xf16>, tensor<64x32xf16>) outs(%c : tensor<128x32xf32>) -> tensor<128x32xf32>
  return %d : tensor<128x32xf32>
}

// -----

func.func @two_keys_of_one_walk(%x: tensor<64x512xf32>, %s: tensor<64xf32>) -> tensor<64xf32> {
  // expected-error @+1 {{has tiles by `reduction` and by `partial_reduction`, which are the same here: partial results for each element of a tile}}
  %r = linalg.reduce { arith.addf } ins(%x : tensor<64x512xf32>) outs(%s : tensor<64xf32>) dimensions = [1] {lowering_config = #iree_gpu.lowering_config<{reduction = [0, 64], partial_reduction = [0, 32]}>}
  return %r : tensor<64xf32>
}

// -----

// expected-error @+1 {{has a `lowering_config`, and no op whose tiles it could be about}}
func.func @tiles_of_nothing(%a: tensor<0x8xf32>) -> tensor<0x8xf32> attributes {lowering_config = #iree_gpu.lowering_config<{workgroup = [4, 4]}>} {
  %d = math.absf %a : tensor<0x8xf32>
  return %d : tensor<0x8xf32>
}
