"""Operands of tf32, rounded where they are stored into shared memory (VX-274), on the SIMT machine and as PTX.

    python3 staged_rounding.py OUT_DIR [--only NAME]

The reference rounds each number by its definition, to 11 digits and ties away from zero, and multiplies in float64. A product
of two rounded numbers is exact in f32, so that where at most one of them is not zero the result is too; a sum may differ by the
roundings of its additions, of which even all together are less than a number cut off would be. The PTX of a kernel whose
operands are staged by plain stores has no conversion; that of one whose operands come by asynchronous copies has them.
"""
import math
import random
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

CONVERSION = "cvt.rna.tf32.f32"


def of_bits(bits):
    return struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0]


# The last digit that tf32 has is 0x2000. Ties, their neighbours, carries into the exponent, subnormal numbers, what
# becomes an infinity, and what is none.
EDGES = [0x00000000, 0x3F800000, 0x3F801000, 0x3F800FFF, 0x3F801001, 0x3F803000, 0x3FFFF000, 0x3FFFEFFF, 0x00000001, 0x00000FFF, 0x00001000,
         0x00003000, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0x7F7FEFFF, 0x7F7FF000, 0x7F800000, 0x7FC00000, 0x7FFFFFFF]


def rounded(x):
    """x to 11 binary digits, ties away from zero."""
    if x == 0 or not math.isfinite(x):
        return x
    unit = 2.0 ** (max(math.frexp(x)[1], -125) - 11)
    size = math.floor(abs(x) / unit + 0.5) * unit
    return math.copysign(size if size < 2.0**128 else math.inf, x)


def edges(random_, rows, columns):
    return [of_bits(random_.choice(EDGES) | random_.getrandbits(1) << 31) for _ in range(rows * columns)]


def numbers(random_, rows, columns):
    """Of all mantissas, and sizes near each other."""
    return [of_bits(random_.getrandbits(23) | random_.randint(124, 130) << 23 | random_.getrandbits(1) << 31) for _ in range(rows * columns)]


def selection(random_, rows, columns):
    """At most one number that is not zero in each row and each column: a power of two."""
    values = [0.0] * (rows * columns)
    for row, column in zip(random_.sample(range(rows), min(rows, columns)), range(columns)):
        values[row * columns + column] = random_.choice((1.0, -1.0, 0.5, -0.5))
    return values


def difference(got, a, b, m, n, k):
    """The first number that is not what the definition says."""
    a, b = map(rounded, a), map(rounded, b)
    a, b = list(a), list(b)
    columns = [b[j::n] for j in range(n)]
    for i in range(m):
        for j in range(n):
            terms = [x * y for x, y in zip(a[i * k:(i + 1) * k], columns[j])]
            exact, found = sum(terms), got[i * n + j]
            if math.isnan(exact) and math.isnan(found) or exact == found:
                continue
            roundings = max(sum(term != 0 for term in terms) - 1, 0)
            if not abs(exact - found) <= roundings * 2.0**-23 * sum(map(abs, terms)):
                return f"({i}, {j}) is {found!r}, not {exact!r}"
    return None


def product(m, n, k, transposed):
    shapes = {"a": (k, m) if "a" in transposed else (m, k), "b": (n, k) if "b" in transposed else (k, n), "c": (m, n)}
    dims = {"a": "d2, d0" if "a" in transposed else "d0, d2", "b": "d1, d2" if "b" in transposed else "d2, d1", "c": "d0, d1"}
    a, b, c = (f"tensor<{rows}x{columns}xf32>" for rows, columns in shapes.values())
    maps = ", ".join(f"affine_map<(d0, d1, d2) -> ({dim})>" for dim in dims.values())
    return f"""func.func @product(%a: {a}, %b: {b}) -> {c} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {c}
  %i = linalg.fill ins(%zero : f32) outs(%e : {c}) -> {c}
  %r = linalg.matmul indexing_maps = [{maps}] ins(%a, %b : {a}, {b}) outs(%i : {c}) -> {c}
  return %r : {c}
}}
"""


def turned(values, rows, columns):
    return [values[i * columns + j] for j in range(columns) for i in range(rows)]


def run_of(chosen, name, seed, extents, transposed, target, device, contents, flags, converts):
    m, n, k = extents
    path, left, right, result = (chosen.out / f"{name}{end}" for end in (".mlir", ".a.npy", ".b.npy", ".out.npy"))
    random_ = random.Random(seed)
    a, b = contents[0](random_, m, k), contents[1](random_, k, n)

    def prepare():
        path.write_text(product(m, n, k, transposed))
        for file, values, shape, is_turned in ((left, a, (m, k), "a" in transposed), (right, b, (k, n), "b" in transposed)):
            npy.write(file, "f32", shape[::-1] if is_turned else shape, turned(values, *shape) if is_turned else values)

    def says(ptx):
        if "mma.sync" not in ptx:
            return "no mma.sync"
        return None if converts in (CONVERSION in ptx, None) else f"{ptx.count(CONVERSION)} conversions"

    flags = ["--target", target, "--allow-tf32", *flags]
    command = [chosen.distaff, "run", path, *flags, "--device", device, f"--input=arg0={left}", f"--input=arg1={right}", f"--output=res0={result}"]
    if device == "simt":
        command.append("--stop-after=convert")
    return suite.Run(name, command, prepare=prepare, before=([chosen.distaff, "compile", path, *flags, "--emit", "ptx"], says),
                     after=lambda: difference(npy.read(result, "f32"), a, b, m, n, k), compares=False)


STAGED = ["--config", "promote_operands=0,1", "--config", "workgroup=64x64x0"]
# Extents, flags, and whether there are conversions; an operand that is not staged, as A of the second, has its own.
CASES = [((64, 64, 32), STAGED, False), ((128, 64, 32), [*STAGED, "--config", "reduction=0x0x16"], None), ((32, 48, 40), STAGED, None),
         ((33, 17, 9), STAGED, None), ((128, 128, 32), ["--pipeline", "run-cluster"], True)]
CONTENTS = {"left": (edges, selection), "right": (selection, edges), "both": (numbers, numbers)}


def main():
    chosen = suite.options()
    runs = []
    for number, (extents, flags, converts) in enumerate(CASES):
        for turn, transposed in enumerate(("", "a", "b", "ab")):
            for kind, contents in CONTENTS.items():
                for target, device in (("sm_80", "simt"), ("sm_80", "ptx"), ("sm_90a", "ptx")):
                    name = f"{'x'.join(map(str, extents))}_{transposed or 'plain'}_{kind}_{target}_{device}"
                    if converts and (transposed or (target, device) != ("sm_80", "simt")):
                        continue
                    runs.append(run_of(chosen, name, 7 * number + turn, extents, transposed, target, device, contents, flags, converts))
    suite.main(runs, chosen, one_in=13)


main()
