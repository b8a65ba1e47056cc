"""Wide accesses only where the address allows it: random element types, row and
plane strides, loop bounds and steps, offsets of subviews and arguments. Buffers
begin on a multiple of 16 bytes and of no more, and the machine faults on every
access at an address that is no multiple of what the access claims."""
import random

from kernels import Kernel, Layout, main, vector

BYTES = {"i8": 1, "f16": 2, "f32": 4, "f64": 8}


class Position:
    """Where a read or a write starts along one dimension: an expression in the
    loop's counter, constants and an argument, and the largest value it takes."""

    def __init__(self, rng, kernel, name, loop, directed=None):
        self.rng, self.kernel, self.name = rng, kernel, name
        while True:
            self.lines, self.arguments, self.count = [], [], 0
            if directed:
                self.value, compute = directed(self)
            else:
                self.value, compute = self.expression(rng.choice([0, 1, 1, 2, 3]))
            self.largest = max(compute(i) for i in loop.counters)
            if self.largest <= 72:
                break
        for number in self.arguments:
            source = kernel.argument("index", str(number))
            self.lines = [line.replace("%ARGUMENT", source) for line in self.lines]
            self.value = self.value.replace("%ARGUMENT", source)

    def fresh(self, text):
        self.count += 1
        self.lines.append(f"%{self.name}_{self.count} = {text}")
        return f"%{self.name}_{self.count}"

    def constant(self, number):
        return self.fresh(f"arith.constant {number} : index")

    def leaf(self):
        form = self.rng.choice(["constant", "loop", "loop", "loop", "argument"])
        if form == "argument" and not self.arguments:
            number = self.rng.choice([1, 2, 3, 4, 8])
            self.arguments.append(number)
            return "%ARGUMENT", lambda i: number
        if form == "loop":
            return "%i", lambda i: i
        number = self.rng.choice([0, 1, 2, 4, 6, 8, 12])
        return self.fresh(f"arith.constant {number} : index"), lambda i: number

    def expression(self, depth):
        if depth == 0:
            return self.leaf()
        lhs, left = self.expression(depth - 1)
        op = self.rng.choice(["addi", "addi", "muli", "muli", "divui", "remui", "shli", "shrui", "andi", "ori", "xori", "minui", "maxui", "select"])
        if op in ("addi", "minui", "maxui", "select"):
            rhs, right = self.expression(depth - 1)
        else:
            number = self.rng.choice({"shli": [1, 2, 3], "shrui": [1, 2], "muli": [2, 3, 4, 8, 12], "andi": [3, 6, 12, 28]}.get(op, [1, 2, 3, 4, 6, 8]))
            rhs, right = self.fresh(f"arith.constant {number} : index"), lambda i: number
        compute = {"addi": lambda x, y: x + y, "muli": lambda x, y: x * y, "divui": lambda x, y: x // y, "remui": lambda x, y: x % y,
                   "shli": lambda x, y: x << y, "shrui": lambda x, y: x >> y, "andi": lambda x, y: x & y, "ori": lambda x, y: x | y,
                   "xori": lambda x, y: x ^ y, "minui": min, "maxui": max}
        if op == "select":
            bound = self.rng.choice([1, 2, 4, 6])
            limit = self.fresh(f"arith.constant {bound} : index")
            less = self.fresh(f"arith.cmpi ult, %i, {limit} : index")
            return self.fresh(f"arith.select {less}, {lhs}, {rhs} : index"), lambda i: left(i) if i < bound else right(i)
        return self.fresh(f"arith.{op} {lhs}, {rhs} : index"), lambda i: compute[op](left(i), right(i))


class Loop:
    def __init__(self, rng):
        self.lower, self.step, self.trips = rng.choice([0, 1, 2, 3, 4, 6, 8]), rng.choice([1, 2, 3, 4, 8]), rng.choice([1, 2, 3])
        self.counters = [self.lower + self.step * trip for trip in range(self.trips)]
        self.last = self.counters[-1]


def quotient(scale, by):
    """scale * i / by: by is no power of two, and divides what it divides."""
    def make(position):
        product = position.fresh(f"arith.muli %i, {position.constant(scale)} : index")
        return position.fresh(f"arith.divui {product}, {position.constant(by)} : index"), lambda i: scale * i // by
    return make


def remainder(scale, by):
    def make(position):
        product = position.fresh(f"arith.muli %i, {position.constant(scale)} : index")
        return position.fresh(f"arith.remui {product}, {position.constant(by)} : index"), lambda i: scale * i % by
    return make


def choice(first, second):
    """One constant in the first iteration, another one afterwards."""
    def make(position):
        less = position.fresh(f"arith.cmpi ult, %i, {position.constant(2)} : index")
        return (position.fresh(f"arith.select {less}, {position.constant(first)}, {position.constant(second)} : index"),
                lambda i: first if i < 2 else second)
    return make


DIRECTED = [quotient(24, 6), quotient(24, 3), quotient(24, 12), quotient(20, 5), remainder(24, 20), remainder(8, 12), remainder(12, 40),
            choice(8, 2), choice(2, 8), choice(8, 4), choice(4, 8), choice(8, 1)]


def aligned(seed, directed=None):
    rng = random.Random(seed)
    kernel = Kernel(f"alignment_{seed}", 32)
    element = "f16" if directed else rng.choice(list(BYTES))
    run = 8 if directed else rng.choice([2, 4, 8, 16])
    layout = Layout(2, B=[rng.choice([1, 2]), 1], T=[8, 4], E=[rng.choice([1, 2]), run], ts=[4, 1])
    rows, columns = layout.shape()
    type_, loop = vector([rows, columns], element), Loop(rng)
    if directed:
        loop.lower, loop.step, loop.counters, loop.last = 0, 1, [0, 1, 2, 3], 3
    kernel.lines += [f"  %lower = arith.constant {loop.lower} : index", f"  %upper = arith.constant {loop.last + 1} : index",
                     f"  %step = arith.constant {loop.step} : index"]
    row, to = (Position(rng, kernel, name, loop) for name in ("row", "to"))
    column = Position(rng, kernel, "column", loop, directed)
    offset = None if directed else rng.choice([None, 0, 1, 4, 8])  # of a subview, in columns
    slack = [rng.choice([0, 0, 1, 2, 4, 8, 16]) for _ in range(3)]
    source = [row.largest + rows + slack[0], (offset or 0) + column.largest + columns + slack[1]]
    if directed:
        source[1] = -(-source[1] // 8) * 8  # so that the column alone decides
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


main([aligned(seed) for seed in range(60)] + [aligned(f"directed_{number}", directed) for number, directed in enumerate(DIRECTED)])
