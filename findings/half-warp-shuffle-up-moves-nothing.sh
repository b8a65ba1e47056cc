#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), convert-gpu-to-nvvm.
#
# Documented: gpu.shuffle up by 1 with width 16 gives lane k of the first 16 lanes the
# value of lane k - 1.
#
# Seen: the instruction that comes out is shfl.sync.up with the clamp 32 - 16 = 16. The
# PTX manual lets a lane read lane k - 1 only if k - 1 >= clamp, so for the lanes below
# 16 there is none: each keeps its own value, and its predicate is false. With width
# 32 the clamp is 0 and all is right, as it is for xor, down and idx, whose clamp is
# width - 1. The member mask names the 16 lanes alone, although all 32 execute the
# instruction, and that is undefined.
#
# Why it matters: a scan over half a warp returns its input. Nothing is refused, and
# tests with the full width pass.
#
# Distaff: lib/Conversion/LaneShuffles.cpp lowers shuffles narrower than a subgroup by
# a pattern of its own, with the clamp 0 and all lanes in the mask.
source "$(dirname "$0")/packages.sh"
llvm

# Clamp and member mask of the PTX for a shuffle $1 among $2 lanes.
shuffle() {
  cat >"$work/shuffle.mlir" <<MLIR
gpu.module @m {
  gpu.func @k(%x: f32, %out: memref<64xf32>, %valid: memref<64xi1>, %i: index) kernel {
    %width = arith.constant $2 : i32
    %offset = arith.constant 1 : i32
    %y, %v = gpu.shuffle $1 %x, %offset, %width : f32
    memref.store %y, %out[%i] : memref<64xf32>
    memref.store %v, %valid[%i] : memref<64xi1>
    gpu.return
  }
}
MLIR
  mlir-opt --convert-gpu-to-nvvm "$work/shuffle.mlir" |
    sed -e '1d' -e '/^}/d' -e 's/gpu.module @m.*{$/module {/' |
    mlir-translate --mlir-to-llvmir | llc -mtriple=nvptx64-nvidia-cuda -mcpu=sm_80 |
    sed -n 's/.*\(shfl[^ \t]*\).*, \([-0-9]*\), \([-0-9]*\);/\1 clamp \2 mask \3/p'
}
expect "up in 32 lanes" "$(shuffle up 32)" "shfl.sync.up.b32 clamp 0 mask -1"
expect "up in 16 lanes" "$(shuffle up 16)" "shfl.sync.up.b32 clamp 16 mask 65535"
expect "down in 16 lanes" "$(shuffle down 16)" "shfl.sync.down.b32 clamp 15 mask 65535"
