"""Ops that arrange elements anew as plain ops of a group: random chains of slices, paddings,
concatenations, insertions, other shapes, single elements, convolutions and poolings, loops that
ask for an element, with sums and ops on elements between them, on tensors of whole
numbers. Each is written two ways,

    group    the ops of a workgroup's subgroups
    workers  the ops of each subgroup, on elements of its own

and the first extent is known, or only the run knows it. Values are compared with what
Python computes, after every stage by the SIMT machine, and by the PTX machine for sm_80.

    python3 arranged.py OUT_DIR [--seeds FIRST:LAST] [options of suite.py]
"""
import itertools
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

TARGETS = {"sm_80": 32, "gfx942": 64}
SUBGROUPS = 4
WAYS = ("group", "workers")
SHAPES = ((7, 9), (12,), (1, 5, 6), (4, 1), (3, 4, 5), (16, 8), (1,))
KINDS = ("slice", "drop", "pad", "place", "concat", "insert", "collapse", "expand", "units", "element", "single", "sum", "scale",
         "window", "pool", "both", "put", "list", "until", "later")
MOST = 2**10


def wrap(number):
    return (number + 2**31) % 2**32 - 2**31


class Array:
    """Elements by place."""

    def __init__(self, shape, function):
        self.shape = tuple(shape)
        self.at = {place: wrap(function(*place)) for place in itertools.product(*map(range, shape))}

    def __getitem__(self, place):
        return self.at[place]

    def flat(self):
        return [self.at[place] for place in itertools.product(*map(range, self.shape))]


