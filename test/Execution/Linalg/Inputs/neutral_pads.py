"""Reductions whose extents no tile divides: what padded inputs hold must not show in a result (VX-296).

usage: neutral_pads.py OUT_DIR [--seeds FIRST:LAST] [options of suite.py]

A kernel has one to three reductions of one array, by rows or by columns, each of a term, a combiner and a start. Terms are
zero where their inputs are, or are not; starts are zeros of either sign, other numbers and arrays. Rows hold whole numbers,
nothing but -0, nothing but -inf, infinities of both signs, a NaN. Sums are exact, so Python computes each result, of which
signs of zeros and NaN count.
"""
import math
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

MACHINES = [("sm_80", "simt"), ("gfx942", "simt"), ("gfx1100", "simt"), ("host", "host")]
SHAPES = [(5, 33), (7, 1000), (3, 4097), (129, 13), (1, 7), (1, 50257), (64, 100), (33, 1)]
INF, NAN = math.inf, math.nan


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def maximum(a, b):
    if a != a or b != b:
        return NAN
    return (a if math.copysign(1, a) > 0 else b) if a == b else max(a, b)


def minimum(a, b):
    return -maximum(-a, -b)


def of_numbers(choose):
    return lambda a, b: b if a != a else a if b != b else choose(a, b)


def signed(x):
    return (x + 2**31) % 2**32 - 2**31


FLOATS = {"addf": lambda a, b: a + b, "mulf": lambda a, b: single(a * b), "maximumf": maximum, "minimumf": minimum,
          "maxnumf": of_numbers(maximum), "minnumf": of_numbers(minimum)}
INTEGERS = {"addi": lambda a, b: signed(a + b), "maxsi": max, "minsi": min, "ori": lambda a, b: a | b, "xori": lambda a, b: a ^ b,
            "maxui": lambda a, b: signed(max(a % 2**32, b % 2**32)), "minui": lambda a, b: signed(min(a % 2**32, b % 2**32)), "andi": lambda a, b: a & b,
            "muli": lambda a, b: signed(a * b)}
# Of %x, of %w, an array of the same shape, and %r, a number per result: the lines that make %t, and its value.
FLOAT_TERMS = {"itself": ([], lambda x, w, r: x),
               "magnitude": (["%t = math.absf %x : f32"], lambda x, w, r: abs(x)),
               "square": (["%t = arith.mulf %x, %x : f32"], lambda x, w, r: x * x),
               "negated": (["%t = arith.negf %x : f32"], lambda x, w, r: -x),
               "product": (["%t = arith.mulf %x, %w : f32"], lambda x, w, r: x * w),
               "sum": (["%t = arith.addf %x, %w : f32"], lambda x, w, r: x + w),
               "shifted": (["%one = arith.constant 1.0 : f32", "%t = arith.addf %x, %one : f32"], lambda x, w, r: x + 1),
               "centered": (["%t = arith.subf %x, %r : f32"], lambda x, w, r: x - r),
               "scaled": (["%t = arith.mulf %x, %r : f32"], lambda x, w, r: x * r)}
INTEGER_TERMS = {"itself": ([], lambda x, w, r: x),
                 "product": (["%t = arith.muli %x, %w : i32"], lambda x, w, r: signed(x * w)),
                 "shifted": (["%one = arith.constant 1 : i32", "%t = arith.addi %x, %one : i32"], lambda x, w, r: signed(x + 1)),
                 "scaled": (["%t = arith.muli %x, %r : i32"], lambda x, w, r: signed(x * r))}


