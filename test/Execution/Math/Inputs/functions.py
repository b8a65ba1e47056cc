"""Every math function.

Run it by hand:

    python3 functions.py OUT_DIR [--only NAME]
"""
import itertools
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

FUNCTIONS = ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1",
            "log", "log10", "log1p", "log2", "sin", "sinh", "tan", "tanh"]
# With the same number, or 3, as the second operand.
BODIES = {"atan2": "%y = math.atan2 %x, %x : {1}",
          "powf": "%c = arith.constant 3.0 : {1}\n    %y = math.powf %x, %c : {1}",
          "fpowi": "%c = arith.constant 3 : i32\n    %y = math.fpowi %x, %c : {1}, i32"}
FUNCTIONS += BODIES
# What expands sinh of f32 leaves that of f64 to the library: its sum of exponentials has no digits around 0.
BODIES["sinh_of_both"] = """%n = arith.truncf %x : f64 to f32
    %m = math.sinh %n : f32
    %e = arith.extf %m : f32 to f64
    %d = math.sinh %x : f64
    %zero = arith.constant 0.0 : f64
    %p = arith.cmpf olt, %x, %zero : f64
    %y = arith.select %p, %e, %d : f64"""
ELEMENTS = ["f32", "f16", "f64"]
RANGES = [(-1, 1), (0.9, 1.1), (-10, 10), (-100, 100), (-6e4, 6e4)]
SPECIAL = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan]


def numbers(element):
    generator = random.Random(1)
    values = SPECIAL + [generator.uniform(*range_) for range_ in RANGES for _ in range(400)]
    low, high = (-149, 127.9) if element == "f32" else (-24, 15.9)
    while len(values) < 4096:
        values.append(generator.choice((-1, 1)) * 2 ** generator.uniform(low, high))
    # exp or the cube of these may overflow f16 or not.
    return [0.5 if element == "f16" and (11 < value < 11.2 or 40 < abs(value) < 40.6) else value for value in values]


def text(function, element):
    tensor = f"tensor<4096x{element}>"
    return f"""func.func @kernel(%a: {tensor}) -> {tensor} {{
  %empty = tensor.empty() : {tensor}
  %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
      ins(%a : {tensor}) outs(%empty : {tensor}) {{
  ^bb0(%x: {element}, %o: {element}):
    {BODIES.get(function, "%y = math.{0} %x : {1}").format(function, element)}
    linalg.yield %y : {element}
  }} -> {tensor}
  return %r : {tensor}
}}
"""


def runs(chosen):
    targets = ("sm_80", "gfx942")
    cases = list(itertools.product(FUNCTIONS, ELEMENTS, targets))
    # All of them on this CPU, those of f64 by C's library.
    cases += [(function, element, "host") for function in FUNCTIONS for element in ELEMENTS] + [("sinh_of_both", "f64", "host")]
    for function, element, target in cases:
        path = chosen.out / f"{function}_{element}_{target}.mlir"
        path.write_text(text(function, element))
        command = [chosen.distaff, "run", str(path), "--target", target, "--check", "--every-stage",
                   "--input", f"arg0={chosen.out / element}.npy", *(("--device", "host") if target == "host" else ())]
        yield suite.Run(path.stem, command, compares=target != "host")


if __name__ == "__main__":
    options = suite.options()
    for element in ELEMENTS:
        npy.write(options.out / f"{element}.npy", element, [4096], numbers("f16" if element == "f64" else element))
    suite.main(list(runs(options)), options, one_in=4)
