"""What a compiler must get right (W1 .. W30): each case with the kernel, the layouts and
the numbers that it names, against values that are computed here. What is said of an
answer that is known to be wrong is said at the case: the numbers are chosen so that it
differs from the right one.

    python3 must_be_right.py OUT_DIR [--only NAME]
"""
import itertools
import math
import random

from kernels import DigitLayout, Layout, vector
from printed_kernels import BOTH, SUBGROUP, Case, main

NAN, INF = math.nan, math.inf
LOW = {"i8": -128, "i16": -2**15, "i32": -2**31, "i64": -2**63}
WHOLE = Layout(1, T=[32], E=[2], ts=[1])
LINES = {"lanes": (WHOLE, 1), "subgroups": (Layout(1, S=[2], T=[8], E=[4], ss=[1], ts=[1]), 2),
         "replicas": (Layout(1, T=[8], E=[8], ts=[1]), 1)}  # of 64


def drawn(seed, count, low=-9, high=9):
    numbers = random.Random(seed)
    return [numbers.randint(low, high) for _ in range(count)]


def w1():
    """All elements 5 have the minimum 5: an identity of -1 has -1, one of 0 has 0."""
    for element, (name, (layout, subgroups)) in itertools.product(LOW, LINES.items()):
        kinds = {"minsi": 5, "maxsi": -5, "minui": 5, "maxui": 5, "and": -1}
        text = "func.func @w1(" + ", ".join(f"%v{i}: vector<64x{element}>, %a{i}: {element}" for i in range(5))
        text += f") -> ({', '.join([element] * 5)}) {{\n"
        for i, kind in enumerate(kinds):
            text += f"  %r{i} = vector.multi_reduction <{kind}>, %v{i}, %a{i} [0] : vector<64x{element}> to {element}\n"
        text += f"  return %r0, %r1, %r2, %r3, %r4 : {', '.join([element] * 5)}\n}}\n"
        inputs = {}
        for i, value in enumerate(kinds.values()):
            inputs[f"arg{2 * i}"] = (element, (64,), [value] * 64)
            inputs[f"arg{2 * i + 1}"] = str(value)
        results = {f"res{i}": (element, [value]) for i, value in enumerate(kinds.values())}
        yield Case(f"w1_{element}_{name}", text, inputs, results, {f"%v{i}": layout for i in range(5)}, subgroups,
                   targets=BOTH if name == "lanes" else ("sm_80",))


W2 = """func.func @w2(%b: index) -> vector<16xi1> {
  %m = vector.create_mask %b : vector<16xi1>
  return %m : vector<16xi1>
}
"""


def w2():
    """Lane 3 owns {6, 7, 14, 15}: of the bound 9 it has 2 true, not 0, though 9 ends before its second batch."""
    for bound in (-1, 0, 1, 7, 8, 9, 15, 16, 99):
        yield Case(f"w2_{bound}".replace("-", "minus_"), W2, {"arg0": str(bound)}, {"res0": ("i1", [int(i < bound) for i in range(16)])},
                   {"%m": Layout(1, B=[2], T=[4], E=[2], ts=[1])}, targets=BOTH if bound == 9 else ("sm_80",))


def reduction(shape, kind="add", element="f32", dims=None):
    dims = dims or list(range(len(shape)))
    return f"""func.func @w3(%v: {vector(shape, element)}, %a: {element}) -> {element} {{
  %r = vector.multi_reduction <{kind}>, %v, %a {dims} : {vector(shape, element)} to {element}
  return %r : {element}
}}
"""


def summed(name, layout, subgroups, values=None, acc=100.0, **more):
    shape = layout.shape()
    values = values or [float(x) for x in drawn(3, math.prod(shape), 1, 9)]
    return Case(name, reduction(shape), {"arg0": ("f32", shape, values), "arg1": str(acc)}, {"res0": ("f32", [sum(values) + acc])},
                {"%v": layout}, subgroups, **more)


