"""Reductions and scans of every kind and element type over random layouts, bit for
bit (VX-82, VX-83, VX-84, VX-85, VX-86, VX-88, VX-90; W1, W3, W11, W12, W16, W17,
W19, W26): after every stage on the SIMT machine, and as PTX.

The reference is this file, one element after the other. Sums are of whole numbers and
products of powers of two that leave nothing to round, and hardly one is the identity:
an element that is left out, or taken twice, is seen. Minima and maxima are of many
numbers, or of infinities, NaNs and zeros of both signs. A NaN may be any, and of `minnumf` and `maxnumf` a zero may
have any sign; all else is compared in bits. Results are written by one thread per
element, so each is also read back by the others: replicas are compared as well.

Each pair of a kind and a type is met on layouts that spread the dims over several
lanes and several subgroups.

    python3 every_kind.py reductions|scans|all OUT_DIR [--only NAME] [--seeds 0:100]
"""
import argparse
import concurrent.futures
import functools
import itertools
import math
import os
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "ForkServer"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import fork_server
import npy

from kernels import DigitLayout, Kernel, vector
from random_layouts import RandomLayouts, product

TARGETS = {32: "sm_80", 64: "gfx942"}
NAN, INF = math.nan, math.inf
INTEGERS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
FLOATS = ["f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f16", "bf16", "f32", "f64"]
INTEGER_KINDS = ["add", "mul", "minsi", "maxsi", "minui", "maxui", "and", "or", "xor"]
FLOAT_KINDS = ["add", "mul", "minimumf", "maximumf", "minnumf", "maxnumf"]
# In memory; what is narrower or wider is converted on the way.
STORED = {"i1": "i8", "i4": "i8", "index": "i64"}


# Numbers as bits

@functools.cache
def small_floats(element):
    """The value of every pattern of an 8-bit float."""
    exponent_bits = 4 if "E4" in element else 5
    mantissa_bits = 7 - exponent_bits
    unsigned_zero = element.endswith("UZ")
    bias = (1 << exponent_bits - 1) - (0 if unsigned_zero else 1)
    values = []
    for bits in range(256):
        sign = -1.0 if bits & 0x80 else 1.0
        exponent, mantissa = bits >> mantissa_bits & (1 << exponent_bits) - 1, bits & (1 << mantissa_bits) - 1
        value = sign * (mantissa * 2.0 ** (1 - bias - mantissa_bits) if exponent == 0 else
                        (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias))
        if unsigned_zero:
            value = NAN if bits == 0x80 else value
        elif element == "f8E4M3FN":
            value = NAN if bits & 0x7F == 0x7F else value
        elif exponent == (1 << exponent_bits) - 1:
            value = NAN if mantissa else sign * INF
        values.append(value)
    return values


def encode(values, element):
    if element.startswith("f8"):
        table = small_floats(element)
        find = {struct.pack("<d", value): bits for bits, value in reversed(list(enumerate(table)))}
        return bytes(find[struct.pack("<d", NAN if math.isnan(value) else value)] for value in values)
    return npy.to_bytes([wrapped(value, STORED.get(element, element)) for value in values] if element in INTEGERS else values,
                        STORED.get(element, element))


def decode(data, element):
    if element.startswith("f8"):
        return [small_floats(element)[bits] for bits in data]
    return npy.from_bytes(data, STORED.get(element, element))


def wrapped(value, element):
    """As a signed number of the type."""
    bits = INTEGERS[element]
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


# What kinds mean

def minimum(a, b):
    """NaN propagates, and -0.0 is less than 0.0."""
    if math.isnan(a) or math.isnan(b):
        return NAN
    return min(a, b, key=lambda x: (x, math.copysign(1, x)))


def maximum(a, b):
    return -minimum(-a, -b)


def ignoring(choose):
    return lambda a, b: b if math.isnan(a) else a if math.isnan(b) else choose(a, b)


