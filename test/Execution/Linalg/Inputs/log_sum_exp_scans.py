"""Scans by log(exp + exp) against sums in double precision (VX-202).

usage: log_sum_exp_scans.py OUT_DIR [options of suite.py]

In usual spellings, along the first, a middle and the last dim, inclusive and exclusive,
started and not, in lengths around those of parts. Rows hold numbers of any size, of which
small ones come before large ones, infinities and NaN.
"""
import concurrent.futures
import itertools
import math
import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import npy
import suite

INF, NAN = math.inf, math.nan
NONE = {"f16": "0xFC00", "f32": "0xFF800000", "f64": "0xFFF0000000000000"}
TOLERANCE = {"f16": 4e-3, "f32": 4e-6, "f64": 1e-13}
STEPS = {
    "naive": ["%ea = math.exp %sum : T", "%eb = math.exp %x : T", "%es = arith.addf %ea, %eb : T", "%c = math.log %es : T"],
    "log1p": ["%mx = arith.maximumf %x, %sum : T", "%d = arith.subf %x, %sum : T", "%ab = math.absf %d : T",
              "%ng = arith.negf %ab : T", "%ex = math.exp %ng : T", "%l1 = math.log1p %ex : T", "%c = arith.addf %mx, %l1 : T"],
}
BODY = """%c = linalg.map ins(%sum, %x : T, T) outs(%sum : T) (%p0: E, %q0: E, %o0: E) {
      %ea = math.exp %p0 : E
      %eb = math.exp %q0 : E
      %es = arith.addf %ea, %eb : E
      %l = math.log %es : E
      linalg.yield %l : E
    }"""


class Scan:
    def __init__(self, shape, dim, step="naive", element="f32", exclusive=False, started=False, last=False):
        self.shape, self.dim, self.step, self.element = shape, dim, step, element
        self.exclusive, self.started, self.last = exclusive, started, last
        self.rest = [n for at, n in enumerate(shape) if at != dim]

    def tensor(self, sizes):
        return f"tensor<{'x'.join([*map(str, sizes), self.element])}>"

    def text(self):
        if not self.rest:
            return self.of_scalars()
        whole, piece = self.tensor(self.shape), self.tensor(self.rest)
        place = ", ".join("%i" if at == self.dim else "0" for at in range(len(self.shape)))
        sizes = ", ".join("1" if at == self.dim else str(n) for at, n in enumerate(self.shape))
        ones = ", ".join("1" for _ in self.shape)
        fill = "" if self.started else f"""  %s = arith.constant {NONE[self.element]} : {self.element}
  %ze = tensor.empty() : {piece}
  %z = linalg.fill ins(%s : {self.element}) outs(%ze : {piece}) -> {piece}
"""
        combined = (BODY if self.step == "map" else "\n    ".join(STEPS[self.step])).replace(": T", f": {piece}").replace(", T", f", {piece}").replace(": E", f": {self.element}")
        return f"""func.func @scan(%v: {whole}{f', %a: {piece}' if self.started else ''}) -> ({whole}{f', {piece}' if self.last else ''}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {self.shape[self.dim]} : index
{fill}  %e = tensor.empty() : {whole}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = {'%a' if self.started else '%z'}, %o = %e) -> ({piece}, {whole}) {{
    %x = tensor.extract_slice %v[{place}] [{sizes}] [{ones}] : {whole} to {piece}
    {combined}
    %p = tensor.insert_slice {'%sum' if self.exclusive else '%c'} into %o[{place}] [{sizes}] [{ones}] : {piece} into {whole}
    scf.yield %c, %p : {piece}, {whole}
  }}
  return %r#1{', %r#0' if self.last else ''} : {whole}{f', {piece}' if self.last else ''}
}}
"""

    def of_scalars(self):
        whole = self.tensor(self.shape)
        combined = "\n    ".join(STEPS[self.step]).replace(": T", f": {self.element}")
        return f"""func.func @scan(%v: {whole}) -> {whole} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {self.shape[0]} : index
  %s = arith.constant {NONE[self.element]} : {self.element}
  %e = tensor.empty() : {whole}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %s, %o = %e) -> ({self.element}, {whole}) {{
    %x = tensor.extract %v[%i] : {whole}
    {combined}
    %p = tensor.insert {'%sum' if self.exclusive else '%c'} into %o[%i] : {whole}
    scf.yield %c, %p : {self.element}, {whole}
  }}
  return %r#1 : {whole}
}}
"""


def combine(x, y):
    """log(exp x + exp y), of NaN NaN."""
    if math.isnan(x) or math.isnan(y):
        return NAN
    largest = max(x, y)
    return largest if math.isinf(largest) else largest + math.log1p(math.exp(min(x, y) - largest))


def row(r, length, element):
    """Of one of the kinds that a scan has to survive."""
    most = 60000 if element == "f16" else 1e30
    kind = r.choice(["plain", "rising", "falling", "any", "none", "holes", "infinite", "nan"])
    values = [r.uniform(-4, 4) for _ in range(length)]
    if kind == "rising":  # what comes first is nothing beside what comes last
        values = [3.0 * at - 900 for at in range(length)]
    elif kind == "falling":
        values = [900 - 3.0 * at for at in range(length)]
    elif kind == "any":
        values = [r.choice([-1, 1]) * min(most, 10 ** r.uniform(-3, 30)) for _ in range(length)]
    elif kind == "none":
        values = [-INF] * length
    elif kind == "holes":
        values = [-INF if r.random() < 0.7 else value for value in values]
    elif kind == "infinite":
        values[r.randrange(length)] = INF
    elif kind == "nan":
        values[r.randrange(length)] = NAN
    return values


