"""Products over semirings, whole and cut along every loop; what they are vectorized to.

usage: semirings.py OUT_DIR [options of suite.py]

Each is one `distaff.contract` per step, the rest of K included, where its inputs have
numbers that change nothing behind the end; else the rest is masked.
"""
import math
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

TARGETS = ("sm_80", "gfx942", "gfx1100")
SHAPES = ((32, 64, 32), (13, 45, 67), (1, 7, 5), (70, 1, 33), (33, 129, 1))
# name: types of a, b and c, start, ops that make %p of %x and %y and combine it with %z, whether the rest is a contract
SEMIRINGS = {
    "max_plus_i32": ("i32", "i32", "i32", "-2147483648", "%q = arith.shrsi %x, %one : i32\n%p = arith.addi %q, %y : i32\n%r = arith.maxsi %z, %p : i32", True),
    "min_max_f32": ("f32", "f32", "f32", "0x7F800000", "%p = arith.maximumf %x, %y : f32\n%r = arith.minimumf %z, %p : f32", True),
    "squared_distance": ("f32", "f32", "f32", "0.0", "%d = arith.subf %x, %y : f32\n%p = arith.mulf %d, %d : f32\n%r = arith.addf %z, %p : f32", True),
    "distance_f16": ("f16", "f16", "f32", "0.0", "%u = arith.extf %x : f16 to f32\n%v = arith.extf %y : f16 to f32\n%d = arith.subf %u, %v : f32\n%p = math.absf %d : f32\n%r = arith.addf %z, %p : f32", True),
    "product_of_sums": ("f32", "f32", "f32", "1.0", "%p = arith.addf %x, %y : f32\n%r = arith.mulf %z, %p : f32", True),
    "xor_and_i8": ("i8", "i8", "i8", "0", "%p = arith.andi %x, %y : i8\n%r = arith.xori %z, %p : i8", True),
    "hamming": ("i32", "i32", "i32", "0", "%d = arith.xori %x, %y : i32\n%p = math.ctpop %d : i32\n%r = arith.addi %z, %p : i32", True),
    "or_and_bits": ("i1", "i1", "i1", "false", "%p = arith.andi %x, %y : i1\n%r = arith.ori %z, %p : i1", True),
    "and_or_bits": ("i1", "i1", "i1", "true", "%p = arith.ori %x, %y : i1\n%r = arith.andi %z, %p : i1", None),
    "log_sum_exp_plus": ("f32", "f32", "f32", "0xFF800000", "%p = arith.addf %x, %y : f32\n%m = arith.maximumf %z, %p : f32\n%u = arith.subf %z, %m : f32\n%v = arith.subf %p, %m : f32\n"
                         "%eu = math.exp %u : f32\n%ev = math.exp %v : f32\n%t = arith.addf %ev, %eu : f32\n%l = math.log %t : f32\n%r = arith.addf %l, %m : f32", True),
    # Of no two numbers it is 0.
    "never_nothing": ("f32", "f32", "f32", "0.0", "%u = arith.mulf %x, %x : f32\n%v = arith.mulf %y, %y : f32\n%w = arith.addf %u, %v : f32\n%p = arith.addf %w, %half : f32\n%r = arith.addf %z, %p : f32", False),
}
# Whose bound grows with every term of the source: compared with float64 here.
BY_DEFINITION = "log_sum_exp_plus"
INPUTS = {"f32": "random:{}:-1:1", "f16": "random:{}:-1:1", "i32": "random:{}:-1000:1000", "i8": "random:{}:-128:127", "i1": "random:{}:0:1"}


