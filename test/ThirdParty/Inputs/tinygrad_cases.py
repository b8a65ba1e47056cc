"""The cases of tinygrad: expressions that become one kernel each.

tinygrad's device NULL has no memory and runs nothing, and renders PTX all the
same. It leaves the version and the target of the text to its loader.
"""
import os

os.environ["DEV"] = "NULL:PTX:sm_80"

import numpy as np
from third_party_case import APPROXIMATE, F16, F32, TF32, Argument, Case, accumulated
from tinygrad import Tensor, dtypes
from tinygrad.engine import realize
from tinygrad.uop.ops import Ops

TYPES = {np.dtype(np.float32): dtypes.float, np.dtype(np.float16): dtypes.half, np.dtype(np.int32): dtypes.int, np.dtype(np.int8): dtypes.int8}


def compiled(name, expression, inputs, expected, bound, out):
    """The kernel of `expression` of tensors like the inputs, whose buffers are
    numbered in the order in which they are made."""
    tensors = [Tensor.empty(*x.shape, dtype=TYPES[x.dtype]) for x in inputs]
    linear = realize.compile_linear(expression(*tensors).schedule_linear())
    assert len(linear.src) == 1, f"{name} is {len(linear.src)} kernels"
    call = linear.src[0]
    program = call.src[0]
    source = next(s for s in program.src if s.op is Ops.SOURCE).arg
    result, *given = call.src[1:]
    assert len(given) == len(inputs), f"{name} has {len(given)} inputs"
    ordered = sorted(range(len(given)), key=lambda i: given[i].arg.slot)
    numbers = {place: number for number, place in enumerate(ordered)}
    arguments = [Argument(np.zeros(np.shape(expected), out), expected, bound), *(Argument(inputs[numbers[i]]) for i in range(len(given)))]
    ptx = source.replace("VERSION", "7.8").replace("TARGET", "sm_80")
    return Case(name, "tinygrad", ptx, program.arg.function_name, program.arg.global_size, program.arg.local_size, 0, arguments)


def wide(*arrays):
    return [a.astype(np.float64) for a in arrays]


def matmul(random, rows, columns, depth, kind, inputs=0.0):
    a, b = random.uniform(-1, 1, (rows, depth)).astype(kind), random.uniform(-1, 1, (depth, columns)).astype(kind)
    x, y = wide(a, b)
    bound = accumulated(x, y, depth, inputs)
    if kind == np.float16:
        bound = bound + F16 * (np.abs(x @ y) + bound)
    name = f"matmul_{np.dtype(kind).name}_{rows}x{columns}x{depth}"
    return compiled(name, lambda a, b: a @ b, [a, b], x @ y, bound, kind)


def row_sum(random, rows, columns):
    x = random.uniform(-1, 1, (rows, columns)).astype(np.float32)
    v, = wide(x)
    bound = columns * 2 * F32 * np.abs(v).sum(axis=1)
    return compiled(f"row_sum_{rows}x{columns}", lambda x: x.sum(axis=1), [x], v.sum(axis=1), bound, np.float32)


def row_max(random, rows, columns):
    x = random.integers(-1000, 1000, (rows, columns)).astype(np.int32)
    return compiled(f"row_max_{rows}x{columns}", lambda x: x.max(axis=1), [x], x.max(axis=1), 0, np.int32)


def elementwise(random, count):
    x, y = (random.uniform(-4, 4, count).astype(np.float32) for _ in range(2))
    v, w = wide(x, y)
    terms = [np.exp(v), np.sqrt(np.abs(w)), v * w, np.maximum(v, 0)]
    # exp is ex2 of x log2(e), which is rounded.
    bound = (8 * F32 + APPROXIMATE + 3 * F32 * 8) * sum(np.abs(t) for t in terms)
    return compiled(f"elementwise_{count}", lambda x, y: x.exp() + y.abs().sqrt() + x * y + x.relu(), [x, y], sum(terms), bound, np.float32)


def integers(random, count):
    x, y = random.integers(-1 << 30, 1 << 30, count).astype(np.int32), random.integers(1, 1000, count).astype(np.int32)
    expected = ((x // y) ^ (x % y)) + (x >> 3)
    return compiled(f"integers_{count}", lambda x, y: ((x // y) ^ (x % y)) + (x >> 3), [x, y], expected, 0, np.int32)


def where(random, rows, columns):
    x = random.integers(-128, 128, (rows, columns)).astype(np.int8)
    expected = np.where(x.T > 3, x.T.astype(np.float32) * 0.5, -1.0)
    return compiled(f"where_{rows}x{columns}", lambda x: (x.T > 3).where(x.T.cast(dtypes.float) * 0.5, -1.0), [x], expected, 0, np.float32)


CASES = {
    "matmul_f32": lambda r: matmul(r, 37, 29, 53, np.float32),
    "matmul_f32_even": lambda r: matmul(r, 64, 64, 64, np.float32, TF32),
    "matmul_f16": lambda r: matmul(r, 64, 64, 64, np.float16),
    "row_sum": lambda r: row_sum(r, 4, 8192),
    "row_sum_odd": lambda r: row_sum(r, 5, 1001),
    "row_max": lambda r: row_max(r, 6, 4096),
    "elementwise": lambda r: elementwise(r, 3000),
    "integers": lambda r: integers(r, 1111),
    "where": lambda r: where(r, 33, 70),
}
