#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), convert-gpu-to-rocdl.
#
# Documented: gpu.shuffle up by n has a second result, which is false in lane k if
# k - n is smaller than 0.
#
# Seen: the result is "k - n < the end of the lane's group", which holds in every lane.
# Lane 0 has valid = true and asks ds_bpermute for lane -1, which is lane 63, since the
# instruction takes the number modulo 64. The lower end of the group is not compared.
#
# Why it matters: scans add what is valid, so the last lane's value is added to that of
# the first one. On NVIDIA the same IR is right.
#
# Distaff: lib/Conversion/LaneShuffles.cpp (LowerPermutation) compares the number of the
# lane that is read as an unsigned one, for which -1 is too large.
source "$(dirname "$0")/packages.sh"
llvm

# How many lanes of 64 have valid = true after a shuffle $1 by 1. The lane number is an
# argument in place of the instructions that count it.
validLanes() {
  cat >"$work/shuffle.mlir" <<MLIR
gpu.module @m {
  gpu.func @valid(%x: f32) -> i1 {
    %width = arith.constant 64 : i32
    %offset = arith.constant 1 : i32
    %y, %v = gpu.shuffle $1 %x, %offset, %width : f32
    gpu.return %v : i1
  }
}
MLIR
  # mbcnt counts the lanes below this one; here a global has the number.
  mlir-opt --convert-gpu-to-rocdl=chipset=gfx942 "$work/shuffle.mlir" |
    sed -e '1d' -e '/^}/d' -e '/^ *$/d' -e 's/gpu.module @m.*{$/module {/' \
      -e '/ds_bpermute/d' -e '/llvm.bitcast/d' -e '/rocdl.mbcnt.lo/d' \
      -e 's/\(%[0-9]*\) = rocdl.mbcnt.hi.*/\1 = func.call @lane() : () -> i32/' |
    sed '$d' >"$work/lowered.mlir"
  cat >>"$work/lowered.mlir" <<'MLIR'
  memref.global @number : memref<1xi32> = dense<0>
  func.func @lane() -> i32 {
    %zero = arith.constant 0 : index
    %m = memref.get_global @number : memref<1xi32>
    %lane = memref.load %m[%zero] : memref<1xi32>
    return %lane : i32
  }
  func.func @main() -> i32 {
    %zero = arith.constant 0 : index
    %none = arith.constant 0 : i32
    %x = arith.constant 0.0 : f32
    %m = memref.get_global @number : memref<1xi32>
    %lanes = affine.for %i = 0 to 64 iter_args(%count = %none) -> i32 {
      %lane = arith.index_cast %i : index to i32
      memref.store %lane, %m[%zero] : memref<1xi32>
      %v = llvm.call @valid(%x) : (f32) -> i1
      %one = arith.extui %v : i1 to i32
      %next = arith.addi %count, %one : i32
      affine.yield %next : i32
    }
    return %lanes : i32
  }
}
MLIR
  valueOf "$work/lowered.mlir" i32
}
source "$(dirname "$0")/values.sh"
expect "valid lanes of 64 after shuffle down by 1" "$(validLanes down)" 63
expect "valid lanes of 64 after shuffle up by 1 (right: 63)" "$(validLanes up)" 64
