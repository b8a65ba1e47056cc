"""What subgroups share of each other's results where workgroup memory is scarce:
reductions, contractions, scans, arg_compares and extracts over a dim that a random
layout splits over subgroups (VX-63).

The kernel's own buffer takes all but a few bytes of the target's workgroup memory,
down to 16, so results go through what is left in rounds: of registers, of slots, of
threads, written one after the other or as a loop. Sums are of whole numbers, so
nothing is left to a bound; a round that nobody waits for is a race.

    python3 scarce_results.py OUT_DIR [--only NAME] [--seeds 0:1000] [--strict-fp]
"""
import random

from kernels import Kernel, main, suite, vector
from random_layouts import RandomLayouts, product
from workgroup_memory import BYTES, LIMITS, own_buffer

SHAPES = [[16, 32], [8, 48], [4, 6, 10], [60], [24, 24], [7, 9], [128], [64, 12], [2, 3, 4, 5], [256, 4]]
KINDS = {"f": ["add", "maximumf", "minnumf", "mul"], "i": ["add", "xor", "maxsi", "minui"]}
ELEMENTS = ["f32", "f32", "f16", "f64", "i8", "i32", "i64", "i1"]


def subgroups_of(layout, dim):
    if hasattr(layout, "dims"):
        return product(size for axis, size, _ in layout.dims[dim] if axis == "sg")
    return layout.S[dim]


