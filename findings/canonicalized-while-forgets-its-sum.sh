#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), canonicalize.
#
# Documented: canonicalization keeps what a program computes.
#
# Seen: a scf.while passes one result of a scf.if to its body twice, and the body
# continues with the second copy. Canonicalization drops the scf.if and continues
# with the constant of the branch that is only taken at the end. The sum that the
# loop carries is lost.
#
# Why it matters: front ends write "if the condition holds, the next state, else the
# result" in this form; the loop becomes shorter and still ends after as many trips.
#
# Distaff: lib/Rewrite/Guards.cpp leaves the pattern out.
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/values.sh"
llvm

cat >"$work/while.mlir" <<'MLIR'
func.func @walk(%start: i32, %trips: index) -> i32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : i32
  %twenty = arith.constant 20 : i32
  %r:4 = scf.while (%sum = %start, %i = %zero) : (i32, index) -> (i32, i32, i32, index) {
    %more = arith.cmpi slt, %i, %trips : index
    %next = scf.if %more -> i32 {
      %added = arith.addi %sum, %two : i32
      scf.yield %added : i32
    } else {
      scf.yield %twenty : i32
    }
    scf.condition(%more) %next, %next, %sum, %i : i32, i32, i32, index
  } do {
  ^bb0(%first: i32, %second: i32, %before: i32, %i: index):
    %j = arith.addi %i, %one : index
    scf.yield %second, %j : i32, index
  }
  return %r#2 : i32
}
func.func @main() -> i32 {
  %start = arith.constant 5 : i32
  %trips = arith.constant 3 : index
  %r = func.call @walk(%start, %trips) : (i32, index) -> i32
  return %r : i32
}
MLIR
expect "5 plus 2 in each of 3 trips, as written" "$(valueOf "$work/while.mlir" i32)" 11
expect "after canonicalize" "$(valueOf "$work/while.mlir" i32 --canonicalize)" 20
