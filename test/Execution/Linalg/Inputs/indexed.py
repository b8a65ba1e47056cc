"""tensor.gather and tensor.scatter in every form, against their definition.

usage: indexed.py OUT_DIR [--seeds FIRST:LAST] [options of suite.py]

A seed is ranks, extents, dims that are indexed, types of elements and of coordinates,
dims of the batch, whether indexed dims are kept as 1, which extents are dynamic, and
what stands before and behind: a scatter goes into an argument or a fill, what is
scattered or gathered is negated, or the result is. Coordinates of a scatter differ.
Every element of a result is one that was there, so all are compared bit by bit.
"""
import itertools
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

TARGETS = ("sm_80", "sm_90a", "gfx942", "gfx1100")
ELEMENTS = ("f16", "f32", "f64", "i8", "i16", "i32", "i64")
COORDINATES = ("i8", "i16", "i32", "i64", "index")


def tensor(shape, element, is_dynamic):
    return f"tensor<{'x'.join([*('?' if d else str(e) for e, d in zip(shape, is_dynamic)), element])}>"


class Form:
    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.kind = ("gather", "scatter")[seed % 2]
        rank = rng.choice((1, 2, 2, 2, 3, 3, 4))
        most = {1: 700, 2: 90, 3: 17, 4: 7}[rank]
        # Tiles of many dynamic dims are large, whatever they are at run time.
        batch, self.batch_is_dynamic = rng.choice((0, 1, 1, 1, 2, 3)), rng.random() < 0.3
        most = min(most, 9) if self.batch_is_dynamic and batch > 1 else most
        self.whole = [rng.choice((1, rng.randint(1, most), rng.randint(1, most), 8)) for _ in range(rank)]
        self.dims = sorted(rng.sample(range(rank), rng.randint(1, min(rank, 3))))
        self.whole = [0 if d not in self.dims and rng.random() < 0.06 else e for d, e in enumerate(self.whole)]
        places = math.prod(self.whole[d] for d in self.dims)
        self.batch = [rng.randint(0 if rng.random() < 0.1 else 1, 9) for _ in range(batch)]
        while self.kind == "scatter" and math.prod(self.batch) > places:
            self.batch = [extent // 2 for extent in self.batch]
        self.keeps = rng.random() < 0.4
        self.slice = [1 if d in self.dims else e for d, e in enumerate(self.whole) if self.keeps or d not in self.dims]
        self.element, self.coordinate = rng.choice(ELEMENTS), rng.choice(COORDINATES)
        if max(self.whole) > 128 and self.coordinate == "i8":
            self.coordinate = "i32"
        self.target = rng.choice(TARGETS)
        self.filled = self.kind == "scatter" and rng.random() < 0.3
        self.whole_is_dynamic = not self.filled and rng.random() < 0.3
        self.negated = rng.choice((None, None, "before", "behind"))
        self.name = f"{self.kind}_{seed}"

    def is_dynamic_in_slice(self):
        return [self.whole_is_dynamic and d not in self.dims for d in range(len(self.whole)) if self.keeps or d not in self.dims]

    def arguments(self):
        """(name, shape, element type, which dims are dynamic)."""
        batch = [self.batch_is_dynamic] * len(self.batch)
        rows = ("at", [*self.batch, len(self.dims)], self.coordinate, [*batch, False])
        parts = ("x", [*self.batch, *self.slice], self.element, [*batch, *self.is_dynamic_in_slice()])
        whole = ("w", self.whole, self.element, [self.whole_is_dynamic] * len(self.whole))
        if self.kind == "gather":
            return [whole, rows]
        return [parts, rows] if self.filled else [whole, parts, rows]

    def text(self):
        by_name = {a[0]: a for a in self.arguments()}
        type_of = lambda name: tensor(*by_name[name][1:])
        head = ", ".join(f"%{name}: {type_of(name)}" for name in by_name)
        is_float = self.element[0] == "f"
        lines, moved = [], "w" if self.kind == "gather" else "x"

        def negate(name, type, out):
            if is_float:
                return [f"{out} = arith.negf {name} : {type}"]
            return [f"{name}t = arith.addi {name}, {name} : {type}", f"{out} = arith.subi {name}, {name}t : {type}"]
        source = f"%{moved}"
        if self.negated == "before":
            lines += negate(source, type_of(moved), "%n")
            source = "%n"
        if self.kind == "gather":
            result = tensor([*self.batch, *self.slice], self.element, [self.batch_is_dynamic] * len(self.batch) + self.is_dynamic_in_slice())
            lines.append(f"%r = tensor.gather {source}[%at] gather_dims([{', '.join(map(str, self.dims))}]) : ({type_of('w')}, {type_of('at')}) -> {result}")
        else:
            result = tensor(self.whole, self.element, [self.whole_is_dynamic] * len(self.whole))
            into = "%w"
            if self.filled:
                lines += [f"%c = arith.constant {'3.0' if is_float else '3'} : {self.element}", f"%e = tensor.empty() : {result}",
                          f"%f = linalg.fill ins(%c : {self.element}) outs(%e : {result}) -> {result}"]
                into = "%f"
            lines.append(f"%r = tensor.scatter {source} into {into}[%at] scatter_dims([{', '.join(map(str, self.dims))}]) unique : ({type_of('x')}, {result}, {type_of('at')}) -> {result}")
        last = "%r"
        if self.negated == "behind":
            lines += negate("%r", result, "%s")
            last = "%s"
        body = "\n  ".join(lines)
        return f"func.func @{self.name}({head}) -> {result} {{\n  {body}\n  return {last} : {result}\n}}\n"

    def positions(self):
        every = list(itertools.product(*(range(self.whole[d]) for d in self.dims)))
        count = math.prod(self.batch)
        return self.rng.sample(every, count) if self.kind == "scatter" else [self.rng.choice(every) for _ in range(count)]

    def values(self, count):
        if self.element[0] == "f":
            return [self.rng.randint(-900, 900) / 8 for _ in range(count)]
        bits = min(int(self.element[1:]), 16)
        return [self.rng.randint(-(2 ** (bits - 1)) + 1, 2 ** (bits - 1) - 1) for _ in range(count)]


def number_of(place, shape):
    number = 0
    for at, extent in zip(place, shape):
        number = number * extent + at
    return number


def expected(form, data, positions):
    """The result, by what the ops say they do."""
    negate = [-1 if form.negated else 1, -1 if form.negated == "behind" else 1]
    inner = [e if d not in form.dims else 1 for d, e in enumerate(form.whole)]
    size = math.prod(inner)
    if form.kind == "gather":
        result = [None] * (len(positions) * size)
    else:
        result = [negate[1] * value for value in (data["w"] if "w" in data else [3] * math.prod(form.whole))]
    for slice, at in enumerate(positions):
        for number, place in enumerate(itertools.product(*map(range, inner))):
            place = list(place)
            for coordinate, dim in zip(at, form.dims):
                place[dim] = coordinate
            there = number_of(place, form.whole)
            if form.kind == "gather":
                result[slice * size + number] = negate[0] * data["w"][there]
            else:
                result[there] = negate[0] * data["x"][slice * size + number]
    return result


def run_of(seed, chosen):
    form = Form(seed)
    path = chosen.out / f"{form.name}.mlir"
    path.write_text(form.text())
    positions, data, flags = form.positions(), {}, []
    for number, (name, shape, element, _) in enumerate(form.arguments()):
        values = [c for at in positions for c in at] if name == "at" else form.values(math.prod(shape))
        data[name] = values
        file = chosen.out / f"{form.name}.{name}.npy"
        npy.write(file, "i64" if element == "index" else element, shape, values)
        flags.append(f"--input=arg{number}={file}")
    out = chosen.out / f"{form.name}.out.npy"
    wanted = expected(form, data, positions)

    def wrong():
        got = npy.read(out, form.element)
        return None if got == wanted else f"got {got[:40]}, expected {wanted[:40]}"
    command = [chosen.distaff, "run", str(path), "--target", form.target, "--check", "--every-stage", f"--output=res0={out}", *flags]
    return suite.Run(f"{form.name} {form.target}", command, after=wrong, compares=math.prod(form.batch) > 0 and 0 not in form.whole)


if __name__ == "__main__":
    seeds = suite.taken("--seeds") or range(120)
    chosen = suite.options()
    suite.main([run_of(seed, chosen) for seed in seeds], chosen, one_in=4)
