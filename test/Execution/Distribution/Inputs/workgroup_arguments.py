"""VX-48, VX-110: kernels with arguments in workgroup memory, whose rows the kernel
places (specification, 9.4: no conflicts).

Random kernels read one to three such arguments, by matrix loads and lane by lane,
straight and transposed, whole and through subviews that overlap, and write some of
them. Every stage is compared with the program as written, and so is the PTX, where
the kernel fills its arguments from what the launch passes. No distance of rows out
of a list may have fewer bank conflicts than the one that was chosen: the same kernel
with these strides in its types, which it has to keep, is counted by the machine.
"""
import random
import re

from kernels import Kernel, Layout, suite, vector
from tile_layouts import Tiles

SPACE = "#gpu.address_space<workgroup>"
BYTES = {"f16": 2, "bf16": 2, "f32": 4, "i8": 1, "i32": 4, "f64": 8, "i64": 8}


def lanes_layout(r, shape, subgroups, lanes):
    """Lanes along one dim first, then the other; neighbours of a row or a column."""
    rank = len(shape)
    rest, T, S, E, B = list(shape), [1] * rank, [1] * rank, [1] * rank, [1] * rank
    dims = list(range(rank))
    r.shuffle(dims)
    inner = dims[0]
    E[inner] = max(e for e in (1, 2, 4, 8) if rest[inner] % e == 0 and r.random() < 0.9 or e == 1)
    rest[inner] //= E[inner]
    stride, ts, left = 1, [0] * rank, lanes
    for d in dims:
        T[d] = max(t for t in range(1, left + 1) if rest[d] % t == 0)
        ts[d] = stride if T[d] > 1 else 0
        stride, left, rest[d] = stride * T[d], left // T[d], rest[d] // T[d]
    stride, ss, left = 1, [0] * rank, subgroups
    for d in reversed(dims):
        S[d] = max(s for s in range(1, left + 1) if rest[d] % s == 0 and left % s == 0)
        ss[d] = stride if S[d] > 1 else 0
        stride, left, rest[d] = stride * S[d], left // S[d], rest[d] // S[d]
    return Layout(rank, S=S, B=rest, T=T, E=E, ss=ss, ts=ts)


