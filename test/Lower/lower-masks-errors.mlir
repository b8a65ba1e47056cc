// RUN: distaff-opt %s --pass-pipeline='builtin.module(func.func(distaff-lower-masks))' --split-input-file --verify-diagnostics

func.func @permuted(%a: memref<8x4xf32>, %m: vector<8x4xi1>, %other: vector<4x8xf32>) -> vector<4x8xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  // expected-error@+1 {{'vector.transfer_read' op is permuted and has a passthru under a mask; give it the passthru by arith.select}}
  %r = vector.mask %m, %other { vector.transfer_read %a[%c0, %c0], %p {permutation_map = affine_map<(i, j) -> (j, i)>} : memref<8x4xf32>, vector<4x8xf32> } : vector<8x4xi1> -> vector<4x8xf32>
  return %r : vector<4x8xf32>
}

// -----

func.func @products(%i: vector<4xf32>, %m: vector<4x4xi1>) -> vector<4x4xf32> {
  // expected-error@+1 {{'vector.outerproduct' op is masked by 'vector.mask', which only reductions, contractions and accesses of memory can be here}}
  %r = vector.mask %m { vector.outerproduct %i, %i : vector<4xf32>, vector<4xf32> } : vector<4x4xi1> -> vector<4x4xf32>
  return %r : vector<4x4xf32>
}
