"""Random vector programs with random layouts at some of their values.

A seed is a kernel: 3 to 12 ops over vectors of rank 0 to 3. Floats are small
integers, which all their sums and products represent exactly, so that an element
dropped or counted twice is never within the error bound.

    python3 random_kernels.py OUT_DIR --seeds 0:1000      prints what was in them
    python3 random_kernels.py OUT_DIR --shrink 17         the least part that fails
"""
import random

from kernels import FLOATS, Kernel, vector
from random_arith import RareOps
from random_layouts import RandomLayouts, primes, product
from random_more import MoreOps
from random_report import main

EXTENTS = [1, 2, 3, 5, 6, 7, 8, 12, 16, 48, 64]
INTEGERS = ["i1", "i4", "i8", "i16", "i24", "i32", "i64", "index"]
# That are not those of most programs, by lanes of a subgroup.
OTHER_TARGETS = {32: ["sm_75", "sm_86", "sm_89", "sm_90a", "gfx1100", "gfx1201"], 64: ["gfx908", "gfx90a", "gfx950"]}
# Largest integer below which all are exact.
EXACT = {"f8E5M2": 8, "f8E4M3FN": 16, "f8E5M2FNUZ": 8, "f8E4M3FNUZ": 16, "f16": 2048, "bf16": 256, "f32": 1 << 24, "f64": 1 << 24}
EIGHT_BITS = ["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ"]
KINDS = {"float": ["add", "mul", "minimumf", "maximumf", "minnumf", "maxnumf"],
               "integer": ["add", "mul", "minsi", "maxsi", "minui", "maxui", "and", "or", "xor"]}


# Seeds of the suite that --check does not decide, and why.
UNDECIDED = {}


def dims_map(count, results):
    dims = ", ".join(f"d{i}" for i in range(count))
    return f"affine_map<({dims}) -> ({', '.join('0' if r is None else f'd{r}' for r in results)})>"


def sizes(seed, threads):
    """Of a workgroup; one in six has three (VX-25)."""
    # Its own numbers: the rest of a seed's program is the same with and without.
    r = random.Random(seed ^ 0x3D)
    along = [1, 1, 1]
    if r.random() >= 1 / 6:
        return [threads, 1, 1]
    for p in primes(threads):
        along[r.randrange(3)] *= p
    return along


class Value:
    def __init__(self, name, shape, element, bound=0):
        self.name, self.shape, self.element, self.bound = name, list(shape), element, bound
        self.used = False

    @property
    def type(self):
        return vector(self.shape, self.element)

    @property
    def is_float(self):
        return self.element in FLOATS


