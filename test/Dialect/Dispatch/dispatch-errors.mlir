// Of IREE's ops that are not read the name is said (VX-160).
// RUN: distaff-opt %s -verify-diagnostics -split-input-file

func.func @unknown_op() {
  // expected-error @+1 {{'hal.fence.await' is an op of IREE that is not read; give it the dispatch as it is dumped earlier, as by --compile-to=executable-sources}}
  hal.fence.await
  return
}

// -----

func.func @unknown_op_of_a_dialect_without_any() {
  // expected-error @+1 {{'stream.cmd.execute' is an op of IREE that is not read}}
  stream.cmd.execute
  return
}

// -----

// expected-error @+1 {{expected readonly, writeonly or readwrite}}
func.func private @access(!iree_tensor_ext.dispatch.tensor<sometimes:tensor<4xf32>>)

// -----

// expected-error @+1 {{a binding holds a ranked tensor, got 'vector<4xf32>'}}
func.func private @no_tensor(!iree_tensor_ext.dispatch.tensor<readonly:vector<4xf32>>)

// -----

func.func @assumptions(%i: index) {
  // expected-error @+1 {{expected umin, umax or udiv}}
  %0 = util.assume.int %i<most = 4> : index
  return
}

// -----

// expected-error @+1 {{'colour' is no property of an export that is read}}
hal.executable.export public @f layout(#hal.pipeline.layout<bindings = []>) <colour = 1>

// -----

// expected-error @+1 {{expected x, y or z}}
func.func private @mapping() attributes {a = #iree_codegen.workgroup_mapping<w>}

// -----

// expected-error @+1 {{only z has parts, numbered from 0}}
func.func private @parts() attributes {a = #iree_codegen.workgroup_mapping<x:1>}

// -----

// expected-error @+1 {{expected the name of a pipeline, got #hal.device.affinity<@a>}}
func.func private @pipeline() attributes {a = #iree_codegen.translation_info<pipeline = #hal.device.affinity<@a>>}

// -----

// expected-error @+1 {{unknown attribute `taget` in dialect `iree_gpu`}}
func.func private @gpu() attributes {a = #iree_gpu.taget<arch = "sm_80">}

// -----

// expected-error @+1 {{unknown attribute `translation` in dialect `iree_codegen`}}
func.func private @codegen() attributes {a = #iree_codegen.translation<>}

// -----

#layout = #hal.pipeline.layout<constants = 1, bindings = [#hal.pipeline.binding<storage_buffer>, #hal.pipeline.binding<storage_buffer>]>
func.func @binding() {
  // expected-error @+1 {{'hal.interface.binding.subspan' op is of binding 2, and its layout has 2; correct one of them}}
  %a = hal.interface.binding.subspan layout(#layout) binding(2) : memref<4xf32>
  return
}

// -----

#layout = #hal.pipeline.layout<constants = 1, bindings = [#hal.pipeline.binding<storage_buffer>]>
func.func @constant() {
  // expected-error @+1 {{'hal.interface.constant.load' op is of constant 1, and its layout passes 1; correct one of them}}
  %n = hal.interface.constant.load layout(#layout) ordinal(1) : i32
  return
}

// -----

func.func @store(%t: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4xf32>>, %v: tensor<4xf32>) {
  // expected-error @+1 {{'iree_tensor_ext.dispatch.tensor.store' op writes a tensor that is readonly; say readwrite in its type}}
  iree_tensor_ext.dispatch.tensor.store %v, %t, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !iree_tensor_ext.dispatch.tensor<readonly:tensor<4xf32>>
  return
}

// -----

func.func @load(%t: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4xf32>>) {
  // expected-error @+1 {{'iree_tensor_ext.dispatch.tensor.load' op reads a tensor that is writeonly; say readwrite in its type}}
  %v = iree_tensor_ext.dispatch.tensor.load %t, offsets = [0], sizes = [4], strides = [1] : !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4xf32>> -> tensor<4xf32>
  return
}

// -----

func.func @undecomposed(%t: tensor<4xf32>) {
  // expected-error @+1 {{'iree_linalg_ext.fft' is an op of IREE that is not read, in no dump; take its executable out of the file, and write what it computes as a kernel}}
  %0 = iree_linalg_ext.fft outs(%t : tensor<4xf32>)
  return
}

// -----

func.func @unknown_op_of_ours(%t: tensor<4xf32>) {
  // expected-error @+1 {{'iree_gpu.value_barrier' is an op of IREE that is not read; give it the dispatch as it is dumped earlier}}
  %0 = iree_gpu.value_barrier ins(%t : tensor<4xf32>)
  return
}

// -----

func.func @permutations_of_two(%a: tensor<1x1x16x16xf16>, %b: tensor<1x1x16x16xf16>, %c: tensor<1x1x16x16xf32>) -> tensor<1x1x16x16xf32> {
  // expected-error @+1 {{'iree_codegen.inner_tiled' op permutations [array<i64: 0, 1>, array<i64: 1, 0>] are not one array<i64> for each of its 3 operands, which says the order of the inner dims}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, permutations = [array<i64: 0, 1>, array<i64: 1, 0>], semantics = #iree_gpu.mma_semantics<distributed = false, opaque = false>> : tensor<1x1x16x16xf16>, tensor<1x1x16x16xf16> into tensor<1x1x16x16xf32>
  return %0 : tensor<1x1x16x16xf32>
}

// -----

func.func @permutations_of_another_kind(%a: tensor<1x1x16x16xf16>, %b: tensor<1x1x16x16xf16>, %c: tensor<1x1x16x16xf32>) -> tensor<1x1x16x16xf32> {
  // expected-error @+1 {{'iree_codegen.inner_tiled' op permutations}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, permutations = [array<i64: 0, 1>, [1, 0], array<i64: 0, 1>], semantics = #iree_gpu.mma_semantics<distributed = false, opaque = false>> : tensor<1x1x16x16xf16>, tensor<1x1x16x16xf16> into tensor<1x1x16x16xf32>
  return %0 : tensor<1x1x16x16xf32>
}

// -----

func.func @permutations(%a: vector<1x1x1x4xf16>, %b: vector<1x1x4x1xf16>, %c: vector<1x1x4x1xf32>) {
  // expected-error @+1 {{'iree_codegen.inner_tiled' op has permutations, which belong to IREE's semantics}}
  %0 = iree_codegen.inner_tiled ins(%a, %b) outs(%c) <indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], kind = #iree_gpu.mma_layout<MFMA_F32_16x16x16_F16>, permutations = [array<i64: 0, 1>]> : vector<1x1x1x4xf16>, vector<1x1x4x1xf16> into vector<1x1x4x1xf32>
  return
}

// -----

func.func @lists_in_another_order(%x: tensor<6xf32>, %o: tensor<4xf32>) {
  // expected-error @+1 {{'strides' is no list of im2col, or stands behind one that follows it; the order is that of IREE's dumps}}
  %r = iree_linalg_ext.im2col dilations = [1] strides = [1] ins(%x : tensor<6xf32>) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  return
}
