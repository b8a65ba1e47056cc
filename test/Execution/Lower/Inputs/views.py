"""Vectors read and written through views of views of memory (VX-240): expand_shape, collapse_shape, subview and
reinterpret_cast, of ranks 0 to 3, on every machine. Each kernel has many chains of views, drawn at random and by hand; the
elements that a chain reaches are from plain Python, by offset and strides.

usage: views.py OUT_DIR
"""
import itertools
import math
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import npy
import suite

MACHINES = [("sm_80", "simt"), ("sm_80", "ptx"), ("gfx942", "simt"), ("host", "host")]
BASES = [[], [1], [6], [1, 1], [4, 6], [1, 8], [2, 3, 4], [1, 1, 1]]


def strides_of(shape):
    return [math.prod(shape[dim + 1:]) for dim in range(len(shape))]


class View:
    """Elements of an array: a shape, and where an index of it lies in memory."""

    def __init__(self, shape, strides=None, offset=0, lines=()):
        self.shape, self.offset, self.lines = list(shape), offset, list(lines)
        self.strides = strides_of(shape) if strides is None else list(strides)

    def type(self):
        dims = "".join(f"{extent}x" for extent in self.shape)
        plain = self.strides == strides_of(self.shape) and self.offset == 0
        offset = f", offset: {self.offset}" if self.offset else ""
        return f"memref<{dims}f32{'' if plain else f', strided<{self.strides}{offset}>'}>"

    def then(self, made, line):
        """`line` makes %b of type {to} of %a of type {of}."""
        made.lines = [*self.lines, line.replace("{of}", self.type()).replace("{to}", made.type())]
        return made

    def places(self):
        return [self.offset + sum(i * stride for i, stride in zip(index, self.strides))
                for index in itertools.product(*map(range, self.shape))]


def expand(view, groups, shape):
    strides = []
    for dim, group in enumerate(groups):
        inner = [shape[i] for i in group]
        strides += [view.strides[dim] * stride for stride in strides_of(inner)]
    strides = strides if view.shape else [1] * len(shape)
    return view.then(View(shape, strides, view.offset),
                     f"%b = memref.expand_shape %a {groups} output_shape {list(shape)} : {{of}} into {{to}}")


def collapse(view, groups):
    shape = [math.prod(view.shape[i] for i in group) for group in groups]
    # The innermost of a group that has more than one element, or the last one.
    inner = [next((i for i in reversed(group) if view.shape[i] > 1), group[-1]) for group in groups]
    return view.then(View(shape, [view.strides[i] for i in inner], view.offset),
                     f"%b = memref.collapse_shape %a {groups} : {{of}} into {{to}}")


def subview(view, offsets, sizes, steps, kept):
    strides = [stride * step for stride, step in zip(view.strides, steps)]
    offset = view.offset + sum(at * stride for at, stride in zip(offsets, view.strides))
    return view.then(View([sizes[i] for i in kept], [strides[i] for i in kept], offset),
                     f"%b = memref.subview %a{offsets} {sizes} {steps} : {{of}} to {{to}}")


def reinterpret(view, shape):
    """Of all of an array, in another shape."""
    return view.then(View(shape), f"%b = memref.reinterpret_cast %a to offset: [0], sizes: {list(shape)}, "
                                  f"strides: {strides_of(shape)} : {{of}} to {{to}}")


def is_plain(view):
    return view.strides == strides_of(view.shape) and view.offset == 0


