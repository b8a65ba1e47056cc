// RUN: distaff-opt %s --distaff-vectorize --split-input-file | FileCheck %s

#config = #iree_gpu.lowering_config<{reduction = [0, 0, 16]}>

// The accumulator of a K loop is a vector, the extension is written out, and
// the contraction keeps the choices made for it.
// CHECK-LABEL: func.func @accumulator_is_carried_as_vector
// CHECK:       %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<64x32xf32>
// CHECK:       %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (vector<64x32xf32>)
// CHECK:         %[[A:.*]] = vector.transfer_read %{{.*}} : tensor<64x128xf16>, vector<64x16xf16>
// CHECK:         %[[AX:.*]] = arith.extf %[[A]]
// CHECK:         %[[B:.*]] = vector.transfer_read %{{.*}} : tensor<128x32xf16>, vector<16x32xf16>
// CHECK:         %[[BX:.*]] = arith.extf %[[B]]
// CHECK:         vector.contract {{.*}} %[[AX]], %[[BX]], %[[ACC]] {lowering_config = #{{.*}}}
// CHECK:       vector.transfer_write %[[SUM]], %{{.*}} : vector<64x32xf32>, tensor<64x32xf32>
func.func @accumulator_is_carried_as_vector(%a: tensor<64x128xf16>, %b: tensor<128x32xf16>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c128 = arith.constant 128 : index
  %e = tensor.empty() : tensor<64x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %r = scf.for %k = %c0 to %c128 step %c16 iter_args(%acc = %f) -> (tensor<64x32xf32>) {
    %as = tensor.extract_slice %a[0, %k] [64, 16] [1, 1] : tensor<64x128xf16> to tensor<64x16xf16>
    %bs = tensor.extract_slice %b[%k, 0] [16, 32] [1, 1] : tensor<128x32xf16> to tensor<16x32xf16>
    %d = linalg.matmul {lowering_config = #config} ins(%as, %bs : tensor<64x16xf16>, tensor<16x32xf16>) outs(%acc : tensor<64x32xf32>) -> tensor<64x32xf32>
    scf.yield %d : tensor<64x32xf32>
  }
  return %r : tensor<64x32xf32>
}

// -----

// A unary op of the body stays between the operand and the product.
// CHECK-LABEL: func.func @chain_of_an_operand
// CHECK:       %[[A:.*]] = vector.transfer_read {{.*}} vector<8x4xf32>
// CHECK:       %[[E:.*]] = math.exp %[[A]] : vector<8x4xf32>
// CHECK:       vector.contract {{.*}} %[[E]], %{{.*}}, %{{.*}} : vector<8x4xf32>, vector<4x2xf32> into vector<8x2xf32>
func.func @chain_of_an_operand(%a: tensor<8x4xf32>, %b: tensor<4x2xf32>, %c: tensor<8x2xf32>) -> tensor<8x2xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<8x4xf32>, tensor<4x2xf32>) outs(%c : tensor<8x2xf32>) {
  ^bb0(%x: f32, %y: f32, %acc: f32):
    %e = math.exp %x : f32
    %p = arith.mulf %y, %e : f32
    %s = arith.addf %p, %acc : f32
    linalg.yield %s : f32
  } -> tensor<8x2xf32>
  return %r : tensor<8x2xf32>
}

// -----

// CHECK-LABEL: func.func @matrix_times_vector_is_a_row_reduction
// CHECK-NOT:   vector.contract
// CHECK:       arith.mulf {{.*}} : vector<8x16xf32>
// CHECK:       vector.multi_reduction <add>, {{.*}} [1] : vector<8x16xf32> to vector<8xf32>
func.func @matrix_times_vector_is_a_row_reduction(%a: tensor<8x16xf32>, %x: tensor<16xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %r = linalg.matvec ins(%a, %x : tensor<8x16xf32>, tensor<16xf32>) outs(%y : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// Between the reduction and the division there is no tensor.
// CHECK-LABEL: func.func @values_between_ops_are_vectors
// CHECK:       %[[X:.*]] = vector.transfer_read {{.*}} : tensor<4x16xf32>, vector<4x16xf32>
// CHECK:       %[[S:.*]] = vector.multi_reduction <add>, %[[X]]
// CHECK:       vector.broadcast %[[S]]
// CHECK:       arith.divf %[[X]]
// CHECK:       vector.transfer_write
// CHECK-NOT:   vector.transfer
func.func @values_between_ops_are_vectors(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %o = tensor.empty() : tensor<4x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<4x16xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<4x16xf32>, tensor<4xf32>) outs(%o : tensor<4x16xf32>) {
  ^bb0(%v: f32, %t: f32, %out: f32):
    %d = arith.divf %v, %t : f32
    linalg.yield %d : f32
  } -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
