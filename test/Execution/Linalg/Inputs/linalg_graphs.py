"""Random graphs of linalg ops, compared with the reference.

usage: linalg_graphs.py OUT_DIR --seeds FIRST:LAST [--ops] [options of suite.py]

A seed is a graph of 3 to 12 ops on a few arguments, of integers (which are exact) or
floats, and a target. Ops are elementwise chains, broadcasts, reductions with and
without kept dimensions, products, softmax, transposes, gathers, pads, joins, slices,
reshapes and positions. A graph that fails is cut back to the fewest ops that still
fail. `--ops` prints how many of each op there were; what is refused is not counted.
"""
import collections
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import linalg_builder
import depth
import suite

TARGETS = ("sm_80", "sm_90a", "gfx942", "gfx1100")
EXTENTS = (1, 2, 3, 5, 7, 8, 12, 16, 17, 24, 31, 32, 33, 48, 64, 67)


class Graph:
    """`steps` are ops by name and what they drew; `build` makes the first `length` of them."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.seed, self.rng_state = seed, rng.getstate()
        self.isInteger = rng.random() < 0.5
        self.length = rng.randint(3, 12)
        self.target = rng.choice(TARGETS)
        self.results = rng.choice((1, 1, 1, 2))

    def build(self, length=None):
        """(text, flags, names of ops); a prefix of the graph is the graph of a smaller length."""
        rng = random.Random(self.seed * 7919 + 1)
        element = "i32" if self.isInteger else "f32"
        extents = {d: rng.choice(EXTENTS) for d in "abcd"}
        b = linalg_builder.Builder(f"graph_{self.seed}", extents, [])
        kind = "whole:{}:-3:3" if self.isInteger else "random:{}:-1:1"
        values, names = [], []
        for number in range(rng.randint(1, 3)):
            dims = [rng.choice("abcd") for _ in range(rng.randint(1, 3))]
            values.append(b.arg(dims, element, kind.format(self.seed % 1000 + number)))
        while len(names) < (length or self.length):
            op = rng.choice(OPS)
            made = op(self, b, rng, values, element)
            if made is not None:
                values.append(made)
                names.append(op.__name__)
        results = values[-1:] if self.results == 1 else [values[-1], values[-2]]
        if results[0][0] == results[-1][0]:
            results = results[:1]
        flags = [flag for number, (_, input) in enumerate(b.arguments) for flag in ("--input", f"arg{number}={input}") if input]
        return b.text(results), flags, names


def size(b, value):
    count = 1
    for dim in value[1]:
        count *= b.extent(dim)
    return count


def ext(b, dims):
    return [b.extent(d) for d in dims]


UNARY = {"f32": ["%h = arith.constant 0.5 : f32", "%y0 = arith.mulf %x0, %h : f32"], "i32": ["%h = arith.constant 3 : i32", "%y0 = arith.muli %x0, %h : i32"]}


def unary(graph, b, rng, values, element):
    value = rng.choice(values)
    if element == "i32":
        return b.map([value], element, [f"%h = arith.constant {rng.choice((2, 3, -1))} : i32", f"%y0 = arith.{rng.choice(('muli', 'xori', 'maxsi'))} %x0, %h : i32"])
    body = rng.choice((["%y0 = math.tanh %x0 : f32"], ["%y0 = math.absf %x0 : f32"], UNARY["f32"], ["%z = arith.constant 0.25 : f32", "%y0 = arith.maximumf %x0, %z : f32"]))
    return b.map([value], element, body)


def binary(graph, b, rng, values, element):
    """Two values of equal dims, or one that is spread over the other's."""
    value = rng.choice(values)
    fits = [v for v in values if all(v[1].count(d) <= value[1].count(d) for d in v[1])]
    other = rng.choice(fits)
    op = rng.choice(("addi", "subi", "muli", "minsi", "andi") if element == "i32" else ("addf", "subf", "mulf", "maximumf"))
    return b.map([value, other], element, [f"%y0 = arith.{op} %x0, %x1 : {element}"], value[1])


