// Results that are returned in another shape and read by other launches too, of every rank.
// RUN: distaff run %s --func map --target sm_80 --check --input arg0=whole:1:-2:2 | FileCheck %s
// RUN: distaff run %s --func map --target gfx942 --check --input arg0=whole:1:-2:2 | FileCheck %s
// RUN: distaff run %s --func sums --target gfx942 --check --input arg0=whole:1:-2:2 | FileCheck %s
// RUN: distaff run %s --func sums --target host --check --input arg0=whole:1:-2:2 | FileCheck %s
// RUN: distaff run %s --func number --target sm_80 --check --input arg0=whole:1:-2:2 | FileCheck %s
// RUN: distaff run %s --func number --target host --check --input arg0=whole:1:-2:2 | FileCheck %s
// RUN: distaff run %s --func scanned --target gfx942 --check --input arg0=whole:1:-2:2 | FileCheck %s
// RUN: distaff run %s --func scanned --target host --check --input arg0=whole:1:-2:2 | FileCheck %s
// CHECK: {{.*}} ok
// CHECK-NOT: undecided
func.func @map(%x: tensor<13x35xf32>) -> (tensor<455xf32>, tensor<13x35x1xf32>, tensor<35xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<13x35xf32>
  %y = linalg.abs ins(%x : tensor<13x35xf32>) outs(%e : tensor<13x35xf32>) -> tensor<13x35xf32>
  %c = tensor.collapse_shape %y [[0, 1]] : tensor<13x35xf32> into tensor<455xf32>
  %u = tensor.expand_shape %y [[0], [1, 2]] output_shape [13, 35, 1] : tensor<13x35xf32> into tensor<13x35x1xf32>
  %e1 = tensor.empty() : tensor<35xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<35xf32>) -> tensor<35xf32>
  %s = linalg.reduce { arith.addf } ins(%y : tensor<13x35xf32>) outs(%f1 : tensor<35xf32>) dimensions = [0]
  return %c, %u, %s : tensor<455xf32>, tensor<13x35x1xf32>, tensor<35xf32>
}

func.func @sums(%x: tensor<13x35xf32>) -> (tensor<1x35xf32>, tensor<13x35xf32>) {
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<35xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<35xf32>) -> tensor<35xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<13x35xf32>) outs(%f1 : tensor<35xf32>) dimensions = [0]
  %c = tensor.expand_shape %s [[0, 1]] output_shape [1, 35] : tensor<35xf32> into tensor<1x35xf32>
  %e = tensor.empty() : tensor<13x35xf32>
  %b = linalg.broadcast ins(%s : tensor<35xf32>) outs(%e : tensor<13x35xf32>) dimensions = [0]
  %y = linalg.sub ins(%x, %b : tensor<13x35xf32>, tensor<13x35xf32>) outs(%e : tensor<13x35xf32>) -> tensor<13x35xf32>
  return %c, %y : tensor<1x35xf32>, tensor<13x35xf32>
}

func.func @number(%x: tensor<13x35xf32>) -> (tensor<1x1xf32>, tensor<f32>, tensor<13x35xf32>) {
  %z = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<f32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<13x35xf32>) outs(%f1 : tensor<f32>) dimensions = [0, 1]
  %c = tensor.expand_shape %s [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %e = tensor.empty() : tensor<13x35xf32>
  %b = linalg.broadcast ins(%s : tensor<f32>) outs(%e : tensor<13x35xf32>) dimensions = [0, 1]
  %y = linalg.sub ins(%x, %b : tensor<13x35xf32>, tensor<13x35xf32>) outs(%e : tensor<13x35xf32>) -> tensor<13x35xf32>
  return %c, %s, %y : tensor<1x1xf32>, tensor<f32>, tensor<13x35xf32>
}

func.func @scanned(%x: tensor<13x35xf32>, %a: tensor<13xf32>) -> (tensor<455xf32>, tensor<35xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<13x35xf32>
  %r:2 = iree_linalg_ext.scan dimension(1) inclusive(true) ins(%x : tensor<13x35xf32>) outs(%e, %a : tensor<13x35xf32>, tensor<13xf32>) {
  ^bb0(%p: f32, %q: f32):
    %s = arith.addf %p, %q : f32
    iree_linalg_ext.yield %s : f32
  } -> tensor<13x35xf32>, tensor<13xf32>
  %c = tensor.collapse_shape %r#0 [[0, 1]] : tensor<13x35xf32> into tensor<455xf32>
  %e1 = tensor.empty() : tensor<35xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<35xf32>) -> tensor<35xf32>
  %s = linalg.reduce { arith.addf } ins(%r#0 : tensor<13x35xf32>) outs(%f1 : tensor<35xf32>) dimensions = [0]
  return %c, %s : tensor<455xf32>, tensor<35xf32>
}
