"""Insertions into vectors that neither registers nor workgroup memory hold (VX-242): values and time.

    python3 insertions.py OUT_DIR [--seeds FIRST:LAST] [options of suite.py]

Vectors of one to three dims; the part begins anywhere, ends before the whole or with it, and is read, computed, broadcast,
transposed, masked, of fewer dims, taken from the memory that is written afterwards, or read before its memory changes.
Two are inserted one behind the other, and a row at a position that only the run knows. The expected values are computed
here, element by element; all are whole numbers. A compilation may take a few seconds at most.
"""
import itertools
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

suite.SECONDS = 10  # a vector that lanes hold as a whole takes a minute
TARGETS = ("gfx942", "gfx950", "sm_80", "gfx1100")
# The whole, which is more than 3/4 of 160 KB as f32.
SHAPES = ((45056,), (97, 517), (11, 64, 67))
KINDS = ("read", "computed", "broadcast", "transposed", "masked", "padded", "twice", "outer", "same_memory", "changed", "row", "kept")


def places(shape):
    return itertools.product(*map(range, shape))


class Kernel:
    """Arrays %m0 (the whole), %m1 (the part's), %m2 (the result's); values by place."""

    def __init__(self, kind, shape, target, rng):
        self.kind, self.shape, self.target = kind, shape, target
        self.name = f"{kind}_{len(shape)}_{target}"
        self.whole = {place: rng.randint(-99, 99) for place in places(shape)}
        self.part_shape = tuple(rng.randint(1, extent) for extent in shape)
        if kind == "kept":  # a scan of what memory has room for
            self.part_shape = (*(min(extent, 3) for extent in shape[:-1]), min(shape[-1], 37))
        self.offsets = tuple(rng.choice((0, extent - size, rng.randint(0, extent - size))) for extent, size in zip(shape, self.part_shape))
        self.position = rng.randrange(shape[0])
        self.lines, self.memory = [], self.part_shape
        getattr(self, kind)(rng)

    def random(self, rng, shape=None):
        self.memory = shape or self.part_shape
        self.source = {place: rng.randint(-99, 99) for place in places(self.memory)}

    def vector(self, shape, element="f32"):
        return f"vector<{''.join(f'{extent}x' for extent in shape)}{element}>"

    def memref(self, shape):
        return "memref<" + self.vector(shape)[len("vector<"):]

    def add(self, text):
        self.lines.append(text)

    def read_part(self, memory="%m1", shape=None, extra=""):
        shape = shape or self.part_shape
        zeros, bounds = ", ".join(["%c0"] * len(shape)), ", ".join(["true"] * len(shape))
        of = self.shape if memory == "%m0" else self.memory
        self.add(f"%b = vector.transfer_read {memory}[{zeros}], %pad{extra} {{in_bounds = [{bounds}]}} : {self.memref(of)}, {self.vector(shape)}")

    def insert(self, part="%b", shape=None, offsets=None, result="%y", whole="%a"):
        shape, offsets = self.part_shape if shape is None else shape, self.offsets if offsets is None else offsets
        self.add(f"{result} = vector.insert_strided_slice {part}, {whole} {{offsets = {list(offsets)}, strides = {[1] * len(shape)}}} : {self.vector(shape)} into {self.vector(self.shape)}")

    def inserted(self, at, shape=None, offsets=None, whole=None):
        shape, offsets = self.part_shape if shape is None else shape, self.offsets if offsets is None else offsets
        values = dict(whole or self.whole)
        outer = len(offsets) - len(shape)
        for place in places(shape):
            inner = (*[0] * outer, *place)
            values[tuple(o + i for o, i in zip(offsets, inner))] = at(place)
        return values

    def read(self, rng):
        self.random(rng)
        self.read_part()
        self.insert()
        self.expected = self.inserted(lambda p: self.source[p])

    def computed(self, rng):
        self.random(rng)
        self.read_part()
        self.add(f"%s = arith.constant dense<3.0> : {self.vector(self.part_shape)}")
        self.add(f"%d = arith.mulf %b, %s : {self.vector(self.part_shape)}")
        self.add(f"%e = arith.addf %d, %b : {self.vector(self.part_shape)}")
        self.insert("%e")
        self.add(f"%z = arith.addf %y, %a : {self.vector(self.shape)}")
        self.expected = {p: v + self.whole[p] for p, v in self.inserted(lambda p: 4 * self.source[p]).items()}

    def broadcast(self, rng):
        self.random(rng, self.part_shape[-1:])
        self.read_part(shape=self.memory)
        self.add(f"%d = vector.broadcast %b : {self.vector(self.memory)} to {self.vector(self.part_shape)}")
        self.insert("%d")
        self.expected = self.inserted(lambda p: self.source[p[-1:]])

    def transposed(self, rng):
        self.random(rng, self.part_shape[::-1])
        self.read_part(shape=self.memory)
        order = list(range(len(self.shape)))[::-1]
        self.add(f"%d = vector.transpose %b, {order} : {self.vector(self.memory)} to {self.vector(self.part_shape)}")
        self.insert("%d")
        self.expected = self.inserted(lambda p: self.source[p[::-1]])

    def masked(self, rng):
        self.random(rng)
        bounds = [rng.randint(1, size) for size in self.part_shape]
        self.add("".join(f"%n{i} = arith.constant {n} : index\n  " for i, n in enumerate(bounds)).rstrip())
        self.add(f"%mask = vector.create_mask {', '.join(f'%n{i}' for i in range(len(bounds)))} : {self.vector(self.part_shape, 'i1')}")
        self.read_part(extra=", %mask")
        self.insert()
        self.expected = self.inserted(lambda p: self.source[p] if all(i < n for i, n in zip(p, bounds)) else 7)

    def padded(self, rng):
        """The array ends before the part does."""
        self.random(rng, tuple(max(1, size - rng.randint(0, 3)) for size in self.part_shape))
        zeros, bounds = ", ".join(["%c0"] * len(self.shape)), ", ".join(["false"] * len(self.shape))
        self.add(f"%b = vector.transfer_read %m1[{zeros}], %pad {{in_bounds = [{bounds}]}} : {self.memref(self.memory)}, {self.vector(self.part_shape)}")
        self.insert()
        self.expected = self.inserted(lambda p: self.source.get(p, 7))

    def twice(self, rng):
        self.random(rng)
        self.read_part()
        self.insert(result="%y1")
        self.insert(offsets=[0] * len(self.shape), whole="%y1")
        once = self.inserted(lambda p: self.source[p])
        self.expected = self.inserted(lambda p: self.source[p], offsets=[0] * len(self.shape), whole=once)

    def outer(self, rng):
        """A part of fewer dims, which is at one index along the others."""
        shape = self.part_shape[-1:]
        self.random(rng, shape)
        self.read_part(shape=shape)
        self.insert(shape=shape)
        self.expected = self.inserted(lambda p: self.source[p], shape=shape)

    def same_memory(self, rng):
        self.random(rng)
        self.read_part("%m0")
        self.insert()
        self.expected = self.inserted(lambda p: self.whole[p])

    def changed(self, rng):
        """The part's array is written before the part is inserted."""
        self.random(rng, self.part_shape[:-1] + (min(self.part_shape[-1], 8),))
        self.part_shape = self.memory
        self.read_part()
        zeros, bounds = ", ".join(["%c0"] * len(self.shape)), ", ".join(["true"] * len(self.shape))
        self.add(f"%zero = arith.constant dense<0.0> : {self.vector(self.memory)}")
        self.add(f"vector.transfer_write %zero, %m1[{zeros}] {{in_bounds = [{bounds}]}} : {self.vector(self.memory)}, {self.memref(self.memory)}")
        self.insert()
        self.expected = self.inserted(lambda p: self.source[p])

    def row(self, rng):
        """A row, or an element, at a position that only the run knows."""
        row = self.shape[1:]
        self.random(rng, row or (1,))
        if row:
            self.read_part(shape=row)
        value, type = ("%b", self.vector(row)) if row else ("%pad", "f32")
        self.add(f"%y = vector.insert {value}, %a [%at] : {type} into {self.vector(self.shape)}")
        self.expected = {**self.whole, **{(self.position, *p): self.source[p] if row else 7 for p in places(row)}}

    def kept(self, rng):
        """A scan, which no slice of the whole has a slice of."""
        self.random(rng)
        self.read_part()
        outer = self.part_shape[:-1]
        self.add(f"%i = arith.constant dense<0.0> : {self.vector(outer)}")
        self.add(f"%s:2 = vector.scan <add>, %b, %i {{inclusive = true, reduction_dim = {len(self.shape) - 1} : i64}} : {self.vector(self.part_shape)}, {self.vector(outer)}")
        self.insert("%s#0")
        self.expected = self.inserted(lambda p: sum(self.source[(*p[:-1], i)] for i in range(p[-1] + 1)))

    def text(self):
        zeros, bounds = ", ".join(["%c0"] * len(self.shape)), ", ".join(["true"] * len(self.shape))
        result = "%z" if self.kind == "computed" else "%y"
        whole = self.vector(self.shape)
        return "\n  ".join([f"func.func @k(%m0: {self.memref(self.shape)}, %m1: {self.memref(self.memory)}, %m2: {self.memref(self.shape)}, %at: index) {{",
                            "%c0 = arith.constant 0 : index", "%pad = arith.constant 7.0 : f32",
                            f"%a = vector.transfer_read %m0[{zeros}], %pad {{in_bounds = [{bounds}]}} : {self.memref(self.shape)}, {whole}", *self.lines,
                            f"vector.transfer_write {result}, %m2[{zeros}] {{in_bounds = [{bounds}]}} : {whole}, {self.memref(self.shape)}", "return"]) + "\n}\n"