def reduction(graph, b, rng, values, element):
    value = rng.choice([v for v in values if v[1]] or [None])
    if value is None:
        return None
    axes = sorted(rng.sample(range(len(value[1])), rng.randint(1, len(value[1]))))
    if element == "i32":
        combine, start = rng.choice((("arith.addi", "0"), ("arith.maxsi", "-2147483648"), ("arith.minsi", "2147483647"), ("arith.xori", "0")))
    else:
        combine, start = rng.choice((("arith.addf", "0.0"), ("arith.maximumf", "0xFF800000"), ("arith.minimumf", "0x7F800000")))
    return b.reduce(value, axes, combine, start, keep=rng.random() < 0.3)


def product(graph, b, rng, values, element):
    pairs = [(x, y) for x in values for y in values if len(x[1]) == 2 and len(y[1]) == 2 and ext(b, x[1])[1] == ext(b, y[1])[0]]
    if not pairs:
        return None
    x, y = rng.choice(pairs)
    init = b.fill([x[1][0], y[1][1]], element, "0" if element == "i32" else "0.0")
    mul, add = ("muli", "addi") if element == "i32" else ("mulf", "addf")
    return b.generic("m n k", [(x, "m, k"), (y, "k, n")], [(init, "m, n")], [f"%p = arith.{mul} %x0, %x1 : {element}", f"%y0 = arith.{add} %o0, %p : {element}"], "k")


def softmax(graph, b, rng, values, element):
    value = rng.choice(values)
    if element == "i32" or not value[1]:
        return None
    return b.softmax(value, rng.randrange(len(value[1])))


def transpose(graph, b, rng, values, element):
    value = rng.choice(values)
    dims = list(range(len(value[1])))
    rng.shuffle(dims)
    out = b.empty([value[1][d] for d in dims], element)
    names = [f"d{i}" for i in range(len(dims))]
    return b.generic(" ".join(names), [(value, ", ".join(names[dims.index(i)] for i in range(len(dims))))], [(out, ", ".join(names))],
                     [f"%y0 = arith.addi %x0, %x0 : i32" if element == "i32" else "%y0 = arith.negf %x0 : f32"])


def gather(graph, b, rng, values, element):
    """Rows of a table, by positions taken modulo its rows."""
    table = rng.choice(values)
    if not table[1]:
        return None
    rows = b.extent(table[1][0])
    out = b.empty(["c", *table[1][1:]], element)
    names = [f"d{i}" for i in range(len(table[1]))]
    at = ["%i0 = linalg.index 0 : index", f"%s = arith.constant {rng.randint(1, 5)} : index", "%m = arith.muli %i0, %s : index",
          f"%n = arith.constant {rows} : index", "%r = arith.remui %m, %n : index"]
    at += [f"%i{i} = linalg.index {i} : index" for i in range(1, len(names))]
    places = ", ".join(["%r", *(f"%i{i}" for i in range(1, len(names)))])
    return b.generic(" ".join(names), [], [(out, ", ".join(names))], [*at, f"%y0 = tensor.extract {table[0]}[{places}] : {b.of(table)}"])


def pad(graph, b, rng, values, element):
    value = rng.choice(values)
    if not value[1] or size(b, value) > 8192:
        return None
    low, high = [rng.randint(0, 3) for _ in value[1]], [rng.randint(0, 3) for _ in value[1]]
    dims = [e + l + h for e, l, h in zip(ext(b, value[1]), low, high)]
    fill, name = b.constant("2" if element == "i32" else "1.5", element), b.fresh()
    indices = ", ".join(f"%p{i}: index" for i in range(len(dims)))
    b.line(f"{name} = tensor.pad {value[0]} low{low} high{high} {{\n  ^bb0({indices}):\n    tensor.yield {fill} : {element}\n  }} : {b.of(value)} to {b.type(dims, element)}")
    return name, dims, element


def concat(graph, b, rng, values, element):
    value = rng.choice(values)
    if not value[1] or size(b, value) > 8192:
        return None
    axis = rng.randrange(len(value[1]))
    others = [v for v in values if len(v[1]) == len(value[1]) and all(i == axis or x == y for i, (x, y) in enumerate(zip(ext(b, v[1]), ext(b, value[1]))))]
    other, name = rng.choice(others), b.fresh()
    dims = ext(b, value[1])
    dims[axis] += b.extent(other[1][axis])
    b.line(f"{name} = tensor.concat dim({axis}) {value[0]}, {other[0]} : ({b.of(value)}, {b.of(other)}) -> {b.type(dims, element)}")
    return name, dims, element