def w3():
    """The sum of 64 elements, not of the 16 of subgroup 0."""
    yield summed("w3_four_subgroups", Layout(1, S=[4], E=[16], ss=[1]), 4)
    yield summed("w3_three_subgroups", Layout(1, S=[3], E=[16], ss=[1]), 3)
    yield summed("w3_five_subgroups", Layout(1, S=[5], E=[16], ss=[1]), 5)
    yield summed("w3_two_by_two_subgroups", Layout(2, S=[2, 2], E=[4, 4], ss=[1, 2]), 4)
    yield summed("w3_two_by_two_subgroups_turned", Layout(2, S=[2, 2], E=[4, 4], ss=[2, 1]), 4)


W4 = """#t = affine_map<(d0, d1) -> (d1, d0)>
#b = affine_map<(d0, d1) -> (0, d1)>
func.func @w4(%m: memref<?x?xf32>, %i: index, %k: vector<16x8xi1>, %k1: vector<16xi1>) -> (vector<8x16xf32>, vector<8x16xf32>) {
  %p = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%i, %i], %p, %k {permutation_map = #t, in_bounds = [true, true]} : memref<?x?xf32>, vector<8x16xf32>
  %1 = vector.transfer_read %m[%i, %i], %p, %k1 {permutation_map = #b, in_bounds = [true, true]} : memref<?x?xf32>, vector<8x16xf32>
  return %0, %1 : vector<8x16xf32>, vector<8x16xf32>
}
"""


def w4():
    """The mask is cut by coordinates: tile by tile in its own order it is another tile's (W5: and it has no rows)."""
    memory = [float(1 + i) for i in range(20 * 30)]
    mask, row = drawn(4, 128, 0, 1), drawn(5, 16, 0, 1)
    at = 2
    turned = [memory[(at + c) * 30 + at + r] * mask[c * 8 + r] for r in range(8) for c in range(16)]
    spread = [memory[at * 30 + at + c] * row[c] for _ in range(8) for c in range(16)]
    for name, layout in (("apart", Layout(2, B=[2, 2], T=[4, 4], E=[1, 2], ts=[4, 1])),
                         ("registers", Layout(2, B=[2, 2], E=[4, 8])),
                         ("outer", Layout(2, B=[2, 2], O=[2, 1], T=[2, 8], ts=[8, 1]))):
        yield Case(f"w4_w5_{name}", W4, {"arg0": ("f32", (20, 30), memory), "arg1": str(at), "arg2": ("i1", (16, 8), mask),
                                         "arg3": ("i1", (16,), row)}, {"res0": ("f32", turned), "res1": ("f32", spread)},
                   {"%0": layout, "%1": layout})


def w6():
    """Tile (b0, b1) takes slice b0 of the positions, for every b1."""
    layout = Layout(2, B=[2, 4], T=[4, 4], E=[2, 4], ts=[1, 4])
    memory = [float(i % 2039) for i in range(99 * 64)]
    rows = drawn(6, 16, 0, 98)
    for name, operand, type_, own, given in (("rows", "%rows", "vector<16xindex>", "d0", ("i64", (16,), rows)), ("scalar", "%rows", "index", "", "17")):
        text = f"""func.func @w6(%m: memref<99x64xf16>, %rows: {type_}) -> vector<16x64xf16> {{
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f16
  %g = iree_vector_ext.transfer_gather %m[%c0, %c0] [{operand} : {type_}], %p {{
    indexing_maps = [affine_map<(d0, d1)[s0] -> (s0, d1)>, affine_map<(d0, d1)[s0] -> ({own})>]}} : memref<99x64xf16>, vector<16x64xf16>
  return %g : vector<16x64xf16>
}}
"""
        picked = rows if name == "rows" else [17] * 16
        expected = [memory[row * 64 + column] for row in picked for column in range(64)]
        yield Case(f"w6_{name}", text, {"arg0": ("f16", (99, 64), memory), "arg1": given}, {"res0": ("f16", expected)}, {"%g": layout})


