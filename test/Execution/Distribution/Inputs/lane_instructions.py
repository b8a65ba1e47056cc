"""MMA ops of the vendors' dialects in lane code (VX-143): nvgpu.mma.sync, amdgpu.mfma
and amdgpu.wmma of every row of the tables that they can name. Each lane loads its
fragments and stores its result; who holds what is said here once more, from the
manuals, and the products are computed in whole numbers.

    python3 lane_instructions.py OUT_DIR [--only NAME]
"""
import json
import random
import re
import subprocess

from kernels import suite
import npy

# Registers of a lane to row and column (and block), as the manuals have them: PTX ISA,
# "mma"; the matrix instruction chapters of the CDNA and RDNA ISA guides.
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "xf32": 32, "f32": 32, "f64": 64, "i8": 8, "u8": 8, "i4": 4, "u4": 4, "i32": 32}


def bits_of(kind):
    return BITS.get(kind, 8)


class Sync:
    """mma.sync: g = lane / 4 along the dim of 8, q = lane % 4 along the other."""

    def __init__(self, row):
        self.per = 1 if row["a"] in ("tf32", "f64") else 32 // bits_of(row["a"])
        self.eights = row["m"] // 8

    def a(self, lane, i):
        word = i // self.per
        return lane // 4 + 8 * (word % self.eights), lane % 4 * self.per + i % self.per + 4 * self.per * (word // self.eights), 0

    def b(self, lane, i):
        return lane % 4 * self.per + i % self.per + 4 * self.per * (i // self.per), lane // 4, 0

    def c(self, lane, i):
        return lane // 4 + 8 * (i // 2), lane % 4 * 2 + i % 2, 0


class Mfma:
    """S lanes along M or N, the others along K, or one block each."""

    def __init__(self, row):
        self.side, self.blocks, self.is_double = row["m"], row["blocks"], row["a"] == "f64"
        self.per = row["k"] * row["m"] * row["blocks"] // 64
        self.is_deep = bits_of(row["a"]) == 8 and row["k"] * row["m"] == 2048

    def a(self, lane, i):
        if self.blocks == 4 and self.is_double:
            return lane % 4, lane // 16, lane // 4 % 4
        if self.blocks > 1:
            return lane % self.side, i, lane // self.side
        if self.is_deep:
            return lane % self.side, 16 * (lane // self.side) + i % 16 + 16 * (64 // self.side) * (i // 16), 0
        return lane % self.side, self.per * (lane // self.side) + i, 0

    def b(self, lane, i):
        row, k, block = self.a(lane, i)
        return k, row, block

    def c(self, lane, i):
        if self.is_double:
            return (lane // 16, lane % 4, lane // 4 % 4) if self.blocks == 4 else (4 * i + lane // 16, lane % 16, 0)
        if self.side == 4:
            return i, lane % 4, lane // 4
        if self.side == 16:
            return 4 * (lane // 16) + i % 4, lane % 16, i // 4
        return 8 * (i % 16 // 4) + 4 * (lane // 32) + i % 4, lane % 32, i // 16


class Wmma3:
    """Of RDNA3: two halves hold the same of A and B, and every second row of D."""

    def __init__(self, row):
        self.in_halves = bits_of(row["c"]) == 16

    def a(self, lane, i):
        return lane % 16, i, 0

    def b(self, lane, i):
        return i, lane % 16, 0

    def c(self, lane, i):
        if self.in_halves and i % 2:
            return None  # stays what it is
        return 2 * (i // 2 if self.in_halves else i) + lane // 16, lane % 16, 0


class Wmma4:
    """Of RDNA4: halves take turns along K, and have eight rows of D each."""

    def __init__(self, row):
        self.group = 4 if bits_of(row["a"]) == 16 else 8

    def a(self, lane, i):
        return lane % 16, 2 * self.group * (i // self.group) + self.group * (lane // 16) + i % self.group, 0

    def b(self, lane, i):
        row, k, _ = self.a(lane, i)
        return k, row, 0

    def c(self, lane, i):
        return 8 * (lane // 16) + i, lane % 16, 0


FAMILIES = {"NV_MMA": Sync, "MFMA": Mfma, "WMMAR3": Wmma3, "WMMAR4": Wmma4}


class Modifiers:
    """What an MFMA is told beside its operands (VX-176): blocks of A, lanes of B, and signs of f64, as the CDNA ISA guides have it."""
    PATTERNS = ("none", "bcast_first_32", "bcast_second_32", "rotate_16_right", "bcast_first_16", "bcast_second_16", "bcast_third_16", "bcast_fourth_16")

    def __init__(self, cbsz=0, abid=0, blgp=0, negated=""):
        self.cbsz, self.abid, self.blgp, self.negated = cbsz, abid, blgp, negated

    def attributes(self):
        numbers = [f"{name} = {value} : i32" for name, value in (("cbsz", self.cbsz), ("abid", self.abid)) if value]
        return numbers + [f"negate{side.upper()}" for side in self.negated]

    def source(self, side, lane, blocks):
        """The lane that the instruction takes a lane's part from."""
        if side == "a" and self.cbsz:
            lanes = 64 // blocks
            group = lane // lanes // 2**self.cbsz * 2**self.cbsz
            return (group + self.abid) * lanes + lane % lanes
        if side == "b" and self.blgp:
            first, lanes = {1: (0, 32), 2: (32, 32), 4: (0, 16), 5: (16, 16), 6: (32, 16), 7: (48, 16)}.get(self.blgp, (0, 0))
            return first + lane % lanes if lanes else (lane + 16) % 64
        return lane

    def sign(self, side):
        return -1 if side in self.negated else 1


class Instruction:
    def __init__(self, row, target, modifiers=None):
        self.row, self.target, self.name = row, target, f"{row['name']}_{target}"
        self.modifiers = modifiers or Modifiers()
        if modifiers:
            self.name += f"_{modifiers.cbsz}_{modifiers.abid}_{modifiers.blgp}_{modifiers.negated}"
        self.family = next(prefix for prefix in FAMILIES if row["name"].startswith(prefix))
        self.map = FAMILIES[self.family](row)
        self.lanes = 64 if self.family == "MFMA" else 32
        self.m, self.n, self.k, self.blocks = (row[key] for key in ("m", "n", "k", "blocks"))
        copies = 2 if self.family == "WMMAR3" else 1
        self.counts = {"a": copies * self.blocks * self.m * self.k // self.lanes, "b": copies * self.blocks * self.k * self.n // self.lanes,
                       "c": self.blocks * self.m * self.n // self.lanes * (2 if self.family == "WMMAR3" and self.map.in_halves else 1)}
        self.types = {side: {"tf32": "f32", "xf32": "f32", "u8": "i8", "u4": "i4"}.get(row[side], row[side]) for side in "abc"}

    def shape(self, side):
        """The vector of a lane; nvgpu has a row per register."""
        count, type_ = self.counts[side], self.types[side]
        if self.family != "NV_MMA":
            return f"vector<{count}x{type_}>" if count > 1 else type_
        per = 2 if side == "c" else self.map.per
        return f"vector<{count // per}x{per}x{type_}>"

    def memory(self, side):
        return "i8" if self.types[side] == "i4" else self.types[side]

    def load(self, side, number):
        count, type_, memory, value = self.counts[side], self.types[side], self.memory(side), f"%{side}"
        array = f"memref<{self.lanes}x{count}x{memory}>"
        if count == 1 and self.family != "NV_MMA":
            return [f"{value} = memref.load %arg{number}[%l, %c0] : {array}"]
        flat = f"vector<{count}x{memory}>"
        lines = [f"{value}_0 = vector.load %arg{number}[%l, %c0] : {array}, {flat}"]
        last = f"{value}_0"
        if memory != type_:
            lines.append(f"{value}_1 = arith.trunci {last} : {flat} to vector<{count}x{type_}>")
            last, flat = f"{value}_1", f"vector<{count}x{type_}>"
        return lines + [f"{value} = vector.shape_cast {last} : {flat} to {self.shape(side)}"]

    def product(self):
        types = [self.shape(side) for side in "abc"]
        shape = f"{self.m}x{self.n}x{self.k}"
        if self.family == "NV_MMA":
            flag = ", tf32Enabled" if self.row["a"] == "tf32" else ""
            return f"%d = nvgpu.mma.sync(%a, %b, %c) {{mmaShape = [{self.m}, {self.n}, {self.k}]{flag}}} : ({', '.join(types)}) -> {types[2]}"
        if self.family == "MFMA":
            extra = [f"blocks = {self.blocks} : i32"] if self.blocks > 1 else []
            extra += ["reducePrecision"] if self.row["a"] == "xf32" else []
            extra += self.modifiers.attributes()
            return f"%d = amdgpu.mfma {shape} %a * %b + %c {{{', '.join(extra)}}} blgp = {Modifiers.PATTERNS[self.modifiers.blgp]} : {', '.join(types)}"
        flags = ", ".join(f"unsigned{side.upper()}" for side in "ab" if self.row[side] == "u8")
        return f"%d = amdgpu.wmma {shape} %a * %b + %c {{{flags}}} : {', '.join(types)}"

    def text(self):
        arguments = ", ".join(f"%arg{number}: memref<{self.lanes}x{self.counts[side]}x{self.memory(side)}>" for number, side in enumerate("abcc"))
        count, array = self.counts["c"], f"memref<{self.lanes}x{self.counts['c']}x{self.types['c']}>"
        lines = ["%c0 = arith.constant 0 : index", "%l = gpu.thread_id x"]
        for number, side in enumerate("abc"):
            lines += self.load(side, number)
        lines.append(self.product())
        if count == 1:
            lines.append(f"memref.store %d, %arg3[%l, %c0] : {array}")
        else:
            flat = f"vector<{count}x{self.types['c']}>"
            lines += [f"%s = vector.shape_cast %d : {self.shape('c')} to {flat}", f"vector.store %s, %arg3[%l, %c0] : {array}, {flat}"]
        body = "\n".join("    " + line for line in [*lines, "gpu.return"])
        return f"gpu.module @m {{\n  gpu.func @k({arguments}) kernel attributes {{known_block_size = array<i32: {self.lanes}, 1, 1>}} {{\n{body}\n  }}\n}}\n"


SMALL_FLOATS = {"f8E4M3FN": {0: 0, 1: 0x38, 2: 0x40, -1: 0xB8, -2: 0xC0}, "f8E5M2": {0: 0, 1: 0x3C, 2: 0x40, -1: 0xBC, -2: 0xC0},
                "f8E4M3FNUZ": {0: 0, 1: 0x40, 2: 0x48, -1: 0xC0, -2: 0xC8}, "f8E5M2FNUZ": {0: 0, 1: 0x40, 2: 0x44, -1: 0xC0, -2: 0xC4}}


def numbers(kind, rng):
    """A number that is exact in the type, of both signs where it has them."""
    if kind[0] == "u":
        return rng.choice((0, 1, 2, 3, 255)) if kind == "u8" else rng.choice((0, 1, 7, 15))
    if kind in ("i8", "i4"):
        return rng.choice((-128, -1, 0, 1, 127)) if kind == "i8" else rng.choice((-8, -1, 0, 3, 7))
    return rng.randint(-2, 2) if kind != "i32" else rng.randint(-1000, 1000)


def write(path, instruction, side, values):
    type_ = instruction.memory(side)
    if type_ in SMALL_FLOATS:
        values = [SMALL_FLOATS[type_][value] for value in values]
    elif type_ == "i8":
        values = [(value + 128) % 256 - 128 for value in values]
    npy.write(path, type_, [instruction.lanes, instruction.counts[side]], values)


def rearrange(instruction, matrices, held):
    """The matrices that the instruction takes of what the lanes hold."""
    for side in "abc":
        count = instruction.counts[side]
        for lane in range(instruction.lanes):
            source = instruction.modifiers.source(side, lane, instruction.blocks)
            for i in range(count):
                row, column, block = getattr(instruction.map, side)(lane, i)
                matrices[side][block][row][column] = instruction.modifiers.sign(side) * held[side][source * count + i]


def prepare(instruction, out):
    """Writes the lanes' fragments of random matrices; returns what each lane must have in the end."""
    rng = random.Random(instruction.name)
    extents = {"a": (instruction.m, instruction.k), "b": (instruction.k, instruction.n), "c": (instruction.m, instruction.n)}
    matrices, held = {}, {}
    for side, (rows, columns) in extents.items():
        matrices[side] = [[[numbers(instruction.row[side], rng) for _ in range(columns)] for _ in range(rows)] for _ in range(instruction.blocks)]
        held[side] = []
        for lane in range(instruction.lanes):
            for i in range(instruction.counts[side]):
                place = getattr(instruction.map, side)(lane, i)
                held[side].append(matrices[side][place[2]][place[0]][place[1]] if place else 1)
        write(out / f"{instruction.name}_{side}.npy", instruction, side, held[side])
    if instruction.family == "MFMA":
        rearrange(instruction, matrices, held)
    wanted = []
    for lane in range(instruction.lanes):
        for i in range(instruction.counts["c"]):
            place = instruction.map.c(lane, i)
            if not place:
                wanted.append(1)
                continue
            row, column, block = place
            wanted.append(matrices["c"][block][row][column] +
                          sum(matrices["a"][block][row][k] * matrices["b"][block][k][column] for k in range(instruction.k)))
    return wanted


def runs_of(instruction, chosen):
    path = chosen.out / f"{instruction.name}.mlir"
    path.write_text(instruction.text())
    files = {side: chosen.out / f"{instruction.name}_{side}.npy" for side in "abc"}
    wanted = []
    result = chosen.out / f"{instruction.name}_d.npy"
    inputs = [flag for number, side in enumerate("abc") for flag in ("--input", f"arg{number}={files[side]}")]

    def fill():
        wanted[:] = prepare(instruction, chosen.out)

    def check(file):
        found = npy.read(file, instruction.types["c"])
        wrong = [at for at, (one, other) in enumerate(zip(found, wanted)) if one != other]
        return None if not wrong and len(found) == len(wanted) else f"register {wrong[:1]} is {found[wrong[0]] if wrong else '?'}, not {wanted[wrong[0]] if wrong else '?'}"

    command = [chosen.distaff, "run", str(path), "--target", instruction.target, *inputs]
    yield suite.Run(instruction.name, [*command, "--check", "--every-stage", "--output", f"arg3={result}"], prepare=fill, after=lambda: check(result), compares=False)
    # Arbitrary numbers, of which TF32 drops bits; the bounds of sums in 16 bits decide nothing.
    if instruction.row["c"] in ("f32", "f64") and instruction.family != "WMMAR3":  # whose lanes hold copies
        yield suite.Run(f"{instruction.name}_arbitrary", [chosen.distaff, "run", str(path), "--target", instruction.target, "--check", "--every-stage"],
                        after=lambda: None, compares=False)
    device = "ptx" if instruction.family == "NV_MMA" else None
    if device:
        other = chosen.out / f"{instruction.name}_ptx.npy"
        yield suite.Run(f"{instruction.name}_ptx", [*command, "--device", device, "--output", f"arg3={other}"], prepare=fill, after=lambda: check(other), compares=False)
    else:
        code = chosen.out / f"{instruction.name}.gcn"
        mnemonic = "v_mfma" if instruction.family == "MFMA" else "v_wmma"
        fields = [f"{name}:{getattr(instruction.modifiers, name)}" for name in ("cbsz", "abid", "blgp") if getattr(instruction.modifiers, name)]

        def emitted():
            lines = [line for line in code.read_text().splitlines() if mnemonic in line and not line.lstrip().startswith(";")]
            return None if len(lines) == 1 and all(field in lines[0] for field in fields) else f"not one {mnemonic} {fields}: {lines}"
        yield suite.Run(f"{instruction.name}_code", [chosen.distaff, "compile", str(path), "--target", instruction.target, "--emit", "gcn", "-o", str(code)],
                        after=emitted, compares=False)


def modified(row, target):
    """The instruction with modifiers of its own: of f64 signs, of others blocks and lanes."""
    if row["a"] == "f64":
        return [Instruction(row, target, Modifiers(negated=sides)) for sides in ("a", "bc")]
    if row["a"].startswith("f8") or row["a"] == "xf32":
        return []
    rng = random.Random(row["name"])
    choices = [Modifiers(blgp=blgp) for blgp in rng.sample(range(1, 8), 2)]
    most = row["blocks"].bit_length() - 1
    for cbsz in {1, most} - {0} if most else ():
        choices.append(Modifiers(cbsz, rng.randrange(2**cbsz), rng.randrange(8)))
    return [Instruction(row, target, each) for each in choices]


def main():
    chosen = suite.options()
    listed = json.loads(subprocess.run([chosen.distaff, "targets", "--format", "json"], capture_output=True, text=True, check=True).stdout)
    runs, seen = [], set()
    for target in listed:
        for row in target["mma"]:
            # One target per row runs it. What nvgpu cannot name: it has no unsigned integers and no floats of 8 bits.
            is_named = not row["name"].startswith("NV_") or all(row[side][0] != "u" and not row[side].startswith("f8") for side in "ab")
            if is_named and row["name"] not in seen:
                runs += runs_of(Instruction(row, target["name"]), chosen)
                for instruction in modified(row, target["name"]) if row["name"].startswith("MFMA") else ():
                    runs += runs_of(instruction, chosen)
            seen.add(row["name"])
    suite.main(runs, chosen, one_in=17)


main()
