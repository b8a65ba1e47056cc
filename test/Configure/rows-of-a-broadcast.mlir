// Where a reduction reads no tensor along a loop, lanes do not share that loop: each holds all points of it, and a
// tile is chosen that fits the registers of a lane, though a larger one would cost a little less.
// RUN: distaff explain %s --func suffix_sums --target sm_90a | FileCheck %s
// RUN: distaff run %s --func few_suffix_sums --target sm_90a --stages lower --check --input arg0=whole:3:-4:4 | FileCheck %s --check-prefix=VALUES

// CHECK: spills: none predicted
// VALUES: lower {{.*}} bound 0.00e+00  ok
#row = affine_map<(d0, d1) -> (d1)>
#sum = affine_map<(d0, d1) -> (d0)>
func.func @suffix_sums(%x: tensor<16384xf32>) -> tensor<16384xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16384xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16384xf32>) -> tensor<16384xf32>
  %r = linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<16384xf32>) outs(%f : tensor<16384xf32>) {
    ^bb0(%a: f32, %total: f32):
      %from = linalg.index 0 : index
      %at = linalg.index 1 : index
      %isBehind = arith.cmpi uge, %at, %from : index
      %counted = arith.select %isBehind, %a, %zero : f32
      %t = arith.addf %total, %counted : f32
      linalg.yield %t : f32
  } -> tensor<16384xf32>
  return %r : tensor<16384xf32>
}

func.func @few_suffix_sums(%x: tensor<640xf32>) -> tensor<640xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<640xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<640xf32>) -> tensor<640xf32>
  %r = linalg.generic {indexing_maps = [#row, #sum], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<640xf32>) outs(%f : tensor<640xf32>) {
    ^bb0(%a: f32, %total: f32):
      %from = linalg.index 0 : index
      %at = linalg.index 1 : index
      %isBehind = arith.cmpi uge, %at, %from : index
      %counted = arith.select %isBehind, %a, %zero : f32
      %t = arith.addf %total, %counted : f32
      linalg.yield %t : f32
  } -> tensor<640xf32>
  return %r : tensor<640xf32>
}
