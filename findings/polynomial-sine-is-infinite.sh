#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), polynomial approximations of
# the math dialect (populateMathPolynomialApproximationPatterns; mlir-opt runs them as
# test-math-polynomial-approximation).
#
# Documented: math.sin is the sine; approximations are to be accurate to a few units.
#
# Seen: the sine of 1e20 is -inf, of 1e10 it is 0. The operand is reduced by a
# product with 2/pi, of which then no digit is left, and the polynomial is evaluated
# far outside of its range. Small negative operands are moved by a quarter turn first:
# the sine of -1e-8 is positive, and six times as large.
#
# Why it matters: a sine that is not between -1 and 1 breaks what divides by or takes
# roots of 1 - sin^2. Rotary position embeddings take sines of large numbers.
#
# Distaff: lib/Lower/LowerMathFunctions.cpp (sine, reduced) reduces with 2/pi in three
# parts, so that the pattern only sees what it is right for.
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/mlir-values.sh"
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
expect "sin(-1e-8) by the C library" "$(sine -1.0e-8)" -1.000000e-08
expect "sin(-1e-8), approximated" "$(sine -1.0e-8 $approximate)" 6.229855e-08
