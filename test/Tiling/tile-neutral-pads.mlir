// RUN: distaff-opt %s --distaff-tile=target=sm_80 --split-input-file | FileCheck %s

// Padding that a reduction is neutral to spares its mask (VX-296).

#config = #iree_gpu.lowering_config<{workgroup = [8, 0], reduction = [0, 1024]}>
#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The maximum of f16 in f32 pads with -inf of f16.
// CHECK-LABEL: func.func @maximum(
// CHECK-DAG:     %[[NONE:.*]] = arith.constant 0xFC00 : f16
// CHECK:         tensor.pad
// CHECK:           tensor.yield %[[NONE]] : f16
// CHECK:         linalg.generic
// CHECK-NOT:       arith.select
// CHECK:         return
func.func @maximum(%x: tensor<64x1000xf16>, %a: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"], lowering_config = #config} ins(%x : tensor<64x1000xf16>) outs(%a : tensor<64xf32>) {
  ^bb0(%in: f16, %out: f32):
    %w = arith.extf %in : f16 to f32
    %m = arith.maximumf %w, %out : f32
    linalg.yield %m : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [8, 0], reduction = [0, 1024]}>
#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// No number of f8E4M3FN widens to -inf.
// CHECK-LABEL: func.func @maximum_without_infinity(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.000000e+00 : f8E4M3FN
// CHECK:           tensor.yield %[[ZERO]] : f8E4M3FN
// CHECK:         linalg.generic
// CHECK:           arith.select
func.func @maximum_without_infinity(%x: tensor<64x1000xf8E4M3FN>, %a: tensor<64xf32>) -> tensor<64xf32> {
  %r = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"], lowering_config = #config} ins(%x : tensor<64x1000xf8E4M3FN>) outs(%a : tensor<64xf32>) {
  ^bb0(%in: f8E4M3FN, %out: f32):
    %w = arith.extf %in : f8E4M3FN to f32
    %m = arith.maximumf %w, %out : f32
    linalg.yield %m : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [8, 0], reduction = [0, 1024]}>
#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// Of an unknown start, -0.0 alone is neutral to a sum; squares of it are +0.0.
// CHECK-LABEL: func.func @moments(
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant -0.000000e+00 : f32
// CHECK:           tensor.yield %[[ZERO]] : f32
// CHECK:         linalg.generic
// CHECK:           arith.addf %in, %out
// CHECK:           %[[SQUARE:.*]] = arith.mulf
// CHECK:           %[[TERM:.*]] = arith.select %{{.*}}, %[[SQUARE]]
// CHECK:           arith.addf %[[TERM]]
func.func @moments(%x: tensor<64x1000xf32>, %a: tensor<64xf32>, %b: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %r:2 = linalg.generic {indexing_maps = [#rows, #row, #row], iterator_types = ["parallel", "reduction"], lowering_config = #config} ins(%x : tensor<64x1000xf32>) outs(%a, %b : tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32, %more: f32):
    %s = arith.addf %in, %out : f32
    %p = arith.mulf %in, %in : f32
    %q = arith.addf %p, %more : f32
    linalg.yield %s, %q : f32, f32
  } -> (tensor<64xf32>, tensor<64xf32>)
  return %r#0, %r#1 : tensor<64xf32>, tensor<64xf32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [8, 0], reduction = [0, 1024]}>
#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// From +0.0 both sums take zeros of any sign. A factor that is not padded may be
// infinite.
// CHECK-LABEL: func.func @moments_from_zero(
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:           tensor.yield %[[ZERO]] : f32
// CHECK:         linalg.generic
// CHECK:           arith.addf %in, %out
// CHECK:           %[[SQUARE:.*]] = arith.mulf %in, %in
// CHECK-NEXT:      arith.addf %[[SQUARE]]
// CHECK:           %[[SCALED:.*]] = arith.mulf
// CHECK:           %[[TERM:.*]] = arith.select %{{.*}}, %[[SCALED]]
// CHECK:           arith.addf %[[TERM]]
func.func @moments_from_zero(%x: tensor<64x1000xf32>, %scale: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r:3 = linalg.generic {indexing_maps = [#rows, #row, #row, #row, #row], iterator_types = ["parallel", "reduction"], lowering_config = #config} ins(%x, %scale : tensor<64x1000xf32>, tensor<64xf32>) outs(%a, %a, %a : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32, %more: f32, %third: f32):
    %t = arith.addf %in, %out : f32
    %p = arith.mulf %in, %in : f32
    %q = arith.addf %p, %more : f32
    %u = arith.mulf %in, %s : f32
    %v = arith.addf %u, %third : f32
    linalg.yield %t, %q, %v : f32, f32, f32
  } -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
  return %r#0, %r#1, %r#2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}

// -----

#config = #iree_gpu.lowering_config<{workgroup = [32, 0, 0], reduction = [0, 0, 64]}>

// Operands of a product stay padded with zeros.
// CHECK-LABEL: func.func @product_and_maximum(
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f16
// CHECK:           tensor.yield %[[ZERO]] : f16
// CHECK:           tensor.yield %[[ZERO]] : f16
// CHECK:         linalg.matmul
// CHECK:           tensor.yield %[[ZERO]] : f16
// CHECK:         linalg.generic
// CHECK:           %[[TERM:.*]] = arith.select
// CHECK:           arith.maximumf %{{.*}}, %[[TERM]]
func.func @product_and_maximum(%x: tensor<100x1000xf16>, %y: tensor<1000x60xf16>, %low: tensor<100xf16>) -> (tensor<100x60xf32>, tensor<100xf16>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<100x60xf32>
  %a = linalg.fill ins(%zero : f32) outs(%e : tensor<100x60xf32>) -> tensor<100x60xf32>
  %p = linalg.matmul {lowering_config = #config} ins(%x, %y : tensor<100x1000xf16>, tensor<1000x60xf16>) outs(%a : tensor<100x60xf32>) -> tensor<100x60xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<100x1000xf16>) outs(%low : tensor<100xf16>) dimensions = [1]
  return %p, %m : tensor<100x60xf32>, tensor<100xf16>
}
