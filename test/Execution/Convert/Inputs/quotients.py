"""Quotients of f32 with and without --strict-fp, by Python, and by --check (VX-287).

usage: quotients.py OUT_DIR [options of suite.py]

With the flag each is the nearest f32 of all numbers, bit for bit; without it GPUs multiply by reciprocals, within 2.5 units
in the last place (docs/ScalarOps.md). Dividends and divisors are random bit patterns, among them subnormal numbers, zeros of
both signs, infinities and NaN, and neighbours of each other, whose quotients are near ties.
"""
import math
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

COUNT = 4096
SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -1.0, 3.0, 2.0**-126, 2.0**-149, 2.0**-127, 2.0**126, 2.0**127, 3.4028234663852886e38]
TEXT = f"""func.func @quotients(%a: tensor<{COUNT}xf32>, %b: tensor<{COUNT}xf32>) -> tensor<{COUNT}xf32> {{
  %e = tensor.empty() : tensor<{COUNT}xf32>
  %r = linalg.div ins(%a, %b : tensor<{COUNT}xf32>, tensor<{COUNT}xf32>) outs(%e : tensor<{COUNT}xf32>) -> tensor<{COUNT}xf32>
  return %r : tensor<{COUNT}xf32>
}}
"""


def f32_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def nearest(value):
    """The f32 nearest to a double; beyond the largest one is an infinity."""
    try:
        return f32_of(bits_of(value))
    except OverflowError:
        return math.copysign(math.inf, value)


def quotient(a, b):
    """The nearest f32: a double has enough digits that its rounding is not rounded again to another number."""
    if math.isnan(a) or math.isnan(b) or (a == 0 and b == 0) or (math.isinf(a) and math.isinf(b)):
        return math.nan
    if b == 0 or math.isinf(a):
        return math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))
    return nearest(a / b)


def numbers():
    rng = random.Random(1)
    pairs = [(a, b) for a in SPECIAL for b in SPECIAL]
    while len(pairs) < COUNT:
        a, b = (f32_of(rng.getrandbits(32)) for _ in range(2))
        kind = rng.random()
        if kind < 0.4:  # neighbours, or of one size
            a, b = (f32_of((bits_of(a) & 0x807FFFFF) | exponent << 23) for exponent in (130, 127 if kind < 0.2 else 128))
            b = b if kind < 0.3 else nearest(a * (1 + rng.choice((-1, 1, 2)) * 2.0**-23))
        pairs.append((a, b))
    return [a for a, _ in pairs], [b for _, b in pairs]


def distance(made, wanted):
    """Units in the last place between two numbers; one is infinite or NaN: 0 if both are."""
    if math.isnan(wanted) or math.isinf(wanted):
        return 0 if made == wanted or (math.isnan(made) and math.isnan(wanted)) else math.inf
    if math.isnan(made) or math.isinf(made):
        return math.inf
    unit = max(2.0 ** (math.frexp(wanted)[1] - 24), 2.0**-149) if wanted else 2.0**-149
    return abs(made - wanted) / unit


def runs(chosen):
    path = chosen.out / "quotients.mlir"
    path.write_text(TEXT)
    a, b = numbers()
    files = [npy.write(chosen.out / f"{name}.npy", "f32", (COUNT,), values) for name, values in (("a", a), ("b", b))]
    wanted = [quotient(x, y) for x, y in zip(a, b)]
    for flags in (["sm_80"], ["sm_80", "--device", "ptx"], ["gfx942"], ["gfx1201"], ["host", "--device", "host"]):
        for is_strict in (True, False):
            result = chosen.out / f"{'-'.join(flags)}{is_strict}.npy"
            is_exact = is_strict or flags[0] == "host"

            def after(result=result, is_exact=is_exact):
                far = [(distance(made, want), x, y, made, want) for made, want, x, y in zip(npy.read(result, "f32"), wanted, a, b, strict=True)
                       if distance(made, want) > (0 if is_exact else 2.5) or math.copysign(1, made) != math.copysign(1, want) and not math.isnan(want)]
                return f"{len(far)} quotients are off, as {far[:3]}" if far else None
            name, command = " ".join(flags), [chosen.distaff, "run", str(path), "--target", *flags, *(["--strict-fp"] if is_strict else [])]
            yield suite.Run(f"{name} {'strict' if is_strict else 'near'}",
                            [*command, *(f"--input=arg{number}={file}" for number, file in enumerate(files)), f"--output=res0={result}"], after=after, compares=False)
            # Of random numbers, which have no quotient beyond the range, the nearest are told from their neighbours.
            yield suite.Run(f"{name} {'strict' if is_strict else 'near'} checked", [*command, "--check"], exact=is_exact, compares=False)


if __name__ == "__main__":
    chosen = suite.options()
    suite.main(list(runs(chosen)), chosen)
