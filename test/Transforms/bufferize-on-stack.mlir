// RUN: distaff-opt %s --distaff-bufferize=on-stack --split-input-file --verify-diagnostics | FileCheck %s

// What is written before it is read has memory on the stack.
// CHECK-LABEL: func @shifted
// CHECK: %[[M:.*]] = memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// CHECK: vector.transfer_write %{{.*}}, %[[M]]
// CHECK: vector.transfer_read %[[M]]
func.func @shifted(%a: tensor<16xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %p = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %v = vector.transfer_read %a[%c0], %p {in_bounds = [true]} : tensor<16xf32>, vector<16xf32>
  %w = vector.transfer_write %v, %e[%c0] {in_bounds = [true]} : vector<16xf32>, tensor<16xf32>
  %x = vector.transfer_read %w[%c4], %p {in_bounds = [true]} : tensor<16xf32>, vector<8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %r = vector.transfer_write %x, %f[%c0] {in_bounds = [true]} : vector<8xf32>, tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @large(%a: tensor<16xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %p = arith.constant 0.0 : f32
  // expected-error@+1 {{'memref.alloc' op keeps 'memref<400000xf32>' between two ops of one workgroup, more than the stack has room for; as several functions each has launches of its own}}
  %e = tensor.empty() : tensor<400000xf32>
  %v = vector.transfer_read %a[%c0], %p {in_bounds = [true]} : tensor<16xf32>, vector<16xf32>
  %w = vector.transfer_write %v, %e[%c0] {in_bounds = [true]} : vector<16xf32>, tensor<400000xf32>
  %x = vector.transfer_read %w[%c4], %p {in_bounds = [true]} : tensor<400000xf32>, vector<8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %r = vector.transfer_write %x, %f[%c0] {in_bounds = [true]} : vector<8xf32>, tensor<8xf32>
  return %r : tensor<8xf32>
}
