"""As must_be_right.py, from W16 on: accumulators, identities, constants, instructions,
conversions, control flow, scans."""
import itertools
import re

from kernels import Layout, suite
from must_be_right import BOTH, INF, NAN, SUBGROUP, WHOLE, Case, cast, contraction, drawn, main, product, reduction, scanned, summed

LINE = Layout(1, S=[2], T=[8], E=[4], ss=[1], ts=[2])  # 64
SCATTERED = Layout(1, S=[2], B=[2], O=[2], T=[3], E=[2], ss=[1], ts=[1])  # 48


def w16():
    """Zeros onto 100 are 100, whoever adds the 100: once, not by each lane or subgroup."""
    zeros = [0.0] * 64
    for name, layout, subgroups in (("lanes", WHOLE, 1), ("subgroups", Layout(1, S=[4], E=[16], ss=[1]), 4),
                                    ("both", Layout(1, S=[4], T=[8], E=[2], ss=[1], ts=[1]), 4), ("replicas", Layout(1, T=[8], E=[8], ts=[1]), 2)):
        yield summed(f"w16_{name}", layout, subgroups, zeros)


def w17():
    """The masked columns of a maximum are -inf, not 0; without any column the accumulator is left."""
    text = """func.func @w17(%m: vector<64xi1>, %v: vector<64xf32>, %a: f32) -> f32 {
  %r = vector.mask %m { vector.multi_reduction <maximumf>, %v, %a [0] : vector<64xf32> to f32 } : vector<64xi1> -> f32
  return %r : f32
}
"""
    values = [-float(100 - i) for i in range(64)]
    for name, columns, layout, subgroups in (("40_of_64", 40, WHOLE, 1), ("40_of_64_subgroups", 40, LINE, 2), ("none", 0, LINE, 2)):
        greatest = max([-1000.0] + values[:columns])
        yield Case(f"w17_{name}", text, {"arg0": ("i1", (64,), [int(i < columns) for i in range(64)]), "arg1": ("f32", (64,), values),
                                         "arg2": "-1000"}, {"res0": ("f32", [greatest])}, {"%v": layout}, subgroups)


def w18():
    """Every lane has its own numbers of a constant."""
    numbers = [3, 1, 4, 1, 5, 9, 2, 6]
    text = f"""func.func @w18(%v: vector<8xi32>) -> vector<8xi32> {{
  %c = arith.constant dense<{numbers}> : vector<8xi32>
  %0 = arith.addi %v, %c : vector<8xi32>
  return %0 : vector<8xi32>
}}
"""
    values = drawn(18, 8)
    for name, layout, subgroups in (("two_each", Layout(1, T=[4], E=[2], ts=[1]), 1), ("one_each", Layout(1, T=[8], ts=[2]), 1),
                                    ("registers", Layout(1, E=[8]), 1), ("all", Layout(1, S=[2], B=[2], T=[2], ss=[1], ts=[1]), 2)):
        yield Case(f"w18_{name}", text, {"arg0": ("i32", (8,), values)}, {"res0": ("i32", [a + b for a, b in zip(values, numbers)])},
                   {"%v": layout}, subgroups)


def w19():
    """Infinity is no identity of all-NaN maxima, 0.0 none of sums of -0.0; and NaN is greater than all to maximumf alone."""
    layouts = (("lanes", WHOLE, 1), ("subgroups", LINE, 2), ("gaps", Layout(1, T=[16], E=[4], ts=[2]), 1))
    for name, kind, values, acc, expected in (("all_nan", "maxnumf", [NAN] * 64, NAN, NAN), ("some_nan", "maxnumf", [NAN, -3.0] * 32, NAN, -3.0),
                                              ("all_nan_least", "minnumf", [NAN] * 64, NAN, NAN), ("nan_and_1", "maximumf", [NAN] + [1.0] * 63, 1.0, NAN),
                                              ("nan_and_1_least", "minimumf", [1.0] * 63 + [NAN], 1.0, NAN),
                                              ("least_of_all", "maximumf", [-INF] * 64, -INF, -INF),
                                              ("negative_zeros", "add", [-0.0] * 64, -0.0, -0.0), ("one_zero", "add", [-0.0] * 63 + [0.0], -0.0, 0.0)):
        for at, (where, layout, subgroups) in enumerate(layouts):
            text = reduction([64], kind).replace("%a: f32", "%s: vector<f32>").replace("{\n", "{\n  %a = vector.extract %s[] : f32 from vector<f32>\n", 1)
            yield Case(f"w19_{name}_{where}", text, {"arg0": ("f32", (64,), values), "arg1": ("f32", (), [acc])}, {"res0": ("f32", [expected])},
                       {"%v": layout}, subgroups, targets=BOTH if at == 0 else ("sm_80",), compares=False)


