#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), math-expand-ops.
#
# Documented: math.ceil is the ceiling of its operand, math.roundeven the nearest
# integer; math-expand-ops expands them "into more fundamental operations".
#
# Seen: the expansion of ceil converts every operand to a 64-bit integer and back.
# For infinities, NaN and numbers from 2^63 on that conversion is poison, so the value
# depends on the CPU: where LLVM has a truncation instruction (SSE4.1) it recognizes
# the pair and the ceiling of infinity is infinity; on plain x86-64 it is 2^63, and so
# is the ceiling of NaN. The expansion of round, in the same file, leaves large
# operands alone. roundeven(0.49999997) is 1 on every CPU: the expansion adds 0.5,
# and the sum rounds to 1.
#
# Why it matters: a NaN that becomes a number hides an error, and it does so only on
# machines, or in cross compilations, without the instruction.
#
# Distaff: lib/Lower/LowerMath.cpp names the few ops that it lets these patterns
# expand; rounding stays an instruction.
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/values.sh"
llvm

# Writes @rounded, the op $1 of the constant $2, and @main, which calls it.
write() {
  cat >"$work/round.mlir" <<MLIR
func.func @rounded(%x: f32) -> f32 {
  %r = math.$1 %x : f32
  return %r : f32
}
func.func @operand() -> f32 {
  %x = arith.constant $2 : f32
  return %x : f32
}
MLIR
}
# 1 if the ceiling of $1 is its operand, or NaN of NaN, with the features $2; else 0.
keeps() {
  write ceil "$1"
  cat >>"$work/round.mlir" <<'MLIR'
func.func @main() -> i32 {
  %x = func.call @operand() : () -> f32
  %r = func.call @rounded(%x) : (f32) -> f32
  %equal = arith.cmpf oeq, %r, %x : f32
  %nan = arith.cmpf uno, %r, %r : f32
  %kept = arith.ori %equal, %nan : i1
  %i = arith.extui %kept : i1 to i32
  return %i : i32
}
MLIR
  mlir-opt --math-expand-ops "$work/round.mlir" | mlir-opt "${toLLVM[@]}" |
    mlir-translate --mlir-to-llvmir >"$work/round.ll"
  local status=0
  lli --mattr="$2" "$work/round.ll" || status=$?
  echo "$status"
}
rounded() {
  local op=$1 x=$2
  shift 2
  write "$op" "$x"
  cat >>"$work/round.mlir" <<'MLIR'
func.func @main() -> f32 {
  %x = func.call @operand() : () -> f32
  %r = func.call @rounded(%x) : (f32) -> f32
  return %r : f32
}
MLIR
  valueOf "$work/round.mlir" f32 "$@"
}
for features in +sse4.1:1 -sse4.1:0; do
  expect "ceil(inf) is inf with ${features%:*}" \
    "$(keeps 0x7F800000 "${features%:*}")" "${features#*:}"
  expect "ceil(nan) is nan with ${features%:*}" \
    "$(keeps 0x7FC00000 "${features%:*}")" "${features#*:}"
  expect "ceil(1e20) is 1e20 with ${features%:*}" \
    "$(keeps 1.0e20 "${features%:*}")" "${features#*:}"
done
expect "roundeven(0.49999997)" "$(rounded roundeven 0x3EFFFFFF)" 0.000000e+00
expect "roundeven(0.49999997), expanded" \
  "$(rounded roundeven 0x3EFFFFFF --math-expand-ops)" 1.000000e+00
