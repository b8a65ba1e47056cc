// An argmin of rows whose length 64 lanes do not divide is on all of them: 60 would hand values around a ring.
// RUN: distaff explain %s --target gfx942 | FileCheck %s
// CHECK: arg_compare dims [1]: 15 elements/lane, 64 lanes per result{{.*}}, 6 rounds, 18 shuffles
func.func @argmin(%arg0: tensor<12x926xf32>) -> (tensor<12xf32>, tensor<12xi32>) {
  %v1 = arith.constant 0x7F800000 : f32
  %v2 = tensor.empty() : tensor<12xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<12xf32>) -> tensor<12xf32>
  %v4 = arith.constant 0 : i32
  %v5 = tensor.empty() : tensor<12xi32>
  %v6 = linalg.fill ins(%v4 : i32) outs(%v5 : tensor<12xi32>) -> tensor<12xi32>
  %v7:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<12x926xf32>) outs(%v3, %v6 : tensor<12xf32>, tensor<12xi32>) {
  ^bb0(%x0: f32, %o0: f32, %o1: i32):
    %i = linalg.index 1 : index
    %p = arith.index_cast %i : index to i32
    %c = arith.cmpf olt, %x0, %o0 : f32
    %y0 = arith.select %c, %x0, %o0 : f32
    %y1 = arith.select %c, %p, %o1 : i32
    linalg.yield %y0, %y1 : f32, i32
  } -> (tensor<12xf32>, tensor<12xi32>)
  return %v7#0, %v7#1 : tensor<12xf32>, tensor<12xi32>
}
