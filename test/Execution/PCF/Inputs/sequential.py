"""Programs at scope #pcf.sequential, lowered by the four passes that end pcf, run
by the SIMT machine on whole numbers and compared with a few lines of Python here.
Slices have strides, dynamic sizes, sizes below the vector's, and size 0 at offsets
far outside; bodies have branches and early returns. Seeds are fixed.

    python3 sequential.py OUT_DIR [--only NAME] [--distaff PATH] [--distaff-opt PATH]
"""
import itertools
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "ForkServer"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import fork_server
import npy
from pipeline_passes import read_flags

PASSES = ["--pcf-resolve-tokens", "--one-shot-bufferize", "--pcf-convert-sref-to-memref", "--pcf-lower-structural"]
SEEDS = 12
options = read_flags(only=None)


def shaped(kind, shape, after=""):
    return f"{kind}<{''.join(f'{d}x' for d in shape)}i32{after}>"


def sref(shape, sync=False):
    return "!pcf." + shaped("sref", shape, ", sync(#seq)" if sync else ", #seq")


def indices(shape):
    return list(itertools.product(*map(range, shape)))


class Array:
    """A tensor or memref, as a dict from index to number."""

    def __init__(self, shape, values):
        self.shape, self.at = shape, dict(zip(indices(shape), values))

    def slice(self, offsets, sizes, strides, shape):
        """The slice, in a shape that may be larger and is zero beyond it."""
        place = lambda i: tuple(o + x * t for o, x, t in zip(offsets, i, strides))
        inside = lambda i: all(x < s for x, s in zip(i, sizes))
        return Array(shape, [self.at[place(i)] if inside(i) else 0 for i in indices(shape)])

    def store(self, source, offsets, sizes, strides):
        for i in indices(sizes):
            self.at[tuple(o + x * t for o, x, t in zip(offsets, i, strides))] = source.at[i]

    def values(self):
        return [self.at[i] for i in indices(self.shape)]


def random_array(rng, shape):
    return Array(shape, [rng.randrange(1, 1000) for _ in indices(shape)])