FOLD = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b, "minsi": min, "maxsi": max, "and": lambda a, b: a & b,
        "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "minimumf": minimum, "maximumf": maximum,
        "minnumf": ignoring(minimum), "maxnumf": ignoring(maximum)}


def combine(kind, element, a, b):
    if element not in INTEGERS:
        return FOLD[kind](a, b)
    if kind in ("minui", "maxui"):
        limit = 1 << INTEGERS[element]
        return wrapped((min if kind == "minui" else max)(a % limit, b % limit), element)
    return wrapped(FOLD[kind](a, b), element)


# Most that a sum, of whole numbers, and an exponent of a product, of powers of two,
# may be: no order of adding or multiplying rounds up to there.
SUMS = {"f8E4M3FN": 16, "f8E5M2": 8, "f8E4M3FNUZ": 16, "f8E5M2FNUZ": 8, "f16": 2048, "bf16": 256, "f32": 1 << 24, "f64": 1 << 53}
EXPONENTS = {"f8E4M3FN": 6, "f8E5M2": 13, "f8E4M3FNUZ": 6, "f8E5M2FNUZ": 13, "f16": 13, "bf16": 120, "f32": 120, "f64": 1000}


def summands(rng, element, count):
    """No zero, as long as there is room: who leaves one out has another sum."""
    most = SUMS[element] // count
    if most:
        return [rng.choice([1, 1, -1]) * float(rng.randint(1, min(most, 9))) for _ in range(count)]
    few = set(rng.sample(range(count), SUMS[element]))
    return [float(rng.choice([1, 1, -1])) if at in few else 0.0 for at in range(count)]


def factors(rng, element, count):
    """Halves, twos and signs."""
    few = set(rng.sample(range(count), min(count, EXPONENTS[element])))
    return [rng.choice([1, 1, -1]) * (rng.choice([0.5, 2.0]) if at in few else 1.0) for at in range(count)]


def integers(rng, kind, element, count):
    """Each of which matters, for most kinds: odd factors; each bit of a conjunction
    cleared by one of the numbers, each of a disjunction set."""
    bits = INTEGERS[element]
    result = [rng.getrandbits(bits) | (kind == "mul") for _ in range(count)]
    if kind in ("and", "or") or bits == 1 and kind == "mul":
        result = [0] * count
        for bit in range(bits):
            result[rng.randrange(count)] |= (rng.random() < 0.8) << bit
        result = result if kind == "or" else [~x for x in result]
    return [wrapped(x, element) for x in result]


def rare_numbers(rng, kind, element, count):
    """What neither sums nor identities like: many of one sign, infinities, NaNs, zeros."""
    if element in INTEGERS:
        bits = INTEGERS[element]
        low = {"minsi": [5, 6, 7], "maxsi": [-5, -6], "and": [-1, -1, -2]}.get(kind)
        pool = low if low and rng.random() < 0.4 else [rng.getrandbits(bits) for _ in range(5)] + [0, 1, -1]
        return [wrapped(rng.choice(pool), element) for _ in range(count)]
    if kind == "add":
        # Only zeros: the sum of negative ones is one.
        return [0.0 if element.endswith("UZ") else -0.0] * count
    if kind == "mul":
        return [rng.choice([1.0] * 9 + [0.0])] * count
    if rng.random() < 0.15:
        return [NAN] * count
    pool = [1.0, -1.0, 0.5, -2.0, 6.0, -6.0] + ([] if element.endswith("UZ") else [0.0, -0.0])
    if element not in ("f8E4M3FN", "f8E4M3FNUZ", "f8E5M2FNUZ"):
        pool += [INF, -INF]
    if rng.random() < 0.5:
        side = [x for x in pool if (x < 0) == kind.startswith("max")]
        pool = side or pool
    if rng.random() < 0.3:
        pool = pool + [NAN]
    return [rng.choice(pool) for _ in range(count)]


