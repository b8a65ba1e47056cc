// RUN: %python -c "import sys; sys.path.insert(0, '%S/../Inputs'); import npy, pathlib; [npy.write(pathlib.Path('%t.' + name + '.npy'), 'f32', (32,), [value] * 32) for name, value in (('p', 1.0), ('q', 2.0**-30), ('f', float('inf')))]"
// RUN: not distaff run %s --func=of_elements --target sm_80 --check --input arg0=%t.p.npy --input arg1=%t.q.npy --input arg2=%t.f.npy 2>&1 | FileCheck %s
// RUN: not distaff run %s --func=product --target sm_80 --check --input arg0=%t.p.npy --input arg1=%t.q.npy --input arg2=%t.f.npy 2>&1 | FileCheck %s

// ((p + q) - p - q) * inf is a NaN where sums are exact, and an infinity in f32:
// what is computed of it may be anything.
// CHECK: undecided
// CHECK-NOT: MISMATCH
#m = affine_map<(i) -> (i)>
func.func @of_elements(%p: tensor<32xf32>, %q: tensor<32xf32>, %f: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xi32>, tensor<32xi32>) {
  %e = tensor.empty() : tensor<32xf32>
  %w = tensor.empty() : tensor<32xi32>
  %r:5 = linalg.generic {indexing_maps = [#m, #m, #m, #m, #m, #m, #m, #m], iterator_types = ["parallel"]} ins(%p, %q, %f : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) outs(%e, %e, %e, %w, %w : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xi32>, tensor<32xi32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o0: f32, %o1: f32, %o2: f32, %o3: i32, %o4: i32):
    %s = arith.addf %a, %b : f32
    %t = arith.subf %s, %a : f32
    %u = arith.subf %t, %b : f32
    %n = arith.mulf %u, %c : f32
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %x = arith.cmpf uno, %n, %n : f32
    %compared = arith.select %x, %one, %two : f32
    %sign = math.copysign %one, %n : f32
    %power = math.powf %two, %n : f32
    %signed = arith.fptosi %n : f32 to i32
    %unsigned = arith.fptoui %n : f32 to i32
    linalg.yield %compared, %sign, %power, %signed, %unsigned : f32, f32, f32, i32, i32
  } -> (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xi32>, tensor<32xi32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xi32>, tensor<32xi32>
}

func.func @product(%p: tensor<32xf32>, %q: tensor<32xf32>, %f: tensor<32xf32>) -> tensor<f32> {
  %e = tensor.empty() : tensor<32xf32>
  %s = linalg.add ins(%p, %q : tensor<32xf32>, tensor<32xf32>) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %t = linalg.sub ins(%s, %p : tensor<32xf32>, tensor<32xf32>) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %u = linalg.sub ins(%t, %q : tensor<32xf32>, tensor<32xf32>) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %n = linalg.mul ins(%u, %f : tensor<32xf32>, tensor<32xf32>) outs(%e : tensor<32xf32>) -> tensor<32xf32>
  %one = arith.constant 1.0 : f32
  %z = tensor.empty() : tensor<f32>
  %i = linalg.fill ins(%one : f32) outs(%z : tensor<f32>) -> tensor<f32>
  %r = linalg.reduce { arith.mulf } ins(%n : tensor<32xf32>) outs(%i : tensor<f32>) dimensions = [0]
  return %r : tensor<f32>
}