def cast(source, target):
    return f"""func.func @w7(%v: {vector(source, 'f32')}) -> {vector(target, 'f32')} {{
  %0 = vector.shape_cast %v : {vector(source, 'f32')} to {vector(target, 'f32')}
  return %0 : {vector(target, 'f32')}
}}
"""


def w7():
    """Lane 0 owns {0, 2} of the 4, not {0, 1}; what no nested layout, and no layout, has is right as well. W24: with lanes on rows."""
    for name, layout, target in (("printed", Layout(2, T=[1, 2], E=[2, 1], ts=[0, 1]), [4]),
                                 ("lane_register_lane", Layout(2, T=[2, 2], E=[2, 1], ts=[2, 1]), [8]),
                                 ("two_and_three", Layout(1, T=[3], E=[2], ts=[1]), [2, 3]),
                                 ("registers_first", Layout(1, O=[2], E=[3]), [3, 2]),
                                 ("w24_printed", Layout(2, T=[2, 1], E=[1, 2], ts=[1, 0]), [4]),
                                 ("w24_both", Layout(2, T=[2, 2], ts=[2, 1]), [4]),
                                 ("w24_subgroups", Layout(2, S=[2, 1], B=[2, 1], O=[1, 2], T=[2, 4], E=[1, 2], ss=[1, 0], ts=[4, 1]), [4, 2, 4, 4])):
        values = [float(1 + i) for i in range(math.prod(layout.shape()))]
        yield Case(f"w7_{name}", cast(layout.shape(), target), {"arg0": ("f32", layout.shape(), values)}, {"res0": ("f32", values)},
                   {"%v": layout}, 2 if "subgroups" in name else 1)


MAPS = """#A = affine_map<(m, n, k) -> (m, k)>
#B = affine_map<(m, n, k) -> (k, n)>
#C = affine_map<(m, n, k) -> (m, n)>
"""


def contraction(name, m, n, k, element, acc, kind="add", mask=""):
    operands = f"vector<{m}x{k}x{element}>, vector<{k}x{n}x{element}> into vector<{m}x{n}x{acc}>"
    op = ("vector.contract {indexing_maps = [#A, #B, #C], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], "
          f"kind = #vector.kind<{kind}>}} %a, %b, %c : {operands}")
    argument = f", %m: vector<{m}x{n}x{k}xi1>" if mask == "given" else ""
    made = ""
    if mask == "made":
        argument = ", %i: index, %j: index, %l: index"
        made = f"  %m = vector.create_mask %i, %j, %l : vector<{m}x{n}x{k}xi1>\n"
    if mask:
        op = f"vector.mask %m {{ {op} }} : vector<{m}x{n}x{k}xi1> -> vector<{m}x{n}x{acc}>"
    return (f"{MAPS}func.func @{name}(%a: vector<{m}x{k}x{element}>, %b: vector<{k}x{n}x{element}>, %c: vector<{m}x{n}x{acc}>{argument})"
            f" -> vector<{m}x{n}x{acc}> {{\n{made}  %0 = {op}\n  return %0 : vector<{m}x{n}x{acc}>\n}}\n")


FOLD = {"add": lambda x, y: x + y, "mul": lambda x, y: x * y, "maxnumf": max, "minnumf": min, "maximumf": max, "minimumf": min,
        "maxsi": max, "minsi": min}


def product(a, b, c, m, n, k, kind="add", there=lambda i, j, l: True):
    result = list(c)
    for i, j, l in itertools.product(range(m), range(n), range(k)):
        if there(i, j, l):
            result[i * n + j] = FOLD[kind](result[i * n + j], a[i * k + l] * b[l * n + j])
    return result


