"""linalg.softmax over rows of any length, in both layouts of the specification's example C (VX-109).

usage: ragged_softmax.py OUT_DIR [options of suite.py]

Rows have lengths around the lanes and the tiles of the targets, known and unknown to the compiler; they lie over all
subgroups of a workgroup or on one subgroup each, or as the compiler chooses. One row each is of ordinary numbers, of
-inf but for one element, of -inf alone, with a NaN, of numbers whose differences overflow, of equal numbers, of numbers
to which padding by 0 would add, and with inf. The results are compared with the program as it is written and with
softmax in float64, computed here; on the CPU the emitted function also runs with its arrays between protected pages.
"""
import math
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import guarded
import npy
import suite

LENGTHS = (1, 7, 31, 33, 1000, 1023, 1025, 50257)
LANES = {"sm_80": 32, "gfx942": 64, "gfx1201": 32}
# Subgroups along rows and along the elements of a row, and rows per workgroup.
LAYOUTS = {"row_per_workgroup": ((1, 4), 1), "row_per_subgroup": ((4, 1), 4)}
EPSILON = 2.0 ** -24


def text(rows, length):
    """The kernel; a dimension is a number or `?`."""
    type_ = f"tensor<{rows}x{length}xf32>"
    sizes = [(f"%d{at}", at) for at, extent in enumerate((rows, length)) if extent == "?"]
    lines = [line for name, at in sizes for line in (f"%c{at} = arith.constant {at} : index", f"{name} = tensor.dim %x, %c{at} : {type_}")]
    lines += [f"%e = tensor.empty({', '.join(name for name, _ in sizes)}) : {type_}",
              f"%y = linalg.softmax dimension(1) ins(%x : {type_}) outs(%e : {type_}) -> {type_}", f"return %y : {type_}"]
    return f"func.func @softmax(%x: {type_}) -> {type_} {{\n  " + "\n  ".join(lines) + "\n}\n"


def numbers(length):
    rng = random.Random(length)
    draw = lambda low, high: [rng.uniform(low, high) for _ in range(length)]
    rows = [draw(-4, 4), [-math.inf] * length, [-math.inf] * length, draw(-4, 4), [rng.choice((-3e38, 3e38)) for _ in range(length)],
            [5.0] * length, draw(-95, -90), draw(-4, 4), draw(-4, 4)]
    place = rng.randrange(length)
    rows[1][length - 1], rows[3][place], rows[7][place], rows[8][length // 2] = -7.0, math.nan, math.inf, -math.inf
    return [npy.from_bytes(npy.to_bytes(row, "f32"), "f32") for row in rows]


def softmax(row):
    """A NaN, inf and a row of -inf alone make every element NaN: inf - inf is in the sum."""
    most = max(row, key=lambda x: (x == x, x))
    if any(x != x for x in row) or math.isinf(most):
        return [math.nan] * len(row)
    powers = [math.exp(x - most) for x in row]
    total = math.fsum(powers)
    return [power / total for power in powers]


class Reference:
    """Numbers, their softmax, and how near an element must be to it: the distance to the largest number is rounded,
    which exp multiplies, exp is within a few units, and a sum is of at most length / lanes numbers in a row."""

    def __init__(self, length):
        self.rows = numbers(length)
        self.wanted = [y for row in self.rows for y in softmax(row)]
        self.bounds = []
        for at, row in enumerate(self.rows):
            most = max((x for x in row if x == x), default=0)
            self.bounds += [abs(wanted) * EPSILON * (64 + length / 16 + 2 * min(most - x, 104)) + 1e-30
                            for x, wanted in zip(row, self.wanted[at * length:])]

    def wrong(self, found):
        if len(found) != len(self.wanted):
            return f"{len(found)} elements, not {len(self.wanted)}"
        for at, (is_, wanted, bound) in enumerate(zip(found, self.wanted, self.bounds)):
            if is_ != is_ if wanted == wanted else is_ == is_:
                return f"element {at} is {is_}, not {wanted}"
            if wanted == wanted and not abs(is_ - wanted) <= bound:
                return f"element {at} is {is_!r}, not {wanted!r}"
        return None


def flags_of(layout, target):
    (over_rows, over_elements), rows = LAYOUTS[layout]
    lanes = LANES[target]
    chosen = [f"workgroup={rows}x0", "thread=1x1", f"subgroup_basis=[[{over_rows},{over_elements}],[0,1]]", f"lane_basis=[[1,{lanes}],[0,1]]",
              f"workgroup_size={over_rows * over_elements * lanes}"]
    return [part for choice in chosen for part in ("--config", choice)]


def lies_so(layout):
    """Whether a kernel of that layout has rows over subgroups as its name says."""
    def says(printed):
        subgroups = set(re.findall(r"subgroup_tile = \[(\d+, \d+)\]", printed))
        wanted = ", ".join(map(str, LAYOUTS[layout][0]))
        return None if wanted in subgroups else f"subgroups over rows and elements are {subgroups}, not {wanted}"
    return says


def between_pages(chosen, path, length, reference):
    """What is wrong with the emitted function of a CPU, whose arrays are between protected pages."""
    data = npy.to_bytes([x for row in reference.rows for x in row], "f32")
    extents = [len(reference.rows), length] if path.stem == "any" else []
    found, wrong = guarded.results(chosen.distaff, path, "softmax", chosen.out / f"pages_{path.stem}_{length}", [data], [len(data)], extents)
    return wrong or reference.wrong(npy.from_bytes(found[0], "f32"))


def runs_of(chosen, length, is_dynamic, reference):
    rows = len(reference.rows)
    path = chosen.out / ("any.mlir" if is_dynamic else f"{length}.mlir")
    path.write_text(text("?", "?") if is_dynamic else text(rows, length))
    given = chosen.out / f"{length}.npy"
    label = f"{'unknown' if is_dynamic else 'known'}_{length}_"

    def run(name, flags, **more):
        out = chosen.out / f"{label}{name}.npy"
        command = [chosen.distaff, "run", str(path), *flags, "--input", f"arg0={given}", "--output", f"res0={out}", "--check"]
        return suite.Run(label + name, command, after=lambda: reference.wrong(npy.read(out, "f32")), **more)

    for target in LANES:
        yield run(target, ["--target", target, "--every-stage"])
        # Known rows that subgroups cannot share in equal parts are refused such a layout.
        for layout in LAYOUTS if is_dynamic or length >= 4 * LANES[target] else ():
            flags = ["--target", target, *flags_of(layout, target)]
            yield run(f"{target}_{layout}", [*flags, "--every-stage"],
                      before=([chosen.distaff, "compile", str(path), *flags, "--stop-after=assign-layouts"], lies_so(layout)))
    yield run("ptx", ["--target", "sm_80", "--device", "ptx"], compares=False)
    yield run("host", ["--target", "host"])
    on_pages = run("pages", ["--target", "host", "--device", "host"], compares=False)
    compare = on_pages.after
    on_pages.after = lambda: compare() or between_pages(chosen, path, length, reference)
    yield on_pages


def all_runs(chosen):
    for length in LENGTHS:
        reference = Reference(length)
        npy.write(chosen.out / f"{length}.npy", "f32", (len(reference.rows), length), [x for row in reference.rows for x in row])
        for is_dynamic in (False, True):
            yield from runs_of(chosen, length, is_dynamic, reference)


if __name__ == "__main__":
    chosen = suite.options()
    suite.main(list(all_runs(chosen)), chosen, one_in=7)
