// What is said of promoted operands is what holds for any way in which their elements come to the lanes: no shared
// memory is claimed at the choice of tiles, and nothing of an operand that is gathered.
// RUN: distaff explain %s --target sm_80 2>/dev/null | FileCheck %s --implicit-check-not="in shared memory"

// CHECK-LABEL: explain @rows_of_a_table
// CHECK: tile sizes
// CHECK-NOT: lhs promoted
// CHECK: rhs promoted
func.func @rows_of_a_table(%table: tensor<64x128xf16>, %rows: tensor<64xi32>, %w: tensor<128x64xf16>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x128xf16>
  %g = linalg.generic {indexing_maps = [affine_map<(i, k) -> (i)>, affine_map<(i, k) -> (i, k)>], iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<64xi32>) outs(%e : tensor<64x128xf16>) {
    ^bb0(%row: i32, %out: f16):
      %k = linalg.index 1 : index
      %at = arith.index_cast %row : i32 to index
      %v = tensor.extract %table[%at, %k] : tensor<64x128xf16>
      linalg.yield %v : f16
  } -> tensor<64x128xf16>
  %o = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%g, %w : tensor<64x128xf16>, tensor<128x64xf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
