#!/bin/bash
# ptxas and nvdisasm 13.5.37 (PyPI nvidia-cuda-nvcc, nvidia-cuda-nvdisasm).
#
# Documented: the PTX manual gives each instruction a grammar with its modifiers in one
# order, as in ldmatrix.sync.aligned.m8n8.x4.shared.b16 or cvt.rn.f32.f64.
#
# Seen: ptxas takes the modifiers of most instructions in any order, a rounding between
# the two types of a cvt included, and writes the same machine code. It does not for
# all: mul.s32.lo is refused.
#
# Why it matters: a PTX reader written after the manual refuses text of CUTLASS and
# TileLang, which have .x4 before .m8n8; and one that looks modifiers up by position
# may take the wrong one of two types.
#
# Distaff: lib/Ptx/Ops/Matrix.cpp takes the words of ldmatrix, stmatrix and movmatrix in
# any order, PtxSubgroup.LdmatrixGivesRowsOrColumns in unittests/Ptx; those of other
# instructions in the manual's, and what is written otherwise is not modelled.
source "$(dirname "$0")/packages.sh"
ptxas

# The opcode that the PTX instruction $1 becomes, or the error.
opcode() {
  cat >"$work/order.ptx" <<PTX
.version 8.4
.target sm_80
.address_size 64
.visible .entry order(.param .u64 out) {
  .reg .b64 %out, %at;
  .reg .b32 %r<8>;
  .reg .f32 %f<4>;
  .reg .f64 %d<2>;
  ld.param.u64 %out, [out];
  mov.u32 %r5, %tid.x;
  mul.wide.u32 %at, %r5, 8;
  add.s64 %at, %out, %at;
  ld.global.f64 %d1, [%at];
  ld.global.f32 %f2, [%at+64];
  ld.global.f32 %f3, [%at+128];
  ld.global.b32 %r6, [%at+192];
  $1;
  st.global.b32 [%at], %r1;
  st.global.f32 [%at+4], %f1;
  ret;
}
PTX
  if ! ptxas -arch=sm_80 "$work/order.ptx" -o "$work/order.cubin" 2>"$work/errors"; then
    sed -n 's/.*error *: //p' "$work/errors"
    return
  fi
  nvdisasm -c "$work/order.cubin" |
    grep -o -E '\b(LDSM|F2F|FADD|ATOMG|IMAD |IMUL)[A-Z0-9._]*' | xargs
}
matrix="{%r1, %r2, %r3, %r4}, [%r5]"
expect "ldmatrix.sync.aligned.m8n8.x4.shared.b16" \
  "$(opcode "ldmatrix.sync.aligned.m8n8.x4.shared.b16 $matrix")" LDSM.16.M88.4
expect "ldmatrix.sync.aligned.x4.m8n8.shared.b16" \
  "$(opcode "ldmatrix.sync.aligned.x4.m8n8.shared.b16 $matrix")" LDSM.16.M88.4
expect "ldmatrix.x4.shared.b16.m8n8.sync.aligned" \
  "$(opcode "ldmatrix.x4.shared.b16.m8n8.sync.aligned $matrix")" LDSM.16.M88.4
expect "cvt.rn.f32.f64" "$(opcode "cvt.rn.f32.f64 %f1, %d1")" F2F.F32.F64
expect "cvt.f32.rn.f64" "$(opcode "cvt.f32.rn.f64 %f1, %d1")" F2F.F32.F64
expect "add.f32.ftz.rn" "$(opcode "add.f32.ftz.rn %f1, %f2, %f3")" FADD.FTZ
expect "atom.global.u32.add" \
  "$(opcode "atom.global.u32.add %r1, [%at], %r6")" ATOMG.E.ADD.STRONG.GPU
expect "mul.s32.lo" "$(opcode "mul.s32.lo %r1, %r5, %r6")" \
  "Unexpected instruction types specified for 'mul'"
