#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), arith-expand with
# include-f4e2m1 and include-f8e8m0; ml_dtypes 0.6.0 with NumPy 2.4.6 to compare.
#
# Documented: arith.truncf rounds "using the default rounding mode", which is to the
# nearest number and, between two, to the even one.
#
# Seen: the expansion for f4E2M1FN rounds ties away from zero (2.5 becomes 3, 5 becomes
# 6) and loses the sign of zero; the one for f8E8M0FNU drops the fraction (1.9999
# becomes 1). Constants are folded by other code: NaN is 0 if folded and 6 if computed.
# ml_dtypes rounds to the nearest.
#
# Why it matters: these are the types of microscaling formats. Weights quantized by
# NumPy code and by the compiled kernel differ in every tie, and scales by a factor of
# two.
#
# Distaff: has no code for these types and says so (include/distaff/Analysis/Legality/NoCode.h).
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/values.sh"
llvm
pypi numpy==2.4.6 ml_dtypes==0.6.0

# The bits of $1 as type $2, which has $3 of them.
bits() {
  cat >"$work/convert.mlir" <<MLIR
func.func @convert(%x: f32) -> i$3 {
  %y = arith.truncf %x : f32 to $2
  %bits = arith.bitcast %y : $2 to i$3
  return %bits : i$3
}
func.func @main() -> i32 {
  %x = arith.constant $1 : f32
  %bits = func.call @convert(%x) : (f32) -> i$3
  %r = arith.extui %bits : i$3 to i32
  return %r : i32
}
MLIR
  valueOf "$work/convert.mlir" i32 --arith-expand="include-f4e2m1=true include-f8e8m0=true"
}
reference() {
  PYTHONPATH=$pypi python3 -c "import ml_dtypes, numpy
print(int(numpy.array([$1], numpy.float32).astype(ml_dtypes.$2).view(numpy.uint8)[0]))"
}
# Numbers of f4E2M1FN from 0 on: 0, 0.5, 1, 1.5, 2, 3, 4, 6; 8 has the sign of zero.
expect "2.5 as f4E2M1FN (4 is 2.0, 5 is 3.0)" "$(bits 2.5 f4E2M1FN 4)" 5
expect "the same in ml_dtypes" "$(reference 2.5 float4_e2m1fn)" 4
expect "5.0 as f4E2M1FN (6 is 4.0, 7 is 6.0)" "$(bits 5.0 f4E2M1FN 4)" 7
expect "the same in ml_dtypes" "$(reference 5.0 float4_e2m1fn)" 6
expect "-0.0 as f4E2M1FN" "$(bits -0.0 f4E2M1FN 4)" 0
expect "the same in ml_dtypes" "$(reference -0.0 float4_e2m1fn)" 8
expect "NaN as f4E2M1FN, computed" "$(bits 0x7FC00000 f4E2M1FN 4)" 7
cat >"$work/nan.mlir" <<'MLIR'
func.func @nan() -> f4E2M1FN {
  %x = arith.constant 0x7FC00000 : f32
  %y = arith.truncf %x : f32 to f4E2M1FN
  return %y : f4E2M1FN
}
MLIR
expect "NaN as f4E2M1FN, folded" "$(mlir-opt --canonicalize "$work/nan.mlir" |
  sed -n 's/.*constant \(.*\) : f4E2M1FN/\1/p')" 0x0
expect "1.9999 as f8E8M0FNU (127 is 1.0, 128 is 2.0)" "$(bits 1.9999 f8E8M0FNU 8)" 127
expect "the same in ml_dtypes" "$(reference 1.9999 float8_e8m0fnu)" 128
