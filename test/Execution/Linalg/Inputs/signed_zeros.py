"""Sums of nothing but -0, which are -0 in whatever parts they are added (VX-246): split among launches, among loops, by lanes, of
known and dynamic extents.

usage: signed_zeros.py OUT_DIR
"""
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

MACHINES = [("sm_80", "simt"), ("gfx942", "simt"), ("host", "host")]
SHAPES = [(1, 5), (3, 1000), (64, 64), (1, 100000)]


def kernel(rows, columns):
    whole, sums = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}xf32>"
    return f"""func.func @sum(%x: {whole}, %a: {sums}) -> {sums} {{
  %r = linalg.reduce {{ arith.addf }} ins(%x : {whole}) outs(%a : {sums}) dimensions = [1]
  return %r : {sums}
}}
"""


def run_of(chosen, rows, columns, dynamic, strict, target, device):
    name = f"{rows}x{columns}{'.dynamic' if dynamic else ''}{'.strict' if strict else ''}.{target}"
    path, x, a, result = (chosen.out / f"{name}{end}" for end in (".mlir", ".x.npy", ".a.npy", ".out.npy"))

    def prepare():
        path.write_text(kernel("?", "?") if dynamic else kernel(rows, columns))
        npy.write(x, "f32", [rows, columns], [-0.0] * (rows * columns))
        npy.write(a, "f32", [rows], [-0.0] * rows)

    def wrong():
        sums = npy.read(result, "f32")
        return None if all(s == 0 and math.copysign(1, s) < 0 for s in sums) else f"sums are {sums[:4]}"

    command = [chosen.distaff, "run", path, "--target", target, "--device", device, f"--input=arg0={x}", f"--input=arg1={a}", f"--output=res0={result}"]
    return suite.Run(name, command + ["--strict-fp"] * strict, prepare=prepare, after=wrong, compares=False)


def main():
    chosen = suite.options()
    runs = [run_of(chosen, rows, columns, dynamic, strict, target, device) for rows, columns in SHAPES for target, device in MACHINES
            for dynamic, strict in ((False, False), (True, False), (False, True)) if not (strict and columns > 1000)]
    suite.main(runs, chosen, one_in=2)


main()
