// RUN: distaff-opt %s --distaff-form-launches=target=sm_80 --distaff-configure=target=sm_80 | FileCheck %s

// An operand goes through shared memory if several subgroups read it: here
// rows and columns are both split, and the device is full of large tiles.
// CHECK: #iree_gpu.lowering_config<{mma_kind = {{.*}}, promote_operands = [0, 1], reduction = {{.*}}, subgroup_basis = {{\[\[}}[[M:[248]]], [[N:[248]]], 1], [0, 1, 2]], workgroup = [{{64|128|256}}, {{64|128|256}}, 0]}>
func.func @both_operands_are_shared(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %d = linalg.matmul ins(%a, %b : tensor<4096x4096xf16>, tensor<4096x4096xf16>) outs(%c : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %d : tensor<4096x4096xf32>
}
