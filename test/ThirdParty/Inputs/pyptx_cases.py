"""The cases of pyptx, which writes PTX as a Python function says it, one
instruction per call."""
import numpy as np
from pyptx import Tile, kernel, ptx, reg, smem
from pyptx.types import b32, bf16, f32, u32
from third_party_case import F32, Argument, Case, accumulated


def bits(values):
    """bf16 by truncation, as bit patterns, and what they stand for."""
    cut = np.asarray(values, np.float32).view(np.uint32) >> 16
    return cut.astype(np.uint16), (cut << 16).astype(np.uint32).view(np.float32).astype(np.float64)


def compiled(name, traced, arguments, grid, block, shared=0):
    text = traced.ptx()
    entry = next(line for line in text.splitlines() if ".entry" in line).split(".entry")[1].split("(")[0].strip()
    return Case(name, "pyptx", text, entry, grid, block, shared, arguments)


def thread(name):
    register = reg.scalar(u32)
    ptx.inst.mov.u32(register, getattr(ptx.special, name).x())
    return register


def multiply_add(random, count):
    """No rounding is written, so that both are one fma."""
    @kernel(in_specs=(Tile(count, f32), Tile(count, f32)), out_specs=(Tile(count, f32),), grid=(count // 64, 1, 1), block=(64, 1, 1), arch="sm_80")
    def multiply_add_kernel(x, y, out):
        px, py, po = ptx.global_ptrs(x, y, out)
        place = (thread("ctaid") * 64 + thread("tid")) * 4
        a, b, c = (reg.scalar(f32) for _ in range(3))
        ptx.inst.ld.global_.f32(a, ptx.addr(px + place))
        ptx.inst.ld.global_.f32(b, ptx.addr(py + place))
        ptx.inst.mul.f32(c, a, b)
        ptx.inst.add.f32(c, c, a)
        ptx.inst.st.global_.f32(ptx.addr(po + place), c)
        ptx.ret()

    x, y = (random.uniform(-2, 2, count).astype(np.float32) for _ in range(2))
    v, w = x.astype(np.float64), y.astype(np.float64)
    # Half a unit in the last place of the exact result, which one rounding has.
    exact = v * w + v
    out = Argument(np.zeros(count, np.float32), exact, F32 * np.abs(exact) * (1 + 2.0**-20) + 2.0**-149)
    return compiled(f"multiply_add_{count}", multiply_add_kernel, [Argument(x), Argument(y), out], (count // 64, 1, 1), (64, 1, 1))


def reversed_words(random, count):
    """Through shared memory, by its name."""
    @kernel(in_specs=(Tile(count, f32),), out_specs=(Tile(count, f32),), grid=(1, 1, 1), block=(count, 1, 1), arch="sm_80")
    def reverse_kernel(x, out):
        px, po = ptx.global_ptrs(x, out)
        lane = thread("tid")
        memory = smem.alloc(f32, (1, count))
        value = reg.scalar(f32)
        ptx.inst.ld.global_.f32(value, ptx.addr(px + lane * 4))
        memory[0, lane] = value
        ptx.bar.sync(0)
        mirrored = reg.scalar(u32)
        ptx.inst.sub.u32(mirrored, count - 1, lane)
        ptx.inst.st.global_.f32(ptx.addr(po + lane * 4), memory[0, mirrored])
        ptx.ret()

    x = random.standard_normal(count).astype(np.float32)
    arguments = [Argument(x), Argument(np.zeros(count, np.float32), x[::-1].astype(np.float64))]
    return compiled(f"reversed_{count}", reverse_kernel, arguments, (1, 1, 1), (count, 1, 1))


def matmul(random, rows, columns, depth):
    """One mma.sync of bf16 per 16 of the depth and warp."""
    @kernel(in_specs=(Tile(rows, depth, bf16), Tile(columns, depth, bf16)), out_specs=(Tile(rows, columns, f32),),
            grid=(columns // 8, rows // 16, 1), block=(32, 1, 1), arch="sm_80")
    def matmul_kernel(left, right, out):
        pl, pr, po = ptx.global_ptrs(left, right, out)
        lane, column = thread("tid"), thread("ctaid") * 8
        row = reg.scalar(u32)
        ptx.inst.mov.u32(row, ptx.special.ctaid.y())
        group, pair = lane >> 2, (lane & 3) << 1
        row = row * 16 + group
        total = reg.array(f32, 4)
        for i in range(4):
            ptx.inst.mov.f32(total[i], reg.scalar(f32, init=0.0))
        a, b = reg.array(b32, 4), reg.array(b32, 2)
        for k in range(0, depth, 16):
            for i, (down, right_by) in enumerate(((0, 0), (8, 0), (0, 8), (8, 8))):
                ptx.inst.ld.global_.b32(a[i], ptx.addr(pl + ((row + down) * depth + pair + k + right_by) * 2))
            for i in range(2):
                ptx.inst.ld.global_.b32(b[i], ptx.addr(pr + ((column + group) * depth + pair + k + 8 * i) * 2))
            ptx.mma.sync(shape=(16, 8, 16), dtype_d=f32, dtype_a=bf16, dtype_b=bf16, dtype_c=f32, d=list(total), a=list(a), b=list(b), c=list(total),
                         a_layout="row", b_layout="col")
        for i in range(4):
            ptx.inst.st.global_.f32(ptx.addr(po + ((row + 8 * (i // 2)) * columns + column + pair + i % 2) * 4), total[i])
        ptx.ret()

    (a, v), (b, w) = (bits(random.uniform(-1, 1, s)) for s in ((rows, depth), (columns, depth)))
    out = Argument(np.zeros((rows, columns), np.float32), v @ w.T, accumulated(v, w.T, depth))
    return compiled(f"matmul_bf16_{rows}x{columns}x{depth}", matmul_kernel, [Argument(a), Argument(b), out], (columns // 8, rows // 16, 1), (32, 1, 1))


CASES = {
    "multiply_add": lambda r: multiply_add(r, 1024),
    "reversed": lambda r: reversed_words(r, 96),
    "matmul_bf16": lambda r: matmul(r, 32, 24, 48),
}
