#!/bin/bash
# LLVM 22.1.8 (Debian llvm-22 1:22.1.8-1~deb12u1), NVPTX backend.
#
# Documented: frem is the remainder of a division, as fmod of the C library, without
# any rounding: "floating-point remainder" with the sign of the dividend.
#
# Seen: without any fast-math flag the instructions are x - trunc(x / y) * y. The
# quotient is rounded to 24 bits, so from quotients of 2^24 on the result has nothing
# to do with the remainder: 1e20 rem 3 is 2.2e12, larger than the divisor. The
# remainder of -0.0 is +0.0. On X86 the same IR calls fmodf and is exact.
#
# Why it matters: angles, hashes and ring buffers take remainders because the result
# is less than the divisor and may index a table.
#
# Distaff: lib/Lower/Remainder.cpp expands the remainder for GPUs, exactly.
source "$(dirname "$0")/packages.sh"
llvm

cat >"$work/rem.ll" <<'LLVM'
define float @rem(float %x, float %y) {
  %r = frem float %x, %y
  ret float %r
}
LLVM
instructions() {
  llc "$@" "$work/rem.ll" -o - |
    grep -o -E '(div|cvt|neg|fma|testp|selp|call|jmp)[a-z0-9.]*' | xargs
}
expect "instructions for sm_90" "$(instructions -mtriple=nvptx64-nvidia-cuda -mcpu=sm_90)" \
  "div.rn.f32 cvt.rzi.f32.f32 neg.f32 fma.rn.f32 testp.infinite.f32 selp.f32"
expect "instructions for X86" "$(instructions -mtriple=x86_64)" jmp
expect "the function that X86 jumps to" \
  "$(llc -mtriple=x86_64 "$work/rem.ll" -o - | grep -o fmodf)" fmodf
expect "what those for sm_90 compute of 1e20 and 3, of -0.0 and 1, and fmod" "$(python3 - <<'PYTHON'
import math, struct
from fractions import Fraction

f32 = lambda x: struct.unpack("f", struct.pack("f", x))[0]


def rem(x, y):
    quotient = f32(math.trunc(f32(x / y)))
    return f32(Fraction(x) - Fraction(quotient) * Fraction(y)) + 0.0


x = f32(1e20)
print(f"{rem(x, 3.0):.3g}", rem(-0.0, 1.0), "fmod", math.fmod(x, 3.0), math.fmod(-0.0, 1.0))
PYTHON
)" "2.2e+12 0.0 fmod 2.0 -0.0"
