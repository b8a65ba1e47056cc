"""Ops of random programs that are neither elementwise nor reductions: memory in all
its forms, elements and slices, bits, scans, and control flow beyond for and if. Mixed
into the Generator of random_kernels.py, whose members these use.
"""
from kernels import FLOATS, vector
from random_layouts import product

WIDTHS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64, "f8E4M3FN": 8, "f8E5M2": 8}
LARGEST = 2048  # elements of a vector that an op makes larger


def nested(shape, items):
    """A dense literal."""
    if not shape:
        return str(items[0])
    size = len(items) // shape[0]
    return "[" + ", ".join(nested(shape[1:], items[i * size:(i + 1) * size]) for i in range(shape[0])) + "]"


class MemoryOps:
    def stored(self, element):
        """Whether memory holds elements of this type, and numbers of it are given."""
        return element in ("i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64")

    def memory(self, shape, element):
        """A new argument of small whole numbers."""
        dims = "".join(f"{d}x" for d in shape)
        seed = self.random.randrange(99)
        range_ = f"whole:{seed}:-3:3" if element in FLOATS else f"random:{seed}:-3:3"
        return self.kernel.argument(f"memref<{dims}{element}>", range_), f"memref<{dims}{element}>"

    def memory_element(self):
        return self.random.choice(["i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f32", "f64"])

    def trailing(self, shape):
        """Memory that has `shape` in its last dims: extents and starts."""
        sizes, starts = [], []
        for _ in range(self.random.choice([0, 0, 1]) if len(shape) < 3 else 0):
            sizes.append(3)
            starts.append(self.random.choice([0, 2]))
        for extent in shape:
            starts.append(self.random.choice([0, 0, 1, 4]))
            sizes.append(starts[-1] + extent + self.random.choice([0, 0, 3]))
        return sizes, starts

    def indices(self, starts):
        return ", ".join(self.index(s) for s in starts)

    def load(self):
        shape, element = self.shape(), self.memory_element()
        sizes, starts = self.trailing(shape)
        base, type_ = self.memory(sizes, element)
        at = self.indices(starts)
        if shape and self.chance(0.5):
            mask, other = self.pick(shape, "i1"), self.pick(shape, element)
            text = f"vector.maskedload {base}[{at}], {mask.name}, {other.name} : {type_}, {mask.type}, {other.type} into {other.type}"
            return self.define(shape, element, text, max(3, other.bound) if element in FLOATS else 0)
        return self.define(shape, element, f"vector.load {base}[{at}] : {type_}, {vector(shape, element)}", 3)

    def storable(self):
        value = self.any()
        return value if self.stored(value.element) else self.convert(value, "i32" if value.element not in FLOATS else "f32")

    def store(self):
        value = self.storable()
        sizes, starts = self.trailing(value.shape)
        base, type_ = self.memory(sizes, value.element)
        at = self.indices(starts)
        value.used = True
        if value.shape and self.chance(0.5):
            mask = self.pick(value.shape, "i1")
            return self.emit(f"vector.maskedstore {base}[{at}], {mask.name}, {value.name} : {type_}, {mask.type}, {value.type}")
        self.emit(f"vector.store {value.name}, {base}[{at}] : {type_}, {value.type}")

    def packed(self):
        """expandload and compressstore."""
        if self.chance(0.5):
            value = self.storable()
            if len(value.shape) != 1:
                value = self.pick([self.random.choice([1, 6, 16, 48, 64])], self.memory_element())
            size = value.shape[0] + 3
            base, type_ = self.memory([size], value.element)
            mask = self.pick(value.shape, "i1")
            value.used = True
            return self.emit(f"vector.compressstore {base}[{self.index(2)}], {mask.name}, {value.name} : {type_}, {mask.type}, {value.type}")
        shape, element = self.shape(1), self.memory_element()
        mask, other = self.pick(shape, "i1"), self.pick(shape, element)
        base, type_ = self.memory([2, shape[0] + 2], element)
        text = f"vector.expandload {base}[{self.indices([1, 2])}], {mask.name}, {other.name} : {type_}, {mask.type}, {other.type} into {other.type}"
        return self.define(shape, element, text, max(3, other.bound) if element in FLOATS else 0)

    def positions(self, shape, size, distinct):
        """A vector of indices below `size`."""
        count = product(shape)
        element = self.random.choice(["index", "i32", "i64"])
        if not distinct and self.chance(0.5):
            base = self.kernel.argument(f"memref<{''.join(f'{d}x' for d in shape)}i32>", f"random:{self.random.randrange(99)}:0:{size - 1}")
            zeros = ", ".join(["%c0"] * len(shape))
            read = self.define(shape, "i32", f"vector.load {base}[{zeros}] : memref<{''.join(f'{d}x' for d in shape)}i32>, {vector(shape, 'i32')}", size)
            return self.convert(read, element)
        places = self.random.sample(range(size), count) if distinct else [self.random.randrange(size) for _ in range(count)]
        return self.define(shape, element, f"arith.constant dense<{nested(shape, places)}> : {vector(shape, element)}", size)

    def small_shape(self):
        shape = self.shape(self.random.choice([1, 1, 2, 3]))
        while product(shape) > 192:
            shape = self.shape(self.random.choice([1, 1, 2]))
        return shape

    def gather(self):
        shape, element = self.small_shape(), self.memory_element()
        base, type_ = self.memory([3, 40], element)
        at = self.indices([self.random.choice([0, 2]), 5])
        positions, mask, other = self.positions(shape, 35, False), self.pick(shape, "i1"), self.pick(shape, element)
        positions.used = True
        text = f"vector.gather {base}[{at}] [{positions.name}], {mask.name}, {other.name} : {type_}, {positions.type}, {mask.type}, {other.type} into {other.type}"
        text = self.masked(shape, text, other.type)
        return self.define(shape, element, text, max(3, other.bound) if element in FLOATS else 0)

    def scatter(self):
        shape = self.small_shape()
        value = self.pick(shape, self.memory_element())
        size = product(shape) + 8
        base, type_ = self.memory([size], value.element)
        positions, mask = self.positions(shape, size, True), self.pick(shape, "i1")
        positions.used = True
        self.emit(f"vector.scatter {base}[%c0] [{positions.name}], {mask.name}, {value.name} : {type_}, {positions.type}, {mask.type}, {value.type}")

    def transfer_gather(self):
        """Rows by number, to memory or from it."""
        rows, columns, element = self.random.choice([1, 6, 16]), self.random.choice([1, 5, 8, 32]), self.memory_element()
        shape, maps = [rows, columns], "affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> (d0)>"
        store = self.chance(0.4)
        numbers = self.positions([rows], 24, store)
        numbers = self.convert(numbers, "index")
        numbers.used = True
        base, type_ = self.memory([24, columns], element)
        masked = self.chance(0.4)
        mask = self.pick(shape, "i1") if masked else None
        if masked:
            maps += ", affine_map<(d0, d1)[s0] -> (d0, d1)>"
        masking = f", {mask.name}" if masked else ""
        mask_type = f", {mask.type}" if masked else ""
        if store:
            value = self.pick(shape, element)
            return self.emit(f"iree_vector_ext.transfer_scatter {value.name} into {base}[%c0, %c0] [{numbers.name} : {numbers.type}]{masking} "
                             f"{{indexing_maps = [{maps}]}} : {value.type}, {type_}{mask_type}")
        pad = self.name()
        self.emit(f"{pad} = arith.constant {'1.0' if element in FLOATS else '1'} : {element}")
        return self.define(shape, element, f"iree_vector_ext.transfer_gather {base}[%c0, %c0] [{numbers.name} : {numbers.type}], {pad}{masking} "
                           f"{{indexing_maps = [{maps}]}} : {type_}, {vector(shape, element)}{mask_type}", 3)

    def masked_read(self):
        """vector.mask around a read, with a passthru; dims permuted or repeated."""
        shape, element = self.shape(self.random.choice([1, 2, 2, 3])), self.memory_element()
        order = list(range(len(shape)))
        self.random.shuffle(order)
        repeated = self.random.choice(order) if len(order) > 1 and self.chance(0.3) else None
        order = [d for d in order if d != repeated]
        overhang = [self.random.choice([0, 0, shape[d] // 2]) for d in order]
        base, type_ = self.memory([max(1, shape[d] - o) for d, o in zip(order, overhang)], element)
        outside = [d in order and overhang[order.index(d)] > 0 for d in range(len(shape))]
        mask, other = self.pick([shape[d] for d in order], "i1"), self.pick(shape, element)
        pad = self.name()
        self.emit(f"{pad} = arith.constant {'2.0' if element in FLOATS else '2'} : {element}")
        dims = ", ".join(f"d{i}" for i in range(len(order)))
        results = ", ".join(f"d{order.index(d)}" if d in order else "0" for d in range(len(shape)))
        text = (f"vector.transfer_read {base}[{', '.join(['%c0'] * len(order))}], {pad} {{in_bounds = [{', '.join('false' if o else 'true' for o in outside)}], "
                f"permutation_map = affine_map<({dims}) -> ({results})>}} : {type_}, {other.type}")
        passthru = f", {other.name}" if self.chance(0.7) else ""
        return self.define(shape, element, f"vector.mask {mask.name}{passthru} {{ {text} }} : {mask.type} -> {other.type}", max(3, other.bound) if element in FLOATS else 0)


class ShapeOps:
    def extract(self):
        a = self.any(rank_at_least=1)
        count = self.random.randint(1, len(a.shape))
        at = [self.random.randrange(d) for d in a.shape[:count]]
        position = ", ".join(str(p) if self.chance(0.5) else self.index(p) for p in at)
        shape = a.shape[count:]
        if shape:
            return self.define(shape, a.element, f"vector.extract {a.name}[{position}] : {vector(shape, a.element)} from {a.type}", a.bound)
        name = self.name()
        self.emit(f"{name} = vector.extract {a.name}[{position}] : {a.element} from {a.type}")
        self.scalars.append((name, a.element, a.bound))
        return self.define([], a.element, f"vector.broadcast {name} : {a.element} to {vector([], a.element)}", a.bound)

    def insert(self):
        a = self.any(rank_at_least=1)
        count = self.random.randint(1, len(a.shape))
        position = ", ".join(str(p) if self.chance(0.5) else self.index(p) for p in [self.random.randrange(d) for d in a.shape[:count]])
        shape = a.shape[count:]
        if shape:
            part = self.pick(shape, a.element)
            name, type_, bound = part.name, part.type, part.bound
        else:
            name, type_, bound = self.scalar(a.element)
        return self.define(a.shape, a.element, f"vector.insert {name}, {a.name} [{position}] : {type_} into {a.type}", max(a.bound, bound) if a.is_float else 0)

    def window(self, extent):
        """Offset and size of a part; whole rounds of lanes often."""
        if self.chance(0.4):
            return 0, extent
        parts = [p for p in (2, 4, 3) if extent % p == 0]
        if parts and self.chance(0.6):
            size = extent // self.random.choice(parts)
            return size * self.random.randrange(extent // size), size
        size = self.random.randint(1, extent)
        return self.random.randint(0, extent - size), size

    def extract_slice(self):
        a = self.any(rank_at_least=1)
        count = self.random.randint(1, len(a.shape))
        windows = [self.window(d) for d in a.shape[:count]]
        shape = [size for _, size in windows] + a.shape[count:]
        return self.define(shape, a.element, f"vector.extract_strided_slice {a.name} {{offsets = {[o for o, _ in windows]}, sizes = {[s for _, s in windows]}, "
                           f"strides = {[1] * count}}} : {a.type} to {vector(shape, a.element)}", a.bound)

    def insert_slice(self):
        a = self.any(rank_at_least=1)
        dropped = self.random.choice([0, 0, 1]) if len(a.shape) > 1 else 0
        windows = [(self.random.randrange(d), 1) for d in a.shape[:dropped]] + [self.window(d) for d in a.shape[dropped:]]
        part = self.pick([size for _, size in windows[dropped:]], a.element)
        return self.define(a.shape, a.element, f"vector.insert_strided_slice {part.name}, {a.name} {{offsets = {[o for o, _ in windows]}, "
                           f"strides = {[1] * len(part.shape)}}} : {part.type} into {a.type}", max(a.bound, part.bound) if a.is_float else 0)

    def few(self, most, element=None):
        """A vector of few elements."""
        old = [v for v in self.values if v.shape and product(v.shape) <= most and element in (None, v.element)]
        if old and self.chance(0.8):
            value = self.random.choice(old)
            value.used = True
            return value
        shape = [self.random.choice([1, 2, 3, 8, 12])]
        return self.pick(shape, element or self.element())

    def shuffle(self):
        a = self.few(96)
        b = self.pick([self.random.choice([1, 2, 5])] + a.shape[1:], a.element)
        size = self.random.choice([1, 3, 4, 8])
        places = [self.random.randrange(a.shape[0] + b.shape[0]) for _ in range(size)]
        return self.define([size] + a.shape[1:], a.element, f"vector.shuffle {a.name}, {b.name} {places} : {a.type}, {b.type}", max(a.bound, b.bound) if a.is_float else 0)

    def elements(self):
        """to_elements, and from_elements of those and of other scalars."""
        a = self.few(16)
        count, name = product(a.shape), self.name()
        self.emit(f"{name}:{count} = vector.to_elements {a.name} : {a.type}")
        other, _, bound = self.scalar(a.element)
        shape = self.random.choice([[count], [1], [], [2, 3]])
        chosen = [self.random.choice([f"{name}#{self.random.randrange(count)}"] * 3 + [other]) for _ in range(product(shape))]
        return self.define(shape, a.element, f"vector.from_elements {', '.join(chosen)} : {vector(shape, a.element)}", max(a.bound, bound) if a.is_float else 0)

    def bitcast(self):
        a = self.any()
        if a.element not in WIDTHS or a.element.startswith("f8"):
            return self.convert(a, "i32")
        bits = WIDTHS[a.element]
        last = a.shape[-1] if a.shape else 1
        targets = [e for e in ("i1", "i8", "i16", "i32", "i64") if e != a.element and last * bits % WIDTHS[e] == 0
                   and (a.shape or WIDTHS[e] == bits) and product(a.shape) * bits // WIDTHS[e] <= LARGEST]
        if not targets:
            return self.elementwise()
        to = self.random.choice(targets)
        shape = a.shape[:-1] + [last * bits // WIDTHS[to]] if a.shape else []
        return self.define(shape, to, f"vector.bitcast {a.name} : {a.type} to {vector(shape, to)}")

    def interleave(self):
        a = self.any(rank_at_least=1)
        if a.shape[-1] % 2 == 0 and self.chance(0.5):
            shape, name = a.shape[:-1] + [a.shape[-1] // 2], self.name()
            self.emit(f"{name}a, {name}b = vector.deinterleave {a.name} : {a.type} -> {vector(shape, a.element)}")
            self.values += [self.value(f"{name}a", shape, a.element, a.bound), self.value(f"{name}b", shape, a.element, a.bound)]
            return self.values[-1]
        if product(a.shape) * 2 > LARGEST:
            return self.elementwise()
        b, shape = self.pick(a.shape, a.element), a.shape[:-1] + [a.shape[-1] * 2]
        return self.define(shape, a.element, f"vector.interleave {a.name}, {b.name} : {a.type} -> {vector(shape, a.element)}", max(a.bound, b.bound) if a.is_float else 0)

    def outer(self):
        element = self.random.choice(["f32", "f32", "f16", "f64", "i32", "i8", "i64"])
        a = self.pick([self.random.choice([1, 3, 8, 16, 32])], element)
        axpy = self.chance(0.25)
        b = None if axpy else self.pick([self.random.choice([1, 5, 8, 16])], element)
        right, type_, other = self.scalar(element) if axpy else (b.name, b.type, b.bound)
        shape = list(a.shape) if axpy else a.shape + b.shape
        bound = a.bound * other if a.is_float else 0
        acc = self.pick(shape, element) if axpy or self.chance(0.7) else None
        text = f"vector.outerproduct {a.name}, {right}"
        if acc:
            kinds = [k for k in self.kinds(element, 2, max(bound, acc.bound)) if k[0] != "mul" or not a.is_float]
            kind, bound = self.random.choice(kinds) if kinds else ("minnumf", max(bound, acc.bound))
            text += f", {acc.name} {{kind = #vector.kind<{kind}>}}"
        if a.is_float and bound > self.exact(element):
            return self.elementwise()
        text += f" : {a.type}, {type_}"
        return self.define(shape, element, self.masked(shape, text, vector(shape, element)) if acc else text, bound)

    def poison(self):
        a, name = self.any(), self.name()
        yes = self.name()
        self.emit(f"{name} = ub.poison : {a.type}")
        self.emit(f"{yes} = arith.constant true")
        return self.define(a.shape, a.element, f"arith.select {yes}, {a.name}, {name} : {a.type}", a.bound)

    def scan(self):
        a = self.any(rank_at_least=1)
        if a.element.startswith("f8"):  # whose kinds lack identities
            a = self.convert(a, "f16")
        dim = self.random.randrange(len(a.shape))
        init = self.pick(a.shape[:dim] + a.shape[dim + 1:], a.element)
        kind, bound = self.random.choice(self.kinds(a.element, a.shape[dim] + 1, max(a.bound, init.bound)))
        name = self.name()
        self.emit(f"{name}:2 = vector.scan <{kind}>, {a.name}, {init.name} {{inclusive = {'true' if self.chance(0.5) else 'false'}, reduction_dim = {dim} : i64}} : {a.type}, {init.type}")
        self.values += [self.value(f"{name}#0", a.shape, a.element, bound), self.value(f"{name}#1", init.shape, a.element, bound)]

    def arg_compare(self):
        a = self.any(rank_at_least=1)
        if a.element in ("i1", "index") or a.element.startswith("f8"):
            a = self.convert(a, "i32")
        a.used = True
        dim, (x, y, t) = self.random.randrange(len(a.shape)), (self.name() for _ in range(3))
        kept = a.shape[:dim] + a.shape[dim + 1:]
        best, at = self.pick(kept, a.element), self.pick(kept, "i32")
        name, op = self.name(), "arith.cmpf ogt" if a.is_float else "arith.cmpi sgt"
        self.emit(f"{name}:2 = iree_vector_ext.arg_compare dimension({dim}) ins({a.name} : {a.type}) inits({best.name}, {at.name} : {best.type}, {at.type}) {{")
        self.emit(f"^bb0({x}: {a.element}, {y}: {a.element}):")
        self.emit(f"  {t} = {op}, {x}, {y} : {a.element}")
        self.emit(f"  iree_vector_ext.yield {t} : i1")
        self.emit(f"}} -> {best.type}, {at.type}")
        self.values += [self.value(f"{name}#0", kept, a.element, max(a.bound, best.bound)), self.value(f"{name}#1", kept, "i32", 0)]

    def fma(self):
        a = self.any()
        if not a.is_float:
            a = self.pick(a.shape, "f32")
        b, c = self.pick(a.shape, a.element), self.pick(a.shape, a.element)
        bound = a.bound * b.bound + c.bound
        if bound > self.exact(a.element):
            return self.elementwise()
        op = "vector.fma" if self.chance(0.7) else "math.fma"
        return self.define(a.shape, a.element, f"{op} {a.name}, {b.name}, {c.name} : {a.type}", bound)


class ControlOps:
    def made(self, name, like):
        self.values += [self.value(f"{name}#{i}", v.shape, v.element, v.bound if v.is_float else 0) for i, v in enumerate(like)]

    def repeat(self):
        """scf.while: counts in the condition, computes there too."""
        inits = self.carried()
        trips, one = self.index(self.random.choice([0, 1, 2])), self.name()
        self.emit(f"{one} = arith.constant 1 : index")
        before = [self.value(self.name(), v.shape, v.element, v.bound if v.is_float else 0) for v in inits]
        i, more, j, k = (self.name() for _ in range(4))
        pairs = ", ".join([f"{a.name} = {v.name}" for a, v in zip(before, inits)] + [f"{i} = %c0"])
        types = ", ".join([v.type for v in inits] + ["index"])
        name = self.name()
        self.emit(f"{name}:{len(inits) + 1} = scf.while ({pairs}) : ({types}) -> ({types}) {{")
        outside, scalars = len(self.values), len(self.scalars)
        self.values += before
        passed = before
        if self.chance(0.4):
            passed, _, _ = self.inside(inits)
        self.emit(f"{more} = arith.cmpi ult, {i}, {trips} : index")
        self.emit(f"scf.condition({more}) {', '.join(v.name for v in passed)}, {i} : {types}")
        del self.values[outside:], self.scalars[scalars:]
        self.emit("} do {")
        after = [self.value(self.name(), v.shape, v.element, v.bound if v.is_float else 0) for v in inits]
        self.emit(f"^bb0({', '.join(f'{v.name}: {v.type}' for v in after)}, {j}: index):")
        self.values += after
        yielded, _, _ = self.inside(inits)
        self.emit(f"{k} = arith.addi {j}, {one} : index")
        self.emit(f"scf.yield {', '.join(v.name for v in yielded)}, {k} : {types}")
        del self.values[outside:], self.scalars[scalars:]
        self.emit("}")
        self.made(name, inits)

    def switch(self):
        outs = self.carried()
        name, at = self.name(), self.index(self.random.choice([0, 1, 5]))
        self.emit(f"{name}:{len(outs)} = scf.index_switch {at} -> {', '.join(v.type for v in outs)}")
        for case in self.random.sample([0, 1, 5], self.random.randint(1, 2)):
            self.emit(f"case {case} {{")
            self.leave(*self.inside(outs))
            self.emit("}")
        self.emit("default {")
        self.leave(*self.inside(outs))
        self.emit("}")
        self.made(name, outs)

    def execute(self):
        outs = self.carried()
        name = self.name()
        self.emit(f"{name}:{len(outs)} = scf.execute_region -> ({', '.join(v.type for v in outs)}) {{")
        self.leave(*self.inside(outs))
        self.emit("}")
        self.made(name, outs)

    def call(self):
        """A private function, of one op or of two that call each other's."""
        a = self.any()
        b = self.pick(a.shape, a.element)
        op, bound = ("minimumf", max(a.bound, b.bound)) if a.is_float else ("xori", 0)
        function = f"{self.kernel.name}_f{self.count}"
        self.kernel.header.append(f"func.func private @{function}(%x: {a.type}, %y: {a.type}) -> {a.type} {{\n"
                                  f"  %r = arith.{op} %x, %y : {a.type}\n  return %r : {a.type}\n}}")
        return self.define(a.shape, a.element, f"func.call @{function}({a.name}, {b.name}) : ({a.type}, {a.type}) -> {a.type}", bound)


class MoreOps(MemoryOps, ShapeOps, ControlOps):
    def more(self):
        """An op of this file, all about as often."""
        memory = [self.load, self.store, self.packed, self.gather, self.scatter, self.transfer_gather, self.masked_read]
        shapes = [self.extract, self.insert, self.extract_slice, self.insert_slice, self.shuffle, self.elements, self.bitcast,
                  self.interleave, self.outer, self.poison, self.scan, self.arg_compare, self.fma]
        control = [self.repeat, self.switch, self.execute, self.call] if self.depth < 2 else [self.call]
        self.random.choice(memory + shapes + control)()
