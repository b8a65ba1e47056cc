"""LLVM's ops on flattened vectors, against what LLVM's language reference says of them (VX-150).

    python3 intrinsics.py OUT_DIR [--only NAME] [--distaff PATH]

A kernel has the intrinsics of one type, on numbers among which are the extremes of the type, zeros of both signs,
infinities and NaN; every second one is called by its name (`llvm.call_intrinsic`). The values of integers, and of floats
where the result is exact, are computed here, bit by bit; each stage is compared with the float64 evaluation as well. On this
CPU what is emitted runs, and for sm_80 the PTX.
"""
import functools
import itertools
import math
import operator
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

SHAPE = (4, 8)
COUNT = 32
TARGETS = (("host", ["--target", "host", "--device", "host"]), ("host_avx2", ["--target", "host:avx2", "--every-stage"]),
           ("sm_80", ["--target", "sm_80", "--device", "ptx"]), ("gfx942", ["--target", "gfx942", "--every-stage"]))


# Integers, as LLVM's language reference has them.
def signed(value, width):
    value &= (1 << width) - 1
    return value - (1 << width) if value >> width - 1 else value


def saturated(value, low, high):
    return min(max(value, low), high)


def of_unsigned(function):
    return lambda w, *values: function(w, *(value & (1 << w) - 1 for value in values))


def of_signed_range(function):
    return lambda w, a, b: saturated(function(a, b), -(1 << w - 1), (1 << w - 1) - 1)