def run_of(kernel, chosen):
    base = chosen.out / kernel.name
    path, made = base.with_suffix(".mlir"), base.with_suffix(".res.npy")

    def prepare():
        path.write_text(kernel.text())
        npy.write(base.with_suffix(".0.npy"), "f32", kernel.shape, list(kernel.whole.values()))
        npy.write(base.with_suffix(".1.npy"), "f32", kernel.memory, list(kernel.source.values()))

    def after():
        for (place, wanted), value in zip(sorted(kernel.expected.items()), npy.read(made, "f32"), strict=True):
            if wanted != value:
                return f"at {place} is {value}, not {wanted}: offsets {kernel.offsets}, part {kernel.part_shape}"
        return None

    return suite.Run(kernel.name, [chosen.distaff, "run", path, "--target", kernel.target, f"--input=arg0={base}.0.npy", f"--input=arg1={base}.1.npy",
                                   f"--input=arg3={kernel.position}", f"--output=arg2={made}"], prepare=prepare, after=after, compares=False)


def main():
    seeds = suite.taken("--seeds") or range(1)
    chosen = suite.options()
    kernels = []
    for seed in seeds:
        for number, (kind, shape) in enumerate(itertools.product(KINDS, SHAPES)):
            kernels.append(Kernel(kind, shape, TARGETS[(number + seed) % len(TARGETS)], random.Random(100 * seed + number)))
    suite.main([run_of(kernel, chosen) for kernel in kernels], chosen, one_in=2)


main()
