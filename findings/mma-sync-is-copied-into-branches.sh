#!/bin/bash
# LLVM 22.1.8 (Debian llvm-22 1:22.1.8-1~deb12u1), intrinsics of NVPTX.
#
# Documented: all threads of a warp execute mma.sync together (PTX ISA, "Warp-level
# matrix instructions"); what must not become dependent on more control flow is called
# convergent in LLVM, and the machine instruction is since 2024.
#
# Seen: the intrinsics llvm.nvvm.mma.* are not convergent, where shfl.sync, redux.sync
# and ldmatrix are. SimplifyCFG makes two of a product in front of a branch on what was
# decided before it: one for the threads of each way.
#
# Why it matters: a masked product whose mask is computed under a condition deadlocks or
# multiplies with what absent threads hold. The machine pass that once sank the
# instruction is cured, so the code looks right in most kernels.
#
# Distaff: Pipelines/Backends/NVPTX.cpp marks the calls before any pass.
source "$(dirname "$0")/packages.sh"
llvm

cat >"$work/product.ll" <<'LLVM'
target triple = "nvptx64-nvidia-cuda"
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.tf32(
  i32, i32, i32, i32, i32, i32, float, float, float, float)
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
define ptx_kernel void @product(ptr %p, i1 %first, i32 %x) {
entry:
  br i1 %first, label %mark, label %multiply
mark:
  store i32 1, ptr %p
  br label %multiply
multiply:
  %marked = phi i1 [ true, %mark ], [ false, %entry ]
  %r = call { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.tf32(
    i32 %x, i32 %x, i32 %x, i32 %x, i32 %x, i32 %x, float 0.0, float 0.0, float 0.0, float 0.0)
  %f = extractvalue { float, float, float, float } %r, 0
  br i1 %marked, label %write, label %leave
write:
  store float %f, ptr %p
  ret void
leave:
  ret void
}
define ptx_kernel void @sum(ptr %p, i1 %first, i32 %x) {
entry:
  br i1 %first, label %mark, label %add
mark:
  store i32 1, ptr %p
  br label %add
add:
  %marked = phi i1 [ true, %mark ], [ false, %entry ]
  %r = call i32 @llvm.nvvm.redux.sync.add(i32 %x, i32 -1)
  br i1 %marked, label %write, label %leave
write:
  store i32 %r, ptr %p
  ret void
leave:
  ret void
}
LLVM
opt -S -passes=simplifycfg "$work/product.ll" -o "$work/simplified.ll"
expect "products of one in the source" "$(grep -c 'call .*nvvm.mma' "$work/simplified.ll")" 2
expect "redux.sync of one in the source" "$(grep -c 'call .*nvvm.redux' "$work/simplified.ll")" 1