class Generator(MoreOps, RareOps):
    def __init__(self, seed, most=None):
        self.most = most  # ops, where a failing program is made smaller
        self.random = r = random.Random(seed)
        self.lanes = r.choice([32, 32, 64])
        self.subgroups = r.choice([1, 1, 2, 2, 3, 4])
        self.layouts = RandomLayouts(r, self.subgroups, self.lanes)
        self.kernel = Kernel(f"seed_{seed}", self.subgroups * self.lanes, self.lanes)
        self.kernel.sizes = sizes(seed, self.kernel.threads)
        if r.random() < 0.3:
            self.kernel.target = r.choice(OTHER_TARGETS[self.lanes])
        self.kernel.flags += ["--schedule", str(seed)]
        self.kernel.undecided = UNDECIDED.get(seed)
        self.count = 0
        self.values, self.scalars = [], []
        self.depth = 0

    # Names and lines

    def value(self, *of):
        return Value(*of)

    def exact(self, element):
        return EXACT[element]

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text):
        self.kernel.line(text)

    def define(self, shape, element, text, bound=0):
        value = Value(self.name(), shape, element, bound)
        self.emit(f"{value.name} = {text}")
        self.values.append(value)
        if self.random.random() < 0.12:
            return self.anchored(value)
        return value

    def chance(self, p):
        return self.random.random() < p

    def shape(self, rank=None):
        rank = self.random.choice([1, 1, 2, 2, 2, 3, 0]) if rank is None else rank
        while True:
            shape = [self.random.choice(EXTENTS) for _ in range(rank)]
            if product(shape) <= 768:
                return shape

    def anchored(self, value):
        forced = " {shared_memory_conversion}" if self.chance(0.05) else ""
        result = Value(self.name(), value.shape, value.element, value.bound)
        self.emit(f"{result.name} = iree_vector_ext.to_layout {value.name} to layout({self.layouts.layout(value.shape)}){forced} : {value.type}")
        value.used = True
        self.values.append(result)
        return result

    # Sources

    def element(self):
        return self.random.choice(["f16", "bf16", "f32", "f32", "f64", *EIGHT_BITS, "i1", "i4", "i8", "i16", "i24", "i32", "i32", "i64", "index"])

    def index(self, value):
        """A start or bound that the compiler may or may not know."""
        if self.chance(0.5):
            return self.kernel.argument("index", str(value))
        name = self.name()
        self.emit(f"{name} = arith.constant {value} : index")
        return name

    def read(self, shape, element):
        """All, or a permuted, shifted, broadcast, masked or overhanging part, of a new argument."""
        memory_element = element if element in ("i8", "i16", "i32", "i64") else "i8"
        rank = len(shape)
        results, memory = [None] * rank, []
        order = list(range(rank))
        if self.chance(0.4):
            self.random.shuffle(order)
        starts, in_bounds, unmapped = [], [True] * rank, 0
        for dim in order:
            if self.chance(0.15):
                continue
            if len(memory) < 3 and self.chance(0.1):
                memory.append(2)
                starts.append(1)
            results[dim] = len(memory)
            start = self.random.choice([0, 0, 1, 3])
            overhang = self.random.choice([0, 0, 0, 1, shape[dim] // 2, shape[dim]])
            in_bounds[dim] = overhang == 0
            memory.append(max(1, start + shape[dim] - overhang + self.random.choice([0, 0, 2])))
            if start + shape[dim] > memory[-1]:
                in_bounds[dim] = False
            starts.append(start)
        if not memory:
            memory, starts = [2], [1]
        dims = "".join(f"{d}x" for d in memory)
        range_ = "random:%d:-3:3" % self.random.randrange(99) if memory_element == "i8" else "random:%d" % self.random.randrange(99)
        base = self.kernel.argument(f"memref<{dims}{memory_element}>", range_)
        indices = ", ".join([self.index(s) for s in starts])
        pad = self.name()
        self.emit(f"{pad} = arith.constant {self.random.choice([0, 1, -2])} : {memory_element}")
        mask = ""
        mapped = [d for m in range(len(memory)) for d in range(rank) if results[d] == m]
        if mapped and self.chance(0.25):
            mask_value = self.pick([shape[d] for d in mapped], "i1")
            mask = f", {mask_value.name}"
        attributes = f"permutation_map = {dims_map(len(memory), results)}"
        if rank:
            attributes = f"in_bounds = [{', '.join('true' if b else 'false' for b in in_bounds)}], " + attributes
        raw = self.define(shape, memory_element, f"vector.transfer_read {base}[{indices}], {pad}{mask} {{{attributes}}} : "
                          f"memref<{dims}{memory_element}>, {vector(shape, memory_element)}", 3 if memory_element == "i8" else 0)
        return self.convert(raw, element) if element != memory_element else raw

    def convert(self, value, element):
        """`value` as `element`, its low bits where a float has to hold it."""
        src, dst = value.element, element
        if src == dst:
            return value
        value.used = True
        to = vector(value.shape, dst)
        if value.is_float and dst in FLOATS:
            if value.bound > EXACT[dst]:
                return self.pick(value.shape, dst, fresh=True)
            widths = {**dict.fromkeys(EIGHT_BITS, 8), "f16": 16, "bf16": 16, "f32": 32, "f64": 64}
            if widths[src] == widths[dst]:
                return self.convert(self.convert(value, "f32"), dst)
            op = "extf" if widths[src] < widths[dst] else "truncf"
            return self.define(value.shape, dst, f"arith.{op} {value.name} : {value.type} to {to}", value.bound)
        if value.is_float:
            if dst == "index":
                return self.convert(self.convert(value, "i32"), dst)
            if dst == "i1":
                half = self.splat(value.shape, src, "0.5")
                return self.define(value.shape, dst, f"arith.cmpf {self.random.choice(['ogt', 'ult'])}, {value.name}, {half} : {value.type}", 1)
            if value.bound > {"i4": 7, "i8": 100}.get(dst, 30000):  # else it has no defined result
                return self.pick(value.shape, dst, fresh=True)
            return self.define(value.shape, dst, f"arith.fptosi {value.name} : {value.type} to {to}", value.bound)
        if dst in FLOATS:
            if src == "index":
                return self.convert(self.convert(value, "i32"), dst)
            if src == "i1":
                return self.define(value.shape, dst, f"arith.uitofp {value.name} : {value.type} to {to}", 1)
            if value.bound == 0 or value.bound > EXACT[dst]:
                three = self.splat(value.shape, src, "3")
                value = self.define(value.shape, src, f"arith.andi {value.name}, {three} : {value.type}", 3)
                value.used = True
            return self.define(value.shape, dst, f"arith.sitofp {value.name} : {value.type} to {to}", value.bound)
        if "index" in (src, dst):
            if "i1" in (src, dst):
                return self.convert(self.convert(value, "i32"), dst)
            return self.define(value.shape, dst, f"arith.index_cast {value.name} : {value.type} to {to}", value.bound)
        narrower = int(src[1:]) > int(dst[1:])
        op = "trunci" if narrower else self.random.choice(["extsi", "extui"])
        bound = value.bound if op == "extsi" and src != "i1" else 0
        return self.define(value.shape, dst, f"arith.{op} {value.name} : {value.type} to {to}", bound)

    def splat(self, shape, element, literal):
        name = self.name()
        if element == "i1":
            literal = "true"
        elif element in FLOATS and "." not in literal:
            literal += ".0"
        self.emit(f"{name} = arith.constant dense<{literal}> : {vector(shape, element)}")
        return name

    def constant(self, shape, element):
        """Not the same everywhere; sometimes affine in the index."""
        affine = self.chance(0.3)

        def literal(at):
            n = at % 5 if affine else self.random.randrange(-3, 4)
            if element == "i1":
                return "true" if n > 0 else "false"
            return f"{n}.0" if element in FLOATS else str(n)

        def nested(dims, at):
            if not dims:
                return literal(at)
            return "[" + ", ".join(nested(dims[1:], at * dims[0] + i) for i in range(dims[0])) + "]"

        return self.define(shape, element, f"arith.constant dense<{nested(shape, 0)}> : {vector(shape, element)}", 4)

    def mask(self, shape):
        if self.chance(0.5):
            bounds = ", ".join(self.index(self.random.choice([-1, 0, 1, d // 2, d - 1, d, d + 3])) for d in shape)
            return self.define(shape, "i1", f"vector.create_mask {bounds} : {vector(shape, 'i1')}", 1)
        bounds = [self.random.choice([1, d // 2, d, d]) for d in shape]
        if 0 in bounds:
            bounds = [0] * len(shape)
        return self.define(shape, "i1", f"vector.constant_mask [{', '.join(map(str, bounds))}] : {vector(shape, 'i1')}", 1)

    def pick(self, shape, element, fresh=False):
        """A value of this type, an old one if there is one."""
        shape = list(shape)
        old = [v for v in self.values if v.shape == shape and v.element == element]
        if old and not fresh and self.chance(0.7):
            value = self.random.choice(old)
        elif shape and element == "i1" and self.chance(0.4):
            value = self.mask(shape)
        elif product(shape) <= 256 and self.chance(0.12):
            value = self.constant(shape, element)
        elif len(shape) == 1 and element == "index" and self.chance(0.5):
            value = self.define(shape, element, f"vector.step : {vector(shape, element)}", shape[0])
        else:
            value = self.read(shape, element)
        value.used = True
        return value

    def any(self, rank_at_least=0):
        old = [v for v in self.values if len(v.shape) >= rank_at_least]
        if old and self.chance(0.85):
            value = self.random.choice(old[-6:])
            value.used = True
            return value
        shape = self.shape()
        while len(shape) < rank_at_least:
            shape = self.shape()
        return self.pick(shape, self.element(), fresh=True)

    # Ops

    def elementwise(self):
        a = self.any()
        if self.chance(0.25):
            return self.convert(a, self.random.choice([e for e in list(FLOATS) + INTEGERS if e != a.element]))
        b = self.pick(a.shape, a.element)
        choice = self.random.random()
        if choice < 0.2:
            condition = self.pick(a.shape, "i1")
            return self.define(a.shape, a.element, f"arith.select {condition.name}, {a.name}, {b.name} : {condition.type}, {a.type}", max(a.bound, b.bound) if a.bound and b.bound else 0)
        if a.is_float:
            if choice < 0.3:
                half = self.splat(a.shape, a.element, "0.5")
                return self.define(a.shape, "i1", f"arith.cmpf {self.random.choice(['olt', 'oge', 'une'])}, {a.name}, {half} : {a.type}", 1)
            limit = EXACT[a.element]
            ops = [("minimumf", max(a.bound, b.bound)), ("maxnumf", max(a.bound, b.bound)), ("addf", a.bound + b.bound),
                   ("subf", a.bound + b.bound), ("mulf", a.bound * b.bound)]
            op, bound = self.random.choice([o for o in ops if o[1] <= limit])
            return self.define(a.shape, a.element, f"arith.{op} {a.name}, {b.name} : {a.type}", bound)
        if choice < 0.3:
            return self.define(a.shape, "i1", f"arith.cmpi {self.random.choice(['eq', 'slt', 'uge'])}, {a.name}, {b.name} : {a.type}", 1)
        op = self.random.choice(["addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxui"])
        return self.define(a.shape, a.element, f"arith.{op} {a.name}, {b.name} : {a.type}")

    def transpose(self):
        a = self.any(rank_at_least=2)
        order = list(range(len(a.shape)))
        self.random.shuffle(order)
        shape = [a.shape[i] for i in order]
        return self.define(shape, a.element, f"vector.transpose {a.name}, {order} : {a.type} to {vector(shape, a.element)}", a.bound)

    def broadcast(self):
        a = self.any()
        if self.scalars and self.chance(0.4):
            name, element, bound = self.random.choice(self.scalars)
            shape = self.shape()
            return self.define(shape, element, f"vector.broadcast {name} : {element} to {vector(shape, element)}", bound)
        shape = list(a.shape)
        for dim, extent in enumerate(shape):
            if extent == 1 and self.chance(0.7):
                shape[dim] = self.random.choice(EXTENTS)
        if len(shape) < 3 and (shape == a.shape or self.chance(0.5)):
            shape = [self.random.choice(EXTENTS) for _ in range(self.random.randint(1, 3 - len(shape)))] + shape
        if product(shape) > 2048:
            return self.elementwise()
        return self.define(shape, a.element, f"vector.broadcast {a.name} : {a.type} to {vector(shape, a.element)}", a.bound)

    def shape_cast(self):
        a = self.any()
        factors = primes(product(a.shape))
        self.random.shuffle(factors)
        if self.chance(0.5):  # unit dims come and go, or neighbours meet
            shape = list(a.shape)
            at = self.random.randint(0, len(shape))
            shape.insert(at, 1)
            if len(shape) > 2 and self.chance(0.5):
                shape = [shape[0] * shape[1]] + shape[2:]
        else:
            shape = [1] * self.random.randint(1, 3)
            for p in factors:
                shape[self.random.randrange(len(shape))] *= p
        shape = shape if len(shape) <= 3 else [product(shape[:2])] + shape[2:]
        return self.define(shape, a.element, f"vector.shape_cast {a.name} : {a.type} to {vector(shape, a.element)}", a.bound)

    def kinds(self, element, count, bound):
        if element not in FLOATS:
            return [(k, 0) for k in KINDS["integer"]]
        kinds = [("add", count * bound), ("minimumf", bound), ("maximumf", bound), ("minnumf", bound), ("maxnumf", bound)]
        if bound ** count <= EXACT[element]:
            kinds.append(("mul", bound ** count))
        return [k for k in kinds if k[1] <= EXACT[element]]

    def masked(self, shape, text, result):
        if not self.chance(0.2) or product(shape) > 2048:
            return text
        mask = self.pick(shape, "i1")
        return f"vector.mask {mask.name} {{ {text} }} : {mask.type} -> {result}"

    def reduce(self):
        a = self.any(rank_at_least=1)
        dims = sorted(self.random.sample(range(len(a.shape)), self.random.randint(1, len(a.shape))))
        kept = [d for i, d in enumerate(a.shape) if i not in dims]
        count = product(a.shape[d] for d in dims)
        if not kept:
            return self.reduce_to_scalar(a, dims, count)
        acc = self.pick(kept, a.element)
        kind, bound = self.random.choice(self.kinds(a.element, count + 1, max(a.bound, acc.bound)))
        text = f"vector.multi_reduction <{kind}>, {a.name}, {acc.name} {dims} : {a.type} to {acc.type}"
        return self.define(kept, a.element, self.masked(a.shape, text, acc.type), bound)

    def scalar(self, element):
        old = [s for s in self.scalars if s[1] == element]
        if old and self.chance(0.6):
            return self.random.choice(old)
        name = self.name()
        literal = "true" if element == "i1" else "2.0" if element in FLOATS else "2"
        self.emit(f"{name} = arith.constant {literal}" + ("" if element == "i1" else f" : {element}"))
        return name, element, 2

    def reduce_to_scalar(self, a, dims, count):
        acc, _, acc_bound = self.scalar(a.element)
        kind, bound = self.random.choice(self.kinds(a.element, count + 1, max(a.bound, acc_bound)))
        text = f"vector.multi_reduction <{kind}>, {a.name}, {acc} {dims} : {a.type} to {a.element}"
        if len(a.shape) == 1 and self.chance(0.3):
            text = f"vector.reduction <{kind}>, {a.name}, {acc} : {a.type} into {a.element}"
        text = self.masked(a.shape, text, a.element)
        name = self.name()
        self.emit(f"{name} = {text}")
        self.scalars.append((name, a.element, bound))
        return self.define([], a.element, f"vector.broadcast {name} : {a.element} to {vector([], a.element)}", bound)

    def contract(self):
        roles = self.random.choice(["mk", "mnk", "mnk", "mnk", "bmnk", "k", "mnkl", "bk"])
        if self.chance(0.4) and roles in ("mnk", "bmnk"):
            sizes = {"b": 2, "m": self.random.choice([16, 32]), "n": self.random.choice([8, 16, 32]), "k": self.random.choice([8, 16, 32])}
            element, result = self.random.choice([("f16", "f32"), ("bf16", "f32"), ("f16", "f16")])
        else:
            sizes = {d: self.random.choice(EXTENTS[:9]) for d in roles}
            element, result = self.random.choice([("f16", "f32"), ("f32", "f32"), ("i8", "i32"), ("i32", "i32"), ("f64", "f64"), ("i16", "i16"), ("bf16", "bf16")])
        if product(sizes[d] for d in roles) > 20000:
            return self.contract()
        operands = [[d for d in roles if d in "bmkl"], [d for d in roles if d in "bnkl"], [d for d in roles if d in "bmn"]]
        for operand in operands:
            self.random.shuffle(operand)
        shapes = [[sizes[d] for d in operand] for operand in operands]
        maps = ", ".join(dims_map(len(roles), [roles.index(d) for d in operand]) for operand in operands)
        iterators = ", ".join('"reduction"' if d in "kl" else '"parallel"' for d in roles)
        lhs, rhs = self.pick(shapes[0], element), self.pick(shapes[1], element)
        acc = self.pick(shapes[2], result) if shapes[2] else None
        acc_name, acc_bound = (acc.name, acc.bound) if acc else (lambda s: (s[0], s[2]))(self.scalar(result))
        count = product(sizes[d] for d in roles if d in "kl")
        if element in FLOATS:
            bound = count * lhs.bound * rhs.bound + acc_bound
            kinds = [("add", bound)] + [(k, max(lhs.bound * rhs.bound, acc_bound)) for k in KINDS["float"][2:]]
            kinds = [k for k in kinds if k[1] <= EXACT[result]]
            if not kinds:
                return self.elementwise()
            kind, bound = kinds[0] if self.chance(0.6) else self.random.choice(kinds)
        else:
            kind, bound = self.random.choice(KINDS["integer"]), 0
        type_ = vector(shapes[2], result) if acc else result
        text = (f"vector.contract {{indexing_maps = [{maps}], iterator_types = [{iterators}], kind = #vector.kind<{kind}>}} "
                f"{lhs.name}, {rhs.name}, {acc_name} : {lhs.type}, {rhs.type} into {type_}")
        text = self.masked([sizes[d] for d in roles], text, type_)
        if acc:
            return self.define(shapes[2], result, text, bound)
        name = self.name()
        self.emit(f"{name} = {text}")
        self.scalars.append((name, result, bound))
        return self.define([], result, f"vector.broadcast {name} : {result} to {vector([], result)}", bound)

    # Control flow

    def clamped(self, value, bound):
        """A float that has not grown over the trips of a loop."""
        if not value.is_float or value.bound <= bound:
            return value
        value.used = True
        limit = self.splat(value.shape, value.element, str(bound))
        low = self.define(value.shape, value.element, f"arith.minimumf {value.name}, {limit} : {value.type}", value.bound)
        low.used = True
        limit = self.splat(value.shape, value.element, str(-bound))
        return self.define(value.shape, value.element, f"arith.maximumf {low.name}, {limit} : {value.type}", bound)

    def inside(self, carried):
        """Ops in a region; returns what it yields for each carried value."""
        values, scalars = len(self.values), len(self.scalars)
        self.depth += 1
        for _ in range(self.random.randint(1, 4)):
            self.op()
        yielded = []
        for value in carried:
            new = [v for v in self.values[values:] if v.shape == value.shape and v.element == value.element]
            result = self.random.choice(new) if new else self.pick(value.shape, value.element)
            result = self.clamped(result, value.bound)
            result.used = True
            yielded.append(result)
        self.depth -= 1
        return yielded, values, scalars

    def leave(self, yielded, values, scalars):
        types = ", ".join(v.type for v in yielded)
        self.emit(f"scf.yield {', '.join(v.name for v in yielded)} : {types}")
        del self.values[values:], self.scalars[scalars:]

    def results(self, carried, text):
        name = self.name()
        self.emit(f"{name}:{len(carried)} = {text}")
        return name

    def carried(self):
        carried = [self.any() for _ in range(self.random.randint(1, 2))]
        for value in carried:
            if value.is_float:
                value.bound = max(value.bound, 4)
        return carried

    def loop(self):
        inits = self.carried()
        trips = self.index(self.random.choice([0, 1, 2, 3]))
        step = self.name()
        self.emit(f"{step} = arith.constant 1 : index")
        arguments = [Value(self.name(), v.shape, v.element, v.bound if v.is_float else 0) for v in inits]
        pairs = ", ".join(f"{a.name} = {v.name}" for a, v in zip(arguments, inits))
        name = self.results(inits, f"scf.for %i{self.count} = %c0 to {trips} step {step} iter_args({pairs}) -> "
                            f"({', '.join(v.type for v in inits)}) {{")
        outside = len(self.values)
        self.values += arguments
        yielded, _, scalars = self.inside(inits)
        self.leave(yielded, outside, scalars)
        self.emit("}")
        self.values += [Value(f"{name}#{i}", v.shape, v.element, v.bound if v.is_float else 0) for i, v in enumerate(inits)]

    def branch(self):
        condition = self.name()
        whole = [s for s in self.scalars if s[1] in ("i32", "i64", "index", "i8")]
        if whole and self.chance(0.6):
            name, element, _ = self.random.choice(whole)
            zero = self.name()
            self.emit(f"{zero} = arith.constant 1 : {element}")
            self.emit(f"{condition} = arith.cmpi slt, {name}, {zero} : {element}")
        else:
            self.emit(f"{condition} = arith.cmpi ne, {self.index(self.random.choice([0, 1]))}, %c0 : index")
        outs = self.carried()
        name = self.results(outs, f"scf.if {condition} -> ({', '.join(v.type for v in outs)}) {{")
        self.leave(*self.inside(outs))
        self.emit("} else {")
        self.leave(*self.inside(outs))
        self.emit("}")
        self.values += [Value(f"{name}#{i}", v.shape, v.element, v.bound if v.is_float else 0) for i, v in enumerate(outs)]

    # Sinks

    def write(self, value):
        """All of `value`, somewhere in a new argument; `memory[dim]` is a permuted place."""
        if value.element == "index":
            value = self.convert(value, "i64")
        if value.element in ("i1", "i4"):
            value = self.convert(value, "i8")
        if value.element == "i24":
            value = self.convert(value, "i32")
        if value.element.startswith("f8"):
            value = self.convert(value, "f16")
        order = list(range(len(value.shape)))
        if self.chance(0.4):
            self.random.shuffle(order)
        memory, starts, in_bounds = [], [], [True] * len(order)
        for dim in order:
            starts.append(self.random.choice([0, 0, 2]))
            overhang = self.random.choice([0, 0, 0, value.shape[dim] // 2])
            in_bounds[dim] = overhang == 0
            memory.append(starts[-1] + value.shape[dim] - overhang)
        dims = "".join(f"{d}x" for d in memory)
        base = self.kernel.argument(f"memref<{dims}{value.element}>", None)
        mask = ""
        if order and self.chance(0.2):
            mask = ", " + self.pick([value.shape[d] for d in order], "i1").name
        results = [order.index(d) for d in range(len(order))]
        attributes = f" {{in_bounds = [{', '.join('true' if b else 'false' for b in in_bounds)}], permutation_map = {dims_map(len(order), results)}}}" if order else ""
        indices = ", ".join(self.index(s) for s in starts)
        self.emit(f"vector.transfer_write {value.name}, {base}[{indices}]{mask}{attributes} : {value.type}, memref<{dims}{value.element}>")
        value.used = True
        return base, dims, memory, starts, in_bounds

    def through_memory(self):
        """Written, and read again with another layout or start."""
        value = self.any()
        if not self.stored(value.element):
            value = self.convert(value, "f32" if value.is_float else "i32")
        base, dims, memory, _, _ = self.write(value)
        if not memory:
            return
        shape = [self.random.choice([1, d, max(1, d - 1), d]) for d in memory]
        pad = self.name()
        literal = "1.0" if value.is_float else "1"
        self.emit(f"{pad} = arith.constant {literal} : {value.element}")
        indices = ", ".join(self.index(self.random.choice([0, 0, 1])) for _ in memory)
        # What was not written is random, in a type of its own: only its sum with nothing is safe.
        bound = EXACT[value.element] if value.is_float else 0
        read = self.define(shape, value.element, f"vector.transfer_read {base}[{indices}], {pad} : memref<{dims}{value.element}>, {vector(shape, value.element)}", bound)
        self.anchored(read)

    def op(self):
        choices = [self.elementwise] * 5 + [self.transpose] * 2 + [self.broadcast] * 2 + [self.shape_cast] * 2 + [self.reduce] * 4 + [self.contract] * 2
        choices += [self.through_memory] + [self.more] * 12 + [self.rare] * 6
        if self.depth < 2:
            choices += [self.loop] * 2 + [self.branch]
        self.random.choice(choices)()

    def generate(self):
        first = self.pick(self.shape(), self.element(), fresh=True)
        self.anchored(first)
        ops = self.random.randint(3, 12)
        for _ in range(ops if self.most is None else min(ops, self.most)):
            self.op()
        sinks = [v for v in self.values if not v.used][-4:]
        for value in sinks or self.values[-1:]:
            self.write(value)
        return self.kernel


SUITE = range(120)

if __name__ == "__main__":
    main(lambda seed, most=None: Generator(seed, most).generate(), SUITE)