class Program:
    def __init__(self, number):
        self.r = r = random.Random(9400 + number)
        self.number, self.lanes = number, r.choice([32, 32, 32, 64])
        self.subgroups, self.args = r.choice([1, 2, 4]), []
        for _ in range(r.choice([1, 1, 2, 3])):
            element = r.choice(["f16", "f16", "bf16", "f32", "i8", "i32", "f64", "i64"])
            tiled = self.lanes == 32 and BYTES[element] <= 4 and r.random() < 0.5
            if tiled:
                layout = Tiles(r, element, self.subgroups).layout
            else:
                rows, cols = r.choice([16, 24, 32, 17, 64, 5, 1]), r.choice([32, 64, 48, 40, 33, 128, 16, 1])
                layout = lanes_layout(r, [rows, cols], self.subgroups, self.lanes)
            swapped = r.random() < 0.4
            self.args.append((element, layout, swapped, r.choice(["whole", "whole", "views", "deep"]), r.random() < 0.4))

    def kernel(self, padding=None):
        """`padding`: bytes behind each row, in the types; None leaves it to the kernel."""
        name = f"program_{self.number}" + ("" if padding is None else f"_by_{padding}")
        kernel = Kernel(name, self.lanes * self.subgroups, self.lanes)
        kernel.line("%c1 = arith.constant 1 : index")
        for number, (element, layout, swapped, form, written) in enumerate(self.args):
            self.access(kernel, number, element, layout, swapped, form, written, padding)
        return kernel

    def access(self, kernel, number, element, layout, swapped, form, written, padding):
        shape = layout.shape()
        held = shape[::-1] if swapped else shape
        extents = [held[0] + (1 if form == "views" else 0), held[1]]
        if form == "deep":
            extents = [2, *extents]
        dims = "x".join(map(str, extents))
        strides = None
        if padding is not None:
            row = extents[-1] + padding // BYTES[element]
            strides = [row, 1] if len(extents) == 2 else [extents[1] * row, row, 1]
        layout_of = (lambda s, o=0: "" if strides is None and not o else f", strided<{s or [extents[-1], 1]}" + (f", offset: {o}>" if o else ">"))
        type_ = f"memref<{dims}x{element}{layout_of(strides)}, {SPACE}>"
        memory = kernel.argument(type_)
        pad = f"%pad{number}"
        kernel.line(f"{pad} = arith.constant {'0.0' if element[0] in 'fb' else '0'} : {element}")
        v, flat = vector(shape, element), "memref<" + "".join(f"{n}x" for n in shape) + element + ">"
        map_ = ", permutation_map = affine_map<(d0, d1) -> (d1, d0)>" if swapped else ""
        reads = [(memory, type_, "%c0, %c0")]
        if form == "deep":
            map_ = ", permutation_map = affine_map<(d0, d1, d2) -> (d2, d1)>" if swapped else ""
            reads = [(memory, type_, f"{at}, %c0, %c0") for at in ("%c0", "%c1")]
        if form == "views":  # two that overlap but for a row
            reads = []
            for at in (0, 1):
                row = strides[0] if strides else extents[1]
                of = f"memref<{held[0]}x{held[1]}x{element}, strided<[{row}, 1]" + (f", offset: {row}>" if at else ">") + f", {SPACE}>"
                view = f"%view{number}_{at}"
                kernel.line(f"{view} = memref.subview {memory}[{at}, 0] [{held[0]}, {held[1]}] [1, 1] : {type_} to {of}")
                reads.append((view, of, "%c0, %c0"))
        values = []
        for at, (base, of, indices) in enumerate(reads):
            value = f"%v{number}_{at}"
            kernel.line(f"{value}_raw = vector.transfer_read {base}[{indices}], {pad} {{in_bounds = [true, true]{map_}}} : {of}, {v}")
            kernel.layout(value, f"{value}_raw", layout, v)
            values.append(value)
        for at, value in enumerate(values):
            out = kernel.argument(flat)
            kernel.line(f"vector.transfer_write {value}, {out}[%c0, %c0] {{in_bounds = [true, true]}} : {v}, {flat}")
        if written:
            base, of, indices = reads[-1]
            op = "arith.negf %s" if element[0] in "fb" else "arith.xori %s, %s"
            kernel.line(f"%n{number} = {op % ((values[0],) * op.count('%s'))} : {v}")
            kernel.line(f"vector.transfer_write %n{number}, {base}[{indices}] {{in_bounds = [true, true]{map_}}} : {v}, {of}")


def counted(text):
    return tuple(int(re.search(name + r" +(\d+)", text)[1]) for name in ("bank conflicts", "shared requests"))


def counting(chosen, kernel, target):
    path = chosen.out / f"{kernel.name}.mlir"
    path.write_text(kernel.text())
    return [chosen.distaff, "run", str(path), "--target", target, "--stop-after=lower", "--counters"]


def runs(program, chosen):
    kernel = program.kernel()
    target = {32: "sm_80", 64: "gfx942"}[program.lanes]
    count = counting(chosen, kernel, target)

    def least(text):
        conflicts, requests = counted(text)
        for padding in (0, 4, 8, 16, 24, 32):
            if any(padding % BYTES[element] for element, *_ in program.args):
                continue
            done = suite.execute(counting(chosen, program.kernel(padding), target))
            if done.returncode:
                return f"rows {padding} bytes apart: {done.stderr[:600]}"
            fewer, others = counted(done.stdout)  # other requests are those of other layouts
            if fewer < conflicts and others == requests:
                return f"{conflicts} bank conflicts, and {fewer} with {padding} bytes behind each row"
        return None

    run = [*count[:5], "--check"]
    yield suite.Run(kernel.name, [*run, "--every-stage"], before=(count, least))
    if target == "sm_80":
        yield suite.Run(kernel.name + "_ptx", [*run, "--device", "ptx"], compares=False)


first = suite.taken("--programs") or range(0, 24)
chosen = suite.options()
suite.main([run for number in first for run in runs(Program(number), chosen)], chosen, one_in=4)