class Program:
    """A chain of ops on one tensor, the text of each, and what it makes. Of a dynamic first extent, `shape` has
    the largest and `extent` the run's; both may be expressions of `%s`, which `names` says."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.name = f"arranged_{seed}"
        self.start = SHAPES[seed % len(SHAPES)]
        self.dynamic = self.rng.random() < 0.4
        self.first = self.rng.randint(1, self.start[0]) if self.dynamic else self.start[0]
        rng = random.Random(seed + 1)
        self.inputs = [[rng.randint(-4, 4) for _ in range(math.prod(self.start))] for _ in range(SUBGROUPS)]
        self.lines, self.count = [], 0
        # Of the dimensions: extents, or a name; how many there are at most, and in this run.
        self.sizes = list(self.start)
        self.most = list(self.start)
        if self.dynamic:
            self.sizes[0] = "%s"
        self.value, self.steps = "%a", []
        wanted = [KINDS[(seed + number * 5) % len(KINDS)] for number in range(2)]
        for kind in [*wanted, *self.rng.choices(KINDS, k=self.rng.randint(0, 2))]:
            getattr(self, kind)()
        if not self.sizes:
            self.number_as_row()

    # Text.
    def new(self):
        self.count += 1
        return f"%t{self.count}"

    def type(self, sizes=None):
        sizes = self.sizes if sizes is None else sizes
        return "tensor<" + "".join(f"{'?' if isinstance(size, str) else size}x" for size in sizes) + "i32>"

    def add(self, text, sizes, most, function):
        """The op, whose result is named %r, the extents of its result, and its values of those of its operand."""
        name = self.new()
        self.lines += text.replace("%r ", name + " ").replace("%v", self.value).split("\n")
        self.value, self.sizes, self.most = name, list(sizes), list(most)
        self.steps.append(function)

    def index(self, expression):
        """A name of an index that the text computes."""
        if isinstance(expression, int):
            return expression
        name = self.new()
        self.lines.append(f"{name} = affine.apply affine_map<()[s0] -> ({expression})>()[%s]")
        return name

    def grown(self, size, by, scale=1, down=1):
        if isinstance(size, int):
            return size * scale // down + by
        name = self.new()
        self.lines.append(f"{name} = affine.apply affine_map<()[s0] -> ((s0 * {scale}) floordiv {down} + {by})>()[{size}]")
        return name

    def empty(self, sizes, fill=None):
        named = ", ".join(size for size in sizes if isinstance(size, str))
        name = self.new()
        self.lines.append(f"{name} = tensor.empty({named}) : {self.type(sizes)}")
        if fill is None:
            return name
        filled = self.new()
        self.lines.append(f"{filled} = linalg.fill ins({fill} : i32) outs({name} : {self.type(sizes)}) -> {self.type(sizes)}")
        return filled

    def listed(self, values):
        return "[" + ", ".join(map(str, values)) + "]"

    # Ops.
    def slice(self, drop=False):
        rng, offsets, sizes, most, strides, kept = self.rng, [], [], [], [], []
        if drop and len(self.sizes) < 2 and rng.random() < 0.5:
            return
        for dim, (size, largest) in enumerate(zip(self.sizes, self.most)):
            stride = rng.choice((1, 1, 2))
            if isinstance(size, str):
                # All, or every other one.
                offsets.append(0)
                sizes.append(size if stride == 1 else self.grown(size, 0, 1, 1) if False else size)
                strides.append(1)
                most.append(largest)
                kept.append(dim)
                continue
            if drop and dim == len(self.sizes) - 1:
                offsets.append(rng.randint(0, size - 1))
                sizes.append(1)
                strides.append(1)
                continue
            # More than one element, where there are, so that a stride matters.
            offset = rng.randint(0, (size - 1) // 2)
            offsets.append(offset)
            sizes.append(rng.randint(min(2, (size - offset - 1) // stride + 1), (size - offset - 1) // stride + 1))
            most.append(sizes[-1])
            strides.append(stride)
            kept.append(dim)
        result = [sizes[dim] for dim in kept]

        def function(array):
            now = [array.shape[dim] if isinstance(sizes[dim], str) else sizes[dim] for dim in range(len(sizes))]

            def at(*place):
                full = [0] * len(now)
                for dim, i in zip(kept, place):
                    full[dim] = i
                return array[tuple(o + i * t for o, i, t in zip(offsets, full, strides))]
            return Array([now[dim] for dim in kept], at)
        self.add(f"%r = tensor.extract_slice %v{self.listed(offsets)} {self.listed(sizes)} {self.listed(strides)} : {self.type()} to {self.type(result)}",
                 result, most, function)

    def drop(self):
        self.slice(drop=True)

    def pad(self, by_place=False):
        low, high = [[self.rng.randint(0, 2) for _ in self.sizes] for _ in range(2)]
        if not self.sizes or math.prod(most + 4 for most in self.most) > MOST:
            return
        sizes = [self.grown(size, a + b) if a + b else size for size, a, b in zip(self.sizes, low, high)]
        sizes = [size if isinstance(was, int) else "?" for size, was in zip(sizes, self.sizes)]
        names = ", ".join(f"%p{dim}: index" for dim in range(len(sizes)))
        inner = "  tensor.yield %three : i32"
        if by_place:
            inner = "  %q = arith.index_cast %p0 : index to i32\n  %q2 = arith.subi %q, %three : i32\n  tensor.yield %q2 : i32"

        def function(array):
            def at(*place):
                inside = tuple(i - a for i, a in zip(place, low))
                return array[inside] if inside in array.at else place[0] - 3 if by_place else 3
            return Array([n + a + b for n, a, b in zip(array.shape, low, high)], at)
        text = f"%r = tensor.pad %v low{self.listed(low)} high{self.listed(high)} {{\n^bb0({names}):\n{inner}\n}} : {self.type()} to {self.type(sizes)}"
        real = [self.grown(size, a + b) for size, a, b in zip(self.sizes, low, high)]
        self.add(text, real, [m + a + b for m, a, b in zip(self.most, low, high)], function)

    def place(self):
        self.pad(by_place=True)

    def concat(self):
        if not self.sizes or math.prod(self.most) * 3 > MOST:
            return
        dim, times = self.rng.randrange(len(self.sizes)), self.rng.randint(2, 3)
        sizes = [self.grown(size, 0, times) if d == dim else size for d, size in enumerate(self.sizes)]

        def function(array):
            shape = [n * times if d == dim else n for d, n in enumerate(array.shape)]
            return Array(shape, lambda *place: array[tuple(i % array.shape[dim] if d == dim else i for d, i in enumerate(place))])
        operands = ", ".join(["%v"] * times)
        self.add(f"%r = tensor.concat dim({dim}) {operands} : ({', '.join([self.type()] * times)}) -> {self.type(sizes)}",
                 sizes, [m * times if d == dim else m for d, m in enumerate(self.most)], function)

    def insert(self):
        if not self.sizes or any(isinstance(size, str) for size in self.sizes):
            return
        rng = self.rng
        offsets = [rng.randint(0, (size - 1) // 2) for size in self.sizes]
        strides = [rng.choice((1, 2)) for _ in self.sizes]
        most = [(size - o - 1) // t + 1 for size, o, t in zip(self.sizes, offsets, strides)]
        sizes = [rng.randint(min(2, size), size) for size in most]
        scaled, source = self.new(), self.new()
        self.lines += [f"{scaled} = arith.muli {self.value}, {self.value} : {self.type()}",
                       f"{source} = tensor.extract_slice {scaled}{self.listed([0] * len(sizes))} {self.listed(sizes)} {self.listed([1] * len(sizes))} : {self.type()} to {self.type(sizes)}"]

        def function(array):
            made = Array(array.shape, lambda *place: array[place])
            for place in itertools.product(*map(range, sizes)):
                made.at[tuple(o + i * t for o, i, t in zip(offsets, place, strides))] = wrap(array[place]**2)
            return made
        self.add(f"%r = tensor.insert_slice {source} into %v{self.listed(offsets)} {self.listed(sizes)} {self.listed(strides)} : {self.type(sizes)} into {self.type()}",
                 self.sizes, self.most, function)

    def collapse(self):
        if len(self.sizes) < 2:
            return
        first = self.rng.randrange(len(self.sizes) - 1)
        groups = [[dim] for dim in range(first)] + [[first, first + 1]] + [[dim] for dim in range(first + 2, len(self.sizes))]
        inner = self.sizes[first + 1]
        sizes = [*self.sizes[:first], self.grown(self.sizes[first], 0, inner), *self.sizes[first + 2:]]
        most = [*self.most[:first], self.most[first] * inner, *self.most[first + 2:]]

        def function(array):
            shape = [*array.shape[:first], array.shape[first] * inner, *array.shape[first + 2:]]
            return Array(shape, lambda *p: array[(*p[:first], p[first] // inner, p[first] % inner, *p[first + 1:])])
        self.add(f"%r = tensor.collapse_shape %v {groups} : {self.type()} into {self.type(sizes)}", sizes, most, function)

    def expand(self):
        dims = [dim for dim, size in enumerate(self.sizes) if isinstance(size, int) and size % 2 == 0]
        if not dims or len(self.sizes) > 3:
            return
        dim = self.rng.choice(dims)
        outer = self.sizes[dim] // 2
        groups = [[d] for d in range(dim)] + [[dim, dim + 1]] + [[d + 1] for d in range(dim + 1, len(self.sizes))]
        sizes = [*self.sizes[:dim], outer, 2, *self.sizes[dim + 1:]]

        def function(array):
            shape = [*array.shape[:dim], outer, 2, *array.shape[dim + 1:]]
            return Array(shape, lambda *p: array[(*p[:dim], p[dim] * 2 + p[dim + 1], *p[dim + 2:])])
        self.add(f"%r = tensor.expand_shape %v {groups} output_shape {self.listed(sizes)} : {self.type()} into {self.type(sizes)}",
                 sizes, [*self.most[:dim], outer, 2, *self.most[dim + 1:]], function)

    def units(self):
        if not 0 < len(self.sizes) < 3:
            return
        groups = [[0, 1]] + [[d + 1] for d in range(1, len(self.sizes))]
        sizes = [1, *self.sizes]
        self.add(f"%r = tensor.expand_shape %v {groups} output_shape {self.listed(sizes)} : {self.type()} into {self.type(sizes)}",
                 sizes, [1, *self.most], lambda array: Array([1, *array.shape], lambda *p: array[p[1:]]))
        self.scale()
        self.add(f"%r = tensor.collapse_shape %v {groups} : {self.type()} into {self.type(sizes[1:])}",
                 sizes[1:], self.most[1:], lambda array: Array(array.shape[1:], lambda *p: array[(0, *p)]))

    def element(self):
        """Adds one element to all."""
        place = [0 if isinstance(size, str) else self.rng.randrange(size) for size in self.sizes]
        indices = []
        for i in place:
            indices.append(self.new())
            self.lines.append(f"{indices[-1]} = arith.constant {i} : index")
        number, twice = self.new(), self.new()
        self.lines += [f"{number} = tensor.extract {self.value}[{', '.join(indices)}] : {self.type()}",
                       f"{twice} = arith.muli {number}, %three : i32"]
        filled = self.empty(self.sizes, twice)
        self.add(f"%r = arith.addi %v, {filled} : {self.type()}", self.sizes, self.most,
                 lambda array: Array(array.shape, lambda *p: array[p] + 3 * array[tuple(place)]))

    def single(self):
        """The sum of all, times the elements."""
        if not self.sizes:
            return
        begin = self.empty([], "%zero")
        total, number = self.new(), self.new()
        self.lines += [f"{total} = linalg.reduce {{ arith.addi }} ins({self.value} : {self.type()}) outs({begin} : tensor<i32>) dimensions = [{', '.join(map(str, range(len(self.sizes))))}]",
                       f"{number} = tensor.extract {total}[] : tensor<i32>"]
        filled = self.empty(self.sizes, number)
        self.add(f"%r = arith.muli %v, {filled} : {self.type()}", self.sizes, self.most,
                 lambda array: Array(array.shape, lambda *p: array[p] * sum(array.at.values())))

    def sum(self):
        if len(self.sizes) < 2:
            return
        dim = len(self.sizes) - 1
        begin = self.empty(self.sizes[:dim], "%zero")
        self.add(f"%r = linalg.reduce {{ arith.addi }} ins(%v : {self.type()}) outs({begin} : {self.type(self.sizes[:dim])}) dimensions = [{dim}]",
                 self.sizes[:dim], self.most[:dim],
                 lambda array: Array(array.shape[:dim], lambda *p: sum(array[(*p, i)] for i in range(array.shape[dim]))))

    def scale(self):
        self.add(f"%r = arith.addi %v, %v : {self.type()}", self.sizes, self.most, lambda array: Array(array.shape, lambda *p: 2 * array[p]))

    def both(self):
        """Of the tensor and of its elements in another order, each needs the whole."""
        if len(self.sizes) != 2 or any(isinstance(size, str) for size in self.sizes):
            return
        m, n = self.sizes
        turned = self.empty([n, m])
        name = self.new()
        self.lines.append(f"{name} = linalg.transpose ins({self.value} : {self.type()}) outs({turned} : {self.type([n, m])}) permutation = [1, 0]")
        self.value, self.sizes, self.most = name, [n, m], [n, m]
        self.steps.append(lambda array: Array(array.shape[::-1], lambda i, j: array[j, i]))
        self.slice()

    def later(self):
        """Slices of the tensor, of another one of its type, and of the tensor again: both are in memory at a time."""
        if not self.sizes or any(isinstance(size, str) for size in self.sizes):
            return
        rank, last, kept = len(self.sizes), self.sizes[-1], (self.sizes[-1] + 1) // 2
        sizes = [*self.sizes[:-1], kept]
        squares, (first, second, third, both) = self.new(), (self.new() for _ in range(4))
        cut = lambda name, source, offset: (f"{name} = tensor.extract_slice {source}{self.listed([0] * (rank - 1) + [offset])} {self.listed(sizes)}"
                                            f" {self.listed([1] * rank)} : {self.type()} to {self.type(sizes)}")
        self.lines += [cut(first, self.value, last - kept), f"{squares} = arith.muli {self.value}, {self.value} : {self.type()}",
                       cut(second, squares, last - kept), cut(third, self.value, 0), f"{both} = arith.muli {first}, {second} : {self.type(sizes)}"]
        self.add(f"%r = arith.addi {both}, {third} : {self.type(sizes)}", sizes, sizes,
                 lambda array: Array(sizes, lambda *p: array[(*p[:-1], p[-1] + last - kept)]**3 + array[p]))

    def window(self):
        """A convolution of the last dimension, or of two."""
        static = [isinstance(size, int) for size in self.sizes]
        if len(self.sizes) == 1 and static[0] and self.sizes[0] > 2:
            n = self.sizes[0]
            k = self.rng.randint(1, min(n, 3))
            weights = [self.rng.randint(-3, 3) for _ in range(k)]
            begin, kernel = self.empty([n - k + 1], "%zero"), self.new()
            self.weights(kernel, weights, [k])
            self.add(f"%r = linalg.conv_1d ins(%v, {kernel} : {self.type()}, {self.type([k])}) outs({begin} : {self.type([n - k + 1])}) -> {self.type([n - k + 1])}",
                     [n - k + 1], [n - k + 1],
                     lambda array: Array([n - k + 1], lambda i: sum(array[i + j,] * weights[j] for j in range(k))))
        elif len(self.sizes) == 3 and all(static[1:]):
            # Batch, place, channel.
            b, n, c = self.sizes
            k, stride, dilation = self.rng.randint(1, min(n, 3)), self.rng.randint(1, 2), self.rng.randint(1, 2)
            dilation = dilation if (k - 1) * dilation < n else 1
            out, f = (n - (k - 1) * dilation - 1) // stride + 1, self.rng.randint(1, 4)
            weights = [self.rng.randint(-3, 3) for _ in range(k * c * f)]
            sizes = [b, out, f]
            begin, kernel = self.empty(sizes, "%zero"), self.new()
            self.weights(kernel, weights, [k, c, f])
            attributes = f"{{strides = dense<{stride}> : tensor<1xi64>, dilations = dense<{dilation}> : tensor<1xi64>}}"
            self.add(f"%r = linalg.conv_1d_nwc_wcf {attributes} ins(%v, {kernel} : {self.type()}, {self.type([k, c, f])}) outs({begin} : {self.type(sizes)}) -> {self.type(sizes)}",
                     sizes, [self.most[0], out, f],
                     lambda array: Array([array.shape[0], out, f], lambda i, x, o: sum(
                         array[i, x * stride + j * dilation, d] * weights[(j * c + d) * f + o] for j in range(k) for d in range(c))))
        elif len(self.sizes) == 2 and all(static) and min(self.sizes) > 2:
            m, n = self.sizes
            weights = [self.rng.randint(-3, 3) for _ in range(6)]
            sizes = [m - 2, n - 1]
            begin, kernel = self.empty(sizes, "%zero"), self.new()
            self.weights(kernel, weights, [3, 2])
            self.add(f"%r = linalg.conv_2d ins(%v, {kernel} : {self.type()}, {self.type([3, 2])}) outs({begin} : {self.type(sizes)}) -> {self.type(sizes)}",
                     sizes, sizes,
                     lambda array: Array(sizes, lambda i, j: sum(array[i + p, j + q] * weights[2 * p + q] for p in range(3) for q in range(2))))

    def weights(self, name, values, shape):
        """Different numbers come in as an argument does: by a read."""
        self.given = getattr(self, "given", [])
        self.given.append((name, values, shape))

    def pool(self):
        if len(self.sizes) != 3 or not isinstance(self.sizes[1], int):
            return
        b, n, c = self.sizes
        # A window of more places than are unrolled.
        k = self.rng.choice([n, max(n - 1, 1), 1])
        sizes = [b, n - k + 1, c]
        begin, window = self.empty(sizes, "%low"), self.empty([k])
        self.add(f"%r = linalg.pooling_nwc_max ins(%v, {window} : {self.type()}, {self.type([k])}) outs({begin} : {self.type(sizes)}) -> {self.type(sizes)}",
                 sizes, [self.most[0], n - k + 1, c],
                 lambda array: Array([array.shape[0], n - k + 1, c], lambda i, x, d: max(array[i, x + j, d] for j in range(k))))

    def until(self):
        """A loop that asks for an element, four times at most."""
        if not self.sizes:
            return
        place = [0 if isinstance(size, str) else self.rng.randrange(size) for size in self.sizes]
        indices = [self.new() for _ in place]
        self.lines += [f"{name} = arith.constant {i} : index" for name, i in zip(indices, place)]
        t, loop, x, i, n = self.type(), self.new(), self.new(), self.new(), self.new()
        one, four, zero = self.new(), self.new(), self.new()
        filled = self.empty(self.sizes, "%three")
        self.lines += [f"{zero} = arith.constant 0 : index", f"{one} = arith.constant 1 : index", f"{four} = arith.constant 4 : index",
                       f"{loop}:2 = scf.while ({x} = {self.value}, {i} = {zero}) : ({t}, index) -> ({t}, index) {{",
                       f"  %e{n[1:]} = tensor.extract {x}[{', '.join(indices)}] : {t}", f"  %l{n[1:]} = arith.cmpi slt, %e{n[1:]}, %three : i32",
                       f"  %m{n[1:]} = arith.cmpi ult, {i}, {four} : index", f"  %b{n[1:]} = arith.andi %l{n[1:]}, %m{n[1:]} : i1",
                       f"  scf.condition(%b{n[1:]}) {x}, {i} : {t}, index", "} do {", f"^bb0(%y{n[1:]}: {t}, %j{n[1:]}: index):",
                       f"  %z{n[1:]} = arith.addi %y{n[1:]}, {filled} : {t}", f"  %k{n[1:]} = arith.addi %j{n[1:]}, {one} : index",
                       f"  scf.yield %z{n[1:]}, %k{n[1:]} : {t}, index", "}"]

        def function(array):
            for _ in range(4):
                if array[tuple(place)] >= 3:
                    break
                array = Array(array.shape, lambda *p, old=array: old[p] + 3)
            return Array(array.shape, lambda *p: 2 * array[p])
        self.add(f"%r = arith.addi {loop}#0, {loop}#0 : {t}", self.sizes, self.most, function)

    def put(self):
        if not self.sizes:
            return
        place = [0 if isinstance(size, str) else self.rng.randrange(size) for size in self.sizes]
        indices = []
        for i in place:
            indices.append(self.new())
            self.lines.append(f"{indices[-1]} = arith.constant {i} : index")
        self.add(f"%r = tensor.insert %three into %v[{', '.join(indices)}] : {self.type()}", self.sizes, self.most,
                 lambda array: Array(array.shape, lambda *p: 3 if list(p) == place else array[p]))

    def list(self):
        """A tensor of elements of another."""
        if not self.sizes:
            return
        names = []
        for i in (0, 1):
            place = [self.new() for _ in self.sizes]
            self.lines += [f"{name} = arith.constant {i if isinstance(size, int) and i < size else 0} : index" for name, size in zip(place, self.sizes)]
            names.append(self.new())
            self.lines.append(f"{names[-1]} = tensor.extract {self.value}[{', '.join(place)}] : {self.type()}")
        sizes = self.sizes

        def function(array):
            ones = tuple(1 if isinstance(size, int) and size > 1 else 0 for size in sizes)
            values = [array[(0,) * len(sizes)], array[ones], 3, 0]
            return Array([2, 2], lambda i, j: values[2 * i + j])
        self.add(f"%r = tensor.from_elements {names[0]}, {names[1]}, %three, %zero : tensor<2x2xi32>", [2, 2], [2, 2], function)

    def number_as_row(self):
        self.add(f"%r = tensor.expand_shape %v [] output_shape [1] : {self.type()} into {self.type([1])}", [1], [1],
                 lambda array: Array([1], lambda i: array[()]))

    # The whole.
    def evaluate(self, flat):
        inner = math.prod(self.start[1:])
        strides = [math.prod(self.start[d + 1:]) for d in range(len(self.start))]
        del inner
        array = Array([self.first, *self.start[1:]], lambda *p: flat[sum(i * s for i, s in zip(p, strides))])
        for step in self.steps:
            array = step(array)
        return array

    def text(self, way, lanes):
        own = way == "workers"
        count = SUBGROUPS if own else 1
        sg = "#iree_gpu.subgroup_scope"
        shape = (self.start[0] * count, *self.start[1:])
        out = (self.most[0] * count, *self.most[1:])
        tensor = lambda extents: "tensor<" + "x".join(map(str, extents)) + "xi32>"
        ref = lambda extents, scope=sg: "!pcf.sref<" + "x".join(map(str, extents)) + f"xi32, {scope}>"
        given = getattr(self, "given", [])
        ids = "[%id: index, %count: index]" if own else f"[%tg: !pcf.threadgroup<{sg}>]"
        arguments = "".join(f", %k{number}: {tensor(extents)}" for number, (_, _, extents) in enumerate(given))
        at = lambda name, rank: "[" + ", ".join([name if own else "0"] + ["0"] * (rank - 1)) + "]"
        ones = lambda rank: self.listed([1] * rank)
        lines = [f"#launch = #iree_codegen.translation_info<workgroup_size = [{SUBGROUPS * lanes}, 1, 1] subgroup_size = {lanes}>",
                 f"func.func @k(%in: {tensor(shape)}, %out: {tensor(out)}, %given: index{arguments}) -> {tensor(out)} attributes {{translation_info = #launch}} {{",
                 "  %zero = arith.constant 0 : i32", "  %three = arith.constant 3 : i32", "  %low = arith.constant -2147483648 : i32",
                 f"  %extent = arith.constant {self.start[0]} : index", f"  %ends = arith.constant {self.most[0]} : index", "  %s = arith.minui %given, %extent : index",
                 f"  %r = pcf.{'generic' if own else 'shared_executor'} scope({sg})",
                 f"    execute(%A <- %in : {tensor(shape)}{''.join(f', %K{n} <- %k{n} : {tensor(e)}' for n, (_, _, e) in enumerate(given))}, %O = %out){ids}"
                 f" : ({', '.join([ref(shape), *(ref(e) for _, _, e in given), ref(out, f'sync({sg})')])}) -> ({tensor(out)}) {{"]
        if own:
            lines += ["    %from = arith.muli %id, %extent : index", "    %to = arith.muli %id, %ends : index"]
        first = ["%s" if self.dynamic else self.start[0], *self.start[1:]]
        lines.append(f"    %a = pcf.read_slice %A{at('%from', len(first))} {self.listed(first)} {ones(len(first))} : {ref(shape)} to {self.type(first)}")
        lines += [f"    {name} = pcf.read_slice %K{n}{self.listed([0] * len(e))} {self.listed(e)} {ones(len(e))} : {ref(e)} to {tensor(e)}"
                  for n, (name, _, e) in enumerate(given)]
        # What lies behind the end is written, too.
        rank = len(self.most)
        lines += [f"    %all = arith.constant dense<-7> : {tensor(self.most)}",
                  f"    pcf.write_slice %all into %O{at('%to', rank)} {self.listed(self.most)} {ones(rank)} : {tensor(self.most)} into {ref(out, f'sync({sg})')}"]
        lines += ["    " + line for line in self.lines]
        lines.append(f"    pcf.write_slice {self.value} into %O{at('%to', rank)} {self.listed(self.sizes)} {ones(rank)} : {self.type()} into {ref(out, f'sync({sg})')}")
        return "\n".join([*lines, "    pcf.return", "  }", f"  return %r : {tensor(out)}", "}"]) + "\n"


def runs(seed, chosen):
    program = Program(seed)
    for way in WAYS:
        count = SUBGROUPS if way == "workers" else 1
        shape = (program.start[0] * count, *program.start[1:])
        out = (program.most[0] * count, *program.most[1:])
        expected = []
        for part in range(count):
            array = program.evaluate(program.inputs[part])
            expected += [array.at.get(place, -7) for place in itertools.product(*map(range, program.most))]
        files = [("arg0", npy.write(chosen.out / f"{program.name}-{way}-in.npy", "i32", shape, [v for part in program.inputs[:count] for v in part])),
                 ("arg1", npy.write(chosen.out / f"{program.name}-{way}-out.npy", "i32", out, [-9] * math.prod(out)))]
        files += [(f"arg{n + 3}", npy.write(chosen.out / f"{program.name}-{way}-k{n}.npy", "i32", extents, values))
                  for n, (_, values, extents) in enumerate(getattr(program, "given", []))]
        for target, lanes in TARGETS.items():
            base = chosen.out / f"{program.name}-{way}-{target}"
            path = base.with_suffix(".mlir")
            path.write_text(program.text(way, lanes))
            for device, flags in (("simt", ["--pipeline", "run-cluster", "--every-stage", "--schedule", str(seed)]), ("ptx", ["--device", "ptx"])):
                # Each way has its turn on the other targets.
                if target != "sm_80" and (device == "ptx" or WAYS.index(way) != seed % len(WAYS)):
                    continue
                made = base.with_suffix(f".{device}.npy")

                def after(made=made, expected=expected):
                    return None if npy.read(made, "i32") == expected else f"other values: {npy.read(made, 'i32')} for {expected}"[:600]

                yield suite.Run(f"{base.name} {device}", [chosen.distaff, "run", str(path), "--target", target, "--check", *flags, "--input", f"arg2={program.first}",
                                                          *(flag for name, file in files for flag in ("--input", f"{name}={file}")),
                                                          "--output", f"res0={made}"], after=after, compares=False)


seeds = suite.taken("--seeds") or range(40)
chosen = suite.options()
suite.main([run for seed in seeds for run in runs(seed, chosen)], chosen, 7)
