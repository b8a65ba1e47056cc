// RUN: distaff run %s --func fnuz --target gfx942 --input arg0=whole:1:-3:3 --input arg1=whole:2:-3:3 --check --every-stage --counters | FileCheck %s
// RUN: distaff run %s --func ragged --target gfx942 --input arg0=whole:1:-3:3 --input arg1=whole:2:-3:3 --check --every-stage --counters | FileCheck %s
// RUN: distaff run %s --func ocp --target gfx950 --input arg0=whole:1:-3:3 --input arg1=whole:2:-3:3 --check --every-stage --counters | FileCheck %s
// RUN: distaff run %s --func ocp --target gfx1201 --input arg0=whole:1:-3:3 --input arg1=whole:2:-3:3 --check --every-stage --counters | FileCheck %s

// Bytes of fp8 whose rows of k lie apart: four or eight of them are packed where they are stored, without bank conflicts
// (VX-270, VX-271).
// CHECK-COUNT-8: bound 0.00e+00  ok
// CHECK: bank conflicts {{ *}}0{{$}}
#config = #iree_gpu.lowering_config<{workgroup = [64, 64, 0], reduction = [0, 0, 64], promote_operands = [0, 1], subgroup_basis = [[2, 2, 1], [0, 1, 2]]}>
func.func @fnuz(%a: tensor<64x128xf8E4M3FNUZ>, %b: tensor<128x64xf8E4M3FNUZ>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<64x128xf8E4M3FNUZ>, tensor<128x64xf8E4M3FNUZ>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
func.func @ragged(%a: tensor<56x120xf8E5M2FNUZ>, %b: tensor<120x72xf8E5M2FNUZ>) -> tensor<56x72xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<56x72xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<56x72xf32>) -> tensor<56x72xf32>
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<56x120xf8E5M2FNUZ>, tensor<120x72xf8E5M2FNUZ>) outs(%c : tensor<56x72xf32>) -> tensor<56x72xf32>
  return %d : tensor<56x72xf32>
}
func.func @ocp(%a: tensor<64x128xf8E4M3FN>, %b: tensor<128x64xf8E4M3FN>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %d = linalg.matmul {lowering_config = #config} ins(%a, %b : tensor<64x128xf8E4M3FN>, tensor<128x64xf8E4M3FN>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
