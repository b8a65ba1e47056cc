// RUN: distaff-opt %s --pass-pipeline='builtin.module(func.func(distaff-lower-masks))' | FileCheck %s

// Elements that do not count are the identity of the kind, bit for bit.
// CHECK-LABEL: func @sums
// CHECK-SAME: %[[V:.*]]: vector<4x8xf32>, %[[M:.*]]: vector<4x8xi1>
// CHECK: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : vector<4x8xf32>
// CHECK: %[[COUNTED:.*]] = arith.select %[[M]], %[[V]], %[[ZERO]]
// CHECK: vector.multi_reduction <add>, %[[COUNTED]], %{{.*}} [1]
func.func @sums(%v: vector<4x8xf32>, %m: vector<4x8xi1>, %acc: vector<4xf32>) -> vector<4xf32> {
  %r = vector.mask %m { vector.multi_reduction <add>, %v, %acc [1] : vector<4x8xf32> to vector<4xf32> } : vector<4x8xi1> -> vector<4xf32>
  return %r : vector<4xf32>
}

// A format of 8 bits that has no infinity is combined in f32.
// CHECK-LABEL: func @bytes
// CHECK: arith.extf %{{.*}} : vector<8xf8E4M3FN> to vector<8xf32>
// CHECK: vector.reduction <maximumf>, %{{.*}} : vector<8xf32> into f32
// CHECK: arith.truncf %{{.*}} : f32 to f8E4M3FN
func.func @bytes(%v: vector<8xf8E4M3FN>, %m: vector<8xi1>) -> f8E4M3FN {
  %r = vector.mask %m { vector.reduction <maximumf>, %v : vector<8xf8E4M3FN> into f8E4M3FN } : vector<8xi1> -> f8E4M3FN
  return %r : f8E4M3FN
}

// CHECK-LABEL: func @reads
// CHECK: %[[READ:.*]] = vector.transfer_read %{{.*}}, %{{.*}}, %[[M:.*]] : memref<8xf32>, vector<8xf32>
// CHECK: arith.select %[[M]], %[[READ]], %{{.*}}
func.func @reads(%a: memref<8xf32>, %m: vector<8xi1>, %other: vector<8xf32>) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %r = vector.mask %m, %other { vector.transfer_read %a[%c0], %p : memref<8xf32>, vector<8xf32> } : vector<8xi1> -> vector<8xf32>
  return %r : vector<8xf32>
}

// A transfer that has a mask of its own moves what both have.
// CHECK-LABEL: func @both
// CHECK-SAME: %[[M:[a-z0-9]*]]: vector<8xi1>, %[[OWN:[a-z0-9]*]]: vector<8xi1>
// CHECK: %[[BOTH:.*]] = arith.andi %[[OWN]], %[[M]]
// CHECK: vector.transfer_write %{{.*}}, %{{.*}}[%{{.*}}], %[[BOTH]]
func.func @both(%m: vector<8xi1>, %own: vector<8xi1>, %a: memref<8xf32>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : index
  vector.mask %m { vector.transfer_write %v, %a[%c0], %own : vector<8xf32>, memref<8xf32> } : vector<8xi1>
  return
}
