"""LLVM's intrinsics under a mask, and its powers, against what LLVM's language reference says of them (VX-150, VX-171).

    python3 predicated.py OUT_DIR [--only NAME] [--distaff PATH]

A kernel has the intrinsics of one type, with a mask and a number of elements that it reads; elements that are not defined are
replaced by those of another array. Where the mask is false, or the number has been reached, divisors are 0. The values of
integers, and of floats where the result is exact, are computed here.
"""
import math
import random
import struct
import sys

import intrinsics
from intrinsics import COUNT, INTEGER_REDUCTIONS, INTEGERS, signed, single

import npy
import suite


def divided(a, b):
    return int(abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


BINARY = {
    "add": lambda w, a, b: a + b,
    "sub": lambda w, a, b: a - b,
    "mul": lambda w, a, b: a * b,
    "and": lambda w, a, b: a & b,
    "or": lambda w, a, b: a | b,
    "xor": lambda w, a, b: a ^ b,
}
DIVISIONS = {
    "sdiv": lambda w, a, b: divided(a, b),
    "srem": lambda w, a, b: a - b * divided(a, b),
    "udiv": lambda w, a, b: (a % (1 << w)) // (b % (1 << w)),
    "urem": lambda w, a, b: (a % (1 << w)) % (b % (1 << w)),
}
SHIFTS = {
    "shl": lambda w, a, b: a << b,
    "lshr": lambda w, a, b: (a % (1 << w)) >> b,
    "ashr": lambda w, a, b: a >> b,
}
MORE = {name: INTEGERS[name] for name in ("smax", "smin", "umax", "umin", "ctpop")}
FLOATS = {
    "fadd": (2, lambda a, b: a + b),
    "fsub": (2, lambda a, b: a - b),
    "fmul": (2, lambda a, b: a * b),
    "fdiv": (2, None),
    "frem": (2, None),
    "fneg": (1, lambda a: -a),
    "fma": (3, None),
    "fmuladd": (3, None),
}
# Without an op: by name alone.
NAMED = {"sqrt": (1, None), "fabs": (1, abs), "floor": (1, math.floor), "roundtozero": (1, math.trunc), "maxnum": (2, max), "minimum": (2, min),
         "copysign": (2, math.copysign)}
IDENTITIES = {"add": 0, "mul": 1, "and": -1, "or": 0, "xor": 0}


class Kernel(intrinsics.Kernel):
    """Arrays a, b, c, then d, which is where a result is not defined; a mask as numbers, and a number of elements."""

    def __init__(self, element, mask, length):
        super().__init__(element)
        self.integer, self.mask, self.length = element[0] == "i", mask, length

    def active(self, i):
        return i < self.length and self.mask[i]

    def store(self, name, value, expected):
        at = len(self.results)
        self.lines += [f"%k{at} = arith.select %active, {value}, %d : vector<{COUNT}xi1>, {self.vector}",
                       f"%w{at} = vector.shape_cast %k{at} : {self.vector} to {self.whole}",
                       f"vector.store %w{at}, %o{at}[%c0, %c0] : memref<4x8x{self.element}>, {self.whole}"]
        self.results.append((name, f"memref<4x8x{self.element}>", expected))

    def call(self, name, operands, types, result, suffix, by_name=False):
        given = ", ".join([*operands, "%mask", "%n"])
        types = ", ".join([*types, f"vector<{COUNT}xi1>", "i32"])
        at = len(self.results)
        if next(self.letter) and not by_name:
            self.lines.append(f'%r{at} = "llvm.intr.vp.{name}"({given}) : ({types}) -> {result}')
        else:
            self.lines.append(f'%r{at} = llvm.call_intrinsic "llvm.vp.{name}.{suffix}"({given}) : ({types}) -> {result}')
        return f"%r{at}"

    def predicated(self, name, operands, expected, by_name=False):
        result = self.call(name, operands, [self.vector] * len(operands), self.vector, self.suffix(), by_name)
        self.store(name, result, expected)

    def cast(self, name, to, back, expected):
        """To a type and back to that of the arrays, by names of two types."""
        wide = f"vector<{COUNT}x{to}>"
        suffix = f"v{COUNT}{to}"
        result = self.call(name, ["%a"], [self.vector], wide, f"{suffix}.{self.suffix()}")
        at = len(self.results)
        self.lines.append(f"%t{at} = {back} {result} : {wide} to {self.vector}")
        self.store(name, f"%t{at}", expected)

    def merge(self, name, expected):
        at = len(self.results)
        text = f'"llvm.intr.vp.{name}"(%mask, %a, %b, %n) : (vector<{COUNT}xi1>, {self.vector}, {self.vector}, i32) -> {self.vector}'
        self.lines.append(f"%r{at} = {text}")
        below = f"%r{at}"
        if name == "select":
            self.lines.append(f"%s{at} = arith.select %below, %r{at}, %d : vector<{COUNT}xi1>, {self.vector}")
            below = f"%s{at}"
        self.lines += [f"%w{at} = vector.shape_cast {below} : {self.vector} to {self.whole}",
                       f"vector.store %w{at}, %o{at}[%c0, %c0] : memref<4x8x{self.element}>, {self.whole}"]
        self.results.append((name, f"memref<4x8x{self.element}>", expected))

    def reduced(self, name, expected):
        result = self.call(f"reduce.{name}", ["%s", "%a"], [self.element, self.vector], self.element, self.suffix())
        at = len(self.results)
        self.lines.append(f"memref.store {result}, %o{at}[%c0] : memref<1x{self.element}>")
        self.results.append((name, f"memref<1x{self.element}>", expected))

    def text(self):
        e = self.element
        count = len(self.results)
        arguments = [f"%m{i}: memref<4x8x{e}>" for i in range(4)] + [f"%o{i}: {type}" for i, (_, type, _) in enumerate(self.results)]
        arguments += ["%bits: memref<4x8xi32>", "%length: memref<1xi32>"]
        start = "1.5" if not self.integer else "3"
        lines = ["%c0 = arith.constant 0 : index", f"%s = arith.constant {start} : {e}",
                 f"%z = arith.constant dense<0> : vector<4x8xi32>", "%n = memref.load %length[%c0] : memref<1xi32>",
                 "%given = vector.load %bits[%c0, %c0] : memref<4x8xi32>, vector<4x8xi32>",
                 "%isSet = arith.cmpi ne, %given, %z : vector<4x8xi32>", f"%mask = vector.shape_cast %isSet : vector<4x8xi1> to vector<{COUNT}xi1>",
                 "%nx = arith.index_cast %n : i32 to index", f"%all = vector.broadcast %nx : index to vector<{COUNT}xindex>",
                 f"%place = vector.step : vector<{COUNT}xindex>", f"%below = arith.cmpi ult, %place, %all : vector<{COUNT}xindex>",
                 f"%active = arith.andi %below, %mask : vector<{COUNT}xi1>"]
        for i, name in enumerate("abcd"):
            lines += [f"%{name}n = vector.load %m{i}[%c0, %c0] : memref<4x8x{e}>, {self.whole}",
                      f"%{name} = vector.shape_cast %{name}n : {self.whole} to {self.vector}"]
        assert count > 0
        return f"func.func @k({', '.join(arguments)}) {{\n  " + "\n  ".join(lines + self.lines) + "\n  return\n}\n"


def runs_of(chosen, name, kernel, arrays):
    """intrinsics.runs_of, with the mask and the number behind the outputs."""
    count = len(kernel.results)
    npy.write(chosen.out / f"{name}_bits.npy", "i32", (4, 8), [int(bit) for bit in kernel.mask])
    npy.write(chosen.out / f"{name}_length.npy", "i32", (1,), [kernel.length])
    for run in intrinsics.runs_of(chosen, name, kernel, arrays, first_output=4):
        run.command += [f"--input=arg{4 + count}={chosen.out / f'{name}_bits.npy'}", f"--input=arg{5 + count}={chosen.out / f'{name}_length.npy'}"]
        yield run


def where(kernel, arrays, function):
    return [function(*values) if kernel.active(i) else d for i, (values, d) in enumerate(zip(zip(*arrays[:-1]), arrays[-1]))]


def integer_kernel(width, mask, length, rng):
    kernel = Kernel(f"i{width}", mask, length)
    least, most = -(1 << width - 1), (1 << width - 1) - 1
    special = [0, 1, -1, least, most, 7, -9]
    arrays = [[rng.choice([*special, rng.randint(least, most)]) for _ in range(COUNT)] for _ in range(4)]
    # What divides is not 0 and not -1 where that counts, and 0 where it does not.
    arrays[1] = [(rng.choice([1, 2, -3, 7, most]) if kernel.active(i) else 0) for i in range(COUNT)]
    # What shifts is less than the width.
    arrays[2] = [rng.randrange(width) for _ in range(COUNT)]
    for table, second in ((BINARY, 3), (DIVISIONS, 1), (SHIFTS, 2)):
        for name, function in table.items():
            operands = ["%a", f"%{'abcd'[second]}"]
            expected = [signed(function(width, arrays[0][i], arrays[second][i]), width) if kernel.active(i) else arrays[3][i] for i in range(COUNT)]
            kernel.predicated(name, operands, expected)
    for name, (arity, function) in MORE.items():
        expected = where(kernel, arrays, lambda *values, f=function, n=arity: signed(f(width, *values[:n]), width))
        kernel.predicated(name, ["%a", "%b", "%c"][:arity], expected, by_name=name == "ctpop")
    if width < 64:
        kernel.cast("zext", "i64", "arith.trunci", where(kernel, arrays, lambda a, b, c: a))
        kernel.cast("sext", "i64", "arith.trunci", where(kernel, arrays, lambda a, b, c: a))
    kernel.merge("merge", [a if kernel.active(i) else b for i, (a, b) in enumerate(zip(*arrays[:2]))])
    kernel.merge("select", [(a if mask[i] else b) if i < length else d for i, (a, b, d) in enumerate(zip(arrays[0], arrays[1], arrays[3]))])
    chosen = [a for i, a in enumerate(arrays[0]) if kernel.active(i)]
    for name, function in INTEGER_REDUCTIONS.items():
        kernel.reduced(name, [signed(function(width, [3, *chosen]), width)])
    return kernel, arrays


def float_kernel(element, mask, length, rng):
    kernel = Kernel(element, mask, length)
    # Quarters of small numbers, whose sums and products are exact.
    arrays = [[rng.randint(-40, 40) / 4 or 0.25 for _ in range(COUNT)] for _ in range(4)]
    for table, by_name in ((FLOATS, False), (NAMED, True)):
        for name, (arity, function) in table.items():
            given = ["%d" if name == "sqrt" else "%a", "%b", "%c"][:arity]
            expected = function and where(kernel, arrays, lambda *values, f=function, n=arity: float(f(*values[:n])))
            if name != "sqrt":
                kernel.predicated(name, given, expected, by_name)
    kernel.merge("merge", [a if kernel.active(i) else b for i, (a, b) in enumerate(zip(*arrays[:2]))])
    chosen = [a for i, a in enumerate(arrays[0]) if kernel.active(i)]
    kernel.reduced("fadd", [1.5 + sum(chosen)])
    kernel.reduced("fmax", [max([1.5, *chosen])])
    kernel.reduced("fmin", [min([1.5, *chosen])])
    return kernel, arrays


MASKS = {"some": (lambda rng: [rng.random() < 0.6 for _ in range(COUNT)], 23), "none": (lambda rng: [False] * COUNT, COUNT),
         "no_length": (lambda rng: [True] * COUNT, 0), "all": (lambda rng: [True] * COUNT, COUNT)}


def predicated_runs(chosen, rng):
    for element, name in (("i32", "some"), ("i8", "some"), ("i64", "all"), ("f32", "some"), ("f64", "none"), ("i16", "no_length")):
        mask, length = MASKS[name][0](rng), MASKS[name][1]
        kernel, arrays = (integer_kernel(int(element[1:]), mask, length, rng) if element[0] == "i" else float_kernel(element, mask, length, rng))
        yield from runs_of(chosen, f"{element}_{name}", kernel, arrays)


def scaled(value, by):
    try:
        return math.ldexp(value, by)
    except OverflowError:
        return math.copysign(math.inf, value)


def rounded_to(element, value):
    if element == "f64":
        return value
    letter = "e" if element == "f16" else "f"
    try:
        return struct.unpack(f"<{letter}", struct.pack(f"<{letter}", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


class PowerKernel(intrinsics.Kernel):
    """Powers of one type, by an exponent of each element and by one of all."""

    def power(self, name, exponent, integer, expected):
        at = len(self.results)
        self.lines.append(f"%e{at} = arith.constant {exponent} : {integer}")
        scalar = not integer.startswith("vector")
        of = integer if scalar else f"v{COUNT}{integer[len(f'vector<{COUNT}x'):-1]}"
        if scalar and next(self.letter):
            text = f'"llvm.intr.{name}"(%a, %e{at}) : ({self.vector}, {integer}) -> {self.vector}'
        else:
            text = f'llvm.call_intrinsic "llvm.{name}.{self.suffix()}.{of}"(%a, %e{at}) : ({self.vector}, {integer}) -> {self.vector}'
        self.lines += [f"%r{at} = {text}", f"%w{at} = vector.shape_cast %r{at} : {self.vector} to {self.whole}",
                       f"vector.store %w{at}, %o{at}[%c0, %c0] : memref<4x8x{self.element}>, {self.whole}"]
        self.results.append((name, f"memref<4x8x{self.element}>", expected))


def power_runs(chosen, rng):
    limits = {"f16": (24, 15, 11), "f32": (149, 127, 24), "f64": (1074, 1023, 53)}
    for element, (low, high, digits) in limits.items():
        special = [0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, math.ldexp(1.0, -low), math.ldexp(3.0, -low), math.ldexp(2 - 2.0**(1 - digits), high),
                   -math.ldexp(1.0, high)]
        numbers = [*special, *(rounded_to(element, math.ldexp(rng.uniform(-2, 2), rng.randint(-low, high))) for _ in range(COUNT - len(special)))]
        kernel = PowerKernel(element)
        # Just below the middle of two subnormal results: rounded twice, it becomes the upper one.
        small = -high - digits // 2
        numbers[-1] = math.ldexp(101.5 - 2.0**(7 - digits), -low - small)
        span = high + low
        exponents = [0, 1, -1, high, -high, low, -low, span, -span, span + 1, -span - 5, 2 * span, -2 * span]
        for by in (span - digits, small):
            kernel.power("ldexp", str(by), "i32", [rounded_to(element, scaled(x, by)) for x in numbers])
        each = [rng.choice([*exponents, rng.randint(-span, span)]) for _ in range(COUNT)]
        kernel.power("ldexp", f"dense<{each}>", f"vector<{COUNT}xi32>", [rounded_to(element, scaled(x, by)) for x, by in zip(numbers, each)])
        wide = [rng.choice([2**40, -2**40, *exponents]) for _ in range(COUNT)]
        if element != "f16":
            kernel.power("ldexp", f"dense<{wide}>", f"vector<{COUNT}xi64>", [rounded_to(element, scaled(x, max(-9999, min(9999, by)))) for x, by in zip(numbers, wide)])
        yield from intrinsics.runs_of(chosen, f"scaled_{element}", kernel, [numbers] * 3)
    for element in ("f32", "f64"):
        kernel = PowerKernel(element)
        numbers = [float(rng.choice([1, 2, 3, 5, -2, -3, 0.5, -1.5])) for _ in range(COUNT)]
        for by in (3, 0, 7):
            kernel.power("powi", str(by), "i32", [x**by for x in numbers])
        kernel.power("powi", "-2", "i32", None)
        kernel.elementwise("exp10", 1, None)
        yield from intrinsics.runs_of(chosen, f"powers_{element}", kernel, [numbers] * 3)


def main():
    chosen = suite.options()
    rng = random.Random(171)
    suite.main([*predicated_runs(chosen, rng), *power_runs(chosen, rng)], chosen, one_in=3)


if __name__ == "__main__":
    main()
