"""Where the best element is, by every comparison, of ties, zeros of both signs and NaNs.

usage: largest.py OUT_DIR [options of suite.py]

The value is taken by the comparison that gives the place, or by minimum, maximum and
their kin, as exporters write it; operands and selects in either order; some elements
left out by a condition. The result is that of the loop, element after element, which
`walk` is: after a NaN that maximumf has taken no ordered comparison is true, so the
place stays; an unordered one is always.
"""
import itertools
import math
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

TARGETS = ("sm_80", "gfx942", "host", "ptx")
SHAPES = ((13, 301), (1, 7), (5, 1), (64, 256), (3, 5000), (6, 50))
COMPARE = {"gt": lambda x, y: x > y, "ge": lambda x, y: x >= y, "lt": lambda x, y: x < y, "le": lambda x, y: x <= y}
BITS = {"f32": 32, "f16": 16, "f64": 64, "i32": 32, "i8": 8, "i64": 64}


class Form:
    """One op: `take` is `select` or an op; `is_turned` exchanges the comparison's operands, `is_negated` those of the selects."""

    def __init__(self, seed, element, predicate, take, shape):
        rng = self.rng = random.Random(seed)
        self.element, self.predicate, self.take, self.shape = element, predicate, take, shape
        self.is_float = element[0] == "f"
        self.is_larger = predicate[1] == "g"
        self.is_turned, self.is_negated = rng.random() < 0.3, rng.random() < 0.3
        self.leaves_out = rng.random() < 0.3 and not self.is_negated
        self.place = rng.choice(["i32", "i64"])
        self.has_nans = self.is_float and rng.random() < 0.8
        self.dim = rng.choice([0, 1, 1])
        self.values, self.start = self.draw()
        self.name = f"{element}_{predicate}_{take}_{shape[0]}x{shape[1]}_{seed}"

    def draw(self):
        rng, bits, count = self.rng, BITS[self.element], self.shape[0] * self.shape[1]
        if not self.is_float:
            limits = [-(1 << (bits - 1)), (1 << (bits - 1)) - 1, 0, -1]
            few = limits + [rng.randint(-9, 9) for _ in range(5)]
            worst = (limits[1] if not self.is_larger else limits[0]) if self.predicate[0] == "s" else (0 if self.is_larger else -1)
            if rng.random() < 0.2:
                few = [worst]
            return [rng.choice(few) for _ in range(count)], rng.choice([worst, worst, 0, few[0]])
        worst = -math.inf if self.is_larger else math.inf
        few = rng.choice([[0.0, -0.0], [worst], [1.0, -2.0, 0.0, -0.0, math.inf, -math.inf], [float(i) for i in range(-9, 9)]])
        values = [rng.choice(few) for _ in range(count)]
        if self.has_nans:
            for row in range(self.shape[0]):
                for _ in range(rng.choice([0, 1, 1, 2])):
                    values[row * self.shape[1] + rng.randrange(self.shape[1])] = math.nan
        return values, rng.choice([worst, worst, 0.0, -0.0, math.nan])

    def literal(self, value):
        if not self.is_float:
            return str(value)
        code, size = {"f16": "eH", "f32": "fI", "f64": "dQ"}[self.element], BITS[self.element] // 4
        return f"0x{struct.unpack('<' + code[1], struct.pack('<' + code[0], value))[0]:0{size}X}"

    def text(self):
        """The reduced dim is the last one of the input, or the first."""
        m, n = self.shape
        e, p, whole = self.element, self.place, f"{m}x{n}" if self.dim == 1 else f"{n}x{m}"
        predicate = self.predicate
        if self.is_negated:
            flip = {"g": "l", "l": "g"}[predicate[1]] + {"t": "e", "e": "t"}[predicate[2]]
            predicate = ({"o": "u", "u": "o"}[predicate[0]] if self.is_float else predicate[0]) + flip
        if self.is_turned:
            predicate = predicate[0] + {"g": "l", "l": "g"}[predicate[1]] + predicate[2]
        sides = "%best, %x" if self.is_turned else "%x, %best"
        chosen = lambda new, old, kind: f"arith.select %c, {old}, {new} : {kind}" if self.is_negated else f"arith.select %c, {new}, {old} : {kind}"
        lines = ["%j = linalg.index 1 : index", f"%i = arith.index_cast %j : index to {p}",
                 f"%b = arith.cmp{'f' if self.is_float else 'i'} {predicate}, {sides} : {e}"]
        if self.leaves_out:
            lines += ["%three = arith.constant 3 : index", "%rest = arith.remui %j, %three : index", "%one = arith.constant 1 : index",
                      "%counts = arith.cmpi ne, %rest, %one : index", "%c = arith.andi %counts, %b : i1"]
        if not self.leaves_out:
            lines = [line.replace("%b = arith.cmp", "%c = arith.cmp") for line in lines]
        if self.take == "select":
            lines.append(f"%v = {chosen('%x', '%best', e)}")
        else:
            lines.append(f"%{'w' if self.leaves_out else 'v'} = arith.{self.take} %x, %best : {e}")
            if self.leaves_out:
                lines.append(f"%v = arith.select %counts, %w, %best : {e}")
        lines += [f"%p = {chosen('%i', '%place', p)}", f"linalg.yield %v, %p : {e}, {p}"]
        read = "(m, n)" if self.dim == 1 else "(n, m)"
        body = "\n    ".join(lines)
        return f"""func.func @k(%a: tensor<{whole}x{e}>) -> (tensor<{m}x{e}>, tensor<{m}x{p}>) {{
  %start = arith.constant {self.literal(self.start)} : {e}
  %minus = arith.constant -5 : {p}
  %e0 = tensor.empty() : tensor<{m}x{e}>
  %e1 = tensor.empty() : tensor<{m}x{p}>
  %f0 = linalg.fill ins(%start : {e}) outs(%e0 : tensor<{m}x{e}>) -> tensor<{m}x{e}>
  %f1 = linalg.fill ins(%minus : {p}) outs(%e1 : tensor<{m}x{p}>) -> tensor<{m}x{p}>
  %r:2 = linalg.generic {{indexing_maps = [affine_map<(m, n) -> {read}>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}} ins(%a : tensor<{whole}x{e}>) outs(%f0, %f1 : tensor<{m}x{e}>, tensor<{m}x{p}>) {{
  ^bb0(%x: {e}, %best: {e}, %place: {p}):
    {body}
  }} -> (tensor<{m}x{e}>, tensor<{m}x{p}>)
  return %r#0, %r#1 : tensor<{m}x{e}>, tensor<{m}x{p}>
}}
"""

    def beats(self, x, best):
        if self.is_float and (x != x or best != best):
            return self.predicate[0] == "u"
        if self.predicate[0] == "u" and not self.is_float:
            x, best = x % (1 << BITS[self.element]), best % (1 << BITS[self.element])
        return COMPARE[self.predicate[1:]](x, best)

    def combined(self, x, best, wins):
        if self.take == "select" or not self.is_float:
            return x if wins else best
        if x != x or best != best:
            other = best if x != x else x
            return math.nan if self.take in ("maximumf", "minimumf") else other
        if x == best == 0:  # +0 is larger than -0
            is_negative = [math.copysign(1, value) < 0 for value in (x, best)]
            return -0.0 if (all if self.is_larger else any)(is_negative) else 0.0
        return max(x, best) if self.is_larger else min(x, best)

    def walk(self, row):
        best, place = self.start, -5
        for i, x in enumerate(self.values[row * self.shape[1]:(row + 1) * self.shape[1]]):
            if self.leaves_out and i % 3 == 1:
                continue
            wins = self.beats(x, best)
            best, place = self.combined(x, best, wins), i if wins else place
        return best, place

    def same(self, got, wanted):
        if not self.is_float:
            return got == wanted
        # Which zero maxnumf takes is not said.
        signs = self.take in ("maxnumf", "minnumf") or math.copysign(1, got) == math.copysign(1, wanted)
        return (got != got and wanted != wanted) or (got == wanted and signs)


