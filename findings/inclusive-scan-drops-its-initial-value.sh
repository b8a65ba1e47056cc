#!/bin/bash
# MLIR 22.1.8 (Debian mlir-22-tools 1:22.1.8-1~deb12u1), lowering of vector.scan.
#
# Documented: vector.scan performs an inclusive or exclusive scan "using the given
# operation" and "a specified value for the initial value".
#
# Seen: an inclusive scan does not use the initial value. An exclusive one does, and
# its last result, the total that the op returns, leaves the last element out.
#
# Why it matters: scans of long rows are chained, the total of one block being the
# initial value of the next. With inclusive scans every block starts again at 0.
#
# Distaff: keeps these semantics (lib/Lower/LowerVectors/Reduction.cpp), so that a
# kernel has the values that it has with MLIR's own lowering.
source "$(dirname "$0")/packages.sh"
source "$(dirname "$0")/values.sh"
llvm

# The results of scanning [1, 2, 3, 4] from 100, last element and total as one number.
scan() {
  cat >"$work/scan.mlir" <<MLIR
module attributes {transform.with_named_sequence} {
  func.func @scan(%v: vector<4xi32>, %from: vector<i32>) -> i32 {
    %scanned, %total = vector.scan <add>, %v, %from {inclusive = $1, reduction_dim = 0 : i64}
        : vector<4xi32>, vector<i32>
    %last = vector.extract %scanned[3] : i32 from vector<4xi32>
    %sum = vector.extract %total[] : i32 from vector<i32>
    %shift = arith.constant 1000 : i32
    %high = arith.muli %last, %shift : i32
    %r = arith.addi %high, %sum : i32
    return %r : i32
  }
  func.func @main() -> i32 {
    %v = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
    %from = arith.constant dense<100> : vector<i32>
    %r = func.call @scan(%v, %from) : (vector<4xi32>, vector<i32>) -> i32
    return %r : i32
  }
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %functions = transform.structured.match ops{["func.func"]} in %module
        : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %functions {
      transform.apply_patterns.vector.lower_scan
    } : !transform.any_op
    transform.yield
  }
}
MLIR
  valueOf "$work/scan.mlir" i32 --transform-interpreter --test-transform-dialect-erase-schedule
}
expect "inclusive scan of 1 2 3 4 from 100: last element * 1000 + total" "$(scan true)" 10010
expect "exclusive scan of 1 2 3 4 from 100: last element * 1000 + total" "$(scan false)" 106106