def w8():
    """Masked products are none: as products of 0 they are the greatest of negative ones, and the least of positive ones."""
    lhs, rhs = Layout(2, T=[8, 4], E=[1, 4], ts=[4, 1]), Layout(2, T=[4, 8], E=[4, 1], ts=[1, 4])
    bits = drawn(8, 8 * 8 * 16, 0, 1)
    for kind, element in (("maxnumf", "f32"), ("minnumf", "f32"), ("maximumf", "f32"), ("mul", "f32"), ("minsi", "i32"), ("maxsi", "i32"), ("add", "f32")):
        sign = -1 if kind.startswith("max") else 1
        low, high = (1, 2) if kind == "mul" else (1, 9)
        number = float if element == "f32" else int
        a = [number(sign * x) for x in drawn(1, 128, low, high)]
        b = [number(x) for x in drawn(2, 128, low, high)]
        # Worse than every product, but better than 0 where 0 is the wrong answer.
        c = [number(x if kind == "add" else 1 if kind == "mul" else sign * 500) for x in drawn(3, 64, 1, 9)]
        inputs = {"arg0": (element, (8, 16), a), "arg1": (element, (16, 8), b), "arg2": (element, (8, 8), c)}
        for mask, more, there in (("given", {"arg3": ("i1", (8, 8, 16), bits)}, lambda i, j, l: bits[(i * 8 + j) * 16 + l]),
                                  ("made", {"arg3": "5", "arg4": "7", "arg5": "11"}, lambda i, j, l: i < 5 and j < 7 and l < 11)):
            yield Case(f"w8_{kind}_{mask}", contraction("w8", 8, 8, 16, element, element, kind, mask), {**inputs, **more},
                       {"res0": (element, product(a, b, c, 8, 8, 16, kind, there))}, {"%a": lhs, "%b": rhs},
                       targets=BOTH if kind in ("maxnumf", "add") else ("sm_80",))


def w9():
    """A cluster of one lane is no cluster."""
    def judged(text):
        clusters = text.count("gpu.subgroup_reduce")
        return None if clusters == 1 and "cluster(size = 4)" in text else f"{clusters} clusters"

    values = [float(x) for x in drawn(9, 64, 1, 9)]
    yield Case("w9_rows_of_one_lane", reduction([4, 16]), {"arg0": ("f32", (4, 16), values), "arg1": "100"},
               {"res0": ("f32", [sum(values) + 100])}, {"%v": Layout(2, B=[4, 1], T=[1, 4], E=[1, 4], ts=[0, 1])}, judged=judged)


def w10():
    """A fragment of 16 bytes is 2 x 2 x 4. The numbers are exact in e4m3."""
    bits = {-2: 0xC0, -1: 0xB8, 0: 0x00, 1: 0x38, 2: 0x40, 3: 0x44}
    a, b, c = drawn(1, 16 * 32, -2, 3), drawn(2, 32 * 8, -2, 3), drawn(3, 128)

    def judged(text):
        return None if "iree_codegen.inner_tiled" in text and "2x2x4xf8E4M3FN" in text else "no fragment of 2x2x4"

    yield Case("w10", contraction("w10", 16, 8, 32, "f8E4M3FN", "f32"),
               {"arg0": ("f8E4M3FN", (16, 32), [bits[x] for x in a]), "arg1": ("f8E4M3FN", (32, 8), [bits[x] for x in b]),
                "arg2": ("f32", (16, 8), [float(x) for x in c])},
               {"res0": ("f32", [float(x) for x in product(a, b, c, 16, 8, 32)])}, targets=("sm_89",), judged=judged)


def scanned(values, inclusive):
    sums = list(itertools.accumulate(values))
    return sums if inclusive else [0] + sums[:-1]