def numbers_of_part(rng, kind, element, count):
    if element in INTEGERS:
        return integers(rng, kind, element, count)
    if kind in ("add", "mul"):
        return (summands if kind == "add" else factors)(rng, element, count)
    finite = sorted({abs(x) for x in small_floats(element) if math.isfinite(x)}) if element.startswith("f8") else range(1, 200)
    return [float(rng.choice([-1, 1]) * rng.choice(finite[1:])) for _ in range(count)]


def numbers(rng, kind, element, shape, dims):
    """Values of `shape`, row-major, and what each part of those that differ along `dims`
    alone begins with."""
    kept = [extent for d, extent in enumerate(shape) if d not in dims]
    if rng.random() < 0.25:
        return rare_numbers(rng, kind, element, product(shape)), rare_numbers(rng, kind, element, product(kept))
    count = product(shape[d] for d in dims) + 1
    parts = {index: numbers_of_part(rng, kind, element, count) for index in indices(kept)}
    initial = [part.pop() for part in parts.values()]
    return [parts[tuple(x for d, x in enumerate(index) if d not in dims)].pop() for index in indices(shape)], initial


def same(kind, element, got, wanted):
    if element in INTEGERS:
        return wrapped(got, element) == wanted
    if math.isnan(wanted):
        return math.isnan(got)
    if kind == "logsumexp":
        return got == wanted or abs(got - wanted) <= 3e-6 * (1 + abs(wanted))
    if wanted == 0 and (kind in ("minnumf", "maxnumf") or element.endswith("UZ")):
        return got == 0
    return struct.pack("<d", got) == struct.pack("<d", wanted)


# Cases

def indices(shape):
    return list(itertools.product(*map(range, shape)))


class Case:
    def __init__(self, name, rng, out, must_cross=False):
        self.rng, self.out, self.must_cross = rng, out, must_cross
        self.lanes, self.subgroups = rng.choice([32, 32, 64]), rng.choice([2, 3, 4] if must_cross else [1, 2, 3, 4])
        self.kernel = Kernel(name, self.lanes * self.subgroups, self.lanes)
        self.kernel.flags += ["--schedule", str(rng.randrange(100))]
        self.layouts = RandomLayouts(rng, self.subgroups, self.lanes)
        self.expected = {}  # argument: kind, element, values

    def read(self, value, shape, element, values, layout=None):
        """`values` in row-major order."""
        kernel, stored = self.kernel, STORED.get(element, element)
        raw = value if stored == element else value + "_stored"
        kernel.read(raw, shape, stored, layout)
        argument = f"arg{len(kernel.arguments) - 1}"
        path = self.out / f"{kernel.name}_{argument}.npy"
        npy.write_bytes(path, stored, shape, encode(values, element))
        kernel.flags += ["--input", f"{argument}={path}"]
        if stored != element:
            op = "index_cast" if element == "index" else "trunci"
            kernel.line(f"{value} = arith.{op} {raw} : {vector(shape, stored)} to {vector(shape, element)}")

    def write(self, value, shape, kind, element, values):
        kernel, stored = self.kernel, STORED.get(element, element)
        if stored != element:
            op = "index_cast" if element == "index" else "extsi"
            kernel.line(f"{value.replace('#', '_')}_stored = arith.{op} {value} : {vector(shape, element)} to {vector(shape, stored)}")
            value = value.replace("#", "_") + "_stored"
        kernel.write(value, shape, stored)
        self.expected[f"arg{len(kernel.arguments) - 1}"] = (kind, element, values)

    def write_scalar(self, value, kind, element, result):
        self.kernel.line(f"{value}_vector = vector.broadcast {value} : {element} to vector<{element}>")
        self.write(value + "_vector", [], kind, element, [result])

    def mask(self, shape, name="%m"):
        mask = [self.rng.randint(0, 1) if self.rng.random() < 0.9 else 0 for _ in range(product(shape))]
        self.read(name, shape, "i1", mask, self.layouts.layout(shape) if self.rng.random() < 0.3 else None)
        return mask

    def shape(self, most=3):
        extents = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 32, 48]
        shape = [self.rng.choice(extents) for _ in range(self.rng.randint(1, most))]
        while product(shape) > 1536:
            shape[shape.index(max(shape))] = 2
        return shape

    def spread(self, draw_dims):
        """A shape, dims of it, and a layout; drawn again, where the case must cross,
        until both lanes and subgroups are on the dims."""
        while True:
            shape = self.shape()
            dims = draw_dims(shape)
            layout = self.layouts.layout(shape)
            if not self.must_cross or crosses(layout, dims):
                self.crosses = crosses(layout, dims)
                return shape, dims, layout


