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
