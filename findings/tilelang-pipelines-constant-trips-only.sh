#!/bin/bash
# TileLang 0.1.15 (PyPI tilelang, apache-tvm-ffi 0.1.12, z3-solver 4.15.4.0, NumPy 2.4.6).
#
# Expected: T.dynamic makes an extent that only a run knows, and T.Pipelined(count,
# num_stages=N) prefetches N steps; the examples of its documentation write
# T.ceildiv(K, block_K) for the count.
#
# Seen: for sm_80 a loop of three stages compiles where its count is a constant. Where
# the count is a parameter it ends with "Downcast from tirx.Sub to ir.IntImm failed": how
# many copies may be under way, which is the operand of cp.async's wait and has to be an
# immediate, is an expression there. Two stages compile, and so do three for sm_90.
#
# Why it matters: a matmul for any K, and causal attention, whose count depends on the
# block, lose overlap on sm_80; the message names neither the loop nor its stages.
#
# Distaff: benchmark/hot_loops compares with as many stages as compile; Distaff's own
# rings predicate their last steps, so that the operand stays a constant.
source "$(dirname "$0")/packages.sh"
tilelang

cat >"$work/pipelined.py" <<'PYTHON'
import sys

import torch_names
import tilelang
import tilelang.language as T

def matmul(depth, stages):
    @T.prim_func
    def kernel(A: T.Tensor((64, depth), "float16"), B: T.Tensor((depth, 64), "float16"), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, threads=128) as _:
            a, b, c = T.alloc_shared((64, 32), "float16"), T.alloc_shared((32, 64), "float16"), T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(depth, 32), num_stages=stages):
                T.copy(A[0, k * 32], a)
                T.copy(B[k * 32, 0], b)
                T.gemm(a, b, c)
            T.copy(c, C)
    return kernel

depth = {"256": 256, "dynamic": T.dynamic("k")}[sys.argv[1]]
with tilelang.tvm.target.Target({"kind": "cuda", "arch": sys.argv[3]}):
    try:
        tilelang.lower(matmul(depth, int(sys.argv[2])))
        print("compiles")
    except Exception as error:
        print(str(error).strip().splitlines()[-1][:60])
PYTHON

compiled() {
  python3 "$work/pipelined.py" "$@" 2>"$work/errors" | tail -1
}
expect "256, 3 stages, sm_80" "$(compiled 256 3 sm_80)" compiles
expect "any K, 2 stages, sm_80" "$(compiled dynamic 2 sm_80)" compiles
expect "any K, 3 stages, sm_80" "$(compiled dynamic 3 sm_80)" "Downcast from tirx.Sub to ir.IntImm failed."
expect "any K, 3 stages, sm_90" "$(compiled dynamic 3 sm_90)" compiles
