"""What lanes exchange: shuffles of all modes and reductions over clusters, of
elements of 1 to 64 bits, one to nine of them at once, on subgroups of 32 and 64
lanes. The SIMT machine runs each before and after `lower`, where words are all
that moves, and the few lines of Python here say what every lane ends with. After
`lower` the machine must have counted as many words as the elements need.

    python3 lane_exchange.py OUT_DIR [--distaff PATH]
"""
import argparse
import pathlib
import random
import re
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "ForkServer"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import fork_server
import npy

parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--distaff", default="distaff")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)

TARGETS = {32: "sm_80", 64: "gfx942"}
KINDS = {"add": lambda a, b: a + b, "mul": lambda a, b: a * b, "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
         "maxui": max, "minui": min}


def vector_of(count, element):
    return f"vector<{count}x{element}>" if count else element


class Case:
    """`count` elements of `bits` bits per lane, or one scalar where that is 0."""

    def __init__(self, rng, lanes, bits, count):
        self.lanes, self.bits, self.count = lanes, bits, count
        self.reduces = rng.random() < 0.4
        if self.reduces:
            self.kind = rng.choice(sorted(KINDS))
            self.size = 1 << rng.randrange(1, lanes.bit_length())
            self.stride = 1 << rng.randrange(0, (lanes // self.size).bit_length())
        else:
            self.kind = rng.choice(["xor", "idx", "up", "down"])
            self.width = 1 << rng.randrange(1, lanes.bit_length())
            self.by = rng.randrange(0, self.width)

    def text(self):
        many = max(1, self.count)
        wide, narrow = vector_of(self.count, "i64"), vector_of(self.count, f"i{self.bits}")
        memory = f"memref<{self.lanes}x{many}xi64>"
        element = f"vector<{many}xi64>"
        lines = ["%id = gpu.thread_id x", "%c0 = arith.constant 0 : index", f"%read = vector.load %m[%id, %c0] : {memory}, {element}"]
        lines.append(f"%w = vector.extract %read[0] : i64 from {element}" if not self.count else
                     f"%w = vector.shape_cast %read : {element} to {wide}")
        lines.append("%n = " + (f"arith.trunci %w : {wide} to {narrow}" if self.bits < 64 else f"arith.addi %w, %w : {wide}"))
        if self.reduces:
            lines.append(f"%r = gpu.subgroup_reduce {self.kind} %n cluster(size = {self.size}, stride = {self.stride}) : ({narrow}) -> {narrow}")
            lines.append("%v = arith.constant true")
        else:
            lines += [f"%by = arith.constant {self.by} : i32", f"%width = arith.constant {self.width} : i32",
                      f"%r, %v = gpu.shuffle {self.kind} %n, %by, %width : {narrow}"]
        lines.append("%e = " + (f"arith.extui %r : {narrow} to {wide}" if self.bits < 64 else f"arith.addi %r, %zero : {wide}"))
        lines.insert(0, f"%zero = arith.constant {'0' if not self.count else 'dense<0>'} : {wide}")
        # What is not valid may be anything.
        lines += [f"%k = arith.select %v, %e, %zero : {wide}", "%flag = arith.extui %v : i1 to i64",
                  f"%x = vector.{'broadcast' if not self.count else 'shape_cast'} %k : {wide} to {element}",
                  f"vector.store %x, %o[%id, %c0] : {memory}, {element}", f"memref.store %flag, %p[%id] : memref<{self.lanes}xi64>"]
        body = "\n    ".join(lines)
        return (f"gpu.module @m {{\n  gpu.func @k(%m: {memory}, %o: {memory}, %p: memref<{self.lanes}xi64>) kernel attributes {{"
                f"known_block_size = array<i32: {self.lanes}, 1, 1>, translation_info = #iree_codegen.translation_info<"
                f"subgroup_size = {self.lanes}>}} {{\n    {body}\n    gpu.return\n  }}\n}}\n")

    def source(self, lane):
        """The lane that a shuffle reads, or none."""
        at = {"xor": lane ^ self.by, "idx": self.by, "up": lane - self.by, "down": lane + self.by}[self.kind]
        return at if lane < self.width and 0 <= at < self.width else None

    def expected(self, elements):
        mask = (1 << self.bits) - 1
        own = [[(e if self.bits < 64 else 2 * e) & mask for e in lane] for lane in elements]
        results, flags = [], []
        for lane in range(self.lanes):
            if not self.reduces:
                at = self.source(lane)
                results.append(own[at] if at is not None else [0] * len(own[0]))
                flags.append(int(at is not None))
                continue
            span = (self.size - 1) * self.stride
            members = [other for other in range(self.lanes) if other & ~span == lane & ~span]
            total = own[members[0]]
            for other in members[1:]:
                total = [KINDS[self.kind](a, b) & mask for a, b in zip(total, own[other])]
            results.append(total)
            flags.append(1)
        return results, flags

    def words(self):
        many = max(1, self.count)
        once = -(-many // (32 // self.bits)) if self.bits <= 32 else 2 * many
        return once * (self.size.bit_length() - 1 if self.reduces else 1)


def check(case, name, rng):
    folder, many = options.out, max(1, case.count)
    (folder / f"{name}.mlir").write_text(case.text())
    numbers = [rng.randrange(-1 << 63, 1 << 63) for _ in range(case.lanes * many)]
    npy.write(folder / f"{name}.npy", "i64", [case.lanes, many], numbers)
    elements = [[n & (1 << 64) - 1 for n in numbers[lane * many:(lane + 1) * many]] for lane in range(case.lanes)]
    results, flags = case.expected(elements)
    for stage in ("distribute", "lower", "convert"):
        done = fork_server.run([
            options.distaff, "run", folder / f"{name}.mlir", "--target", TARGETS[case.lanes], f"--stop-after={stage}", "--counters",
            "--input", f"arg0={folder / name}.npy", "--output", f"arg1={folder / name}.out.npy", "--output", f"arg2={folder / name}.flags.npy"])
        if done.returncode:
            return f"after {stage}: {done.stderr[:500]}"
        read = lambda path, count: struct.unpack(f"<{count}Q", path.read_bytes()[-8 * count:])
        found = read(folder / f"{name}.out.npy", case.lanes * many)
        valid = read(folder / f"{name}.flags.npy", case.lanes)
        for lane in range(case.lanes):
            if list(found[lane * many:(lane + 1) * many]) != results[lane] or valid[lane] != flags[lane]:
                return (f"after {stage}, lane {lane}: {found[lane * many:(lane + 1) * many]} valid {valid[lane]}, expected {results[lane]} "
                        f"valid {flags[lane]}\n{case.text()}")
        shuffles = int(re.search(r"shuffles\D*(\d+)", done.stdout).group(1))
        if stage != "distribute" and shuffles != case.words():
            return f"{shuffles} shuffles, {case.words()} words\n{case.text()}"
    return ""


wrong = ran = 0
for lanes in TARGETS:
    for bits in (1, 3, 8, 11, 16, 24, 32, 33, 48, 64):
        for count in (0, 1, 2, 5, 9):
            rng = random.Random(f"{lanes}/{bits}/{count}")
            name = f"lanes{lanes}_i{bits}_x{count}"
            said = check(Case(rng, lanes, bits, count), name, rng)
            ran += 1
            wrong += bool(said)
            if said:
                print(f"FAIL {name}: {said}")
print(f"{ran - wrong} of {ran} exchanges are right")
sys.exit(wrong > 0)