class Kernel:
    def __init__(self, seed):
        self.seed, pick = seed, random.Random(seed)
        self.m, self.n = pick.choice(SHAPES)
        # Columns of one element, 50257 of them, take a workgroup each four.
        self.dynamic, self.by_columns = pick.random() < 0.3, pick.random() < 0.3 and self.n < 50000
        self.element = pick.choice(["f32", "f32", "f32", "f16", "bf16", "i32", "i32", "i32"])
        self.wide = "i32" if self.element == "i32" else "f32"
        terms, combiners = (INTEGER_TERMS, INTEGERS) if self.wide == "i32" else (FLOAT_TERMS, FLOATS)
        self.reductions = []
        for _ in range(pick.choice((1, 1, 2, 3))):
            combiner = pick.choice(["addf"] * 3 + [*combiners] if self.wide == "f32" else list(combiners))
            # A product of many numbers overflows in one order and not in another.
            term = "itself" if combiner.startswith("mul") else pick.choice(["itself"] * 3 + [*terms])
            starts = ["1"] if combiner.startswith("mul") else ["0.0", "0.0", "-0.0", "-0.0", "7.0", "array"] if self.wide == "f32" else ["0", "-5", "array"]
            start = pick.choice(starts)
            self.reductions.append((term, combiner, start + ".0" if start == "1" and self.wide == "f32" else start))
        self.data = self.numbers(pick)

    def numbers(self, pick):
        """x, w, r and the array that reductions start from."""
        count, results = self.m * self.n, self.n if self.by_columns else self.m
        if self.wide == "i32":
            def some(size):
                return [pick.choice((pick.randrange(-9, 10), pick.randrange(-2**31, 2**31))) for _ in range(size)]
            return some(count), some(count), some(results), some(results)
        multiplies = any(combiner == "mulf" for _, combiner, _ in self.reductions)
        small = [-1.0, 1.0] if multiplies else [float(v) for v in range(-9, 10)] + [-0.0]
        x = [pick.choice(small) for _ in range(count)]
        w = [pick.choice([*small, INF]) if pick.random() < 0.002 else pick.choice(small) for _ in range(count)]
        for line in range(results):
            places = range(line, count, self.n) if self.by_columns else range(line * self.n, (line + 1) * self.n)
            kind = pick.choice(("whole", "-0", "-0", "-inf", "infinities", "nan", "inf", "negative"))
            for place in places:
                x[place] = {"-0": -0.0, "-inf": -INF, "inf": INF, "negative": -abs(x[place]) - 1}.get(kind, x[place])
            if kind == "infinities":
                x[pick.choice(places)], x[pick.choice(places)] = INF, -INF
            if kind == "nan":
                x[pick.choice(places)] = NAN
        some = [pick.choice([*small, INF, -INF, NAN]) for _ in range(results)]
        return x, w, some, [pick.choice([*small, -0.0, -0.0, -INF]) for _ in range(results)]

    def text(self):
        m, n = ("?", "?") if self.dynamic else (self.m, self.n)
        whole, other = f"tensor<{m}x{n}x{self.element}>", f"tensor<{m}x{n}x{self.wide}>"
        line = f"tensor<{n if self.by_columns else m}x{self.wide}>"
        kept, kinds = ("j", '"reduction", "parallel"') if self.by_columns else ("i", '"parallel", "reduction"')
        maps = ", ".join(f"affine_map<(i, j) -> ({dims})>" for dims in ("i, j", "i, j", kept, kept))
        lines = [f"%c{d} = arith.constant {d} : index" for d in range(2)]
        sizes = ""
        if self.dynamic:
            lines.append(f"%size = tensor.dim %xs, %c{int(self.by_columns)} : {whole}")
            sizes = "%size"
        for at, (term, combiner, start) in enumerate(self.reductions):
            begin = "%s"
            if start != "array":
                begin = f"%f{at}"
                lines += [f"%z{at} = arith.constant {start} : {self.wide}", f"%e{at} = tensor.empty({sizes}) : {line}",
                          f"{begin} = linalg.fill ins(%z{at} : {self.wide}) outs(%e{at} : {line}) -> {line}"]
            body = list((FLOAT_TERMS if self.wide == "f32" else INTEGER_TERMS)[term][0])
            argument = "%x" if self.element == self.wide else "%narrow"
            if self.element != self.wide:
                body.insert(0, f"%x = arith.extf %narrow : {self.element} to f32")
            lines += [f"%y{at} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
                      f"ins(%xs, %ws, %rs : {whole}, {other}, {line}) outs({begin} : {line}) {{",
                      f"^bb0({argument}: {self.element}, %w: {self.wide}, %r: {self.wide}, %o: {self.wide}):", *body,
                      f"%c = arith.{combiner} %o, {'%t' if len(body) > (self.element != self.wide) else '%x'} : {self.wide}",
                      f"linalg.yield %c : {self.wide}", f"}} -> {line}"]
        results = ", ".join(f"%y{at}" for at in range(len(self.reductions)))
        types = ", ".join([line] * len(self.reductions))
        return (f"func.func @reduced(%xs: {whole}, %ws: {other}, %rs: {line}, %s: {line}) -> ({types}) {{\n  " + "\n  ".join(lines) +
                f"\n  return {results} : {types}\n}}\n")

    def value(self, term, combiner, start):
        x, w, r, s = self.data
        function = (FLOAT_TERMS if self.wide == "f32" else INTEGER_TERMS)[term][1]
        combine = (FLOATS if self.wide == "f32" else INTEGERS)[combiner]
        results = []
        for line in range(self.n if self.by_columns else self.m):
            places = range(line, self.m * self.n, self.n) if self.by_columns else range(line * self.n, (line + 1) * self.n)
            result = s[line] if start == "array" else (float if self.wide == "f32" else int)(start)
            for place in places:
                result = combine(result, function(x[place], w[place], r[line]))
            results.append(result)
        return results


