// RUN: distaff compile %s --func products --target sm_80 --stop-after=configure | FileCheck %s
// RUN: distaff run %s --func products --target sm_80 --check --every-stage | FileCheck %s --check-prefix=RIGHT
// RUN: distaff run %s --func products --target sm_80 --check --device ptx | FileCheck %s --check-prefix=PTX
// RUN: distaff run %s --func any_number --target gfx942 --shape arg0=37x3x7 --shape arg1=37x7x5 --config workgroup=16x3x5x0 --check | FileCheck %s --check-prefix=LOWER
// RUN: distaff run %s --func any_number --target gfx1100 --shape arg0=1x3x7 --shape arg1=1x7x5 --check | FileCheck %s --check-prefix=LOWER

// VX-231: the 16 elements of a product leave half of a subgroup's lanes without work, so that a
// workgroup computes products of many batches.
// CHECK: workgroup = [{{[2-9]|[1-9][0-9]+}}, 4, 4, 0]
// RIGHT: tile {{.*}} ok
// RIGHT: convert {{.*}} ok
// PTX: ptx {{.*}} ok
// LOWER: lower {{.*}} ok

func.func @products(%a: tensor<1027x4x4xf32>, %b: tensor<1027x4x4xf32>) -> tensor<1027x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1027x4x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1027x4x4xf32>) -> tensor<1027x4x4xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<1027x4x4xf32>, tensor<1027x4x4xf32>) outs(%f : tensor<1027x4x4xf32>) -> tensor<1027x4x4xf32>
  return %r : tensor<1027x4x4xf32>
}

func.func @any_number(%a: tensor<?x3x7xf64>, %b: tensor<?x7x5xf64>) -> tensor<?x3x5xf64> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f64
  %n = tensor.dim %a, %c0 : tensor<?x3x7xf64>
  %e = tensor.empty(%n) : tensor<?x3x5xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<?x3x5xf64>) -> tensor<?x3x5xf64>
  %r = linalg.batch_matmul ins(%a, %b : tensor<?x3x7xf64>, tensor<?x7x5xf64>) outs(%f : tensor<?x3x5xf64>) -> tensor<?x3x5xf64>
  return %r : tensor<?x3x5xf64>
}
