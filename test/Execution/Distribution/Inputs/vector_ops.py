"""Single ops against this file's own meaning of them: memory in all forms (VX-75 ..
VX-79), elements, slices and positions (VX-69 .. VX-72), masks (VX-74, VX-77; W2, W4,
W5), outer products, and vectors through control flow and calls (VX-92; W28).

Whole numbers, random layouts, 32 and 64 lanes; after every stage the bytes of each
output, and for 32 lanes those that the PTX gives.

    python3 vector_ops.py OUT_DIR [--only NAME] [--seeds 0:1000]
"""
import itertools
import random
import sys

from kernels import Kernel, suite, vector
from random_layouts import RandomLayouts, product
from random_more import nested
import npy

BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}
npy.DESCRIPTORS.setdefault("i16", ("<i2", "h"))
EXTENTS = [1, 2, 3, 4, 6, 7, 8, 12, 16, 24]


def indices(shape):
    return itertools.product(*map(range, shape))


def wrapped(x, element):
    bits = BITS[element]
    return (x + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


class Array:
    """Numbers by index, under a name in the kernel."""

    def __init__(self, name, shape, element, numbers):
        self.name, self.shape, self.element = name, list(shape), element
        self.numbers = numbers if isinstance(numbers, dict) else dict(zip(indices(shape), numbers))

    @property
    def type(self):
        return vector(self.shape, self.element)

    def values(self):
        return [self.numbers[i] for i in indices(self.shape)]


class Program:
    def __init__(self, name, out, seed):
        self.random = random.Random(f"{name} {seed}")
        r, self.out = self.random, out
        lanes, subgroups = r.choice([32, 32, 64]), r.choice([1, 1, 2, 3, 4])
        self.kernel = Kernel(f"{name}_{seed}", lanes * subgroups, lanes)
        self.kernel.flags += ["--schedule", str(seed)]
        self.layouts = RandomLayouts(r, subgroups, lanes)
        self.expected, self.count = {}, 0

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def line(self, text):
        self.kernel.line(text)

    def file(self, shape, element, numbers):
        path = self.out / f"{self.kernel.name}_{len(self.kernel.arguments)}.npy"
        return npy.write(path, element, shape, numbers)

    def memory(self, shape, element, numbers=None):
        """An argument; its numbers by index."""
        numbers = numbers or [self.random.randint(-100, 100) for _ in range(product(shape))]
        path = self.file(shape, element, numbers)
        type_ = f"memref<{''.join(f'{d}x' for d in shape)}{element}>"
        return self.kernel.argument(type_, str(path)), type_, dict(zip(indices(shape), numbers))

    def scalar(self, value):
        """An index that the compiler may or may not know."""
        if self.random.random() < 0.5:
            return self.kernel.argument("index", str(value))
        name = self.name()
        self.line(f"{name} = arith.constant {value} : index")
        return name

    def scalars(self, values):
        return ", ".join(self.scalar(v) for v in values)

    def laid(self, array):
        """Most values have a layout of the user's."""
        if self.random.random() < 0.25:
            return array
        name = self.name()
        self.line(f"{name} = iree_vector_ext.to_layout {array.name} to layout({self.layouts.layout(array.shape)}) : {array.type}")
        return Array(name, array.shape, array.element, array.numbers)

    def input(self, shape, element, numbers=None):
        base, type_, numbers = self.memory(shape, element, numbers)
        name, zeros = self.name(), ", ".join(["%c0"] * len(shape))
        self.line(f"{name} = vector.load {base}[{zeros}] : {type_}, {vector(shape, element)}")
        return self.laid(Array(name, shape, element, numbers))

    def mask(self, shape):
        """Read, made from bounds, or known; the bits by index."""
        choice = self.random.random()
        name = self.name()
        if choice < 0.4 or not shape:
            bits = [self.random.randint(0, 1) for _ in range(product(shape))]
            read = self.input(shape, "i8", bits)
            self.line(f"{name} = arith.trunci {read.name} : {read.type} to {vector(shape, 'i1')}")
            return Array(name, shape, "i1", read.numbers)
        bounds = [self.random.choice([-1, 0, 1, d // 2, d, d + 1, 99]) for d in shape]
        if choice < 0.7:
            self.line(f"{name} = vector.create_mask {self.scalars(bounds)} : {vector(shape, 'i1')}")
        else:
            bounds = [min(max(b, 0), d) for b, d in zip(bounds, shape)]
            bounds = [0] * len(bounds) if 0 in bounds else bounds
            self.line(f"{name} = vector.constant_mask {bounds} : {vector(shape, 'i1')}")
        return Array(name, shape, "i1", {i: int(all(x < b for x, b in zip(i, bounds))) for i in indices(shape)})

    def made(self, shape, element, text, numbers):
        name = self.name()
        self.line(f"{name} = {text}")
        return Array(name, shape, element, numbers)

    def output(self, array):
        if array.element == "index" or array.element == "i1":
            to = "i64" if array.element == "index" else "i8"
            op = "index_cast" if to == "i64" else "extui"
            array = self.made(array.shape, to, f"arith.{op} {array.name} : {array.type} to {vector(array.shape, to)}", array.numbers)
        array = self.laid(array)
        base, type_, _ = self.memory(array.shape, array.element, [0] * product(array.shape))
        self.expect(array.shape, array.element, array.numbers)
        self.line(f"vector.store {array.name}, {base}[{', '.join(['%c0'] * len(array.shape))}] : {type_}, {array.type}")

    def expect(self, shape, element, numbers):
        """Of the last argument."""
        self.expected[len(self.kernel.arguments) - 1] = (element, [wrapped(numbers[i], element) for i in indices(shape)])

    def shape(self, rank=None, most=256):
        rank = self.random.choice([1, 1, 2, 2, 3]) if rank is None else rank
        while product(shape := [self.random.choice(EXTENTS) for _ in range(rank)]) > most:
            pass
        return shape

    def element(self):
        return self.random.choice(["i8", "i16", "i32", "i32", "i64"])

    def runs(self, distaff):
        path = self.out / f"{self.kernel.name}.mlir"
        path.write_text(self.kernel.text())
        files = {number: self.out / f"{self.kernel.name}_out{number}.npy" for number in self.expected}

        def after():
            for number, (element, numbers) in self.expected.items():
                found = npy.read(files[number], element)
                if found != numbers:
                    at = next(i for i, (a, b) in enumerate(zip(found, numbers)) if a != b)
                    return f"arg{number}: element {at} is {found[at]}, not {numbers[at]}"
            return None

        target = {32: "sm_80", 64: "gfx942"}[self.kernel.subgroup]
        command = [distaff, "run", str(path), "--target", target, *self.kernel.flags]
        for number, file in files.items():
            command += ["--output", f"arg{number}={file}"]
        yield suite.Run(self.kernel.name, command + ["--check", "--every-stage"], after=after)
        if self.kernel.subgroup == 32:
            yield suite.Run(self.kernel.name + "_ptx", command + ["--device", "ptx"], after=after, compares=False)


# Memory

def lasting(p, shape):
    """Extents of memory with `shape` in its last dims, and starts there."""
    starts = [p.random.choice([0, 1, 3]) for _ in range(len(shape) + p.random.choice([0, 1]))]
    leading = len(starts) - len(shape)
    return [s + (d if i >= leading else 1) + p.random.choice([0, 2]) for i, (s, d) in
            enumerate(zip(starts, [1] * leading + list(shape)))], starts


def at(starts, index):
    leading = len(starts) - len(index)
    return tuple(s + (index[i - leading] if i >= leading else 0) for i, s in enumerate(starts))


def load(p):
    shape, element = p.shape(p.random.choice([0, 1, 2, 3])), p.element()
    sizes, starts = lasting(p, shape)
    base, type_, held = p.memory(sizes, element)
    p.output(p.made(shape, element, f"vector.load {base}[{p.scalars(starts)}] : {type_}, {vector(shape, element)}", {i: held[at(starts, i)] for i in indices(shape)}))


def store(p):
    a = p.input(p.shape(p.random.choice([0, 1, 2, 3])), p.element())
    sizes, starts = lasting(p, a.shape)
    base, type_, held = p.memory(sizes, a.element)
    number = len(p.kernel.arguments) - 1
    masked = bool(a.shape) and p.random.random() < 0.6
    if masked:
        mask = p.mask(a.shape)
        p.line(f"vector.maskedstore {base}[{p.scalars(starts)}], {mask.name}, {a.name} : {type_}, {mask.type}, {a.type}")
    else:
        p.line(f"vector.store {a.name}, {base}[{p.scalars(starts)}] : {type_}, {a.type}")
    for i in indices(a.shape):
        if not masked or mask.numbers[i]:
            held[at(starts, i)] = a.numbers[i]
    p.expected[number] = (a.element, [held[i] for i in indices(sizes)])


def masked_load(p):
    shape, element = p.shape(), p.element()
    mask, other = p.mask(shape), p.input(shape, element)
    starts = [p.random.choice([0, 2]) for _ in shape]
    # Memory ends where the mask does: nothing behind it may be touched.
    sizes = [max([s + 1] + [s + i[d] + 1 for i in indices(shape) if mask.numbers[i]]) for d, s in enumerate(starts)]
    base, type_, held = p.memory(sizes, element)
    p.output(p.made(shape, element, f"vector.maskedload {base}[{p.scalars(starts)}], {mask.name}, {other.name} : {type_}, {mask.type}, {other.type} into {other.type}",
                    {i: held[at(starts, i)] if mask.numbers[i] else other.numbers[i] for i in indices(shape)}))


def expand(p):
    shape, element = p.shape(1), p.element()
    mask, other = p.mask(shape), p.input(shape, element)
    base, type_, held = p.memory([2, shape[0] + 3], element)
    numbers, next_ = {}, 3
    for i in indices(shape):
        numbers[i] = held[1, next_] if mask.numbers[i] else other.numbers[i]
        next_ += mask.numbers[i]
    p.output(p.made(shape, element, f"vector.expandload {base}[{p.scalars([1, 3])}], {mask.name}, {other.name} : {type_}, {mask.type}, {other.type} into {other.type}", numbers))


def compress(p):
    a = p.input(p.shape(1), p.element())
    mask = p.mask(a.shape)
    base, type_, held = p.memory([a.shape[0] + 3], a.element)
    number, next_ = len(p.kernel.arguments) - 1, 2
    p.line(f"vector.compressstore {base}[{p.scalar(2)}], {mask.name}, {a.name} : {type_}, {mask.type}, {a.type}")
    for i in indices(a.shape):
        if mask.numbers[i]:
            held[next_,] = a.numbers[i]
            next_ += 1
    p.expected[number] = (a.element, [held[i] for i in indices([a.shape[0] + 3])])


def gather(p):
    shape, element = p.shape(most=128), p.element()
    where = p.input(shape, p.random.choice(["i32", "i64"]), [p.random.randrange(20) for _ in range(product(shape))])
    mask, other = p.mask(shape), p.input(shape, element)
    base, type_, held = p.memory([2, 24], element)
    starts = [p.random.choice([0, 1]), 4]
    text = f"vector.gather {base}[{p.scalars(starts)}] [{where.name}], {mask.name}, {other.name} : {type_}, {where.type}, {mask.type}, {other.type} into {other.type}"
    set_ = dict(mask.numbers)
    if p.random.random() < 0.4:
        outer = p.mask(shape)
        text = f"vector.mask {outer.name} {{ {text} }} : {outer.type} -> {other.type}"
        set_ = {i: bit and outer.numbers[i] for i, bit in set_.items()}
    p.output(p.made(shape, element, text, {i: held[starts[0], 4 + where.numbers[i]] if set_[i] else other.numbers[i] for i in indices(shape)}))


def scatter(p):
    a = p.input(p.shape(most=128), p.element())
    size = product(a.shape) + 5
    where, mask = p.input(a.shape, "i32", p.random.sample(range(size), product(a.shape))), p.mask(a.shape)
    base, type_, held = p.memory([size], a.element)
    number = len(p.kernel.arguments) - 1
    p.line(f"vector.scatter {base}[%c0] [{where.name}], {mask.name}, {a.name} : {type_}, {where.type}, {mask.type}, {a.type}")
    for i in indices(a.shape):
        if mask.numbers[i]:
            held[where.numbers[i],] = a.numbers[i]
    p.expected[number] = (a.element, [held[i] for i in indices([size])])


def masked_read(p):
    """W4, W5: the mask has the dims of memory; a passthru has those of the vector."""
    shape, element = p.shape(p.random.choice([1, 2, 3])), p.element()
    order = list(range(len(shape)))
    p.random.shuffle(order)
    if len(order) > 1 and p.random.random() < 0.4:
        order = order[1:]  # the first one is repeated
    sizes = [max(1, shape[d] - p.random.choice([0, 0, shape[d] // 2])) for d in order]
    base, type_, held = p.memory(sizes, element)
    mask = p.mask([shape[d] for d in order])
    dims = ", ".join(f"d{i}" for i in range(len(order)))
    map_ = f"affine_map<({dims}) -> ({', '.join(f'd{order.index(d)}' if d in order else '0' for d in range(len(shape)))})>"
    inside = ", ".join("true" if d not in order or sizes[order.index(d)] == shape[d] else "false" for d in range(len(shape)))
    pad, result = p.name(), vector(shape, element)
    p.line(f"{pad} = arith.constant 55 : {element}")
    own = p.random.random() < 0.4
    zeros = ", ".join(["%c0"] * len(order))
    read = f"vector.transfer_read {base}[{zeros}], {pad}{', ' + mask.name if own else ''} {{in_bounds = [{inside}], permutation_map = {map_}}} : {type_}, {result}"
    other = None if own or p.random.random() < 0.3 else p.input(shape, element)
    if not own:
        read = f"vector.mask {mask.name}{', ' + other.name if other else ''} {{ {read} }} : {mask.type} -> {result}"
    numbers = {}
    for i in indices(shape):
        m = tuple(i[d] for d in order)
        numbers[i] = held.get(m, 55) if mask.numbers[m] else other.numbers[i] if other else 55
    p.output(p.made(shape, element, read, numbers))


def masked_write(p):
    a = p.input(p.shape(p.random.choice([1, 2, 3])), p.element())
    order = list(range(len(a.shape)))
    p.random.shuffle(order)
    sizes = [max(1, a.shape[d] - p.random.choice([0, 0, a.shape[d] // 2])) for d in order]
    base, type_, held = p.memory(sizes, a.element)
    number, mask = len(p.kernel.arguments) - 1, p.mask([a.shape[d] for d in order])
    dims = ", ".join(f"d{i}" for i in range(len(order)))
    map_ = f"affine_map<({dims}) -> ({', '.join(f'd{order.index(d)}' for d in range(len(order)))})>"
    inside = ", ".join("true" if sizes[order.index(d)] == a.shape[d] else "false" for d in range(len(order)))
    zeros = ", ".join(["%c0"] * len(order))
    text = f"vector.transfer_write {a.name}, {base}[{zeros}] {{in_bounds = [{inside}], permutation_map = {map_}}} : {a.type}, {type_}"
    p.line(f"vector.mask {mask.name} {{ {text} }} : {mask.type}")
    for i in indices(a.shape):
        m = tuple(i[d] for d in order)
        if mask.numbers[m] and m in held:
            held[m] = a.numbers[i]
    p.expected[number] = (a.element, [held[i] for i in indices(sizes)])


def masks(p):
    p.output(p.mask(p.shape()))


# Elements

def positioned(p, position):
    return ", ".join(str(x) if p.random.random() < 0.5 else p.scalar(x) for x in position)


def extract(p):
    a = p.input(p.shape(), p.element())
    at_ = tuple(p.random.randrange(d) for d in a.shape[:p.random.randint(1, len(a.shape))])
    rest = a.shape[len(at_):]
    type_ = vector(rest, a.element) if rest else a.element
    part = p.made(rest, a.element, f"vector.extract {a.name}[{positioned(p, at_)}] : {type_} from {a.type}", {i: a.numbers[at_ + i] for i in indices(rest)})
    if not rest:
        part = p.made([], a.element, f"vector.broadcast {part.name} : {a.element} to {part.type}", part.numbers)
    p.output(part)


def insert(p):
    a = p.input(p.shape(), p.element())
    at_ = tuple(p.random.randrange(d) for d in a.shape[:p.random.randint(1, len(a.shape))])
    rest = a.shape[len(at_):]
    part = p.input(rest, a.element)
    name, type_ = part.name, part.type
    if not rest:
        name, type_ = p.name(), a.element
        p.line(f"{name} = vector.extract {part.name}[] : {a.element} from {part.type}")
    numbers = {**a.numbers, **{at_ + i: x for i, x in part.numbers.items()}}
    p.output(p.made(a.shape, a.element, f"vector.insert {name}, {a.name} [{positioned(p, at_)}] : {type_} into {a.type}", numbers))


def window(p, extent):
    size = p.random.choice([extent, max(1, extent // 2), p.random.randint(1, extent)])
    offset = p.random.choice([extent - size, p.random.randint(0, extent - size), (extent - size) // size * size])
    return offset, size


def extract_slice(p):
    a = p.input(p.shape(), p.element())
    windows = [window(p, d) for d in a.shape[:p.random.randint(1, len(a.shape))]]
    shape = [s for _, s in windows] + a.shape[len(windows):]
    offsets = [o for o, _ in windows] + [0] * (len(a.shape) - len(windows))
    text = f"vector.extract_strided_slice {a.name} {{offsets = {[o for o, _ in windows]}, sizes = {[s for _, s in windows]}, strides = {[1] * len(windows)}}} : {a.type} to {vector(shape, a.element)}"
    p.output(p.made(shape, a.element, text, {i: a.numbers[tuple(x + o for x, o in zip(i, offsets))] for i in indices(shape)}))


def insert_slice(p):
    a = p.input(p.shape(), p.element())
    dropped = p.random.choice([0, len(a.shape) - 1])
    windows = [(p.random.randrange(d), 1) for d in a.shape[:dropped]] + [window(p, d) for d in a.shape[dropped:]]
    part = p.input([s for _, s in windows[dropped:]], a.element)
    offsets = tuple(o for o, _ in windows)
    numbers = dict(a.numbers)
    for i, x in part.numbers.items():
        numbers[tuple(o + j for o, j in zip(offsets, (0,) * dropped + i))] = x
    p.output(p.made(a.shape, a.element, f"vector.insert_strided_slice {part.name}, {a.name} {{offsets = {list(offsets)}, strides = {[1] * len(part.shape)}}} : {part.type} into {a.type}", numbers))


def shuffle(p):
    a = p.input(p.shape(p.random.choice([1, 2]), most=64), p.element())
    b = p.input([p.random.choice([1, 3, 8])] + a.shape[1:], a.element)
    picks = [p.random.randrange(a.shape[0] + b.shape[0]) for _ in range(p.random.choice([1, 4, 7]))]

    def number(i):
        from_ = picks[i[0]]
        return a.numbers[(from_,) + i[1:]] if from_ < a.shape[0] else b.numbers[(from_ - a.shape[0],) + i[1:]]

    shape = [len(picks)] + a.shape[1:]
    p.output(p.made(shape, a.element, f"vector.shuffle {a.name}, {b.name} {picks} : {a.type}, {b.type}", {i: number(i) for i in indices(shape)}))


def elements(p):
    a = p.input(p.shape(p.random.choice([0, 1, 2]), most=16), p.element())
    name, count = p.name(), product(a.shape)
    p.line(f"{name}:{count} = vector.to_elements {a.name} : {a.type}")
    shape = p.random.choice([[], [1], [count], [2, 3]])
    picks = [p.random.randrange(count) for _ in range(product(shape))]
    values = a.values()
    p.output(p.made(shape, a.element, f"vector.from_elements {', '.join(f'{name}#{i}' for i in picks)} : {vector(shape, a.element)}", [values[i] for i in picks]))


def interleave(p):
    a = p.input(p.shape(most=128), p.element())
    b = p.input(a.shape, a.element)
    shape = a.shape[:-1] + [2 * a.shape[-1]]
    numbers = {i: (b if i[-1] % 2 else a).numbers[i[:-1] + (i[-1] // 2,)] for i in indices(shape)}
    both = p.laid(p.made(shape, a.element, f"vector.interleave {a.name}, {b.name} : {a.type} -> {vector(shape, a.element)}", numbers))
    p.output(both)
    name = p.name()
    p.line(f"{name}, {name}_odd = vector.deinterleave {both.name} : {both.type} -> {a.type}")
    p.output(Array(f"{name}_odd", a.shape, a.element, b.numbers))
    p.output(Array(name, a.shape, a.element, a.numbers))


def interleave_numbers(p):
    """Two vectors of rank 0."""
    a, b = p.input([], p.element()), None
    b = p.input([], a.element)
    p.output(p.laid(p.made([2], a.element, f"vector.interleave {a.name}, {b.name} : {a.type} -> {vector([2], a.element)}", [a.numbers[()], b.numbers[()]])))


def nowhere(p):
    """Positions that are none of the vector's, in code that does not run or whose result nobody asks for."""
    a = p.input(p.shape(), p.element())
    count = p.random.randint(1, len(a.shape))
    at_ = [p.random.randrange(d) for d in a.shape[:count]]
    at_[p.random.randrange(count)] = -1
    rest = a.shape[count:]
    type_ = vector(rest, a.element) if rest else a.element
    never, minus, part, result = p.name(), p.name(), p.name(), p.name()
    p.line(f"{never} = arith.cmpi ne, {p.kernel.argument('index', '0')}, %c0 : index")
    p.line(f"{minus} = arith.constant -1 : index")
    position = ", ".join((minus if x < 0 and p.random.random() < 0.5 else str(x)) for x in at_)
    p.line(f"{result} = scf.if {never} -> ({a.type}) {{")
    p.line(f"  {part} = vector.extract {a.name}[{position}] : {type_} from {a.type}")
    p.line(f"  {part}_in = vector.insert {part}, {a.name} [{position}] : {type_} into {a.type}")
    p.line(f"  scf.yield {part}_in : {a.type}")
    p.line("} else {")
    p.line(f"  scf.yield {a.name} : {a.type}")
    p.line("}")
    p.output(Array(result, a.shape, a.element, a.numbers))


def bitcast(p):
    a = p.input(p.shape(most=128), p.element())
    row, from_ = a.shape[-1], BITS[a.element]
    to = p.random.choice([e for e in BITS if row * from_ % BITS[e] == 0])
    shape = a.shape[:-1] + [row * from_ // BITS[to]]

    def number(i):
        bits = sum((a.numbers[i[:-1] + (k,)] % (1 << from_)) << k * from_ for k in range(row))
        return wrapped(bits >> i[-1] * BITS[to], to)

    p.output(p.made(shape, to, f"vector.bitcast {a.name} : {a.type} to {vector(shape, to)}", {i: number(i) for i in indices(shape)}))


def outer(p):
    a, axpy = p.input(p.shape(1), "i32"), p.random.random() < 0.3
    b = p.input([] if axpy else p.shape(1), "i32")
    right, type_ = b.name, b.type
    if axpy:
        right, type_ = p.name(), "i32"
        p.line(f"{right} = vector.extract {b.name}[] : i32 from {b.type}")
    shape = a.shape + b.shape
    acc = p.input(shape, "i32") if axpy or p.random.random() < 0.7 else None
    kind, combine = p.random.choice([("add", lambda x, y: x + y), ("maxsi", max), ("xor", lambda x, y: x ^ y)])
    text = f"vector.outerproduct {a.name}, {right}{', ' + acc.name + f' {{kind = #vector.kind<{kind}>}}' if acc else ''} : {a.type}, {type_}"
    numbers = {i: a.numbers[i[:1]] * b.numbers[i[1:]] for i in indices(shape)}
    if acc:
        mask = p.mask(shape) if p.random.random() < 0.5 else None
        numbers = {i: combine(x, acc.numbers[i]) if not mask or mask.numbers[i] else acc.numbers[i] for i, x in numbers.items()}
        if mask:
            text = f"vector.mask {mask.name} {{ {text} }} : {mask.type} -> {acc.type}"
    p.output(p.made(shape, "i32", text, numbers))


def step(p):
    extent = p.random.choice(EXTENTS + [48, 64])
    p.output(p.laid(p.made([extent], "index", f"vector.step : vector<{extent}xindex>", list(range(extent)))))


def constant(p):
    shape, element = p.shape(), p.element()
    kind = p.random.choice(["any", "affine", "splat"])
    a, b = p.random.randint(-9, 9), p.random.randint(-9, 9)
    numbers = [wrapped({"any": p.random.randint(-99, 99), "affine": a + b * n, "splat": a}[kind], element) for n in range(product(shape))]
    p.output(p.laid(p.made(shape, element, f"arith.constant dense<{nested(shape, numbers)}> : {vector(shape, element)}", numbers)))


def odd_constant(p):
    """Numbers of widths that no machine has, through tables in memory."""
    shape, bits = p.shape(), p.random.choice([3, 4, 9, 12, 17, 24, 31, 33, 40, 48, 63])
    element, wide = f"i{bits}", "i32" if bits < 32 else "i64"
    numbers = [p.random.randint(-(1 << bits - 1), (1 << bits - 1) - 1) for _ in range(product(shape))]
    odd = p.laid(p.made(shape, element, f"arith.constant dense<{nested(shape, numbers)}> : {vector(shape, element)}", numbers))
    text = f"arith.extsi {odd.name} : {odd.type} to {vector(shape, wide)}"
    p.output(p.made(shape, wide, text, numbers))


# Control flow

def carried(p):
    a = p.input(p.shape(), "i32")
    b = p.input(a.shape, "i32")
    return a, b, p.scalar(trips := p.random.choice([0, 1, 2, 5])), trips


def loop(p):
    a, b, bound, trips = carried(p)
    one, name = p.name(), p.name()
    p.line(f"{one} = arith.constant 1 : index")
    p.line(f"{name} = scf.for %i = %c0 to {bound} step {one} iter_args(%s = {a.name}) -> ({a.type}) {{")
    p.line(f"  %t = arith.addi %s, {b.name} : {a.type}")
    p.line(f"  scf.yield %t : {a.type}\n  }}")
    p.output(Array(name, a.shape, "i32", {i: x + trips * b.numbers[i] for i, x in a.numbers.items()}))


def while_loop(p):
    """The condition is an element of what is carried."""
    a, b, bound, trips = carried(p)
    first = ", ".join(["0"] * len(a.shape))
    counts = p.input(a.shape, "i32", [0] * product(a.shape))
    name = p.name()
    p.line(f"%n = arith.index_cast {bound} : index to i32")
    p.line(f"%ones = arith.constant dense<1> : {a.type}")
    p.line(f"{name}:2 = scf.while (%s = {a.name}, %k = {counts.name}) : ({a.type}, {a.type}) -> ({a.type}, {a.type}) {{")
    p.line(f"  %e = vector.extract %k[{first}] : i32 from {a.type}")
    p.line("  %more = arith.cmpi slt, %e, %n : i32")
    p.line(f"  scf.condition(%more) %s, %k : {a.type}, {a.type}\n  }} do {{\n  ^bb0(%u: {a.type}, %l: {a.type}):")
    p.line(f"  %t = arith.subi %u, {b.name} : {a.type}")
    p.line(f"  %m = arith.addi %l, %ones : {a.type}")
    p.line(f"  scf.yield %t, %m : {a.type}, {a.type}\n  }}")
    p.output(Array(f"{name}#0", a.shape, "i32", {i: x - trips * b.numbers[i] for i, x in a.numbers.items()}))


def branches(p):
    """scf.if and scf.index_switch, the one in the other, around execute_region and a call."""
    a, b, at_, chosen = carried(p)
    r, s, e, c = (p.name() for _ in range(4))
    f = f"{p.kernel.name}_double"
    p.kernel.header.append(f"func.func private @{f}(%x: {a.type}) -> {a.type} {{\n  %y = arith.addi %x, %x : {a.type}\n  return %y : {a.type}\n}}")
    p.line(f"{c} = arith.cmpi ne, {at_}, %c0 : index")
    p.line(f"{r} = scf.if {c} -> ({a.type}) {{")
    p.line(f"  {s} = scf.index_switch {at_} -> {a.type}\n  case 1 {{\n    %d = func.call @{f}({a.name}) : ({a.type}) -> {a.type}\n    scf.yield %d : {a.type}\n  }}")
    p.line(f"  default {{\n    {e} = scf.execute_region -> {a.type} {{\n      %x = arith.muli {a.name}, {b.name} : {a.type}\n      scf.yield %x : {a.type}\n    }}")
    p.line(f"    scf.yield {e} : {a.type}\n  }}\n    scf.yield {s} : {a.type}\n  }} else {{\n    scf.yield {b.name} : {a.type}\n  }}")
    p.output(Array(r, a.shape, "i32", {i: b.numbers[i] if chosen == 0 else 2 * x if chosen == 1 else x * b.numbers[i] for i, x in a.numbers.items()}))


OPS = [load, store, masked_load, expand, compress, gather, scatter, masked_read, masked_write, masks, extract, insert, extract_slice,
       insert_slice, shuffle, elements, interleave,
       interleave_numbers, nowhere, bitcast, outer, step, constant, odd_constant, loop, while_loop, branches]


def programs(out, seeds):
    for seed in seeds:
        for op in OPS:
            program = Program(op.__name__, out, seed)
            op(program)
            yield program


if __name__ == "__main__":
    seeds = suite.taken("--seeds") or range(16)
    chosen = suite.options()
    suite.main([run for program in programs(chosen.out, seeds) for run in program.runs(chosen.distaff)], chosen, one_in=5)