def w20():
    """Sums of products wrap around; the instruction that saturates is not taken."""
    def says(text):
        return "no instruction, or one that saturates" if ".satfinite" in text or "mma.sync" not in text else None

    a, b = drawn(1, 16 * 32, -128, 127), drawn(2, 32 * 8, -128, 127)
    c = [2**31 - 1 if i % 2 else -2**31 for i in range(128)]
    expected = [(x + 2**31) % 2**32 - 2**31 for x in product(a, b, c, 16, 8, 32)]
    assert sum(abs(x - y) > 2**31 for x, y in zip(expected, c)) > 32  # have wrapped
    yield Case("w20", contraction("w20", 16, 8, 32, "i8", "i32").replace(
        "  %0 = vector.contract", "  %a32 = arith.extsi %a : vector<16x32xi8> to vector<16x32xi32>\n"
        "  %b32 = arith.extsi %b : vector<32x8xi8> to vector<32x8xi32>\n  %0 = vector.contract").replace(
        "%a, %b, %c : vector<16x32xi8>, vector<32x8xi8>", "%a32, %b32, %c : vector<16x32xi32>, vector<32x8xi32>"),
        {"arg0": ("i8", (16, 32), a), "arg1": ("i8", (32, 8), b), "arg2": ("i32", (16, 8), c)}, {"res0": ("i32", expected)}, says=says)
    yield Case("w20_mixed", contraction("w20", 16, 8, 32, "i8", "i32"),
               {"arg0": ("i8", (16, 32), a), "arg1": ("i8", (32, 8), b), "arg2": ("i32", (16, 8), c)}, {"res0": ("i32", expected)}, says=says)


def w21():
    """What an instruction leaves in its own layout is reduced, taken off and multiplied again; attention of f32 rows of 128."""
    a, b = drawn(1, 16 * 16, -3, 3), drawn(2, 16 * 8, -3, 3)
    text = contraction("w21", 16, 8, 16, "f16", "f32").replace("-> vector<16x8xf32> {", "-> (vector<16xf32>, vector<8xf32>, vector<16x8xf32>) {").replace(
        "  return %0 : vector<16x8xf32>", """  %low = arith.constant dense<-1.0e+30> : vector<16xf32>
  %none = arith.constant dense<0.0> : vector<8xf32>
  %rows = vector.multi_reduction <maximumf>, %0, %low [1] : vector<16x8xf32> to vector<16xf32>
  %columns = vector.multi_reduction <add>, %0, %none [0] : vector<16x8xf32> to vector<8xf32>
  %wide = vector.broadcast %rows : vector<16xf32> to vector<8x16xf32>
  %tall = vector.transpose %wide, [1, 0] : vector<8x16xf32> to vector<16x8xf32>
  %less = arith.subf %0, %tall : vector<16x8xf32>
  return %rows, %columns, %less : vector<16xf32>, vector<8xf32>, vector<16x8xf32>""")
    c = product(a, b, [0] * 128, 16, 8, 16)
    rows = [c[8 * i:8 * i + 8] for i in range(16)]
    expected = {"res0": ("f32", [float(max(row)) for row in rows]), "res1": ("f32", [float(sum(column)) for column in zip(*rows)]),
                "res2": ("f32", [float(x - max(row)) for row in rows for x in row])}
    inputs = {"arg0": ("f16", (16, 16), a), "arg1": ("f16", (16, 8), b), "arg2": ("f32", (16, 8), [0.0] * 128)}
    yield Case("w21_accumulator", text, inputs, expected, says=lambda text: None if "mma.sync" in text else "no instruction")
    spread = Layout(2, S=[1, 2], T=[16, 2], E=[1, 2], ss=[0, 1], ts=[2, 1])
    yield Case("w21_accumulator_elsewhere", text, inputs, expected, {"%0": spread}, 2)
    yield attention(32, 32, 128)


