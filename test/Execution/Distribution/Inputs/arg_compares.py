"""arg_compare is a walk along its dimension (VX-20, VX-91): every comparator, orders
or not, with NaNs, ties and zeros of both signs; other regions; inputs that have no
layout of their own (VX-62). After every stage, bit for bit.

    python3 arg_compares.py OUT_DIR [--only NAME]
"""
import argparse
import concurrent.futures
import math
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "ForkServer"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import fork_server
import npy

from kernels import DigitLayout, Kernel, Layout, vector
from random_layouts import RandomLayouts, product
from strict_order import TARGETS, Case, indices

NAN, INF = float("nan"), float("inf")
FLOATS = [0.0, -0.0, 1.0, 1.0, -1.0, 2.0, -2.0, INF, -INF, NAN, NAN]


def unordered(a, b):
    return math.isnan(a) or math.isnan(b)


ORDERED = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
           "lt": lambda a, b: a < b, "le": lambda a, b: a <= b}
FLOAT_PREDICATES = {"false": lambda a, b: False, "true": lambda a, b: True, "ord": lambda a, b: not unordered(a, b), "uno": unordered}
for name, compare in ORDERED.items():
    FLOAT_PREDICATES["o" + name] = lambda a, b, compare=compare: not unordered(a, b) and compare(a, b)
    FLOAT_PREDICATES["u" + name] = lambda a, b, compare=compare: unordered(a, b) or compare(a, b)
INTEGER_PREDICATES = {"eq": ORDERED["eq"], "ne": ORDERED["ne"]}
for name in ("gt", "ge", "lt", "le"):
    INTEGER_PREDICATES["s" + name] = ORDERED[name]
    INTEGER_PREDICATES["u" + name] = lambda a, b, compare=ORDERED[name]: compare(a & 0xFF, b & 0xFF)
assert len(FLOAT_PREDICATES) == 16 and len(INTEGER_PREDICATES) == 10

# Regions that are no single comparison: text and meaning.
REGIONS = {
    "absolute": ("math.absf %c : f32|math.absf %b : f32|arith.cmpf ogt, %0, %1 : f32", lambda c, b: FLOAT_PREDICATES["ogt"](abs(c), abs(b))),
    "one_sided": ("arith.addf %b, %b : f32|arith.cmpf ogt, %c, %0 : f32", lambda c, b: FLOAT_PREDICATES["ogt"](c, b + b)),
    "same_argument": ("arith.cmpf oeq, %c, %c : f32", lambda c, b: not math.isnan(c)),
    "negated": ("arith.constant true|arith.cmpf ole, %c, %b : f32|arith.xori %1, %0 : i1", lambda c, b: not FLOAT_PREDICATES["ole"](c, b)),
    "always": ("arith.constant true", lambda c, b: True),
    "swapped": ("arith.cmpf olt, %b, %c : f32", lambda c, b: FLOAT_PREDICATES["ogt"](c, b)),
    "swapped_unordered": ("arith.cmpf uge, %b, %c : f32", lambda c, b: FLOAT_PREDICATES["ule"](c, b)),
}


def region(text):
    lines, last = [], None
    for i, op in enumerate(text.split("|")):
        for j in range(i):
            op = op.replace(f"%{j}", f"%t{j}")
        lines.append(f"  %t{i} = {op}")
    return lines + [f"  iree_vector_ext.yield %t{len(lines) - 1} : i1"]


def literal(x, element):
    if element[0] == "i":
        return str(x)
    bits = npy.to_bytes([x], element)[::-1].hex()
    return f"0x{bits.upper()}"