def draw(random_, view):
    """Another view of it; the same where the kind drawn has none."""
    kind = random_.choice(["expand", "collapse", "subview", "reinterpret"])
    rank = len(view.shape)
    if kind == "expand" and rank == 0:
        return expand(view, [], [1] * random_.randint(1, 3))
    if kind == "expand" and rank < 3:
        dim = random_.randrange(rank)
        factor = random_.choice([f for f in range(1, view.shape[dim] + 1) if view.shape[dim] % f == 0])
        shape = [*view.shape[:dim], factor, view.shape[dim] // factor, *view.shape[dim + 1:]]
        return expand(view, [[i] if i < dim else [dim, dim + 1] if i == dim else [i + 1] for i in range(rank)], shape)
    if kind == "collapse" and is_plain(view) and all(extent == 1 for extent in view.shape) and rank and random_.random() < .5:
        return collapse(view, [])
    if kind == "collapse" and is_plain(view) and rank > 1:
        dim = random_.randrange(rank - 1)
        return collapse(view, [[i] if i < dim else [dim, dim + 1] if i == dim else [i + 1] for i in range(rank - 1)])
    if kind == "subview" and rank:
        steps = [random_.choice([1, 1, 2]) if extent > 2 else 1 for extent in view.shape]
        sizes = [random_.randint(1, (extent + step - 1) // step) for extent, step in zip(view.shape, steps)]
        offsets = [random_.randint(0, extent - 1 - (size - 1) * step) for extent, size, step in zip(view.shape, sizes, steps)]
        kept = list(range(rank))
        if random_.random() < .3:  # without the dims of extent 1
            kept = [i for i in kept if sizes[i] > 1]
        return subview(view, offsets, sizes, steps, kept)
    if kind == "reinterpret" and is_plain(view):
        count = math.prod(view.shape)
        shapes = [[count], [1, count], [count, 1, 1]] + ([[], [1]] if count == 1 else [])
        return reinterpret(view, random_.choice(shapes))
    return view


def chains():
    yield expand(View([]), [], [1, 1])  # an address with no dims behind a tile with two
    yield expand(expand(View([]), [], [1]), [[0, 1]], [1, 1])
    yield subview(expand(View([]), [], [1, 1]), [0, 0], [1, 1], [1, 1], [])
    yield collapse(View([1, 1]), [])
    yield expand(collapse(View([1]), []), [], [1, 1, 1])
    yield expand(subview(View([6]), [4], [1], [1], []), [], [1, 1])
    yield expand(subview(View([4, 6]), [2, 3], [1, 1], [1, 1], []), [], [1, 1, 1])
    random_ = random.Random("views")
    for shape, _ in itertools.product(BASES, range(6)):
        view = View(shape)
        for _ in range(random_.randint(1, 3)):
            view = draw(random_, view)
        if view.lines:
            yield view


def base_of(view):
    return view.lines[0].split(" : ")[1].split(" to ")[0].split(" into ")[0]


def shape_of(view):
    inner = base_of(view)[len("memref<"):-len("f32>")]
    return [int(extent) for extent in inner.split("x") if extent]


def body(number, view):
    """Adds a number to what the chain reaches in an input, and writes it where the chain reaches in an output."""
    text = ""
    for side, name in (("in", f"%arg{2 * number}"), ("out", f"%arg{2 * number + 1}")):
        for step, line in enumerate(view.lines):
            made = f"%{side}{number}_{step}"
            text += "  " + line.replace("%a", name, 1).replace("%b", made, 1) + "\n"
            name = made
        last = {"in": name} if side == "in" else {**last, "out": name}
    dims, zeros = "x".join([*map(str, view.shape), "f32"]), ", ".join(["%c0"] * len(view.shape))
    bounds = f" {{in_bounds = [{', '.join(['true'] * len(view.shape))}]}}" if view.shape else ""
    return text + f"""  %x{number} = vector.transfer_read {last['in']}[{zeros}], %f0{bounds} : {view.type()}, vector<{dims}>
  %s{number} = arith.constant dense<{number + 1}.0> : vector<{dims}>
  %y{number} = arith.addf %x{number}, %s{number} : vector<{dims}>
  vector.transfer_write %y{number}, {last['out']}[{zeros}]{bounds} : vector<{dims}>, {view.type()}
"""


def kernel(views):
    arguments = ", ".join(f"%arg{2 * i}: {base_of(view)}, %arg{2 * i + 1}: {base_of(view)}" for i, view in enumerate(views))
    return (f"func.func @views({arguments}) {{\n  %c0 = arith.constant 0 : index\n  %f0 = arith.constant 0.0 : f32\n"
            + "".join(body(i, view) for i, view in enumerate(views)) + "  return\n}\n")


def run_of(number, views, target, device, chosen):
    folder = chosen.out / f"{number}.{target}.{device}"
    command = [chosen.distaff, "run", folder / "kernel.mlir", "--target", target, "--device", device]
    for i in range(2 * len(views)):
        command += ["--input", f"arg{i}={folder / f'arg{i}.npy'}"]
    for i in range(len(views)):
        command += ["--output", f"arg{2 * i + 1}={folder / f'out{i}.npy'}"]
    values = lambda shape: [float(7 * place % 61) for place in range(math.prod(shape))]

    def prepare():
        folder.mkdir(exist_ok=True)
        (folder / "kernel.mlir").write_text(kernel(views))
        for i, view in enumerate(views):
            npy.write(folder / f"arg{2 * i}.npy", "f32", shape_of(view), values(shape_of(view)))
            npy.write(folder / f"arg{2 * i + 1}.npy", "f32", shape_of(view), [-1.0] * math.prod(shape_of(view)))

    def wrong():
        for i, view in enumerate(views):
            wanted = [-1.0] * math.prod(shape_of(view))
            for place in view.places():
                wanted[place] = values(shape_of(view))[place] + i + 1
            given = npy.read(folder / f"out{i}.npy", "f32")
            if list(given) != wanted:
                return f"chain {i} {view.lines}: {list(given)}, wanted {wanted}"
        return None
    return suite.Run(f"{number} {target} {device}", command, prepare=prepare, after=wrong, compares=False)


def main():
    chosen = suite.options()
    views = list(chains())
    groups = [views[i:i + 10] for i in range(0, len(views), 10)]
    pairs = list(itertools.product(enumerate(groups), MACHINES))
    taken = pairs[::3] if depth.IS_QUICK else pairs
    depth.record(len(taken), len(pairs))
    suite.main([run_of(number, group, *machine, chosen) for (number, group), machine in taken], chosen)


if __name__ == "__main__":
    main()
