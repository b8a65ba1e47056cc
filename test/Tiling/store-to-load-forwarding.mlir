// RUN: distaff-opt %s --distaff-vectorize --split-input-file | FileCheck %s

// D11: a tensor that is smaller than its layout is no memory between the vectors
// before and behind it.

// CHECK-LABEL: func.func @exceeded
// CHECK: %[[X:.*]] = vector.transfer_read
// CHECK: %[[IN:.*]] = vector.insert_strided_slice %[[X]], %{{.*}} {offsets = [0, 0], strides = [1, 1]} : vector<5x6xf32> into vector<8x8xf32>
// CHECK: %[[E:.*]] = math.exp %[[IN]] : vector<8x8xf32>
// CHECK: %[[OUT:.*]] = vector.extract_strided_slice %[[E]] {offsets = [0, 0], sizes = [5, 6], strides = [1, 1]}
// CHECK: math.absf %[[OUT]]
func.func @exceeded(%t: tensor<5x6xf32>) -> tensor<5x6xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x6xf32>
  %x = vector.transfer_read %t[%c0, %c0], %z {in_bounds = [true, true]} : tensor<5x6xf32>, vector<5x6xf32>
  %w = vector.transfer_write %x, %e[%c0, %c0] {in_bounds = [true, true]} : vector<5x6xf32>, tensor<5x6xf32>
  %m = vector.create_mask %c5, %c6 : vector<8x8xi1>
  %y = vector.transfer_read %w[%c0, %c0], %z, %m {in_bounds = [true, true]} : tensor<5x6xf32>, vector<8x8xf32>
  %a = math.exp %y : vector<8x8xf32>
  %v = vector.transfer_write %a, %e[%c0, %c0], %m {in_bounds = [true, true]} : vector<8x8xf32>, tensor<5x6xf32>
  %u = linalg.abs ins(%v : tensor<5x6xf32>) outs(%e : tensor<5x6xf32>) -> tensor<5x6xf32>
  return %u : tensor<5x6xf32>
}

// -----

// Of one extent both times: what is outside is padding again.
// CHECK-LABEL: func.func @of_one_extent
// CHECK: %[[M:.*]] = vector.constant_mask [5, 6] : vector<8x8xi1>
// CHECK: arith.select %[[M]], %{{.*}}, %{{.*}} : vector<8x8xi1>, vector<8x8xf32>
func.func @of_one_extent(%t: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<5x6xf32>
  %f = tensor.empty() : tensor<8x8xf32>
  %x = vector.transfer_read %t[%c0, %c0], %one {in_bounds = [true, true]} : tensor<8x8xf32>, vector<8x8xf32>
  %w = vector.transfer_write %x, %e[%c0, %c0] : vector<8x8xf32>, tensor<5x6xf32>
  %y = vector.transfer_read %w[%c0, %c0], %one : tensor<5x6xf32>, vector<8x8xf32>
  %v = vector.transfer_write %y, %f[%c0, %c0] {in_bounds = [true, true]} : vector<8x8xf32>, tensor<8x8xf32>
  %u = linalg.abs ins(%v : tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %u : tensor<8x8xf32>
}

// -----

// The mask leaves out a row that the tensor has.
// CHECK-LABEL: func.func @not_all_of_it
// CHECK: vector.transfer_write {{.*}} vector<8x8xf32>, tensor<5x6xf32>
// CHECK: vector.transfer_read {{.*}} tensor<5x6xf32>, vector<5x6xf32>
func.func @not_all_of_it(%t: tensor<8x8xf32>, %e: tensor<5x6xf32>) -> tensor<5x6xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %t[%c0, %c0], %z {in_bounds = [true, true]} : tensor<8x8xf32>, vector<8x8xf32>
  %m = vector.create_mask %c4, %c6 : vector<8x8xi1>
  %w = vector.transfer_write %x, %e[%c0, %c0], %m {in_bounds = [true, true]} : vector<8x8xf32>, tensor<5x6xf32>
  %f = tensor.empty() : tensor<5x6xf32>
  %u = linalg.exp ins(%w : tensor<5x6xf32>) outs(%f : tensor<5x6xf32>) -> tensor<5x6xf32>
  return %u : tensor<5x6xf32>
}

// -----

// Spread along a dim of its own, and in another order.

// CHECK-LABEL: func.func @spread
// CHECK: %[[X:.*]] = vector.transfer_read %arg0
// CHECK-NOT: tensor<4x1x3xf32>, vector<3x5x4xf32>
// CHECK: %[[C:.*]] = vector.shape_cast %[[X]] : vector<4x1x3xf32> to vector<4x3xf32>
// CHECK: %[[B:.*]] = vector.broadcast %[[C]] : vector<4x3xf32> to vector<5x4x3xf32>
// CHECK: vector.transpose %[[B]], [2, 0, 1] : vector<5x4x3xf32> to vector<3x5x4xf32>
func.func @spread(%t: tensor<4x1x3xf32>, %o: tensor<3x5x4xf32>) -> tensor<3x5x4xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x1x3xf32>
  %x = vector.transfer_read %t[%c0, %c0, %c0], %z {in_bounds = [true, true, true]} : tensor<4x1x3xf32>, vector<4x1x3xf32>
  %w = vector.transfer_write %x, %e[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<4x1x3xf32>, tensor<4x1x3xf32>
  %y = vector.transfer_read %w[%c0, %c0, %c0], %z {in_bounds = [true, true, true], permutation_map = affine_map<(a, b, c) -> (c, 0, a)>} : tensor<4x1x3xf32>, vector<3x5x4xf32>
  %r = vector.transfer_write %y, %o[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<3x5x4xf32>, tensor<3x5x4xf32>
  %u = linalg.abs ins(%r : tensor<3x5x4xf32>) outs(%o : tensor<3x5x4xf32>) -> tensor<3x5x4xf32>
  return %u : tensor<3x5x4xf32>
}

// -----

// Of a row of several, which is not all of them, it is a read.

// CHECK-LABEL: func.func @row
// CHECK: vector.transfer_read {{.*}} : tensor<4x3xf32>, vector<3x5xf32>
func.func @row(%t: tensor<4x3xf32>, %o: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x3xf32>
  %x = vector.transfer_read %t[%c0, %c0], %z {in_bounds = [true, true]} : tensor<4x3xf32>, vector<4x3xf32>
  %w = vector.transfer_write %x, %e[%c0, %c0] {in_bounds = [true, true]} : vector<4x3xf32>, tensor<4x3xf32>
  %y = vector.transfer_read %w[%c0, %c0], %z {in_bounds = [true, true], permutation_map = affine_map<(a, b) -> (b, 0)>} : tensor<4x3xf32>, vector<3x5xf32>
  %r = vector.transfer_write %y, %o[%c0, %c0] {in_bounds = [true, true]} : vector<3x5xf32>, tensor<3x5xf32>
  %u = linalg.abs ins(%r : tensor<3x5xf32>) outs(%o : tensor<3x5xf32>) -> tensor<3x5xf32>
  return %u : tensor<3x5xf32>
}
