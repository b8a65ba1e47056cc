"""Masked contractions by instructions (VX-88, VX-60, VX-98, W8): random sizes, types and
targets; masks made of bounds, vectors, constants and scalars, over M, N, K, over rows
and columns together, and turned; NaN and infinity wherever the mask says that nothing is
read; accumulators that must come through bit for bit. Judged by sums in Python, with
--check on every stage and, for sm_80, on the PTX machine, which must count mma
instructions. Masks that no operand can take leave the instruction unused.

    python3 masked_mma.py OUT_DIR [--seeds A:B] [--only NAME]
"""
import math
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
from kernels import suite, vector

# Target, lanes, multiplicands in memory, extension, accumulators, an instruction's m, n, k.
CASES = [("sm_80", 32, "f16", None, "f32", (16, 8, 16)), ("sm_80", 32, "f16", "extf", "f32", (16, 8, 16)), ("sm_80", 32, "bf16", None, "f32", (16, 8, 16)),
         ("sm_80", 32, "f16", None, "f16", (16, 8, 16)), ("sm_80", 32, "i8", None, "i32", (16, 8, 32)), ("sm_80", 32, "i8", "extsi", "i32", (16, 8, 32)),
         ("sm_80", 32, "i8", "extui", "i32", (16, 8, 32)), ("sm_80", 32, "f64", None, "f64", (8, 8, 4)), ("sm_80", 32, "f32", None, "f32", (16, 8, 8)),
         ("gfx942", 64, "f16", None, "f32", (16, 16, 16)), ("gfx942", 64, "f32", None, "f32", (16, 16, 4)), ("gfx942", 64, "i8", "extsi", "i32", (16, 16, 32)),
         ("gfx942", 64, "f8E4M3FNUZ", None, "f32", (16, 16, 32)), ("gfx1100", 32, "f16", None, "f32", (16, 16, 16)), ("gfx1100", 32, "i8", "extui", "i32", (16, 16, 16))]
WHOLE = {"f8E4M3FNUZ": {0: 0x00, 1: 0x40, 2: 0x48, -1: 0xC0, -2: 0xC8}}
STRANGE = [math.nan, math.inf, -math.inf]


