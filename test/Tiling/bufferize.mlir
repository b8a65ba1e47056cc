// RUN: distaff-opt %s --distaff-bufferize | FileCheck %s

// Results are written where they are wanted: no memory, no copy, no view.
// CHECK-LABEL: func.func @results_become_arguments
// CHECK-SAME:  (%[[X:.*]]: memref<64x32xf32>, %[[Y:.*]]: memref<64x32xf32> {iree.abi.output = 0 : index}, %[[S:.*]]: memref<64xf32> {iree.abi.output = 1 : index})
// CHECK-NOT:   memref.alloc
// CHECK-NOT:   memref.copy
// CHECK-NOT:   memref.subview
// CHECK:       scf.forall (%[[I:.*]]) in (64) {
// CHECK:         %[[V:.*]] = vector.transfer_read %[[X]][%[[I]], %c0]
// CHECK:         vector.transfer_write %[[V]], %[[Y]][%[[I]], %c0]
// CHECK:         vector.transfer_write %{{.*}}, %[[S]][%[[I]]]
// CHECK:       } {mapping = [#gpu.block<x>]}
// CHECK:       return{{$}}
func.func @results_become_arguments(%x: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %acc = arith.constant dense<0.0> : vector<1xf32>
  %c0 = arith.constant 0 : index
  %e0 = tensor.empty() : tensor<64x32xf32>
  %e1 = tensor.empty() : tensor<64xf32>
  %r:2 = scf.forall (%i) in (64) shared_outs(%y = %e0, %s = %e1) -> (tensor<64x32xf32>, tensor<64xf32>) {
    %v = vector.transfer_read %x[%i, %c0], %zero {in_bounds = [true, true]} : tensor<64x32xf32>, vector<1x32xf32>
    %t0 = tensor.empty() : tensor<1x32xf32>
    %w0 = vector.transfer_write %v, %t0[%c0, %c0] {in_bounds = [true, true]} : vector<1x32xf32>, tensor<1x32xf32>
    %sum = vector.multi_reduction <add>, %v, %acc [1] : vector<1x32xf32> to vector<1xf32>
    %t1 = tensor.empty() : tensor<1xf32>
    %w1 = vector.transfer_write %sum, %t1[%c0] {in_bounds = [true]} : vector<1xf32>, tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w0 into %y[%i, 0] [1, 32] [1, 1] : tensor<1x32xf32> into tensor<64x32xf32>
      tensor.parallel_insert_slice %w1 into %s[%i] [1] [1] : tensor<1xf32> into tensor<64xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r#0, %r#1 : tensor<64x32xf32>, tensor<64xf32>
}

// The extents of a dynamic result are formulas of those of the arguments.
// CHECK-LABEL: func.func @dynamic_result(
// CHECK-SAME:      %{{[^:]*}}: memref<?x8x?xf32>, %{{[^:]*}}: memref<?xf32>,
// CHECK-SAME:      %{{[^:]*}}: memref<?x4x?xf32> {iree.abi.extents = affine_map<()[s0, s1, s2] -> (s2, s0 * 2 + s1)>, iree.abi.output = 0 : index})
func.func @dynamic_result(%a: tensor<?x8x?xf32>, %b: tensor<?xf32>) -> tensor<?x4x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %m = tensor.dim %a, %c0 : tensor<?x8x?xf32>
  %n = tensor.dim %a, %c2 : tensor<?x8x?xf32>
  %k = tensor.dim %b, %c0 : tensor<?xf32>
  %twice = arith.muli %m, %c2 : index
  %sum = arith.addi %twice, %n : index
  %e = tensor.empty(%k, %sum) : tensor<?x4x?xf32>
  return %e : tensor<?x4x?xf32>
}

// Formulas of one operand each follow from the extent, however many they are.
// CHECK-LABEL: func.func @chain_of_formulas(
// CHECK-SAME:      iree.abi.extents = affine_map<()[s0] -> (s0 + 16)>
#next = affine_map<(d0) -> (d0 + 1)>
func.func @chain_of_formulas(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n0 = tensor.dim %a, %c0 : tensor<?xf32>
  %n1 = affine.apply #next(%n0)
  %n2 = affine.apply #next(%n1)
  %n3 = affine.apply #next(%n2)
  %n4 = affine.apply #next(%n3)
  %n5 = affine.apply #next(%n4)
  %n6 = affine.apply #next(%n5)
  %n7 = affine.apply #next(%n6)
  %n8 = affine.apply #next(%n7)
  %n9 = affine.apply #next(%n8)
  %n10 = affine.apply #next(%n9)
  %n11 = affine.apply #next(%n10)
  %n12 = affine.apply #next(%n11)
  %n13 = affine.apply #next(%n12)
  %n14 = affine.apply #next(%n13)
  %n15 = affine.apply #next(%n14)
  %n16 = affine.apply #next(%n15)
  %e = tensor.empty(%n16) : tensor<?xf32>
  return %e : tensor<?xf32>
}