def compare_case(case, shape, dim, element, text, beats, numbers=None, source=None, layout=None, init=None, explicit=False, base=None, index="i32"):
    """`source`: lines that define %x where it is not read from memory, and its numbers."""
    kernel, rng = case.kernel, case.rng
    kept = shape[:dim] + shape[dim + 1:]
    if source:
        lines, x = source
        for line in lines:
            kernel.line(line)
    else:
        pool = numbers or (FLOATS if element[0] != "i" else [0, 0, 1, 1, -1, 5, -5, 127, -128])
        values = [rng.choice(pool) for _ in range(product(shape))]
        kernel.read("%x", shape, element, layout)
        x = case.input(case.argument(), shape, element, numbers=values)
    inits = {k: rng.choice(init) for k in indices(kept)}
    dense = ", ".join(literal(inits[k], element) for k in indices(kept))

    def nested(dims, items):
        if not dims:
            return items[0]
        size = len(items) // dims[0]
        return "[" + ", ".join(nested(dims[1:], items[i * size:(i + 1) * size]) for i in range(dims[0])) + "]"

    kernel.line(f"%iv = arith.constant dense<{nested(kept, dense.split(', '))}> : {vector(kept, element)}")
    kernel.line(f"%ii = arith.constant dense<-7> : {vector(kept, index)}")
    ins, offset = f"%x : {vector(shape, element)}", 0
    given = None
    if explicit:
        kernel.read("%xi", shape, index)
        path = case.out / f"{kernel.name}_indices.npy"
        given = {i: rng.randint(-99, 99) for i in indices(shape)}
        npy.write(path, "i32", shape, list(given.values()))
        kernel.flags += ["--input", f"{case.argument()}={path}"]
        ins = f"%x, %xi : {vector(shape, element)}, {vector(shape, index)}"
    start = ""
    if base is not None:
        kernel.line(f"%base = arith.constant {base} : index")
        start, offset = " index_base(%base : index)", base
    kernel.line(f"%r:2 = iree_vector_ext.arg_compare dimension({dim}) ins({ins}) inits(%iv, %ii : {vector(kept, element)}, {vector(kept, index)}){start} {{")
    kernel.line(f"^bb0(%c: {element}, %b: {element}):")
    for line in region(text):
        kernel.line(line)
    kernel.line(f"}} -> {vector(kept, element)}, {vector(kept, index)}")
    best, at = [], []
    for k in indices(kept):
        value, where = inits[k], -7
        for p in range(shape[dim]):
            i = k[:dim] + (p,) + k[dim:]
            if beats(x[i], value):
                value, where = x[i], given[i] if given else p + offset
        best.append(value)
        at.append(where)
    kernel.write("%r#0", kept, element)
    case.expected[case.argument()] = npy.to_bytes(best, element)
    kernel.write("%r#1", kept, index)
    case.expected[case.argument()] = npy.to_bytes(at, "i32")
    return case


LAYOUTS = [
    (32, 32, Layout(1, T=[16], E=[3], ts=[1])),
    (128, 64, Layout(1, S=[2], B=[2], O=[2], T=[3], E=[2], ss=[1], ts=[1])),
    (64, 32, DigitLayout([("reg", 2, 2), ("lane", 3, 1), ("reg", 2, 1), ("sg", 2, 1), ("lane", 2, 6)])),
    (96, 32, Layout(2, S=[1, 3], B=[2, 1], T=[2, 8], ss=[0, 1], ts=[8, 1])),
]