def w11():
    """Lanes 30 and 31 are of no whole group of 6; nor does 5, 3 or 7 divide anything."""
    others = {12: Layout(1, T=[3], E=[4], ts=[2]), 15: Layout(1, B=[3], T=[5], ts=[1]), 48: Layout(1, T=[16], E=[3], ts=[1])}
    for name, layout, subgroups in (("6_lanes", Layout(1, T=[6], E=[2], ts=[1]), 1), ("3_by_5", Layout(1, S=[3], T=[5], ss=[1], ts=[2]), 3),
                                    ("48", Layout(1, S=[2], B=[2], O=[2], T=[3], E=[2], ss=[1], ts=[1]), 2)):
        n = layout.shape()[0]
        type_ = f"vector<{n}xi8>"
        values = drawn(n, n, -99, 99)
        text = f"""func.func @w11(%v: {type_}, %a: i8, %m: memref<{n}xi8>, %o: memref<{n}xi8>) -> (i8, {type_}, {type_}, vector<i8>, i8) {{
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i8
  vector.transfer_write %v, %m[%c0] {{in_bounds = [true]}} : {type_}, memref<{n}xi8>
  %r = vector.multi_reduction <maxui>, %v, %a [0] : {type_} to i8
  %t = vector.multi_reduction <add>, %v, %a [0] : {type_} to i8
  %w = vector.transfer_read %m[%c0], %z {{in_bounds = [true]}} : memref<{n}xi8>, {type_}
  %i = vector.broadcast %z : i8 to vector<i8>
  %s:2 = vector.scan <add>, %v, %i {{inclusive = true, reduction_dim = 0 : i64}} : {type_}, vector<i8>
  %e:2 = vector.scan <add>, %v, %i {{inclusive = false, reduction_dim = 0 : i64}} : {type_}, vector<i8>
  %x = arith.addi %w, %w : {type_}
  vector.transfer_write %x, %o[%c0] {{in_bounds = [true]}} : {type_}, memref<{n}xi8>
  return %r, %s#0, %e#0, %e#1, %t : i8, {type_}, {type_}, vector<i8>, i8
}}
"""
        def wrapped(numbers):
            return [(x + 128) % 256 - 128 for x in numbers]

        greatest = max(x % 256 for x in values + [7])
        exclusive = scanned(values, False)
        yield Case(f"w11_{name}", text, {"arg0": ("i8", (n,), values), "arg1": "7"},
                   {"res0": ("i8", wrapped([greatest])), "res1": ("i8", wrapped(scanned(values, True))), "res2": ("i8", wrapped(exclusive)),
                    "res3": ("i8", wrapped([exclusive[-1]])), "res4": ("i8", wrapped([sum(values) + 7])), "arg2": ("i8", values), "arg3": ("i8", wrapped([2 * x for x in values]))},
                   {"%v": layout, "%w": others[n]}, subgroups)
    values = [float(x) for x in drawn(63, 63)]
    text = """func.func @w11(%v: vector<7x9xf32>, %a: vector<7xf32>, %b: vector<9xf32>) -> (vector<7xf32>, vector<9xf32>, vector<9x7xf32>, vector<7x9xf32>) {
  %r = vector.multi_reduction <add>, %v, %a [1] : vector<7x9xf32> to vector<7xf32>
  %q = vector.multi_reduction <maximumf>, %v, %b [0] : vector<7x9xf32> to vector<9xf32>
  %t = vector.transpose %v, [1, 0] : vector<7x9xf32> to vector<9x7xf32>
  %s:2 = vector.scan <add>, %v, %a {inclusive = true, reduction_dim = 1 : i64} : vector<7x9xf32>, vector<7xf32>
  return %r, %q, %t, %s#0 : vector<7xf32>, vector<9xf32>, vector<9x7xf32>, vector<7x9xf32>
}
"""
    rows = [values[9 * i:9 * i + 9] for i in range(7)]
    columns = [list(column) for column in zip(*rows)]
    # A sum that is 0 is +0.0 of these: no summand is -0.0.
    yield Case("w11_7x9", text, {"arg0": ("f32", (7, 9), values), "arg1": ("f32", (7,), [1.0] * 7), "arg2": ("f32", (9,), [-99.0] * 9)},
               {"res0": ("f32", [sum(row) + 1 for row in rows]), "res1": ("f32", [max(column) for column in columns]),
                "res2": ("f32", [x for column in columns for x in column]),
                "res3": ("f32", [x for row in rows for x in itertools.accumulate(row)])},
               {"%v": Layout(2, S=[1, 3], T=[7, 3], ss=[0, 1], ts=[3, 1]), "%t": Layout(2, B=[3, 1], T=[3, 7], ts=[7, 1])}, 3)


