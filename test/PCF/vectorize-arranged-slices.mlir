// RUN: distaff-opt %s -pcf-vectorize-slices -canonicalize | FileCheck %s

// Slices and parts of vectors as they are read: turned, repeated, at bounds of any
// dialect (PCF-26).

#sg = #iree_gpu.subgroup_scope
!S = !pcf.sref<?x8xf32, #sg>

// A bound may be a minimum of arith too.
// CHECK-LABEL: func.func @at_most_the_smaller
// CHECK: pcf.read_slice {{.*}} to vector<4x8xf32>
// CHECK-NOT: vector.transfer_read
func.func @at_most_the_smaller(%s: !S, %m: index) -> vector<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 0.0 : f32
  %n = arith.minsi %m, %c4 : index
  %t = pcf.read_slice %s[2, 0] [%n, 8] [1, 1] : !S to tensor<?x8xf32>
  %v = vector.transfer_read %t[%c0, %c0], %z {in_bounds = [false, true]} : tensor<?x8xf32>, vector<4x8xf32>
  return %v : vector<4x8xf32>
}

// A part of a vector may be read turned.
// CHECK-LABEL: func.func @turned
// CHECK-SAME: %[[V:.*]]: vector<4x8xf32>
// CHECK: %[[P:.*]] = vector.extract_strided_slice %[[V]] {offsets = [1, 2], sizes = [2, 4], strides = [1, 1]}
// CHECK: %[[T:.*]] = vector.transpose %[[P]], [1, 0] : vector<2x4xf32> to vector<4x2xf32>
// CHECK: return %[[T]]
func.func @turned(%v: vector<4x8xf32>) -> vector<4x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x8xf32>
  %t = vector.transfer_write %v, %e[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, tensor<4x8xf32>
  %u = vector.transfer_read %t[%c1, %c2], %z {in_bounds = [true, true], permutation_map = affine_map<(i, j) -> (j, i)>} : tensor<4x8xf32>, vector<4x2xf32>
  return %u : vector<4x2xf32>
}

// And repeated.
// CHECK-LABEL: func.func @repeated
// CHECK-SAME: %[[V:.*]]: vector<2x8xf32>
// CHECK: %[[B:.*]] = vector.broadcast %[[V]] : vector<2x8xf32> to vector<3x2x8xf32>
// CHECK: %[[T:.*]] = vector.transpose %[[B]], [2, 0, 1] : vector<3x2x8xf32> to vector<8x3x2xf32>
// CHECK: return %[[T]]
func.func @repeated(%v: vector<2x8xf32>) -> vector<8x3x2xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8xf32>
  %t = vector.transfer_write %v, %e[%c0, %c0] {in_bounds = [true, true]} : vector<2x8xf32>, tensor<2x8xf32>
  %u = vector.transfer_read %t[%c0, %c0], %z {in_bounds = [true, true, true], permutation_map = affine_map<(i, j) -> (j, 0, i)>} : tensor<2x8xf32>, vector<8x3x2xf32>
  return %u : vector<8x3x2xf32>
}

// Of a slice that is a number all is that number.
// CHECK-LABEL: func.func @one_number
// CHECK: %[[R:.*]] = pcf.read_slice %{{.*}}[] [] [] : {{.*}} to vector<f32>
// CHECK: vector.broadcast %[[R]] : vector<f32> to vector<1x2xf32>
func.func @one_number(%s: !pcf.sref<f32, #sg>) -> vector<1x2xf32> {
  %z = arith.constant 0.0 : f32
  %t = pcf.read_slice %s[] [] [] : !pcf.sref<f32, #sg> to tensor<f32>
  %v = vector.transfer_read %t[], %z {in_bounds = [true, true], permutation_map = affine_map<() -> (0, 0)>} : tensor<f32>, vector<1x2xf32>
  return %v : vector<1x2xf32>
}
