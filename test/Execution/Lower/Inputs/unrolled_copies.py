"""Loops of lanes that copy rows to workgroup memory, drawn at random: one loop or two, with any lower bound and step, of no
turn, one, or many, to places of which turns differ by the counter, by multiples of it, or by one counter above the other;
through registers of 1 to 8 numbers. Each lane then reads what others copied. Numbers are whole and the result is computed
here once more. Loops of up to 8 turns must be gone in what `lower`
leaves.

    python3 unrolled_copies.py OUT_DIR [--kernels N] [--distaff PATH]
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

ROWS, LANES = 32, 64
MACHINES = [("sm_80", "simt"), ("sm_80", "ptx"), ("gfx942", "simt")]


class Kernel:
    """Row r of panel `m` becomes row `source` of `a`, for each turn of the loops; other rows are -1."""

    def __init__(self, loops, width, factor, offset, reverse):
        self.loops, self.width, self.factor, self.offset, self.reverse = loops, width, factor, offset, reverse

    def name(self):
        return "-".join("x".join(map(str, loop)) for loop in self.loops) + f"-{self.width}-{self.factor}-{self.offset}-{int(self.reverse)}"

    def turns(self):
        """The values of the counters, turn by turn."""
        values = [()]
        for loop in self.loops:
            values = [before + (i,) for before in values for i in range(*loop)]
        return values

    def row(self, counters):
        return sum((i + self.offset) * self.factor ** place for place, i in enumerate(counters))

    def columns(self):
        return LANES * self.width

    def text(self):
        columns, vector = self.columns(), f"vector<{self.width}xf32>"
        numbers = sorted({0, 1, self.width, self.offset, self.factor, ROWS - 1, ROWS} | {n for loop in self.loops for n in loop})
        text = ("gpu.module @kernels {\n" f"gpu.func @k(%a: memref<{ROWS}x{columns}xf32>, %o: memref<{ROWS}x{columns}xf32>) kernel attributes {{known_block_size = array<i32: {LANES}, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{\n"
                + "".join(f"%c{n} = arith.constant {n} : index\n" for n in numbers)
                + f"%none = arith.constant dense<-1.0> : {vector}\n%m = memref.alloc() {{alignment = 16 : i64}} : memref<{ROWS}x{columns}xf32, #gpu.address_space<workgroup>>\n"
                f"%t = gpu.thread_id x\n%col = arith.muli %t, %c{self.width} : index\n"
                f"scf.for %r = %c0 to %c{ROWS} step %c1 {{\nvector.store %none, %m[%r, %col] : memref<{ROWS}x{columns}xf32, #gpu.address_space<workgroup>>, {vector}\nvector.store %none, %o[%r, %col] : memref<{ROWS}x{columns}xf32>, {vector}\n}}\n")
        sum_name = "%c0"
        for place, (low, high, step) in enumerate(self.loops):
            text += (f"scf.for %i{place} = %c{low} to %c{high} step %c{step} {{\n%p{place} = arith.addi %c{self.offset}, %i{place} : index\n"
                     + "".join(f"%p{place}_{n} = arith.muli %p{place}{f'_{n - 1}' if n else ''}, %c{self.factor} : index\n" for n in range(place))
                     + f"%s{place} = arith.addi {sum_name}, %p{place}{f'_{place - 1}' if place else ''} : index\n")
            sum_name = f"%s{place}"
        source = sum_name
        if self.reverse:
            text += f"%from = arith.subi %c{ROWS - 1}, {sum_name} : index\n"
            source = "%from"
        text += (f"%v = vector.load %a[{source}, %col] : memref<{ROWS}x{columns}xf32>, {vector}\n"
                 f"vector.store %v, %m[{sum_name}, %col] : memref<{ROWS}x{columns}xf32, #gpu.address_space<workgroup>>, {vector}\n" + "}\n" * len(self.loops))
        # The neighbour's columns.
        text += ("gpu.barrier\n%t1 = arith.addi %t, %c1 : index\n%lanes = arith.constant 64 : index\n%next = arith.remui %t1, %lanes : index\n%other = arith.muli %next, %c" f"{self.width} : index\n"
                 f"scf.for %r = %c0 to %c{ROWS} step %c1 {{\n%v = vector.load %m[%r, %other] : memref<{ROWS}x{columns}xf32, #gpu.address_space<workgroup>>, {vector}\n"
                 f"vector.store %v, %o[%r, %other] : memref<{ROWS}x{columns}xf32>, {vector}\n}}\n")
        return text + "gpu.return\n}\n}\n"

    def reference(self, a):
        columns = self.columns()
        result = [[-1] * columns for _ in range(ROWS)]
        for counters in self.turns():
            row = self.row(counters)
            source = ROWS - 1 - row if self.reverse else row
            result[row] = a[source * columns:(source + 1) * columns]
        return [number for row in result for number in row]


def draw(rng):
    """A kernel whose rows are all inside."""
    while True:
        loops = []
        for _ in range(rng.choice((1, 1, 2))):
            low, step = rng.choice((0, 0, 1, 3)), rng.choice((1, 1, 2, 3))
            loops.append((low, low + rng.choice((0, 1, 2, 3, 4, 7, 8, 31)), step))
        kernel = Kernel(loops, rng.choice((1, 2, 4, 8)), rng.choice((1, 2, 4, 8)), rng.choice((0, 1, 4)), rng.random() < 0.3)
        if all(kernel.row(counters) < ROWS for counters in kernel.turns()):
            return kernel


def check(kernel, out, distaff, rng):
    """What is wrong with a kernel, or nothing."""
    path, result = out / "k.mlir", out / "result.npy"
    path.write_text(kernel.text())
    # Where no copy is waited for in a turn.
    lowered = fork_server.run([distaff, "compile", str(path), "--target", "gfx942", "--stop-after=lower"])
    if lowered.returncode:
        return lowered.stderr
    # Two loops write the result.
    left = lowered.stdout.count("scf.for") - 2
    turns = len(kernel.turns())
    if turns <= 8 and left:
        return f"{turns} turns are {left} loops"
    a = [rng.randint(-99, 99) for _ in range(ROWS * kernel.columns())]
    expected = kernel.reference(a)
    file = npy.write(out / "a.npy", "f32", (ROWS, kernel.columns()), a)
    for target, device in MACHINES:
        result.unlink(missing_ok=True)
        done = fork_server.run([distaff, "run", path, "--target", target, "--device", device, "--input", f"arg0={file}", "--input", "arg1=zeros", "--output", f"arg1={result}"])
        if done.returncode:
            return f"on {target}, {device}: {done.stderr.strip()}"
        found = npy.read(result, "f32")
        wrong = [at for at in range(len(expected)) if found[at] != expected[at]]
        if wrong:
            row, column = divmod(wrong[0], kernel.columns())
            return f"on {target}, {device}: element {row}, {column} is {found[wrong[0]]}, not {expected[wrong[0]]}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--kernels", type=int, default=40)
    parser.add_argument("--distaff", default="distaff")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rng, failures = random.Random(11), 0
    chosen = [Kernel([(0, 0, 1)], 4, 1, 0, False), Kernel([(0, 1, 1)], 1, 1, 0, False), Kernel([(3, 8, 2), (0, 4, 1)], 4, 8, 0, False), Kernel([(0, 32, 1)], 4, 1, 0, True)]
    kernels = depth.some(chosen + [draw(rng) for _ in range(options.kernels)], 3)
    for kernel in kernels:
        wrong = check(kernel, options.out, options.distaff, rng)
        failures += bool(wrong)
        if wrong:
            print("FAIL", kernel.name(), wrong)
    print(f"{len(kernels)} kernels, {failures} failures")
    sys.exit(failures > 0)


main()