def slice_of(graph, b, rng, values, element):
    value = rng.choice(values)
    extents = ext(b, value[1])
    if not extents:
        return None
    sizes = [rng.randint(1, e) for e in extents]
    offsets = [rng.randint(0, e - s) for e, s in zip(extents, sizes)]
    name = b.fresh()
    b.line(f"{name} = tensor.extract_slice {value[0]}{offsets} {sizes} {[1] * len(sizes)} : {b.of(value)} to {b.type(sizes, element)}")
    return name, sizes, element


def flatten(graph, b, rng, values, element):
    value = rng.choice([v for v in values if len(v[1]) >= 2] or [None])
    if value is None:
        return None
    extents = ext(b, value[1])
    dims = [extents[0] * extents[1], *extents[2:]]
    return b.reshape(value, [[0, 1], *([i] for i in range(2, len(extents)))], dims, expand=False)


def split(graph, b, rng, values, element):
    value = rng.choice([v for v in values if v[1] and ext(b, v[1])[0] % 2 == 0] or [None])
    if value is None:
        return None
    extents = ext(b, value[1])
    return b.reshape(value, [[0, 1], *([i + 1] for i in range(1, len(extents)))], [extents[0] // 2, 2, *extents[1:]], expand=True)


def position(graph, b, rng, values, element):
    value = rng.choice([v for v in values if v[1]] or [None])
    if value is None:
        return None
    loop = rng.randrange(len(value[1]))
    body = [f"%i = linalg.index {loop} : index", "%c = arith.index_cast %i : index to i32"]
    if element == "i32":
        return b.map([value], element, [*body, "%y0 = arith.addi %x0, %c : i32"])
    return b.map([value], element, [*body, "%n = arith.constant 5 : i32", "%l = arith.cmpi slt, %c, %n : i32", "%z = arith.constant 0.0 : f32", "%y0 = arith.select %l, %x0, %z : f32"])


OPS = (unary, unary, binary, binary, binary, reduction, reduction, product, product, softmax, transpose, gather, pad, concat, slice_of, flatten, split, position)


def run_of(graph, chosen, length=None):
    text, flags, names = graph.build(length)
    path = chosen.out / f"graph_{graph.seed}{f'.{length}' if length else ''}.mlir"
    path.write_text(text)
    return suite.Run(f"graph_{graph.seed} {graph.target} {' '.join(names)}", [chosen.distaff, "run", str(path), *suite.target_flags(graph.target, graph.seed, chosen), "--check", *flags], compares=False)


def shrunk(graph, chosen, kind):
    """The shortest prefix that ends the same way."""
    for length in range(1, graph.length):
        run = run_of(graph, chosen, length)
        if suite.outcome(run)[0] == kind:
            return run
    return run_of(graph, chosen)


if __name__ == "__main__":
    import concurrent.futures

    show = "--ops" in sys.argv
    if show:
        sys.argv.remove("--ops")
    seeds = suite.taken("--seeds") or range(60)
    chosen = suite.options()
    graphs = [Graph(seed) for seed in depth.some(seeds, 4)]
    counts, ops = collections.Counter(), collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for graph, (kind, seen) in zip(graphs, pool.map(lambda g: suite.outcome(run_of(g, chosen)), graphs)):
            counts[kind] += 1
            if kind == "right":
                ops.update(graph.build()[2])
            if kind in ("wrong", "refused"):
                run = shrunk(graph, chosen, kind)
                print(f"{'FAIL' if kind == 'wrong' else 'refused'} {run.name}: {' '.join(run.command)}\n{suite.outcome(run)[1]}")
    if show:
        print(", ".join(f"{name} {count}" for name, count in ops.most_common()))
    print(", ".join(f"{counts[kind]} {kind}" for kind in ("right", "undecided", "refused", "wrong")) + f" of {len(graphs)} graphs")
    sys.exit(counts["wrong"] != 0 or 20 * counts["refused"] > len(graphs))
