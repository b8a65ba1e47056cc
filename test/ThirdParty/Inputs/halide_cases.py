"""The cases of Halide: pipelines with a schedule for the GPU.

Extents and strides are set, so that a kernel's parameters are the buffers
alone, each in the order in which the text names it.
"""
import tempfile
from pathlib import Path

import halide as hl
import numpy as np
from third_party_case import APPROXIMATE, F32, Argument, Case, accumulated

TARGET = "x86-64-linux-cuda-cuda_capability_80-no_bounds_query-no_asserts"


def compiled(name, function, images, arguments, grid, block, shared=0):
    """The one kernel of a pipeline. Halide's first dimension is NumPy's last."""
    for image in images:
        for d, extent in enumerate(image.extents):
            image.parameter.dim(d).set_bounds(0, extent)
            image.parameter.dim(d).set_stride(int(np.prod(image.extents[:d])))
    target = hl.Target(TARGET)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "k.ptx")
        function.compile_to({hl.OutputFileType.device_code: str(path)}, [image.parameter for image in images], "k", target)
        ptx = path.read_text()
    entries = [line.split("(")[0].split()[-1] for line in ptx.splitlines() if line.startswith(".visible .entry")]
    assert len(entries) == 1, f"{name} is {entries}"
    return Case(name, "halide", ptx, entries[0], grid, block, shared, arguments)


class Image:
    def __init__(self, array, name):
        kinds = {"float32": hl.Float(32), "uint8": hl.UInt(8), "int32": hl.Int(32)}
        self.parameter = hl.ImageParam(kinds[array.dtype.name], array.ndim, name)
        self.extents = array.shape[::-1]


def bounded(function, *extents):
    """The output's extents, for its loops and its buffer."""
    for d, extent in enumerate(extents):
        function.output_buffer().dim(d).set_bounds(0, extent)
        function.output_buffer().dim(d).set_stride(int(np.prod(extents[:d])))


def scale(random, rows, columns):
    data = random.uniform(-3, 3, (rows, columns)).astype(np.float32)
    x, y, xi, yi = hl.vars("x y xi yi")
    image, f = Image(data, "image"), hl.Func("f")
    f[x, y] = hl.exp(image.parameter[x, y] * 0.5) + hl.sqrt(hl.abs(image.parameter[x, y]))
    f.gpu_tile(x, y, xi, yi, 16, 8)
    bounded(f, columns, rows)
    v = data.astype(np.float64)
    expected = np.exp(v * 0.5) + np.sqrt(np.abs(v))
    bound = (APPROXIMATE + 12 * F32) * expected
    grid, block = (-(-columns // 16), -(-rows // 8), 1), (16, 8, 1)
    return compiled(f"scale_{rows}x{columns}", f, [image], [Argument(np.zeros_like(data), expected, bound), Argument(data)], grid, block)


def blur(random, rows, columns):
    """Three points down and across, the first half of it in shared memory."""
    data = random.integers(0, 256, (rows + 2, columns + 2)).astype(np.uint8)
    x, y, xi, yi = hl.vars("x y xi yi")
    image, f, g = Image(data, "image"), hl.Func("f"), hl.Func("g")
    g[x, y] = hl.u16(image.parameter[x, y]) + hl.u16(image.parameter[x + 1, y]) + hl.u16(image.parameter[x + 2, y])
    f[x, y] = hl.u8((g[x, y] + g[x, y + 1] + g[x, y + 2]) // 9)
    f.gpu_tile(x, y, xi, yi, 32, 8)
    g.compute_at(f, x).gpu_threads(x, y)
    bounded(f, columns, rows)
    rowwise = sum(data[:, d:d + columns].astype(np.int32) for d in range(3))
    expected = sum(rowwise[d:d + rows] for d in range(3)) // 9
    arguments = [Argument(np.zeros((rows, columns), np.uint8), expected, 0), Argument(data)]
    return compiled(f"blur_{rows}x{columns}", f, [image], arguments, (columns // 32, rows // 8, 1), (32, 10, 1), 32 * 10 * 2)


def matmul(random, rows, columns, depth):
    a, b = (random.uniform(-1, 1, s).astype(np.float32) for s in ((rows, depth), (depth, columns)))
    x, y, xi, yi = hl.vars("x y xi yi")
    left, right, f = Image(a, "left"), Image(b, "right"), hl.Func("f")
    k = hl.RDom([(0, depth)], "k")
    p = hl.Func("p")
    p[x, y] += left.parameter[k, y] * right.parameter[x, k]
    f[x, y] = p[x, y]
    f.gpu_tile(x, y, xi, yi, 16, 16)
    p.compute_at(f, xi)
    bounded(f, columns, rows)
    v, w = a.astype(np.float64), b.astype(np.float64)
    arguments = [Argument(np.zeros((rows, columns), np.float32), v @ w, accumulated(v, w, depth)), Argument(a), Argument(b)]
    return compiled(f"matmul_{rows}x{columns}x{depth}", f, [left, right], arguments, (columns // 16, rows // 16, 1), (16, 16, 1))


CASES = {"scale": lambda r: scale(r, 24, 48), "blur": lambda r: blur(r, 24, 64), "matmul": lambda r: matmul(r, 32, 48, 37)}
