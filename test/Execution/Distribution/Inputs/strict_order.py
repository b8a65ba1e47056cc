"""--strict-fp, bit for bit (VX-87): sums, products, scans and contractions against
the sequential order of the source, after every stage, with no tolerance.

The reference is this file: one element after the other in row-major order of what
is reduced, from the accumulator on, every step rounded to the element type. Inputs
cancel over a wide range of exponents, so that another order gives other bits; a
kernel whose inputs would not tell is an error.

    python3 strict_order.py OUT_DIR [--only NAME] [--seeds 0:1000]
"""
import argparse
import concurrent.futures
import functools
import itertools
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

from kernels import DigitLayout, Kernel, Layout, vector
from random_layouts import RandomLayouts, product

TARGETS = {32: "sm_80", 64: "gfx942"}
EXPONENTS = {"f32": 24, "f16": 14, "bf16": 20, "f64": 40}


# Numbers

def rounded(x, element):
    """x, a sum or product of two numbers of the type, rounded to it: float64 holds
    more than twice the digits, so rounding it again is rounding once."""
    if element == "f64":
        return x
    if element == "f32":
        return struct.unpack("<f", struct.pack("<f", x))[0]
    if element == "f16":
        return struct.unpack("<e", struct.pack("<e", x))[0]
    return struct.unpack("<f", struct.pack("<I", npy.to_bf16_bits(x) << 16))[0]


