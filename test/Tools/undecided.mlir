// A bound that decides nothing is exit code 3, and says which inputs may decide.
// RUN: not distaff run %s --func products_in_f16 --target sm_80 --check 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE-DAG: lower {{.*}} undecided
// WIDE-DAG: after lower: the bound of res0, {{.*}}, is over 2 % of its largest magnitude, {{.*}}; whole numbers have exact sums, and may decide it: --input arg0=whole:0:-2:2 --input arg1=whole:1:-2:2{{$}}

// They do.
// RUN: distaff run %s --func products_in_f16 --target sm_80 --check --every-stage --input arg0=whole:0:-2:2 --input arg1=whole:1:-2:2 | FileCheck %s --check-prefix=WHOLE
// WHOLE: input max error 0.00e+00  bound 0.00e+00  ok
// WHOLE: lower max error 0.00e+00  bound 0.00e+00  ok

func.func @products_in_f16(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<64x64xf16>
  %c = linalg.fill ins(%zero : f16) outs(%e : tensor<64x64xf16>) -> tensor<64x64xf16>
  %d = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %d : tensor<64x64xf16>
}

// Memory that a kernel only writes needs no input.
// RUN: not distaff run %s --func written --target sm_80 --check 2>&1 | FileCheck %s --check-prefix=WRITTEN
// WRITTEN: may decide it: --input arg0=whole:0:-2:2 --input arg2=whole:2:-2:2{{$}}
func.func @written(%x: memref<4096xf16>, %o: memref<f16>, %y: memref<1xf16>) attributes {translation_info = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>} {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f16
  %v = vector.transfer_read %x[%c0], %z {in_bounds = [true]} : memref<4096xf16>, vector<4096xf16>
  %a = memref.load %y[%c0] : memref<1xf16>
  %s = vector.reduction <add>, %v, %a : vector<4096xf16> into f16
  memref.store %s, %o[] : memref<f16>
  return
}