def crosses(layout, dims):
    """Whether elements that differ along the dims alone are on several lanes and on
    several subgroups."""
    if isinstance(layout, DigitLayout):
        return {"lane", "sg"} <= {axis for d in dims for axis, size, _ in layout.dims[d] if size > 1}
    return any(layout.S[d] > 1 for d in dims) and any(layout.T[d] > 1 for d in dims)


def reduction(case, kind, element):
    rng, kernel = case.rng, case.kernel
    shape, dims, layout = case.spread(lambda shape: sorted(rng.sample(range(len(shape)), rng.randint(1, len(shape)))))
    is_line = len(shape) == 1 and rng.random() < 0.6
    x, initial = numbers(rng, kind, element, shape, dims)
    case.read("%x", shape, element, x, layout)
    mask = case.mask(shape) if rng.random() < 0.3 else None
    kept = [extent for d, extent in enumerate(shape) if d not in dims]
    if element not in INTEGERS and kind in ("minnumf", "maxnumf") and rng.random() < 0.3:
        initial = [NAN] * len(initial)
    results = dict(zip(indices(kept), initial))
    has_acc = not is_line or rng.random() < 0.7
    if not has_acc:
        results = {(): None}
    for at, index in enumerate(indices(shape)):
        if mask and not mask[at]:
            continue
        k = tuple(x for d, x in enumerate(index) if d not in dims)
        results[k] = x[at] if results[k] is None else combine(kind, element, results[k], x[at])
    if results.get(()) is None and not has_acc:
        results[()] = identity(kind, element)
    type_ = vector(kept, element) if kept else element
    if has_acc:
        case.read("%acc_v", kept, element, initial)
        if not kept:
            kernel.line(f"%acc = vector.extract %acc_v[] : {element} from vector<{element}>")
    acc = "%acc_v" if kept else "%acc"
    if is_line:
        op = f"vector.reduction <{kind}>, %x" + (f", {acc}" if has_acc else "") + f" : {vector(shape, element)} into {element}"
    else:
        op = f"vector.multi_reduction <{kind}>, %x, {acc} {dims} : {vector(shape, element)} to {type_}"
    if mask:
        op = f"vector.mask %m {{ {op} }} : {vector(shape, 'i1')} -> {type_}"
    kernel.line(f"%r = {op}")
    if kept:
        case.write("%r", kept, kind, element, [results[k] for k in indices(kept)])
    else:
        case.write_scalar("%r", kind, element, results[()])


def identity(kind, element):
    if element in INTEGERS:
        half = 1 << INTEGERS[element] - 1
        return wrapped({"add": 0, "or": 0, "xor": 0, "maxui": 0, "mul": 1, "and": -1, "minui": -1, "minsi": half - 1, "maxsi": -half}[kind], element)
    return {"add": -0.0, "mul": 1.0, "minimumf": INF, "maximumf": -INF, "minnumf": NAN, "maxnumf": NAN}[kind]


