"""The cases of numba-cuda. An array is one parameter per field of numba's
struct for it; `compile_ptx` needs no driver."""
import math

import numpy as np
from numba import cuda, types
from third_party_case import APPROXIMATE, F32, Argument, Case, accumulated

KINDS = {"float32": types.float32, "float64": types.float64, "int32": types.int32}


def fields(argument):
    """Owner and parent, counts of elements and bytes, data, shape, strides."""
    array = argument.value
    return [Argument(None), Argument(None), Argument(array.size), Argument(array.itemsize), argument,
            *map(Argument, array.shape), *map(Argument, array.strides)]


def compiled(name, kernel, arguments, grid, block):
    signature, parameters = [], []
    for one in arguments:
        if isinstance(one.value, np.ndarray):
            signature.append(types.Array(KINDS[one.value.dtype.name], one.value.ndim, "C"))
            parameters += fields(one)
        else:
            signature.append(types.float32 if isinstance(one.value, float) else types.int32)
            parameters.append(one)
    ptx, _ = cuda.compile_ptx(kernel, tuple(signature), device=False, cc=(8, 0))
    entry = next(line for line in ptx.splitlines() if ".entry" in line).split(".entry")[1].strip(" (")
    return Case(name, "numba", ptx, entry, grid, block, 0, parameters)


def saxpy_kernel(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i] + y[i]


def matmul_kernel(a, b, c):
    """Tiles of 16x16 through shared memory."""
    left, right = cuda.shared.array((16, 16), types.float32), cuda.shared.array((16, 16), types.float32)
    column, row = cuda.grid(2)
    i, j = cuda.threadIdx.y, cuda.threadIdx.x
    total = types.float32(0)
    for step in range((a.shape[1] + 15) // 16):
        k = step * 16
        left[i, j] = a[row, k + j] if row < a.shape[0] and k + j < a.shape[1] else 0
        right[i, j] = b[k + i, column] if k + i < b.shape[0] and column < b.shape[1] else 0
        cuda.syncthreads()
        for n in range(16):
            total += left[i, n] * right[n, j]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


def sum_kernel(x, out):
    """Shuffles within a warp, then an atomic addition."""
    i = cuda.grid(1)
    value = x[i] if i < x.size else 0
    for offset in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
    if cuda.laneid == 0:
        cuda.atomic.add(out, 0, value)


def functions_kernel(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = math.exp(x[i]) + math.sin(x[i]) / (1 + math.sqrt(x[i] * x[i])) + math.log(2 + x[i] * x[i])


def saxpy(random, count):
    x, y = (random.standard_normal(count).astype(np.float32) for _ in range(2))
    v, w = x.astype(np.float64), y.astype(np.float64)
    expected = np.float64(np.float32(0.3)) * v + w
    bound = 2 * F32 * (np.abs(0.3 * v) + np.abs(expected))
    return compiled(f"saxpy_{count}", saxpy_kernel, [Argument(0.3), Argument(x), Argument(y, expected, bound)], (-(-count // 128), 1, 1), (128, 1, 1))


def matmul(random, rows, columns, depth):
    a, b = (random.uniform(-1, 1, s).astype(np.float32) for s in ((rows, depth), (depth, columns)))
    v, w = a.astype(np.float64), b.astype(np.float64)
    out = Argument(np.zeros((rows, columns), np.float32), v @ w, accumulated(v, w, depth))
    grid = (-(-columns // 16), -(-rows // 16), 1)
    return compiled(f"matmul_{rows}x{columns}x{depth}", matmul_kernel, [Argument(a), Argument(b), out], grid, (16, 16, 1))


def total(random, count):
    x = random.integers(-1000, 1000, count).astype(np.int32)
    out = Argument(np.zeros(1, np.int32), x.sum(keepdims=True), 0)
    return compiled(f"total_{count}", sum_kernel, [Argument(x), out], (-(-count // 96), 1, 1), (96, 1, 1))


def functions(random, count, kind):
    x = random.uniform(-5, 5, count).astype(kind)
    v = x.astype(np.float64)
    terms = [np.exp(v), np.sin(v) / (1 + np.abs(v)), np.log(2 + v * v)]
    # The library states at most 2 units in the last place for each function.
    unit = F32 if kind == np.float32 else 2.0**-53
    bound = 16 * unit * sum(np.abs(t) for t in terms) + 4 * unit
    name = f"functions_{np.dtype(kind).name}_{count}"
    arguments = [Argument(x), Argument(np.zeros_like(x), sum(terms), bound)]
    return compiled(name, functions_kernel, arguments, (-(-count // 64), 1, 1), (64, 1, 1))


CASES = {
    "saxpy": lambda r: saxpy(r, 1000),
    "matmul": lambda r: matmul(r, 37, 50, 41),
    "total": lambda r: total(r, 1000),
    "functions": lambda r: functions(r, 500, np.float32),
    "functions_f64": lambda r: functions(r, 300, np.float64),
}
