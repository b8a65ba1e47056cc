"""Scans, sorts and topk of iree_linalg_ext (VX-222 to VX-224), on every machine: ties, NaN, -0, extents 0 and 1, odd and dynamic
extents, the first, a middle and the last dimension, one result and more than there are elements. Values are from plain
Python, of whole numbers, and equal bit by bit.

usage: orders.py OUT_DIR
"""
import itertools
import math
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import npy
import suite

MACHINES = [("sm_80", "simt"), ("sm_80", "ptx"), ("gfx942", "simt"), ("host", "host")]
LEAST = {"f32": -math.inf, "f16": -math.inf, "i32": -2**31}


def type_of(element, shape, dynamic):
    return f"tensor<{''.join(f'{-1 if dynamic else extent}x'.replace('-1', '?') for extent in shape)}{element}>"


def without(shape, dim):
    return shape[:dim] + shape[dim + 1:]


class Lines:
    """The lines of a row-major array along a dim, which a function maps to others of perhaps another length."""

    def __init__(self, shape, dim):
        self.outer, self.extent, self.inner = math.prod(shape[:dim]), shape[dim], math.prod(shape[dim + 1:])

    def places(self, extent):
        return [[(outer * extent + at) * self.inner + inner for at in range(extent)]
                for outer in range(self.outer) for inner in range(self.inner)]

    def take(self, values):
        return [[values[place] for place in line] for line in self.places(self.extent)]

    def put(self, lines):
        extent = len(lines[0])
        values = [None] * (self.outer * self.inner * extent)
        for places, line in zip(self.places(extent), lines):
            for place, value in zip(places, line):
                values[place] = value
        return values


class Case:
    def __init__(self, name, text, inputs, results):
        self.name, self.text, self.inputs, self.results = name, text, inputs, results


def numbers(element, shape, seed, odd=False):
    """Few different ones, so that many are equal; `odd` ones are NaN, infinities and -0."""
    draw = random.Random(seed)
    some = [*range(-3, 4), *([math.nan, math.nan, math.inf, -math.inf, -0.0] if odd else [])]
    return element, shape, [draw.choice(some) for _ in range(math.prod(shape))]


# What a region makes of the result so far and an element; of the last two nothing is a neutral element.
REGIONS = {
    "add": ("%s = arith.addi %p, %q : i32", lambda p, q: p + q),
    "max": ("%s = arith.maxsi %p, %q : i32", max),
    "swapped": ("%s = arith.addi %q, %p : i32", lambda p, q: p + q),
    "second": ("%s = arith.subi %q, %p : i32", lambda p, q: q - p),
    "minus": ("%c = arith.constant 2 : i32\n    %m = arith.muli %q, %c : i32\n    %s = arith.subi %m, %p : i32", lambda p, q: 2 * q - p),
}


def scan(shape, dim, inclusive, region, dynamic=False):
    """The results so far, and the last one."""
    body, combine = REGIONS[region]
    lines = Lines(shape, dim)
    start = [100 + i for i in range(lines.outer * lines.inner)]
    x = numbers("i32", shape, f"{shape}{dim}{region}")
    whole, last = type_of("i32", shape, dynamic), type_of("i32", without(shape, dim), dynamic)
    sizes = "".join(f"  %i{i} = arith.constant {i} : index\n  %d{i} = tensor.dim %x, %i{i} : {whole}\n" for i in range(len(shape)))
    names = ", ".join(f"%d{i}" for i in range(len(shape)))
    text = f"""func.func @scan(%x: {whole}, %a: {last}) -> ({whole}, {last}) {{
{sizes if dynamic else ''}  %e = tensor.empty({names if dynamic else ''}) : {whole}
  %r:2 = iree_linalg_ext.scan dimension({dim}) inclusive({str(inclusive).lower()}) ins(%x : {whole}) outs(%e, %a : {whole}, {last}) {{
  ^bb0(%p: i32, %q: i32):
    {body}
    iree_linalg_ext.yield %s : i32
  }} -> {whole}, {last}
  return %r#0, %r#1 : {whole}, {last}
}}
"""
    scanned = [list(itertools.accumulate(line if inclusive else [first, *line][:len(line)], combine)) for line, first in zip(lines.take(x[2]), start)]
    last = [line[-1] if line else first for line, first in zip(scanned, start)]
    results = [("i32", shape, lines.put(scanned)), ("i32", without(shape, dim), last)]
    return Case(f"scan.{region}.{'in' if inclusive else 'ex'}clusive", text, [x, ("i32", without(shape, dim), start)], results)


def is_nan(value):
    return value != value


def ordered(predicate, pairs):
    """(value, number) stably in an order of values, NaN at the end."""
    sign = 1 if predicate[-2] == "l" else -1
    return sorted(pairs, key=lambda pair: (is_nan(pair[0]), 0 if is_nan(pair[0]) else sign * pair[0]))