def differs(seen, wanted, combiner):
    if seen != seen or wanted != wanted:
        return (seen != seen) != (wanted != wanted)
    # IEEE 754's maxNum of zeros is any of the two.
    return seen != wanted or "num" not in combiner and math.copysign(1, seen) != math.copysign(1, wanted)


def run_of(chosen, seed):
    kernel = Kernel(seed)
    target, device = MACHINES[seed % len(MACHINES)]
    name = f"seed{seed}.{kernel.m}x{kernel.n}.{kernel.element}.{target}"
    paths = [chosen.out / f"{name}.{end}.npy" for end in "xwrs"]
    results = [chosen.out / f"{name}.out{at}.npy" for at in range(len(kernel.reductions))]

    def prepare():
        (chosen.out / f"{name}.mlir").write_text(kernel.text())
        line = [kernel.n if kernel.by_columns else kernel.m]
        shapes = [[kernel.m, kernel.n]] * 2 + [line] * 2
        for path, element, shape, data in zip(paths, [kernel.element] + [kernel.wide] * 3, shapes, kernel.data):
            npy.write(path, element, shape, data)

    def wrong():
        for path, (term, combiner, start) in zip(results, kernel.reductions):
            seen, wanted = npy.read(path, kernel.wide), kernel.value(term, combiner, start)
            for at, (a, b) in enumerate(zip(seen, wanted, strict=True)):
                if differs(a, b, combiner):
                    return f"{combiner} of {term} from {start}: element {at} is {a} and not {b}"
        return None

    command = [chosen.distaff, "run", chosen.out / f"{name}.mlir", "--target", target, "--device", device,
               *(f"--input=arg{at}={path}" for at, path in enumerate(paths)), *(f"--output=res{at}={path}" for at, path in enumerate(results))]
    if device == "simt" and seed % 3 == 0:
        command += ["--pipeline", "run-cluster"]
    return suite.Run(name, command, prepare=prepare, after=wrong, compares=False)


def main():
    seeds = suite.taken("--seeds") or range(200)
    chosen = suite.options()
    suite.main([run_of(chosen, seed) for seed in seeds], chosen, one_in=2)


main()
