// What all threads of a workgroup read between two of its barriers, while subgroups wait for themselves alone, is
// remembered by reader; that takes a time that grows with the readers, not with the pairs of them.
// RUN: timeout 30 distaff run %s --target sm_80 --pipeline run-cluster --shape arg0=1000x1 --check | FileCheck %s
// CHECK: ok
func.func @softmax(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %empty = tensor.empty(%m, %n) : tensor<?x?xf32>
  %result = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %result : tensor<?x?xf32>
}
