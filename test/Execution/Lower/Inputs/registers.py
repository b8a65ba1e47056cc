"""What a lane does with its registers, op by op, as users write it for one lane:
slices of lower rank, positions that are known when the lane runs, transposes,
broadcasts, masks, pieces of words. A lane's vector of whole numbers is computed
by the SIMT machine after `lower`, where the op has become scalars, and by the few
lines of Python here. Extents are different and include 1; seeds are fixed.

    python3 registers.py OUT_DIR [--distaff PATH]
"""
import argparse
import itertools
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "ForkServer"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import fork_server
import npy

LANES = 64
parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--distaff", default="distaff")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)


def type_of(shape, element="i32"):
    return f"vector<{''.join(f'{d}x' for d in shape)}{element}>"


def product(shape):
    count = 1
    for d in shape:
        count *= d
    return count


def indices(shape):
    return list(itertools.product(*map(range, shape)))


class Case:
    """One op: its text, from %a and %b to %r, and what it makes of two dicts
    from index to number. `values` are index values of a lane, of thread ids."""

    def __init__(self, name, a, b, r, text, compute):
        self.name, self.a, self.b, self.r, self.text, self.compute = name, a, b, r, text, compute

    def kernel(self):
        memory = lambda shape: f"memref<{'x'.join(map(str, [LANES, *shape]))}xi32>"
        access = lambda shape: "[%id" + ", %c0" * len(shape) + "]"
        bounds = lambda shape: f" {{in_bounds = [{', '.join(['true'] * len(shape))}]}}" if shape else ""
        read = lambda to, shape, of: (f"  {to} = vector.transfer_read {of}{access(shape)}, %z{bounds(shape)} : {memory(shape)}, {type_of(shape)}\n")
        return (f"gpu.module @kernels {{\ngpu.func @k(%x: {memory(self.a)}, %y: {memory(self.b)}, %o: {memory(self.r)}) kernel attributes {{"
                "known_block_size = array<i32: 64, 1, 1>, translation_info = #iree_codegen.translation_info<subgroup_size = 32>} {\n"
                "  %id = gpu.thread_id x\n  %c0 = arith.constant 0 : index\n  %z = arith.constant 0 : i32\n"
                + read("%a", self.a, "%x") + read("%b", self.b, "%y") + self.text
                + f"  vector.transfer_write %r, %o{access(self.r)}{bounds(self.r)} : {type_of(self.r)}, {memory(self.r)}\n  gpu.return\n}}\n}}\n")


def lane_value(name, scale, modulus):
    """Text of (scale * id) mod modulus, and its value for a lane."""
    text = (f"  %{name}_s = arith.constant {scale} : index\n  %{name}_m = arith.constant {modulus} : index\n"
            f"  %{name}_p = arith.muli %id, %{name}_s : index\n  %{name} = arith.remui %{name}_p, %{name}_m : index\n")
    return text, lambda lane: scale * lane % modulus


def position(rng, shape, name="i"):
    """A position whose numbers are constants or a lane's: text, spelling, value."""
    text, words, values = "", [], []
    for d, extent in enumerate(shape):
        if rng.random() < 0.3:
            fixed = rng.randrange(extent)
            words.append(str(fixed))
            values.append(lambda lane, fixed=fixed: fixed)
        else:
            more, value = lane_value(f"{name}{d}", rng.choice([1, 3, 5]), extent)
            text += more
            words.append(f"%{name}{d}")
            values.append(value)
    return text, ", ".join(words), lambda lane: tuple(value(lane) for value in values)


def random_shape(rng, rank):
    return [rng.choice([1, 2, 3, 4]) for _ in range(rank)]


def extract(rng):
    shape = random_shape(rng, rng.choice([1, 2, 3]))
    depth = rng.randint(1, len(shape))
    text, words, value = position(rng, shape[:depth])
    rest = shape[depth:]
    target = type_of(rest) if rest else "i32"
    text += f"  %e = vector.extract %a[{words}] : {target} from {type_of(shape)}\n"
    text += f"  %r = vector.broadcast %e : {target} to {type_of(rest or [1])}\n"
    compute = lambda lane, a, b: {i: a[value(lane) + (i if rest else ())] for i in indices(rest or [1])}
    return Case("extract", shape, [1], rest or [1], text, compute)


def insert(rng):
    shape = random_shape(rng, rng.choice([1, 2, 3]))
    depth = rng.randint(1, len(shape))
    text, words, value = position(rng, shape[:depth])
    part = shape[depth:]
    if part:
        text += f"  %r = vector.insert %b, %a[{words}] : {type_of(part)} into {type_of(shape)}\n"
    else:
        text += f"  %s = vector.extract %b[0] : i32 from vector<1xi32>\n  %r = vector.insert %s, %a[{words}] : i32 into {type_of(shape)}\n"
    def compute(lane, a, b):
        at = value(lane)
        return {i: b[i[depth:] if part else (0,)] if i[:depth] == at else a[i] for i in indices(shape)}
    return Case("insert", shape, part or [1], shape, text, compute)