def attention(rows, keys, size):
    """Exact: scores are whole, weights powers of two, and they are not divided by their sum."""
    # Every query meets few of its keys, so that a score is small.
    q = [float(x) if at % size % 16 == at // size % 16 else 0.0 for at, x in enumerate(drawn(1, rows * size, -1, 1))]
    k, v = ([float(x) for x in drawn(seed, keys * size, -1, 1)] for seed in (2, 3))
    text = f"""#q = affine_map<(m, n, d) -> (m, d)>
#k = affine_map<(m, n, d) -> (n, d)>
#s = affine_map<(m, n, d) -> (m, n)>
#p = affine_map<(m, d, n) -> (m, n)>
#v = affine_map<(m, d, n) -> (n, d)>
#o = affine_map<(m, d, n) -> (m, d)>
func.func @w21(%q: vector<{rows}x{size}xf32>, %k: vector<{keys}x{size}xf32>, %v: vector<{keys}x{size}xf32>)
    -> (vector<{rows}x{size}xf32>, vector<{rows}xf32>) {{
  %none = arith.constant dense<0.0> : vector<{rows}x{keys}xf32>
  %zero = arith.constant dense<0.0> : vector<{rows}x{size}xf32>
  %low = arith.constant dense<-1.0e+30> : vector<{rows}xf32>
  %nothing = arith.constant dense<0.0> : vector<{rows}xf32>
  %s = vector.contract {{indexing_maps = [#q, #k, #s], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}}
    %q, %k, %none : vector<{rows}x{size}xf32>, vector<{keys}x{size}xf32> into vector<{rows}x{keys}xf32>
  %top = vector.multi_reduction <maximumf>, %s, %low [1] : vector<{rows}x{keys}xf32> to vector<{rows}xf32>
  %wide = vector.broadcast %top : vector<{rows}xf32> to vector<{keys}x{rows}xf32>
  %tall = vector.transpose %wide, [1, 0] : vector<{keys}x{rows}xf32> to vector<{rows}x{keys}xf32>
  %d = arith.subf %s, %tall : vector<{rows}x{keys}xf32>
  %w = math.exp2 %d : vector<{rows}x{keys}xf32>
  %t = vector.multi_reduction <add>, %w, %nothing [1] : vector<{rows}x{keys}xf32> to vector<{rows}xf32>
  %r = vector.contract {{indexing_maps = [#p, #v, #o], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}}
    %w, %v, %zero : vector<{rows}x{keys}xf32>, vector<{keys}x{size}xf32> into vector<{rows}x{size}xf32>
  return %r, %t : vector<{rows}x{size}xf32>, vector<{rows}xf32>
}}
"""
    result, totals = [], []
    for i in range(rows):
        scores = [sum(q[i * size + d] * k[j * size + d] for d in range(size)) for j in range(keys)]
        weights = [2.0 ** (score - max(scores)) for score in scores]
        totals.append(sum(weights))
        result += [0.0 + sum(weight * v[j * size + d] for j, weight in enumerate(weights)) for d in range(size)]
    return Case("w21_attention", text, {"arg0": ("f32", (rows, size), q), "arg1": ("f32", (keys, size), k), "arg2": ("f32", (keys, size), v)},
                {"res0": ("f32", result), "res1": ("f32", totals)}, subgroups=4)


def w22():
    """One mask of two users in two layouts and two shapes: each has its own lanes' bits."""
    text = """func.func @w22(%b: index, %c: index, %x: vector<16x32xf32>, %y: vector<16x32xf32>) -> (vector<16xf32>, vector<16xf32>, vector<32x16xf32>) {
  %m = vector.create_mask %b, %c : vector<16x32xi1>
  %z = arith.constant dense<0.0> : vector<16xf32>
  %0 = vector.mask %m { vector.multi_reduction <add>, %x, %z [1] : vector<16x32xf32> to vector<16xf32> } : vector<16x32xi1> -> vector<16xf32>
  %1 = vector.mask %m { vector.multi_reduction <add>, %y, %z [1] : vector<16x32xf32> to vector<16xf32> } : vector<16x32xi1> -> vector<16xf32>
  %t = vector.transpose %m, [1, 0] : vector<16x32xi1> to vector<32x16xi1>
  %u = vector.transpose %y, [1, 0] : vector<16x32xf32> to vector<32x16xf32>
  %n = arith.constant dense<0.0> : vector<32x16xf32>
  %2 = arith.select %t, %u, %n : vector<32x16xi1>, vector<32x16xf32>
  return %0, %1, %2 : vector<16xf32>, vector<16xf32>, vector<32x16xf32>
}
"""
    x, y = ([float(value) for value in drawn(seed, 512, 1, 9)] for seed in (1, 2))
    # As many registers in the same order, of other elements.
    layouts = {"%x": Layout(2, S=[2, 1], T=[8, 4], E=[1, 8], ss=[1, 0], ts=[4, 1]),
               "%y": Layout(2, S=[2, 1], T=[8, 4], E=[1, 8], ss=[1, 0], ts=[1, 8])}
    for rows, columns in ((5, 9), (16, 1), (3, 31)):
        sums = {name: [float(sum(values[32 * i:32 * i + columns])) if i < rows else 0.0 for i in range(16)] for name, values in (("x", x), ("y", y))}
        turned = [y[32 * i + j] if i < rows and j < columns else 0.0 for j in range(32) for i in range(16)]
        yield Case(f"w22_{rows}_{columns}", text, {"arg0": str(rows), "arg1": str(columns), "arg2": ("f32", (16, 32), x), "arg3": ("f32", (16, 32), y)},
                   {"res0": ("f32", sums["x"]), "res1": ("f32", sums["y"]), "res2": ("f32", turned)}, layouts, 2)


def w23():
    """A sum of all lanes in a branch that all of them take, or none."""
    text = """func.func @w23(%c: i1, %v: vector<64xf32>, %a: f32) -> f32 {
  %r = scf.if %c -> f32 {
    %s = vector.multi_reduction <add>, %v, %a [0] : vector<64xf32> to f32
    scf.yield %s : f32
  } else {
    scf.yield %a : f32
  }
  return %r : f32
}
"""
    values = [float(x) for x in drawn(23, 64)]
    for taken in (0, 1):
        for name, layout, subgroups in (("lanes", WHOLE, 1), ("subgroups", LINE, 2)):
            yield Case(f"w23_{name}_{taken}", text, {"arg0": str(taken), "arg1": ("f32", (64,), values), "arg2": "7"},
                       {"res0": ("f32", [7 + taken * sum(values)])}, {"%v": layout}, subgroups)


def w25():
    """Eight slices on four subgroups: two each, all of them (VX-8)."""
    for subgroups in (4, 2, 1):
        yield summed(f"w25_on_{subgroups}", Layout(1, S=[8], E=[8], ss=[1]), subgroups)
    yield summed("w25_in_another_order", Layout(2, S=[4, 2], T=[2, 4], ss=[1, 4], ts=[4, 1]), 4)


def w26():
    """Sums go on in the order of S, B, O, T, E, over all of which the 48 are spread."""
    text = """func.func @w26(%v: vector<48xi32>, %i: vector<i32>) -> (vector<48xi32>, vector<i32>) {
  %0:2 = vector.scan <add>, %v, %i {inclusive = false, reduction_dim = 0 : i64} : vector<48xi32>, vector<i32>
  return %0#0, %0#1 : vector<48xi32>, vector<i32>
}
"""
    values = drawn(26, 48)
    before = [1000 + x for x in scanned(values, False)]
    yield Case("w26_exclusive", text, {"arg0": ("i32", (48,), values), "arg1": ("i32", (), [1000])},
               {"res0": ("i32", before), "res1": ("i32", before[-1:])}, {"%v": SCATTERED}, 2)
    after = scanned(values, True)
    yield Case("w26_inclusive", text.replace("inclusive = false", "inclusive = true"), {"arg0": ("i32", (48,), values), "arg1": ("i32", (), [1000])},
               {"res0": ("i32", after), "res1": ("i32", after[-1:])}, {"%v": SCATTERED}, 2)


def w27():
    """Of equal maxima on several lanes the first position; no NaN wins; an init that is better stays."""
    text = """func.func @w27(%v: vector<48xf32>, %b: vector<f32>, %p: vector<i32>) -> (vector<f32>, vector<i32>) {
  %0:2 = iree_vector_ext.arg_compare dimension(0) ins(%v : vector<48xf32>) inits(%b, %p : vector<f32>, vector<i32>) {
  ^bb0(%x: f32, %y: f32):
    %c = arith.cmpf ogt, %x, %y : f32
    iree_vector_ext.yield %c : i1
  } -> vector<f32>, vector<i32>
  return %0#0, %0#1 : vector<f32>, vector<i32>
}
"""
    def best(values, init):
        found, at = init, -7
        for position, value in enumerate(values):
            if value > found:
                found, at = value, position
        return found, at

    ties = [float(x) for x in drawn(27, 48, 0, 3)]
    for name, values, init in (("ties", ties, -1.0), ("late_ties", [0.0] * 13 + [5.0] * 35, -1.0), ("nan", [NAN if i % 3 else x for i, x in enumerate(ties)], -1.0),
                               ("all_nan", [NAN] * 48, -1.0), ("init_is_better", ties, 9.0), ("init_is_as_good", ties, 3.0), ("init_is_nan", ties, NAN)):
        value, at = best(values, init)
        for where, layout, subgroups in (("everywhere", SCATTERED, 2), ("lanes", Layout(1, B=[3], T=[16], ts=[1]), 1)):
            yield Case(f"w27_{name}_{where}", text, {"arg0": ("f32", (48,), values), "arg1": ("f32", (), [init]), "arg2": ("i32", (), [-7])},
                       {"res0": ("f32", [value]), "res1": ("i32", [at])}, {"%v": layout}, subgroups,
                       targets=BOTH if where == "everywhere" else ("sm_80",), compares=False)


def w28():
    """No trip, one and two, of 64-bit elements, on every target."""
    loop = """  %r{i} = scf.for %k = %c0 to %n{i} step %c1 iter_args(%s = %{v}) -> (vector<64x{t}>) {{
    %t = arith.{op} %s, %{x} : vector<64x{t}>
    scf.yield %t : vector<64x{t}>
  }}
"""
    text = """func.func @w28(%n0: index, %n1: index, %n2: index, %v: vector<64xf64>, %x: vector<64xf64>, %w: vector<64xi64>, %y: vector<64xi64>)
    -> (vector<64xf64>, vector<64xf64>, vector<64xf64>, vector<64xi64>, vector<64xi64>, vector<64xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
"""
    for i in range(3):
        text += loop.format(i=i, v="v", x="x", t="f64", op="addf")
    for i in range(3):
        text += loop.format(i=i, v="w", x="y", t="i64", op="addi").replace(f"%r{i}", f"%q{i}")
    text += "  return %r0, %r1, %r2, %q0, %q1, %q2 : " + ", ".join(["vector<64xf64>"] * 3 + ["vector<64xi64>"] * 3) + "\n}\n"
    v, x, w, y = drawn(1, 64), drawn(2, 64), drawn(3, 64, -2**62, 2**62), drawn(4, 64, -2**60, 2**60)
    results = {f"res{i}": ("f64", [float(a + i * b) for a, b in zip(v, x)]) for i in range(3)}
    results |= {f"res{3 + i}": ("i64", [a + i * b for a, b in zip(w, y)]) for i in range(3)}
    yield Case("w28", text, {"arg0": "0", "arg1": "1", "arg2": "2", "arg3": ("f64", (64,), v), "arg4": ("f64", (64,), x),
                             "arg5": ("i64", (64,), w), "arg6": ("i64", (64,), y)}, results, {"%v": LINE, "%w": LINE}, 2, targets=tuple(SUBGROUP))


def w29():
    """The second conversion stores where the first is still read from, unless there is a barrier between them.
    What both take together is more than a workgroup may have; less than that is idle in a launch of one (VX-291)."""
    a = Layout(2, S=[4, 1], B=[10, 2], T=[4, 8], E=[1, 4], ss=[1, 0], ts=[8, 1])
    b = Layout(2, S=[1, 4], B=[10, 2], O=[2, 1], T=[8, 4], E=[1, 2], ss=[0, 1], ts=[4, 1])
    text = """func.func @w29(%v: vector<160x64xf32>, %w: vector<160x64xf32>) -> (vector<160x64xf32>, vector<160x64xf32>) {
  %x = arith.addf %v, %v : vector<160x64xf32>
  %y = arith.addf %w, %w : vector<160x64xf32>
  %p = arith.mulf %x, %x : vector<160x64xf32>
  %q = arith.mulf %y, %y : vector<160x64xf32>
  return %p, %q : vector<160x64xf32>, vector<160x64xf32>
}
"""

    def judged(text):
        # dropped_barriers.py shows that none of the three may go.
        buffers, barriers = text.count("memref.alloc("), text.count("gpu.barrier")
        offsets = set(re.findall(r"memref\.view %alloc\[(%\w+)\]", text)) - set(re.findall(r"(%\w+) = arith\.constant 0 : index", text))
        return None if (buffers, barriers) == (1, 3) and not offsets else f"{buffers} buffers, {barriers} barriers, other offsets than 0: {offsets}"

    v, w = ([float(x) for x in drawn(seed, 160 * 64)] for seed in (1, 2))
    # Laid out behind the sums, which are as v and w are: both are converted.
    yield Case("w29", text, {"arg0": ("f32", (160, 64), v), "arg1": ("f32", (160, 64), w)},
               {"res0": ("f32", [4 * x * x for x in v]), "res1": ("f32", [4 * x * x for x in w])}, {"%v": a, "%w": a, "%x": b, "%y": b}, 4,
               judged=judged)


def w30():
    """No anchor at all: the kernels as they are printed."""
    yield summed("w30_sum", Layout(1, T=[64], ts=[1]), 2)
    values = [float(x) for x in drawn(30, 64, 1, 9)]
    yield Case("w30_no_anchor", reduction([64]), {"arg0": ("f32", (64,), values), "arg1": "100"}, {"res0": ("f32", [sum(values) + 100])}, subgroups=2)
    # Neither read nor written.
    text = """func.func @w30(%n: i64) -> i64 {
  %i = vector.step : vector<48xindex>
  %j = arith.muli %i, %i : vector<48xindex>
  %l = arith.index_cast %j : vector<48xindex> to vector<48xi64>
  %s = vector.multi_reduction <add>, %l, %n [0] : vector<48xi64> to i64
  return %s : i64
}
"""
    yield Case("w30_computed", text, {"arg0": "5"}, {"res0": ("i64", [5 + sum(i * i for i in range(48))])}, subgroups=2)
    square = [float(x) for x in drawn(31, 64)]
    yield Case("w30_no_anchor_cast", cast([8, 8], [64]), {"arg0": ("f32", (8, 8), square)}, {"res0": ("f32", square)})


def all_cases():
    for cases in (w16, w17, w18, w19, w20, w21, w22, w23, w25, w26, w27, w28, w29, w30):
        yield from cases()


main(all_cases(), one_in=4)