def run_of(form, target, chosen):
    path = chosen.out / f"{form.name}.mlir"
    path.write_text(form.text())
    files = [path.with_suffix(f".{target}.{part}.npy") for part in ("a", "value", "place")]
    m, n = form.shape
    values = form.values if form.dim == 1 else [form.values[row * n + at] for at in range(n) for row in range(m)]
    npy.write(files[0], form.element, (m, n) if form.dim == 1 else (n, m), values)

    def wrong():
        best, place = npy.read(files[1], form.element), npy.read(files[2], form.place)
        for row in range(m):
            value, at = form.walk(row)
            if place[row] != at or not form.same(best[row], value):
                return f"row {row}: {best[row]} at {place[row]}, expected {value} at {at}"
        return None
    machine = {"host": ["--target", "host", "--device", "host"], "ptx": ["--target", "sm_80", "--device", "ptx"]}.get(target, ["--target", target])
    command = [chosen.distaff, "run", str(path), *machine, f"--input=arg0={files[0]}", f"--output=res0={files[1]}", f"--output=res1={files[2]}"]
    # Whoever checks has to agree with the definition, too.
    return suite.Run(f"{form.name} {target}", command + ["--check"], after=wrong, compares=False)


def forms():
    seed = 0
    for predicate in [a + b for a in "ou" for b in COMPARE]:
        for take in ("select",) + (("maximumf", "maxnumf") if predicate[1] == "g" else ("minimumf", "minnumf")):
            for shape in SHAPES:
                seed += 1
                yield Form(seed, ("f32", "f32", "f16", "f64")[seed % 4], predicate, take, shape)
    for predicate in [a + b for a in "su" for b in COMPARE]:
        for take in ("select", ("max" if predicate[1] == "g" else "min") + predicate[0] + "i"):
            for shape in SHAPES:
                seed += 1
                yield Form(seed, ("i32", "i8", "i64")[seed % 3], predicate, take, shape)


if __name__ == "__main__":
    chosen = suite.options()
    suite.main([run_of(form, target, chosen) for form, target in zip(forms(), itertools.cycle(TARGETS[:3] + TARGETS))], chosen, one_in=11)
