// A function has its exact value where that is an f32, as of cos 0 = 1 and cbrt 27 = 3, else the nearest f32, as of
// acos -1 = pi.
// RUN: distaff run %s --target sm_80 --stop-after=input --func found --output arg0=%t.found.npy
// RUN: distaff run %s --target sm_80 --stop-after=input --func expected --output arg0=%t.expected.npy
// RUN: cmp %t.found.npy %t.expected.npy

func.func @found(%o: memref<25xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %minus = arith.constant -1.0 : f32
  %half = arith.constant -1.5 : f32
  %four = arith.constant 4.0 : f32
  %eight = arith.constant 8.0 : f32
  %cube = arith.constant 27.0 : f32
  %hundred = arith.constant 100.0 : f32
  %inf = arith.constant 0x7F800000 : f32
  %absf = math.absf %half : f32
  %sqrt = math.sqrt %four : f32
  %rsqrt = math.rsqrt %four : f32
  %cbrt = math.cbrt %cube : f32
  %exp = math.exp %zero : f32
  %exp2 = math.exp2 %four : f32
  %expm1 = math.expm1 %zero : f32
  %log = math.log %one : f32
  %log2 = math.log2 %eight : f32
  %log10 = math.log10 %hundred : f32
  %log1p = math.log1p %zero : f32
  %sin = math.sin %zero : f32
  %cos = math.cos %zero : f32
  %tan = math.tan %zero : f32
  %sinh = math.sinh %zero : f32
  %cosh = math.cosh %zero : f32
  %tanh = math.tanh %inf : f32
  %asin = math.asin %one : f32
  %acos = math.acos %minus : f32
  %atan = math.atan %inf : f32
  %asinh = math.asinh %zero : f32
  %acosh = math.acosh %one : f32
  %atanh = math.atanh %zero : f32
  %erf = math.erf %inf : f32
  %erfc = math.erfc %zero : f32
  %all = vector.from_elements %absf, %sqrt, %rsqrt, %cbrt, %exp, %exp2, %expm1, %log, %log2, %log10, %log1p, %sin, %cos,
      %tan, %sinh, %cosh, %tanh, %asin, %acos, %atan, %asinh, %acosh, %atanh, %erf, %erfc : vector<25xf32>
  vector.transfer_write %all, %o[%c0] {in_bounds = [true]} : vector<25xf32>, memref<25xf32>
  return
}

func.func @expected(%o: memref<25xf32>) {
  %c0 = arith.constant 0 : index
  %all = arith.constant dense<[1.5, 2.0, 0.5, 3.0, 1.0, 16.0, 0.0, 0.0, 3.0, 2.0, 0.0, 0.0, 1.0,
      0.0, 0.0, 1.0, 1.0, 1.57079632679, 3.14159265359, 1.57079632679, 0.0, 0.0, 0.0, 1.0, 1.0]> : vector<25xf32>
  vector.transfer_write %all, %o[%c0] {in_bounds = [true]} : vector<25xf32>, memref<25xf32>
  return
}
