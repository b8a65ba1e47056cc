"""Compiles one row of the table with Triton, in the manner of its users.

usage: triton_peer.py ROW TARGET FOLDER [--text]

Writes the kernel's PTX or GCN to FOLDER and prints a JSON line: the file, the launch
and the shared memory. No GPU is needed. With --text the stage that makes a binary is
left out, so that the time of this process is that to PTX or GCN.
"""
import json
import sys
from pathlib import Path

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

TARGETS = {"sm_80": GPUTarget("cuda", 80, 32), "gfx942": GPUTarget("hip", "gfx942", 64)}
LOG2E = 1.4426950408889634


@triton.jit
def matmul(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, B_K: tl.constexpr, B_N: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
           STEP: tl.constexpr, TOTAL: tl.constexpr):
    """Extents are constants and multiples of the tiles; B has the strides B_K and B_N."""
    tile = tl.program_id(0)
    first_row, first_column = tile // (N // COLUMNS) * ROWS, tile % (N // COLUMNS) * COLUMNS
    i, j, k = first_row + tl.arange(0, ROWS), first_column + tl.arange(0, COLUMNS), tl.arange(0, STEP)
    left = a + i[:, None] * K + k[None, :]
    right = b + k[:, None] * B_K + j[None, :] * B_N
    total = tl.zeros((ROWS, COLUMNS), dtype=TOTAL)
    for _ in range(0, K, STEP):
        total = tl.dot(tl.load(left), tl.load(right), total, out_dtype=TOTAL)
        left += STEP
        right += STEP * B_K
    tl.store(c + i[:, None] * N + j[None, :], total)


@triton.jit
def matmul_dynamic(a, b, c, M, N, K, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEP: tl.constexpr):
    """Any extents: rows and columns past the end are read again from the beginning and not written."""
    tile = tl.program_id(0)
    columns = tl.cdiv(N, COLUMNS)
    i, j, k = tile // columns * ROWS + tl.arange(0, ROWS), tile % columns * COLUMNS + tl.arange(0, COLUMNS), tl.arange(0, STEP)
    left = a + (i % M)[:, None] * K + k[None, :]
    right = b + k[:, None] * N + (j % N)[None, :]
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for first in range(0, K, STEP):
        x = tl.load(left, mask=k[None, :] < K - first, other=0.0)
        y = tl.load(right, mask=k[:, None] < K - first, other=0.0)
        total = tl.dot(x, y, total)
        left += STEP
        right += STEP * N
    tl.store(c + i[:, None] * N + j[None, :], total, mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def batched_small(a, b, c, BATCHES: tl.constexpr):
    batch = (tl.program_id(0) * BATCHES + tl.arange(0, BATCHES))[:, None, None] * 16
    i, j = tl.arange(0, 4)[None, :, None], tl.arange(0, 4)[None, None, :]
    z = tl.zeros((BATCHES, 4, 4), dtype=tl.float32)
    for k in tl.static_range(4):
        z += tl.load(a + batch + i * 4 + k) * tl.load(b + batch + k * 4 + j)
    tl.store(c + batch + i * 4 + j, z)


@triton.jit
def softmax(x, y, COLUMNS: tl.constexpr, TILE: tl.constexpr):
    j = tl.arange(0, TILE)
    at, inside = tl.program_id(0) * COLUMNS + j, j < COLUMNS
    v = tl.load(x + at, mask=inside, other=-float("inf"))
    power = tl.exp(v - tl.max(v, axis=0))
    tl.store(y + at, power / tl.sum(power, axis=0), mask=inside)


@triton.jit
def row_sum(x, y, COLUMNS: tl.constexpr):
    v = tl.load(x + tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS))
    tl.store(y + tl.program_id(0), tl.sum(v * v, axis=0))


@triton.jit
def layernorm(x, weight, bias, y, COLUMNS: tl.constexpr, TILE: tl.constexpr):
    j = tl.arange(0, TILE)
    at, inside = tl.program_id(0) * COLUMNS + j, j < COLUMNS
    v = tl.load(x + at, mask=inside, other=0.0)
    mean = tl.sum(v, axis=0) / COLUMNS
    d = tl.where(inside, v - mean, 0.0)
    scale = tl.rsqrt(tl.sum(d * d, axis=0) / COLUMNS + 1e-5)
    w, b = tl.load(weight + j, mask=inside, other=0.0), tl.load(bias + j, mask=inside, other=0.0)
    tl.store(y + at, d * scale * w + b, mask=inside)


@triton.jit
def attention_step(q, total, largest, result, k, v, first, i, SCALE: tl.constexpr, MASKED: tl.constexpr, WIDTH: tl.constexpr, KEYS: tl.constexpr):
    t, d = first + tl.arange(0, KEYS), tl.arange(0, WIDTH)
    s = tl.dot(q, tl.load(k + t[None, :] * WIDTH + d[:, None]))
    if MASKED:
        s = tl.where(t[None, :] <= i[:, None], s, -float("inf"))
    new = tl.maximum(largest, tl.max(s, axis=1) * SCALE)
    power = tl.exp2(s * SCALE - new[:, None])
    factor = tl.exp2(largest - new)
    total = total * factor + tl.sum(power, axis=1)
    result = tl.dot(power.to(tl.float16), tl.load(v + t[:, None] * WIDTH + d[None, :]), result * factor[:, None])
    return total, new, result


