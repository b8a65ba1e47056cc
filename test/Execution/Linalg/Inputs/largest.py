"""Where the largest element is, as exporters say it, of ties and of NaNs.

usage: largest.py OUT_DIR [options of suite.py]

The element is taken by maximumf and its kin, the place by a comparison. Of equal ones
the first is it; a NaN is the largest and the least, and where one is the place is that
of the best of the others.
"""
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

TARGETS = ("sm_80", "gfx942")
SHAPES = ((13, 301), (1, 7), (5, 1), (64, 256), (3, 40000))
INF = {"f32": ("0xFF800000", "0x7F800000"), "f16": ("0xFC00", "0x7C00"), "i32": ("-2147483648", "2147483647"), "i8": ("0", "-1")}
# name: element, what takes the element, comparison, whether the candidate is its first operand, whether the largest is taken, whether NaNs are
FORMS = {
    "maximumf": ("f32", "arith.maximumf", "arith.cmpf ogt", True, True, True),
    "maximumf_turned": ("f32", "arith.maximumf", "arith.cmpf olt", False, True, True),
    "minimumf": ("f16", "arith.minimumf", "arith.cmpf olt", True, False, True),
    "maxnumf": ("f32", "arith.maxnumf", "arith.cmpf ogt", True, True, False),
    "maxsi": ("i32", "arith.maxsi", "arith.cmpi sgt", True, True, None),
    "minui": ("i8", "arith.minui", "arith.cmpi ugt", False, False, None),
}


def kernel(name, m, n):
    element, take, compare, is_first, is_largest, _ = FORMS[name]
    sides = "%x, %best" if is_first else "%best, %x"
    return f"""func.func @{name}(%a: tensor<{m}x{n}x{element}>) -> (tensor<{m}x{element}>, tensor<{m}xi64>) {{
  %start = arith.constant {INF[element][not is_largest]} : {element}
  %zero = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<{m}x{element}>
  %e1 = tensor.empty() : tensor<{m}xi64>
  %f0 = linalg.fill ins(%start : {element}) outs(%e0 : tensor<{m}x{element}>) -> tensor<{m}x{element}>
  %f1 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<{m}xi64>) -> tensor<{m}xi64>
  %r:2 = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}} ins(%a : tensor<{m}x{n}x{element}>) outs(%f0, %f1 : tensor<{m}x{element}>, tensor<{m}xi64>) {{
  ^bb0(%x: {element}, %best: {element}, %place: i64):
    %j = linalg.index 1 : index
    %i = arith.index_cast %j : index to i64
    %v = {take} %x, %best : {element}
    %c = {compare}, {sides} : {element}
    %p = arith.select %c, %i, %place : i64
    linalg.yield %v, %p : {element}, i64
  }} -> (tensor<{m}x{element}>, tensor<{m}xi64>)
  return %r#0, %r#1 : tensor<{m}x{element}>, tensor<{m}xi64>
}}
"""


def run_of(name, m, n, target, chosen):
    element, _, _, _, is_largest, takes_nans = FORMS[name]
    rng = random.Random(f"{name} {m} {n}")
    path = chosen.out / f"{name}.{m}x{n}.mlir"
    path.write_text(kernel(name, m, n))
    # Of few numbers many are equal; of rows of one a NaN is all there is.
    values = [rng.randint(-9, 9) if element != "i8" else rng.randint(-128, 127) for _ in range(m * n)]
    if takes_nans is not None and n > 1:
        for row in range(0, m, 3):
            values[row * n + rng.randrange(n)] = math.nan
    files = [path.with_suffix(f".{target}.{part}.npy") for part in ("a", "value", "place")]
    npy.write(files[0], element, (m, n), values)

    def wrong():
        best, place = npy.read(files[1], element), npy.read(files[2], "i64")
        for row in range(m):
            key = {at: x if element != "i8" else x % 256 for at, x in enumerate(values[row * n:(row + 1) * n]) if x == x}
            at = (max if is_largest else min)(key, key=key.get)
            wanted = math.nan if takes_nans and len(key) < n else values[row * n + at]
            if place[row] != at or not (best[row] == wanted or (best[row] != best[row] and wanted != wanted)):
                return f"row {row}: {best[row]} at {place[row]}, expected {wanted} at {at}"
        return None
    command = [chosen.distaff, "run", str(path), "--target", target, f"--input=arg0={files[0]}", f"--output=res0={files[1]}", f"--output=res1={files[2]}"]
    return suite.Run(f"{name} {m}x{n} {target}", command, after=wrong, compares=False)


if __name__ == "__main__":
    chosen = suite.options()
    suite.main([run_of(name, m, n, target, chosen) for name in FORMS for m, n in SHAPES for target in TARGETS], chosen, one_in=3)
