"""Panels of a matrix, copied to workgroup memory while the lanes compute, on both
machines: 64 lanes copy 16 rows and 64 columns at a time, through rings of 1 to 4
slots, and every lane adds up what others have copied, with factors of its own.
Numbers are whole, so sums are exact; they are computed here once more, and by a
target without such copies. Extents are around the panels', rows are multiples of
16 bytes and are not, and the copies arrive early or late as a seed says.

Then each wait and each group of a kernel is left out, one by one, and each wait
leaves one group more in flight: some seed must find it.

    python3 async_copies.py OUT_DIR [--seeds N] [--distaff PATH]
"""
import argparse
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "ForkServer"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import fork_server
import npy

ROWS, COLUMNS, LANES = 16, 64, 64
BYTES = {"i8": 1, "f16": 2, "i32": 4, "f32": 4, "i64": 8}
parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--seeds", type=int, default=6)
parser.add_argument("--distaff", default="distaff")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)


class Kernel:
    """`slots` of a ring, filled slots - 1 panels ahead; `form` is how a lane
    copies: a loop over rows, one vector of several rows, or loads and stores.
    Columns before `offset` are not read. With `split` the first subgroup copies
    and the second one adds up, for both."""

    def __init__(self, element, slots=1, form="loop", offset=0, shape=("?", "?"), pad=0, sync="gpu", split=False):
        self.element, self.slots, self.form, self.offset, self.shape, self.pad, self.sync, self.split = element, slots, form, offset, shape, pad, sync, split
        self.copiers = LANES // 2 if split else LANES
        self.sum_type = "f32" if element.startswith("f") else "i32"

    def name(self):
        return f"{self.element}-{self.slots}-{self.form}-{self.offset}-{'x'.join(map(str, self.shape))}-{self.pad}-{self.sync}{'-split' * self.split}"

    def barrier(self):
        if self.sync == "gpu":
            return "gpu.barrier"
        return "iree_gpu.fence release workgroup\niree_gpu.global_subgroup_barrier\niree_gpu.fence acquire workgroup"

    def copy(self, slot, column, tag):
        """Text that copies the panel that begins at that column."""
        chunk = 16 // BYTES[self.element]
        per_row = COLUMNS // chunk
        repeats = ROWS * per_row // self.copiers
        rows = repeats if self.form == "tile" else 1
        vector = f"vector<{rows}x{chunk}x{self.element}>" if self.form != "loads" else f"vector<{chunk}x{self.element}>"
        matrix, ring = self.matrix(), self.ring()
        text = ""
        if self.form != "tile":
            text += f"scf.for %r{tag} = %c0 to %repeats step %c1 {{\n%row{tag} = affine.apply affine_map<(r, t) -> (r * {ROWS // repeats} + t floordiv {per_row})>(%r{tag}, %t)\n"
        else:
            text += f"%row{tag} = affine.apply affine_map<(t) -> ((t floordiv {per_row}) * {rows})>(%t)\n"
        text += f"%col{tag} = affine.apply affine_map<(t) -> ((t mod {per_row}) * {chunk})>(%t)\n"
        text += f"%at{tag} = affine.apply affine_map<(k, t) -> (k + (t mod {per_row}) * {chunk} + {self.offset})>({column}, %t)\n"
        if self.form == "loads":
            text += f"%v{tag} = vector.load %a[%row{tag}, %at{tag}] : {matrix}, {vector}\n"
            text += f"vector.store %v{tag}, %m[{slot}, %row{tag}, %col{tag}] : {ring}, {vector}\n"
        else:
            text += (f"%h{tag} = affine.max affine_map<(s, r) -> (s - r, 0)>(%height, %row{tag})\n%hh{tag} = affine.min affine_map<(s) -> (s, {rows})>(%h{tag})\n"
                     f"%w{tag} = affine.max affine_map<(s, r) -> (s - r, 0)>(%width, %at{tag})\n%ww{tag} = affine.min affine_map<(s) -> (s, {chunk})>(%w{tag})\n"
                     f"%s{tag} = memref.subview %a[%row{tag}, %at{tag}] [%hh{tag}, %ww{tag}] [1, 1] : {matrix} to memref<?x?x{self.element}, strided<[{self.pitch()}, 1], offset: ?>>\n"
                     f"%v{tag} = vector.transfer_read %s{tag}[%c0, %c0], %zero : memref<?x?x{self.element}, strided<[{self.pitch()}, 1], offset: ?>>, {vector}\n"
                     f"vector.transfer_write %v{tag}, %m[{slot}, %row{tag}, %col{tag}] {{in_bounds = [true, true]}} : {vector}, {ring}\n")
        return text + ("}\n" if self.form != "tile" else "")

    def pitch(self):
        return self.shape[1]

    def matrix(self):
        return f"memref<{self.shape[0]}x{self.shape[1]}x{self.element}>"

    def ring(self):
        return f"memref<{self.slots}x{ROWS}x{COLUMNS + self.pad}x{self.element}, #gpu.address_space<workgroup>>"

    def prologue(self):
        """Text that fills the slots of the panels before the loop."""
        text = ""
        for p in range(self.slots - 1):
            text += f"%is{p} = arith.cmpi slt, %c{p * COLUMNS}, %end : index\nscf.if %is{p} {{\n" + self.copy(f"%c{p}", f"%c{p * COLUMNS}", f"p{p}") + "}\n"
        return text

    def ahead(self):
        """Text that fills the slot of a later panel, where there is one."""
        ahead = self.slots - 1
        return (f"%far = arith.constant {ahead * COLUMNS} : index\n%next = arith.addi %k, %far : index\n%nn = affine.apply affine_map<(n) -> ((n + {ahead}) mod {self.slots})>(%n)\n"
                "%more = arith.cmpi slt, %next, %end : index\nscf.if %more {\n" + self.copy("%nn", "%next", "l") + "}\n")

    def loop(self, sums, body):
        """Text of the loop over panels, with these sums for as many lanes."""
        types = ", ".join([self.sum_type] * len(sums))
        carried = ", ".join(f"%s{lane} = %nothing" for lane in sums)
        head = f"%sum:{len(sums)} = " if sums else ""
        head += f"scf.for %k = %c0 to %end step %c{COLUMNS}" + (f" iter_args({carried}) -> ({types})" if sums else "") + " {\n"
        end = f"scf.yield {', '.join(f'%part{lane}' for lane in sums)} : {types}\n" if sums else ""
        return head + f"%n = arith.divui %k, %c{COLUMNS} : index\n%slot = arith.remui %n, %slots : index\n" + body + end + "}\n"

    def add_up(self, lane):
        """Text that adds the panel of an iteration to a lane's sum."""
        element, kind = self.element, self.sum_type
        add, mul = ("arith.addf", "arith.mulf") if kind == "f32" else ("arith.addi", "arith.muli")
        widened = {"f16": "arith.extf %x : f16 to f32", "i8": "arith.extsi %x : i8 to i32", "i64": "arith.trunci %x : i64 to i32"}.get(element, f"{add} %x, %nothing : {kind}")
        return (f"%part{lane} = scf.for %j = %c0 to %c{COLUMNS} step %c1 iter_args(%q = %s{lane}) -> ({kind}) {{\n"
                f"%i = arith.remui %lane{lane}, %c16 : index\n%g = arith.divui %lane{lane}, %c16 : index\n"
                f"%jt = arith.addi %j, %lane{lane} : index\n%col = arith.remui %jt, %c{COLUMNS} : index\n%x = memref.load %m[%slot, %i, %col] : {self.ring()}\n%y = {widened}\n"
                f"%f0 = arith.muli %j, %c7 : index\n%f1 = arith.addi %f0, %g : index\n%f2 = arith.remui %f1, %c5 : index\n%f3 = arith.index_cast %f2 : index to i32\n"
                + ("%f = arith.sitofp %f3 : i32 to f32\n" if kind == "f32" else "%f = arith.addi %f3, %none : i32\n")
                + f"%z = {mul} %y, %f : {kind}\n%u = {add} %q, %z : {kind}\nscf.yield %u : {kind}\n}}\n")

    def store(self, sums):
        return "".join(f"memref.store %sum#{number}, %o[%lane{lane}] : memref<{LANES}x{self.sum_type}>\n" for number, lane in enumerate(sums))

    def text(self):
        zero, barrier = "0.0" if self.sum_type == "f32" else "0", self.barrier() + "\n"
        attributes = f"known_block_size = array<i32: {LANES}, 1, 1>, known_grid_size = array<i32: 1, 1, 1>"
        if self.split:
            attributes += ", translation_info = #iree_codegen.translation_info<subgroup_size = 32>"
        text = (f"gpu.module @kernels {{\ngpu.func @k(%a: {self.matrix()}, %o: memref<{LANES}x{self.sum_type}>) kernel attributes {{{attributes}}} {{\n"
                f"%lane0 = gpu.thread_id x\n%zero = arith.constant {zero} : {self.element}\n%nothing = arith.constant {zero} : {self.sum_type}\n%none = arith.constant 0 : i32\n"
                + "".join(f"%c{n} = arith.constant {n} : index\n" for n in (0, 1, 2, 5, 7, 16, 32, COLUMNS, 2 * COLUMNS, 3 * COLUMNS))
                + f"%repeats = arith.constant {ROWS * COLUMNS * BYTES[self.element] // 16 // self.copiers} : index\n%slots = arith.constant {self.slots} : index\n%off = arith.constant {self.offset} : index\n"
                f"%height = memref.dim %a, %c0 : {self.matrix()}\n%width = memref.dim %a, %c1 : {self.matrix()}\n%left = arith.subi %width, %off : index\n"
                f"%end = arith.maxsi %left, %c0 : index\n%m = memref.alloc() : {self.ring()}\n%t = arith.remui %lane0, %copiers : index\n")
        text = text.replace("%t = arith", f"%copiers = arith.constant {self.copiers} : index\n%t = arith", 1)
        if self.split:
            text += ("%case = arith.divui %lane0, %c32 : index\nscf.index_switch %case\ncase 0 {\n" + self.prologue() + barrier + self.loop([], self.ahead() + barrier) + "scf.yield\n}\ndefault {\n"
                     "%lane1 = arith.subi %lane0, %c32 : index\n" + barrier + self.loop([0, 1], self.add_up(0) + self.add_up(1) + barrier) + self.store([0, 1]) + "}\n")
        elif self.slots > 1:
            text += self.prologue() + barrier + self.loop([0], self.ahead() + self.add_up(0) + barrier) + self.store([0])
        else:
            text += self.loop([0], self.copy("%slot", "%k", "l") + barrier + self.add_up(0) + barrier) + self.store([0])
        return text + "gpu.return\n}\n}\n"

    def reference(self, a, rows, columns):
        sums = []
        for t in range(LANES):
            i, g, total = t % 16, t // 16, 0
            for k in range(0, max(0, columns - self.offset), COLUMNS):
                for j in range(COLUMNS):
                    column = self.offset + k + (j + t) % COLUMNS
                    if i < rows and column < columns:
                        total += a[i * columns + column] * ((j * 7 + g) % 5)
            sums.append(total)
        return sums