def cases(out):
    def new(name, threads=64, subgroup=32):
        return Case(Kernel(name, threads, subgroup), out, random.Random(name))

    for i, (name, beats) in enumerate(FLOAT_PREDICATES.items()):
        for j in (i, i + 1):
            threads, subgroup, layout = LAYOUTS[j % 4]
            shape = layout.shape()
            element = ("f32", "f16", "bf16")[(i + j) % 3]
            yield compare_case(new(f"{name}_{j % 4}", threads, subgroup), shape, j // 4 % len(shape), element, f"arith.cmpf {name}, %c, %b : {element}",
                               beats, layout=layout, init=[-1.0, 0.0, 2.0, NAN, INF], explicit=i % 3 == 0, base=5 if i % 3 == 1 else None)
    for i, (name, beats) in enumerate(INTEGER_PREDICATES.items()):
        threads, subgroup, layout = LAYOUTS[i % 4]
        yield compare_case(new(f"integers_{name}", threads, subgroup), layout.shape(), 0, "i8", f"arith.cmpi {name}, %c, %b : i8",
                           beats, layout=layout, init=[0, 1, -1], explicit=i % 2 == 0)
    for i, (name, (text, beats)) in enumerate(REGIONS.items()):
        threads, subgroup, layout = LAYOUTS[i % 4]
        yield compare_case(new(f"region_{name}", threads, subgroup), layout.shape(), 0, "f32", text, beats, layout=layout, init=[0.0, 1.0, NAN])
    # No layout of their own.
    for subgroup in TARGETS:
        for threads in (subgroup, 4 * subgroup):
            for name, beats in (("ogt", FLOAT_PREDICATES["ogt"]), ("une", FLOAT_PREDICATES["une"])):
                label, text = f"{name}_{threads}_{subgroup}", f"arith.cmpf {name}, %c, %b : f32"
                rng = random.Random(label)
                numbers = [rng.choice(FLOATS) for _ in range(40)]
                rows = [", ".join(literal(x, "f32") for x in numbers[i * 10:i * 10 + 10]) for i in range(4)]
                constant = f"%x = arith.constant dense<[[{'], ['.join(rows)}]]> : vector<4x10xf32>"
                for dim in (0, 1):
                    yield compare_case(new(f"constant_{dim}_{label}", threads, subgroup), [4, 10], dim, "f32", text, beats,
                                       source=([constant], dict(zip(indices([4, 10]), numbers))), init=[0.0, 1.0])
                scalar = ["%s = arith.constant 2.0 : f32", "%x = vector.broadcast %s : f32 to vector<48xf32>"]
                yield compare_case(new(f"broadcast_{label}", threads, subgroup), [48], 0, "f32", text, beats,
                                   source=(scalar, {i: 2.0 for i in indices([48])}), init=[1.0])
            step = ["%st = vector.step : vector<37xindex>", "%x = arith.index_cast %st : vector<37xindex> to vector<37xi32>"]
            for name in ("sgt", "ne"):
                yield compare_case(new(f"step_{name}_{threads}_{subgroup}", threads, subgroup), [37], 0, "i32", f"arith.cmpi {name}, %c, %b : i32",
                                   INTEGER_PREDICATES[name], source=(step, {i: i[0] for i in indices([37])}), init=[11])
    for seed in range(16):
        rng = random.Random(f"arg_compare {seed}")
        lanes, subgroups = rng.choice([32, 64]), rng.choice([1, 2, 3, 4])
        shape = [rng.choice([1, 2, 3, 5, 7, 8, 12, 16]) for _ in range(rng.randint(1, 3))]
        name = rng.choice(list(FLOAT_PREDICATES))
        case = Case(Kernel(f"seed_{seed}", lanes * subgroups, lanes), out, rng)
        case.kernel.flags += ["--schedule", str(seed)]
        yield compare_case(case, shape, rng.randrange(len(shape)), "f32", f"arith.cmpf {name}, %c, %b : f32", FLOAT_PREDICATES[name],
                           layout=RandomLayouts(rng, subgroups, lanes).layout(shape), init=[0.0, -2.0, NAN], explicit=rng.random() < 0.3)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--distaff", default="distaff")
    options = parser.parse_args()
    out = options.out
    out.mkdir(parents=True, exist_ok=True)

    def run(case):
        kernel = case.kernel
        path = out / f"{kernel.name}.mlir"
        path.write_text(kernel.text())
        command = [options.distaff, "run", str(path), "--target", TARGETS[kernel.subgroup], *kernel.flags]
        for stage in ("distribute", "lower", "convert"):
            files = {name: out / f"{kernel.name}_{stage}_{name}.npy" for name in case.expected}
            flags = [flag for name, file in files.items() for flag in ("--output", f"{name}={file}")]
            done = fork_server.run([*command, "--stop-after", stage, *flags])
            if done.returncode:
                return kernel.name, f"exit {done.returncode}\n{done.stderr[:1500]}"
            for name, expected in case.expected.items():
                got = files[name].read_bytes()[-len(expected):]
                if got != expected:
                    return kernel.name, f"{name} after {stage}: {got[:40].hex()} instead of {expected[:40].hex()}"
        return kernel.name, None

    failed = ran = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for name, why in pool.map(run, depth.some((c for c in cases(out) if options.only in c.kernel.name), 1 if options.only else 3)):
            ran += 1
            if why:
                failed += 1
                print(f"FAIL {name}: {why}")
    print(f"{ran - failed} of {ran} comparisons are walks")
    sys.exit(failed > 0 or ran == 0)


if __name__ == "__main__":
    main()
