"""VX-48: registers that matrix loads fill, on the SIMT machine and as PTX.

Random layouts of MMA operands' form (lanes 8x4, words of 32 bits along one dim)
are read from shared memory: after a conversion, which chooses where rows lie, and
out of buffers of the kernel's own, whose strides and positions decide whether
ldmatrix, plain or .trans, can read them. Layouts, positions or buffers that are
nearly right must come out right without it.

Used iff the conditions of 4.4 hold: they do not of layouts whose lanes or words are
nearly those of tiles; and of a conversion that has none though they hold, the same
through a buffer with rows of 16 bytes for ldmatrix, at several distances and in every
order of dims, takes no fewer wavefronts, nor as many in fewer accesses, as the machine
counts them.
"""
import itertools
import random
import re
import sys

from kernels import Kernel, Layout, runs, suite, vector
from tile_layouts import BITS, Tiles, copy_layout

SPACE = "#gpu.address_space<workgroup>"
SEEN = {}  # (plain or trans, tiles) -> kernels
UNUSED = []  # conversions to tiles that cost less without


def loads_in(text):
    return re.findall(r"nvgpu\.ldmatrix.*numTiles = (\d).*transpose = (\w+)", text)


def note(text):
    for tiles, transposed in set(loads_in(text)):
        key = ("trans" if transposed == "true" else "plain", int(tiles))
        SEEN[key] = SEEN.get(key, 0) + 1


def nearly(r, tiles):
    """The same elements on other lanes, or in other words: no tiles."""
    layout = tiles.layout
    T, ts, E, B = (list(x) for x in (layout.T, layout.ts, layout.E, layout.B))
    four, eight = tiles.four, tiles.eight
    # Words of one element may lie in rows of any order.
    how = r.choice(["strides", "extents"] + ["words"] * (E[four] > 1))
    if how == "strides":
        ts[four], ts[eight] = 8, 1
    elif how == "extents":
        T[four], T[eight], ts[eight] = 8, 4, 8
    else:
        E[four], E[eight] = 1, E[four]
    return Layout(tiles.rank, S=layout.S, B=B, O=layout.O, T=T, E=E, ss=layout.ss, ts=ts)


COUNTERS = ("shuffles", "bank conflicts", "shared requests", "shared bytes read", "shared bytes written")


def cost_of(chosen, kernel):
    """What the machine counts of shared memory, in the order in which ways through it
    are preferred (4.4): wavefronts, of 128 bytes and of conflicts, then accesses."""
    path = chosen.out / f"{kernel.name}.mlir"
    path.write_text(kernel.text())
    done = suite.execute([chosen.distaff, "run", str(path), "--target", "sm_80", "--stop-after=lower", "--counters"])
    if done.returncode:
        return None, done.stderr[:600]
    shuffles, conflicts, requests, *bytes_ = (int(re.search(name + r" +(\d+)", done.stdout)[1]) for name in COUNTERS)
    return (shuffles, sum(bytes_) / 128 + conflicts, requests), None


def by_hand(kernel, source, tiles, element):
    """Kernels that go through a buffer whose rows of 16 bytes ldmatrix reads."""
    shape, rank = tiles.layout.shape(), tiles.rank
    for order in itertools.permutations(range(rank)):
        last = order[-1]
        if last != tiles.four and (last != tiles.eight or BITS[element] != 16):
            continue
        for apart in (0, 16, 32, 64):
            strides, stride = {last: 1}, shape[last] + apart * 8 // BITS[element]
            for dim in reversed(order[:-1]):
                strides[dim], stride = stride, stride * shape[dim]
            extents = "x".join(str(shape[dim]) for dim in order)
            memory = f"memref<{extents}x{element}, strided<{[strides[dim] for dim in order]}>, {SPACE}>"
            hand = Kernel(f"{kernel.name}_{''.join(map(str, order))}_{apart}", kernel.threads)
            hand.read("%x", shape, element, source)
            buffer, at = hand.argument(memory), ", ".join(["%c0"] * rank)
            map_ = f"affine_map<({', '.join(f'd{n}' for n in range(rank))}) -> ({', '.join(f'd{order.index(n)}' for n in range(rank))})>"
            how = f"{{in_bounds = [{', '.join(['true'] * rank)}], permutation_map = {map_}}}"
            hand.line(f"vector.transfer_write %x, {buffer}[{at}] {how} : {vector(shape, element)}, {memory}")
            hand.line(f"%r = vector.transfer_read {buffer}[{at}], %pad_x {how} : {memory}, {vector(shape, element)}")
            hand.layout("%y", "%r", tiles.layout, vector(shape, element))
            hand.write("%y", shape, element)
            yield hand


def cheaper_by_hand(chosen, kernel, source, tiles, element):
    """Why a conversion should have taken matrix loads, or None."""
    mine, wrong = cost_of(chosen, kernel)
    for hand in by_hand(kernel, source, tiles, element) if not wrong else ():
        cost, wrong = cost_of(chosen, hand)
        if wrong:
            break
        if cost < mine and cost[0] == mine[0]:  # more or fewer shuffles: another layout is stored
            return f"VX-48: no ldmatrix at {mine}, and {cost} by hand: {hand.name}"
    UNUSED.append(kernel.name)
    return wrong