class Numbers:
    """The matrix of a kernel, in a file, and the sums."""

    def __init__(self, kernel, rows, columns, rng):
        self.kernel, self.rows, self.columns = kernel, rows, columns
        a = [rng.randint(-4, 4) for _ in range(rows * columns)]
        self.sums = kernel.reference(a, rows, columns)
        self.sum_type = kernel.sum_type
        self.file = npy.write(options.out / "a.npy", kernel.element, (rows, columns), a)
        self.poison = npy.write(options.out / "o.npy", self.sum_type, (LANES,), [rng.randint(5, 99) for _ in range(LANES)])
        self.result = options.out / "result.npy"

    def run(self, path, target="sm_80", device="simt", seed=0):
        """What is wrong, or nothing; and what was counted."""
        self.result.unlink(missing_ok=True)
        done = fork_server.run([options.distaff, "run", path, "--target", target, "--device", device, "--schedule", str(seed), "--counters",
                                "--input", f"arg0={self.file}", "--input", f"arg1={self.poison}", "--output", f"arg1={self.result}"])
        if done.returncode:
            return done.stderr.strip().splitlines()[0], done.stdout
        found = npy.read(self.result, self.sum_type)
        wrong = [t for t in range(LANES) if found[t] != self.sums[t]]
        return (f"lane {wrong[0]} has {found[wrong[0]]}, not {self.sums[wrong[0]]}" if wrong else ""), done.stdout


