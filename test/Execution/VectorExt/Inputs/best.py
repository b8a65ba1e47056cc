"""Random arg_compares, with what they must compute (VX-19, VX-20)."""
import math

import npy
from accesses import Case, positions, product, shaped

FLOAT = {"ogt": lambda a, b: a > b, "olt": lambda a, b: a < b, "oge": lambda a, b: a >= b, "ole": lambda a, b: a <= b,
         "ugt": lambda a, b: not a <= b, "uno": lambda a, b: a != a or b != b}
INTEGER = {"sgt": lambda a, b: a > b, "sle": lambda a, b: a <= b, "slt": lambda a, b: a < b}


class BestCase(Case):
    """The indices found, of few different values, NaN among them."""

    def __init__(self, random, number):
        self.random, self.name = random, f"best_{number}"
        self.tensor = self.scatter = False
        rank = random.choice([1, 2, 2, 3])
        self.input_shape = [random.choice([1, 2, 3, 5]) for _ in range(rank)]
        self.dim = random.randrange(rank)
        if self.chance(0.1):
            self.input_shape[self.dim] = 300  # too long to be written out
        self.shape = self.input_shape[:self.dim] + self.input_shape[self.dim + 1:]
        self.of = random.choice(["f32", "f32", "f16", "i32"])
        self.element = random.choice(["i32", "i64", "index"])
        self.compare = random.choice(list(FLOAT if self.of[0] == "f" else INTEGER))
        self.mode = random.choice(["explicit", "implicit", "base"])
        self.branches = self.chance(0.2)
        self.values = [self.draw_value() for _ in range(product(self.input_shape))]
        self.indices = [random.randint(-50, 50) for _ in self.values]
        self.init = [self.draw_value() for _ in range(product(self.shape))]
        self.init_index = [random.randint(-50, 50) for _ in self.init]
        self.base = random.randint(0, 20)
        self.text = self.make_text()

    def draw_value(self):
        if self.of[0] == "f" and self.chance(0.1):
            return math.nan
        return self.random.randint(-3, 3)

    def expected(self):
        beats = (FLOAT if self.of[0] == "f" else INTEGER)[self.compare]
        result = []
        for number, at in enumerate(positions(self.shape)):
            best, index = self.init[number], self.init_index[number]
            for p in range(self.input_shape[self.dim]):
                source = self.position(at[:self.dim] + (p,) + at[self.dim:])
                if beats(self.values[source], best):
                    best = self.values[source]
                    index = self.indices[source] if self.mode == "explicit" else p + (self.base if self.mode == "base" else 0)
            result.append(index)
        return result

    def position(self, at):
        number = 0
        for extent, i in zip(self.input_shape, at):
            number = number * extent + i
        return number

    def arrays(self):
        arrays = [(self.input_shape, self.of, self.values)]
        if self.mode == "explicit":
            arrays.append((self.input_shape, self.element, self.indices))
        arrays += [(self.shape, self.of, self.init), (self.shape, self.element, self.init_index)]
        if self.mode == "base":
            arrays.append((None, "index", self.base))
        return arrays + [(self.shape, self.element, [0] * len(self.init))]

    def result_shape(self):
        return self.shape

    def make_text(self):
        arrays = self.arrays()
        names = ", ".join(f"%arg{i}: {self.argument_type(shape, element)}" for i, (shape, element, _) in enumerate(arrays))
        self.lines, self.next = ["%c0 = arith.constant 0 : index"], 0
        read = lambda name, shape, element: self.read(name, shape, element, "0.0" if element[0] == "f" else "0")
        whole, part = shaped("vector", self.input_shape, self.of), shaped("vector", self.shape, self.of)
        ins, types = [read("%x", self.input_shape, self.of)], [whole]
        if self.mode == "explicit":
            ins.append(read("%xi", self.input_shape, self.element))
            types.append(shaped("vector", self.input_shape, self.element))
        read("%init", self.shape, self.of)
        read("%start", self.shape, self.element)
        part_index = shaped("vector", self.shape, self.element)
        base = ""
        if self.mode == "base":
            base = f" index_base(%arg{self.next} : index)"
            self.next += 1
        self.lines += [f"%best:2 = iree_vector_ext.arg_compare dimension({self.dim}) ins({', '.join(ins)} : {', '.join(types)}) "
                       f"inits(%init, %start : {part}, {part_index}){base} {{",
                       f"^bb0(%a: {self.of}, %b: {self.of}):", *self.region(), f"}} -> {part}, {part_index}"]
        zeros = ", ".join(["%c0"] * len(self.shape))
        bounds = f" {{in_bounds = [{', '.join(['true'] * len(self.shape))}]}}" if self.shape else ""
        out = shaped("memref", self.shape, self.element)
        self.lines.append(f"vector.transfer_write %best#1, %arg{self.next}[{zeros}]{bounds} : {part_index}, {out}")
        body = "".join(f"  {line}\n" for line in self.lines)
        return f"func.func @{self.name}({names}) {{\n{body}  return\n}}\n"

    def region(self):
        op = f"arith.cmp{'f' if self.of[0] == 'f' else 'i'} {self.compare}, %a, %b : {self.of}"
        if not self.branches:
            return [f"  %wins = {op}", "  iree_vector_ext.yield %wins : i1"]
        return [f"  %wins = {op}", "  %same = scf.if %wins -> i1 {", "    scf.yield %wins : i1", "  } else {", "    scf.yield %wins : i1",
                "  }", "  iree_vector_ext.yield %same : i1"]

    def print_bits(self, result, type_):
        if self.element != "index":
            return super().print_bits(result, type_)
        name, count = f"%{self.name}_out", product(self.shape)
        zeros = ", ".join(["%c0"] * len(self.shape))
        vector, flat = shaped("vector", self.shape, "index"), shaped("vector", [count], "index")
        return [f"{name}_v = vector.transfer_read {result}[{zeros}], %c0 : {type_}, {vector}",
                f"{name}_f = vector.shape_cast {name}_v : {vector} to {flat}",
                f"{name}_w = arith.index_cast {name}_f : {flat} to vector<{count}xi64>", f"{name} = memref.alloc() : memref<{count}xi64>",
                f"vector.transfer_write {name}_w, {name}[%c0] : vector<{count}xi64>, memref<{count}xi64>",
                f"{name}_u = memref.cast {name} : memref<{count}xi64> to memref<*xi64>",
                f"call @printMemrefI64({name}_u) : (memref<*xi64>) -> ()"]

    def literal(self, name, shape, element, values, in_memory):
        texts = ["0x7FC00000" if value != value and element == "f32" else "0x7E00" if value != value else f"{value}.0" if element[0] == "f"
                 else str(value) for value in values]
        vector, flat = shaped("vector", shape, element), shaped("vector", [len(values)], element)
        memory, zeros = shaped("memref", shape, element), ", ".join(["%c0"] * len(shape))
        return [f"{name}_flat = arith.constant dense<[{', '.join(texts)}]> : {flat}",
                f"{name}_vector = vector.shape_cast {name}_flat : {flat} to {vector}", f"{name} = memref.alloc() : {memory}",
                f"vector.transfer_write {name}_vector, {name}[{zeros}] : {vector}, {memory}"]

