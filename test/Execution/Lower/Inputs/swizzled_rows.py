"""Panels in workgroup memory whose rows are permuted by 16 bytes, since an MMA operand is read from them by ldmatrix: of f16
and of i8, with rows of 16 to 512 bytes. 32 lanes fill a panel by 16 bytes each, rows and columns being sums of what the lane
is and of constants, with and without carries between them; then they read it by 16 bytes in another order, and multiply a
tile of it, at a row and a column that are constants, by weights. Numbers are whole; results are computed here once more.

    python3 swizzled_rows.py OUT_DIR [--kernels N] [--distaff PATH]
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

LANES, M, N = 32, 16, 8
TYPES = {"f16": ("f32", 2, "NV_MMA_SYNC_F32_16x8x16_F16"), "i8": ("i32", 4, "NV_MMA_SYNC_I32_16x8x32_I8")}


class Kernel:
    """Lane t reads chunk (t + c) % chunks of row (t * factor + r) % rows for each (r, c) of `reads`; both are written so that
    only the modulo that is there shows which bits a sum has."""

    def __init__(self, element, row_bytes, rows, factor, reads, tile):
        self.element, self.row_bytes, self.rows, self.factor, self.reads, self.tile = element, row_bytes, rows, factor, reads, tile
        self.sum_type, self.per_word, self.kind = TYPES[element]
        self.per_chunk = 4 * self.per_word
        self.columns = row_bytes * self.per_chunk // 16
        self.chunks = row_bytes // 16

    def name(self):
        return f"{self.element}-{self.row_bytes}x{self.rows}-{self.factor}-{self.reads}-{self.tile}"

    def text(self):
        element, columns, chunk, word = self.element, self.columns, f"vector<{self.per_chunk}x{self.element}>", f"vector<{self.per_word}x{self.element}>"
        panel = f"memref<{self.rows}x{columns}x{element}, #gpu.address_space<workgroup>>"
        whole = f"memref<{self.rows}x{columns}x{element}>"
        out = f"memref<{len(self.reads)}x{LANES}x{self.per_chunk}x{element}>"
        w, deep = self.per_word, 8 * self.per_word
        numbers = sorted({0, 1, 2, 3, 4, 8, LANES, w, 4 * w, self.per_chunk, self.chunks, self.factor, self.rows, columns} | set(range(w)) | set(self.tile)
                         | {n for read in self.reads for n in (read[0], read[1] * self.per_chunk, read[1])} | set(range(0, self.rows * self.chunks, LANES)))
        zero = "0.0" if self.sum_type == "f32" else "0"
        text = (f"#k = #iree_gpu.mma_layout<{self.kind}>\n#mk = affine_map<(m, n, k) -> (m, k)>\n#kn = affine_map<(m, n, k) -> (k, n)>\n#mn = affine_map<(m, n, k) -> (m, n)>\n"
                f"gpu.module @kernels {{\ngpu.func @k(%a: {whole}, %o: {out}, %d: memref<{M}x{N}x{self.sum_type}>) kernel attributes {{known_block_size = array<i32: {LANES}, 1, 1>, known_grid_size = array<i32: 1, 1, 1>}} {{\n"
                + "".join(f"%c{n} = arith.constant {n} : index\n" for n in numbers)
                + f"%m = memref.alloc() {{alignment = 16 : i64}} : {panel}\n%t = gpu.lane_id\n%none = arith.constant dense<{zero}> : vector<1x1x2x2x{self.sum_type}>\n")
        # Chunk t, t + 32, ... of the panel, counted through its rows.
        for first in range(0, self.rows * self.chunks, LANES):
            text += (f"%n{first} = arith.addi %c{first}, %t : index\n%wr{first} = arith.divui %n{first}, %c{self.chunks} : index\n%wc{first} = arith.remui %n{first}, %c{self.chunks} : index\n"
                     f"%wk{first} = arith.muli %wc{first}, %c{self.per_chunk} : index\n%w{first} = vector.load %a[%wr{first}, %wk{first}] : {whole}, {chunk}\n"
                     f"vector.store %w{first}, %m[%wr{first}, %wk{first}] : {panel}, {chunk}\n")
        text += "gpu.barrier\n"
        for number, (row, column) in enumerate(self.reads):
            text += (f"%x{number} = arith.muli %t, %c{self.factor} : index\n%rr{number} = arith.remui %x{number}, %c{self.rows} : index\n%rs{number} = arith.addi %c{row}, %rr{number} : index\n"
                     f"%row{number} = arith.remui %rs{number}, %c{self.rows} : index\n"
                     f"%cc{number} = arith.remui %t, %c{self.chunks} : index\n%ck{number} = arith.muli %cc{number}, %c{self.per_chunk} : index\n%cs{number} = arith.addi %c{column * self.per_chunk}, %ck{number} : index\n"
                     f"%col{number} = arith.remui %cs{number}, %c{columns} : index\n"
                     f"%v{number} = vector.load %m[%row{number}, %col{number}] : {panel}, {chunk}\nvector.store %v{number}, %o[%c{number}, %t, %c0] : {out}, {chunk}\n")
            # Nothing is left of the modulo where the sum is inside in any lane.
            if row + max(t * self.factor % self.rows for t in range(LANES)) < self.rows:
                text = text.replace(f"%m[%row{number},", f"%m[%rs{number},")
            if column == 0:
                text = text.replace(f"%col{number}] : {panel}", f"%cs{number}] : {panel}")
        text += (f"%g = arith.divui %t, %c4 : index\n%q = arith.remui %t, %c4 : index\n%qk = arith.muli %q, %c{w} : index\n"
                 f"%row = arith.addi %c{self.tile[0]}, %g : index\n%lower = arith.addi %row, %c8 : index\n%left = arith.addi %c{self.tile[1]}, %qk : index\n%right = arith.addi %left, %c{4 * w} : index\n")
        for number, place in enumerate(("%row, %left", "%lower, %left", "%row, %right", "%lower, %right")):
            text += f"%p{number} = vector.load %m[{place}] : {panel}, {word}\n%e{number}:{w} = vector.to_elements %p{number} : {word}\n"
        names = ", ".join(f"%e{number}#{i}" for number in range(4) for i in range(w))
        text += f"%f = vector.from_elements {names} : vector<1x1x4x{w}x{element}>\n"
        weights = []
        for half in range(2):
            for i in range(w):
                text += f"%k{half}{i} = arith.addi %qk, %c{i} : index\n"
                if half:
                    text += f"%kk{i} = arith.addi %k{half}{i}, %c{4 * w} : index\n"
                text += f"%i{half}{i} = arith.index_cast {'%kk' + str(i) if half else f'%k{half}{i}'} : index to i32\n"
                text += f"%b{half}{i} = " + ("arith.sitofp %i{0}{1} : i32 to f16\n" if element == "f16" else "arith.trunci %i{0}{1} : i32 to i8\n").format(half, i)
                weights.append(f"%b{half}{i}")
        text += f"%y = vector.from_elements {', '.join(weights)} : vector<1x1x2x{w}x{element}>\n"
        text += (f"%s = iree_codegen.inner_tiled ins(%f, %y) outs(%none) {{indexing_maps = [#mk, #kn, #mn], kind = #k}} : vector<1x1x4x{w}x{element}>, vector<1x1x2x{w}x{element}> into vector<1x1x2x2x{self.sum_type}>\n"
                 f"%r:4 = vector.to_elements %s : vector<1x1x2x2x{self.sum_type}>\n%n = arith.muli %q, %c2 : index\n%n1 = arith.addi %n, %c1 : index\n%g8 = arith.addi %g, %c8 : index\n")
        for number, place in enumerate(("%g, %n", "%g, %n1", "%g8, %n", "%g8, %n1")):
            text += f"memref.store %r#{number}, %d[{place}] : memref<{M}x{N}x{self.sum_type}>\n"
        return text + "gpu.return\n}\n}\n"

    def references(self, a):
        """What lanes read, and the product."""
        read, product = [], []
        for row, column in self.reads:
            for t in range(LANES):
                r, c = (t * self.factor % self.rows + row) % self.rows, (t % self.chunks + column) % self.chunks
                at = r * self.columns + c * self.per_chunk
                read += a[at:at + self.per_chunk]
        for i in range(M):
            first = (self.tile[0] + i) * self.columns + self.tile[1]
            product += [sum(number * k for k, number in enumerate(a[first:first + 8 * self.per_word]))] * N
        return read, product


def draw(rng, element, row_bytes):
    chunks, rows = row_bytes // 16, rng.choice((32, 48, 64, 80))
    reads = [(rng.choice((0, 1, 2, 3, 4, 7, 8, 16, 31)), rng.choice((0, 0, 1, 3, chunks - 1)) % chunks) for _ in range(4)]
    per_word = TYPES[element][1]
    steps = (row_bytes * per_word // 4) // (8 * per_word)
    tile = (rng.choice((0, 1, 4, 8)) % (rows - M + 1), rng.randrange(steps) * 8 * per_word)
    return Kernel(element, row_bytes, rows, rng.choice((1, 1, 2, 3, 4)), reads, tile)


def check(kernel, out, distaff, rng):
    path = out / "k.mlir"
    path.write_text(kernel.text())
    lowered = fork_server.run([distaff, "compile", str(path), "--target", "sm_80", "--stop-after=lower"])
    if lowered.returncode:
        return lowered.stderr
    if "nvgpu.ldmatrix" not in lowered.stdout:
        return "nothing is read by ldmatrix"
    if kernel.chunks > 1 and "arith.xori" not in lowered.stdout:
        return "rows are not permuted"
    a = [rng.randint(-7, 7) for _ in range(kernel.rows * kernel.columns)]
    file = npy.write(out / "a.npy", kernel.element, (kernel.rows, kernel.columns), a)
    for device in ("simt", "ptx"):
        done = fork_server.run([distaff, "run", path, "--target", "sm_80", "--device", device, "--input", f"arg0={file}", "--input", "arg1=zeros", "--input", "arg2=zeros",
                                "--output", f"arg1={out / 'read.npy'}", "--output", f"arg2={out / 'product.npy'}"])
        if done.returncode:
            return f"on {device}: {done.stderr.strip()}"
        for file_name, element, expected in zip(("read.npy", "product.npy"), (kernel.element, kernel.sum_type), kernel.references(a)):
            found = npy.read(out / file_name, element)
            wrong = [at for at in range(len(expected)) if found[at] != expected[at]]
            if wrong:
                return f"on {device}: number {wrong[0]} of {file_name} is {found[wrong[0]]}, not {expected[wrong[0]]}"
    return ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--kernels", type=int, default=4)
    parser.add_argument("--distaff", default="distaff")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rng, failures = random.Random(5), 0
    kernels = depth.some([draw(rng, element, row_bytes) for _ in range(options.kernels) for element in TYPES for row_bytes in (32, 64, 128, 256, 512)], 5)
    for kernel in kernels:
        wrong = check(kernel, options.out, options.distaff, rng)
        failures += bool(wrong)
        if wrong:
            print("FAIL", kernel.name(), wrong)
    print(f"{len(kernels)} kernels, {failures} failures")
    sys.exit(failures > 0)


main()