def scan(case, kind, element):
    rng, kernel = case.rng, case.kernel
    shape, (dim,), layout = case.spread(lambda shape: [rng.randrange(len(shape))])
    inclusive = rng.random() < 0.5
    kept = shape[:dim] + shape[dim + 1:]
    x, initial = numbers(rng, kind, element, shape, [dim])
    case.read("%x", shape, element, x, layout)
    case.read("%i", kept, element, initial)
    at, last, result = dict(zip(indices(shape), x)), dict(zip(indices(kept), initial)), {}
    for index in indices(shape):
        k = index[:dim] + index[dim + 1:]
        if index[dim] == 0:
            last[k] = at[index] if inclusive else last[k]
        else:
            before = index[:dim] + (index[dim] - 1,) + index[dim + 1:]
            last[k] = combine(kind, element, last[k], at[index if inclusive else before])
        result[index] = last[k]
    kernel.line(f"%r:2 = vector.scan <{kind}>, %x, %i {{inclusive = {str(inclusive).lower()}, reduction_dim = {dim} : i64}} : "
                f"{vector(shape, element)}, {vector(kept, element)}")
    case.write("%r#0", shape, kind, element, list(result.values()))
    case.write("%r#1", kept, kind, element, list(last.values()))


def pairs():
    for element in list(INTEGERS) + FLOATS:
        for kind in INTEGER_KINDS if element in INTEGERS else FLOAT_KINDS:
            yield kind, element


def cases(out, seeds, families):
    """Each pair in every family, for each seed: over lanes and subgroups in the first,
    as it comes in the others."""
    for seed in seeds:
        for kind, element in pairs():
            for family in families:
                name = f"{family.__name__}_{kind}_{element}_{seed}"
                case = Case(name, random.Random(name), out, must_cross=seed == 0)
                family(case, kind, element)
                yield case


def runs_of(case, distaff):
    command = [distaff, "run", str(case.out / f"{case.kernel.name}.mlir"), "--target", TARGETS[case.lanes], *case.kernel.flags]
    yield "distribute", [*command, "--stop-after", "distribute"]
    yield "lower", [*command, "--stop-after", "lower"]
    yield "convert", [*command, "--stop-after", "convert"]
    if case.lanes == 32:
        schedule = command.index("--schedule")
        yield "ptx", [*command[:schedule], *command[schedule + 2:], "--device", "ptx"]


def judge(case, distaff):
    (case.out / f"{case.kernel.name}.mlir").write_text(case.kernel.text())
    for stage, command in runs_of(case, distaff):
        files = {name: case.out / f"{case.kernel.name}_{stage}_{name}.npy" for name in case.expected}
        done = fork_server.run([*command, *(flag for name, file in files.items() for flag in ("--output", f"{name}={file}"))])
        if done.returncode:
            return f"{stage}: exit {done.returncode}\n{done.stderr[:1500]}"
        for name, (kind, element, wanted) in case.expected.items():
            size = npy.size_of(STORED.get(element, element))
            got = decode(files[name].read_bytes()[-len(wanted) * size:], element)
            for at, (a, b) in enumerate(zip(got, wanted)):
                if not same(kind, element, a, b):
                    return f"{name}[{at}] after {stage}: {a!r} instead of {b!r}"
    return None


def main(cases=cases, all_right="kernels are the walk"):
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--distaff", default="distaff")
    parser.add_argument("--seeds", default="0:1")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    first, last = map(int, options.seeds.split(":"))
    chosen = [case for case in cases(options.out, range(first, last)) if options.only in case.kernel.name]
    chosen = depth.some(chosen, 1 if options.only else 7)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for case, wrong in zip(chosen, pool.map(lambda case: judge(case, options.distaff), chosen)):
            if wrong:
                failed += 1
                print(f"FAIL {case.kernel.name}: {wrong}", flush=True)
    if cross := [case for case in chosen if getattr(case, "crosses", False)]:
        print(f"{len(cross)} of {len(chosen)} cross lanes and subgroups")
    print(f"{len(chosen) - failed} of {len(chosen)} {all_right}")
    sys.exit(failed > 0 or not chosen)


FAMILIES = {"reductions": [reduction], "scans": [scan], "all": [reduction, scan]}

if __name__ == "__main__":
    chosen_families = FAMILIES[sys.argv.pop(1)]
    main(functools.partial(cases, families=chosen_families))
