"""The cases of CuTe DSL (nvidia-cutlass-dsl) for sm_80. An array is a struct of
its address and of what of its shape and strides is no constant."""
import os
import re
import struct
import tempfile

# All of it is read when the package is imported.
FOLDER = tempfile.TemporaryDirectory()
os.environ |= {"CUTE_DSL_ARCH": "sm_80", "CUTE_DSL_KEEP_PTX": "1", "CUTE_DSL_DUMP_DIR": FOLDER.name}

import cutlass
import numpy as np
from cutlass import cute
from cutlass.cute.nvgpu import warp
from cutlass.cute.runtime import make_fake_tensor
from third_party_case import F32, Argument, Case, Struct, accumulated


@cute.kernel
def add_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    lane, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    i = block * 128 + lane
    if i < cute.size(a.shape):
        c[i] = a[i] * b[i] + a[i]


@cute.jit
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    add_kernel(a, b, c).launch(grid=[cute.ceil_div(cute.size(a.shape), 128), 1, 1], block=[128, 1, 1])


@cute.kernel
def transpose_kernel(a: cute.Tensor, b: cute.Tensor):
    lane, row, _ = cute.arch.thread_idx()
    column, block, _ = cute.arch.block_idx()
    i, j = block * 8 + row, column * 16 + lane
    if i < a.shape[0] and j < a.shape[1]:
        b[j, i] = a[i, j]


@cute.jit
def transpose(a: cute.Tensor, b: cute.Tensor):
    transpose_kernel(a, b).launch(grid=[cute.ceil_div(a.shape[1], 16), cute.ceil_div(a.shape[0], 8), 1], block=[16, 8, 1])


@cute.kernel
def matmul_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, mma: cute.TiledMma, layout_a: cute.Layout, layout_b: cute.Layout):
    """64x64 tiles by mma.sync of fragments that ldmatrix loads."""
    lane, _, _ = cute.arch.thread_idx()
    column, row, _ = cute.arch.block_idx()
    memory = cutlass.utils.SmemAllocator()
    shared_a = memory.allocate_tensor(cutlass.Float16, layout_a, 16)
    shared_b = memory.allocate_tensor(cutlass.Float16, layout_b, 16)
    tile_a = cute.local_tile(a, (64, 32), (row, None))
    tile_b = cute.local_tile(b, (64, 32), (column, None))
    tile_c = cute.local_tile(c, (64, 64), (row, column))
    part = mma.get_slice(lane)
    total = mma.make_fragment_C(part.partition_C(tile_c).shape)
    total.fill(0.0)
    fragment_a = mma.make_fragment_A(part.partition_A(shared_a))
    fragment_b = mma.make_fragment_B(part.partition_B(shared_b))
    load = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), cutlass.Float16)
    copy_a, copy_b = cute.make_tiled_copy_A(load, mma), cute.make_tiled_copy_B(load, mma)
    for k in range(cute.size(tile_a, mode=[2])):
        for step in range(16):
            place = step * 128 + lane
            i, j = place // 32, place % 32
            shared_a[i, j] = tile_a[i, j, k]
            shared_b[i, j] = tile_b[i, j, k]
        cute.arch.sync_threads()
        cute.copy(copy_a, copy_a.get_slice(lane).partition_S(shared_a), copy_a.get_slice(lane).retile(fragment_a))
        cute.copy(copy_b, copy_b.get_slice(lane).partition_S(shared_b), copy_b.get_slice(lane).retile(fragment_b))
        for step in cutlass.range_constexpr(2):
            cute.gemm(mma, total, fragment_a[None, None, step], fragment_b[None, None, step], total)
        cute.arch.sync_threads()
    out = part.partition_C(tile_c)
    for i in range(cute.size(out)):
        out[i] = total[i]


@cute.jit
def matmul(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    op = warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))
    mma = cute.make_tiled_mma(op, cute.make_layout((2, 2, 1)), permutation_mnk=(32, 32, 16))
    rows = cute.make_layout((64, 32), stride=(40, 1))
    matmul_kernel(a, b, c, mma, rows, rows).launch(grid=[c.shape[1] // 64, c.shape[0] // 64, 1], block=[128, 1, 1])


KINDS = {"float32": cutlass.Float32, "float16": cutlass.Float16, "int32": cutlass.Int32}


def parameter_sizes(ptx):
    head = ptx[ptx.index(".entry"):]
    return [int(size) for size in re.findall(r"\.param .*\[(\d+)\]", head[:head.index("{")])]


def compiled(name, function, arguments, grid, block, is_dynamic):
    """With dynamic extents, a struct holds those behind the address, and the
    strides that are not 1 behind them."""
    tensors = []
    for one in arguments:
        shape = tuple(cute.sym_int() for _ in one.value.shape) if is_dynamic else one.value.shape
        strides = tuple(s // one.value.itemsize for s in one.value.strides)
        if is_dynamic:
            strides = tuple(cute.sym_int64() for _ in strides[:-1]) + (1,)
        tensors.append(make_fake_tensor(KINDS[one.value.dtype.name], shape, stride=strides, assumed_align=16))
    ptx = cute.compile(function, *tensors).__ptx__
    entry = next(line for line in ptx.splitlines() if ".visible .entry" in line).split(".entry")[1].strip(" (")
    parameters = []
    for one, size in zip(arguments, parameter_sizes(ptx), strict=True):
        tail = b""
        if is_dynamic:
            tail = struct.pack(f"<{one.value.ndim}i", *one.value.shape)
            tail += b"".join(struct.pack("<q", s // one.value.itemsize) for s in one.value.strides[:-1])
        parameters.append(Struct((bytes(8) + tail).ljust(size, b"\0")[:size], {0: one}))
    return Case(name, "cutlass", ptx.rstrip("\0"), entry, grid, block, 0, parameters)


def multiply_add(random, count, is_dynamic):
    a, b = (random.uniform(-2, 2, count).astype(np.float32) for _ in range(2))
    v, w = a.astype(np.float64), b.astype(np.float64)
    expected = v * w + v
    out = Argument(np.zeros(count, np.float32), expected, 2 * F32 * (np.abs(v * w) + np.abs(expected)))
    name = f"multiply_add_{count}" + ("_dynamic" if is_dynamic else "")
    return compiled(name, add, [Argument(a), Argument(b), out], (-(-count // 128), 1, 1), (128, 1, 1), is_dynamic)


def transposed(random, rows, columns):
    a = random.integers(-1000, 1000, (rows, columns)).astype(np.int32)
    out = Argument(np.zeros((columns, rows), np.int32), a.T, 0)
    return compiled(f"transposed_{rows}x{columns}", transpose, [Argument(a), out], (-(-columns // 16), -(-rows // 8), 1), (16, 8, 1), True)


def tensor_core(random, rows, columns, depth):
    a, b = (random.uniform(-1, 1, s).astype(np.float16) for s in ((rows, depth), (columns, depth)))
    v, w = a.astype(np.float64), b.astype(np.float64).T
    out = Argument(np.zeros((rows, columns), np.float32), v @ w, accumulated(v, w, depth))
    grid = (columns // 64, rows // 64, 1)
    case = compiled(f"matmul_f16_{rows}x{columns}x{depth}", matmul, [Argument(a), Argument(b), out], grid, (128, 1, 1), False)
    case.shared = 2 * 64 * 40 * 2
    return case


CASES = {
    "multiply_add": lambda r: multiply_add(r, 1000, True),
    "multiply_add_static": lambda r: multiply_add(r, 512, False),
    "transposed": lambda r: transposed(r, 37, 50),
    "matmul_f16": lambda r: tensor_core(r, 64, 128, 96),
}
