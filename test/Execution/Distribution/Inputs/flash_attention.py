"""Flash attention, f16 and f32, head sizes 64 and 128 (VX-104, VX-110, VX-111).

Every stage against the undistributed program in float64, sm_80 as PTX too, and
against softmax(q k^T) v, computed here with whole rows at once: what the examples
do block by block. f16 keeps everything in registers but K and V, which come back
by ldmatrix; nothing is spilled, as far as ptxas and LLVM are there to say so.
"""
import math
import random
import re
import shutil
import sys

from kernels import suite

sys.path.insert(0, str(suite.pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy

ROWS, KEYS = 256, 512
CASES = [("flash_attention", "f16", 64), ("flash_attention_f16_128", "f16", 128),
         ("flash_attention_f32_64", "f32", 64), ("flash_attention_f32_128", "f32", 128)]
QUERIES = range(0, ROWS, 37)  # rows that are computed here too


def numbers(seed, count, element, most=1.0):
    r = random.Random(seed)
    drawn = [r.uniform(-most, most) for _ in range(count)]
    return npy.from_bytes(npy.to_bytes(drawn, element), element)


# A step of a type's numbers, relative, as it is rounded: sqrt(1/6) of half a step, as the
# numbers are spread within a power of two. In f16 weights and results are rounded once;
# f32 has sums of 64 and of 512 behind each of them, and exp2 of the hardware.
ROUNDED = {"f16": 2.0 ** -11 / math.sqrt(6), "f32": 16 * 2.0 ** -24 / math.sqrt(6)}
ALL, EACH = 1.2, 6  # what the errors may be of those expected: their mean square, and one


def attention(q, k, v, size, row):
    """A row of the result, and the errors that are expected, in units of a rounding:
    of the result, and of each weight, which do not know of each other."""
    query = q[row * size:(row + 1) * size]
    scores = [sum(a * b for a, b in zip(query, k[key * size:(key + 1) * size])) for key in range(KEYS)]
    top = max(scores)
    weights = [2.0 ** (score - top) for score in scores]
    total = sum(weights)
    terms = [[w * v[key * size + column] / total for key, w in enumerate(weights)] for column in range(size)]
    return [(sum(each), math.sqrt(sum(each) ** 2 + sum(x * x for x in each))) for each in terms]


class Case:
    def __init__(self, name, element, size, chosen):
        self.name, self.element, self.size, self.chosen = name, element, size, chosen
        self.q = numbers(1, ROWS * size, element, most=2 / math.sqrt(size))
        self.k, self.v = (numbers(seed, KEYS * size, element) for seed in (2, 3))
        self.inputs = []
        for number, (values, rows) in enumerate(((self.q, ROWS), (self.k, KEYS), (self.v, KEYS))):
            path = npy.write(chosen.out / f"{name}_{number}.npy", element, (rows, size), values)
            self.inputs += ["--input", f"arg{number}={path}"]
        self.wanted = {row: attention(self.q, self.k, self.v, size, row) for row in QUERIES}

    def compare(self, path):
        def after():
            found = npy.read(path, self.element)
            errors = expected = 0
            for row, wanted in self.wanted.items():
                for column, (value, roundings) in enumerate(wanted):
                    error, bound = abs(found[row * self.size + column] - value), ROUNDED[self.element] * roundings
                    if not error <= EACH * bound:
                        return f"[{row}, {column}] is {found[row * self.size + column]}, not {value}"
                    errors, expected = errors + error ** 2, expected + bound ** 2
            return None if errors <= ALL ** 2 * expected else f"errors are {math.sqrt(errors / expected):.2f} times what rounding makes them"
        return after

    def runs(self):
        examples = suite.pathlib.Path(__file__).resolve().parents[4] / "examples"
        program = str(examples / f"{self.name}.mlir")
        for target in ("sm_80", "gfx942"):
            out = self.chosen.out / f"{self.name}_{target}.npy"
            command = [self.chosen.distaff, "run", program, "--target", target, *self.inputs, "--output", f"arg3={out}"]
            explain = [self.chosen.distaff, "explain", program, "--target", target]
            yield suite.Run(f"{self.name} {target}", [*command, "--check", "--every-stage"], after=self.compare(out), before=(explain, lambda text, t=target: self.explained(text, t)))
            if target == "sm_80":
                out = self.chosen.out / f"{self.name}_ptx.npy"
                yield suite.Run(f"{self.name} ptx", [*command[:-1], f"arg3={out}", "--device", "ptx", "--check"], after=self.compare(out), compares=False,
                                before=([*command[:-1], f"arg3={out}", "--device", "ptx", "--counters"], self.counted))

    def explained(self, text, target):
        if self.element != "f16":
            return None
        spills = re.search(r"spills: .*?(\d+) B by (ptxas|LLVM)", text)
        if spills and spills[1] != "0":
            return spills[0]
        if not spills and (target == "gfx942" or shutil.which("ptxas")):
            return "nobody says what is spilled\n" + text[:600]
        if "shared for conversions 0 B, for reductions 0 B" not in text:
            return text.splitlines()[0]
        if len(re.findall(r", 1 subgroup per result, 2 rounds, 4 shuffles", text)) != 2 and target == "sm_80":
            return "not 8 shuffles per iteration"
        tiers = re.findall(r"T[0-3]s? (?:identity|register permutation|register select|lane shuffle|shared memory)", text)
        wanted = ["T1 register permutation", "T3 shared memory", "T3 shared memory"] if target == "sm_80" else ["T0 identity"]
        if sorted(set(tiers)) != sorted(set(wanted)) and (target == "sm_80" or tiers):
            return f"tiers {tiers}"
        loads = re.findall(r"ldmatrix\.x\d(?:\.trans)?", text)
        if target == "sm_80" and sorted(loads) != ["ldmatrix.x4", "ldmatrix.x4.trans"]:
            return f"loads {loads}"

    def counted(self, text):
        conflicts = int(re.search(r"bank conflicts +(\d+)", text)[1])
        return f"{conflicts} bank conflicts" if conflicts and self.element == "f16" else None


chosen = suite.options()
suite.main([run for name, element, size in CASES for run in Case(name, element, size, chosen).runs()], chosen, one_in=7)
