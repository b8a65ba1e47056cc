#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), arith-expand.
#
# Documented: arith.maximumf treats -0.0 as less than +0.0 and is commutative.
#
# Seen: arith-expand turns it into a comparison and a selection, for which the zeros
# are equal: maximumf(+0, -0) is -0 and maximumf(-0, +0) is +0. The op has the trait
# Commutative, so other passes may swap the operands and with them the result.
#
# Why it matters: arith.maxnumf is the op that may return either zero. Who chose
# maximumf, for which LLVM has an exact intrinsic, chose it for this case; the pass,
# which is to "legalize for LLVM", gives it up.
#
# Distaff: lib/Conversion/ConvertToLLVM.cpp has of these patterns only those of ceil and
# floor divisions, so that llvm.maximum is left to LLVM, which has it right.
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/values.sh"
llvm

# The maximum of $1 and $2.
maximum() {
  local x=$1 y=$2
  shift 2
  cat >"$work/maximum.mlir" <<MLIR
func.func @maximum(%x: f32, %y: f32) -> f32 {
  %r = arith.maximumf %x, %y : f32
  return %r : f32
}
func.func @main() -> f32 {
  %x = arith.constant $x : f32
  %y = arith.constant $y : f32
  %r = func.call @maximum(%x, %y) : (f32, f32) -> f32
  return %r : f32
}
MLIR
  valueOf "$work/maximum.mlir" f32 "$@"
}
expect "maximumf(+0, -0) by LLVM's intrinsic" "$(maximum 0.0 -0.0)" 0.000000e+00
expect "maximumf(+0, -0) after arith-expand" "$(maximum 0.0 -0.0 --arith-expand)" -0.000000e+00
expect "maximumf(-0, +0) after arith-expand" "$(maximum -0.0 0.0 --arith-expand)" 0.000000e+00
