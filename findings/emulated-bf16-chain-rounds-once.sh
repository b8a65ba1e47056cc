#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1),
# arith-emulate-unsupported-floats and canonicalize.
#
# Documented: the pass emulates bf16 by f32 with extf and truncf around each
# operation, "while preserving the original rounding behavior".
#
# Seen: the conversions that it inserts carry fastmath<contract>, and with that flag
# canonicalize folds truncf followed by extf. A chain of operations without any
# fast-math flag is then rounded to bf16 once, at its end.
#
# Why it matters: 256 + 1 + 1 in bf16 is 256, as a GPU with bf16 instructions has it;
# a CPU that runs the emulation has 258. A test that compares the two fails, and the
# flag stands in no source.
#
# Distaff: lib/Cpu/Convert/HostKernels.cpp (computeInF32) uses the pass's patterns, and
# takes the flag away from what they made.
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/values.sh"
llvm

cat >"$work/chain.mlir" <<'MLIR'
func.func @chain(%x: bf16, %y: bf16) -> bf16 {
  %s = arith.addf %x, %y : bf16
  %t = arith.addf %s, %y : bf16
  return %t : bf16
}
func.func @main() -> i32 {
  %x = arith.constant 256.0 : bf16
  %y = arith.constant 1.0 : bf16
  %s = func.call @chain(%x, %y) : (bf16, bf16) -> bf16
  %bits = arith.bitcast %s : bf16 to i16
  %r = arith.extui %bits : i16 to i32
  return %r : i32
}
MLIR
emulate=--arith-emulate-unsupported-floats="source-types=bf16 target-type=f32"
roundings() { mlir-opt "$@" "$work/chain.mlir" | grep -c arith.truncf; }
expect "roundings to bf16 that the pass writes" "$(roundings "$emulate")" 2
expect "roundings after canonicalize" "$(roundings "$emulate" --canonicalize)" 1
# The bits of 256 are 0x4380 = 17280, those of the next number, 258, 17281.
expect "bits of 256 + 1 + 1" \
  "$(valueOf "$work/chain.mlir" i32 "$emulate" --canonicalize --arith-expand=include-bf16)" 17281
