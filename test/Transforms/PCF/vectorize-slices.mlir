// RUN: distaff-opt %s -pcf-vectorize-slices -canonicalize | FileCheck %s

#sg = #iree_gpu.subgroup_scope
!S = !pcf.sref<?x8xf32, #sg>

// What is read beyond a slice is zero, and what a vector has beyond it is not
// written (PCF-26).
// CHECK-LABEL: func.func @edges
// CHECK-SAME: (%[[S:.*]]: !sref{{[^,]*}}, %{{.*}}: index
// CHECK-NEXT: %[[N:.*]] = affine.min
// CHECK-NEXT: %[[V:.*]] = pcf.read_slice %[[S]][2, 0] [%[[N]], 8] [1, 1] : {{.*}} to vector<4x8xf32>
// CHECK-NEXT: %[[W:.*]] = arith.addf %[[V]], %[[V]]
// CHECK-NEXT: pcf.write_slice %[[W]] into %[[S]][%[[N]], 0] [%[[N]], 8] [2, 1] : vector<4x8xf32>
// CHECK-NEXT: return
func.func @edges(%s: !S, %left: index) {
  %n = affine.min affine_map<()[s0] -> (s0, 4)>()[%left]
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %t = pcf.read_slice %s[2, 0] [%n, 8] [1, 1] : !S to tensor<?x8xf32>
  %v = vector.transfer_read %t[%c0, %c0], %z {in_bounds = [false, true]} : tensor<?x8xf32>, vector<4x8xf32>
  %w = arith.addf %v, %v : vector<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %u = vector.transfer_write %w, %e[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, tensor<4x8xf32>
  %x = tensor.extract_slice %u[0, 0] [%n, 8] [1, 1] : tensor<4x8xf32> to tensor<?x8xf32>
  pcf.write_slice %x into %s[%n, 0] [%n, 8] [2, 1] : tensor<?x8xf32> into !S
  return
}

// Another number beyond the edge, a write in between, a part of the slice, a
// slice that may be longer than the vector, one that does not begin in the
// corner: all stay as they are.
// CHECK-LABEL: func.func @what_stays
// CHECK: pcf.read_slice {{.*}} to tensor<?x8xf32>
// CHECK: vector.transfer_read
// CHECK: pcf.read_slice {{.*}} to tensor<4x8xf32>
// CHECK: pcf.write_slice
// CHECK: vector.transfer_read
// CHECK: pcf.read_slice {{.*}} to tensor<4x8xf32>
// CHECK: vector.transfer_read {{.*}} vector<2x8xf32>
// CHECK: pcf.read_slice {{.*}} to tensor<?x8xf32>
// CHECK: vector.transfer_read
// CHECK: tensor.extract_slice
// CHECK: pcf.write_slice {{.*}} : tensor<2x8xf32>
func.func @what_stays(%s: !S, %n: index, %one: f32) -> (vector<4x8xf32>, vector<4x8xf32>, vector<2x8xf32>, vector<4x8xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %t = pcf.read_slice %s[2, 0] [%n, 8] [1, 1] : !S to tensor<?x8xf32>
  %v = vector.transfer_read %t[%c0, %c0], %one {in_bounds = [false, true]} : tensor<?x8xf32>, vector<4x8xf32>
  %t2 = pcf.read_slice %s[2, 0] [4, 8] [1, 1] : !S to tensor<4x8xf32>
  pcf.write_slice %v into %s[0, 0] [4, 8] [1, 1] : vector<4x8xf32> into !S
  %v2 = vector.transfer_read %t2[%c0, %c0], %z {in_bounds = [true, true]} : tensor<4x8xf32>, vector<4x8xf32>
  %t3 = pcf.read_slice %s[2, 0] [4, 8] [1, 1] : !S to tensor<4x8xf32>
  %v3 = vector.transfer_read %t3[%c0, %c0], %z {in_bounds = [true, true]} : tensor<4x8xf32>, vector<2x8xf32>
  %t4 = pcf.read_slice %s[2, 0] [%n, 8] [1, 1] : !S to tensor<?x8xf32>
  %v4 = vector.transfer_read %t4[%c0, %c0], %z {in_bounds = [false, true]} : tensor<?x8xf32>, vector<4x8xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %u = vector.transfer_write %v2, %e[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, tensor<4x8xf32>
  %x = tensor.extract_slice %u[2, 0] [2, 8] [1, 1] : tensor<4x8xf32> to tensor<2x8xf32>
  pcf.write_slice %x into %s[0, 0] [2, 8] [1, 1] : tensor<2x8xf32> into !S
  return %v, %v2, %v3, %v4 : vector<4x8xf32>, vector<4x8xf32>, vector<2x8xf32>, vector<4x8xf32>
}

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

// What is only copied is read as a vector too.
// CHECK-LABEL: func.func @copied
// CHECK: %[[V:.*]] = pcf.read_slice {{.*}} to vector<4x8xf32>
// CHECK-NEXT: pcf.write_slice %[[V]] into
func.func @copied(%s: !S, %t: !S) {
  %v = pcf.read_slice %s[2, 0] [4, 8] [1, 1] : !S to tensor<4x8xf32>
  pcf.write_slice %v into %t[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into !S
  return
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
