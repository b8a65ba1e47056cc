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

// What is larger is left, for the heap.
// CHECK-LABEL: func @large
// CHECK: memref.alloc() {{.*}}: memref<400000xf32>
func.func @large(%a: tensor<16xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %p = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<400000xf32>
  %v = vector.transfer_read %a[%c0], %p {in_bounds = [true]} : tensor<16xf32>, vector<16xf32>
  %w = vector.transfer_write %v, %e[%c0] {in_bounds = [true]} : vector<16xf32>, tensor<400000xf32>
  %x = vector.transfer_read %w[%c4], %p {in_bounds = [true]} : tensor<400000xf32>, vector<8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %r = vector.transfer_write %x, %f[%c0] {in_bounds = [true]} : vector<8xf32>, tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

func.func @escapes(%a: tensor<?xf32>, %q: i1, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %a[%c0], %p {in_bounds = [true]} : tensor<?xf32>, vector<8xf32>
  %s = scf.if %q -> (tensor<?xf32>) {
    %e = tensor.empty(%n) : tensor<?xf32>
    // expected-error@+1 {{'memref.alloc' op keeps 'memref<?xf32>' between two ops of one workgroup and beyond the loop or branch that allocates it, more than the stack has room for; as several functions each has launches of its own}}
    %w = vector.transfer_write %v, %e[%c0] {in_bounds = [true]} : vector<8xf32>, tensor<?xf32>
    scf.yield %w : tensor<?xf32>
  } else {
    scf.yield %a : tensor<?xf32>
  }
  %x = vector.transfer_read %s[%c0], %p {in_bounds = [true]} : tensor<?xf32>, vector<8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %r = vector.transfer_write %x, %f[%c0] {in_bounds = [true]} : vector<8xf32>, tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// What branches make and is read behind them is there at a time; what loops need
// one after the other is not.
// CHECK-LABEL: func @sides
// CHECK-COUNT-5: memref.alloca() {{.*}} : memref<8xf32>
// CHECK-NOT: memref.alloca()
func.func @sides(%a: tensor<64xf32>, %i: tensor<2xi1>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %p = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %q = tensor.extract %i[%c0] : tensor<2xi1>
  %z = tensor.extract %i[%c1] : tensor<2xi1>
  %r = scf.forall (%x) in (8) shared_outs(%o = %e) -> (tensor<64xf32>) {
    %m = affine.apply affine_map<(d0) -> (d0 * 8)>(%x)
    %v = vector.transfer_read %a[%m], %p {in_bounds = [true]} : tensor<64xf32>, vector<8xf32>
    %s = arith.addf %v, %v : vector<8xf32>
    %first = scf.if %q -> (tensor<8xf32>) {
      %t = tensor.empty() : tensor<8xf32>
      %u = vector.transfer_write %v, %t[%c0] {in_bounds = [true]} : vector<8xf32>, tensor<8xf32>
      scf.yield %u : tensor<8xf32>
    } else {
      %t = tensor.empty() : tensor<8xf32>
      %u = vector.transfer_write %s, %t[%c0] {in_bounds = [true]} : vector<8xf32>, tensor<8xf32>
      scf.yield %u : tensor<8xf32>
    }
    %second = scf.if %z -> (tensor<8xf32>) {
      %t = tensor.empty() : tensor<8xf32>
      %u = vector.transfer_write %s, %t[%c0] {in_bounds = [true]} : vector<8xf32>, tensor<8xf32>
      scf.yield %u : tensor<8xf32>
    } else {
      %t = tensor.empty() : tensor<8xf32>
      %u = vector.transfer_write %v, %t[%c0] {in_bounds = [true]} : vector<8xf32>, tensor<8xf32>
      scf.yield %u : tensor<8xf32>
    }
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %one = scf.for %k = %c0 to %c2 step %c1 iter_args(%acc = %zero) -> (vector<4xf32>) {
      %t = tensor.empty() : tensor<8xf32>
      %u = vector.transfer_write %v, %t[%c0] {in_bounds = [true]} : vector<8xf32>, tensor<8xf32>
      %w = vector.transfer_read %u[%c4], %p {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
      %y = arith.addf %acc, %w : vector<4xf32>
      scf.yield %y : vector<4xf32>
    }
    %two = scf.for %k = %c0 to %c2 step %c1 iter_args(%acc = %one) -> (vector<4xf32>) {
      %t = tensor.empty() : tensor<8xf32>
      %u = vector.transfer_write %s, %t[%c0] {in_bounds = [true]} : vector<8xf32>, tensor<8xf32>
      %w = vector.transfer_read %u[%c4], %p {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
      %y = arith.mulf %acc, %w : vector<4xf32>
      scf.yield %y : vector<4xf32>
    }
    %f1 = vector.transfer_read %first[%c4], %p {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
    %f2 = vector.transfer_read %second[%c0], %p {in_bounds = [true]} : tensor<8xf32>, vector<4xf32>
    %g = arith.addf %f1, %f2 : vector<4xf32>
    %h = arith.addf %g, %two : vector<4xf32>
    %part = tensor.extract_slice %o[%m] [8] [1] : tensor<64xf32> to tensor<8xf32>
    %b1 = vector.transfer_write %h, %part[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
    %b2 = vector.transfer_write %h, %b1[%c4] {in_bounds = [true]} : vector<4xf32>, tensor<8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %b2 into %o[%m] [8] [1] : tensor<8xf32> into tensor<64xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<64xf32>
}

// -----

// Each workgroup would copy all of the result, over what others have written.
func.func @started_from_an_argument(%a: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<6xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  // expected-error@+1 {{'memref.copy' op copies all of what the loop over workgroups computes a part of; start the loop from a tensor.empty, and let it write all of it}}
  %r = scf.forall (%i) in (6) shared_outs(%o = %b) -> (tensor<6xf32>) {
    %s = tensor.extract_slice %o[%i] [1] [1] : tensor<6xf32> to tensor<1xf32>
    %v = vector.transfer_read %a[%i], %p {in_bounds = [true]} : tensor<6xf32>, vector<1xf32>
    %w = vector.transfer_write %v, %s[%c0] {in_bounds = [true]} : vector<1xf32>, tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w into %o[%i] [1] [1] : tensor<1xf32> into tensor<6xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<6xf32>
}
