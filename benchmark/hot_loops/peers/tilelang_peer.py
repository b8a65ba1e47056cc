"""Compiles one row of the table with TileLang, in the manner of its users.

usage: tilelang_peer.py ROW TARGET FOLDER

TileLang writes CUDA code, of which NVIDIA's compiler makes PTX; nothing here makes
code of its HIP for AMD. Writes the PTX to FOLDER and prints a JSON line: the file, the
launch and the shared memory. PyTorch, which TileLang imports, is replaced by a module
of names, as in test/ThirdParty, since compiling needs nothing of it.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "test" / "ThirdParty" / "Inputs"))
from torch_names import stand_in_for_torch  # noqa: E402

stand_in_for_torch()

import tilelang  # noqa: E402
import tilelang.language as T  # noqa: E402
from tilelang import tvm  # noqa: E402

LOG2E = 1.4426950408889634
# Where a loop's count is no constant, TileLang 0.1.15 takes fewer stages for sm_80
# (findings/tilelang-pipelines-constant-trips-only.sh).


def matmul(m, n, k, kind, is_k_major, tile):
    rows, columns, step, stages = tile
    total_kind = "int32" if kind == "int8" else "float32"
    b_shape, b_tile = ((n, k), (columns, step)) if is_k_major else ((k, n), (step, columns))

    @T.prim_func
    def kernel(A: T.Tensor((m, k), kind), B: T.Tensor(b_shape, kind), C: T.Tensor((m, n), total_kind)):
        with T.Kernel(T.ceildiv(n, columns), T.ceildiv(m, rows), threads=128) as (x, y):
            left, right = T.alloc_shared((rows, step), kind), T.alloc_shared(b_tile, kind)
            total = T.alloc_fragment((rows, columns), total_kind)
            T.clear(total)
            for i in T.Pipelined(T.ceildiv(k, step), num_stages=stages):
                T.copy(A[y * rows, i * step], left)
                if is_k_major:
                    T.copy(B[x * columns, i * step], right)
                else:
                    T.copy(B[i * step, x * columns], right)
                T.gemm(left, right, total, transpose_B=is_k_major)
            T.copy(total, C[y * rows, x * columns])

    return kernel


def attention(heads, length, width, is_causal, rows=128, keys=64, stages=2, threads=128):
    scale = width**-0.5 * LOG2E
    shape = (heads, length, width)

    @T.prim_func
    def kernel(Q: T.Tensor(shape, "float16"), K: T.Tensor(shape, "float16"), V: T.Tensor(shape, "float16"), O: T.Tensor(shape, "float32")):
        with T.Kernel(T.ceildiv(length, rows), heads, threads=threads) as (x, h):
            q, k, v = (T.alloc_shared((extent, width), "float16") for extent in (rows, keys, keys))
            scores, powers = T.alloc_fragment((rows, keys), "float32"), T.alloc_fragment((rows, keys), "float16")
            result = T.alloc_fragment((rows, width), "float32")
            largest, before, factor, part, total = (T.alloc_fragment((rows,), "float32") for _ in range(5))
            T.copy(Q[h, x * rows:(x + 1) * rows, :], q)
            T.clear(result)
            T.clear(total)
            T.fill(largest, -T.infinity("float32"))
            blocks = T.ceildiv((x + 1) * rows, keys) if is_causal else T.ceildiv(length, keys)
            for t in T.Pipelined(blocks, num_stages=stages):
                T.copy(K[h, t * keys:(t + 1) * keys, :], k)
                if is_causal:
                    for i, j in T.Parallel(rows, keys):
                        scores[i, j] = T.if_then_else(x * rows + i >= t * keys + j, 0, -T.infinity("float32"))
                else:
                    T.clear(scores)
                T.gemm(q, k, scores, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
                T.copy(largest, before)
                T.fill(largest, -T.infinity("float32"))
                T.reduce_max(scores, largest, dim=1, clear=False)
                for i in T.Parallel(rows):
                    largest[i] = T.max(largest[i], before[i])
                for i in T.Parallel(rows):
                    factor[i] = T.exp2(before[i] * scale - largest[i] * scale)
                for i, j in T.Parallel(rows, keys):
                    scores[i, j] = T.exp2(scores[i, j] * scale - largest[i] * scale)
                T.reduce_sum(scores, part, dim=1)
                for i in T.Parallel(rows):
                    total[i] = total[i] * factor[i] + part[i]
                T.copy(scores, powers)
                for i, j in T.Parallel(rows, width):
                    result[i, j] *= factor[i]
                T.copy(V[h, t * keys:(t + 1) * keys, :], v)
                T.gemm(powers, v, result, policy=T.GemmWarpPolicy.FullRow)
            for i, j in T.Parallel(rows, width):
                result[i, j] /= total[i]
            T.copy(result, O[h, x * rows:(x + 1) * rows, :])

    return kernel


def batched_small(batches, group=128):
    @T.prim_func
    def kernel(A: T.Tensor((batches, 4, 4), "float32"), B: T.Tensor((batches, 4, 4), "float32"), C: T.Tensor((batches, 4, 4), "float32")):
        with T.Kernel(batches // group, threads=128) as x:
            a, b, c = (T.alloc_fragment((group, 4, 4), "float32") for _ in range(3))
            T.copy(A[x * group, 0, 0], a)
            T.copy(B[x * group, 0, 0], b)
            T.clear(c)
            for g, i, j in T.Parallel(group, 4, 4):
                for k in T.serial(4):
                    c[g, i, j] += a[g, i, k] * b[g, k, j]
            T.copy(c, C[x * group, 0, 0])

    return kernel


def softmax(rows, columns):
    @T.prim_func
    def kernel(X: T.Tensor((rows, columns), "float32"), Y: T.Tensor((rows, columns), "float32")):
        with T.Kernel(rows, threads=128) as block:
            x, largest, total = T.alloc_fragment((1, columns), "float32"), T.alloc_fragment((1,), "float32"), T.alloc_fragment((1,), "float32")
            T.copy(X[block, 0], x)
            T.reduce_max(x, largest, dim=1)
            for i, j in T.Parallel(1, columns):
                x[i, j] = T.exp2(x[i, j] * LOG2E - largest[i] * LOG2E)
            T.reduce_sum(x, total, dim=1)
            for i, j in T.Parallel(1, columns):
                Y[block + i, j] = x[i, j] / total[i]

    return kernel


def row_sum(rows, columns):
    @T.prim_func
    def kernel(X: T.Tensor((rows, columns), "float32"), Y: T.Tensor((rows,), "float32")):
        with T.Kernel(rows, threads=128) as block:
            x, total = T.alloc_fragment((1, columns), "float32"), T.alloc_fragment((1,), "float32")
            T.copy(X[block, 0], x)
            for i, j in T.Parallel(1, columns):
                x[i, j] *= x[i, j]
            T.reduce_sum(x, total, dim=1)
            T.copy(total, Y[block])

    return kernel


def layernorm(rows, columns):
    shape = (rows, columns)

    @T.prim_func
    def kernel(X: T.Tensor(shape, "float32"), W: T.Tensor((columns,), "float32"), B: T.Tensor((columns,), "float32"), Y: T.Tensor(shape, "float32")):
        with T.Kernel(rows, threads=128) as block:
            x, square = T.alloc_fragment((1, columns), "float32"), T.alloc_fragment((1, columns), "float32")
            mean, variance = T.alloc_fragment((1,), "float32"), T.alloc_fragment((1,), "float32")
            T.copy(X[block, 0], x)
            T.reduce_sum(x, mean, dim=1)
            for i, j in T.Parallel(1, columns):
                x[i, j] -= mean[i] / columns
            for i, j in T.Parallel(1, columns):
                square[i, j] = x[i, j] * x[i, j]
            T.reduce_sum(square, variance, dim=1)
            for i, j in T.Parallel(1, columns):
                Y[block + i, j] = x[i, j] * T.rsqrt(variance[i] / columns + 1e-5) * W[j] + B[j]

    return kernel


def function(row):
    if row == "matmul_dynamic":
        m, n, k = T.dynamic("m"), T.dynamic("n"), T.dynamic("k")
        return matmul(m, n, k, "float16", False, (128, 128, 32, 2))
    if row.startswith("matmul"):
        kind = {"f16": "float16", "bf16": "bfloat16", "i8": "int8"}[row.split("_")[1]]
        sizes, tile = ((512, 384, 256), (64, 64, 32, 3)) if row.endswith("512") else ((4096,) * 3, (128, 128, 64 if kind == "int8" else 32, 3))
        return matmul(*sizes, kind, row.endswith("kmajor"), tile)
    if row.startswith("attention"):
        width = int(row.split("_")[-1])
        return attention(16, 1024, width, "causal" in row, stages=1 if "causal" in row else 2, threads=256 if width == 128 else 128)
    return {"batched_small": lambda: batched_small(65536), "softmax": lambda: softmax(1024, 768), "row_sum": lambda: row_sum(64, 4096),
            "layernorm": lambda: layernorm(1024, 768)}[row]()


def ptx_of(source, folder):
    root = Path(tilelang.__file__).parent
    toolkit = root.parent / "nvidia" / "cu13"
    includes = [root / "src", root / "3rdparty" / "cutlass" / "include", toolkit / "include", toolkit / "include" / "cccl"]
    code, ptx = Path(folder, "kernel.cu"), Path(folder, "kernel.ptx")
    code.write_text(source)
    run = subprocess.run([toolkit / "bin" / "nvcc", "--ptx", "--disable-warnings", "-arch=compute_80", "-std=c++17", "-O3",
                          *(f"-I{path}" for path in includes), "-o", ptx, code], capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    return ptx


def launch(host, source):
    """Workgroups and bytes of dynamic shared memory, as the host's program hands them over behind the arguments."""
    call = re.findall(r'T\.call_packed\("\w+_kernel", (.*)\)', host)[-1]
    numbers = [int(word) for word in call.split(", ") if word.isdigit()]
    shared = numbers.pop() if "extern __shared__" in source else 0
    workgroups = 1
    for size in numbers[:-3]:
        workgroups *= size
    return workgroups, shared


def main():
    row, target, folder = sys.argv[1:]
    if target != "sm_80":
        sys.exit("error: TileLang compiles for AMD through hipcc, which no package brings")
    with tvm.target.Target({"kind": "cuda", "arch": "sm_80"}):
        program = function(row)
        artifact = tilelang.lower(program)
    source = str(artifact.kernel_source)
    path = ptx_of(source, folder)
    workgroups, shared = launch(str(artifact.host_mod), source)
    # The kernel takes its arguments in another order than the program.
    names = re.findall(r"(\w+)(?:,|$)", re.search(r"__global__ .*?kernel_kernel\((.*?)\)", source, re.S)[1])
    declared = [program.buffer_map[parameter].name for parameter in program.params if parameter in program.buffer_map]
    order = [declared.index(name) for name in names if name in declared]
    print(json.dumps({"code": str(path), "workgroups": [workgroups], "shared": shared, "order": order}))


main()
