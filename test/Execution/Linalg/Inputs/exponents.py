"""Exponentials of attention whose scale and maximum are taken into one multiply-add (VX-262, VX-263).

usage: exponents.py OUT_DIR [options of suite.py]

Row i of the scores is q_i times column 0 of the keys, an exact product, so that softmax in float64, computed here, is what
the result must be: of ordinary numbers, of numbers to 3e38, around the size from which the factor is a power of two, of
equal ones, with keys of -inf, inf and NaN, first ones or all, under masks, with scales that are positive, negative, zero
and divided by. With --strict-fp all come out as well, without the multiply-add.
"""
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

ROWS, KEYS, WIDTH = 16, 160, 16
INF = "0xFF800000"
# What makes scores %y of a product %x, and of positions: key %j, row %i.
SCALES = {"eighth": ("%y = arith.mulf %x, %c : f32", 0.125), "first": ("%y = arith.mulf %c, %x : f32", 0.3), "divided": ("%y = arith.divf %x, %c : f32", 8.0),
          "large": ("%y = arith.mulf %x, %c : f32", 5.0), "negative": ("%y = arith.mulf %x, %c : f32", -0.125), "zero": ("%y = arith.mulf %x, %c : f32", 0.0),
          "none": ("%y = arith.addf %x, %c : f32", 0.0)}
MASKS = {"all": None, "causal": ("ule, %j, %i", lambda i, j: j <= i), "late": ("uge, %j, %n", lambda i, j: j >= 100), "no_key": ("ugt, %n, %n", lambda i, j: False)}


def scored(scale, mask):
    """The body that makes a score of %x."""
    line, constant = SCALES[scale]
    masked = []
    if MASKS[mask]:
        masked = ["%i = linalg.index 0 : index", "%j = linalg.index 1 : index", "%n = arith.constant 100 : index",
                  f"%m = arith.cmpi {MASKS[mask][0]} : index", f"%f = arith.constant {INF} : f32", "%z = arith.select %m, %y, %f : f32"]
    return "\n    ".join([f"%c = arith.constant {constant} : f32", line, *masked, f"linalg.yield {'%z' if masked else '%y'} : f32"])


def softmax(base, s, r):
    """The weights %quot of the scores, of types s and of a row's r, by the steps that a softmax is taken apart into."""
    each, of_row = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (i)>"
    parallel = 'iterator_types = ["parallel", "parallel"]'
    reduced = 'iterator_types = ["parallel", "reduction"]'
    return f"""%top = linalg.generic {{indexing_maps = [{each}, {of_row}], {reduced}}} ins(%scores : {s}) outs(%lr : {r}) {{
  ^bb0(%x: f32, %o: f32):
    %t = arith.maxnumf %x, %o : f32
    linalg.yield %t : f32
  }} -> {r}
  %pow = linalg.generic {{indexing_maps = [{each}, {of_row}, {each}], {parallel}}} ins(%scores, %top : {s}, {r}) outs(%es : {s}) {{
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %t = math.{base} %d : f32
    linalg.yield %t : f32
  }} -> {s}
  %sum = linalg.generic {{indexing_maps = [{each}, {of_row}], {reduced}}} ins(%pow : {s}) outs(%zr : {r}) {{
  ^bb0(%x: f32, %o: f32):
    %t = arith.addf %x, %o : f32
    linalg.yield %t : f32
  }} -> {r}
  %quot = linalg.generic {{indexing_maps = [{each}, {of_row}, {each}], {parallel}}} ins(%pow, %sum : {s}, {r}) outs(%es : {s}) {{
  ^bb0(%x: f32, %y: f32, %o: f32):
    %t = arith.divf %x, %y : f32
    linalg.yield %t : f32
  }} -> {s}
"""


