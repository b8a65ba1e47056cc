"""Matrix products whose tiles fewer workgroups share out than there are tiles, on whole
numbers, whose sums are exact, compared with products computed here.

    python3 persistent.py OUT_DIR [--distaff PATH]

Grids are those of a `lowering_config` with `resident` workgroups, from 1 to more than
there are tiles, and those of grid functions that a user wrote, of up to three dimensions
and of more workgroups than tiles. A workgroup's panels are those of all its tiles: what
orders two of them is planted away, and the machine has to find the race.
"""
import argparse
import json
import math
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
import references

parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--distaff", default="distaff")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)
checks = failures = 0


def report(wrong, *what):
    global checks, failures
    checks += 1
    failures += bool(wrong)
    print("FAIL" if wrong else "ok", *what, *([wrong] if wrong else []))


class Product:
    """C = A B, of `element` numbers into f32, dynamic unless its shape is fixed: (batches, m, n, k) by `tile` (m, n, k),
    a subgroup's box being `box` (m, n)."""

    def __init__(self, name, sizes, tile, box, kind="", element="f32", batched=False, static=False):
        self.name, self.sizes, self.tile, self.box, self.kind = name, sizes, tile, box, kind
        self.element, self.batched, self.static = element, batched, static

    def counts(self):
        """Tiles along the columns, the rows and the batches."""
        batches, m, n, _ = self.sizes
        return [-(-n // self.tile[1]), -(-m // self.tile[0]), batches]

    def tiles(self):
        return math.prod(self.counts())

    def shapes(self):
        batches, m, n, k = self.sizes
        batch = (batches,) if self.batched else ()
        return (*batch, m, k), (*batch, k, n), (*batch, m, n)

    def source(self, resident=None):
        z, zero = ("1, ", "0, ") if self.batched else ("", "")
        config = (f"workgroup = [{z}{self.tile[0]}, {self.tile[1]}, 0], subgroup = [{z}{self.box[0]}, {self.box[1]}, 0], "
                  f"reduction = [{zero}0, 0, {self.tile[2]}]")
        config += f", mma_kind = #iree_gpu.mma_layout<{self.kind}>" * bool(self.kind) + f", resident = {resident}" * (resident is not None)
        a, b, c = (f"tensor<{''.join(f'{extent if self.static else chr(63)}x' for extent in shape)}{element}>"
                   for shape, element in zip(self.shapes(), (self.element, self.element, "f32")))
        dims = [("a", 0, a), ("a", 1, a), ("b", 2, b)] if self.batched else [("a", 0, a), ("b", 1, b)]
        lines, extents = [], []
        for tensor, dim, type in [] if self.static else dims:
            lines += [f"%c{tensor}{dim} = arith.constant {dim} : index", f"%{tensor}{dim} = tensor.dim %{tensor}, %c{tensor}{dim} : {type}"]
            extents += [f"%{tensor}{dim}"]
        op = "linalg.batch_matmul" if self.batched else "linalg.matmul"
        lines += [f"%e = tensor.empty({', '.join(extents)}) : {c}", "%z = arith.constant 0.0 : f32",
                  f"%f = linalg.fill ins(%z : f32) outs(%e : {c}) -> {c}",
                  f"%r = {op} {{lowering_config = #iree_gpu.lowering_config<{{{config}}}>}} ins(%a, %b : {a}, {b}) outs(%f : {c}) -> {c}",
                  f"return %r : {c}"]
        return f"func.func @k(%a: {a}, %b: {b}) -> {c} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"

    def grid_function(self, grid):
        arguments = 0 if self.static else sum(len(shape) for shape in self.shapes()[:2])
        lines = [f"  %n{i} = arith.constant {count} : index\n" for i, count in enumerate(grid)]
        return (f"func.func @k__grid({', '.join(f'%a{i}: index' for i in range(arguments))}) -> (index, index, index) attributes {{host}} {{\n"
                f"{''.join(lines)}  return %n0, %n1, %n2 : index, index, index\n}}\n")

    def inputs(self):
        """Files of whole numbers, and their product."""
        rng = random.Random(str(self.sizes))
        batches, m, n, k = self.sizes
        a, b = ([rng.randint(-4, 4) for _ in range(math.prod(shape))] for shape in self.shapes()[:2])
        flags = []
        for i, (values, shape) in enumerate(zip((a, b), self.shapes())):
            flags += ["--input", f"arg{i}={npy.write(options.out / f'{self.name}{i}.npy', self.element, shape, values)}"]
        return flags, [value for z in range(batches) for value in references.matmul(a[z * m * k:][:m * k], b[z * k * n:][:k * n], m, n, k)]


def distaff(*arguments):
    return fork_server.run([options.distaff, *arguments])


def run(path, product, *flags):
    """What is wrong with a run, in words, and what it printed."""
    inputs, expected = product.inputs()
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    done = distaff("run", path, *inputs, "--output", f"res0={result}", *flags)
    if done.returncode:
        return done.stderr.strip()[:400] or done.stdout.strip()[-400:] or f"exit {done.returncode}", done.stdout
    found = npy.read(result, "f32")
    wrong = [i for i, (x, y) in enumerate(zip(found, expected)) if x != y]
    if len(found) != len(expected):
        return f"{len(found)} numbers, expected {len(expected)}", done.stdout
    return f"{len(wrong)} of {len(expected)} wrong, first at {wrong[0]}" if wrong else "", done.stdout


def write(name, text):
    path = options.out / f"{name}.mlir"
    path.write_text(text)
    return path


def flags_for(target, way="none", device="simt"):
    return ["--target", target, "--pipeline", "run-cluster", "--specialize", way, "--device", device]


def counted(product):
    """Grids below, at and above the number of tiles."""
    tiles = product.tiles()
    return sorted({count for count in (1, 2, 3, tiles - 1, tiles, tiles + 3) if count > 0})


NV, MFMA = "NV_MMA_SYNC_F32_16x8x16_F16", "MFMA_F32_16x16x16_F16"
MMA = Product("mma", (1, 70, 40, 33), (32, 16, 16), (16, 16), NV, "f16")
BATCHES = Product("batches", (3, 9, 17, 7), (8, 16, 4), (4, 16), batched=True)
CDNA = Product("cdna", (1, 50, 70, 20), (32, 32, 16), (16, 32), MFMA, "f16")
WHOLE = Product("whole", (1, 96, 32, 48), (32, 16, 16), (16, 16), NV, "f16", static=True)


turn = depth.Turns(3)


def check_residents():
    """The grid is the smaller of both numbers; every result is right."""
    for product, target, way, devices, residents in [
            (MMA, "sm_80", "none", ("simt", "ptx"), counted(MMA)), (MMA, "sm_80", "producer-consumer", ("simt", "ptx"), counted(MMA)),
            (BATCHES, "sm_80", "none", ("simt", "ptx"), (1, 5, 11, 100)), (BATCHES, "sm_80", "producer-consumer", ("ptx",), (5,)),
            (CDNA, "gfx942", "none", ("simt",), (1, 4, 5, 6)), (CDNA, "gfx942", "producer-consumer", ("simt",), (4,)),
            (WHOLE, "sm_80", "none", ("simt", "ptx"), (1, 4, 6)), (WHOLE, "sm_80", "producer-consumer", ("ptx",), (4,))]:
        for resident in turn.of(residents):
            path = write(f"{product.name}-{resident}", product.source(resident))
            for device in devices:
                said, printed = run(path, product, *flags_for(target, way, device), "--counters")
                report(said, product.name, target, way, device, f"resident {resident} of {product.tiles()}")
    for way in ("none", "producer-consumer"):
        said, _ = run(write("stages", MMA.source(2)), MMA, *flags_for("sm_80", way), "--check", "--every-stage")
        report(said, "every stage", way)


def check_extents():
    """Nothing to add up, and nothing to compute."""
    for sizes in depth.some([(1, 40, 33, 0), (1, 0, 33, 20), (1, 40, 0, 20), (1, 1, 1, 1), (1, 33, 17, 49)], 2):
        product = Product("extents", sizes, MMA.tile, MMA.box, NV, "f16")
        for way in ("none", "producer-consumer"):
            # A launch of no workgroups is none.
            for device in ("simt", "ptx") if product.tiles() else ("simt",):
                said, _ = run(write("extents", product.source(2)), product, *flags_for("sm_80", way, device))
                report(said, "extents", *sizes, way, device)


def check_grids():
    """Whatever grid a user's function returns, every tile is computed once: of one loop through all tiles, and of one per
    dimension, which the static product has, whose tiles are fewer than what is resident."""
    tiles = MMA.tiles()
    for product, grids in [(MMA, [(1, 2, 1), (2, 2, 2), (tiles + 2, 1, 1), (2, tiles, 3)]),
                           (WHOLE, [(1, 1, 1), (2, 1, 1), (1, 2, 1), (2, 2, 1), (3, 1, 1), (3, 4, 2)])]:
        for grid in turn.of(grids):
            path = write("grid", product.source() + product.grid_function(grid))
            for device in ("simt", "ptx"):
                said, _ = run(path, product, *flags_for("sm_80", device=device))
                report(said, "grid", *grid, "of", *product.counts(), device)


def check_schedules():
    for way in ("none", "producer-consumer"):
        for target, product in [("sm_80", MMA), ("gfx942", CDNA)]:
            path = write("schedules", product.source(2))
            for seed in turn.of(range(6)):
                said, _ = run(path, product, *flags_for(target, way), "--schedule", str(seed))
                report(said, "schedule", seed, target, way)


def check_code():
    """There is a loop through the six tiles only where it may run twice; packages have the formula of the grid."""
    def tile_loops(text):
        return len(re.findall(r"scf\.for .* = (?:%block_id_x|%c0) to %c6 ", text))

    for resident, loops in [(1, 1), (5, 1), (6, 0), (7, 0), (None, 0)]:
        done = distaff("compile", write("code", WHOLE.source(resident)), *flags_for("sm_80")[:-2], "--stop-after=concretize")
        report(done.stderr or ("" if tile_loops(done.stdout) == loops else f"{tile_loops(done.stdout)} loops"), "loops, resident", resident)
        if resident == 1:
            barriers = done.stdout.count("global_subgroup_barrier")
            report("" if barriers == 2 else f"{barriers} barriers", "two barriers, of a step: none between tiles")
    package = options.out / "k.package"
    done = distaff("compile", write("package", MMA.source(7)), *flags_for("sm_80")[:-2], "--emit", "package", "-o", package)
    text = package.read_bytes() if not done.returncode else b"{}"
    manifest = json.JSONDecoder().raw_decode(text[text.index(b"{"):].decode("latin-1"))[0]
    grid = manifest["launches"][0]["grid"] if manifest else None
    columns, rows = ["ceildiv", ["extent", 3], 16], ["ceildiv", ["extent", 0], 32]
    products = [["multiply", rows, columns], ["multiply", columns, rows]]
    report("" if grid and grid[0] in [["minimum", x, 7] for x in products] and grid[1:] == [1, 1] else str(grid), "package")


BARRIER = re.compile(r" *iree_gpu\.fence release workgroup\n *iree_gpu\.global_subgroup_barrier\n *iree_gpu\.fence acquire workgroup\n")


def check_order():
    """A step of the reduction ends with a barrier. Without it a kernel of one step is right as long as a workgroup has one
    tile, so its two tiles are ordered where the loop through them is made; without that, too, there is a race."""
    product = Product("order", (1, 70, 40, 16), MMA.tile, MMA.box, NV, "f16")
    flags = flags_for("sm_80")
    done = distaff("compile", write("order", product.source(2)), *flags[:-2], "--stop-after=promote-to-shared-memory")
    barriers = list(re.finditer(r" *pcf\.barrier.*\n", done.stdout))
    report(done.stderr or ("" if len(barriers) == 2 else f"{len(barriers)} barriers"), "two barriers per step")
    if len(barriers) != 2:
        return
    ordered = write("ordered", done.stdout[:barriers[1].start()] + done.stdout[barriers[1].end():])
    for seed in range(4):
        for device in ("simt", "ptx"):
            said, _ = run(ordered, product, *flags[:-1], device, "--schedule", str(seed))
            report(said, "ordered between tiles", device, seed)
    done = distaff("compile", ordered, *flags[:-2], "--stop-after=concretize")
    barriers = list(BARRIER.finditer(done.stdout))
    report(done.stderr or ("" if len(barriers) == 2 else f"{len(barriers)} barriers"), "one per step, one per tile")
    if len(barriers) != 2:
        return
    lanes = done.stdout[:barriers[1].start()] + done.stdout[barriers[1].end():]
    for seed in range(4):
        said, _ = run(write("lanes", lanes), product, *flags, "--schedule", str(seed))
        report("" if "race" in said else said or "no race is found", "planted: unordered tiles", seed)


check_code()
check_order()
check_residents()
check_extents()
check_grids()
check_schedules()
print(f"{checks} checks, {failures} failures")
sys.exit(failures > 0)
