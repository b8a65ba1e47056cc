// RUN: distaff-opt %s -allow-unregistered-dialect --distaff-vectorize | FileCheck %s

// Reads and writes are bounded by the slices that a workgroup has, along the dims
// that are cut; behind them reads have the padding, and nothing is written.
// CHECK-LABEL: func.func @cut_in_one_dim(
// CHECK-SAME:      %[[A:.*]]: tensor<?x8xf32>, %[[START:[^:]*]]: tensor<?x8xf32>, %[[I:.*]]: index, %[[SIZE:.*]]: index)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant 0.0
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : index
// CHECK:         scf.forall {{.*}} shared_outs(%[[OUT:.*]] = %[[START]])
// CHECK:           %[[SLICE:.*]] = tensor.extract_slice %[[A]][%[[I]], 0] [%[[SIZE]], 8]
// CHECK:           %[[READ:.*]] = vector.transfer_read %[[SLICE]][%[[C0]], %[[C0]]], %[[ZERO]] {in_bounds = [false, true]} : tensor<?x8xf32>, vector<4x8xf32>
// CHECK:           %[[SUM:.*]] = arith.addf %[[READ]], %[[READ]] : vector<4x8xf32>
// CHECK:           %[[PART:.*]] = tensor.extract_slice %[[OUT]][%[[I]], 0] [%[[SIZE]], 8]
// CHECK:           %[[WRITTEN:.*]] = vector.transfer_write %[[SUM]], %[[PART]][%[[C0]], %[[C0]]] {in_bounds = [false, true]} : vector<4x8xf32>, tensor<?x8xf32>
// CHECK:           tensor.parallel_insert_slice %[[WRITTEN]] into %[[OUT]][%[[I]], 0] [%[[SIZE]], 8]
func.func @cut_in_one_dim(%a: tensor<?x8xf32>, %start: tensor<?x8xf32>, %i: index, %size: index) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %c4 = arith.constant 4 : index
  %r = scf.forall (%w) in (1) shared_outs(%out = %start) -> tensor<?x8xf32> {
    %slice = tensor.extract_slice %a[%i, 0] [%size, 8] [1, 1] : tensor<?x8xf32> to tensor<?x8xf32>
    %high = arith.subi %c4, %size : index
    %padded = tensor.pad %slice low[0, 0] high[%high, 0] {
    ^bb0(%x: index, %y: index):
      tensor.yield %zero : f32
    } : tensor<?x8xf32> to tensor<4x8xf32>
    %empty = tensor.empty() : tensor<4x8xf32>
    %sum = linalg.add ins(%padded, %padded : tensor<4x8xf32>, tensor<4x8xf32>) outs(%empty : tensor<4x8xf32>) -> tensor<4x8xf32>
    %part = tensor.extract_slice %sum[0, 0] [%size, 8] [1, 1] : tensor<4x8xf32> to tensor<?x8xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %part into %out[%i, 0] [%size, 8] [1, 1] : tensor<?x8xf32> into tensor<?x8xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<?x8xf32>
}

// An op that no dialect has is no op of linalg.
// CHECK-LABEL: func.func @op_of_no_dialect
// CHECK: "test.op"
func.func @op_of_no_dialect(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = "test.op"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
