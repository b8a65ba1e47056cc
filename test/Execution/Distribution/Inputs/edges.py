"""Values that go around loops and through branches, laid out otherwise on each edge:
inits, yields and results of scf.for (VX-57), of scf.if, scf.while and
scf.index_switch (VX-58), with a masked reduction and a transfer whose masks take
their layouts from there (VX-60), and a stretched unit dim (VX-61). The choice has to
put a conversion on the edge that needs one; none is asked for by the source.

    python3 edges.py OUT_DIR [--only NAME] [--programs 0:40]
"""
import random

from kernels import Kernel, suite, vector
from promotions import some_layout

SHAPES = [[64], [8, 16], [6, 10], [1, 48], [33], [4, 4, 4]]


class Edges:
    def __init__(self, number):
        self.r = r = random.Random(5700 + number)
        self.lanes, self.subgroups = r.choice([32, 32, 64]), r.choice([1, 2, 3])
        self.kernel = Kernel(f"edges_{number}", self.lanes * self.subgroups, self.lanes)
        self.shape, self.element = r.choice(SHAPES), r.choice(["f32", "i32", "f16", "i8"])
        self.type = vector(self.shape, self.element)
        self.count = 0

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def line(self, text):
        self.kernel.line(text)

    def anchored(self, value):
        """`value`, laid out in some way, or as it comes."""
        if self.r.random() < 0.3:
            return value
        layout = some_layout(self.r, self.shape, self.lanes, self.subgroups)
        result = self.name()
        self.line(f"{result} = iree_vector_ext.to_layout {value} to layout({layout}) : {self.type}")
        return result

    def op(self, value, other):
        result = self.name()
        kind = self.r.choice(["add", "max", "sub", "stretch"])
        if kind == "stretch":  # of a row, along a unit dim
            row, wide = self.name(), self.name()
            unit = vector([1] + self.shape[1:], self.element)
            zeros, ones = [0] * len(self.shape), [1] * len(self.shape)
            self.line(f"{row} = vector.extract_strided_slice {other} {{offsets = {zeros}, sizes = {[1] + self.shape[1:]}, strides = {ones}}} : {self.type} to {unit}")
            self.line(f"{wide} = vector.broadcast {row} : {unit} to {self.type}")
            other, kind = wide, "add"
        float_ = self.element[0] == "f"
        name = {"add": "addf", "sub": "subf", "max": "maximumf"}[kind] if float_ else {"add": "addi", "sub": "subi", "max": "maxsi"}[kind]
        self.line(f"{result} = arith.{name} {value}, {other} : {self.type}")
        return result

    def body(self, value, other, depth):
        value = self.anchored(value)
        for _ in range(self.r.choice([1, 2])):
            value = self.op(value, other)
        if depth and self.r.random() < 0.6:
            value = self.control(value, other, depth - 1)
        return self.anchored(value)

    def control(self, value, other, depth):
        result, kind = self.name(), self.r.choice(["for", "for", "if", "while", "switch"])
        if kind == "for":
            carried = self.name()
            self.line(f"{result} = scf.for %i{result[2:]} = %c0 to %n step %c1 iter_args({carried} = {value}) -> ({self.type}) {{")
            self.line(f"scf.yield {self.body(carried, other, depth)} : {self.type}")
        elif kind == "if":
            self.line(f"{result} = scf.if %c -> ({self.type}) {{")
            self.line(f"scf.yield {self.body(value, other, depth)} : {self.type}")
            self.line("} else {")
            self.line(f"scf.yield {self.body(other, value, depth)} : {self.type}")
        elif kind == "switch":
            self.line(f"{result} = scf.index_switch %n -> {self.type}")
            for case in ("case 2", "default"):
                self.line(f"{case} {{")
                self.line(f"scf.yield {self.body(value, other, depth)} : {self.type}")
                self.line("}" if case != "default" else "")
        else:
            before, after, turn, at = self.name(), self.name(), self.name(), self.name()
            index = self.name()
            self.line(f"{result}, {index} = scf.while ({before} = {value}, {turn} = %c0) : ({self.type}, index) -> ({self.type}, index) {{")
            more = self.name()
            self.line(f"{more} = arith.cmpi ult, {turn}, %n : index")
            self.line(f"scf.condition({more}) {self.anchored(before)}, {turn} : {self.type}, index")
            self.line("} do {")
            self.line(f"^bb0({after}: {self.type}, {at}: index):")
            step = self.name()
            self.line(f"{step} = arith.addi {at}, %c1 : index")
            self.line(f"scf.yield {self.body(after, other, depth)}, {step} : {self.type}, index")
        self.line("}")
        return result

    def build(self):
        kernel, r = self.kernel, self.r
        trips = kernel.argument("index", str(r.choice([0, 1, 2, 3])))
        self.line(f"%n = arith.addi {trips}, %c0 : index")
        self.line("%c1 = arith.constant 1 : index")
        self.line("%c = arith.cmpi ugt, %n, %c1 : index")
        layout = some_layout(r, self.shape, self.lanes, self.subgroups)
        kernel.read("%x", self.shape, self.element, layout if r.random() < 0.5 else None, "whole:1:-3:3" if self.element[0] == "f" else None)
        kernel.read("%y", self.shape, self.element, None, "whole:2:-3:3" if self.element[0] == "f" else None)
        value = self.control("%x", "%y", 1)
        if r.random() < 0.5:  # a mask that follows what it masks
            bits = vector(self.shape, "i1")
            ends = ", ".join(["%c1"] * (len(self.shape) - 1) + ["%n"])
            kernel.line(f"%mask = vector.create_mask {ends} : {bits}")
            zero = "0.0" if self.element[0] == "f" else "0"
            kernel.line(f"%zero = arith.constant {zero} : {self.element}")
            kind = "add" if self.element[0] == "i" else "maximumf"
            dims = list(range(len(self.shape)))
            kernel.line(f"%sum = vector.mask %mask {{ vector.multi_reduction <{kind}>, {value}, %zero {dims} : {self.type} to {self.element} }} : {bits} -> {self.element}")
            kernel.write_scalar("%sum", self.element)
        kernel.write(value, self.shape, self.element)
        return kernel


def runs(number, chosen):
    kernel = Edges(number).build()
    path = chosen.out / f"{kernel.name}.mlir"
    path.write_text(kernel.text())
    command = [chosen.distaff, "run", str(path), "--target", {32: "sm_80", 64: "gfx942"}[kernel.subgroup], *kernel.flags, "--check"]
    yield suite.Run(kernel.name, [*command, "--every-stage"])
    if kernel.subgroup == 32 and number % 2 == 0:
        yield suite.Run(kernel.name + "_ptx", [*command, "--device", "ptx"], compares=False)


if __name__ == "__main__":
    numbers = suite.taken("--programs") or range(0, 40)
    chosen = suite.options()
    suite.main([run for number in numbers for run in runs(number, chosen)], chosen)
