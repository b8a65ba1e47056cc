// RUN: distaff-opt %s --distaff-lower-vectors --split-input-file --verify-diagnostics

// expected-error@+1 {{has vector arguments or results}}
func.func @vector_argument(%v: vector<4xf32>) {
  return
}

// -----

func.func @no_rule(%m: memref<4xf32>, %b: i1) {
  %c0 = arith.constant 0 : index
  %v = vector.load %m[%c0] : memref<4xf32>, vector<4xf32>
  // expected-error@+1 {{'vector.print' op has no lowering to registers}}
  vector.print %v : vector<4xf32>
  return
}

// -----

func.func @tensor_access(%t: tensor<4xf32>, %m: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  // expected-error@+1 {{accesses a tensor; bufferize first}}
  %v = vector.transfer_read %t[%c0], %z {in_bounds = [true]} : tensor<4xf32>, vector<4xf32>
  vector.store %v, %m[%c0] : memref<4xf32>, vector<4xf32>
  return
}
