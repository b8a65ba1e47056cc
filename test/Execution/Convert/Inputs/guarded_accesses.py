"""Lanes that load and store elements of tiles which stick out of arrays, drawn at random, on the SIMT machine after `lower`
and after `convert` and on the PTX machine.

Each of 64 lanes has a tile of up to 4x4 elements, or chunks, of arrays of any extents, 0 and 1 among them. A kernel is a list
of steps: loads of some places of the tile from `a`, `b` or the result, in any order, some places twice; stores to some
places, in any order, some twice, of different values. Guards compare rows and columns with extents, signed or not, in
tiles that begin inside or in front of the array, together with a condition on the lane or without. What a load has instead
is a constant or a value of the lane. Both machines refuse an access beyond an array, and three kernels with guards
that are wrong by one show that they do.

    python3 guarded_accesses.py OUT_DIR [--kernels N] [--distaff PATH]
"""
import argparse
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "ForkServer"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import fork_server
import npy

LANES, ACROSS, TILE = 64, 8, 4
MACHINES = [("sm_80", "ptx", ()), ("gfx942", "simt", ("--stop-after=convert",)), ("gfx1201", "simt", ("--stop-after=convert",)), ("gfx942", "simt", ())]
ELEMENTS = ("f32", "f16", "i8", "i32", "f64")


class Access:
    """`place` is a row and a column of the tile, in chunks. A store is of value number `value` of the lane; a load has
    `value` instead where its guard fails, or the constant -3 where that is none."""

    def __init__(self, array, place, value):
        self.array, self.place, self.value = array, place, value


class Kernel:
    def __init__(self, name, element, width, rows, columns, first, steps, predicate, of_lanes, slack=0):
        self.name, self.element, self.width, self.rows, self.columns, self.first = name, element, width, rows, columns, first
        self.steps, self.predicate, self.of_lanes, self.slack = steps, predicate, of_lanes, slack

    def checks_begin(self):
        """Whether guards of rows are two comparisons, instead of one and a condition on the lane."""
        return self.first < 0 and self.predicate == "slt"

    def text(self):
        moved = self.element if self.width == 1 else f"vector<{self.width}x{self.element}>"
        memref, is_float = f"memref<?x?x{self.element}>", self.element[0] == "f"
        op = "arith.addf" if is_float else "arith.addi"
        literal = lambda n: f"dense<{n}{'.0' if is_float else ''}> : {moved}" if self.width > 1 else f"{n}{'.0' if is_float else ''} : {moved}"
        lines = [f"%c{n} = arith.constant {n} : index" for n in range(2 * TILE)] + [f"%none = arith.constant {literal(-3)}", f"%one = arith.constant {literal(1)}"]
        lines += [f"%across = arith.constant {ACROSS} : index", f"%first = arith.constant {self.first} : index", f"%width = arith.constant {self.width} : index", "%t = gpu.thread_id x",
                  "%tr = arith.divui %t, %across : index", "%tc = arith.remui %t, %across : index", "%r4 = arith.muli %tr, %c4 : index", "%q4 = arith.muli %tc, %c4 : index",
                  "%r0 = arith.addi %r4, %first : index", "%q0 = arith.muli %q4, %width : index",
                  f"%m0 = memref.dim %o, %c0 : {memref}", f"%n = memref.dim %o, %c1 : {memref}", f"%slack = arith.constant {self.slack} : index", "%m = arith.addi %m0, %slack : index",
                  "%odd = arith.remui %t, %c3 : index", "%chosen = arith.cmpi ne, %odd, %c0 : index", "%v0 = arith.constant " + literal(5)]
        for row in range(TILE):
            lines += [f"%d{row} = arith.addi %r0, %c{row} : index", f"%rg{row} = arith.cmpi {self.predicate}, %d{row}, %m : index"]
            if self.checks_begin():
                lines += [f"%rn{row} = arith.cmpi sge, %d{row}, %c0 : index", f"%rh{row} = arith.andi %rg{row}, %rn{row} : i1"]
            else:
                lines += [f"%rh{row} = arith.andi %rg{row}, %chosen : i1" if self.of_lanes else f"%rh{row} = arith.andi %rg{row}, %rg{row} : i1"]
        for column in range(TILE):
            lines += [f"%w{column} = arith.constant {column * self.width} : index", f"%e{column} = arith.addi %q0, %w{column} : index", f"%cg{column} = arith.cmpi ult, %e{column}, %n : index"]
        values = 1
        for number, step in enumerate(self.steps):
            before = values
            for at, access in enumerate(step):
                row, column = access.place
                lines.append(f"%g{number}_{at} = arith.andi %rh{row}, %cg{column} : i1")
                where = f"%{access.array}[%d{row}, %e{column}]"
                if access.array == "o" and not hasattr(access, "is_load"):
                    store = f"memref.store %v{access.value}, {where} : {memref}" if self.width == 1 else f"vector.store %v{access.value}, {where} : {memref}, {moved}"
                    lines.append(f"scf.if %g{number}_{at} {{ {store} }}")
                    continue
                load = f"memref.load {where} : {memref}" if self.width == 1 else f"vector.load {where} : {memref}, {moved}"
                other = "%none" if access.value is None else f"%v{access.value}"
                lines.append(f"%x{number}_{at} = scf.if %g{number}_{at} -> ({moved}) {{ %l = {load}\nscf.yield %l : {moved} }} else {{ scf.yield {other} : {moved} }}")
                lines.append(f"%v{values} = {op} %x{number}_{at}, %one : {moved}")
                values += 1
        arguments = ", ".join(f"%{array}: {memref}" for array in "abo")
        return (f"gpu.module @kernels {{ gpu.func @k({arguments}) kernel attributes {{known_block_size = array<i32: {LANES}, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{\n  "
                + "\n  ".join(lines) + "\n  gpu.return\n} }\n")

    def reference(self, arrays):
        """The result, lane after lane."""
        arrays = {name: list(values) for name, values in arrays.items()}
        columns = self.columns
        for lane in range(LANES):
            values = [[5] * self.width]
            for step in self.steps:
                for access in step:
                    row = lane // ACROSS * TILE + self.first + access.place[0]
                    column = (lane % ACROSS * TILE + access.place[1]) * self.width
                    inside = 0 <= row < self.rows and column < columns and not (self.of_lanes and not self.checks_begin() and lane % 3 == 0)
                    at = row * columns + column
                    if access.array == "o" and not hasattr(access, "is_load"):
                        if inside:
                            arrays["o"][at:at + self.width] = values[access.value]
                        continue
                    other = [-3] * self.width if access.value is None else values[access.value]
                    loaded = arrays[access.array][at:at + self.width] if inside else other
                    values.append([number + 1 for number in loaded])
        return arrays["o"]