def places(shape, dim):
    """The numbers of each row's elements."""
    stride = math.prod(shape[dim + 1:])
    for index in itertools.product(*(range(n) for at, n in enumerate(shape) if at != dim)):
        first, weight, others = 0, 1, list(index)
        for at in reversed(range(len(shape))):
            if at != dim:
                first += others.pop() * weight
            weight *= shape[at]
        yield [first + at * stride for at in range(shape[dim])]


def rounded(values, element):
    return npy.from_bytes(npy.to_bytes(values, element), element)


def agree(found, expected, element):
    """Within some units in the last place of 1 or of the result."""
    if math.isnan(expected) or math.isinf(expected):
        return (math.isnan(found) and math.isnan(expected)) or found == expected
    return abs(found - expected) <= TOLERANCE[element] * max(1, abs(expected))


def judged(name, scan, target, chosen):
    r = random.Random(name)
    files = chosen.out / f"{name}.{target}"
    path = files.with_name(f"{files.name}.mlir")
    path.write_text(scan.text())
    count, rows = math.prod(scan.shape), list(places(scan.shape, scan.dim))
    values = [0.0] * count
    for numbers in rows:
        for number, value in zip(numbers, row(r, len(numbers), scan.element)):
            values[number] = value
    values = rounded(values, scan.element)
    starts = rounded([r.choice([-INF, 0.5, -300.0, 20.0]) for _ in rows] if scan.started else [-INF] * len(rows), scan.element)
    expected, ends = [0.0] * count, []
    for numbers, so_far in zip(rows, starts):
        for number in numbers:
            after = combine(so_far, values[number])
            expected[number] = so_far if scan.exclusive else after
            so_far = after
        ends.append(so_far)
    flags = [f"--input=arg0={npy.write(files.with_name(f'{files.name}.npy'), scan.element, scan.shape, values)}"]
    if scan.started:
        flags.append(f"--input=arg1={npy.write(files.with_name(f'{files.name}.start.npy'), scan.element, scan.rest, starts)}")
    made = [files.with_name(f"{files.name}.{at}.npy") for at in range(1 + scan.last)]
    flags += [f"--output=res{at}={out}" for at, out in enumerate(made)]
    done = suite.execute([chosen.distaff, "run", str(path), "--target", target, *(["--device", "host"] if target == "host" else []), *flags])
    if done.returncode:
        return f"exit {done.returncode} {done.stderr[:600]}"
    for out, wanted in zip(made, (expected, ends)):
        for at, (have, want) in enumerate(zip(npy.read(out, scan.element), wanted, strict=True)):
            if not agree(have, want, scan.element):
                return f"element {at} is {have}, expected {want}"
    return None


CASES = {
    **{f"rows_{length}": Scan((9, length), 1, "log1p") for length in (1, 2, 31, 33, 64, 65, 97)},
    **{f"exclusive_{length}": Scan((7, length), 1, exclusive=True, last=True) for length in (1, 2, 64, 131)},
    "columns": Scan((300, 5), 0, "naive", started=True, last=True),
    "middle": Scan((3, 70, 5), 1, "log1p", exclusive=True, started=True, last=True),
    "started": Scan((8, 67), 1, "map", started=True, last=True),
    "long": Scan((3, 4099), 1, "log1p"),
    "scalars": Scan((1000,), 0, "log1p"),
    "scalars_exclusive": Scan((129,), 0, "naive", exclusive=True),
    "halves": Scan((8, 100), 1, "naive", element="f16"),
    "doubles": Scan((8, 100), 1, "log1p", element="f64", started=True),
}
TARGETS = ("sm_80", "gfx942", "gfx1100", "host")


def check_parallel(chosen):
    """No loop walks a row: launches have work for more than a lane per row."""
    path = chosen.out / "parallel.mlir"
    path.write_text(Scan((3, 4099), 1, "log1p").text())
    done = suite.execute([chosen.distaff, "compile", str(path), "--target", "sm_80", "--stop-after=configure"])
    return [] if done.returncode == 0 and "scf.for " not in done.stdout else [f"parallel: exit {done.returncode}, a loop walks the rows"]


def main():
    chosen = suite.options()
    runs = [(name, scan, target) for at, (name, scan) in enumerate(CASES.items())
            for number, target in enumerate(TARGETS) if not depth.IS_QUICK or (at + number) % 3 == 0]
    failed = check_parallel(chosen)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for (name, _, target), wrong in zip(runs, pool.map(lambda run: judged(*run, chosen), runs)):
            if wrong:
                failed.append(f"{name} {target}: {wrong}")
    print("\n".join(f"FAIL {each}" for each in failed))
    print(f"{len(runs)} runs, {len(failed)} wrong")
    sys.exit(bool(failed))


main()