def compare(element, predicate, left="%a", right="%b"):
    return f"%s = arith.cmp{element[0]} {predicate}, {left}, {right} : {element}"


def sort(shape, dim, element, predicate, dynamic=False, odd=False):
    """Values, and the places where they were."""
    lines = Lines(shape, dim)
    x = numbers(element, shape, f"{shape}{predicate}", odd)
    places = ("i32", shape, list(range(math.prod(shape))))
    values, words = type_of(element, shape, dynamic), type_of("i32", shape, dynamic)
    text = f"""func.func @sort(%x: {values}, %y: {words}) -> ({values}, {words}) {{
  %r:2 = iree_linalg_ext.sort dimension({dim}) outs(%x, %y : {values}, {words}) {{
  ^bb0(%a: {element}, %b: {element}, %c: i32, %d: i32):
    {compare(element, predicate)}
    iree_linalg_ext.yield %s : i1
  }} -> {values}, {words}
  return %r#0, %r#1 : {values}, {words}
}}
"""
    done = [ordered(predicate, zip(*both)) for both in zip(lines.take(x[2]), lines.take(places[2]))]
    results = [(kind, shape, lines.put([[pair[i] for pair in line] for line in done])) for i, kind in enumerate((element, "i32"))]
    return Case(f"sort.{element}.{predicate}", text, [x, places], results)


def sort_by_two():
    """By a value, and by another, downwards, where it is the same."""
    shape = [3, 29]
    x, y = numbers("f32", shape, "x"), numbers("i32", shape, "y")
    text = """func.func @sort(%x: tensor<3x29xf32>, %y: tensor<3x29xi32>) -> (tensor<3x29xf32>, tensor<3x29xi32>) {
  %r:2 = iree_linalg_ext.sort dimension(1) outs(%x, %y : tensor<3x29xf32>, tensor<3x29xi32>) {
  ^bb0(%a: f32, %b: f32, %c: i32, %d: i32):
    %less = arith.cmpf olt, %a, %b : f32
    %same = arith.cmpf oeq, %a, %b : f32
    %more = arith.cmpi sgt, %c, %d : i32
    %second = arith.andi %same, %more : i1
    %s = arith.ori %less, %second : i1
    iree_linalg_ext.yield %s : i1
  } -> tensor<3x29xf32>, tensor<3x29xi32>
  return %r#0, %r#1 : tensor<3x29xf32>, tensor<3x29xi32>
}
"""
    lines = Lines(shape, 1)
    done = [sorted(zip(*both), key=lambda pair: (pair[0], -pair[1])) for both in zip(lines.take(x[2]), lines.take(y[2]))]
    return Case("sort.by_two", text, [x, y], [(kind, shape, lines.put([[pair[i] for pair in line] for line in done]))
                                               for i, kind in enumerate(("f32", "i32"))])


def sort_without_order():
    """A region that is no order still gives each element once: paper, scissors, stone."""
    shape = [2, 30]
    x = ("i32", shape, [random.Random(place).randrange(3) for place in range(60)])
    text = """func.func @sort(%x: tensor<2x30xi32>, %y: tensor<2x30xi32>) -> tensor<2x30xi32> {
  %r:2 = iree_linalg_ext.sort dimension(1) outs(%x, %y : tensor<2x30xi32>, tensor<2x30xi32>) {
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %next = arith.addi %a, %one : i32
    %wins = arith.remsi %next, %three : i32
    %s = arith.cmpi eq, %wins, %b : i32
    iree_linalg_ext.yield %s : i1
  } -> tensor<2x30xi32>, tensor<2x30xi32>
  return %r#1 : tensor<2x30xi32>
}
"""
    return Case("sort.without_order", text, [x, ("i32", shape, [*range(30)] * 2)], [("i32", shape, None)])


