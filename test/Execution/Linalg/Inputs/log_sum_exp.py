"""log(sum of exp) as reductions, over a semiring, and as a loop that writes each result so far, in the spellings that
authors and frameworks have (VX-153), against sums in order of size.

    python3 log_sum_exp.py OUT_DIR [--only NAME] [--distaff PATH]

Rows are of numbers whose exponentials overflow, of -inf alone, with infinities and with NaN. What a kernel writes is compared
with this file, a few roundings apart, and with the float64 evaluation, which has to decide it.
"""
import math
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

INF, NAN = math.inf, math.nan
LARGEST = ["%m = {max} %acc, %x : {t}"]
SPELLINGS = {
    "plain": ["%p = math.exp %acc : {t}", "%q = math.exp %x : {t}", "%s = arith.addf %p, %q : {t}", "%y = math.log %s : {t}"],
    "shifted": [*LARGEST, "%d = arith.subf %x, %m : {t}", "%e = arith.subf %acc, %m : {t}", "%p = math.exp %d : {t}", "%q = math.exp %e : {t}",
                "%s = arith.addf %p, %q : {t}", "%l = math.log %s : {t}", "%y = arith.addf %l, %m : {t}"],
    "log1p": [*LARGEST, "%d = arith.subf %acc, %x : {t}", "%u = math.absf %d : {t}", "%v = arith.negf %u : {t}", "%p = math.exp %v : {t}",
              "%l = math.log1p %p : {t}", "%y = arith.addf %m, %l : {t}"],
    "log_of_one": [*LARGEST, "%least = arith.minnumf %acc, %x : {t}", "%d = arith.subf %least, %m : {t}", "%p = math.exp %d : {t}",
                   "%one = arith.constant {one} : {t}", "%s = arith.addf %one, %p : {t}", "%l = math.log %s : {t}", "%y = arith.addf %l, %m : {t}"],
    "jax": [*LARGEST, "%d = arith.subf %x, %acc : {t}", "%is = arith.cmpf une, %d, %d : {t}", "%both = arith.addf %x, %acc : {t}", "%u = math.absf %d : {t}",
            "%v = arith.negf %u : {t}", "%p = math.exp %v : {t}", "%l = math.log1p %p : {t}", "%z = arith.addf %m, %l : {t}",
            "%y = arith.select %is, %both, %z : {bits}{t}"],
    "torch": ["%inf = arith.constant {inf} : {t}", *LARGEST, "%d = arith.subf %acc, %x : {t}", "%size = math.absf %acc : {t}",
              "%is0 = arith.cmpf oeq, %size, %inf : {t}", "%is1 = arith.cmpf oeq, %acc, %x : {t}", "%is = arith.andi %is0, %is1 : {i1}", "%u = math.absf %d : {t}",
              "%v = arith.negf %u : {t}", "%p = math.exp %v : {t}", "%l = math.log1p %p : {t}", "%z = arith.addf %m, %l : {t}",
              "%y = arith.select %is, %acc, %z : {bits}{t}"],
}
# The kind of maximum, by spelling.
MAXIMUM = {"log_of_one": "arith.maxnumf"}
INFINITY = {"f16": "0x7C00", "f32": "0x7F800000", "f64": "0x7FF0000000000000"}
MINUS = {"f16": "0xFC00", "f32": "0xFF800000", "f64": "0xFFF0000000000000"}
CODES = {"f16": "e", "f32": "f", "f64": "d"}
DIGITS = {"f16": 11, "f32": 24, "f64": 53}
TARGETS = (("sm_80", ["--every-stage"]), ("ptx", []), ("gfx942", ["--every-stage"]), ("cpu", []), ("host:avx2", ["--every-stage"]))


def body(spelling, element, whole=None):
    """The lines; on tensors of a type, if `whole` is one."""
    t = whole or element
    one, inf = ("1.0", INFINITY[element]) if not whole else ("dense<1.0>", f"dense<{INFINITY[element]}>")
    bits = whole.replace(element, "i1") if whole else "i1"
    return [line.format(t=t, one=one, inf=inf, i1=bits, bits=f"{bits}, " if whole else "", max=MAXIMUM.get(spelling, "arith.maximumf"))
            for line in SPELLINGS[spelling]]


