#!/bin/bash
# ptxas and nvdisasm 13.5.37 (PyPI nvidia-cuda-nvcc, nvidia-cuda-nvdisasm).
#
# Documented: a mul and an add without a rounding modifier "may be optimized to use
# fused-multiply-add instructions"; with .rn on either they are not (PTX ISA, add).
#
# Seen: a product is fused into all of its sums or into none, in one basic block and
# through mov and neg; not where it is also compared or read in another block, and
# not in x + x. Of a sum of two products the first operand is fused, but the second
# where the first has several uses. cvt between f16 and bf16 has a default rounding,
# every other inexact cvt without one is an error.
#
# Why it matters: which sums have one rounding depends on uses elsewhere, so that a
# store that is added for debugging changes a result.
#
# Distaff: lib/Ptx/Contraction.cpp chooses the same sums, and --contract off none
# (docs/PtxMachine.md).
source "$(dirname "$0")/packages.sh"
ptxas

# The float instructions that the PTX statements $1 become, or the error.
opcodes() {
  cat >"$work/sum.ptx" <<PTX
.version 8.4
.target sm_90
.address_size 64
.visible .entry sum(.param .u64 out) {
  .reg .b64 %at; .reg .pred %p; .reg .f32 %f<12>; .reg .b16 %h<4>; .reg .f64 %d<2>;
  ld.param.u64 %at, [out];
  ld.global.f32 %f2, [%at+4];
  ld.global.f32 %f3, [%at+8];
  ld.global.f32 %f4, [%at+12];
  ld.global.b16 %h2, [%at+16];
  ld.global.f64 %d1, [%at+24];
  setp.gt.f32 %p, %f4, 0f00000000;
  $1
  st.global.f32 [%at], %f1;
  st.global.f32 [%at+4], %f9;
  st.global.b16 [%at+8], %h1;
  ret;
}
PTX
  if ! ptxas -arch=sm_90 "$work/sum.ptx" -o "$work/sum.cubin" 2>"$work/errors"; then
    sed -n '1s/.*error *: //p' "$work/errors"
    return
  fi
  nvdisasm -c "$work/sum.cubin" | grep -o -E '\b(FMUL|FADD|FFMA|F2F)[A-Z0-9._]*' | xargs
}
product="mul.f32 %f5, %f2, %f3;"
expect "mul, add" "$(opcodes "$product add.f32 %f1, %f5, %f4;")" FFMA
expect "mul.rn, add" "$(opcodes "mul.rn.f32 %f5, %f2, %f3; add.f32 %f1, %f5, %f4;")" "FMUL FADD"
expect "mul, add.rn" "$(opcodes "$product add.rn.f32 %f1, %f5, %f4;")" "FMUL FADD"
expect "mul, two adds" "$(opcodes "$product add.f32 %f1, %f5, %f4; add.f32 %f9, %f5, %f2;")" "FFMA FFMA"
expect "mul, add, and stored" "$(opcodes "$product add.f32 %f1, %f5, %f4; mov.f32 %f9, %f5;")" "FMUL FADD"
expect "mul, add to itself" "$(opcodes "$product add.f32 %f1, %f5, %f5;")" "FMUL FADD"
expect "two products" "$(opcodes "$product mul.f32 %f6, %f3, %f4; add.f32 %f1, %f5, %f6;")" "FMUL FFMA"
expect "add behind a branch" "$(opcodes "$product @%p bra L; add.f32 %f1, %f5, %f4; bar.sync 0;
  L:")" "FMUL FADD"
expect "cvt.bf16.f16" "$(opcodes "cvt.bf16.f16 %h1, %h2;")" F2F.BF16.F16
expect "cvt.f32.f64" "$(opcodes "cvt.f32.f64 %f1, %d1;")" "Rounding modifier required for instruction 'cvt'"