def conversion(number):
    r = random.Random(4800 + number)
    subgroups = r.choice([1, 2, 4])
    element = r.choice(["f16", "f16", "bf16", "i16", "i8", "f32", "i32"])
    tiles = Tiles(r, element, subgroups, r.choice([2, 2, 2, 3]))
    loops, fits = r.random() < 0.3, r.random() < 0.8
    fits |= loops
    target = tiles.layout if fits else nearly(r, tiles)
    shape = target.shape()
    source = copy_layout(r, shape, element, subgroups)
    kernel = Kernel(f"convert_{number}", 32 * subgroups)
    kernel.read("%x", shape, element, source)
    kernel.line(f"%y = iree_vector_ext.to_layout %x to layout({target}) {{shared_memory_conversion}} : {vector(shape, element)}")
    value = "%y"
    if loops:  # the bytes are used again, in every turn
        type_ = vector(shape, element)
        kernel.line("%c1 = arith.constant 1 : index")
        kernel.line("%c3 = arith.constant 3 : index")
        kernel.line(f"%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %y) -> ({type_}) {{")
        kernel.layout("%p", "%v", copy_layout(r, shape, element, subgroups), type_)
        op = "arith.negf %p" if element[0] in "fb" else "arith.xori %p, %p"
        kernel.line(f"%n = {op} : {type_}")
        kernel.line(f"%s = iree_vector_ext.to_layout %n to layout({tiles.layout}) {{shared_memory_conversion}} : {type_}")
        kernel.line(f"scf.yield %s : {type_}")
        kernel.line("}")
        value = "%r"
    kernel.write(value, shape, element)

    def judged(text):
        note(text)
        if BITS[element] != 16 and any(transposed == "true" for _, transposed in loads_in(text)):
            return f"ldmatrix.trans of {element}"
        if not fits:
            return "ldmatrix into registers that are no tiles" if loads_in(text) else None
        if not loads_in(text) and not loops:
            return cheaper_by_hand(chosen, kernel, source, tiles, element)

    kernel.judged = judged
    # Sizes that are no powers of two may cost conflicts, and so may ways back.
    kernel.free = fits and not loops and all(n & (n - 1) == 0 for n in shape)
    return kernel


def read(number):
    """Through a buffer: memory dims are the layout's in some order, behind a
    leading one where there is room, with pitch and position chosen."""
    r = random.Random(4900 + number)
    subgroups = r.choice([1, 2])
    element = r.choice(["f16", "f16", "bf16", "i8", "f32"])
    perRow = 128 // BITS[element]
    tiles = Tiles(r, element, subgroups)
    shape = tiles.layout.shape()
    kernel = Kernel(f"read_{number}", 32 * subgroups)
    order = r.choice([[0, 1], [1, 0]])  # vector dim of each memory dim
    last = order[1]
    offset, pitch = r.choice([0, perRow, 2 * perRow]), r.choice([0, perRow, 3 * perRow])
    bad = r.choice([None] * 4 + ["position", "pitch", "bounds"])
    offset += perRow // 2 if bad == "position" else 0
    extents = [shape[order[0]] + 5, shape[last] + offset + pitch]
    extents[1] += -extents[1] % perRow + (perRow // 2 if bad == "pitch" else 0)
    # The strides are named, so that they stay.
    whole = f"memref<{extents[0]}x{extents[1]}x{element}, strided<[{extents[1]}, 1]>, {SPACE}>"
    row = kernel.argument("index", "3")
    kernel.line(f"%col = arith.constant {offset} : index")
    buffer = kernel.argument(whole)
    kernel.read("%x", extents, element)
    kernel.line(f"vector.transfer_write %x, {buffer}[%c0, %c0] {{in_bounds = [true, true]}} : {vector(extents, element)}, {whole}")
    bounds = "true, true" if bad != "bounds" else "true, false" if order == [0, 1] else "false, true"
    map_ = "" if order == [0, 1] else ", permutation_map = affine_map<(d0, d1) -> (d1, d0)>"
    kernel.line(f"%y = vector.transfer_read {buffer}[{row}, %col], %pad_x {{in_bounds = [{bounds}]{map_}}} : {whole}, {vector(shape, element)}")
    kernel.layout("%z", "%y", tiles.layout, vector(shape, element))
    kernel.write("%z", shape, element)
    plain = last == tiles.four
    fits = bad is None and (plain or BITS[element] == 16)
    wanted = "false" if plain else "true"

    def judged(text):
        note(text)
        found = {transposed for _, transposed in loads_in(text)}
        if found != ({wanted} if fits else set()):
            return f"ldmatrix with transpose = {found or 'none'}, wanted {wanted if fits else 'none'}"

    kernel.judged, kernel.free = judged, False
    return kernel


def as_ptx(kernel, chosen):
    def says(text):
        if " ok" not in text:
            return text
        conflicts = int(re.search(r"bank conflicts +(\d+)", text)[1])
        return f"{conflicts} bank conflicts" if kernel.free and conflicts else None

    path = chosen.out / f"{kernel.name}.mlir"
    command = [chosen.distaff, "run", str(path), "--target", "sm_80", *kernel.flags, "--check", "--counters"]
    return suite.Run(kernel.name + "_ptx", [*command, "--device", "ptx"], compares=False, before=([*command, "--device", "ptx"], says))


first = suite.taken("--programs") or range(0, 40)
chosen = suite.options()
kernels = [make(number) for number in first for make in (conversion, read)]
every = [run for kernel in kernels for run in runs(kernel, chosen)]
every += [as_ptx(kernel, chosen) for number, kernel in enumerate(kernels) if number % 2 == 0 or number % 8 == 1]
try:
    suite.main(every, chosen, one_in=9)
except SystemExit as end:
    kinds = {(form, tiles) for form in ("plain", "trans") for tiles in (1, 2, 4)}
    print(f"without, at no more: {len(UNUSED)};", "matrix loads:", ", ".join(f"x{tiles} {form} in {SEEN[form, tiles]}" for form, tiles in sorted(SEEN)))
    if not chosen.only and not suite.depth.IS_QUICK and kinds - set(SEEN):
        print("never seen:", sorted(kinds - set(SEEN)))
        sys.exit(1)
    raise end