def text(scale, mask, base, type_):
    """Attention of f32 or of f16 inputs; the softmax is taken apart, with exp or exp2."""
    q, k, s, r, o = (f"tensor<{shape}xf32>" for shape in (f"{ROWS}x{WIDTH}", f"{KEYS}x{WIDTH}", f"{ROWS}x{KEYS}", f"{ROWS}", f"{ROWS}x{WIDTH}"))
    ins, weights = (q.replace("f32", type_), k.replace("f32", type_)), s.replace("f32", type_)
    rows, cols = "affine_map<(i, j, d) -> (i, d)>", "affine_map<(i, j, d) -> (j, d)>"
    widen = [f"%{x}e = arith.extf %{x} : f16 to f32" for x in "ab"] if type_ == "f16" else []
    a, b = ("%ae", "%be") if widen else ("%a", "%b")
    product = "\n    ".join([*widen, f"%p = arith.mulf {a}, {b} : f32", "%t = arith.addf %o, %p : f32", "linalg.yield %t : f32"])
    each, parallel = "affine_map<(i, j) -> (i, j)>", 'iterator_types = ["parallel", "parallel"]'
    narrow = f"""%w = linalg.generic {{indexing_maps = [{each}, {each}], {parallel}}} ins(%quot : {s}) outs(%ew : {weights}) {{
  ^bb0(%x: f32, %o: f16):
    %t = arith.truncf %x : f32 to f16
    linalg.yield %t : f16
  }} -> {weights}""" if widen else ""
    return f"""func.func @attention(%q: {ins[0]}, %k: {ins[1]}, %v: {ins[1]}) -> {o} {{
  %zero = arith.constant 0.0 : f32
  %least = arith.constant {INF} : f32
  %es = tensor.empty() : {s}
  %ew = tensor.empty() : {weights}
  %er = tensor.empty() : {r}
  %eo = tensor.empty() : {o}
  %zs = linalg.fill ins(%zero : f32) outs(%es : {s}) -> {s}
  %zr = linalg.fill ins(%zero : f32) outs(%er : {r}) -> {r}
  %zo = linalg.fill ins(%zero : f32) outs(%eo : {o}) -> {o}
  %lr = linalg.fill ins(%least : f32) outs(%er : {r}) -> {r}
  %raw = linalg.generic {{indexing_maps = [{rows}, {cols}, affine_map<(i, j, d) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}} ins(%q, %k : {ins[0]}, {ins[1]}) outs(%zs : {s}) {{
  ^bb0(%a: {type_}, %b: {type_}, %o: f32):
    {product}
  }} -> {s}
  %scores = linalg.generic {{indexing_maps = [{each}, {each}], {parallel}}} ins(%raw : {s}) outs(%es : {s}) {{
  ^bb0(%x: f32, %o: f32):
    {scored(scale, mask)}
  }} -> {s}
  {softmax(base, s, r)}  {narrow}
  %out = linalg.generic {{indexing_maps = [affine_map<(i, d, j) -> (i, j)>, affine_map<(i, d, j) -> (j, d)>, affine_map<(i, d, j) -> (i, d)>], iterator_types = ["parallel", "parallel", "reduction"]}} ins({'%w' if widen else '%quot'}, %v : {weights}, {ins[1]}) outs(%zo : {o}) {{
  ^bb0(%a: {type_}, %b: {type_}, %o: f32):
    {product}
  }} -> {o}
  return %out : {o}
}}
"""


RNG = random.Random(7)
draw = lambda low, high: [RNG.uniform(low, high) for _ in range(KEYS)]
spaced = lambda first, step: [first + step * RNG.randrange(-8, 9) for _ in range(KEYS)]
# Of the first column of the keys. The scale of an eighth makes the factor 0.18, which is 2^28 where keys are 1.49e9.
# The last key of `crosses` takes the maximum over that border, after steps with the exact factor.
COLUMNS = {"crosses": [1488522112.0] * (KEYS - 1) + [1488522240.0], "ordinary": draw(-40, 40), "thousands": draw(-9e4, 9e4), "millions": spaced(3e6, 1), "before_coarse": spaced(1.48e9, 128), "coarse": spaced(1.5e9, 128),
           "negative_coarse": spaced(-1.5e9, 128), "billions": draw(-1e12, 1e12), "huge": [RNG.choice((-3e38, 3e38, 1e30, 0)) for _ in range(KEYS)],
           "lowest": [-3.4e38] * KEYS, "equal": [5.0] * KEYS, "subnormal": [RNG.choice((1e-40, -1e-45, 0.0)) for _ in range(KEYS)],
           "steps": [float(j) for j in range(KEYS)], "first_infinite": [-math.inf] * 100 + draw(-4, 4)[:KEYS - 100],
           "all_infinite": [-math.inf] * KEYS, "infinity": [*draw(-4, 4)[1:], math.inf], "nan": [math.nan, *draw(-4, 4)[1:]]}


def f32(value):
    return npy.from_bytes(npy.to_bytes([value], "f32"), "f32")[0]


def rounded(values, element):
    return npy.from_bytes(npy.to_bytes(values, element), element)


