// What spills with LLVM's strength reduction is generated without it too, and the code that spills nothing is kept (VX-294).
// RUN: distaff compile %s --target gfx942 --emit gcn -o - | FileCheck %s
// CHECK: .vgpr_spill_count: 0
func.func @update_cache_of_heads(%arg0: tensor<288x323x137xf32>, %arg1: tensor<7x288x137xf32>, %arg2: tensor<7x1xi32>) -> (tensor<288x323x137xf32>) {
  %v1 = tensor.scatter %arg1 into %arg0[%arg2] scatter_dims([1]) unique : (tensor<7x288x137xf32>, tensor<288x323x137xf32>, tensor<7x1xi32>) -> tensor<288x323x137xf32>
  return %v1 : tensor<288x323x137xf32>
}