@triton.jit
def attention(q, k, v, out, LENGTH: tl.constexpr, WIDTH: tl.constexpr, SCALE: tl.constexpr, CAUSAL: tl.constexpr, ROWS: tl.constexpr,
              KEYS: tl.constexpr):
    """Online softmax; SCALE has log2(e) in it. Blocks below the diagonal need no mask."""
    head = tl.program_id(1) * LENGTH * WIDTH
    block = tl.program_id(0)
    i, d = block * ROWS + tl.arange(0, ROWS), tl.arange(0, WIDTH)
    rows = tl.load(q + head + i[:, None] * WIDTH + d[None, :])
    total, largest = tl.zeros((ROWS,), dtype=tl.float32), tl.full((ROWS,), -float("inf"), dtype=tl.float32)
    result = tl.zeros((ROWS, WIDTH), dtype=tl.float32)
    whole = block * ROWS if CAUSAL else LENGTH
    for first in range(0, whole, KEYS):
        total, largest, result = attention_step(rows, total, largest, result, k + head, v + head, first, i, SCALE, False, WIDTH, KEYS)
    if CAUSAL:
        for first in range(block * ROWS, (block + 1) * ROWS, KEYS):
            total, largest, result = attention_step(rows, total, largest, result, k + head, v + head, first, i, SCALE, True, WIDTH, KEYS)
    tl.store(out + head + i[:, None] * WIDTH + d[None, :], result / total[:, None])


# Rows, columns, step, warps and stages: of the configurations that users' autotuners list
# those with the fewest instructions and without spills.
TILES = {("sm_80", "float"): (128, 256, 64, 8, 3), ("sm_80", "i8"): (128, 128, 128, 8, 3),
         ("gfx942", "float"): (256, 256, 64, 8, 2), ("gfx942", "i8"): (256, 256, 64, 8, 2)}
KEYS = {"sm_80": (128, 8), "gfx942": (64, 4)}  # and warps


def matmul_case(row, target):
    kind = row.split("_")[1]
    m, n, k = (512, 384, 256) if row.endswith("512") else (4096, 4096, 4096)
    rows, columns, step, warps, stages = (64, 64, 32, 4, 3) if row.endswith("512") else TILES[target, "i8" if kind == "i8" else "float"]
    strides = (1, k) if row.endswith("kmajor") else (n, 1)
    constants = {"M": m, "N": n, "K": k, "B_K": strides[0], "B_N": strides[1], "ROWS": rows, "COLUMNS": columns, "STEP": step,
                 "TOTAL": tl.int32 if kind == "i8" else tl.float32}
    pointer = {"f16": "*fp16", "bf16": "*bf16", "i8": "*i8"}[kind]
    types = {"a": pointer, "b": pointer, "c": "*i32" if kind == "i8" else "*fp32"}
    return matmul, types, constants, (m // rows * (n // columns), 1, 1), warps, stages


def attention_case(row, target):
    width = int(row.split("_")[-1])
    keys, warps = KEYS[target]
    constants = {"LENGTH": 1024, "WIDTH": width, "SCALE": width**-0.5 * LOG2E, "CAUSAL": "causal" in row, "ROWS": 128, "KEYS": keys}
    types = {"q": "*fp16", "k": "*fp16", "v": "*fp16", "out": "*fp32"}
    return attention, types, constants, (1024 // 128, 16, 1), warps, 2


def case(row, target):
    """(kernel, types of what is no constant, constants, grid, warps, stages)"""
    if row == "matmul_dynamic":
        types = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "M": "i32", "N": "i32", "K": "i32"}
        return matmul_dynamic, types, {"ROWS": 128, "COLUMNS": 128, "STEP": 32}, (1, 1, 1), 4, 3 if target == "sm_80" else 2
    if row.startswith("matmul"):
        return matmul_case(row, target)
    if row.startswith("attention"):
        return attention_case(row, target)
    floats = dict.fromkeys(("x", "weight", "bias", "y"), "*fp32")
    return {
        "batched_small": lambda: (batched_small, dict.fromkeys("abc", "*fp32"), {"BATCHES": 128}, (512, 1, 1), 4, 1),
        "softmax": lambda: (softmax, {"x": "*fp32", "y": "*fp32"}, {"COLUMNS": 768, "TILE": 1024}, (1024, 1, 1), 4, 1),
        "row_sum": lambda: (row_sum, {"x": "*fp32", "y": "*fp32"}, {"COLUMNS": 4096}, (64, 1, 1), 4, 1),
        "layernorm": lambda: (layernorm, floats, {"COLUMNS": 768, "TILE": 1024}, (1024, 1, 1), 4, 1),
    }[row]()


def without_assembler(target):
    """Triton's own stages, of which the last one makes no binary."""
    from triton.backends import backends
    backend = backends["nvidia" if target == "sm_80" else "amd"].compiler
    original = backend.add_stages

    def add_stages(self, stages, *rest, **more):
        original(self, stages, *rest, **more)
        stages[list(stages)[-1]] = lambda source, metadata: b""

    backend.add_stages = add_stages


def main():
    row, target, folder = sys.argv[1:4]
    kernel, types, constants, grid, warps, stages = case(row, target)
    # Pointers and extents are multiples of 16, as a launcher finds out; those of the dynamic row are not.
    attributes = {(place,): [["tt.divisibility", 16]] for place, name in enumerate(kernel.arg_names) if types.get(name, "").startswith("*")}
    signature = {name: types.get(name, "constexpr") for name in kernel.arg_names}
    if "--text" in sys.argv:
        without_assembler(target)
    source = ASTSource(kernel, signature, constants, attributes)
    binary = triton.compile(source, target=TARGETS[target], options={"num_warps": warps, "num_stages": stages})
    kind = "ptx" if target == "sm_80" else "amdgcn"
    path = Path(folder, "kernel.ptx" if kind == "ptx" else "kernel.gcn")
    path.write_text(binary.asm[kind])
    print(json.dumps({"code": str(path), "workgroups": [grid[0] * grid[1] * grid[2]], "shared": binary.metadata.shared}))


main()
