"""Random conversions and reductions where workgroup memory is scarce.

The kernel's own buffer takes all but a few bytes of the target's workgroup
memory, so exchanges share what is left and values that are larger go through it
in pieces, alone, one after the other, and in loops. The SIMT machine finds a
race wherever a wait is missing between two uses of the same bytes.
"""
import random

from kernels import Kernel, main, suite, vector
from random_layouts import RandomLayouts, product

# So many elements that no 256 slices of them fit into 16 bytes.
LARGE = [[18, 20], [21, 15], [300], [17, 19], [280]]
LIMITS = {32: 166912, 64: 65536}
SHAPES = [[16, 32], [8, 48], [4, 6, 10], [60], [24, 24], [7, 9], [128], [2, 3, 4, 5]]
BYTES = {"i1": 1, "i8": 1, "f16": 2, "f32": 4, "f64": 8, "i32": 4, "i64": 8}


def own_buffer(kernel, size):
    """A buffer of the kernel's own, which it uses."""
    type_ = f"memref<{size}xi8, #gpu.address_space<workgroup>>"
    kernel.line("%one = arith.constant 1 : i8")
    kernel.line(f"%own = memref.alloc() : {type_}")
    kernel.line(f"memref.store %one, %own[%c0] : {type_}")
    kernel.line(f"%back = memref.load %own[%c0] : {type_}")
    kernel.line("%seen = arith.sitofp %back : i8 to f32")
    kernel.write_scalar("%seen", "f32")


class Program:
    def __init__(self, number):
        self.random = random.Random(8000 + number)
        choice = self.random.choice
        self.subgroup = choice([32, 32, 64])
        self.subgroups = choice([1, 2, 4])
        self.layouts = RandomLayouts(self.random, self.subgroups, self.subgroup)
        self.least = number >= 40  # 16 bytes, as little as will do
        self.shape, self.element = choice(LARGE if self.least else SHAPES), choice(["f32", "f32", "f16", "f64", "i8", "i1"])
        self.type = vector(self.shape, self.element)
        self.kernel = Kernel(f"random_{number}", self.subgroup * self.subgroups, self.subgroup)
        self.values = 0

    def name(self):
        self.values += 1
        return f"%v{self.values}"

    def convert(self, value, layout):
        result, forced = self.name(), self.random.random() < 0.7
        attribute = " {shared_memory_conversion}" if forced else ""
        self.kernel.line(f"{result} = iree_vector_ext.to_layout {value} to layout({layout}){attribute} : {self.type}")
        return result

    def changed(self, value):
        """Something else to do with a value; an integer stays what it is."""
        result = self.name()
        op = f"arith.negf {value}" if self.element[0] == "f" else f"arith.ori {value}, {value}"
        self.kernel.line(f"{result} = {op} : {self.type}")
        return result

    def some(self, value, count):
        for _ in range(count):
            value = self.convert(value, self.layouts.layout(self.shape))
            if self.random.random() < 0.4:
                value = self.changed(value)
        return value

    def loop(self, value, home, depth):
        kernel, result, carried, index = self.kernel, self.name(), self.name(), self.name()
        turns = self.random.choice([1, 2, 3])
        kernel.line(f"%n{self.values} = arith.constant {turns} : index")
        kernel.line(f"{result} = scf.for {index} = %c0 to %n{self.values} step %c1 iter_args({carried} = {value}) -> ({self.type}) {{")
        inner = self.some(carried, self.random.choice([1, 2]))
        if depth and self.random.random() < 0.5:
            inner = self.loop(self.convert(inner, home), home, depth - 1)
        inner = self.convert(self.some(inner, self.random.choice([0, 1])), home)
        kernel.line(f"scf.yield {inner} : {self.type}")
        kernel.line("}")
        return result

    def build(self):
        kernel, home = self.kernel, self.layouts.layout(self.shape)
        whole = product(self.shape) * BYTES[self.element]
        left = 16 if self.least else max(16, whole // self.random.choice([1, 1, 2, 3, 4, 6]) // 16 * 16)
        kernel.line("%c1 = arith.constant 1 : index")
        own_buffer(kernel, LIMITS[self.subgroup] - left)
        kernel.read("%x", self.shape, self.element, home)
        value = self.some("%x", self.random.choice([1, 2, 3]))
        if self.random.random() < 0.6:
            value = self.loop(self.convert(value, home), home, 1)
            value = self.some(value, self.random.choice([0, 1, 2]))
        kernel.write(value, self.shape, self.element)
        return kernel


if __name__ == "__main__":
    main((Program(number).build() for number in suite.taken("--seeds") or range(47)), one_in=13)