def insert_slice(rng):
    shape = [rng.choice([2, 3, 4]) for _ in range(rng.choice([1, 2, 3]))]
    rank = rng.randint(1, len(shape))
    part = [rng.randint(1, extent) for extent in shape[len(shape) - rank:]]
    offsets = [rng.randrange(e) for e in shape[:len(shape) - rank]] + [rng.randint(0, e - p) for e, p in zip(shape[len(shape) - rank:], part)]
    text = (f"  %r = vector.insert_strided_slice %b, %a {{offsets = {offsets}, strides = {[1] * rank}}} : "
            f"{type_of(part)} into {type_of(shape)}\n")
    def compute(lane, a, b):
        result = dict(a)
        for i in indices(part):
            at = list(offsets)
            for d in range(rank):
                at[len(shape) - rank + d] += i[d]
            result[tuple(at)] = b[i]
        return result
    return Case("insert_slice", shape, part, shape, text, compute)


def extract_slice(rng):
    shape = [rng.choice([2, 3, 4]) for _ in range(rng.choice([1, 2, 3]))]
    given = rng.randint(1, len(shape))
    sizes = [rng.randint(1, e) for e in shape[:given]]
    offsets = [rng.randint(0, e - s) for e, s in zip(shape, sizes)]
    result = sizes + shape[given:]
    text = (f"  %r = vector.extract_strided_slice %a {{offsets = {offsets}, sizes = {sizes}, strides = {[1] * given}}} : "
            f"{type_of(shape)} to {type_of(result)}\n")
    starts = offsets + [0] * (len(shape) - given)
    return Case("extract_slice", shape, [1], result, text, lambda lane, a, b: {i: a[tuple(x + y for x, y in zip(i, starts))] for i in indices(result)})


def transpose(rng):
    shape = rng.sample([1, 2, 3, 4], 3)
    order = rng.choice([[1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0]])
    result = [shape[d] for d in order]
    text = f"  %r = vector.transpose %a, {order} : {type_of(shape)} to {type_of(result)}\n"
    def compute(lane, a, b):
        return {tuple(i[d] for d in order): a[i] for i in indices(shape)}
    return Case("transpose", shape, [1], result, text, compute)


def broadcast(rng):
    shape = [rng.choice([1, 2, 3]) for _ in range(rng.choice([1, 2]))]
    result = [rng.choice([2, 3])] + [e if e != 1 else rng.choice([1, 4]) for e in shape]
    text = f"  %r = vector.broadcast %a : {type_of(shape)} to {type_of(result)}\n"
    return Case("broadcast", shape, [1], result, text,
                lambda lane, a, b: {i: a[tuple(0 if e == 1 else x for x, e in zip(i[1:], shape))] for i in indices(result)})


def shuffle(rng):
    first, second, row = rng.choice([1, 2, 3]), rng.choice([1, 2, 3]), rng.choice([[], [2], [3]])
    mask = [rng.randrange(first + second) for _ in range(rng.choice([1, 2, 4]))]
    text = f"  %r = vector.shuffle %a, %b {mask} : {type_of([first] + row)}, {type_of([second] + row)}\n"
    return Case("shuffle", [first] + row, [second] + row, [len(mask)] + row, text,
                lambda lane, a, b: {i: a[(mask[i[0]],) + i[1:]] if mask[i[0]] < first else b[(mask[i[0]] - first,) + i[1:]]
                                    for i in indices([len(mask)] + row)})


