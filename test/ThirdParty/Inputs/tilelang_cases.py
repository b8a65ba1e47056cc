"""The cases of TileLang for sm_80. It writes CUDA code on top of its templates
and CUTLASS's, which its package holds, and NVIDIA's compiler makes PTX of it.

TileLang imports PyTorch, whose package for Linux brings gigabytes of libraries
for a GPU that is not there; what it needs of it to compile is the names alone.
"""
import subprocess
import tempfile
from pathlib import Path

from torch_names import stand_in_for_torch

stand_in_for_torch()

import numpy as np
import tilelang
import tilelang.language as T
from third_party_case import APPROXIMATE, Argument, Case, accumulated, softmax
from tilelang import tvm


def ptx_of(source, folder):
    root = Path(tilelang.__file__).parent
    toolkit = root.parent / "nvidia" / "cu13"
    includes = [root / "src", root / "3rdparty" / "cutlass" / "include", toolkit / "include", toolkit / "include" / "cccl"]
    code, ptx = Path(folder, "k.cu"), Path(folder, "k.ptx")
    code.write_text(source)
    subprocess.run([toolkit / "bin" / "nvcc", "--ptx", "--disable-warnings", "-arch=compute_80", "-std=c++17", "-O3",
                    *(f"-I{path}" for path in includes), "-o", ptx, code], check=True, capture_output=True)
    return ptx.read_text()


def compiled(name, function, arguments, grid, threads, shared):
    target = tvm.target.Target({"kind": "cuda", "arch": "sm_80"})
    with target:
        source = str(tilelang.lower(function, target=target).kernel_source)
    with tempfile.TemporaryDirectory() as folder:
        ptx = ptx_of(source, folder)
    entry = next(line for line in ptx.splitlines() if ".visible .entry" in line).split(".entry")[1].strip(" (")
    return Case(name, "tilelang", ptx, entry, grid, (threads, 1, 1), shared, arguments)


def matmul(random, rows, columns, depth, stages):
    @T.prim_func
    def gemm(A: T.Tensor((rows, depth), "float16"), B: T.Tensor((depth, columns), "float16"), C: T.Tensor((rows, columns), "float32")):
        with T.Kernel(columns // 64, rows // 64, threads=128) as (bx, by):
            left, right = T.alloc_shared((64, 32), "float16"), T.alloc_shared((32, 64), "float16")
            total = T.alloc_fragment((64, 64), "float32")
            T.clear(total)
            for k in T.Pipelined(depth // 32, num_stages=stages):
                T.copy(A[by * 64, k * 32], left)
                T.copy(B[k * 32, bx * 64], right)
                T.gemm(left, right, total)
            T.copy(total, C[by * 64, bx * 64])

    a, b = (random.uniform(-1, 1, s).astype(np.float16) for s in ((rows, depth), (depth, columns)))
    v, w = a.astype(np.float64), b.astype(np.float64)
    arguments = [Argument(a), Argument(b), Argument(np.zeros((rows, columns), np.float32), v @ w, accumulated(v, w, depth))]
    name = f"matmul_f16_{rows}x{columns}x{depth}_{stages}"
    return compiled(name, gemm, arguments, (columns // 64, rows // 64, 1), 128, stages * 2 * 64 * 32 * 2)


def softmax_rows(random, rows, columns):
    @T.prim_func
    def main(X: T.Tensor((rows, columns), "float32"), Y: T.Tensor((rows, columns), "float32")):
        with T.Kernel(rows // 4, threads=128) as block:
            x, largest, total = T.alloc_fragment((4, columns), "float32"), T.alloc_fragment((4,), "float32"), T.alloc_fragment((4,), "float32")
            T.copy(X[block * 4, 0], x)
            T.reduce_max(x, largest, dim=1)
            for i, j in T.Parallel(4, columns):
                x[i, j] = T.exp2((x[i, j] - largest[i]) * 1.4426950408889634)
            T.reduce_sum(x, total, dim=1)
            for i, j in T.Parallel(4, columns):
                Y[block * 4 + i, j] = x[i, j] / total[i]

    x = random.uniform(-8, 8, (rows, columns)).astype(np.float32)
    expected, relative = softmax(x.astype(np.float64))
    out = Argument(np.zeros_like(x), expected, (relative + APPROXIMATE) * expected)
    return compiled(f"softmax_{rows}x{columns}", main, [Argument(x), out], (rows // 4, 1, 1), 128, 4096)


CASES = {
    "matmul_f16": lambda r: matmul(r, 64, 128, 96, 1),
    "matmul_f16_stages": lambda r: matmul(r, 64, 64, 192, 3),
    "softmax": lambda r: softmax_rows(r, 16, 256),
}