def copies_of(kernel, numbers):
    """Instructions that the PTX machine counts: the widest that place and rows
    allow; rows of a length that was not known allow these, or single elements."""
    panels = -(-max(0, numbers.columns - kernel.offset) // COLUMNS)
    each = BYTES[kernel.element]
    placed = [size for size in (16, 8, 4) if kernel.offset * each % size == 0 and (COLUMNS + kernel.pad) * each % size == 0]
    whole = [size for size in placed if numbers.columns * each % size == 0]
    size = whole[0] if whole else 0
    if kernel.shape[1] == "?" and whole[:1] != placed[:1]:
        size = each if each in (4, 8) else 0
    return panels * ROWS * COLUMNS * each // size // 32 if size else 0


def compile_to(path, stage):
    done = fork_server.run([options.distaff, "compile", path, "--target", "sm_80", f"--stop-after={stage}", "-o", path.with_suffix(f".{stage}.mlir")])
    if done.returncode:
        sys.exit(done.stderr)
    return path.with_suffix(f".{stage}.mlir")


turn = depth.Turns(5)


def check(kernel, sizes, rng, say):
    path = options.out / f"{kernel.name().replace('?', 'n')}.mlir"
    path.write_text(kernel.text())
    lowered = compile_to(path, "lower")
    for rows, columns in sizes[:1] + turn.of(sizes[1:]):
        numbers = Numbers(kernel, rows, columns, rng)
        what = f"{kernel.name()} {rows}x{columns}"
        if not kernel.split:
            say(what + " through registers", numbers.run(path, target="gfx942")[0])
        for seed in range(min(2, options.seeds) if depth.IS_QUICK else options.seeds):
            say(f"{what} seed {seed}", numbers.run(lowered, seed=seed)[0])
        for seed in [columns // COLUMNS % 2] if depth.IS_QUICK else range(2):  # copies land late, or early
            wrong, counted = numbers.run(path, device="ptx", seed=seed)
            copies = re.search(r"asynchronous copies +(\d+)", counted)
            if not wrong and int(copies.group(1)) != copies_of(kernel, numbers):
                wrong = f"{copies.group(1)} copies, not {copies_of(kernel, numbers)}"
            say(f"{what} as PTX, seed {seed}", wrong)


def without(text, op):
    """The program without each of these ops in turn; a wait then asks for no
    group of its own."""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if op not in line:
            continue
        rest = lines[:number] + lines[number + 1:]
        made = re.match(r"\s*(%\w+) = ", line)
        if made:
            first = next(i for i, l in enumerate(rest) if "gpu.thread_id" in l)
            rest.insert(first, "%early = nvgpu.device_async_create_group {all_started}\n")
            rest = [re.sub(rf"device_async_wait {made.group(1)}\b", "device_async_wait %early", l) for l in rest]
        yield number, "".join(rest)


def one_more(text):
    """The program with each wait leaving one group more in flight, in turn."""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if "device_async_wait" in line:
            more = re.sub(r"numGroups = (\d+)", lambda m: f"numGroups = {int(m.group(1)) + 1}", line)
            yield number, "".join(lines[:number] + [more] + lines[number + 1:])


def check_found(kernel, size, rng, say):
    """Each wait and each group is needed."""
    path = options.out / "needed.mlir"
    path.write_text(kernel.text())
    text = compile_to(path, "lower").read_text()
    numbers = Numbers(kernel, *size, rng)
    broken = [("without wait", without(text, "device_async_wait")), ("without group", without(text, "device_async_create_group")), ("one group more in flight", one_more(text))]
    for what, programs in broken:
        count = 0
        for number, program in programs:
            count += 1
            path.with_suffix(".broken.mlir").write_text(program)
            found = any(numbers.run(path.with_suffix(".broken.mlir"), seed=seed)[0] for seed in range(1, 1 + options.seeds))
            say(f"{kernel.name()} {what}, line {number}", "" if found else "is not found")
        say(f"{kernel.name()} {what}, all", "" if count else "there is none")


def main():
    rng, counts = random.Random(3), [0, 0]

    def say(what, wrong):
        counts[0] += 1
        counts[1] += bool(wrong)
        if wrong:
            print("FAIL", what, wrong)

    ragged = [(16, 128), (13, 72), (16, 17), (1, 1), (5, 0), (16, 200)]
    for slots in (1, 2, 3, 4):
        check(Kernel("f16", slots), ragged + [(16, 64 * n) for n in (1, 3, 4, 5)][:10 if slots > 2 else 1], rng, say)
    for element in ("i8", "i32", "f32", "i64"):
        check(Kernel(element, 2), ragged, rng, say)
    for kernel, sizes in [(Kernel("f16", slots, sync="iree", split=True), ragged[:5] + [(16, 64 * slots), (9, 64 * slots + 64)]) for slots in (2, 3, 4)]:
        check(kernel, sizes, rng, say)
    for kernel, sizes in [(Kernel("f16", 2, "tile", sync="iree"), ragged), (Kernel("f32", 3, "tile"), ragged[:4]), (Kernel("f16", 3, sync="iree"), ragged[:3]),
                          (Kernel("f16", 2, offset=8), ragged[:4]), (Kernel("f16", 2, offset=4), ragged[:4]), (Kernel("i32", 2, offset=3), ragged[:4]),
                          (Kernel("f16", 2, pad=8), ragged[:3]), (Kernel("f32", 2, pad=2, shape=(16, 128)), [(16, 128)]),
                          (Kernel("f16", 2, "loads", shape=(16, 192)), [(16, 192)]), (Kernel("f16", 1, "loads", shape=("?", 256)), [(16, 256)]),
                          (Kernel("f16", 2, shape=(16, 100)), [(16, 100)]), (Kernel("f16", 2, shape=("?", 98)), [(16, 98), (3, 98)]), (Kernel("f16", 2, shape=("?", 97)), [(9, 97)])]:
        check(kernel, sizes, rng, say)
    # The unrolled loops come round.
    needed = [(Kernel("f16"), (16, 128)), (Kernel("f16", 2, sync="iree"), (16, 256)), (Kernel("f32", 3), (16, 512)), (Kernel("f16", 4, "tile"), (16, 704)),
              (Kernel("f16", 2, sync="iree", split=True), (16, 256)), (Kernel("f16", 3, sync="iree", split=True), (16, 512)), (Kernel("f32", 4, split=True), (16, 704))]
    for kernel, size in depth.some(needed, 3):
        check_found(kernel, size, rng, say)
    print(f"{counts[0]} checks, {counts[1]} failures")
    sys.exit(counts[1] > 0)


main()
