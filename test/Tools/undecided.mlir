// A bound that decides nothing is exit code 3, and says which inputs may decide.
// RUN: not distaff run %s --target sm_80 --check 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE-DAG: lower {{.*}} undecided
// WIDE-DAG: after lower: the bound of res0, {{.*}}, is over 2 % of its largest magnitude, {{.*}}; whole numbers have exact sums, and may decide it: --input arg0=whole:0:-2:2 --input arg1=whole:1:-2:2{{$}}

// They do.
// RUN: distaff run %s --target sm_80 --check --every-stage --input arg0=whole:0:-2:2 --input arg1=whole:1:-2:2 | FileCheck %s --check-prefix=WHOLE
// WHOLE: input max error 0.00e+00  bound 0.00e+00  ok
// WHOLE: lower max error 0.00e+00  bound 0.00e+00  ok

func.func @products_in_f16(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x64xf16>
  %c = linalg.fill ins(%zero : f16) outs(%e : tensor<64x64xf16>) -> tensor<64x64xf16>
  %d = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %d : tensor<64x64xf16>
}