class Program:
    def __init__(self, number):
        self.random = random.Random(f"scarce {number}")
        choice = self.random.choice
        self.op = choice(["reduction", "reduction", "contraction", "scan", "scan", "arg_compare", "arg_compare", "extract"])
        self.subgroup, self.subgroups = choice([32, 32, 64]), choice([2, 3, 4, 4])
        self.element = choice(ELEMENTS)
        if self.op in ("contraction", "arg_compare"):
            self.element = choice(["f32", "i32"])
        layouts = RandomLayouts(self.random, self.subgroups, self.subgroup)
        splits = 1
        while splits == 1:
            self.shape = choice([shape for shape in SHAPES if self.op != "extract" or len(shape) > 1])
            self.dim = 0 if self.op == "extract" else self.random.randrange(len(self.shape))
            self.layout = layouts.layout(self.shape)
            splits = min(self.subgroups, subgroups_of(self.layout, self.dim))
        self.kept = self.shape[:self.dim] + self.shape[self.dim + 1:]
        self.kernel = Kernel(f"random_{number}_{self.op}", self.subgroup * self.subgroups, self.subgroup)
        self.kernel.flags += ["--schedule", str(number)]
        whole = product(self.kept) * splits * BYTES[self.element]
        self.left = max(16, choice([16, 16, 32, 48, whole // 2, whole // 3, whole // 7, whole]) // 16 * 16)

    def range(self):
        return {"i1": None, "i8": "random:1:-9:9"}.get(self.element, "random:1:-99:99" if self.element[0] == "i" else None)

    def kind(self):
        kind = self.random.choice(["and", "or", "xor"] if self.element == "i1" else KINDS[self.element[0]])
        if self.element[0] == "f":
            self.kernel.whole, self.kernel.only_whole = ("1:1" if kind == "mul" else "-2:2"), True
        return kind

    def read(self):
        self.kernel.read("%x", self.shape, self.element, self.layout, self.range())

    def reduction(self):
        kernel, type_, kind = self.kernel, vector(self.shape, self.element), self.kind()
        result = vector(self.kept, self.element) if self.kept else self.element
        kernel.read("%a_vector" if not self.kept else "%a", self.kept, self.element, None, self.range())
        if not self.kept:
            kernel.line(f"%a = vector.extract %a_vector[] : {self.element} from vector<{self.element}>")
        loop = self.kept and self.element != "i1" and self.random.random() < 0.4
        if loop:
            kernel.line("%c1 = arith.constant 1 : index")
            kernel.line("%c2 = arith.constant 2 : index")
            kernel.line(f"%r = scf.for %n = %c0 to %c2 step %c1 iter_args(%before = %a) -> ({result}) {{")
        name, start = ("%turn", "%before") if loop else ("%r", "%a")
        kernel.line(f"{name} = vector.multi_reduction <{kind}>, %x, {start} [{self.dim}] : {type_} to {result}")
        if loop:
            kernel.line(f"scf.yield %turn : {result}")
            kernel.line("}")
        if self.kept:
            kernel.write("%r", self.kept, self.element)
        else:
            kernel.write_scalar("%r", self.element)

    def contraction(self):
        kernel, rank = self.kernel, len(self.shape)
        self.kernel.whole, self.kernel.only_whole = "-2:2", True
        kernel.read("%y", self.shape, self.element, self.layout, "random:2:-9:9" if self.element[0] == "i" else None)
        dims = [f"d{d}" for d in range(rank)]
        every, kept = ", ".join(dims), ", ".join(d for at, d in enumerate(dims) if at != self.dim)
        result = vector(self.kept, self.element) if self.kept else self.element
        kernel.line(f"%a = arith.constant {'dense<' if self.kept else ''}{0.0 if self.element == 'f32' else 0}{'>' if self.kept else ''} : {result}")
        iterators = ", ".join('"reduction"' if at == self.dim else '"parallel"' for at in range(rank))
        maps = f"affine_map<({every}) -> ({every})>, affine_map<({every}) -> ({every})>, affine_map<({every}) -> ({kept})>"
        type_ = vector(self.shape, self.element)
        kernel.line(f"%r = vector.contract {{indexing_maps = [{maps}], iterator_types = [{iterators}], kind = #vector.kind<add>}} "
                    f"%x, %y, %a : {type_}, {type_} into {result}")
        if self.kept:
            kernel.write("%r", self.kept, self.element)
        else:
            kernel.write_scalar("%r", self.element)

    def scan(self):
        kernel, inclusive = self.kernel, self.random.choice(["true", "false"])
        kernel.read("%i", self.kept, self.element, None, self.range())
        kernel.line(f"%r:2 = vector.scan <{self.kind()}>, %x, %i {{inclusive = {inclusive}, reduction_dim = {self.dim} : i64}} : "
                    f"{vector(self.shape, self.element)}, {vector(self.kept, self.element)}")
        for result, shape in (("%r#0", self.shape), ("%r#1", self.kept)):
            name = "%result_" + result[-1]
            # A name of a single value, from which others are made.
            op = "arith.negf" if self.element[0] == "f" else "arith.ori"
            twice = result if self.element[0] == "f" else f"{result}, {result}"
            kernel.line(f"{name} = {op} {twice} : {vector(shape, self.element)}")
            kernel.write(name, shape, self.element)

    def arg_compare(self):
        kernel, index = self.kernel, self.random.choice(["i32", "i64"])
        floats = self.element == "f32"
        values, indices = vector(self.kept, self.element), vector(self.kept, index)
        # `une` and `ne` are no orders, and go from position to position.
        predicate = self.random.choice(["ogt", "ole", "une"] if floats else ["sgt", "sle", "ne"])
        kernel.line(f"%iv = arith.constant dense<{0.0 if floats else 0}> : {values}")
        kernel.line(f"%ii = arith.constant dense<-1> : {indices}")
        kernel.line(f"%r:2 = iree_vector_ext.arg_compare dimension({self.dim}) ins(%x : {vector(self.shape, self.element)}) "
                    f"inits(%iv, %ii : {values}, {indices}) {{")
        kernel.line(f"^bb0(%candidate: {self.element}, %best: {self.element}):")
        kernel.line(f"  %c = arith.{'cmpf' if floats else 'cmpi'} {predicate}, %candidate, %best : {self.element}")
        kernel.line("  iree_vector_ext.yield %c : i1")
        kernel.line(f"}} -> {values}, {indices}")
        kernel.write("%r#0", self.kept, self.element)
        kernel.write("%r#1", self.kept, index)

    def extract(self):
        at = self.random.randrange(self.shape[0])
        self.kernel.line(f"%r = vector.extract %x[{at}] : {vector(self.kept, self.element)} from {vector(self.shape, self.element)}")
        self.kernel.write("%r", self.kept, self.element)

    def build(self):
        own_buffer(self.kernel, LIMITS[self.subgroup] - self.left)
        self.read()
        getattr(self, self.op)()
        return self.kernel


if __name__ == "__main__":
    main((Program(number).build() for number in suite.taken("--seeds") or range(60)), one_in=8)
