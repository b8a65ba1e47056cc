// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 --split-input-file --verify-diagnostics

// No lane shares a prime extent, and K is not walked.
#config = #iree_gpu.lowering_config<{workgroup = [61, 61, 0], reduction = [0, 0, 61]}>

func.func @all_at_once(%a: tensor<61x61xf16>, %b: tensor<61x61xf16>) -> tensor<61x61xf32> attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<61x61xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<61x61xf32>) -> tensor<61x61xf32>
  // expected-warning-re @+1 {{'linalg.matmul' op unrolls to about {{[0-9]+}} operations per lane, more than the 16384 that compile in seconds}}
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<61x61xf16>, tensor<61x61xf16>) outs(%c : tensor<61x61xf32>) -> tensor<61x61xf32>
  return %d : tensor<61x61xf32>
}

// -----

// What configure may choose stays below.
func.func @chosen(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x512xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
  %d = linalg.matmul ins(%a, %b : tensor<512x512xf16>, tensor<512x512xf16>) outs(%c : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %d : tensor<512x512xf32>
}
