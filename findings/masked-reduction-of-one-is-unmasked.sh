#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), canonicalize.
#
# Documented: an element that vector.mask leaves out does not count in a reduction; of
# no element, the result of vector.reduction <add> is 0, and that of
# vector.multi_reduction is the accumulator.
#
# Seen: if the reduced dimension has one element, canonicalize returns that element
# where the mask leaves it out. Reductions of two elements are right.
#
# Why it matters: a remainder of one element under a mask of none adds what lies
# behind the end.
#
# Distaff: the two patterns are not applied under a mask (lib/Rewrite/Guards.cpp).
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/values.sh"
llvm

# The sum of $1 elements that are 5, none of which the mask keeps.
sum() {
  local count=$1
  shift
  cat >"$work/sum.mlir" <<MLIR
func.func @sum(%x: i32, %n: index) -> i32 {
  %v = vector.broadcast %x : i32 to vector<${count}xi32>
  %m = vector.create_mask %n : vector<${count}xi1>
  %r = vector.mask %m { vector.reduction <add>, %v : vector<${count}xi32> into i32 }
      : vector<${count}xi1> -> i32
  return %r : i32
}
func.func @main() -> i32 {
  %none = arith.constant 0 : index
  %five = arith.constant 5 : i32
  %r = func.call @sum(%five, %none) : (i32, index) -> i32
  return %r : i32
}
MLIR
  valueOf "$work/sum.mlir" i32 "$@"
}
expect "the sum of none of 1, as written" "$(sum 1)" 0
expect "the sum of none of 2, after canonicalize" "$(sum 2 --canonicalize)" 0
expect "the sum of none of 1, after canonicalize" "$(sum 1 --canonicalize)" 5
