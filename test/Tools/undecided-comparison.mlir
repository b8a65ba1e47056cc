// Whole numbers do not decide a comparison of exponentials: no hint.
// RUN: not distaff run %s --target sm_80 --check 2>&1 | FileCheck %s
// CHECK: elements of res0 depend on a choice inside the bound{{$}}
// CHECK-NOT: whole numbers

func.func @compare(%x: tensor<64xf32>) -> tensor<64xf32> {
  %a = math.exp %x : tensor<64xf32>
  %b = arith.mulf %a, %a : tensor<64xf32>
  %c = arith.mulf %x, %x : tensor<64xf32>
  %d = math.exp %x : tensor<64xf32>
  %is = arith.cmpf ogt, %a, %d : tensor<64xf32>
  %r = arith.select %is, %b, %c : tensor<64xi1>, tensor<64xf32>
  return %r : tensor<64xf32>
}