def topk(shape, dim, k, element="f32", predicate="ogt", mnemonic="topk", given=False, dynamic=False, odd=False):
    """k values and their indices, which are `given` or places; at first the outputs hold the least value, and 0."""
    lines, kept = Lines(shape, dim), [*shape[:dim], k, *shape[dim + 1:]]
    x = numbers(element, shape, f"{shape}{k}", odd)
    before = [(element, kept, [LEAST[element]] * math.prod(kept)), ("i32", kept, [0] * math.prod(kept))]
    length = lines.extent
    indices = random.Random(length).sample(range(-500, 500), length) if given else list(range(length))
    words = ("i32", shape, lines.put([indices] * (lines.outer * lines.inner)))
    whole, word = type_of(element, shape, dynamic), type_of("i32", shape, dynamic)
    most, places = (type_of(kind, kept, False) for kind in (element, "i32"))
    if dynamic:
        most, places = (f"tensor<{''.join(f'{k}x' if i == dim else '?x' for i in range(len(shape)))}{kind}>" for kind in (element, "i32"))
    text = f"""func.func @topk(%x: {whole}, %e: {most}, %f: {places}{f', %y: {word}' if given else ''}) -> ({most}, {places}) {{
  %r:2 = iree_linalg_ext.{mnemonic} dimension({dim}) {'is_sorted ' if mnemonic == 'topk_v2' else ''}ins({f'%x, %y : {whole}, {word}' if given else f'%x : {whole}'}) outs(%e, %f : {most}, {places}) {{
  ^bb0(%a: {element}, %b: {element}):
    {compare(element, predicate)}
    iree_linalg_ext.yield %s : i1
  }} -> {most}, {places}
  return %r#0, %r#1 : {most}, {places}
}}
"""
    by_index = [sorted([*zip(line, indices), *[(LEAST[element], 0)] * k], key=lambda pair: pair[1]) for line in lines.take(x[2])]
    done = [ordered(predicate, line)[:k] for line in by_index]
    results = [(kind, kept, lines.put([[pair[i] for pair in line] for line in done])) for i, kind in enumerate((element, "i32"))]
    return Case(f"{mnemonic}.{element}.k{k}", text, [x, *before, *([words] if given else [])], results)


def cases():
    for region, inclusive in itertools.product(REGIONS, (True, False)):
        yield scan([5, 37], 1, inclusive, region)
        yield scan([3, 4, 9], 1, inclusive, region, dynamic=True)
    yield from (scan([1], 0, True, "add"), scan([7], 0, False, "minus"), scan([2, 1, 300], 2, True, "second"), scan([2, 1500], 1, False, "add", dynamic=True))
    yield from (sort([7], 0, "i32", "slt"), sort([5, 37], 1, "f32", "olt", odd=True), sort([3, 4, 9], 1, "f16", "oge", dynamic=True, odd=True))
    yield from (sort([3, 1], 1, "f32", "ult"), sort([130, 2], 0, "i32", "sge", dynamic=True), sort([2, 33], 1, "f32", "ugt", odd=True))
    yield from (sort_by_two(), sort_without_order())
    # No elements: nothing is scanned or sorted, the accumulator stays, and topk orders what its outputs hold.
    for region, inclusive, dynamic in itertools.product(("add", "minus"), (True, False), (True, False)):
        yield scan([3, 0], 1, inclusive, region, dynamic)
    yield from (sort([3, 0], 1, "i32", "slt"), sort([0, 4], 0, "f32", "olt", dynamic=True), topk([3, 0], 1, 2), topk([3, 0], 1, 2, dynamic=True))
    yield from (topk([5, 37], 1, 1), topk([5, 37], 1, 5, odd=True), topk([3, 4, 9], 1, 3, given=True, dynamic=True), topk([3, 2], 1, 4))
    yield from (topk([33], 0, 7, "i32", "sgt", "topk_v2"), topk([20, 3], 0, 4, "f16", "oge", "topk_v2", given=True, odd=True))


def difference(given, wanted):
    if wanted is None:
        halves = given[:30], given[30:]
        return None if all(sorted(half) == [*range(30)] for half in halves) else "an element is missing"
    same = lambda x, y: x == y and math.copysign(1, x) == math.copysign(1, y) or is_nan(x) and is_nan(y)
    return next((f"[{i}] is {x}, wanted {y}" for i, (x, y) in enumerate(zip(given, wanted)) if not same(x, y)), None)


def run_of(case, target, device, number, chosen):
    folder = chosen.out / f"{number}.{case.name}.{target}.{device}"
    command = [chosen.distaff, "run", folder / "kernel.mlir", "--target", target, "--device", device]
    for place in range(len(case.inputs)):
        command += ["--input", f"arg{place}={folder / f'arg{place}.npy'}"]
    for place in range(len(case.results)):
        command += ["--output", f"res{place}={folder / f'res{place}.npy'}"]

    def prepare():
        folder.mkdir(exist_ok=True)
        (folder / "kernel.mlir").write_text(case.text)
        for place, array in enumerate(case.inputs):
            npy.write(folder / f"arg{place}.npy", *array)

    def wrong():
        for place, (element, _, wanted) in enumerate(case.results):
            if found := difference(npy.read(folder / f"res{place}.npy", element), wanted):
                return f"res{place}: {found}"
        return None
    return suite.Run(f"{number}.{case.name} {target} {device}", command, prepare=prepare, after=wrong, compares=False)


def main():
    chosen = suite.options()
    pairs = list(itertools.product(enumerate(cases()), MACHINES))
    # Every fifth: each machine in turn.
    taken = pairs[::5] if depth.IS_QUICK else pairs
    depth.record(len(taken), len(pairs))
    runs = [run_of(case, target, device, number, chosen) for (number, case), (target, device) in taken]
    suite.main(runs, chosen)


if __name__ == "__main__":
    main()
