"""VX-48: registers that matrix stores put into shared memory, on the SIMT machine
and as PTX.

Random layouts of an accumulator's form are converted to layouts that copy rows, and
to each other, so that both sides may go by matrix instructions. Of each kernel the
values are right at every stage, what the plan says is what is emitted and counted
(as in random_conversions.py), and where it has no bank conflicts the PTX has none.
Layouts that are nearly tiles come out right without the instruction.
"""
import random
import re
import sys

from kernels import Kernel, Layout, suite, vector
from random_conversions import Counted, all_runs
from tile_layouts import BITS, Tiles, copy_layout

SEEN = {}  # (plain or trans, tiles) -> kernels
STORE = re.compile(r"distaff\.stmatrix ((?:%[\w#]+, )*%[\w#]+) into .*?( \{transpose\})? :")


def stores_in(text):
    """Per op, how many words it stores, and how."""
    return [(words.count("%"), "trans" if trans else "plain") for words, trans in STORE.findall(text)]


def near_tiles(r, shape, element):
    """What looks like tiles: lanes numbered by columns, or words that are halves."""
    rank = len(shape)
    four, eight = r.sample(range(rank), 2)
    one = [1] * rank
    T, ts, E, B = one[:], [0] * rank, one[:], list(shape)
    T[four], T[eight] = 4, 8
    ts[four], ts[eight], E[four] = (8, 1, 32 // BITS[element]) if r.random() < 0.5 else (1, 4, 32 // BITS[element] // 2)
    for d in range(rank):
        if not E[d] or B[d] % (T[d] * E[d]):
            return None
        B[d] //= T[d] * E[d]
    return Layout(rank, B=B, T=T, E=E, ts=ts)


def store(number):
    r = random.Random(9000 + number)
    subgroups = r.choice([1, 2, 4])
    element = r.choice(["f16", "f16", "f16", "bf16", "i16", "i8", "f8E4M3FN", "f32", "i32"])
    tiles = Tiles(r, element, subgroups, r.choice([2, 2, 2, 3]))
    shape = tiles.layout.shape()
    source, target = tiles.layout, copy_layout(r, shape, element, subgroups)
    near = near_tiles(r, shape, element) if r.random() < 0.2 else None
    if near:
        source = near
    if r.random() < 0.3:
        other = Tiles(r, element, subgroups, tiles.rank)
        if other.layout.shape() == shape:
            target = other.layout
    kernel = Kernel(f"store_{number}", 32 * subgroups)
    kernel.target, kernel.element, kernel.shape, kernel.forced = "sm_90a", element, shape, True
    kernel.read("%x", shape, element, source)
    kernel.line(f"%y = iree_vector_ext.to_layout %x to layout({target}) {{shared_memory_conversion}} : {vector(shape, element)}")
    kernel.write("%y", shape, element)
    kernel.near = near
    return kernel


def matrices_are_planned(counted):
    """What distribution makes of a plan's stores is what it says."""
    explained, wrong = counted.plans()
    if wrong:
        return wrong
    command = [counted.chosen.distaff, "compile", *counted.flags, "--stop-after=distribute"]
    stores = stores_in(suite.execute(command).stdout)
    for tiles, form in set(stores):
        SEEN[form, tiles] = SEEN.get((form, tiles), 0) + 1
    if counted.kernel.near:
        return f"{stores} of what is no tile" if stores else None
    planned = [plan["store"] for plan in explained["conversions"] if plan["store"]["instruction"]]
    names = {f"stmatrix.x{tiles}{'.trans' if form == 'trans' else ''}" for tiles, form in stores}
    if {plan["instruction"] for plan in planned} != names:
        return f"{names} instead of {planned}"
    emitted = sum(code["count"] for code in explained["code"] if code["kind"] == "store" and code["instruction"] == "stmatrix")
    if emitted != len(stores):
        return f"{emitted} matrix stores after lower, {len(stores)} before"
    return None


def with_matrices(kernel, run, chosen):
    counted = Counted(kernel, chosen)
    command, says = run.before

    def all_says(stdout):
        return says(stdout) or matrices_are_planned(counted)

    run.before = command, all_says


def as_ptx(kernel, chosen):
    counted = Counted(kernel, chosen)

    def says(stdout):
        conflicts = int(re.search(r"bank conflicts +(\d+)", stdout)[1])
        explained, wrong = counted.plans()
        if wrong or not conflicts:
            return wrong
        sides = [plan[side] for plan in explained["conversions"] for side in ("store", "load")]
        planned = sum(side["wavefronts"] - side["ideal"] for side in sides)
        return None if planned else f"{conflicts} bank conflicts in the PTX, none planned"

    return [*counted.command(), "--device", "ptx"], says


kernels = [store(number) for number in suite.taken("--programs") or range(48, 104)]
chosen = suite.options()
every = []
named = {kernel.name: kernel for kernel in kernels}
for run in all_runs(kernels, chosen):
    kernel = named[run.name.removesuffix("_ptx").removesuffix("_whole")]
    if run.name.endswith("_ptx"):
        run.before = as_ptx(kernel, chosen)
    else:
        with_matrices(kernel, run, chosen)
    every.append(run)
try:
    suite.main(every, chosen, one_in=11)
except SystemExit as end:
    kinds = {(form, tiles) for form in ("plain", "trans") for tiles in (1, 2, 4)}
    print("matrix stores:", ", ".join(f"x{tiles} {form} in {SEEN[form, tiles]}" for form, tiles in sorted(SEEN)))
    if not chosen.only and not suite.depth.IS_QUICK and kinds - set(SEEN):
        print("never seen:", sorted(kinds - set(SEEN)))
        sys.exit(1)
    raise end
