"""Loops over rings of slots in workgroup memory, which are unrolled by the depth of the ring (PCF-207).

usage: unrolled_rings.py OUT_DIR [options of suite.py]

A kernel has a loop for each trip count from 0 to twice the depth and one more, and for a larger one, with a bound that is a constant or the extent
of an array, and an end that need not be a whole number of steps. Iteration n reads slots n + a of the ring, each at an `a` of
its own, and writes slots n + b; the remainder is taken of the iteration, of a sum with it, or of a position in steps. Some
loops are over two rings of different depths. Sums of 32 bits, of which each read changes all digits, and what the slots hold
at the end are computed here once more.
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

LANES = 32
MASK = (1 << 32) - 1
HEAD = """#k = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>
#mk = affine_map<(m, n, k) -> (m, k)>
#kn = affine_map<(m, n, k) -> (k, n)>
#mn = affine_map<(m, n, k) -> (m, n)>
gpu.module @kernels {
"""


class Access:
    """A read or a write of slot (n + ahead) mod depth; `form`: how the slot is computed."""

    def __init__(self, rng, ring, depth, writes):
        self.ring, self.depth, self.ahead = ring, depth, rng.randrange(2 * depth)
        self.writes, self.form = writes, rng.choice(("sum", "position"))

    def slot(self, n):
        return (n + self.ahead) % self.depth


class Rings:
    """`depths` of the rings, and the step of the loop."""

    def __init__(self, rng, depths, step, is_dynamic):
        self.depths, self.step, self.is_dynamic = depths, step, is_dynamic
        self.loops = []
        for trips in (*range(2 * max(depths) + 2), 3 * max(depths) + 4):
            accesses = [Access(rng, ring, depth, writes) for ring, depth in enumerate(depths) for writes in rng.sample((True, False, False), 3)]
            end = trips * step - (rng.randrange(step) if trips else 0)
            self.loops.append((trips, end, accesses))

    def rows(self):
        return len(self.loops) * (1 + sum(self.depths))

    def slots(self, base, access, name):
        """Lines that compute a slot."""
        ahead, step = access.ahead, self.step
        if access.form == "position" and step > 1:
            lines = [f"%p{name} = arith.addi %k{base}, %c{ahead * step} : index", f"%q{name} = arith.divui %p{name}, %c{step} : index"]
        else:
            lines = [f"%q{name} = arith.addi %i{base}, %c{ahead} : index"]
        return [*lines, f"%s{name} = arith.remui %q{name}, %c{access.depth} : index"]

    def loop(self, number, end, accesses):
        memory = [f"memref<{depth}x{LANES}xi32, #gpu.address_space<workgroup>>" for depth in self.depths]
        lines = []
        for ring, depth in enumerate(self.depths):
            for slot in range(depth):
                name = f"{number}_{ring}_{slot}"
                lines += [f"%w{name} = arith.constant {1000 * number + 100 * ring + 7 * slot} : i32", f"%v{name} = arith.addi %w{name}, %lane : i32",
                          f"memref.store %v{name}, %ring{ring}[%c{slot}, %t] : {memory[ring]}"]
        bound = f"%n{number}" if self.is_dynamic else f"%c{end}"
        if self.is_dynamic:
            lines.append(f"%n{number} = memref.dim %a{number}, %c0 : memref<?xi32>")
        lines += [f"%r{number} = scf.for %k{number} = %c0 to {bound} step %c{self.step} iter_args(%acc{number} = %lane) -> (i32) {{",
                  f"%i{number} = arith.divui %k{number}, %c{self.step} : index", f"%j{number} = arith.index_cast %k{number} : index to i32"]
        acc = f"%acc{number}"
        for at, access in enumerate(accesses):
            name, ring = f"{number}_{at}", access.ring
            lines += self.slots(number, access, name)
            if access.writes:
                lines += [f"%x{name} = arith.xori {acc}, %j{number} : i32", f"memref.store %x{name}, %ring{ring}[%s{name}, %t] : {memory[ring]}"]
            else:
                lines += [f"%x{name} = memref.load %ring{ring}[%s{name}, %t] : {memory[ring]}", f"%m{name} = arith.muli {acc}, %factor : i32",
                          f"%a{name} = arith.addi %m{name}, %x{name} : i32"]
                acc = f"%a{name}"
        lines += [f"scf.yield {acc} : i32", "}"]
        row = number * (1 + sum(self.depths))
        lines.append(f"memref.store %r{number}, %o[%c{row}, %t] : memref<{self.rows()}x{LANES}xi32>")
        for ring, depth in enumerate(self.depths):
            for slot in range(depth):
                row, name = row + 1, f"{number}_{ring}_{slot}"
                lines += [f"%e{name} = memref.load %ring{ring}[%c{slot}, %t] : {memory[ring]}",
                          f"memref.store %e{name}, %o[%c{row}, %t] : memref<{self.rows()}x{LANES}xi32>"]
        return lines

    def text(self):
        body = [line for number, (_, end, accesses) in enumerate(self.loops) for line in self.loop(number, end, accesses)]
        arguments = [f"%o: memref<{self.rows()}x{LANES}xi32>", f"%d: memref<{LANES}x4xf32>", *(f"%a{number}: memref<?xi32>" for number in range(len(self.loops)) if self.is_dynamic)]
        most = max(self.rows(), 4 * max(self.depths) * self.step, max(end for _, end, _ in self.loops), LANES) + 1
        rings = [f"%ring{ring} = memref.alloc() : memref<{depth}x{LANES}xi32, #gpu.address_space<workgroup>>" for ring, depth in enumerate(self.depths)]
        # Without a product of matrices no loop of a kernel is unrolled.
        product = ["%p = arith.constant dense<1.0> : vector<1x1x4x2xf16>", "%q = arith.constant dense<1.0> : vector<1x1x2x2xf16>",
                   "%z = arith.constant dense<0.0> : vector<1x1x2x2xf32>",
                   "%mma = iree_codegen.inner_tiled ins(%p, %q) outs(%z) {indexing_maps = [#mk, #kn, #mn], kind = #k} : vector<1x1x4x2xf16>, vector<1x1x2x2xf16> into vector<1x1x2x2xf32>",
                   "%row = vector.shape_cast %mma : vector<1x1x2x2xf32> to vector<4xf32>", "vector.store %row, %d[%t, %c0] : memref<32x4xf32>, vector<4xf32>"]
        constants = [f"%c{n} = arith.constant {n} : index" for n in range(most)]
        used = set(" ".join([*body, *product]).replace(",", " ").replace("]", " ").replace("[", " ").split())
        constants = [line for line in constants if line.split()[0] in used]
        return HEAD + "\n".join([f"gpu.func @k({', '.join(arguments)}) kernel attributes {{known_block_size = array<i32: {LANES}, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{",
                                 *constants, *rings, "%t = gpu.lane_id", "%lane = arith.index_cast %t : index to i32", "%factor = arith.constant 1664525 : i32",
                                 *product, *body, "gpu.return", "}", "}"]) + "\n"

    def expected(self):
        rows = []
        for number, (trips, _, accesses) in enumerate(self.loops):
            sums, rings = list(range(LANES)), [[[1000 * number + 100 * ring + 7 * slot + t for t in range(LANES)] for slot in range(depth)] for ring, depth in enumerate(self.depths)]
            for n in range(trips):
                for access in accesses:
                    cells = rings[access.ring][access.slot(n)]
                    for t in range(LANES):
                        if access.writes:
                            cells[t] = sums[t] ^ (n * self.step)
                        else:
                            sums[t] = (sums[t] * 1664525 + cells[t]) & MASK
            rows += [sums, *(cells for ring in rings for cells in ring)]
        return [(value ^ 1 << 31) - (1 << 31) for row in rows for value in row]


def runs(chosen):
    rng = random.Random(207)
    for depths in ((2,), (3,), (4,), (5,), (2, 3), (4, 2)):
        for step in (1, 3, 32):
            for is_dynamic in (False, True):
                rings = Rings(rng, depths, step, is_dynamic)
                name = f"{'x'.join(map(str, depths))} step {step} {'dynamic' if is_dynamic else 'constant'}"
                path = chosen.out / f"{name.replace(' ', '-')}.mlir"
                path.write_text(rings.text())
                wanted = rings.expected()

                def says(text, rings=rings):
                    # Of each iteration that is unrolled there is a copy.
                    is_unrolled = text.count("memref.store") > rings.text().count("memref.store")
                    return None if is_unrolled else "no loop is unrolled"
                for device in ("simt", "ptx"):
                    result = path.with_suffix(f".{device}.npy")

                    def after(result=result, wanted=wanted):
                        made = npy.read(result, "i32")
                        wrong = [at for at in range(len(wanted)) if made[at] != wanted[at]]
                        return f"{len(wrong)} of {len(wanted)} numbers are wrong, first {wrong[0]}: {made[wrong[0]]}, not {wanted[wrong[0]]}" if wrong else None
                    shapes = [f"--shape=arg{2 + number}={end}" for number, (_, end, _) in enumerate(rings.loops) if is_dynamic]
                    yield suite.Run(f"{name} {device}",
                                    [chosen.distaff, "run", str(path), "--target", "sm_80", "--device", device, "--input=arg0=zeros", "--input=arg1=zeros", *shapes, f"--output=arg0={result}"],
                                    before=([chosen.distaff, "compile", str(path), "--target", "sm_80", "--stop-after=lower"], says), after=after, compares=False)


if __name__ == "__main__":
    chosen = suite.options()
    suite.main(list(runs(chosen)), chosen, one_in=5)
