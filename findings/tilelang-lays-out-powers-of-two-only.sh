#!/bin/bash
# TileLang 0.1.15 (PyPI tilelang, apache-tvm-ffi 0.1.12, z3-solver 4.15.4.0, NumPy 2.4.6).
#
# Expected: layouts of fragments are inferred for T.copy, T.Parallel and reductions,
# whatever their shape.
#
# Seen: a tile of several rows that is reduced along them has no layout where the rows'
# length is no power of two: 4 x 512 and 4 x 1024 compile, 4 x 768 and 8 x 96 end with
# "no available layout found". One row of 768 compiles.
#
# Why it matters: 768 is the width of common models. A softmax with a row per workgroup
# compiles, the same kernel with four rows per workgroup does not, and the message names
# neither a fragment nor its shape.
#
# Distaff: extents of its layouts need not be powers of two;
# benchmark/hot_loops hands TileLang one row per workgroup.
source "$(dirname "$0")/packages.sh"
tilelang

cat >"$work/rows.py" <<'PYTHON'
import sys

import torch_names
import tilelang
import tilelang.language as T

rows, columns = map(int, sys.argv[1:])

@T.prim_func
def kernel(X: T.Tensor((64, columns), "float32"), Y: T.Tensor((64, columns), "float32")):
    with T.Kernel(64 // rows, threads=128) as block:
        x, largest = T.alloc_fragment((rows, columns), "float32"), T.alloc_fragment((rows,), "float32")
        T.copy(X[block * rows, 0], x)
        T.reduce_max(x, largest, dim=1)
        for i, j in T.Parallel(rows, columns):
            Y[block * rows + i, j] = x[i, j] - largest[i]

with tilelang.tvm.target.Target({"kind": "cuda", "arch": "sm_80"}):
    try:
        tilelang.lower(kernel)
        print("compiles")
    except Exception as error:
        print(str(error).strip().splitlines()[-1].rpartition(": ")[2])
PYTHON

compiled() {
  python3 "$work/rows.py" "$@" 2>"$work/errors" | tail -1
}
expect "4 rows of 512" "$(compiled 4 512)" compiles
expect "4 rows of 1024" "$(compiled 4 1024)" compiles
expect "1 row of 768" "$(compiled 1 768)" compiles
expect "4 rows of 768" "$(compiled 4 768)" "no available layout found"
expect "8 rows of 96" "$(compiled 8 96)" "no available layout found"