INTEGERS = {
    "smax": (2, lambda w, a, b: max(a, b)),
    "smin": (2, lambda w, a, b: min(a, b)),
    "umax": (2, of_unsigned(lambda w, a, b: max(a, b))),
    "umin": (2, of_unsigned(lambda w, a, b: min(a, b))),
    "abs": (1, lambda w, a: abs(a)),
    "ctpop": (1, of_unsigned(lambda w, a: a.bit_count())),
    "ctlz": (1, of_unsigned(lambda w, a: w - a.bit_length())),
    "cttz": (1, of_unsigned(lambda w, a: (a & -a).bit_length() - 1 if a else w)),
    "bitreverse": (1, of_unsigned(lambda w, a: int(f"{a:0{w}b}"[::-1], 2))),
    "bswap": (1, of_unsigned(lambda w, a: int.from_bytes(a.to_bytes(w // 8, "little"), "big"))),
    "fshl": (3, of_unsigned(lambda w, a, b, c: ((a << w | b) << c % w) >> w)),
    "fshr": (3, of_unsigned(lambda w, a, b, c: (a << w | b) >> c % w)),
    "sadd.sat": (2, of_signed_range(lambda a, b: a + b)),
    "ssub.sat": (2, of_signed_range(lambda a, b: a - b)),
    "uadd.sat": (2, of_unsigned(lambda w, a, b: min(a + b, (1 << w) - 1))),
    "usub.sat": (2, of_unsigned(lambda w, a, b: max(a - b, 0))),
}
# What calls pass behind the operands: whether a result is undefined where it could be.
MAY_BE_POISON = {"abs": "is_int_min_poison", "ctlz": "is_zero_poison", "cttz": "is_zero_poison"}
INTEGER_REDUCTIONS = {
    "add": lambda w, values: sum(values),
    "mul": lambda w, values: math.prod(values),
    "and": lambda w, values: functools.reduce(operator.and_, values),
    "or": lambda w, values: functools.reduce(operator.or_, values),
    "xor": lambda w, values: functools.reduce(operator.xor, values),
    "smax": lambda w, values: max(values),
    "smin": lambda w, values: min(values),
    "umax": lambda w, values: max(value & (1 << w) - 1 for value in values),
    "umin": lambda w, values: min(value & (1 << w) - 1 for value in values),
}


# Floats; None where the result is not exact, and the check alone judges it.
def larger(a, b, is_larger, keeps_nan):
    if math.isnan(a) or math.isnan(b):
        return math.nan if keeps_nan else (b if math.isnan(a) else a)
    if a == b == 0:
        return (a if (math.copysign(1, a) > 0) == is_larger else b) if keeps_nan else 0.0
    return max(a, b) if is_larger else min(a, b)


def rounded(function):
    def apply(a):
        if math.isnan(a) or math.isinf(a) or a == 0:
            return a
        return math.copysign(float(function(a)), a)
    return apply


def away_from_zero(a):
    return math.floor(abs(a) + 0.5) * (1 if a > 0 else -1)


FLOATS = {
    "fabs": (1, lambda a: math.nan if math.isnan(a) else abs(a)),
    "ceil": (1, rounded(math.ceil)),
    "floor": (1, rounded(math.floor)),
    "trunc": (1, rounded(math.trunc)),
    "round": (1, rounded(away_from_zero)),
    "roundeven": (1, rounded(round)),
    "rint": (1, rounded(round)),
    "nearbyint": (1, rounded(round)),
    "copysign": (2, lambda a, b: math.nan if math.isnan(a) else math.copysign(a, b)),
    "maximum": (2, lambda a, b: larger(a, b, True, True)),
    "minimum": (2, lambda a, b: larger(a, b, False, True)),
    "maxnum": (2, lambda a, b: larger(a, b, True, False)),
    "minnum": (2, lambda a, b: larger(a, b, False, False)),
    "sqrt": (1, None),
    "fma": (3, None),
    "fmuladd": (3, None),
}
FUNCTIONS = ("exp", "exp2", "log", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh")
FLOAT_REDUCTIONS = ("fadd", "fmul", "fmax", "fmin", "fmaximum", "fminimum")


class Kernel:
    """Intrinsics on arrays that it reads as flat vectors; an array for each result."""

    def __init__(self, element):
        self.element, self.lines, self.results = element, [], []
        self.vector, self.whole = f"vector<{COUNT}x{element}>", f"vector<4x8x{element}>"
        self.letter = itertools.cycle((True, False))

    def spell(self, name, operands, result, suffix):
        """The op, or a call of the intrinsic by its name."""
        types = ", ".join(self.vector if operand != "%s" else self.element for operand in operands)
        given = ", ".join(operands)
        flag = MAY_BE_POISON.get(name)
        if next(self.letter):
            attribute = f" <{{{flag} = false}}>" if flag else ""
            return f'"llvm.intr.{name}"({given}){attribute} : ({types}) -> {result}'
        given, types = (f"{given}, %false", f"{types}, i1") if flag else (given, types)
        return f'llvm.call_intrinsic "llvm.{name}.{suffix}"({given}) : ({types}) -> {result}'

    def suffix(self):
        return f"v{COUNT}{'f' if self.element[0] == 'f' else 'i'}{self.element[1:]}"

    def elementwise(self, name, arity, expected):
        at = len(self.results)
        text = self.spell(name, ["%a", "%b", "%c"][:arity], self.vector, self.suffix())
        self.lines += [f"%r{at} = {text}", f"%w{at} = vector.shape_cast %r{at} : {self.vector} to {self.whole}",
                       f"vector.store %w{at}, %o{at}[%c0, %c0] : memref<4x8x{self.element}>, {self.whole}"]
        self.results.append((name, f"memref<4x8x{self.element}>", expected))

    def reduction(self, name, expected, has_start=False):
        at = len(self.results)
        text = self.spell(f"vector.reduce.{name}", (["%s"] if has_start else []) + ["%a"], self.element, self.suffix())
        self.lines += [f"%r{at} = {text}", f"memref.store %r{at}, %o{at}[%c0] : memref<1x{self.element}>"]
        self.results.append((name, f"memref<1x{self.element}>", expected))

    def text(self):
        arguments = [f"%m{i}: memref<4x8x{self.element}>" for i in range(3)] + [f"%o{i}: {type}" for i, (_, type, _) in enumerate(self.results)]
        start = "1.5" if self.element[0] == "f" else "3"
        lines = ["%c0 = arith.constant 0 : index", "%false = arith.constant false", f"%s = arith.constant {start} : {self.element}"]
        for i, name in enumerate("abc"):
            lines += [f"%{name}n = vector.load %m{i}[%c0, %c0] : memref<4x8x{self.element}>, {self.whole}",
                      f"%{name} = vector.shape_cast %{name}n : {self.whole} to {self.vector}"]
        body = "\n  ".join(lines + self.lines)
        return f"func.func @k({', '.join(arguments)}) {{\n  {body}\n  return\n}}\n"


def same(seen, expected):
    if isinstance(expected, float):
        if math.isnan(expected):
            return math.isnan(seen)
        return seen == expected and (expected != 0 or math.copysign(1, seen) == math.copysign(1, expected))
    return seen == expected


def runs_of(chosen, name, kernel, arrays, is_compared=True, first_output=3):
    path = chosen.out / f"{name}.mlir"
    path.write_text(kernel.text())
    inputs = []
    for i, values in enumerate(arrays):
        npy.write(chosen.out / f"{name}_{i}.npy", kernel.element, SHAPE, values)
        inputs.append(f"--input=arg{i}={chosen.out / f'{name}_{i}.npy'}")
    for target, flags in TARGETS:
        outputs = {first_output + i: chosen.out / f"{name}_{target}_{i}.npy" for i, (_, _, expected) in enumerate(kernel.results) if expected}

        def wrong(outputs=outputs):
            for (intrinsic, _, expected), at in ((kernel.results[at - first_output], at) for at in outputs):
                seen = npy.read(outputs[at], kernel.element)
                for i, (x, y) in enumerate(zip(seen, expected, strict=True)):
                    # Of zeros of both signs maxnum and minnum may take either.
                    if not same(x, y) and not (intrinsic.endswith("num") and x == y == 0):
                        return f"{intrinsic}: element {i} is {x}, not {y}, of {[each[i % COUNT] for each in arrays]}"
            return None

        check = ["--check"] if is_compared else []
        yield suite.Run(f"{name}_{target}", [chosen.distaff, "run", path, *flags, *check, *inputs, *(f"--output=arg{at}={file}" for at, file in outputs.items())],
                        after=wrong, compares=False)


def integer_runs(chosen, width, rng):
    kernel = Kernel(f"i{width}")
    least, most = -(1 << width - 1), (1 << width - 1) - 1
    special = [0, 1, -1, least, most, least + 1, most - 1, 2]
    arrays = [[(special[i % 8] if i < 8 else special[(i // 8 + k * i) % 8] if i < 20 else rng.randint(least, most)) for i in range(COUNT)] for k in range(3)]
    arrays[1] = [*arrays[1][5:], *arrays[1][:5]]
    for name, (arity, function) in INTEGERS.items():
        if name != "bswap" or width > 8:
            kernel.elementwise(name, arity, [signed(function(width, *values), width) for values in zip(*arrays[:arity])])
    for name, function in INTEGER_REDUCTIONS.items():
        kernel.reduction(name, [signed(function(width, arrays[0]), width)])
    yield from runs_of(chosen, f"i{width}", kernel, arrays)


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def float_runs(chosen, element, rng):
    number = single if element == "f32" else float
    special = [0.0, -0.0, 1.0, -1.5, 2.5, -2.5, math.inf, -math.inf, math.nan, 0.5, -0.5, 3.5, 1e-30, -7.25, 16777217.0, 8388607.5]
    arrays = [[number(special[(i * step) % 16]) if i < 20 else number(rng.uniform(-9, 9)) for i in range(COUNT)] for step in (1, 5, 3)]
    kernel = Kernel(element)
    for name, (arity, function) in FLOATS.items():
        kernel.elementwise(name, arity, function and [number(function(*values)) for values in zip(*arrays[:arity])])
    yield from runs_of(chosen, element, kernel, arrays)
    functions = Kernel(element)
    for name in FUNCTIONS:
        functions.elementwise(name, 1, None)
    for name in ("pow", "atan2"):
        functions.elementwise(name, 2, None)
    for name in FLOAT_REDUCTIONS:
        functions.reduction(name, None, has_start=name in ("fadd", "fmul"))
    small = [[number(rng.uniform(0.1, 0.9)) for _ in range(COUNT)] for _ in range(3)]
    yield from runs_of(chosen, f"{element}_functions", functions, small)


def main():
    chosen = suite.options()
    rng = random.Random(41)
    runs = [*integer_runs(chosen, 8, rng), *integer_runs(chosen, 16, rng), *integer_runs(chosen, 32, rng), *integer_runs(chosen, 64, rng),
            *float_runs(chosen, "f32", rng), *float_runs(chosen, "f64", rng)]
    suite.main(runs, chosen, one_in=3)


if __name__ == "__main__":
    main()
