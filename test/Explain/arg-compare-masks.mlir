// Lanes that each took a whole row of 76 elements would have more lane masks than scalar registers hold (VX-295).
// RUN: distaff explain %s --target gfx942 | FileCheck %s
// RUN: distaff explain %s --target gfx1100 | FileCheck %s --check-prefix=FITS
// CHECK: spills: none predicted, 0 B by LLVM
// CHECK-NOT: scalar registers
// CHECK: arg_compare dims [1]: 4 elements/lane, 19 lanes per result
// FITS: arg_compare dims [1]: 76 elements/lane
func.func @argmin(%arg0: tensor<10x76xf32>) -> (tensor<10xf32>, tensor<10xi32>) {
  %v1 = arith.constant 0x7F800000 : f32
  %v2 = tensor.empty() : tensor<10xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<10xf32>) -> tensor<10xf32>
  %v4 = arith.constant 0 : i32
  %v5 = tensor.empty() : tensor<10xi32>
  %v6 = linalg.fill ins(%v4 : i32) outs(%v5 : tensor<10xi32>) -> tensor<10xi32>
  %v7:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<10x76xf32>) outs(%v3, %v6 : tensor<10xf32>, tensor<10xi32>) {
  ^bb0(%x0: f32, %o0: f32, %o1: i32):
    %i = linalg.index 1 : index
    %p = arith.index_cast %i : index to i32
    %c = arith.cmpf olt, %x0, %o0 : f32
    %y0 = arith.select %c, %x0, %o0 : f32
    %y1 = arith.select %c, %p, %o1 : i32
    linalg.yield %y0, %y1 : f32, i32
  } -> (tensor<10xf32>, tensor<10xi32>)
  return %v7#0, %v7#1 : tensor<10xf32>, tensor<10xi32>
}