class Case:
    def __init__(self, seed):
        self.rng = rng = random.Random(seed)
        self.name = f"masked_mma_{seed}"
        self.target, lanes, self.element, self.extension, self.acc, (m, n, k) = CASES[seed % len(CASES)]
        self.extent = {"m": m * rng.choice([1, 2]), "n": n * rng.choice([1, 2, 3]), "k": k * rng.choice([1, 2])}
        # Every fifth time of extents that no instruction has, 1 among them.
        self.plain = seed // len(CASES) % 5 == 4
        if self.plain:
            self.extent = {dim: rng.choice([1, 1, 2, 3, 5, 7, 12]) for dim in "mnk"}
        self.lanes, self.threads = lanes, lanes * rng.choice([1, 1, 2])
        self.rhs = rng.choice(["kn", "nk"])
        self.lines, self.arguments, self.inputs = ["%c0 = arith.constant 0 : index"], [], []
        self.floats = self.acc[0] == "f"
        self.names = 0
        self.bits = {}  # what each part of the mask says, by its dims
        self.separable = True

    def line(self, text):
        self.names += 1
        self.lines.append(f"%v{self.names} = {text}")
        return f"%v{self.names}"

    def argument(self, type_, value):
        number = len(self.arguments)
        self.arguments.append(f"%arg{number}: {type_}")
        self.inputs.append(value)
        return f"%arg{number}"

    def read(self, shape, element, values):
        memory = self.argument(vector(shape, element).replace("vector", "memref"), (shape, element, values))
        pad = self.line(f"arith.constant {'0.0' if element[0] in 'fb' else '0'} : {element}")
        return self.line(f"vector.transfer_read {memory}[{', '.join(['%c0'] * len(shape))}], {pad} {{in_bounds = [{', '.join(['true'] * len(shape))}]}} : "
                         f"{vector(shape, element).replace('vector', 'memref')}, {vector(shape, element)}")

    # Masks. Each returns a value over the whole iteration space and keeps what it says.

    def points(self, dims):
        result = [()]
        for dim in dims:
            result = [point + (i,) for point in result for i in range(self.extent[dim])]
        return result

    def space(self):
        return [self.extent[dim] for dim in "mnk"]

    def keep(self, dims, bits):
        self.bits.setdefault(dims, []).append(bits)

    def bounds(self, constant=False):
        bounds = {dim: self.rng.choice([self.extent[dim], self.rng.randint(1, self.extent[dim]), self.rng.randint(-1, self.extent[dim] + 2)]) for dim in "mnk"}
        order = "".join(self.rng.sample("mnk", 3)) if self.rng.random() < 0.3 else "mnk"
        if constant:
            bounds = {dim: max(1, min(bounds[dim], self.extent[dim])) for dim in bounds}
            text = f"vector.constant_mask [{', '.join(str(bounds[dim]) for dim in order)}]"
        else:
            text = "vector.create_mask " + ", ".join(self.argument("index", bounds[dim]) for dim in order)
        shape = [self.extent[dim] for dim in order]
        value = self.line(f"{text} : {vector(shape, 'i1')}")
        for dim in "mnk":
            self.keep(dim, {(i,): i < bounds[dim] for i in range(self.extent[dim])})
        return self.turned(value, order)

    def turned(self, value, order):
        if order == "mnk":
            return value
        permutation = [order.index(dim) for dim in "mnk"]
        return self.line(f"vector.transpose {value}, {permutation} : {vector([self.extent[dim] for dim in order], 'i1')} to {vector(self.space(), 'i1')}")

    def vectors(self, dims):
        bits = {point: self.rng.random() < 0.7 for point in self.points(dims)}
        self.keep(dims, bits)
        shape = [self.extent[dim] for dim in dims]
        thin = [self.extent[dim] if dim in dims else 1 for dim in "mnk"]
        stretched = self.rng.random() < 0.5
        if stretched and self.rng.random() < 0.5:
            value = self.read(thin, "i8", [int(bits[point]) for point in self.points(dims)])
            value = self.line(f"arith.trunci {value} : {vector(thin, 'i8')} to {vector(thin, 'i1')}")
            return self.line(f"vector.broadcast {value} : {vector(thin, 'i1')} to {vector(self.space(), 'i1')}")
        if self.rng.random() < 0.3 and len(dims) == 1:
            literal = ", ".join(str(bits[i,]).lower() for i in range(shape[0]))
            value = self.line(f"arith.constant dense<[{literal}]> : {vector(shape, 'i1')}")
        else:
            value = self.read(shape, "i8", [int(bits[point]) for point in self.points(dims)])
            value = self.line(f"arith.trunci {value} : {vector(shape, 'i8')} to {vector(shape, 'i1')}")
        if dims == "k":
            return self.line(f"vector.broadcast {value} : {vector(shape, 'i1')} to {vector(self.space(), 'i1')}")
        if stretched:
            value = self.line(f"vector.shape_cast {value} : {vector(shape, 'i1')} to {vector(thin, 'i1')}")
            return self.line(f"vector.broadcast {value} : {vector(thin, 'i1')} to {vector(self.space(), 'i1')}")
        order = "".join(dim for dim in "mnk" if dim not in dims) + dims
        value = self.line(f"vector.broadcast {value} : {vector(shape, 'i1')} to {vector([self.extent[dim] for dim in order], 'i1')}")
        return self.turned(value, order)

    def scalar(self):
        bit = self.rng.random() < 0.7
        self.keep("", {(): bit})
        value = self.argument("i8", int(bit))
        value = self.line(f"arith.trunci {value} : i8 to i1")
        return self.line(f"vector.broadcast {value} : i1 to {vector(self.space(), 'i1')}")

    def whole(self):
        """A constant that is a conjunction after all."""
        parts = {dims: {point: self.rng.random() < 0.7 for point in self.points(dims)} for dims in ("mn", "k")}
        for dims, bits in parts.items():
            self.keep(dims, bits)
        text = str([[[parts["mn"][m, n] and parts["k"][k,] for k in range(self.extent["k"])] for n in range(self.extent["n"])] for m in range(self.extent["m"])])
        return self.line(f"arith.constant dense<{text.lower()}> : {vector(self.space(), 'i1')}")

    def mask(self):
        makers = [self.bounds, lambda: self.bounds(constant=True), lambda: self.vectors("m"), lambda: self.vectors("n"), lambda: self.vectors("k"),
                  lambda: self.vectors("mn"), self.scalar, self.whole]
        if not self.floats:
            makers += [lambda: self.vectors("mk"), lambda: self.vectors("nk")]
        chosen = [makers[self.rng.randrange(len(makers))] for _ in range(self.rng.choice([1, 1, 2, 3]))]
        if self.rng.random() < 0.08:
            chosen.append(lambda: self.vectors(self.rng.choice(["mnk", "mk", "nk"])))
        value = chosen[0]()
        for maker in chosen[1:]:
            value = self.line(f"arith.andi {value}, {maker()} : {vector(self.space(), 'i1')}")
        self.separable = all(not self.floats and len(dims) < 3 or not ("k" in dims and len(dims) > 1) for dims in self.bits)
        return value

    def says(self, dims):
        """Of each point of these dims whether the parts over them alone let it be."""
        own = [(tuple(dims.index(dim) for dim in part), bits) for part, all_ in self.bits.items() if set(part) <= set(dims) for bits in all_]
        return {point: all(bits[tuple(point[at] for at in where)] for where, bits in own) for point in self.points(dims)}

    # Numbers.

    def number(self):
        if self.element in WHOLE:
            return self.rng.choice(list(WHOLE[self.element]))
        number = self.rng.randint(0 if self.extension == "extui" else -3, 3)
        return float(number) if self.floats else number  # a float zero has a sign

    def operand(self, dims):
        """Numbers, and what is no number where both operands are masked off."""
        read, result = self.says("k"), {}
        for point in self.points(dims):
            k = point[dims.index("k")]
            strange = self.floats and self.element not in WHOLE and not read[k,]
            result[point] = self.rng.choice(STRANGE) if strange else self.number()
        # Rows and columns that nothing is kept of.
        other = dims.replace("k", "")
        if self.floats and self.element not in WHOLE:
            kept = self.says("mn")
            for i in range(self.extent[other]):
                if not any(bit for point, bit in kept.items() if point["mn".index(other)] == i) and self.rng.random() < 0.5:
                    result.update({point: self.rng.choice(STRANGE) for point in self.points(dims) if point[dims.index(other)] == i})
        return result

    def encoded(self, values):
        return [WHOLE[self.element][value] for value in values] if self.element in WHOLE else values

    def text(self):
        self.mask_value = self.mask()
        lhs, rhs = self.operand("mk"), self.operand(self.rhs)
        values, types = [], []
        for dims, numbers in (("mk", lhs), (self.rhs, rhs)):
            shape = [self.extent[dim] for dim in dims]
            value = self.read(shape, self.element, self.encoded([numbers[point] for point in self.points(dims)]))
            element = self.element
            if self.extension:
                value = self.line(f"arith.{self.extension} {value} : {vector(shape, element)} to {vector(shape, self.acc)}")
                element = self.acc
            values.append(value)
            types.append(vector(shape, element))
        shape = [self.extent["m"], self.extent["n"]]
        some = [0.0, -0.0, math.inf, 5.0] if self.floats else [7, -9]
        acc = {point: self.rng.choice(some) for point in self.points("mn")}
        start = self.read(shape, self.acc, [acc[point] for point in self.points("mn")])
        maps = ", ".join(f"affine_map<(m, n, k) -> ({', '.join(dims)})>" for dims in ("mk", self.rhs, "mn"))
        tf32 = ", allow_tf32" if self.element == "f32" and self.target == "sm_80" else ""
        type_ = vector(shape, self.acc)
        result = self.line(f"vector.mask {self.mask_value} {{ vector.contract {{indexing_maps = [{maps}], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], "
                           f"kind = #vector.kind<add>{tf32}}} {values[0]}, {values[1]}, {start} : {types[0]}, {types[1]} into {type_} }} : "
                           f"{vector(self.space(), 'i1')} -> {type_}")
        out = self.argument(type_.replace("vector", "memref"), None)
        self.lines.append(f"vector.transfer_write {result}, {out}[%c0, %c0] {{in_bounds = [true, true]}} : {type_}, {type_.replace('vector', 'memref')}")
        self.expect(lhs, rhs, acc)
        info = f"#iree_codegen.translation_info<workgroup_size = [{self.threads}, 1, 1] subgroup_size = {self.lanes}>"
        body = "".join(f"  {line}\n" for line in [*self.lines, "return"])
        return f"func.func @kernel({', '.join(self.arguments)}) attributes {{translation_info = {info}}} {{\n{body}}}\n"

    def expect(self, lhs, rhs, acc):
        allowed = self.says("mnk")
        self.expected = []
        for m, n in self.points("mn"):
            sum_ = acc[m, n]
            for k in range(self.extent["k"]):
                if allowed[m, n, k]:
                    sum_ = sum_ + lhs[m, k] * rhs[(k, n) if self.rhs == "kn" else (n, k)]
            self.expected.append(sum_)

    def flags(self, out):
        result = []
        for number, value in enumerate(self.inputs):
            if isinstance(value, int):
                result += ["--input", f"arg{number}={value}"]
            elif value:
                shape, element, values = value
                path = npy.write(out / f"{self.name}_{number}.npy", element, shape, values)
                result += ["--input", f"arg{number}={path}"]
        return result

    def wrong(self, path):
        found = npy.read(path, self.acc)
        for at, (is_, wanted) in enumerate(zip(found, self.expected)):
            if is_ != wanted and not (math.isnan(is_) and math.isnan(wanted)) or self.element not in WHOLE and math.copysign(1, is_) != math.copysign(1, wanted) and not math.isnan(wanted):
                return f"element {at} is {is_} instead of {wanted}"
        return None if len(found) == len(self.expected) else f"{len(found)} elements"

    def runs(self, chosen):
        path, out = chosen.out / f"{self.name}.mlir", chosen.out / f"{self.name}.npy"
        path.write_text(self.text())
        command = [chosen.distaff, "run", str(path), "--target", self.target, *self.flags(chosen.out), "--output", f"arg{len(self.arguments) - 1}={out}"]
        distribute = [chosen.distaff, "compile", str(path), "--target", self.target, "--stop-after=distribute"]

        expected = self.separable and not self.plain

        def uses(text):
            if ("mma_layout" in text) == expected:
                return None
            return "no instruction" if expected else "an instruction, which has no masks, or not these extents"

        yield suite.Run(self.name, [*command, "--check", "--every-stage"], before=(distribute, uses), after=lambda: self.wrong(out))
        if self.target == "sm_80" and self.rng.random() < 0.3:
            def counted(text):
                found = re.search(r"mma\w*\s+(\d+)", text)
                return None if bool(found and int(found[1])) == expected else "mma instructions counted: " + text

            yield suite.Run(self.name + "_ptx", [*command, "--device", "ptx"], before=([*command, "--device", "ptx", "--counters"], counted),
                            after=lambda: self.wrong(out), compares=False)


def main():
    seeds = suite.taken("--seeds") or range(75)
    chosen = suite.options()
    suite.main([run for seed in suite.depth.some(seeds, 17) for run in Case(seed).runs(chosen)], chosen)


main()
