"""Wide accesses only where the address allows it: random element types, row and
plane strides, loop bounds and steps, offsets of subviews and arguments. Buffers
begin on a multiple of 16 bytes and of no more, and the machine faults on every
access at an address that is no multiple of what the access claims."""
import random

from kernels import Kernel, Layout, main, vector

BYTES = {"i8": 1, "f16": 2, "f32": 4, "f64": 8}


class Position:
    """Where a read or a write starts along one dimension, and the largest start."""

    def __init__(self, rng, kernel, name, loop):
        scale, shift = rng.choice([1, 2, 3, 4, 8, 12]), rng.choice([0, 0, 1, 2, 4, 6, 8])
        form = rng.choice(["constant", "loop", "loop", "argument", "sum"])
        kernel.line(f"%{name}_shift = arith.constant {shift} : index")
        kernel.line(f"%{name}_scale = arith.constant {scale} : index")
        last = loop.last
        if form == "constant":
            self.value, self.largest = f"%{name}_shift", shift
            return
        if form == "argument":
            number = rng.choice([1, 2, 3, 4])
            source, last = kernel.argument("index", str(number)), number
        else:
            source = "%i"
        if form == "loop" and rng.random() < 0.5:
            self.value, self.largest = source, last
            return
        self.lines = [f"%{name}_scaled = arith.muli {source}, %{name}_scale : index",
                      f"%{name} = arith.addi %{name}_scaled, %{name}_shift : index"]
        self.value, self.largest = f"%{name}", scale * last + shift

    lines = []


class Loop:
    def __init__(self, rng):
        self.lower, self.step, self.trips = rng.choice([0, 1, 2, 3, 4, 6, 8]), rng.choice([1, 2, 3, 4, 8]), rng.choice([1, 2, 3])
        self.last = self.lower + self.step * (self.trips - 1)


def aligned(seed):
    rng = random.Random(seed)
    kernel = Kernel(f"alignment_{seed}", 32)
    element = rng.choice(list(BYTES))
    run = rng.choice([2, 4, 8, 16])
    layout = Layout(2, B=[rng.choice([1, 2]), 1], T=[8, 4], E=[rng.choice([1, 2]), run], ts=[4, 1])
    rows, columns = layout.shape()
    type_, loop = vector([rows, columns], element), Loop(rng)
    kernel.lines += [f"  %lower = arith.constant {loop.lower} : index", f"  %upper = arith.constant {loop.last + 1} : index",
                     f"  %step = arith.constant {loop.step} : index"]
    row, column, to = (Position(rng, kernel, name, loop) for name in ("row", "column", "to"))
    offset = rng.choice([None, 0, 1, 4, 8])  # of a subview, in columns
    slack = [rng.choice([0, 0, 1, 2, 4, 8, 16]) for _ in range(3)]
    source = [row.largest + rows + slack[0], (offset or 0) + column.largest + columns + slack[1]]
    target = [loop.last + 1, rows, to.largest + columns + slack[2]]
    from_ = kernel.argument(f"memref<{source[0]}x{source[1]}x{element}>")
    into = kernel.argument(f"memref<{'x'.join(map(str, target))}x{element}>")
    memory = f"memref<{source[0]}x{source[1]}x{element}>"
    if offset is not None:
        viewed = f"memref<{source[0]}x{source[1] - offset}x{element}, strided<[{source[1]}, 1], offset: {offset}>>"
        kernel.line(f"%view = memref.subview {from_}[0, {offset}] [{source[0]}, {source[1] - offset}] [1, 1] : {memory} to {viewed}")
        from_, memory = "%view", viewed
    kernel.line(f"%pad = arith.constant {'0.0' if element[0] == 'f' else '0'} : {element}")
    kernel.line("scf.for %i = %lower to %upper step %step {")
    for line in row.lines + column.lines + to.lines:
        kernel.line(line)
    kernel.line(f"%0 = vector.transfer_read {from_}[{row.value}, {column.value}], %pad {{in_bounds = [true, true]}} : {memory}, {type_}")
    kernel.layout("%1", "%0", layout, type_)
    kernel.line(f"vector.transfer_write %1, {into}[%i, %c0, {to.value}] {{in_bounds = [true, true]}} : {type_}, "
                f"memref<{'x'.join(map(str, target))}x{element}>")
    kernel.line("}")
    return kernel


main(aligned(seed) for seed in range(40))