def w12():
    """What four lanes hold is summed once, written once, and read by others from a lane that is there."""
    eight = Layout(1, T=[8], E=[4], ts=[1])
    yield summed("w12_sum", eight, 1)
    yield summed("w12_sum_of_subgroups", eight, 3)
    values = drawn(12, 32)
    text = """func.func @w12(%v: vector<32xi32>, %o: memref<32xi32>) -> vector<32xi32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i32
  %w = vector.transfer_read %o[%c0], %z {in_bounds = [true]} : memref<32xi32>, vector<32xi32>
  %n = arith.addi %w, %v : vector<32xi32>
  vector.transfer_write %n, %o[%c0] {in_bounds = [true]} : vector<32xi32>, memref<32xi32>
  %y = arith.addi %v, %v : vector<32xi32>
  return %y : vector<32xi32>
}
"""
    old = drawn(13, 32)
    yield Case("w12_write_and_convert", text, {"arg0": ("i32", (32,), values), "arg1": ("i32", (32,), old)},
               {"arg1": ("i32", [x + y for x, y in zip(old, values)]), "res0": ("i32", [2 * x for x in values])},
               {"%v": eight, "%y": Layout(1, T=[32], ts=[1])}, 3)


W13 = """func.func @w13(%acc: memref<f32>, %v: vector<32xf32>) -> vector<32xf32> {
  %p = arith.constant 0.0 : f32
  %0 = vector.transfer_read %acc[], %p : memref<f32>, vector<f32>
  %1 = vector.extract %0[] : f32 from vector<f32>
  %2 = vector.multi_reduction <add>, %v, %1 [0] : vector<32xf32> to f32
  %3 = vector.broadcast %2 : f32 to vector<f32>
  vector.transfer_write %3, %acc[] : vector<f32>, memref<f32>
  %4 = vector.transfer_read %acc[], %p : memref<f32>, vector<f32>
  %5 = vector.extract %4[] : f32 from vector<f32>
  %6 = vector.broadcast %5 : f32 to vector<32xf32>
  %7 = arith.addf %6, %v : vector<32xf32>
  return %7 : vector<32xf32>
}
"""


def w13():
    """One lane reads, adds and writes; the next reader, on any lane, sees that."""
    values = [float(x) for x in drawn(13, 32, 1, 9)]
    total = sum(values) + 1000
    for name, layout, subgroups in (("a_lane_each", Layout(1, T=[32], ts=[1]), 1), ("replicas", Layout(1, T=[8], E=[4], ts=[1]), 3),
                                    ("subgroups", Layout(1, S=[4], T=[8], ss=[1], ts=[4]), 4)):
        yield Case(f"w13_{name}", W13, {"arg0": ("f32", (), [1000.0]), "arg1": ("f32", (32,), values)},
                   {"arg0": ("f32", [total]), "res0": ("f32", [total + x for x in values])}, {"%v": layout}, subgroups)


def w14():
    """K is on lanes of the one operand and on registers of the other."""
    a, b, c = ([float(x) for x in drawn(seed, count)] for seed, count in ((1, 128), (2, 128), (3, 64)))
    lhs = Layout(2, T=[8, 4], E=[1, 4], ts=[4, 1])
    for name, rhs in (("rows_of_a_lane", Layout(2, T=[1, 8], E=[16, 1], ts=[0, 1])), ("all_in_registers", Layout(2, E=[16, 8]))):
        yield Case(f"w14_{name}", contraction("w8", 8, 8, 16, "f32", "f32"),
                   {"arg0": ("f32", (8, 16), a), "arg1": ("f32", (16, 8), b), "arg2": ("f32", (8, 8), c)},
                   {"res0": ("f32", product(a, b, c, 8, 8, 16))}, {"%a": lhs, "%b": rhs})


def all_cases():
    for cases in (w1, w2, w3, w4, w6, w7, w8, w9, w10, w11, w12, w13, w14):
        yield from cases()


if __name__ == "__main__":
    main(all_cases(), one_in=4)
