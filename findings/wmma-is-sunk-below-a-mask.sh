#!/bin/bash
# LLVM 22.1.8 (Debian llvm-22 1:22.1.8-1~deb12u1), AMDGPU backend.
#
# Documented: v_wmma needs all bits of EXEC set ("RDNA3" instruction set reference,
# 7.9); the intrinsic is convergent.
#
# Seen: for gfx1100 the machine instruction is not: machine sinking moves a product that
# is stored under a condition behind s_and_saveexec, where lanes are off. For gfx1201
# the same function keeps it in front.
#
# Why it matters: every product whose last tile is masked stores so. No pass on IR shows
# it, and the assembly is valid.
#
# Distaff: Pipelines/Backends/AMDGPU.cpp generates code without machine sinking.
source "$(dirname "$0")/packages.sh"
llvm

# Which comes first for a GPU, $1, with $2 elements of f16 per lane: the product or the
# mask.
first() {
  cat >"$work/product.ll" <<LLVM
target triple = "amdgcn-amd-amdhsa"
declare <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v$2f16(<$2 x half>, <$2 x half>, <8 x float>)
declare i32 @llvm.amdgcn.workitem.id.x()
define amdgpu_kernel void @product(ptr addrspace(1) %p, ptr addrspace(1) %q) {
  %lane = call i32 @llvm.amdgcn.workitem.id.x()
  %from = getelementptr <$2 x half>, ptr addrspace(1) %q, i32 %lane
  %a = load <$2 x half>, ptr addrspace(1) %from
  %to = getelementptr <8 x float>, ptr addrspace(1) %p, i32 %lane
  %r = call <8 x float> @llvm.amdgcn.wmma.f32.16x16x16.f16.v8f32.v$2f16(<$2 x half> %a, <$2 x half> %a, <8 x float> zeroinitializer)
  %isInside = icmp ult i32 %lane, 3
  br i1 %isInside, label %write, label %leave
write:
  store <8 x float> %r, ptr addrspace(1) %to
  ret void
leave:
  ret void
}
LLVM
  llc -mcpu="$1" "$work/product.ll" -o - |
    sed -n 's/.*s_cbranch_execz.*/mask/p; s/.*v_wmma.*/product/p' | head -1
}
expect "first on gfx1201" "$(first gfx1201 8)" product
expect "first on gfx1100" "$(first gfx1100 16)" mask
