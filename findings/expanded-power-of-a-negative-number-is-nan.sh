#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), math-expand-ops.
#
# Documented: math.powf is x raised to the power of y; math.fpowi is a floating point
# number "raised to the signed integer power".
#
# Seen: both are expanded to exp(y log x). The power of every negative number is NaN,
# also (-2)^3 and also fpowi, whose exponent is an integer; 0^0 is NaN instead of 1,
# and so is 1^inf. The same op with a constant exponent is expanded to products and is
# right.
#
# Why it matters: x^3 of an activation works in a test with a constant and is NaN for
# half of all inputs when the exponent is an argument. In C, OpenCL and IEEE 754
# pow(-2, 3) is -8.
#
# Distaff: lib/Lower/LowerMath.cpp refuses fpowi by a variable;
# lib/Lower/LowerMathFunctions.cpp (power) adds sign and parity around powf. 0^0 and
# powers of infinities are not yet guarded.
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/values.sh"
llvm

# $1 to the power $2 by powf, or by fpowi if $3 is i32.
power() {
  local x=$1 y=$2 type=$3 op=powf types=f32
  shift 3
  [[ $type == f32 ]] || { op=fpowi types='f32, i32'; }
  cat >"$work/power.mlir" <<MLIR
func.func @power(%x: f32, %y: $type) -> f32 {
  %r = math.$op %x, %y : $types
  return %r : f32
}
func.func @main() -> f32 {
  %x = arith.constant $x : f32
  %y = arith.constant $y : $type
  %r = func.call @power(%x, %y) : (f32, $type) -> f32
  return %r : f32
}
MLIR
  # The sign of a NaN means nothing.
  valueOf "$work/power.mlir" f32 "$@" | sed 's/^-nan/nan/'
}
expect "powf(-2, 3)" "$(power -2.0 3.0 f32)" -8.000000e+00
expect "powf(-2, 3), expanded" "$(power -2.0 3.0 f32 --math-expand-ops)" nan
expect "fpowi(-2, 3), expanded" "$(power -2.0 3 i32 --math-expand-ops)" nan
expect "powf(0, 0), expanded" "$(power 0.0 0.0 f32 --math-expand-ops)" nan
expect "powf(1, inf), expanded" "$(power 1.0 0x7F800000 f32 --math-expand-ops)" nan