def kernel(name, m, n, k):
    a, b, c, start, body, _ = SEMIRINGS[name]
    constant = "%s = arith.constant " + (start if c == "i1" else f"{start} : {c}")
    inside = "\n    ".join((["%one = arith.constant 1 : i32"] if "%one" in body else []) + (["%half = arith.constant 0.5 : f32"] if "%half" in body else []) + body.split("\n"))
    return f"""func.func @{name}(%a: tensor<{m}x{k}x{a}>, %b: tensor<{k}x{n}x{b}>) -> tensor<{m}x{n}x{c}> {{
  {constant}
  %e = tensor.empty() : tensor<{m}x{n}x{c}>
  %i = linalg.fill ins(%s : {c}) outs(%e : tensor<{m}x{n}x{c}>) -> tensor<{m}x{n}x{c}>
  %o = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}} ins(%a, %b : tensor<{m}x{k}x{a}>, tensor<{k}x{n}x{b}>) outs(%i : tensor<{m}x{n}x{c}>) {{
  ^bb0(%x: {a}, %y: {b}, %z: {c}):
    {inside}
    linalg.yield %r : {c}
  }} -> tensor<{m}x{n}x{c}>
  return %o : tensor<{m}x{n}x{c}>
}}
"""


def lacks_contracts(path, name):
    """A `before` of suite.Run: what the vectors of a kernel should have been."""
    wanted = SEMIRINGS[name][-1]

    def says(text):
        contracts, reductions = text.count("distaff.contract"), text.count("vector.multi_reduction") + text.count(", %reduced")
        if wanted is True and (not contracts or reductions):
            return f"{contracts} contracts, {reductions} reductions\n{text[:1500]}"
        if wanted is False and "arith.select" not in text:
            return f"nothing is masked\n{text[:1500]}"
        return None
    return says


def by_definition(chosen, path, target, m, n, k):
    """A run whose result is log(sum over k of exp(a + b)), some of a without any power."""
    rng = random.Random(f"{m} {n} {k}")
    single = lambda x: struct.unpack("<f", struct.pack("<f", x))[0]
    a = [-math.inf if rng.random() < 0.1 and k > 1 else single(rng.uniform(-9, 9)) for _ in range(m * k)]
    b = [single(rng.uniform(-9, 9)) for _ in range(k * n)]
    for row in range(m):  # of nothing at all the source has no number
        a[row * k] = 1.5
    left, right, out = (path.with_suffix(f".{target}.{part}.npy") for part in "abc")
    npy.write(left, "f32", (m, k), a)
    npy.write(right, "f32", (k, n), b)

    def wrong():
        got = npy.read(out, "f32")
        for i in range(m):
            for j in range(n):
                wanted = math.log(math.fsum(math.exp(a[i * k + p] + b[p * n + j]) for p in range(k)))
                if not abs(got[i * n + j] - wanted) <= 1e-5 * max(1, abs(wanted)):
                    return f"[{i}, {j}] is {got[i * n + j]}, expected {wanted}"
        return None if len(got) == m * n else f"{len(got)} numbers"
    command = [chosen.distaff, "run", str(path), "--target", target, f"--input=arg0={left}", f"--input=arg1={right}", f"--output=res0={out}"]
    return command, wrong


def runs(chosen):
    for name, (a, b, *_) in SEMIRINGS.items():
        for m, n, k in SHAPES:
            path = chosen.out / f"{name}_{m}_{n}_{k}.mlir"
            path.write_text(kernel(name, m, n, k))
            for target in TARGETS:
                inputs = [f"--input=arg{number}={INPUTS[kind].format(number + 1)}" for number, kind in enumerate((a, b))]
                before = ([chosen.distaff, "compile", str(path), "--target", target, "--stop-after=vectorize"], lacks_contracts(path, name))
                before = before if m > 1 and n > 1 and k == 67 else None
                if name == BY_DEFINITION:
                    command, wrong = by_definition(chosen, path, target, m, n, k)
                    yield suite.Run(f"{name} {m}x{n}x{k} {target}", command, before=before, after=wrong, compares=False)
                    continue
                yield suite.Run(f"{name} {m}x{n}x{k} {target}", [chosen.distaff, "run", str(path), "--target", target, "--check", "--every-stage", *inputs],
                                before=before)


if __name__ == "__main__":
    chosen = suite.options()
    suite.main(list(runs(chosen)), chosen, one_in=5)