def draw(rng, name):
    element = rng.choice(ELEMENTS)
    width = rng.choice((1, 1, 1, 2, 4)) if element != "f64" else rng.choice((1, 2))
    rows, columns = rng.choice((0, 1, 2, 7, 29, 31, 32, 33)), rng.choice((0, 1, 3, 5, 30, 32)) * width
    places = [(row, column) for row in range(TILE) for column in range(TILE)]
    if rng.random() < 0.4:  # a row, or a column, of the tile
        line = rng.randrange(TILE)
        places = [place for place in places if place[rng.choice((0, 1))] == line] or places
    steps, values = [], 1
    for _ in range(rng.randint(1, 4)):
        chosen = rng.sample(places, rng.randint(1, len(places))) + [rng.choice(places) for _ in range(rng.choice((0, 0, 2)))]
        if rng.random() < 0.6:
            chosen.sort()
        kind = rng.choice(("load", "load", "store", "reload"))
        step = []
        for place in chosen:
            if kind == "store":
                step.append(Access("o", place, rng.randrange(values)))
            else:
                access = Access("o" if kind == "reload" else rng.choice("ab"), place, rng.choice((None, rng.randrange(values))))
                access.is_load = True
                step.append(access)
        # Values of a step are taken by those that follow, sometimes by loads of the step itself.
        values += len(step) if kind != "store" else 0
        steps.append(step)
    steps.append([Access("o", place, rng.randrange(values)) for place in rng.sample(places, len(places))])
    first = rng.choice((0, 0, 0, -2, 1))
    return Kernel(name, element, width, rows, columns, first, steps, rng.choice(("ult", "slt")), rng.random() < 0.3)


def tile(kind):
    """All places of the tile, in order: loads, and stores of what was loaded."""
    places = [(row, column) for row in range(TILE) for column in range(TILE)]
    loads = [Access("a", place, None) for place in places]
    for access in loads:
        access.is_load = True
    return ([loads] if kind != "stores" else []) + ([[Access("o", place, at + 1 if kind != "stores" else 0) for at, place in enumerate(places)]] if kind != "loads" else [])


def run(kernel, machine, arrays, files, out, distaff):
    """Ends of the command, and the result."""
    target, device, flags = machine
    result = out / "result.npy"
    result.unlink(missing_ok=True)
    done = fork_server.run([distaff, "run", out / "k.mlir", "--target", target, "--device", device, *flags, *(f"--input=arg{at}={file}" for at, file in enumerate(files)), f"--output=arg2={result}"])
    return done, npy.read(result, kernel.element) if done.returncode == 0 else None


def prepare(kernel, out, rng):
    (out / "k.mlir").write_text(kernel.text())
    arrays = {name: [rng.randint(-40, 40) for _ in range(kernel.rows * kernel.columns)] for name in "abo"}
    return arrays, [npy.write(out / f"{name}.npy", kernel.element, (kernel.rows, kernel.columns), values) for name, values in arrays.items()]


def check(kernel, out, distaff, rng):
    """What is wrong with a kernel, or nothing."""
    arrays, files = prepare(kernel, out, rng)
    expected = kernel.reference(arrays)
    for machine in MACHINES:
        done, found = run(kernel, machine, arrays, files, out, distaff)
        if kernel.slack:
            if done.returncode != 1 or "out of bounds" not in done.stderr:
                return f"on {machine}: a guard that is wrong by one: exit {done.returncode} {done.stderr.strip()[:300]}"
        elif done.returncode:
            return f"on {machine}: {done.stderr.strip()[:600]}"
        elif wrong := [at for at in range(len(expected)) if found[at] != expected[at]]:
            row, column = divmod(wrong[0], kernel.columns)
            return f"on {machine}: element {row}, {column} is {found[wrong[0]]}, not {expected[wrong[0]]}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--kernels", type=int, default=60)
    parser.add_argument("--distaff", default="distaff")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rng, failures = random.Random(276), 0
    # The array has 30 rows of 31, so that one more row is outside.
    chosen = [Kernel(f"beyond-{kind}", "f32", 1, 30, 31, 0, tile(kind), "ult", False, slack=1) for kind in ("stores", "both")]
    chosen += [Kernel(f"tile-{rows}x{columns}", "f32", 1, rows, columns, 0, tile("both"), "ult", False) for rows, columns in ((30, 31), (32, 32), (1, 1), (0, 5))]
    kernels = depth.some(chosen + [draw(rng, f"random-{number}") for number in range(options.kernels)], 4)
    for kernel in kernels:
        wrong = check(kernel, options.out, options.distaff, rng)
        failures += bool(wrong)
        if wrong:
            print("FAIL", kernel.name, wrong)
    print(f"{len(kernels)} kernels, {failures} failures")
    sys.exit(failures > 0)


main()