def rows(spelling, element, m, n, starts):
    """A reduction of each row, of numbers that a start is combined with."""
    def dims(fixed):
        return "".join(f"{extent}x" for extent in fixed)
    a, r = f"tensor<{dims((m, n))}{element}>", f"tensor<{dims((m,))}{element}>"
    lines = "\n    ".join(body(spelling, element))
    start = "" if starts else f"""  %low = arith.constant {MINUS[element]} : {element}
  %i0 = arith.constant 0 : index
  %rows = tensor.dim %a, %i0 : {a}
  %none = tensor.empty({'%rows' if m == '?' else ''}) : {r}
  %start = linalg.fill ins(%low : {element}) outs(%none : {r}) -> {r}
"""
    return f"""func.func @k(%a: {a}{f', %start: {r}' if starts else ''}) -> {r} {{
{start}  %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}}
      ins(%a : {a}) outs(%start : {r}) {{
  ^bb0(%x: {element}, %acc: {element}):
    {lines}
    linalg.yield %y : {element}
  }} -> {r}
  return %r : {r}
}}
"""


def products(spelling, m, n, k):
    """Over the log semiring: the product is the sum."""
    lines = "\n    ".join(body(spelling, "f32"))
    a, b, c = f"tensor<{m}x{k}xf32>", f"tensor<{k}x{n}xf32>", f"tensor<{m}x{n}xf32>"
    return f"""func.func @k(%a: {a}, %b: {b}, %c: {c}) -> {c} {{
  %r = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}} ins(%a, %b : {a}, {b}) outs(%c : {c}) {{
  ^bb0(%f: f32, %g: f32, %acc: f32):
    %x = arith.addf %f, %g : f32
    {lines}
    linalg.yield %y : f32
  }} -> {c}
  return %r : {c}
}}
"""


def running(spelling, m, n):
    """Each result so far, of each row."""
    whole, one = f"tensor<{m}x{n}xf32>", f"tensor<{m}x1xf32>"
    lines = "\n    ".join(body(spelling, "f32", one))
    return f"""func.func @k(%a: {whole}, %start: {one}) -> {whole} {{
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %n = arith.constant {n} : index
  %none = tensor.empty() : {whole}
  %last, %all = scf.for %i = %i0 to %n step %i1 iter_args(%acc = %start, %out = %none) -> ({one}, {whole}) {{
    %x = tensor.extract_slice %a[0, %i] [{m}, 1] [1, 1] : {whole} to {one}
    {lines}
    %next = tensor.insert_slice %y into %out[0, %i] [{m}, 1] [1, 1] : {one} into {whole}
    scf.yield %y, %next : {one}, {whole}
  }}
  return %all : {whole}
}}
"""


def log_sum_exp(terms):
    if any(math.isnan(term) for term in terms):
        return NAN
    largest = max(terms)
    if math.isinf(largest):
        return largest
    return largest + math.log(math.fsum(math.exp(term - largest) for term in terms))


def rounded(values, element):
    return list(struct.unpack(f"<{len(values)}{CODES[element]}", struct.pack(f"<{len(values)}{CODES[element]}", *values)))


def draw(rng, count, element):
    """Rows of several kinds: `count` numbers."""
    most = 200.0 if element == "f16" else 3000.0
    kind = rng.randrange(8)
    values = [rng.uniform(-most, most) if kind < 2 else rng.uniform(-3, 3) for _ in range(count)]
    if kind == 2:
        values = [-INF] * count
    if kind == 3:
        values[rng.randrange(count)] = INF
    if kind == 4:
        values[rng.randrange(count)] = NAN
    if kind == 5:
        values = [-INF if rng.random() < 0.5 else value for value in values]
    if kind == 6:
        values = [-most] * count
    return rounded(values, element)


