#!/bin/bash
# LLVM 22.1.8 (Debian llvm-22 1:22.1.8-1~deb12u1), NVPTX and AMDGPU backends.
#
# Documented: fcmp holds that the zeros are equal, and select takes an operand as it
# is; so "x < 0 ? x : +0" is +0 for x = -0. Only the flag nsz allows the other zero.
#
# Seen: without flags both backends make a minimum of it. min.f32 and v_min_f32 order
# -0 before +0 and return -0. With <= instead of < the same backends compare and
# select, so the code generator does know of the case. minss of X86 returns its second
# operand if both are zeros, and is right.
#
# Why it matters: 1 / x of the result is -inf in place of +inf, copysign and atan2 see
# another sign, and a bit-exact comparison of CPU and GPU fails.
#
# Distaff: lib/ToLLVM/ScalarOps.cpp compares with the number next to zero instead.
source "$(dirname "$0")/packages.sh"
llvm

# The instructions that choose in "x $1 0 ? x : 0".
chosen() {
  local predicate=$1
  shift
  cat >"$work/select.ll" <<LLVM
define float @below(float %x) {
  %c = fcmp $predicate float %x, 0.0
  %r = select i1 %c, float %x, float 0.0
  ret float %r
}
LLVM
  llc "$@" "$work/select.ll" -o - |
    grep -o -E '\b(min|setp|selp|v_min|v_cmp|v_cndmask)[a-z0-9_.]*[a-z0-9]' | xargs
}
nvptx=(-mtriple=nvptx64-nvidia-cuda -mcpu=sm_90)
amdgpu=(-mtriple=amdgcn-amd-amdhsa -mcpu=gfx942)
expect "x <= 0 ? x : 0 on sm_90" "$(chosen ole "${nvptx[@]}")" "setp.le.f32 selp.f32"
expect "x < 0 ? x : 0 on sm_90" "$(chosen olt "${nvptx[@]}")" min.f32
expect "x <= 0 ? x : 0 on gfx942" "$(chosen ole "${amdgpu[@]}")" \
  "v_cmp_ge_f32_e32 v_cndmask_b32_e32"
expect "x < 0 ? x : 0 on gfx942" "$(chosen olt "${amdgpu[@]}")" v_min_f32_e32
