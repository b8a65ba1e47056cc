"""The cases of Warp, whose package holds the compiler of its CUDA code. An array
is a struct that is passed by value, and so is the size of the launch."""
import tempfile
from pathlib import Path

import numpy as np
import warp as wp
from third_party_case import F32, Argument, Case, Struct
from warp._src.types import array_t, launch_bounds_t

wp.config.quiet = True
wp.config.enable_backward = False
THREADS = 64


@wp.kernel(module="unique")
def saxpy_kernel(x: wp.array(dtype=wp.float32), y: wp.array(dtype=wp.float32), a: wp.float32):
    i = wp.tid()
    y[i] = a * x[i] + y[i]


@wp.kernel(module="unique")
def lengths_kernel(x: wp.array(dtype=wp.vec3), out: wp.array(dtype=wp.float32)):
    i = wp.tid()
    out[i] = wp.length(x[i])


@wp.kernel(module="unique")
def transposed_kernel(x: wp.array2d(dtype=wp.int32), out: wp.array2d(dtype=wp.int32)):
    i, j = wp.tid()
    out[j, i] = x[i, j] * x[i, j] - i


@wp.kernel(module="unique")
def bins_kernel(x: wp.array(dtype=wp.int32), out: wp.array(dtype=wp.int32)):
    i = wp.tid()
    wp.atomic_add(out, x[i] % 8, x[i])


def struct(argument, inner=()):
    """Warp's array: data, gradient, shape, strides and rank. The last `inner`
    dimensions are within an element."""
    array = argument.value
    rank = array.ndim - len(inner)
    fields = array_t(data=0, grad=0, ndim=rank, shape=array.shape[:rank], strides=array.strides[:rank])
    return Struct(bytes(fields), {0: argument})


def compiled(name, kernel, extents, parameters):
    bounds = launch_bounds_t(extents)
    with tempfile.TemporaryDirectory() as folder:
        wp.compile_aot_module(kernel.module, arch=80, module_dir=folder, use_ptx=True, strip_hash=True)
        path, = Path(folder).glob("*.ptx")
        ptx = path.read_bytes()  # with a NUL in the end
    entry = next(line for line in ptx.decode().splitlines() if ".entry" in line and "forward" in line)
    total = int(np.prod(extents))
    return Case(name, "warp", ptx, entry.split(".entry")[1].strip(" ("), (-(-total // THREADS), 1, 1), (THREADS, 1, 1), 0,
                [Struct(bytes(bounds)), *parameters])


def saxpy(random, count):
    x, y = (random.standard_normal(count).astype(np.float32) for _ in range(2))
    v, w = x.astype(np.float64), y.astype(np.float64)
    expected = np.float64(np.float32(0.7)) * v + w
    out = Argument(y, expected, 2 * F32 * (np.abs(v) + np.abs(expected)))
    return compiled(f"saxpy_{count}", saxpy_kernel, (count,), [struct(Argument(x)), struct(out), Argument(float(np.float32(0.7)))])


def lengths(random, count):
    x = random.uniform(-2, 2, (count, 3)).astype(np.float32)
    expected = np.sqrt((x.astype(np.float64)**2).sum(axis=1))
    out = Argument(np.zeros(count, np.float32), expected, 8 * F32 * expected)
    return compiled(f"lengths_{count}", lengths_kernel, (count,), [struct(Argument(x), (3,)), struct(out)])


def transposed(random, rows, columns):
    x = random.integers(-1000, 1000, (rows, columns)).astype(np.int32)
    expected = (x * x - np.arange(rows)[:, None]).T
    out = Argument(np.zeros((columns, rows), np.int32), expected, 0)
    return compiled(f"transposed_{rows}x{columns}", transposed_kernel, (rows, columns), [struct(Argument(x)), struct(out)])


def bins(random, count):
    x = random.integers(0, 100, count).astype(np.int32)
    expected = np.bincount(x % 8, weights=x, minlength=8)
    out = Argument(np.zeros(8, np.int32), expected, 0)
    return compiled(f"bins_{count}", bins_kernel, (count,), [struct(Argument(x)), struct(out)])


CASES = {
    "saxpy": lambda r: saxpy(r, 1000),
    "lengths": lambda r: lengths(r, 333),
    "transposed": lambda r: transposed(r, 37, 20),
    "bins": lambda r: bins(r, 500),
}
