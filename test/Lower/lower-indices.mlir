// RUN: distaff-opt %s --pass-pipeline="builtin.module(gpu.module(gpu.func(distaff-lower-indices,cse)))" | FileCheck %s

gpu.module @kernels {
  // Ids are never negative, so splitting one is an unsigned division.
  // CHECK-LABEL: func @ids_divide_unsigned
  // CHECK-NOT: arith.select
  // CHECK: arith.remui
  // CHECK: arith.divui
  gpu.func @ids_divide_unsigned() -> (index, index) {
    %t = gpu.thread_id x
    %d:2 = affine.delinearize_index %t into (8, 4) : index, index
    gpu.return %d#0, %d#1 : index, index
  }

  // Of an argument nothing is known: floor division rounds towards minus infinity.
  // CHECK-LABEL: func @arguments_may_be_negative
  // CHECK: arith.cmpi slt
  // CHECK: arith.select
  gpu.func @arguments_may_be_negative(%i: index) -> index {
    %d = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%i)
    gpu.return %d : index
  }

  // -9 floordiv 4 = -3, -9 mod 4 = 3, -9 ceildiv 4 = -2.
  // CHECK-LABEL: func @negative_constants
  // CHECK-DAG: %[[FLOOR:.*]] = arith.constant -3
  // CHECK-DAG: %[[MOD:.*]] = arith.constant 3
  // CHECK-DAG: %[[CEIL:.*]] = arith.constant -2
  // CHECK: gpu.return %[[FLOOR]], %[[MOD]], %[[CEIL]]
  gpu.func @negative_constants() -> (index, index, index) {
    %c = arith.constant -9 : index
    %f = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%c)
    %m = affine.apply affine_map<(d0) -> (d0 mod 4)>(%c)
    %l = affine.apply affine_map<(d0) -> (d0 ceildiv 4)>(%c)
    gpu.return %f, %m, %l : index, index, index
  }

  // CHECK-LABEL: func @digits_are_summed
  // CHECK-NOT: affine
  // CHECK: %[[A:.*]] = arith.muli %{{.*}}, %c32
  // CHECK: arith.addi %[[A]]
  gpu.func @digits_are_summed(%a: index, %b: index) -> index {
    %l = affine.linearize_index disjoint [%a, %b] by (2, 32) : index
    gpu.return %l : index
  }

  // CHECK-LABEL: func @subviews_fold_into_accesses
  // CHECK-SAME: %[[M:.*]]: memref<64x64xf32>
  // CHECK-NOT: memref.subview
  // CHECK: vector.transfer_read %[[M]]
  gpu.func @subviews_fold_into_accesses(%m: memref<64x64xf32>, %i: index) -> vector<4xf32> {
    %c0 = arith.constant 0 : index
    %z = arith.constant 0.0 : f32
    %s = memref.subview %m[%i, 0] [8, 64] [1, 1] : memref<64x64xf32> to memref<8x64xf32, strided<[64, 1], offset: ?>>
    %v = vector.transfer_read %s[%c0, %c0], %z {in_bounds = [true]} : memref<8x64xf32, strided<[64, 1], offset: ?>>, vector<4xf32>
    gpu.return %v : vector<4xf32>
  }
}