def interleave(rng):
    shape = random_shape(rng, rng.choice([1, 2]))
    result = shape[:-1] + [2 * shape[-1]]
    text = f"  %r = vector.interleave %a, %b : {type_of(shape)} -> {type_of(result)}\n"
    return Case("interleave", shape, shape, result, text,
                lambda lane, a, b: {i: (b if i[-1] % 2 else a)[i[:-1] + (i[-1] // 2,)] for i in indices(result)})


def deinterleave(rng):
    shape = random_shape(rng, 1) + [rng.choice([2, 4, 6])]
    half = shape[:-1] + [shape[-1] // 2]
    which = rng.randrange(2)
    text = f"  %h:2 = vector.deinterleave %a : {type_of(shape)} -> {type_of(half)}\n  %r = arith.addi %h#{which}, %b : {type_of(half)}\n"
    return Case("deinterleave", shape, half, half, text,
                lambda lane, a, b: {i: a[i[:-1] + (2 * i[-1] + which,)] + b[i] for i in indices(half)})


def masked(rng):
    shape = random_shape(rng, 2)
    text, words = "", []
    values = []
    for d, extent in enumerate(shape):
        more, value = lane_value(f"m{d}", rng.choice([1, 3]), extent + 3)
        text += more + f"  %l{d} = arith.constant 1 : index\n  %n{d} = arith.subi %m{d}, %l{d} : index\n"
        words.append(f"%n{d}")
        values.append(lambda lane, value=value: value(lane) - 1)
    text += f"  %mask = vector.create_mask {', '.join(words)} : {type_of(shape, 'i1')}\n"
    text += f"  %r = arith.select %mask, %a, %b : {type_of(shape, 'i1')}, {type_of(shape)}\n"
    return Case("masked", shape, shape, shape, text,
                lambda lane, a, b: {i: a[i] if all(x < v(lane) for x, v in zip(i, values)) else b[i] for i in indices(shape)})


def constant_mask(rng):
    shape = random_shape(rng, 2)
    sizes = [rng.randint(1, e) for e in shape]
    text = (f"  %mask = vector.constant_mask {sizes} : {type_of(shape, 'i1')}\n"
            f"  %r = arith.select %mask, %a, %b : {type_of(shape, 'i1')}, {type_of(shape)}\n")
    return Case("constant_mask", shape, shape, shape, text,
                lambda lane, a, b: {i: a[i] if all(x < s for x, s in zip(i, sizes)) else b[i] for i in indices(shape)})


def shape_cast(rng):
    shape = [2, 3, 2]
    result = rng.choice([[12], [6, 2], [3, 4], [4, 3], [1, 12]])
    text = f"  %r = vector.shape_cast %a : {type_of(shape)} to {type_of(result)}\n"
    return Case("shape_cast", shape, [1], result, text,
                lambda lane, a, b: dict(zip(indices(result), (a[i] for i in indices(shape)))))


def bitcast(rng):
    shape = random_shape(rng, rng.choice([1, 2]))
    halves = shape[:-1] + [2 * shape[-1]]
    # Both halves of a word change their place.
    order = [i ^ 1 for i in range(halves[-1])]
    last = [1] * (len(halves) - 1)
    text = f"  %h = vector.bitcast %a : {type_of(shape)} to {type_of(halves, 'i16')}\n"
    if len(halves) == 1:
        text += f"  %t = vector.shuffle %h, %h {order} : {type_of(halves, 'i16')}, {type_of(halves, 'i16')}\n"
        text += f"  %r = vector.bitcast %t : {type_of(halves, 'i16')} to {type_of(shape)}\n"
    else:
        text += f"  %f = vector.shape_cast %h : {type_of(halves, 'i16')} to {type_of([product(halves)], 'i16')}\n"
        all_ = [i ^ 1 for i in range(product(halves))]
        flat = type_of([product(halves)], "i16")
        text += f"  %t = vector.shuffle %f, %f {all_} : {flat}, {flat}\n  %u = vector.shape_cast %t : {flat} to {type_of(halves, 'i16')}\n"
        text += f"  %r = vector.bitcast %u : {type_of(halves, 'i16')} to {type_of(shape)}\n"
    def compute(lane, a, b):
        swap = lambda word: (word & 0xFFFF) << 16 | (word >> 16) & 0xFFFF
        return {i: swap(a[i] & 0xFFFFFFFF) for i in indices(shape)}
    return Case("bitcast", shape, [1], shape, text, compute)


def check(case, name, rng, stage):
    """After `distribute` the machine still runs the op itself."""
    folder = options.out
    (folder / f"{name}.mlir").write_text(case.kernel())
    numbers = [[rng.randrange(-1 << 31, 1 << 31) if case.name == "bitcast" else rng.randrange(-1000, 1000) for _ in range(LANES * product(s))]
               for s in (case.a, case.b)]
    for which, (shape, values) in enumerate(zip((case.a, case.b), numbers)):
        npy.write(folder / f"{name}.{which}.npy", "i32", [LANES, *shape], values)
    command = [options.distaff, "run", folder / f"{name}.mlir", "--target", "sm_80", f"--stop-after={stage}", "--output", f"arg2={folder / name}.npy"]
    for which in (0, 1):
        command += ["--input", f"arg{which}={folder / name}.{which}.npy"]
    done = fork_server.run(command)
    if done.returncode:
        return done.stderr[:500]
    count = LANES * product(case.r)
    found = struct.unpack(f"<{count}I", (folder / f"{name}.npy").read_bytes()[-4 * count:])
    for lane in range(LANES):
        a, b = (dict(zip(indices(shape), values[lane * product(shape):])) for shape, values in zip((case.a, case.b), numbers))
        expected = case.compute(lane, a, b)
        for at, index in enumerate(indices(case.r)):
            if found[lane * product(case.r) + at] != expected[index] & 0xFFFFFFFF:
                return f"lane {lane}, element {index}: {found[lane * product(case.r) + at]}, expected {expected[index]}\n{case.kernel()}"
    return ""


wrong = ran = 0
for make in (extract, insert, insert_slice, extract_slice, transpose, broadcast, shuffle, interleave, deinterleave, masked, constant_mask,
             shape_cast, bitcast):
    for seed in range(6):
        rng = random.Random(f"{make.__name__}/{seed}")
        case = make(rng)
        for stage in ("distribute", "lower", "convert"):
            said = check(case, f"{make.__name__}_{seed}", rng, stage)
            ran += 1
            wrong += bool(said)
            if said:
                print(f"FAIL {make.__name__}_{seed} after {stage}: {said}")
print(f"{ran - wrong} of {ran} kernels are right")
sys.exit(wrong > 0)
