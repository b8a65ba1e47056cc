// An attention that walks over keys of which there may be none: what it weighs is
// then what the product starts as, and not what nothing by nothing is.
// RUN: distaff run %s --func=attention --target host --device host --check --shape=arg0=17x64 --shape=arg1=0x64 --shape=arg2=0x64 | FileCheck %s
// RUN: distaff run %s --func=attention --target host --device host --check --shape=arg0=17x64 --shape=arg1=33x64 --shape=arg2=33x64 | FileCheck %s
// RUN: distaff run %s --func=attention --target sm_80 --check --shape=arg0=17x64 --shape=arg1=0x64 --shape=arg2=0x64 | FileCheck %s
// RUN: distaff run %s --func=attention --target sm_80 --check --shape=arg0=17x64 --shape=arg1=1x64 --shape=arg2=1x64 | FileCheck %s
// RUN: distaff run %s --func=attention --target gfx942 --check --shape=arg0=33x64 --shape=arg1=0x64 --shape=arg2=0x64 | FileCheck %s
// Where there are keys, but a row counts none of them, that is no number.
// RUN: distaff run %s --func=masked --target host --device host --check --shape=arg0=17x64 --shape=arg1=0x64 --shape=arg2=0x64 | FileCheck %s
// RUN: distaff run %s --func=masked --target host --device host --check --shape=arg0=17x64 --shape=arg1=33x64 --shape=arg2=33x64 | FileCheck %s
// RUN: distaff run %s --func=masked --target sm_80 --check --shape=arg0=17x64 --shape=arg1=0x64 --shape=arg2=0x64 | FileCheck %s
// RUN: distaff run %s --func=masked --target sm_80 --check --shape=arg0=17x64 --shape=arg1=33x64 --shape=arg2=33x64 | FileCheck %s
// CHECK: bound {{.*}} ok
func.func @attention(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>, %v: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %q, %c0 : tensor<?x64xf32>
  %n = tensor.dim %k, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %k : tensor<?x64xf32>, tensor<?x64xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %c, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %w = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e2 = tensor.empty(%m) : tensor<?x64xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %o = linalg.matmul ins(%w, %v : tensor<?x?xf32>, tensor<?x64xf32>) outs(%f2 : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %o : tensor<?x64xf32>
}

func.func @masked(%q: tensor<?x64xf32>, %k: tensor<?x64xf32>, %v: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %q, %c0 : tensor<?x64xf32>
  %n = tensor.dim %k, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n, d) -> (m, d)>, affine_map<(m, n, d) -> (n, d)>, affine_map<(m, n, d) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%q, %k : tensor<?x64xf32>, tensor<?x64xf32>) outs(%f : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %c, %p : f32
    linalg.yield %t : f32
  } -> tensor<?x?xf32>
  %ninf = arith.constant 0xFF800000 : f32
  %msk = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%a: f32, %c: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %l = arith.cmpi ult, %j, %i : index
    %p = arith.select %l, %a, %ninf : f32
    linalg.yield %p : f32
  } -> tensor<?x?xf32>
  %w = linalg.softmax dimension(1) ins(%msk : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e2 = tensor.empty(%m) : tensor<?x64xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %o = linalg.matmul ins(%w, %v : tensor<?x?xf32>, tensor<?x64xf32>) outs(%f2 : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %o : tensor<?x64xf32>
}
