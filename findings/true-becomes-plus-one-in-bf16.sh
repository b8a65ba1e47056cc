#!/bin/bash
# LLVM 22.1.8 (Debian llvm-22 1:22.1.8-1~deb12u1), NVPTX backend.
#
# Documented: sitofp takes its operand as a signed integer; the one bit of an i1 that
# is true is the sign, so the result is -1.
#
# Seen: for bf16 on sm_90 and later true becomes +1, the result of uitofp. For f16 and
# f32 on the same GPU, and for bf16 on sm_80, it is -1.
#
# Why it matters: the conversion of masks is what differs between two GPU generations
# for one type of three, so neither the older GPU nor the other types show it in tests.
#
# Distaff: lib/ToLLVM/ScalarOps.cpp selects -1 or 0.
source "$(dirname "$0")/packages.sh"
llvm

# What the selection for true is in a conversion to $1 on $2.
selected() {
  cat >"$work/convert.ll" <<LLVM
define $1 @convert(i1 %x) {
  %r = sitofp i1 %x to $1
  ret $1 %r
}
LLVM
  llc -mtriple=nvptx64-nvidia-cuda -mcpu="$2" "$work/convert.ll" -o - |
    sed -n 's/.*selp.b32.*%r[0-9]*, \(-*1\), 0,.*/\1/p'
}
expect "true to float on sm_90" "$(selected float sm_90)" -1
expect "true to half on sm_90" "$(selected half sm_90)" -1
expect "true to bfloat on sm_80" "$(selected bfloat sm_80)" -1
expect "true to bfloat on sm_90" "$(selected bfloat sm_90)" 1