class Slice:
    """A slice of some extents: each number a constant, or an argument of the function
    where a name is given; `far` puts a slice of size 0 outside."""

    def __init__(self, rng, extents, scalars, most=4, far=True, dynamic=True):
        self.offsets, self.sizes, self.strides = [], [], []
        self.is_empty = far and rng.random() < 0.15
        for extent in extents:
            stride = rng.choice([1, 1, 2, 3])
            size = rng.randrange(1, min(most, (extent - 1) // stride + 1) + 1)
            self.offsets.append(rng.randrange(0, extent - (size - 1) * stride))
            self.sizes.append(size)
            self.strides.append(stride)
        if self.is_empty:
            self.sizes[rng.randrange(len(extents))] = 0
            self.offsets = [offset + rng.choice([0, 100]) for offset in self.offsets]
        self.size_names = []
        texts = []
        for numbers in (self.offsets, self.sizes, self.strides):
            names = []
            for number in numbers:
                # A constant slice that leaves its memory is an error even if it is empty.
                if dynamic and (self.is_empty or rng.random() < 0.4):
                    names.append(f"%s{len(scalars)}")
                    scalars.append(number)
                else:
                    names.append(str(number))
            texts.append("[" + ", ".join(names) + "]")
        self.text = " ".join(texts)
        self.static_sizes = [name.isdigit() for name in texts[1][1:-1].split(", ")] if extents else []

    def lists(self):
        return self.offsets, self.sizes, self.strides


class Program:
    """A function of memrefs %a (an input) and %o (changed), and of index values."""

    def __init__(self, a, o, scalars, body, expected):
        self.a, self.o, self.scalars, self.body, self.expected = a, o, scalars, body, expected

    def text(self):
        arguments = [f"%a: {shaped('memref', self.a.shape)}", f"%o: {shaped('memref', self.o.shape)}"]
        arguments += [f"%s{i}: index" for i in range(len(self.scalars))]
        return (f"#seq = #pcf.sequential\nfunc.func @k({', '.join(arguments)}) {{\n"
                "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n" + self.body + "  return\n}\n")


def in_generic(a, o, body, kind="memref", writable=True):
    """A generic with %x, readonly, over %a, and %y tied to %o, which may be copied first."""
    header = (f"pcf.generic scope(#seq) execute(%x <- %A : {shaped(kind, a)}, %y = %O)[%id: index, %n: index]\n"
              f"    : ({sref(a)}, {sref(o, True)}) -> ({shaped(kind, o)}) {{\n{body}    pcf.return\n  }}\n")
    if kind == "memref":
        return f"  %r = {header}".replace("%A", "%a").replace("%O", "%o")
    return (f"  %A = bufferization.to_tensor %a restrict : {shaped('memref', a)} to {shaped('tensor', a)}\n"
            f"  %O = bufferization.to_tensor %o restrict{' writable' * writable} : {shaped('memref', o)} to {shaped('tensor', o)}\n"
            f"  %r = {header}  bufferization.materialize_in_destination %r in restrict writable %o : ({shaped('tensor', o)}, {shaped('memref', o)}) -> ()\n")


def random_shape(rng, rank, low=4, high=9):
    return [rng.randrange(low, high) for _ in range(rank)]


def vectors(rng, kind="memref"):
    """PCF-26, PCF-27: what a vector has more than the slice is zero, and is not stored."""
    rank = rng.choice([1, 2, 3])
    a, o, scalars = random_array(rng, random_shape(rng, rank)), random_array(rng, random_shape(rng, rank)), []
    read = Slice(rng, a.shape, scalars)
    write = Slice(rng, o.shape, scalars)
    shape = [max(r, w, 1) + rng.choice([0, 0, 1]) for r, w in zip(read.sizes, write.sizes)]
    body = (f"    %v = pcf.read_slice %x{read.text} : {sref(a.shape)} to {shaped('vector', shape)}\n"
            f"    pcf.write_slice %v into %y{write.text} : {shaped('vector', shape)} into {sref(o.shape, True)}\n")
    expected = Array(o.shape, o.values())
    if not write.is_empty:
        value = Array(shape, [0] * math.prod(shape)) if read.is_empty else a.slice(*read.lists(), shape)
        expected.store(value, *write.lists())
    return Program(a, o, scalars, in_generic(a.shape, o.shape, body, kind, rng.random() < 0.5), expected)


def vectors_over_tensors(rng):
    return vectors(rng, "tensor")


def tensors(rng):
    """PCF-50: slices as tensors; one is read again after its memory has changed."""
    rank = rng.choice([1, 2])
    a, o, scalars = random_array(rng, random_shape(rng, rank)), random_array(rng, random_shape(rng, rank)), []
    one = Slice(rng, a.shape, scalars, far=False, dynamic=False)
    two = Slice(rng, o.shape, scalars, far=False, dynamic=False)
    shape = [min(x, y) for x, y in zip(one.sizes, two.sizes)]
    one.sizes = two.sizes = shape
    lists = lambda s: " ".join(str(part) for part in (s.offsets, s.sizes, s.strides))
    type_, vector, ref = shaped("tensor", shape), shaped("vector", shape), sref(o.shape, True)
    origin = ", ".join(["%c0"] * rank)
    bounds = "{in_bounds = [" + ", ".join(["true"] * rank) + "]}"
    last = [e - (s - 1) * t - 1 for e, s, t in zip(o.shape, shape, two.strides)]
    body = (f"    %zero = arith.constant 0 : i32\n    %p = pcf.read_slice %x{lists(one)} : {sref(a.shape)} to {type_}\n"
            f"    %q = pcf.read_slice %y{lists(two)} : {ref} to {type_}\n"
            f"    pcf.write_slice %p into %y{lists(two)} : {type_} into {ref}\n"
            f"    %e = tensor.empty() : {type_}\n"
            f"    %pv = vector.transfer_read %p[{origin}], %zero {bounds} : {type_}, {vector}\n"
            f"    %qv = vector.transfer_read %q[{origin}], %zero {bounds} : {type_}, {vector}\n"
            f"    %both = arith.addi %pv, %qv : {vector}\n"
            f"    %sum = vector.transfer_write %both, %e[{origin}] {bounds} : {vector}, {type_}\n"
            f"    pcf.write_slice %sum into %y{last} {shape} {two.strides} : {type_} into {ref}\n")
    p, q = a.slice(*one.lists(), shape), o.slice(*two.lists(), shape)
    expected = Array(o.shape, o.values())
    expected.store(p, *two.lists())
    expected.store(Array(shape, [p.at[i] + q.at[i] for i in indices(shape)]), last, shape, two.strides)
    return Program(a, o, scalars, in_generic(a.shape, o.shape, body, "tensor"), expected)


def chains(rng):
    """PCF-50: a tensor that a loop of the body changes in place, and a second op that
    reads the result of the first one while it writes over it."""
    extent = rng.randrange(4, 9)
    a, o = random_array(rng, [extent]), random_array(rng, [extent])
    times, shift = rng.randrange(extent + 1), rng.randrange(extent)
    tensor, ref, one = shaped("tensor", [extent]), sref([extent]), shaped("tensor", [1])
    body = (f"  %A = bufferization.to_tensor %a restrict : {shaped('memref', [extent])} to {tensor}\n"
            f"  %O = bufferization.to_tensor %o restrict{' writable' * (rng.random() < 0.5)} : {shaped('memref', [extent])} to {tensor}\n"
            f"  %p = pcf.generic scope(#seq) execute(%x <- %A : {tensor}, %y = %O)[] : ({ref}, {ref}) -> ({tensor}) {{\n"
            f"    %r = pcf.read_slice %y[0] [{extent}] [1] : {ref} to {tensor}\n"
            f"    %f = scf.for %i = %c0 to %s0 step %c1 iter_args(%t = %r) -> ({tensor}) {{\n"
            f"      %v = pcf.read_slice %x[%i] [1] [1] : {ref} to {one}\n"
            f"      %u = tensor.insert_slice %v into %t[%i] [1] [1] : {one} into {tensor}\n"
            f"      scf.yield %u : {tensor}\n    }}\n"
            f"    pcf.write_slice %f into %y[0] [{extent}] [1] : {tensor} into {ref}\n    pcf.return\n  }}\n"
            f"  %n = arith.constant {extent} : index\n"
            f"  %q = pcf.loop scope(#seq) count(%n) execute(%x <- %p : {tensor}, %y = %p)[%i: index] : ({ref}, {ref}) -> ({tensor}) {{\n"
            f"    %far = arith.addi %i, %s1 : index\n    %from = arith.remui %far, %n : index\n"
            f"    %v = pcf.read_slice %x[%from] [1] [1] : {ref} to {one}\n"
            f"    pcf.write_slice %v into %y[%i] [1] [1] : {one} into {ref}\n    pcf.return\n  }}\n"
            f"  bufferization.materialize_in_destination %q in restrict writable %o : ({tensor}, {shaped('memref', [extent])}) -> ()\n")
    first = [(a if i < times else o).at[i,] for i in range(extent)]
    return Program(a, o, [times, shift], body, Array([extent], [first[(i + shift) % extent] for i in range(extent)]))


def loops(rng):
    """PCF-54: every iteration of a box, ids fastest first."""
    rank = rng.choice([1, 2, 3])
    counts = [rng.choice([0, 1, 2, 3, 5]) if rng.random() < 0.5 else rng.randrange(1, 6) for _ in range(rank)]
    o = random_array(rng, [6] * rank)
    a = random_array(rng, [2])
    ids = ", ".join(f"%i{d}: index" for d in range(rank))
    place = ", ".join(f"%i{d}" for d in reversed(range(rank)))
    ones = ", ".join(["1"] * rank)
    vector = shaped("vector", [1] * rank)
    body = (f"  %r = pcf.loop scope(#seq) count({', '.join(f'%s{d}' for d in range(rank))}) execute(%y = %o)[{ids}]\n"
            f"    : ({sref(o.shape, True)}) -> ({shaped('memref', o.shape)}) {{\n"
            "    %ten = arith.constant 10 : index\n    %z0 = arith.addi %i0, %c1 : index\n")
    for d in range(1, rank):
        body += f"    %t{d} = arith.muli %z{d - 1}, %ten : index\n    %z{d} = arith.addi %t{d}, %i{d} : index\n"
    body += (f"    %w = arith.index_cast %z{rank - 1} : index to i32\n    %v = vector.broadcast %w : i32 to {vector}\n"
             f"    pcf.write_slice %v into %y[{place}] [{ones}] [{ones}] : {vector} into {sref(o.shape, True)}\n    pcf.return\n  }}\n")
    expected = Array(o.shape, o.values())
    for i in indices(counts):
        number = i[0] + 1
        for x in i[1:]:
            number = number * 10 + x
        expected.at[tuple(reversed(i))] = number
    return Program(a, o, counts, body, expected)


def views(rng):
    """PCF-28: a row of a part, split in two dimensions, in a loop over parts."""
    rows, columns = rng.randrange(3, 6), rng.choice([6, 8, 12])
    inner = rng.choice([d for d in (2, 3, 4) if columns % d == 0])
    a = random_array(rng, [rows, columns])
    o = random_array(rng, [rows, 2 * columns])
    row, step = rng.randrange(rows), rng.choice([1, 2])
    wide = [columns // inner, inner]
    body = (f"    %all = pcf.expand_shape %x [[0], [1, 2]] : {sref(a.shape)} into {sref([rows] + wide)}\n"
            f"    %row = pcf.subview %all[%s0, 0, 0] {[1] + wide} [1, 1, 1] : {sref([rows] + wide)} to {sref(wide)}\n"
            f"    %out = pcf.subview %y[0, {2 - step}] {[rows, columns]} [1, {step}] : {sref(o.shape, True)} to {sref([rows, columns], True)}\n"
            f"    %parts = pcf.expand_shape %out [[0], [1, 2]] : {sref([rows, columns], True)} into {sref([rows] + wide, True)}\n"
            f"    scf.for %i = %c0 to %s1 step %c1 {{\n"
            f"      %v = pcf.read_slice %row[%i, 0] {[1, inner]} [1, 1] : {sref(wide)} to {shaped('vector', [1, inner])}\n"
            f"      %w = vector.shape_cast %v : {shaped('vector', [1, inner])} to {shaped('vector', [1, 1, inner])}\n"
            f"      pcf.write_slice %w into %parts[%s2, %i, 0] {[1, 1, inner]} [1, 1, 1] : {shaped('vector', [1, 1, inner])} into {sref([rows] + wide, True)}\n"
            "    }\n")
    to, parts = rng.randrange(rows), rng.randrange(wide[0] + 1)
    expected = Array(o.shape, o.values())
    for k in range(parts * inner):
        expected.at[to, 2 - step + k * step] = a.at[row, k]
    return Program(a, o, [row, parts, to], in_generic(a.shape, o.shape, body), expected)


def branches(rng):
    """PCF-54: a loop of blocks that an early return leaves, through a buffer of the scope."""
    a, o = random_array(rng, [8]), random_array(rng, [8])
    limit = rng.randrange(300, 3000)
    one = shaped("vector", [1])
    body = ("  %r = pcf.generic scope(#seq)\n    initialize {\n"
            f"      %b = pcf.alloc(%s1) : {sref(['?'])}\n      pcf.yield %b, %s0 : {sref(['?'])}, index\n    }} -> (%buf: {sref(['?'])}, %most: index)\n"
            f"    execute(%x <- %a : {shaped('memref', [8])}, %y = %o)[%id: index, %n: index]\n"
            f"    : ({sref([8])}, {sref([8], True)}) -> ({shaped('memref', [8])}) {{\n"
            f"    %zero = arith.constant dense<0> : {one}\n    %c8 = arith.constant 8 : index\n"
            "    cf.br ^next(%c0, %zero : index, " + one + ")\n"
            f"  ^next(%i: index, %sum: {one}):\n"
            f"    %v = pcf.read_slice %x[%i] [1] [1] : {sref([8])} to {one}\n"
            f"    pcf.write_slice %v into %buf[%i] [1] [1] : {one} into {sref(['?'])}\n"
            f"    %again = pcf.read_slice %buf[%i] [1] [1] : {sref(['?'])} to {one}\n"
            f"    %more = arith.addi %sum, %again : {one}\n"
            f"    %m = vector.extract %more[0] : i32 from {one}\n    %mi = arith.index_cast %m : i32 to index\n"
            "    %enough = arith.cmpi sgt, %mi, %most : index\n    pcf.br.cond_return %enough ^store\n  ^store:\n"
            f"    pcf.write_slice %more into %y[%i] [1] [1] : {one} into {sref([8], True)}\n"
            "    %j = arith.addi %i, %c1 : index\n    %go = arith.cmpi slt, %j, %c8 : index\n"
            f"    cf.cond_br %go, ^next(%j, %more : index, {one}), ^end\n  ^end:\n    pcf.return\n  }}\n")
    expected, total = Array([8], o.values()), 0
    for i in range(8):
        total += a.at[i,]
        if total > limit:
            break
        expected.at[i,] = total
    return Program(a, o, [limit, 8], body, expected)


def joins(rng):
    """PCF-51: one sref that is, iteration by iteration, a row of one memory or a column of another."""
    extent = rng.randrange(3, 7)
    a, o = random_array(rng, [extent, extent]), random_array(rng, [extent, extent])
    row, column, times = rng.randrange(extent), rng.randrange(extent), rng.randrange(5)
    line, ref = sref([extent], True), sref(o.shape, True)
    vector = shaped("vector", [extent])
    body = (f"    %row = pcf.subview %y[%s0, 0] {[1, extent]} [1, 1] : {ref} to {line}\n"
            f"    %column = pcf.subview %y[0, %s1] {[extent, 1]} [1, 1] : {ref} to {line}\n"
            f"    %l:2 = scf.for %i = %c0 to %s2 step %c1 iter_args(%p = %row, %q = %column) -> ({line}, {line}) {{\n"
            f"      scf.yield %q, %p : {line}, {line}\n    }}\n"
            f"    %v = pcf.read_slice %x[%s0, 0] {[1, extent]} [1, 1] : {sref(a.shape)} to {shaped('vector', [1, extent])}\n"
            f"    %w = vector.shape_cast %v : {shaped('vector', [1, extent])} to {vector}\n"
            f"    pcf.write_slice %w into %l#0[0] [{extent}] [1] : {vector} into {line}\n")
    expected = Array(o.shape, o.values())
    for k in range(extent):
        expected.at[(k, column) if times % 2 else (row, k)] = a.at[row, k]
    return Program(a, o, [row, column, times], in_generic(a.shape, o.shape, body), expected)


def check(name, program, flags):
    folder = options.out
    (folder / f"{name}.pcf.mlir").write_text(program.text())
    lowered = fork_server.run([options.distaff_opt, *PASSES[:2], PASSES[2] + flags, PASSES[3], folder / f"{name}.pcf.mlir", "-o", folder / f"{name}.mlir"])
    if lowered.returncode:
        return f"{lowered.stderr[:800]}\n{program.text()}"
    if "pcf." in (folder / f"{name}.mlir").read_text():
        return "something of pcf is left"
    command = [options.distaff, "run", folder / f"{name}.mlir", "--target", "sm_80", "--output", f"arg1={folder / name}.npy"]
    for i, array in enumerate((program.a, program.o)):
        npy.write(folder / f"{name}.{i}.npy", "i32", array.shape, array.values())
        command += ["--input", f"arg{i}={folder / name}.{i}.npy"]
    for i, number in enumerate(program.scalars):
        command += ["--input", f"arg{i + 2}={number}"]
    command += ["--stop-after=configure"]
    done = fork_server.run(command)
    if done.returncode:
        return f"{done.stderr[:800]}\n{program.text()}"
    found = npy.read(folder / f"{name}.npy", "i32")
    if found != program.expected.values():
        return f"{found}, expected {program.expected.values()}\n{program.text()}"
    return ""


wrong = ran = 0
for make in (vectors, vectors_over_tensors, tensors, chains, loops, views, branches, joins):
    for seed in range(SEEDS):
        name = f"{make.__name__}_{seed}"
        if options.only and options.only not in name:
            continue
        said = check(name, make(random.Random(f"{make.__name__}/{seed}")), "=clamp-zero-size" if seed % 3 == 2 else "")
        ran += 1
        wrong += bool(said)
        if said:
            print(f"FAIL {name}: {said}")
print(f"{ran - wrong} of {ran} programs are right")
sys.exit(wrong > 0 or not ran)
