#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), canonicalize.
#
# Documented: overflow<nsw> promises that a sum does not wrap; if it does, the result
# is poison. Rewrites must not make a promise that the program did not make.
#
# Seen: (x + INT_MIN) + -1, where neither sum wraps for x >= 1, becomes x + INT_MAX.
# The two constants are added with wrap-around and the flag stays, so the new sum
# does wrap. LLVM then concludes from the flag that x + INT_MAX > x.
#
# Why it matters: the sum itself still has the right bits; what fails is a comparison
# that another pass decides from the flag, far away from the rewrite.
#
# Distaff: lib/Rewrite/ConstantFlags.cpp drops the flags before constants are merged.
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/values.sh"
llvm

cat >"$work/sum.mlir" <<'MLIR'
func.func @grew(%x: i32) -> i1 {
  %least = arith.constant -2147483648 : i32
  %minus = arith.constant -1 : i32
  %y = arith.addi %x, %least overflow<nsw> : i32
  %z = arith.addi %y, %minus overflow<nsw> : i32
  %grew = arith.cmpi sgt, %z, %x : i32
  return %grew : i1
}
func.func @main() -> i32 {
  %x = arith.constant 1000 : i32
  %grew = func.call @grew(%x) : (i32) -> i1
  %r = arith.extui %grew : i1 to i32
  return %r : i32
}
MLIR
# The value after LLVM's optimizations as well.
optimizedValueOf() {
  mlir-opt "$@" | mlir-opt "${toLLVM[@]}" | mlir-runner -O2 --entry-point-result=i32
}
expect "1000 + INT_MIN - 1 > 1000, as written" "$(optimizedValueOf "$work/sum.mlir")" 0
expect "after canonicalize" "$(optimizedValueOf --canonicalize "$work/sum.mlir")" 1
