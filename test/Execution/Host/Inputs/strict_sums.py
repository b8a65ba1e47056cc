"""Strict sums of f32 on this CPU under each strategy, against sums in order.

    python3 strict_sums.py OUT_DIR [--only NAME] [--distaff PATH]

Numbers differ by many powers of two, so that nearly every other order, or a product that is
not rounded, gives other bits. The reference rounds each step in f64 to f32, which is exact for
one addition or one product of f32 (53 >= 2 * 24 + 2 bits).
"""
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

M, N, K = 8, 8, 24
REDUCE = f"""func.func @k(%a: memref<{M}x{K}xf32>, %r: memref<{M}xf32>) attributes {{distaff.strategies = {{STRATEGY}}}} {{
  %c0 = arith.constant 0 : index
  %start = arith.constant dense<0.75> : vector<{M}xf32>
  %v = vector.load %a[%c0, %c0] : memref<{M}x{K}xf32>, vector<{M}x{K}xf32>
  %s = vector.multi_reduction <add>, %v, %start [1] : vector<{M}x{K}xf32> to vector<{M}xf32>
  vector.store %s, %r[%c0] : memref<{M}xf32>, vector<{M}xf32>
  return
}}
"""
CONTRACT = f"""func.func @k(%a: memref<{M}x{K}xf32>, %b: memref<{N}x{K}xf32>, %r: memref<{M}x{N}xf32>) attributes {{distaff.strategies = {{STRATEGY}}}} {{
  %c0 = arith.constant 0 : index
  %start = arith.constant dense<0.75> : vector<{M}x{N}xf32>
  %v = vector.load %a[%c0, %c0] : memref<{M}x{K}xf32>, vector<{M}x{K}xf32>
  %w = vector.load %b[%c0, %c0] : memref<{N}x{K}xf32>, vector<{N}x{K}xf32>
  %s = vector.contract {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}} %v, %w, %start : vector<{M}x{K}xf32>, vector<{N}x{K}xf32> into vector<{M}x{N}xf32>
  vector.store %s, %r[%c0, %c0] : memref<{M}x{N}xf32>, vector<{M}x{N}xf32>
  return
}}
"""


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def numbers(rng, count):
    return [single(rng.choice((-1, 1)) * rng.uniform(1, 2) * 2.0 ** rng.randint(-12, 12)) for _ in range(count)]


def main():
    chosen = suite.options()
    rng = random.Random(7)
    a, b = numbers(rng, M * K), numbers(rng, N * K)
    npy.write(chosen.out / "a.npy", "f32", (M, K), a)
    npy.write(chosen.out / "b.npy", "f32", (N, K), b)
    sums, products = [], []
    for m in range(M):
        total = 0.75
        for k in range(K):
            total = single(total + a[m * K + k])
        sums.append(total)
        for n in range(N):
            total = 0.75
            for k in range(K):
                total = single(total + single(a[m * K + k] * b[n * K + k]))
            products.append(total)
    runs = []
    for name, text, inputs, subject, ways, expected in (("reduce", REDUCE, ["a"], "reductions", ("ranked", "halves", "transposed", "elements"), sums),
                                                        ("contract", CONTRACT, ["a", "b"], "contractions", ("ranked", "outer", "parallel", "dot", "elements"), products)):
        for way in ways:
            label = f"{name}_{way}"
            path, out = chosen.out / f"{label}.mlir", chosen.out / f"{label}.npy"
            path.write_text(text.replace("STRATEGY", "" if way == "ranked" else f'{subject} = "{way}"'))

            def wrong(out=out, expected=expected):
                seen = npy.read(out, "f32")
                differing = sum(x != y for x, y in zip(seen, expected, strict=True))
                return f"{differing} of {len(expected)} differ" if differing else None

            command = [chosen.distaff, "run", str(path), "--target", "host", "--device", "host", "--strict-fp", f"--output=arg{len(inputs)}={out}",
                       *(f"--input=arg{i}={chosen.out / f'{each}.npy'}" for i, each in enumerate(inputs))]
            runs.append(suite.Run(label, command, after=wrong, compares=False))
    suite.main(runs, chosen)


main()
