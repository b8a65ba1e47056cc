// RUN: distaff-opt %s --distaff-configure=target=sm_80 --split-input-file | FileCheck %s

// A row that fits into the registers is read once.
// CHECK: #iree_gpu.lowering_config<{reduction = [0, 0], workgroup = [1, 0]}>
// CHECK: @whole_rows
func.func @whole_rows(%x: tensor<64x4096xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<64x4096xf32>) outs(%i : tensor<64xf32>) dimensions = [1]
  return %r : tensor<64xf32>
}

// -----

// One that does not is walked.
// CHECK: #iree_gpu.lowering_config<{reduction = [0, {{[1-9][0-9]*}}], workgroup = [{{[12]}}, 0]}>
// CHECK: @long_rows
func.func @long_rows(%x: tensor<1024x1048576xf32>) -> tensor<1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<1024x1048576xf32>) outs(%i : tensor<1024xf32>) dimensions = [1]
  return %r : tensor<1024xf32>
}

// -----

// Of a few such rows, each is shared by many workgroups.
// CHECK: #iree_gpu.lowering_config<{reduction = [0, 0, 0], workgroup = [{{[1-9]}}, 1, 0]}>
// CHECK: @few_long_rows__0
// CHECK: linalg.generic{{.*}} ins(%{{.*}} : tensor<4x256x4096xf32>)
func.func @few_long_rows(%x: tensor<4x1048576xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4x1048576xf32>) outs(%i : tensor<4xf32>) dimensions = [1]
  return %r : tensor<4xf32>
}

// -----

// Columns are next to each other in memory, so a workgroup takes several.
// CHECK: #iree_gpu.lowering_config<{reduction = [{{.*}}, 0], workgroup = [0, {{8|16|32|64|128}}]}>
// CHECK: @columns
func.func @columns(%x: tensor<2048x65536xf32>) -> tensor<65536xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<65536xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<65536xf32>) -> tensor<65536xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<2048x65536xf32>) outs(%i : tensor<65536xf32>) dimensions = [0]
  return %r : tensor<65536xf32>
}

// -----

// A transpose takes whole sectors on both sides.
// CHECK: #iree_gpu.lowering_config<{reduction = [0, 0], workgroup = [{{[1-9][0-9]}}, {{[1-9][0-9]}}]}>
// CHECK: @transposed
func.func @transposed(%a: tensor<960x1600xf32>) -> tensor<1600x960xf32> {
  %e = tensor.empty() : tensor<1600x960xf32>
  %r = linalg.transpose ins(%a : tensor<960x1600xf32>) outs(%e : tensor<1600x960xf32>) permutation = [1, 0]
  return %r : tensor<1600x960xf32>
}

// -----

// Of a prime length lanes share the next power of two, or a part of it.
// CHECK: #iree_gpu.lowering_config<{reduction = [0, 0], workgroup = [{{1|2|4|8}}, {{128|256|512|1024}}]}>
// CHECK: @primes
func.func @primes(%a: tensor<1009x1013xf32>, %b: tensor<1009x1013xf32>) -> tensor<1009x1013xf32> {
  %r = arith.addf %a, %b : tensor<1009x1013xf32>
  return %r : tensor<1009x1013xf32>
}
