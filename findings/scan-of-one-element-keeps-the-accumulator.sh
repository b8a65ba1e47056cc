#!/bin/bash
# IREE 3.13.0 (PyPI iree-base-compiler, iree-base-runtime), iree_linalg_ext.scan on
# backend llvm-cpu.
#
# Expected: the second output of an inclusive scan is the last of its results, whatever
# the extent, as it is for three elements.
#
# Seen: with an extent of 1 the second output is what it held before the scan, while the
# first one has the element.
#
# Why it matters: totals of blocks are taken from there. A batch with one element, or the
# last, short block of a long row, adds what the buffer happened to hold.
#
# Distaff: lib/Import/Dispatch/LowerScan.cpp gives the last result for every extent
# from 1 on (test/Execution/Dispatch/Inputs/orders.py has the extent 1).
source "$(dirname "$0")/packages.sh"
pypi iree-base-compiler==3.13.0 iree-base-runtime==3.13.0

# Both outputs of an inclusive sum of the numbers $1, of which there are $2, with 100 in
# the accumulator.
scan() {
  cat >"$work/scan.mlir" <<MLIR
func.func @scan(%x: tensor<$2xi32>, %o: tensor<$2xi32>, %a: tensor<i32>) -> (tensor<$2xi32>, tensor<i32>) {
  %r:2 = iree_linalg_ext.scan dimension(0) inclusive(true)
      ins(%x : tensor<$2xi32>) outs(%o, %a : tensor<$2xi32>, tensor<i32>) {
  ^bb0(%l: i32, %n: i32):
    %s = arith.addi %l, %n : i32
    iree_linalg_ext.yield %s : i32
  } -> tensor<$2xi32>, tensor<i32>
  return %r#0, %r#1 : tensor<$2xi32>, tensor<i32>
}
MLIR
  PYTHONPATH=$pypi python3 "$pypi/bin/iree-compile" "$work/scan.mlir" \
    --iree-hal-target-backends=llvm-cpu --iree-llvmcpu-target-cpu=x86-64-v3 \
    -o "$work/scan.vmfb"
  PYTHONPATH=$pypi python3 "$pypi/bin/iree-run-module" --module="$work/scan.vmfb" \
    --device=local-task --function=scan --input="$2xi32=$1" --input="$2xi32=0" \
    --input=i32=100 | grep = | paste -sd ' '
}
expect "three elements" "$(scan 7,8,9 3)" "3xi32=7 15 24 i32=24"
expect "two elements" "$(scan 7,8 2)" "2xi32=7 15 i32=15"
expect "one element" "$(scan 7 1)" "1xi32=7 i32=100"