def cancelling(rng, count, element, kind):
    if kind == "mul":
        return [rounded(rng.choice([-1, 1]) * rng.uniform(0.7, 1.4), element) for _ in range(count)]
    span = EXPONENTS[element] // 2
    numbers = [rounded(rng.uniform(1, 2) * 2.0 ** rng.randint(-span, span), element) for _ in range((count + 1) // 2)]
    numbers += [-x for x in numbers]
    rng.shuffle(numbers)
    return numbers[:count]


# The order of the source

def combine(kind, element, a, b):
    return rounded(a + b if kind == "add" else a * b, element)


def indices(shape):
    return itertools.product(*map(range, shape))


def folded(kind, element, start, terms):
    for term in terms:
        start = combine(kind, element, start, term)
    return start


def reordered(kind, element, start, terms):
    """Neighbours first, as a tree would."""
    terms = list(terms)
    while len(terms) > 1:
        terms = [folded(kind, element, terms[i], terms[i + 1:i + 2]) for i in range(0, len(terms), 2)]
    return folded(kind, element, start, terms)


class Case:
    """A kernel, the bytes of its inputs, and what each output must be."""

    def __init__(self, kernel, out, rng, stages=("distribute", "lower", "convert")):
        self.kernel, self.out, self.rng, self.stages = kernel, out, rng, stages
        self.expected = {}  # argument or result: bytes
        self.tells = False  # another order would be seen
        self.demands_order = True

    def input(self, name, shape, element, kind="add", numbers=None):
        """Numbers for argument `name`, in row-major order, by index."""
        if numbers is None:
            numbers = cancelling(self.rng, product(shape), element, kind)
        path = self.out / f"{self.kernel.name}_{name}.npy"
        npy.write(path, element, shape, numbers)
        self.kernel.flags += ["--input", f"{name}={path}"]
        return dict(zip(indices(shape), numbers))

    def fold(self, kind, element, start, terms):
        result = folded(kind, element, start, terms)
        others = (reordered(kind, element, start, terms), folded(kind, element, start, terms[::-1]))
        self.tells |= any(npy.to_bytes([other], element) != npy.to_bytes([result], element) for other in others)
        return result

    def argument(self):
        return f"arg{len(self.kernel.arguments) - 1}"

    def read(self, value, shape, element, layout=None, kind="add"):
        self.kernel.read(value, shape, element, layout)
        return self.input(self.argument(), shape, element, kind)

    def read_mask(self, value, shape):
        self.kernel.read(value, shape, "i1")
        return self.input(self.argument(), shape, "i8", numbers=[self.rng.randint(0, 1) for _ in range(product(shape))])

    def write(self, value, shape, element, numbers):
        self.kernel.write(value, shape, element)
        self.expected[self.argument()] = npy.to_bytes(list(numbers), element)


def kept_of(index, dims):
    return tuple(x for d, x in enumerate(index) if d not in dims)


def reduction(case, layout, dims, kind, element, masked=False):
    shape = layout.shape()
    kept = [d for i, d in enumerate(shape) if i not in dims]
    x = case.read("%x", shape, element, layout, kind)
    mask = case.read_mask("%m", shape) if masked else None
    acc = case.read("%acc_v", kept, element, None, kind)
    accumulator, type_ = "%acc_v", vector(kept, element)
    if not kept:
        case.kernel.line(f"%acc = vector.extract %acc_v[] : {element} from vector<{element}>")
        accumulator, type_ = "%acc", element
    text = f"vector.multi_reduction <{kind}>, %x, {accumulator} {dims} : {vector(shape, element)} to {type_}"
    if masked:
        text = f"vector.mask %m {{ {text} }} : {vector(shape, 'i1')} -> {type_}"
    case.kernel.line(f"%r = {text}")
    terms = {k: [] for k in indices(kept)}
    for index in indices(shape):
        if not masked or mask[index]:
            terms[kept_of(index, dims)].append(x[index])
    result = [case.fold(kind, element, acc[k], terms[k]) for k in indices(kept)]
    value = "%r"
    if not kept:
        case.kernel.line(f"%rv = vector.broadcast %r : {element} to vector<{element}>")
        value = "%rv"
    case.write(value, kept, element, result)
    return case


def scan(case, layout, dim, kind, element, inclusive):
    shape = layout.shape()
    kept = shape[:dim] + shape[dim + 1:]
    x = case.read("%x", shape, element, layout, kind)
    init = case.read("%i", kept, element, None, kind)
    case.kernel.line(f"%r:2 = vector.scan <{kind}>, %x, %i {{inclusive = {str(inclusive).lower()}, reduction_dim = {dim} : i64}} : "
                     f"{vector(shape, element)}, {vector(kept, element)}")
    prefixes, last = {}, []
    for k in indices(kept):
        row = [x[k[:dim] + (p,) + k[dim:]] for p in range(shape[dim])]
        sum_ = row[0] if inclusive else init[k]
        for p in range(shape[dim]):
            if p > 0:
                sum_ = combine(kind, element, sum_, row[p if inclusive else p - 1])
            prefixes[k[:dim] + (p,) + k[dim:]] = sum_
        last.append(sum_)
        case.fold(kind, element, row[0], row[1:])
    case.write("%r#0", shape, element, [prefixes[i] for i in indices(shape)])
    case.write("%r#1", kept, element, last)
    return case


def contraction(case, lhs, rhs, roles, element, acc_element, masked=False):
    """roles: (lhs dims, rhs dims, result dims, all dims in order), as letters."""
    left, right, to, order = roles
    sizes = dict(zip(left, lhs.shape())) | dict(zip(right, rhs.shape()))
    space = [sizes[d] for d in order]
    a, b = case.read("%a", lhs.shape(), element, lhs), case.read("%b", rhs.shape(), element, rhs)
    mask = case.read_mask("%m", space) if masked else None
    kept = [sizes[d] for d in to]
    c = case.read("%c_v", kept, acc_element)
    accumulator, type_ = "%c_v", vector(kept, acc_element)
    if not kept:
        case.kernel.line(f"%c = vector.extract %c_v[] : {acc_element} from vector<{acc_element}>")
        accumulator, type_ = "%c", acc_element
    maps = ", ".join(f"affine_map<({', '.join(order)}) -> ({', '.join(dims)})>" for dims in (left, right, to))
    iterators = ", ".join('"parallel"' if d in to else '"reduction"' for d in order)
    text = (f"vector.contract {{indexing_maps = [{maps}], iterator_types = [{iterators}], kind = #vector.kind<add>}} "
            f"%a, %b, {accumulator} : {vector(lhs.shape(), element)}, {vector(rhs.shape(), element)} into {type_}")
    if masked:
        text = f"vector.mask %m {{ {text} }} : {vector(space, 'i1')} -> {type_}"
    case.kernel.line(f"%r = {text}")
    terms = {k: [] for k in indices(kept)}
    for index in indices(space):
        at = dict(zip(order, index))
        pick = lambda dims: tuple(at[d] for d in dims)
        if not masked or mask[index]:
            terms[pick(to)].append(rounded(a[pick(left)] * b[pick(right)], acc_element))
    result = [case.fold("add", acc_element, c[k], terms[k]) for k in indices(kept)]
    value = "%r"
    if not kept:
        case.kernel.line(f"%rv = vector.broadcast %r : {acc_element} to vector<{acc_element}>")
        value = "%rv"
    case.write(value, kept, acc_element, result)
    return case


# Linalg

class Program(Kernel):
    """A kernel on tensors; `lines` returns its only result."""

    def text(self):
        return "\n".join([f"func.func @{self.name}({', '.join(self.arguments)}) -> {self.result} {{"] + self.lines + ["}", ""])

    def tensor(self, shape, element):
        return "tensor<" + "".join(f"{d}x" for d in shape) + f"{element}>"


LINALG_STAGES = ("tile", "vectorize", "assign-layouts", "distribute", "lower")


def linalg(name, out, rng, target, roles, sizes, element, acc_element, body="mul", config=None, before=""):
    """acc[to] += lhs[left] (* rhs[right]) as a generic op over `order`."""
    left, right, to, order = roles
    program = Program(f"{name}_{target}")
    program.target = target
    case = Case(program, out, rng, LINALG_STAGES)
    shape = lambda dims: [sizes[d] for d in dims]
    operands = [(left, element)] + ([(right, element)] if right is not None else []) + [(to, acc_element)]
    values = []
    for dims, type_ in operands:
        program.argument(program.tensor(shape(dims), type_))
        values.append(case.input(case.argument(), shape(dims), type_))
    program.result = program.tensor(shape(to), acc_element)
    maps = ", ".join(f"affine_map<({', '.join(order)}) -> ({', '.join(dims)})>" for dims, _ in operands)
    iterators = ", ".join('"parallel"' if d in to else '"reduction"' for d in order)
    names = [f"%arg{i}" for i in range(len(operands))]
    attributes = f"indexing_maps = [{maps}], iterator_types = [{iterators}]"
    extra = f" attrs = {{lowering_config = #iree_gpu.lowering_config<{{{config}}}>}}" if config else ""
    program.line(f"%r = linalg.generic {{{attributes}}} ins({', '.join(names[:-1])} : {', '.join(program.tensor(shape(d), t) for d, t in operands[:-1])}) "
                 f"outs({names[-1]} : {program.result}){extra} {{")
    scalars = ["%x", "%y"][:len(operands) - 1]
    program.line(f"^bb0({', '.join(f'{s}: {element}' for s in scalars)}, %s: {acc_element}):")
    if element != acc_element:
        for s in scalars:
            program.line(f"{s}w = arith.extf {s} : {element} to {acc_element}")
        scalars = [s + "w" for s in scalars]
    term = scalars[0]
    if right is not None:
        program.line(f"%p = arith.mulf {scalars[0]}, {scalars[1]} fastmath<fast> : {acc_element}")
        term = "%p"
    program.line(f"%t = arith.addf %s, {term} fastmath<fast> : {acc_element}")
    program.line(f"linalg.yield %t : {acc_element}")
    program.line(f"}} -> {program.result}")
    program.line(f"return %r : {program.result}")
    terms = {k: [] for k in indices(shape(to))}
    for index in indices(shape(order)):
        at = dict(zip(order, index))
        pick = lambda dims: tuple(at[d] for d in dims)
        factor = values[1][pick(right)] if right is not None else 1.0
        terms[pick(to)].append(rounded(values[0][pick(left)] * factor, acc_element))
    case.expected["res0"] = npy.to_bytes([case.fold("add", acc_element, values[-1][k], terms[k]) for k in indices(shape(to))], acc_element)
    return case


# Cases

LINES = [
    ("lanes", 32, 32, Layout(1, T=[32], E=[2], ts=[1])),
    ("registers", 32, 32, Layout(1, E=[11])),
    ("batches_and_lanes", 64, 64, Layout(1, B=[3], T=[64], ts=[1])),
    ("five_subgroups", 160, 32, Layout(1, S=[5], B=[2], T=[3], ss=[1], ts=[1])),
    ("all_levels", 128, 64, Layout(1, S=[2], B=[2], O=[2], T=[3], E=[2], ss=[1], ts=[1])),
    ("gaps", 128, 32, Layout(1, S=[2], T=[4], E=[2], ss=[2], ts=[8])),
    ("digits", 64, 32, DigitLayout([("reg", 2, 2), ("lane", 3, 1), ("reg", 2, 1), ("sg", 2, 1), ("lane", 2, 6)])),
    ("workgroup_threaded", 128, 32, Layout(1, T=[128], ts=[1])),
]
PLANES = [
    ("plane", 64, 32, Layout(2, S=[2, 1], T=[4, 8], E=[1, 2], ss=[1, 0], ts=[8, 1])),
    ("two_by_two", 256, 64, Layout(2, S=[2, 2], B=[2, 1], T=[2, 3], E=[1, 2], ss=[1, 2], ts=[6, 1])),
    ("odd", 96, 32, Layout(2, S=[1, 3], T=[7, 3], ss=[0, 1], ts=[3, 1])),
    ("digits", 64, 32, DigitLayout([("reg", 2, 4), ("lane", 4, 1), ("reg", 2, 1)], [("lane", 4, 4), ("reg", 2, 2), ("sg", 2, 1)])),
]
MATMUL = (["m", "k"], ["k", "n"], ["m", "n"], ["m", "n", "k"])


def vector_cases(new):
    for i, (name, threads, subgroup, layout) in enumerate(LINES):
        for j, element in enumerate(("f32", "f16", "bf16")):
            kind = "mul" if (i + j) % 4 == 3 else "add"
            yield reduction(new(f"line_{name}_{kind}_{element}", threads, subgroup), layout, [0], kind, element, masked=(i + j) % 3 == 1)
        yield scan(new(f"scan_{name}", threads, subgroup), layout, 0, "add", ("f32", "bf16", "f16")[i % 3], inclusive=i % 2 == 0)
    for i, (name, threads, subgroup, layout) in enumerate(PLANES):
        for dims in ([0], [1], [0, 1]):
            element = ("f32", "f16", "bf16", "f64")[(i + len(dims) + dims[0]) % 4]
            yield reduction(new(f"plane_{name}_{''.join(map(str, dims))}_{element}", threads, subgroup), layout, dims, "add", element, masked=i % 2 == 0)
        yield scan(new(f"scan_{name}_0", threads, subgroup), layout, 0, "add", "f32", inclusive=i % 2 == 1)
        yield scan(new(f"scan_{name}_1", threads, subgroup), layout, 1, "mul", "f32", inclusive=i % 2 == 0)
    splits = [
        ("k_registers", 32, 32, Layout(2, T=[8, 1], E=[1, 16], ts=[4, 0]), Layout(2, T=[1, 4], E=[16, 2], ts=[0, 1])),
        ("k_lanes", 64, 64, Layout(2, B=[2, 1], T=[4, 4], E=[1, 4], ts=[8, 2]), Layout(2, B=[1, 2], T=[4, 2], E=[4, 2], ts=[2, 1])),
        ("k_lanes_and_subgroups", 64, 32, Layout(2, S=[1, 2], B=[2, 1], T=[4, 4], E=[1, 2], ss=[0, 1], ts=[8, 2]),
         Layout(2, S=[2, 1], B=[1, 2], T=[4, 2], E=[2, 2], ss=[1, 0], ts=[2, 1])),
    ]
    for i, (name, threads, subgroup, lhs, rhs) in enumerate(splits):
        for element, acc in (("f32", "f32"), ("f16", "f32"), ("bf16", "bf16")):
            yield contraction(new(f"contract_{name}_{element}_{acc}", threads, subgroup), lhs, rhs, MATMUL, element, acc, masked=(i + len(element)) % 2 == 0)
    plane = Layout(2, S=[2, 1], T=[4, 4], E=[1, 2], ss=[1, 0], ts=[4, 1])
    yield contraction(new("contract_two_k", 64, 32), plane, plane, (["k", "l"], ["k", "l"], [], ["k", "l"]), "f32", "f32")
    yield contraction(new("contract_two_k_other_way", 64, 32), plane, plane, (["k", "l"], ["k", "l"], [], ["l", "k"]), "f32", "f32", masked=True)


def linalg_cases(out):
    """Names, and what makes the cases."""
    row = (["m", "k"], None, ["m"], ["m", "k"])

    def late(name, *of, **config):
        return f"{name}_{target}", functools.partial(linalg, name, out, random.Random(f"{name} {target}"), target, *of, **config)

    for target in TARGETS.values():
        yield late("row_sum", row, {"m": 8, "k": 1000}, "f32", "f32")
        yield late("row_sum_walked", row, {"m": 4, "k": 512}, "f16", "f16", config="workgroup = [4, 0], reduction = [0, 64]")
        yield late("column_sum", (["k", "m"], None, ["m"], ["m", "k"]), {"m": 96, "k": 33}, "bf16", "f32")
        yield late("whole_sum", (["k", "l"], None, [], ["k", "l"]), {"k": 24, "l": 65}, "f32", "f32")
        yield late("swapped_sum", (["k", "l", "m"], None, ["m"], ["l", "m", "k"]), {"k": 12, "l": 10, "m": 8}, "f32", "f32")
        yield late("matmul", MATMUL, {"m": 32, "n": 32, "k": 64}, "f16", "f32")
        yield late("matmul_walked", MATMUL, {"m": 16, "n": 32, "k": 96}, "f32", "f32", config="reduction = [0, 0, 8]")
        yield late("batch_k", (["l", "m", "k"], ["l", "k", "n"], ["m", "n"], ["m", "n", "l", "k"]), {"l": 3, "m": 16, "n": 16, "k": 32}, "bf16", "f32")


def random_case(seed, out):
    rng = random.Random(f"strict {seed}")
    lanes, subgroups = rng.choice([32, 32, 64]), rng.choice([1, 2, 3, 4])
    layouts = RandomLayouts(rng, subgroups, lanes)
    element = rng.choice(["f32", "f32", "f16", "bf16"])
    extents = [1, 2, 3, 5, 6, 7, 8, 12, 16, 48]
    shape = [0]
    while not 8 <= product(shape) <= 600:
        shape = [rng.choice(extents) for _ in range(rng.randint(1, 3))]
    case = Case(Kernel(f"seed_{seed}", subgroups * lanes, lanes), out, rng)
    case.demands_order = False  # what is reduced may have one element
    case.kernel.flags += ["--schedule", str(seed)]
    which = rng.random()
    if which < 0.5:
        dims = sorted(rng.sample(range(len(shape)), rng.randint(1, len(shape))))
        return reduction(case, layouts.layout(shape), dims, rng.choice(["add", "add", "mul"]), element, masked=rng.random() < 0.4)
    if which < 0.75:
        return scan(case, layouts.layout(shape), rng.randrange(len(shape)), rng.choice(["add", "mul"]), element, rng.random() < 0.5)
    sizes = {d: rng.choice(extents[:8]) for d in "mnkl"}
    left, right, to, order = ["m", "k", "l"], ["n", "l", "k"], ["n", "m"], ["m", "k", "n", "l"]
    for dims in (left, right, to, order):
        rng.shuffle(dims)
    lhs, rhs = (layouts.layout([sizes[d] for d in dims]) for dims in (left, right))
    return contraction(case, lhs, rhs, (left, right, to, order), element, element, masked=rng.random() < 0.3)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only")
    parser.add_argument("--distaff", default="distaff")
    parser.add_argument("--seeds", default="0:24")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    out = options.out

    def new(name, threads, subgroup):
        return Case(Kernel(name, threads, subgroup), out, random.Random(name))

    def cases():
        for case in vector_cases(new):
            yield case.kernel.name, lambda case=case: case
        yield from linalg_cases(out)
        for seed in range(*map(int, options.seeds.split(":"))):
            yield f"seed_{seed}", functools.partial(random_case, seed, out)

    def run(make):
        case = make()
        kernel = case.kernel
        path = out / f"{kernel.name}.mlir"
        path.write_text(kernel.text())
        target = kernel.target or TARGETS[kernel.subgroup]
        command = [options.distaff, "run", str(path), "--strict-fp", "--target", target, *kernel.flags]
        if case.demands_order and not case.tells:
            return kernel.name, "no order can be told from its inputs"
        for stage in case.stages:
            flags = []
            for name in case.expected:
                flags += ["--output", f"{name}={out / f'{kernel.name}_{stage}_{name}.npy'}"]
            done = fork_server.run([*command, "--stop-after", stage, *flags])
            if done.returncode:
                return kernel.name, f"exit {done.returncode}\n{done.stderr[:1500]}"
            for name, expected in case.expected.items():
                got = (out / f"{kernel.name}_{stage}_{name}.npy").read_bytes()[-len(expected):]
                if got != expected:
                    return kernel.name, f"{name} after {stage}: {got[:24].hex()} instead of {expected[:24].hex()}"
        return kernel.name, None

    failed = ran = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for name, why in pool.map(run, depth.some((make for name, make in cases() if not options.only or options.only in name), 1 if options.only else 9)):
            ran += 1
            if why:
                failed += 1
                print(f"FAIL {name}: {why}")
    print(f"{ran - failed} of {ran} kernels keep their order")
    sys.exit(failed > 0 or ran == 0)


if __name__ == "__main__":
    main()
