// RUN: distaff-opt %s -verify-diagnostics -split-input-file

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>

func.func @kind_is_no_instruction(%a: vector<1x2x4x2xf16>, %b: vector<2x1x2x2xf16>, %c: vector<1x1x2x2xf32>) {
  // expected-error @+1 {{kind "mma" is no MMA instruction}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = "mma"} : vector<1x2x4x2xf16>, vector<2x1x2x2xf16> into vector<1x1x2x2xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>

func.func @outer_dims_missing(%a: vector<2x4x2xf16>, %b: vector<2x1x2x2xf16>, %c: vector<1x1x2x2xf32>) {
  // expected-error @+1 {{lhs has rank 3, expected 2 outer dims of its map and 2 of the fragment}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #mma} : vector<2x4x2xf16>, vector<2x1x2x2xf16> into vector<1x1x2x2xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>

func.func @fragment_of_another_shape(%a: vector<1x2x2x4xf16>, %b: vector<2x1x2x2xf16>, %c: vector<1x1x2x2xf32>) {
  // expected-error @+1 {{lhs has fragments of shape 2x4, those of NV_MMA_SYNC_F32_16x8x16_F16 are 4x2}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #mma} : vector<1x2x2x4xf16>, vector<2x1x2x2xf16> into vector<1x1x2x2xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>

func.func @accumulator_of_another_shape(%a: vector<1x2x4x2xf16>, %b: vector<2x1x2x2xf16>, %c: vector<1x1x4x1xf32>) {
  // expected-error @+1 {{acc has fragments of shape 4x1, those of NV_MMA_SYNC_F32_16x8x16_F16 are 2x2}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #mma} : vector<1x2x4x2xf16>, vector<2x1x2x2xf16> into vector<1x1x4x1xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>

func.func @operand_of_another_type(%a: vector<1x2x4x2xf16>, %b: vector<2x1x2x2xbf16>, %c: vector<1x1x2x2xf32>) {
  // expected-error @+1 {{rhs has elements of type 'bf16', those of NV_MMA_SYNC_F32_16x8x16_F16 are f16}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #mma} : vector<1x2x4x2xf16>, vector<2x1x2x2xbf16> into vector<1x1x2x2xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>

func.func @accumulator_of_another_type(%a: vector<1x2x4x2xf16>, %b: vector<2x1x2x2xf16>, %c: vector<1x1x2x2xf16>) {
  // expected-error @+1 {{acc has elements of type 'f16', those of NV_MMA_SYNC_F32_16x8x16_F16 are f32}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #mma} : vector<1x2x4x2xf16>, vector<2x1x2x2xf16> into vector<1x1x2x2xf16>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>

func.func @outer_dims_disagree(%a: vector<1x2x4x2xf16>, %b: vector<3x1x2x2xf16>, %c: vector<1x1x2x2xf32>) {
  // expected-error @+1 {{iteration dim 2 has extent 2 in lhs but 3 in rhs}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #mma} : vector<1x2x4x2xf16>, vector<3x1x2x2xf16> into vector<1x1x2x2xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>

func.func @result_disagrees(%a: vector<1x2x4x2xf16>, %b: vector<2x1x2x2xf16>, %c: vector<4x1x2x2xf32>) {
  // expected-error @+1 {{iteration dim 0 has extent 1 in lhs but 4 in acc}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #mma} : vector<1x2x4x2xf16>, vector<2x1x2x2xf16> into vector<4x1x2x2xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>

func.func @map_missing(%a: vector<1x2x4x2xf16>, %b: vector<2x1x2x2xf16>, %c: vector<1x1x2x2xf32>) {
  // expected-error @+1 {{has 3 operands but 2 indexing maps}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, #mn], kind = #mma} : vector<1x2x4x2xf16>, vector<2x1x2x2xf16> into vector<1x1x2x2xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>

func.func @map_of_other_rank(%a: vector<1x2x4x2xf16>, %b: vector<2x1x2x2xf16>, %c: vector<1x1x2x2xf32>) {
  // expected-error @+1 {{indexing maps have 3 and 2 dims}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, affine_map<(k, n) -> (k, n)>, #mn], kind = #mma} : vector<1x2x4x2xf16>, vector<2x1x2x2xf16> into vector<1x1x2x2xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>

func.func @map_is_no_permutation(%a: vector<1x2x4x2xf16>, %b: vector<2x1x2x2xf16>, %c: vector<1x1x2x2xf32>) {
  // expected-error @+1 {{is not a projected permutation}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, affine_map<(m, n, k) -> (k + n, n)>, #mn], kind = #mma} : vector<1x2x4x2xf16>, vector<2x1x2x2xf16> into vector<1x1x2x2xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>

func.func @dim_in_no_map(%a: vector<1x2x4x2xf16>, %b: vector<2x1x2x2xf16>, %c: vector<1x1x2x2xf32>) {
  // expected-error @+1 {{iteration dim 3 is in no indexing map}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [affine_map<(m, n, k, j) -> (m, k)>, affine_map<(m, n, k, j) -> (k, n)>, affine_map<(m, n, k, j) -> (m, n)>], kind = #mma} : vector<1x2x4x2xf16>, vector<2x1x2x2xf16> into vector<1x1x2x2xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>

func.func @iterator_missing(%a: vector<1x2x4x2xf16>, %b: vector<2x1x2x2xf16>, %c: vector<1x1x2x2xf32>) {
  // expected-error @+1 {{has 3 iteration dims but 2 iterator types}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) {indexing_maps = [#mk, #kn, #mn], kind = #mma, iterator_types = ["parallel", "reduction"]} : vector<1x2x4x2xf16>, vector<2x1x2x2xf16> into vector<1x1x2x2xf32>
  return
}

// -----

#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
#mma = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>

func.func @input_missing(%a: vector<1x2x4x2xf16>, %c: vector<1x1x2x2xf32>) {
  // expected-error @+1 {{has 1 inputs, NV_MMA_SYNC_F32_16x8x16_F16 takes 2}}
  %0 = iree_codegen.inner_tiled ins(%a) outs(%c) {indexing_maps = [#mk, #mn], kind = #mma} : vector<1x2x4x2xf16> into vector<1x1x2x2xf32>
  return
}

// -----

// VX-225
func.func @inherited_extents_differ(%a: tensor<2x4x16x16xf16>, %b: tensor<5x3x16x8xf16>, %c: tensor<2x3x16x8xf32>) {
  // expected-error @+1 {{iteration dim 2 has extent 4 in lhs but 5 in rhs}}
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = false, opaque = true>> : tensor<2x4x16x16xf16>, tensor<5x3x16x8xf16> into tensor<2x3x16x8xf32>
  return
}

// -----

// VX-225
func.func @inherited_elements(%a: tensor<2x4x16x16xf16>, %b: tensor<4x3x16x8xbf16>, %c: tensor<2x3x16x8xf32>) {
  // expected-error @+1 {{rhs has elements of type 'bf16', those of NV_MMA_SYNC_F32_16x8x16_F16 are f16}}
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = false, opaque = true>> : tensor<2x4x16x16xf16>, tensor<4x3x16x8xbf16> into tensor<2x3x16x8xf32>
  return
}

// -----

// VX-225
func.func @inherited_result_elements(%a: tensor<2x4x16x16xf16>, %b: tensor<4x3x16x8xf16>, %c: tensor<2x3x16x8xf16>) {
  // expected-error @+1 {{acc has elements of type 'f16', those of NV_MMA_SYNC_F32_16x8x16_F16 are f32}}
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = false, opaque = true>> : tensor<2x4x16x16xf16>, tensor<4x3x16x8xf16> into tensor<2x3x16x8xf16>
  return
}

// -----

// VX-225
func.func @inherited_rank(%a: tensor<16xf16>, %b: tensor<4x3x16x8xf16>, %c: tensor<2x3x16x8xf32>) {
  // expected-error @+1 {{lhs has rank 1 and a map of 2 results; it has the dims of its map, and then its tile}}
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = false, opaque = true>> : tensor<16xf16>, tensor<4x3x16x8xf16> into tensor<2x3x16x8xf32>
  return
}

// -----

// VX-225
func.func @reduction_in_the_result(%a: tensor<2x4x16x16xf16>, %b: tensor<4x3x16x8xf16>, %c: tensor<2x3x16x8xf32>) {
  // expected-error @+1 {{iteration dim 1 is said to be a reduction, and the map of acc has it; mend the map, or the iterator type}}
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<reduction>], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = false, opaque = true>> : tensor<2x4x16x16xf16>, tensor<4x3x16x8xf16> into tensor<2x3x16x8xf32>
  return
}

// -----

// VX-225
func.func @parallel_outside_the_result(%a: tensor<2x4x16x16xf16>, %b: tensor<4x3x16x8xf16>, %c: tensor<2x3x16x8xf32>) {
  // expected-error @+1 {{iteration dim 2 is said to be parallel, and the map of acc does not have it; mend the map, or the iterator type}}
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "parallel"], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = false, opaque = true>> : tensor<2x4x16x16xf16>, tensor<4x3x16x8xf16> into tensor<2x3x16x8xf32>
  return
}

// -----

// VX-225
func.func @other_iterator(%a: tensor<2x4x16x16xf16>, %b: tensor<4x3x16x8xf16>, %c: tensor<2x3x16x8xf32>) {
  // expected-error @+1 {{iterator type "window" of dim 2 is neither parallel nor reduction}}
  %d = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "window"], kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>, semantics = #iree_gpu.mma_semantics<distributed = false, opaque = true>> : tensor<2x4x16x16xf16>, tensor<4x3x16x8xf16> into tensor<2x3x16x8xf32>
  return
}
