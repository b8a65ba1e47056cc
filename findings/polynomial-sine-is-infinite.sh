#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), polynomial approximations of
# the math dialect (populateMathPolynomialApproximationPatterns; mlir-opt runs them as
# test-math-polynomial-approximation).
#
# Documented: math.sin is the sine of its operand. Nothing limits the range of the
# approximation.
#
# Seen: the sine of 1e20 is -inf, of 1e10 it is 0, of 100000 it is off in the second
# digit. The operand is reduced by one product with 2/pi in f32, which leaves few digits
# or none, and the polynomial is evaluated outside of its range. Negative operands are
# moved by a quarter turn first, so small ones lose all digits: the sine of -1e-8 is
# positive, and six times as large.
#
# Why it matters: code that takes a root of 1 - sin^2 gets NaN. Rotary embeddings take
# sines of token positions, which reach 100000.
#
# Distaff: lib/Lower/LowerMathFunctions.cpp (sine, reduced) reduces with 2/pi in three
# parts, so that the pattern only sees what it is right for.
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/values.sh"
llvm

sine() {
  local x=$1
  shift
  cat >"$work/sine.mlir" <<MLIR
func.func @sine(%x: f32) -> f32 {
  %r = math.sin %x : f32
  return %r : f32
}
func.func @main() -> f32 {
  %x = arith.constant $x : f32
  %r = func.call @sine(%x) : (f32) -> f32
  return %r : f32
}
MLIR
  valueOf "$work/sine.mlir" f32 "$@"
}
approximate=--test-math-polynomial-approximation
expect "sin(1e20) by the C library" "$(sine 1.0e20)" 6.565767e-01
expect "sin(1e20), approximated" "$(sine 1.0e20 $approximate)" -INF
expect "sin(1e10) by the C library" "$(sine 1.0e10)" -4.875060e-01
expect "sin(1e10), approximated" "$(sine 1.0e10 $approximate)" 0.000000e+00
expect "sin(1e5) by the C library" "$(sine 1.0e5)" 3.574880e-02
expect "sin(1e5), approximated" "$(sine 1.0e5 $approximate)" 3.953601e-02
expect "sin(-1e-8) by the C library" "$(sine -1.0e-8)" -1.000000e-08
expect "sin(-1e-8), approximated" "$(sine -1.0e-8 $approximate)" 6.229855e-08