def runs_of(chosen, name, text, arrays, expected, element, terms, shapes=(), only=TARGETS):
    path = chosen.out / f"{name}.mlir"
    path.write_text(text)
    flags = list(shapes)
    for i, (shape, values) in enumerate(arrays):
        npy.write(chosen.out / f"{name}_{i}.npy", element, shape, values)
        flags.append(f"--input=arg{i}={chosen.out / f'{name}_{i}.npy'}")
    for target, stages in only:
        out = chosen.out / f"{name}_{target.replace(':', '_')}.npy"

        def wrong(out=out):
            for i, (seen, value) in enumerate(zip(npy.read(out, element), expected, strict=True)):
                # An exponential and a logarithm each lose a few units, of numbers of this size.
                bound = (terms + 16) * 2.0 ** (1 - DIGITS[element]) * max(1, abs(value)) if math.isfinite(value) else 0
                if math.isnan(value) != math.isnan(seen) or not (math.isnan(value) or seen == value or abs(seen - value) <= bound):
                    return f"element {i} is {seen}, not {value}"
            return None

        where = {"ptx": ["--target", "sm_80", "--device", "ptx"], "cpu": ["--target", "host", "--device", "host"]}.get(target, ["--target", target])
        yield suite.Run(f"{name}_{target}", [chosen.distaff, "run", path, *where, "--check", *stages, *flags, f"--output=res0={out}"], after=wrong, compares=False)


def row_runs(chosen, rng):
    for spelling in SPELLINGS:
        for element, m, n, starts, dynamic in (("f32", 9, 513, True, False), ("f32", 5, 1, False, False), ("f32", 7, 333, False, True), ("f64", 6, 100, True, False),
                                               ("f16", 8, 64, False, False), ("f32", 2, 70001, False, False)):
            if n > 60000 and spelling != "log1p":
                continue
            name = f"{spelling}_{element}_{m}x{n}_{'start' if starts else 'none'}{'_dynamic' if dynamic else ''}"
            values = [draw(rng, n, element) for _ in range(m)]
            arrays = [((m, n), sum(values, []))]
            start = rounded([rng.choice((-INF, -2.0, 1e3 if element != "f16" else 10.0, 0.5)) for _ in range(m)], element) if starts else [-INF] * m
            if starts:
                arrays.append(((m,), start))
            text = rows(spelling, element, *(("?", "?") if dynamic else (m, n)), starts)
            expected = rounded([log_sum_exp([first, *row]) for first, row in zip(start, values)], element)
            yield from runs_of(chosen, name, text, arrays, expected, element, math.log2(n + 1), only=TARGETS[1:4:2] if n > 60000 else TARGETS)


def product_runs(chosen, rng):
    m, n, k = 17, 24, 33
    for spelling in SPELLINGS:
        a, b = [draw(rng, k, "f32") for _ in range(m)], rounded([rng.uniform(-9, 9) for _ in range(k * n)], "f32")
        c = rounded([rng.choice((-INF, 1.0, -400.0)) for _ in range(m * n)], "f32")
        expected = rounded([log_sum_exp([c[i * n + j], *(rounded([a[i][l] + b[l * n + j]], "f32")[0] for l in range(k))]) for i in range(m) for j in range(n)], "f32")
        yield from runs_of(chosen, f"product_{spelling}", products(spelling, m, n, k), [((m, k), sum(a, [])), ((k, n), b), ((m, n), c)], expected, "f32", k)


def running_runs(chosen, rng):
    m, n = 33, 150
    for spelling in ("plain", "log1p", "jax"):
        # Infinities are as in rows; a bound on the way grows with each step.
        values = [rounded([-INF if rng.random() < 0.1 else rng.uniform(-200, 200) for _ in range(n)], "f32") for _ in range(m)]
        start = rounded([rng.choice((-INF, 0.25)) for _ in range(m)], "f32")
        expected = rounded([log_sum_exp([first, *row[:i + 1]]) for first, row in zip(start, values) for i in range(n)], "f32")
        yield from runs_of(chosen, f"running_{spelling}", running(spelling, m, n), [((m, n), sum(values, [])), ((m, 1), start)], expected, "f32", n, only=TARGETS[:4])


def main():
    chosen = suite.options()
    rng = random.Random(14)
    suite.main([*row_runs(chosen, rng), *product_runs(chosen, rng), *running_runs(chosen, rng)], chosen, one_in=4)


main()