class Case:
    def __init__(self, scale, mask, column, base="exp", element="f32"):
        self.scale, self.mask, self.base, self.element = scale, mask, base, element
        self.name = f"{scale}_{mask}_{column}_{base}_{element}"
        limit = 60000.0 if element == "f16" else math.inf
        keys = [x if math.isinf(x) else min(max(x, -limit), limit) for x in COLUMNS[column]]
        self.first, self.q = rounded(keys, element), [2.0 ** -(i % 3) for i in range(ROWS)]
        rng = random.Random(3)
        self.v = rounded([rng.uniform(-1, 1) for _ in range(KEYS * WIDTH)], element)

    def arrays(self):
        q = [self.q[i] if d == 0 else 0.0 for i in range(ROWS) for d in range(WIDTH)]
        k = [self.first[j] if d == 0 else 0.0 for j in range(KEYS) for d in range(WIDTH)]
        return (q, (ROWS, WIDTH)), (k, (KEYS, WIDTH)), (self.v, (KEYS, WIDTH))

    def score(self, i, j):
        line, constant = SCALES[self.scale]
        x = f32(self.q[i] * self.first[j])
        y = x / constant if "divf" in line else x + constant if "addf" in line else x * f32(constant)
        y = f32(y) if abs(y) < 3.4e38 else y
        return y if not MASKS[self.mask] or MASKS[self.mask][1](i, j) else -math.inf

    def row(self, i):
        """The result, and how near it is: weights of f16 are rounded, and coarse factors let keys that are 16 apart count."""
        scores = [self.score(i, j) for j in range(KEYS)]
        most = max((y for y in scores if y == y), default=-math.inf)
        if math.isinf(most) or any(y != y for y in scores):
            return [math.nan] * WIDTH, 0
        power = math.exp if self.base == "exp" else lambda x: 2.0 ** x
        powers = [power(y - most) if y - most > -1000 else 0.0 for y in scores]
        total = math.fsum(powers)
        far = max((abs(y - most) for y, e in zip(scores, powers) if e > 1e-12), default=0)
        coarse = 4e-5 * KEYS if abs(most) * 1.4427 >= 2 ** 27.9 else 0
        bound = 2 ** -23 * (8 + KEYS / 8 + 2 * far) + coarse + (2 ** -10 if self.element == "f16" else 0)
        # A scaled score is rounded, by what may be more than its distance to the largest; the folded one is not.
        bound += 0 if self.scale in ("eighth", "none", "zero", "negative", "divided") else abs(most) * 2 ** -23
        return [math.fsum(e / total * self.v[j * WIDTH + d] for j, e in enumerate(powers)) for d in range(WIDTH)], bound

    def wrong(self, found):
        for i in range(ROWS):
            wanted, bound = self.row(i)
            for d, want in enumerate(wanted):
                got = found[i * WIDTH + d]
                if got != got if want == want else got == got:
                    return f"row {i}, column {d} is {got}, not {want}"
                if want == want and not abs(got - want) <= bound:
                    return f"row {i}, column {d} is {got!r}, not {want!r} within {bound}"
        return None


CASES = [*(Case("eighth", mask, column) for column in COLUMNS for mask in ("all", "causal")),
         *(Case(scale, mask, column) for scale in SCALES for mask in MASKS for column in ("ordinary", "first_infinite")
           if scale != "eighth" or mask in ("late", "no_key")),
         *(Case(scale, "causal", column, "exp2") for scale in ("none", "eighth") for column in ("ordinary", "millions", "huge", "first_infinite")),
         *(Case("eighth", "late", column, "exp", "f16") for column in ("ordinary", "thousands", "first_infinite", "equal"))]
# Of the scales that are not positive the maximum is of scaled scores.
FOLDED = {"eighth": "0.180336", "first": "0.43280", "divided": "0.180336", "large": "7.2134", "negative": "1.44269", "zero": "1.44269", "none": "1.44269"}


def runs(chosen):
    for at, case in enumerate(CASES):
        path = chosen.out / f"{case.name}.mlir"
        path.write_text(text(case.scale, case.mask, case.base, case.element))
        flags = []
        for number, (values, shape) in enumerate(case.arrays()):
            given = chosen.out / f"{case.name}_{number}.npy"
            npy.write(given, case.element, shape, values)
            flags += ["--input", f"arg{number}={given}"]
        for label, more in (("sm_80", ["--target", "sm_80"]), ("ptx", ["--target", "sm_80", "--device", "ptx"]), ("gfx942", ["--target", "gfx942"]),
                            ("strict", ["--target", "sm_80", "--strict-fp"])):
            out = chosen.out / f"{case.name}_{label}.npy"
            command = [chosen.distaff, "run", str(path), *more, "--config", "reduction=0x0x32", *flags, "--output", f"res0={out}"]
            yield suite.Run(f"{case.name} {label}", command, compares=False, after=lambda case=case, out=out: case.wrong(npy.read(out, "f32")))


def check_code(chosen):
    """The factor that each scale becomes, once; none with --strict-fp."""
    for scale, factor in FOLDED.items():
        path = chosen.out / f"code_{scale}.mlir"
        path.write_text(text(scale, "causal", "exp", "f32"))
        for strict in (False, True):
            done = suite.distaff(chosen, "compile", path, "--target", "sm_80", "--config", "reduction=0x0x32", "--stop-after", "tile", *(["--strict-fp"] if strict else []))
            if done.returncode or "scf.for" not in done.stdout or ("math.fma" in done.stdout) == strict or (factor in done.stdout) == strict:
                sys.exit(f"{scale}, strict {strict}: exit {done.returncode}, no factor {factor}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    chosen = suite.options()
    if not chosen.only:
        check_code(chosen)
    suite.main(list(runs(chosen)), chosen, one_in=9)
