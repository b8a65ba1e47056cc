// RUN: distaff compile %s --target sm_80 --emit llvm | FileCheck %s
// RUN: distaff run %s --target sm_80 --device ptx --check | FileCheck %s --check-prefix=RIGHT
// RUN: distaff compile %s --target gfx1100 --emit gcn | FileCheck %s --check-prefix=GCN
// RUN: distaff compile %s --target gfx1201 --emit gcn | FileCheck %s --check-prefix=GCN
// RUN: distaff compile %s --target gfx942 --emit gcn | FileCheck %s --check-prefix=GCN
// RUN: distaff compile %s --target gfx908 --emit gcn | FileCheck %s --check-prefix=GCN

// Lanes that hold padding load nothing. The matrix instruction behind their branch is executed by all lanes, once, though
// what most lanes compute is not stored: it is not duplicated into the branches.
// CHECK-COUNT-1: call { float, float, float, float } @llvm.nvvm.mma.m16n8k8
// CHECK-NOT: call {{.*}} @llvm.nvvm.mma
// CHECK: declare {{.*}} @llvm.nvvm.mma
// CHECK: attributes #{{[0-9]+}} = { convergent }
// RIGHT: ok
// Nor is it sunk below the condition under which its sums are stored.
// GCN: v_{{w?mma|mfma}}_f32
// GCN: s_and_saveexec
// GCN: global_store
func.func @product(%a: tensor<1x1xf16>, %b: tensor<1x1xf16>) -> tensor<1x1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x1xf32>) -> tensor<1x1xf32>
  %r = linalg.matmul ins(%a, %b : tensor<1x1xf16>, tensor<1x1xf16>) outs(%f : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %r : tensor<1x1xf32>
}
