#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), math-expand-ops.
#
# Documented: math.asinh is the inverse hyperbolic sine, an odd function.
#
# Seen: it is expanded to log(x + sqrt(x^2 + 1)). For positive operands that is right;
# for negative ones the sum cancels: asinh(-130) is wrong in the fifth digit,
# asinh(-10000) is -inf where asinh(10000) is 9.9. From 2e19 on the square overflows,
# and asinh(1e20) is +inf.
#
# Why it matters: tests of elementary functions often sample positive operands or
# operands around 0, which are right here.
#
# Distaff: lib/Lower/LowerMathFunctions.cpp (asinh) computes with the magnitude, by
# log1p, and copies the sign.
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/values.sh"
llvm

asinh() {
  cat >"$work/asinh.mlir" <<MLIR
func.func @asinh(%x: f32) -> f32 {
  %r = math.asinh %x : f32
  return %r : f32
}
func.func @main() -> f32 {
  %x = arith.constant $1 : f32
  %r = func.call @asinh(%x) : (f32) -> f32
  return %r : f32
}
MLIR
  valueOf "$work/asinh.mlir" f32 --math-expand-ops
}
expect "asinh(130) (exact: 5.560697)" "$(asinh 130.0)" 5.560697e+00
expect "asinh(-130)" "$(asinh -130.0)" -5.560926e+00
expect "asinh(10000) (exact: 9.9034876)" "$(asinh 10000.0)" 9.903487e+00
expect "asinh(-10000)" "$(asinh -10000.0)" -INF
expect "asinh(1e20) (exact: 46.744845)" "$(asinh 1.0e20)" INF
