// RUN: distaff-opt %s --distaff-normalize-for-phases=target=sm_80 --distaff-configure-clusters=target=sm_80 --split-input-file --verify-diagnostics

// Tiles over the budgets of registers or shared memory are rejected with the
// number, the budget and a fix, and so is what does not fit together (PCF-88).

// 256x128 over four subgroups of 32 lanes is 256 registers per lane.
#info = #iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [128, 1, 1] subgroup_size = 32>
#four = #iree_gpu.lowering_config<{workgroup = [256, 128, 0], reduction = [0, 0, 64], subgroup = [128, 64, 0], promote_operands = [0, 1], mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
func.func @four_subgroups_of_32_lanes(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {translation_info = #info} {
  // expected-error @+1 {{'linalg.matmul' op needs 256 registers per lane for its `subgroup` tile and 48 for operands; in workgroups of 128 lanes sm_80 has 191 for vectors, so make the `subgroup` tile smaller}}
  %d = linalg.matmul {lowering_config = #four} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

#large = #iree_gpu.lowering_config<{workgroup = [256, 128, 0], reduction = [0, 0, 256], subgroup = [64, 64, 0], promote_operands = [0, 1]}>
func.func @panels_beyond_shared_memory(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{needs 196608 bytes of shared memory for its promoted operands, sm_80 has 166912; make the `workgroup` or the `reduction` tiles smaller}}
  %d = linalg.matmul {lowering_config = #large} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#eight = #iree_gpu.lowering_config<{workgroup = [256, 128, 0], reduction = [0, 0, 64], subgroup = [64, 64, 0], promote_operands = [0, 1]}>
func.func @workgroup_of_other_size(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {translation_info = #info} {
  // expected-error @+1 {{is tiled for 8 subgroups of 32 lanes, and its function's `workgroup_size` is 128, not 256; change that or the `subgroup` tiles}}
  %d = linalg.matmul {lowering_config = #eight} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

#many = #iree_gpu.lowering_config<{workgroup = [256, 256, 0], reduction = [0, 0, 16], subgroup = [16, 16, 0]}>
func.func @more_subgroups_than_a_workgroup_has(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{is tiled for 256 subgroups, 8192 lanes; sm_80 has workgroups of up to 1024, so make `subgroup` tiles larger}}
  %d = linalg.matmul {lowering_config = #many} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

#odd = #iree_gpu.lowering_config<{workgroup = [64, 64, 0], reduction = [0, 0, 16], subgroup = [48, 64, 0]}>
func.func @subgroup_tile_that_does_not_divide(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{has the `subgroup` tile 48 of loop 0, which does not divide the `workgroup` tile 64; make it a divisor}}
  %d = linalg.matmul {lowering_config = #odd} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

#half = #iree_gpu.lowering_config<{workgroup = [64, 64, 0], reduction = [0, 0, 24], subgroup = [32, 32, 0], mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
func.func @half_an_instruction(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{has the `reduction` tile 24 of loop 2, of which NV_MMA_SYNC_F32_16x8x16_F16 takes 16 at once; make it a multiple}}
  %d = linalg.matmul {lowering_config = #half} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

// What is fixed in part may be more than fits with any rest.
#part = #iree_gpu.lowering_config<{subgroup = [128, 128, 0]}>
func.func @nothing_fits_the_rest(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{needs 512 registers per lane for its `subgroup` tile and 52 for operands; in workgroups of 32 lanes sm_80 has 191 for vectors, so make the `subgroup` tile smaller}}
  %d = linalg.matmul {lowering_config = #part} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

#other = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>}>
func.func @instruction_of_another_target(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{asks for `mma_kind` MFMA_F32_16x16x16_F16, which sm_80 does not have}}
  %d = linalg.matmul {lowering_config = #other} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

#types = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
func.func @instruction_for_other_elements(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{asks for `mma_kind` NV_MMA_SYNC_F32_16x8x16_F16, which multiplies f16 and f16 into f32, not 'f32' and 'f32' into 'f32'}}
  %d = linalg.matmul {lowering_config = #types} ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @unread_key(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{asks for `subgroup_basis`, which the pipeline run-cluster does not read; subgroups are split by `subgroup`, the tile that each one has}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{subgroup_basis = [[2, 2, 1], [0, 1, 2]]}>} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @too_few_tiles(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{has 2 `workgroup` tiles for 3 loops; 0 is for a loop that has none}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{workgroup = [64, 64]}>} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @loop_without_a_tile(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{has no `workgroup` tile for loop 1; phases are formed of tiles of static size, so give it one}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{workgroup = [64, 0, 0]}>} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @tile_of_what_is_reduced(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{has the `workgroup` tile 32 for loop 2, which it reduces; steps of it are `reduction`}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{workgroup = [64, 64, 32]}>} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @step_of_what_is_not(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{has the `reduction` tile 16 for loop 0, which it does not reduce; tiles of it are `workgroup`}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{reduction = [16, 0, 32]}>} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @result_in_shared_memory(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{asks for operand 2 in shared memory; `promote_operands` are 0 or 1}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{promote_operands = [2]}>} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func @promoted_twice(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{names operand 1 twice in `promote_operands`}}
  %d = linalg.matmul {lowering_config = #iree_gpu.lowering_config<{promote_operands = [1, 1]}>} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
// expected-error @+1 {{asks for subgroups of 64 lanes, those of sm_80 have 32}}
func.func @subgroups_of_another_target(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {translation_info = #info} {
  %d = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

// expected-error @+1 {{starts workers itself and does not say how many; give it a translation_info with workgroup_size}}
func.func @started_without_a_launch(%a: tensor<8xf32>) -> tensor<8xf32> {
  %n = arith.constant 1 : index
  %r = pcf.loop scope(#iree_codegen.workgroup_scope) count(%n) execute(%x = %a)[%i: index] : (!pcf.sref<8xf32, #iree_codegen.workgroup_scope>) -> (tensor<8xf32>) {
    pcf.return
  }
  return %r : tensor<8xf32>
}

// -----

// expected-error @+1 {{has no tensors to form phases of; --pipeline=vector-distribute takes vectors}}
func.func @on_memory(%a: memref<8xf32>) {
  return
}

// -----

// expected-error @+1 {{has no contraction, a sum of products with rows, columns and what is summed, to form phases of; --pipeline=vector-distribute takes other kernels}}
func.func @matrix_and_vector(%a: tensor<16x16xf32>, %b: tensor<16xf32>, %c: tensor<16xf32>) -> tensor<16xf32> {
  %d = linalg.matvec ins(%a, %b : tensor<16x16xf32>, tensor<16xf32>) outs(%c : tensor<16xf32>) -> tensor<16xf32>
  return %d : tensor<16xf32>
}

// -----

func.func @two_contractions(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-note @+1 {{the first one}}
  %d = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  // expected-error @+1 {{is a second contraction; one launch of clusters computes one, so make two kernels}}
  %e = linalg.matmul ins(%d, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %e : tensor<16x16xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
func.func @sums_its_rows(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>, %s: tensor<16xf32>) -> tensor<16xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  // expected-error @+1 {{'linalg.generic' op reduces a loop; beside the contraction, such a kernel has ops on elements whose loops are the contraction's; put this op into a kernel of its own}}
  %e = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<16x16xf32>) outs(%s : tensor<16xf32>) {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<16xf32>
  return %e : tensor<16xf32>
}

// -----

#ij = affine_map<(i, j) -> (i, j)>
#ji = affine_map<(i, j) -> (j, i)>
func.func @added_to_its_transpose(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  // expected-error @+1 {{uses the product along different loops at once}}
  %e = linalg.generic {indexing_maps = [#ij, #ji, #ij], iterator_types = ["parallel", "parallel"]} ins(%d, %d : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<16x16xf32>
  return %e : tensor<16x16xf32>
}

// -----

func.func @repeats_the_product(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>, %o: tensor<4x16x16xf32>) -> tensor<4x16x16xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  // expected-error @+1 {{repeats the product along a loop of its own}}
  %e = linalg.broadcast ins(%d : tensor<16x16xf32>) outs(%o : tensor<4x16x16xf32>) dimensions = [0]
  return %e : tensor<4x16x16xf32>
}

// -----

func.func @returns_something_else(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  // expected-note @+1 {{the contraction}}
  %d = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  %e = linalg.exp ins(%a : tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  // expected-error @+1 {{returns what does not come from the contraction, so that no workgroup has a part of it; return it from a kernel of its own}}
  return %d, %e : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @exponential_inside(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-error @+1 {{applies to an operand, before it is multiplied, what need not be 0 of the 0 that the edges of tiles are padded with; apply it in an op of its own before the contraction}}
  %d = linalg.generic {indexing_maps = [#mk, #kn, #mn], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    // expected-note @+1 {{applied here}}
    %e = math.exp %x : f32
    %z = arith.mulf %e, %y : f32
    %s = arith.addf %o, %z : f32
    linalg.yield %s : f32
  } -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// -----

#crowd = #iree_gpu.lowering_config<{resident = 2147483648}>
func.func @larger_than_any_grid(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{asks for `resident` workgroups, 2147483648, and sm_80 launches up to 2147483647; ask for fewer, or leave it out}}
  %d = linalg.matmul {lowering_config = #crowd} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

func.func private @sink()

func.func @calls(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-error @+1 {{'func.call' op calls @sink, which has no body here; a kernel is all of its code, so give it one, or compile for `host`, which links others}}
  func.call @sink() : () -> ()
  %d = linalg.matmul ins(%a, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// -----

func.func @softmax_of_an_operand(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %empty = tensor.empty() : tensor<16x16xf32>
  // expected-note @+1 {{made here}}
  %s = linalg.softmax dimension(1) ins(%a : tensor<16x16xf32>) outs(%empty : tensor<16x16xf32>) -> tensor<16x16xf32>
  // expected-error @+1 {{reads a tensor that is neither an argument nor made by a linalg op; make it in a kernel of its own and pass it}}
  %d = linalg.matmul ins(%s, %b : tensor<16x16xf32>, tensor<16x16xf32>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// -----

// expected-error @+1 {{'func.func' op returns 'tensor<0x16xf32>', which has no elements, so there is nothing to compute; do not launch it, or let an extent that is not always 0 be dynamic}}
func.func @no_rows(%a: tensor<0x16xf16>, %b: tensor<16x16xf16>, %c: tensor<0x16xf32>) -> tensor<0x16xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<0x16xf16>, tensor<16x16xf16>) outs(%c : tensor<0x16xf32>) -> tensor<0x16xf32>
  return %d : tensor<0x16xf32>
}

// -----

// Its body, with the extensions, is nowhere in the text.
func.func @four_bits(%a: tensor<16x16xf4E2M1FN>, %b: tensor<16x16xf4E2M1FN>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-error @+1 {{'linalg.matmul' op has code on no target: nothing converts f4E2M1FN;}}
  %d = linalg.matmul ins(%a, %b : tensor<16x16xf4E2M1FN>, tensor<16x16xf4E2M1FN>) outs(%c : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %d : tensor<16x16xf32>
}

// -----

// Of several numbers together it is not known which one is too many.
#part = #iree_gpu.lowering_config<{workgroup = [4096, 4096, 0]}>
func.func @nothing_fits_together(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // expected-error @+1 {{has no tiles that fit into the 191 registers per lane and the 166912 bytes of shared memory of sm_80 and agree with what its lowering_config and its function's `workgroup_size` fix; leave one of them out}}
  %d = linalg.matmul {lowering_config = #part} ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}

// -----

// An instruction multiplies what is there; only extensions are part of it.
#info = #iree_codegen.translation_info<pipeline = RunClusterDistribute>
#half = #iree_gpu.lowering_config<{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}>
func.func @computes_before_it_multiplies(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {translation_info = #info} {
  // expected-error @+1 {{'linalg.generic' op asks for `mma_kind` NV_MMA_SYNC_F32_16x8x16_F16, and its body computes arith.negf of an operand, which no instruction does before it multiplies; compute that by an op of its own}}
  %d = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], lowering_config = #half} ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) {
  ^bb0(%p: f16, %q: f16, %s: f32):
    %x = arith.extf %p : f16 to f32
    %y = arith.extf %q : f16 to f32
    %n = arith.negf %y : f32
    %v = arith.mulf %x, %n : f32
    %w = arith.addf %s, %v : f32
    linalg.yield %w : f32
  } -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}

// -----

#L = #iree_vector_ext.nested_layout<subgroup_tile = [2, 1], batch_tile = [1, 1], outer_tile = [1, 1], thread_tile = [8, 4], element_tile = [1, 4], subgroup_strides = [1, 0], thread_strides = [4, 1]>
func.func @laid_out(%a: tensor<16x16xf32>, %e: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // expected-error @+1 {{'iree_vector_ext.to_layout' op lays out a tensor, which phases cut into tiles; --pipeline=vector-distribute keeps it whole}}
  %l = iree_vector_ext.to_layout %a to layout(#L) : tensor<16x16xf32>
  %y = linalg.exp ins(%l : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}

// -----

// Phases share out operands, and not what a body takes out of a tensor.
func.func @gathered(%table: tensor<64x32xf16>, %rows: tensor<64xi32>, %w: tensor<32x64xf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x32xf16>
  %g = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i)>, affine_map<(i, k) -> (i, k)>], iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<64xi32>) outs(%e : tensor<64x32xf16>) {
    ^bb0(%row: i32, %out: f16):
      %k = linalg.index 1 : index
      %at = arith.index_cast %row : i32 to index
      // expected-error @+1 {{'tensor.extract' op takes elements at places that are computed, and phases share out whole operands; --pipeline=vector-distribute takes such a kernel}}
      %v = tensor.extract %table[%at, %k] : tensor<64x32xf16>
      linalg.yield %v : f16
  } -> tensor<64x32xf16>
  %o = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%g, %w : tensor<64x32xf16>, tensor<32x64xf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

// Elements that share bytes: the pipeline makes phases of vectors of such a kernel.
// expected-error @+1 {{'func.func' op returns 'tensor<16x16xi4>', of which several elements share a byte, and phases write single elements; --pipeline=vector-distribute takes such a kernel}}
func.func @packed_result(%a: tensor<16x16xi4>, %b: tensor<16x16xi4>, %c: tensor<16x16xi4>) -> tensor<16x16xi4> {
  %r = linalg.matmul ins(%a, %b : tensor<16x16xi4>, tensor<16x16xi4>) outs(%c : tensor<16x16xi4>) -> tensor<16x16xi4>
  return %r : tensor<16x16xi4>
}

// -----

func.func @product_of_a_softmax(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-error @+1 {{'linalg.softmax' op uses the product and is no linalg op}}
  %s = linalg.softmax dimension(1) ins(%r : tensor<64x64xf32>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}

// -----

// Panels are said by their tiles, not by vectors (VX-172).
// expected-error @+1 {{'func.func' op has a native_vector, in a kernel of phases, which layouts cut; its tiles are said by `lowering_config`}}
func.func @native_vector(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> attributes {distaff.native_vector = array<i64: 16, 16>} {
  %d = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
