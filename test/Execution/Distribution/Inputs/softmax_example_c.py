"""Softmax of rows of 1024 by 128 lanes, laid out both ways (VX-109): one row over all
subgroups, which meet twice in workgroup memory, and four rows, one per subgroup, which
never meet; whole rows, and rows that end before the layout does, read with -inf and
cut when written (W17). Judged by this file, by --check on every stage and as PTX, with
the shuffles and barriers that the layouts cost.

    python3 softmax_example_c.py OUT_DIR [--only NAME]
"""
import math
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
from kernels import Layout, suite

INFO = "#iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>"
OVER_ALL = Layout(2, S=[1, 4], B=[1, 2], T=[1, 32], E=[1, 4], ss=[0, 1], ts=[0, 1])
BY_SUBGROUP = Layout(2, S=[4, 1], B=[1, 8], T=[1, 32], E=[1, 4], ss=[1, 0], ts=[0, 1])
# Five rounds between 32 lanes, twice, in each of four subgroups; the sum of 4 partial results is every lane's own.
CASES = [("over_all", OVER_ALL, 1, 1024, 40, 2), ("by_subgroup", BY_SUBGROUP, 4, 1024, 40, 0),
         ("over_all_ragged", OVER_ALL, 1, 1000, 40, 2), ("by_subgroup_ragged", BY_SUBGROUP, 4, 777, 40, 0), ("over_all_short", OVER_ALL, 1, 3, 40, 2)]


def text(layout, rows, columns):
    memory, whole, part = f"memref<{rows}x{columns}xf32>", f"vector<{rows}x1024xf32>", f"vector<{rows}xf32>"
    bounds = f"{{in_bounds = [true, {str(columns == 1024).lower()}]}}"

    def spread(value, to):
        return [f"{to}_t = vector.broadcast {value} : {part} to vector<1024x{rows}xf32>",
                f"{to} = vector.transpose {to}_t, [1, 0] : vector<1024x{rows}xf32> to {whole}"]

    lines = ["%c0 = arith.constant 0 : index", "%out = arith.constant 0xFF800000 : f32", f"%least = arith.constant dense<0xFF800000> : {part}",
             f"%none = arith.constant dense<-0.0> : {part}", f"%r = vector.transfer_read %x[%c0, %c0], %out {bounds} : {memory}, {whole}",
             f"%a = iree_vector_ext.to_layout %r to layout({layout}) : {whole}",
             f"%m = vector.multi_reduction <maximumf>, %a, %least [1] : {whole} to {part}", *spread("%m", "%mm"), f"%d = arith.subf %a, %mm : {whole}",
             f"%e = math.exp %d : {whole}", f"%s = vector.multi_reduction <add>, %e, %none [1] : {whole} to {part}", *spread("%s", "%ss"),
             f"%q = arith.divf %e, %ss : {whole}", f"vector.transfer_write %q, %y[%c0, %c0] {bounds} : {whole}, {memory}", "return"]
    return f"func.func @softmax(%x: {memory}, %y: {memory}) attributes {{translation_info = {INFO}}} {{\n  " + "\n  ".join(lines) + "\n}\n"


def softmax(row):
    most = max(row)
    terms = [math.exp(x - most) for x in row]
    return [term / math.fsum(terms) for term in terms]


def wrong(path, expected):
    found = npy.read(path, "f32")
    for at, (is_, wanted) in enumerate(zip(found, expected)):
        if not abs(is_ - wanted) <= 1e-5 * wanted + 1e-30:
            return f"element {at} is {is_} instead of {wanted}"
    return None if len(found) == len(expected) else f"{len(found)} elements"


def runs(chosen, name, layout, rows, columns, shuffles, barriers):
    path, out = chosen.out / f"{name}.mlir", chosen.out / f"{name}.npy"
    path.write_text(text(layout, rows, columns))
    rng = random.Random(name)
    values = [rng.randint(-400, 400) / 16 for _ in range(rows * columns)]
    expected = [y for row in range(rows) for y in softmax(values[row * columns:(row + 1) * columns])]
    source = npy.write(chosen.out / f"{name}_x.npy", "f32", [rows, columns], values)
    command = [chosen.distaff, "run", str(path), "--target", "sm_80", "--input", f"arg0={source}", "--output", f"arg1={out}"]

    def counted(printed):
        seen = [int(re.search(rf"{what}\s+(\d+)", printed)[1]) for what in ("shuffles", "barriers")]
        return None if seen == [shuffles, barriers] else f"{seen} shuffles and barriers instead of {[shuffles, barriers]}"

    yield suite.Run(name, [*command, "--check", "--every-stage"], before=([*command, "--counters"], counted), after=lambda: wrong(out, expected))
    yield suite.Run(name + "_ptx", [*command, "--device", "ptx", "--check"], compares=False, after=lambda: wrong(out, expected))


def main():
    chosen = suite.options()
    suite.main([run for case in CASES for run in runs(chosen, *case)], chosen)


main()
