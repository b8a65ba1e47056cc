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

// Another number beyond the edge, a part of the slice, a slice that may be longer
// than the vector: all stay as they are. With a write in between, the vector is
// read where the slice was.
// CHECK-LABEL: func.func @what_stays
// CHECK: pcf.read_slice {{.*}} to tensor<?x8xf32>
// CHECK: vector.transfer_read
// CHECK: pcf.read_slice {{.*}} to vector<4x8xf32>
// CHECK-NEXT: pcf.write_slice
// CHECK: pcf.read_slice {{.*}} to tensor<4x8xf32>
// CHECK: vector.transfer_read {{.*}} vector<2x8xf32>
// CHECK: pcf.read_slice {{.*}} to tensor<?x8xf32>
// CHECK: vector.transfer_read
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
  return %v, %v2, %v3, %v4 : vector<4x8xf32>, vector<4x8xf32>, vector<2x8xf32>, vector<4x8xf32>
}

// A part is cut out of the vector; loops over parts are unrolled, for registers
// have no numbers at run time.
// CHECK-LABEL: func.func @parts
// CHECK-SAME: (%[[S:.*]]: !sref{{[^,]*}}, %[[V:.*]]: vector<2x4x8xf32>, %{{.*}}: index
// CHECK-NOT: scf.for
// CHECK: %[[N:.*]] = affine.min
// CHECK: %[[P:.*]] = vector.extract %[[V]][0] : vector<4x8xf32>
// CHECK: pcf.write_slice %[[P]] into %[[S]][0, 0] [%[[N]], 8] [1, 1] : vector<4x8xf32>
// CHECK: %[[Q:.*]] = vector.extract %[[V]][1] : vector<4x8xf32>
// CHECK: %[[D:.*]] = arith.addf %[[Q]], %[[Q]]
// CHECK: pcf.write_slice %[[D]] into %[[S]][4, 0] [4, 8] [1, 1] : vector<4x8xf32>
func.func @parts(%s: !S, %v: vector<2x4x8xf32>, %left: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = affine.min affine_map<()[s0] -> (s0, 4)>()[%left]
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x8xf32>
  %t = vector.transfer_write %v, %e[%c0, %c0, %c0] {in_bounds = [true, true, true]} : vector<2x4x8xf32>, tensor<2x4x8xf32>
  scf.for %i = %c0 to %c1 step %c1 {
    %x = tensor.extract_slice %t[%i, 0, 0] [1, %n, 8] [1, 1, 1] : tensor<2x4x8xf32> to tensor<?x8xf32>
    pcf.write_slice %x into %s[%i, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into !S
  }
  %q = vector.transfer_read %t[%c1, %c0, %c0], %z {in_bounds = [true, true]} : tensor<2x4x8xf32>, vector<4x8xf32>
  %d = arith.addf %q, %q : vector<4x8xf32>
  %e2 = tensor.empty() : tensor<4x8xf32>
  %u = vector.transfer_write %d, %e2[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, tensor<4x8xf32>
  pcf.write_slice %u into %s[4, 0] [4, 8] [1, 1] : tensor<4x8xf32> into !S
  return
}

// Behind a corner of a vector is what it is padded with; vectors are put
// together where tensors were; what is only copied is a vector on the way.
// CHECK-LABEL: func.func @together
// CHECK-SAME: (%[[S:.*]]: !sref{{[^,]*}}, %[[V:.*]]: vector<2x8xf32>
// CHECK-DAG: %[[R:.*]] = pcf.read_slice %[[S]][0, 0] [4, 8] [1, 1] : {{.*}} to vector<4x8xf32>
// CHECK-DAG: vector.transpose %[[R]], [1, 0] : vector<4x8xf32> to vector<8x4xf32>
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<4x8xf32>
// CHECK-DAG: %[[W:.*]] = vector.insert_strided_slice %[[V]], %{{.*}} {offsets = [2, 0], strides = [1, 1]} : vector<2x8xf32> into vector<4x8xf32>
// CHECK-DAG: %[[M:.*]] = vector.create_mask %{{.*}}, %{{.*}} : vector<4x8xi1>
// CHECK-DAG: %[[X:.*]] = arith.select %[[M]], %[[W]], %[[ONE]]
// CHECK: pcf.write_slice %[[X]] into
// CHECK: %[[C:.*]] = pcf.read_slice %[[S]][8, 0] [2, 8] [1, 1] : {{.*}} to vector<2x8xf32>
// CHECK: pcf.write_slice %[[C]] into %[[S]][6, 0]
func.func @together(%s: !S, %v: vector<2x8xf32>, %left: index) -> vector<8x4xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = affine.min affine_map<()[s0] -> (s0, 4)>()[%left]
  %z = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %r = pcf.read_slice %s[0, 0] [4, 8] [1, 1] : !S to tensor<4x8xf32>
  %t = vector.transfer_read %r[%c0, %c0], %z {in_bounds = [true, true], permutation_map = affine_map<(i, j) -> (j, i)>} : tensor<4x8xf32>, vector<8x4xf32>
  %e = tensor.empty() : tensor<4x8xf32>
  %w0 = vector.transfer_write %v, %e[%c0, %c0] {in_bounds = [true, true]} : vector<2x8xf32>, tensor<4x8xf32>
  %w = vector.transfer_write %v, %w0[%c2, %c0] {in_bounds = [true, true]} : vector<2x8xf32>, tensor<4x8xf32>
  %corner = tensor.extract_slice %w[0, 0] [%n, 8] [1, 1] : tensor<4x8xf32> to tensor<?x8xf32>
  %x = vector.transfer_read %corner[%c0, %c0], %one {in_bounds = [false, true]} : tensor<?x8xf32>, vector<4x8xf32>
  %u = vector.transfer_write %x, %e[%c0, %c0] {in_bounds = [true, true]} : vector<4x8xf32>, tensor<4x8xf32>
  pcf.write_slice %u into %s[4, 0] [4, 8] [1, 1] : tensor<4x8xf32> into !S
  %copied = pcf.read_slice %s[8, 0] [2, 8] [1, 1] : !S to tensor<2x8xf32>
  pcf.write_slice %copied into %s[6, 0] [2, 8] [1, 1] : tensor<2x8xf32> into !S
  return %t : vector<8x4xf32>
}

// Loops and branches hand on vectors.
// CHECK-LABEL: func.func @carried
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (vector<2x8xf32>) {
// CHECK:   pcf.write_slice %[[A]]
// CHECK:   %[[B:.*]] = arith.select %{{.*}} : vector<2x8xf32>
// CHECK:   scf.yield %[[B]] : vector<2x8xf32>
func.func @carried(%s: !S, %v: vector<2x8xf32>, %w: vector<2x8xf32>, %n: index, %b: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<2x8xf32>
  %t = vector.transfer_write %v, %e[%c0, %c0] {in_bounds = [true, true]} : vector<2x8xf32>, tensor<2x8xf32>
  scf.for %i = %c0 to %n step %c1 iter_args(%a = %t) -> (tensor<2x8xf32>) {
    pcf.write_slice %a into %s[%i, 0] [2, 8] [1, 1] : tensor<2x8xf32> into !S
    %r = scf.if %b -> (tensor<2x8xf32>) {
      %u = vector.transfer_write %w, %e[%c0, %c0] {in_bounds = [true, true]} : vector<2x8xf32>, tensor<2x8xf32>
      pcf.write_slice %u into %s[2, 0] [2, 8] [1, 1] : tensor<2x8xf32> into !S
      scf.yield %u : tensor<2x8xf32>
    } else {
      %k = arith.constant dense<1.0> : tensor<2x8xf32>
      scf.yield %k : tensor<2x8xf32>
    }
    scf.yield %r : tensor<2x8xf32>
  }
  return
}

// What is only copied is one vector, of the largest size that the slice has; a
// slice without a largest size stays a tensor.
// CHECK-LABEL: func.func @copies
// CHECK-SAME: (%[[S:.*]]: !sref{{[^,]*}}, %[[D:.*]]: !sref{{[^,]*}}, %{{.*}}: index
// CHECK: %[[N:.*]] = affine.min
// CHECK: %[[V:.*]] = pcf.read_slice %[[S]][2, 0] [%[[N]], 8] [1, 1] : {{.*}} to vector<4x8xf32>
// CHECK-NEXT: pcf.write_slice %[[V]] into %[[D]][0, 0] [%[[N]], 8] [1, 1] : vector<4x8xf32>
// CHECK: %[[T:.*]] = pcf.read_slice {{.*}} to tensor<?x8xf32>
// CHECK-NEXT: pcf.write_slice %[[T]] into
func.func @copies(%s: !S, %d: !S, %left: index) {
  %n = affine.min affine_map<()[s0] -> (s0, 4)>()[%left]
  %t = pcf.read_slice %s[2, 0] [%n, 8] [1, 1] : !S to tensor<?x8xf32>
  pcf.write_slice %t into %d[0, 0] [%n, 8] [1, 1] : tensor<?x8xf32> into !S
  %u = pcf.read_slice %s[2, 0] [%left, 8] [1, 1] : !S to tensor<?x8xf32>
  pcf.write_slice %u into %d[0, 0] [%left, 8] [1, 1] : tensor<?x8xf32> into !S
  return
}
