"""VX-11: values that a promotion attribute has copied to shared memory.

Random shapes (powers of two and not, extents of 1, fewer pieces than lanes), types,
and layouts of what is read back, once and in loops, on one and on several
subgroups. What `use_global_load_dma` promises is seen in the PTX: the value is
never loaded into registers. Where a lane's pieces are no size of an instruction it
is refused.

    python3 promotions.py OUT_DIR [--only NAME]
"""
import math
import random

from kernels import Kernel, Layout, suite, vector, zero

BITS = {"i8": 8, "f16": 16, "bf16": 16, "f32": 32, "i32": 32, "f64": 64}
DERIVED, PAST = "#iree_gpu.derived_thread_config", "#iree_gpu.use_global_load_dma"


def some_layout(r, shape, lanes, subgroups):
    """Lanes and subgroups over some factors of the extents, in some order."""
    rank, rest = len(shape), list(shape)
    T, S, E, ts, ss = [1] * rank, [1] * rank, [1] * rank, [0] * rank, [0] * rank
    for tiles, strides, count in ((T, ts, lanes), (S, ss, subgroups)):
        stride = 1
        for dim in r.sample(range(rank), rank):
            tile = math.gcd(rest[dim], count // stride)
            if tile > 1 and r.random() < 0.85:
                tiles[dim], strides[dim], rest[dim], stride = tile, stride, rest[dim] // tile, stride * tile
    inner = r.randrange(rank)
    E[inner] = math.gcd(rest[inner], r.choice([1, 2, 4, 8]))
    rest[inner] //= E[inner]
    return Layout(rank, S=S, B=rest, T=T, E=E, ss=ss, ts=ts)


def piece(shape, element):
    """Bytes that a lane copies at a time."""
    return math.gcd(shape[-1], 128 // BITS[element]) * BITS[element] // 8


def drawn(number, attribute, lanes):
    r = random.Random(1100 + number)
    element = r.choice(list(BITS))
    shape = r.choice([[64], [1, 128], [96, 8], [8, 8], [128, 32], [33, 16], [16, 20], [4, 12, 16], [1, 1, 64], [48, 33], [2, 2]])
    while r.random() < 0.5 and math.prod(shape) < 4096:
        shape[r.randrange(len(shape))] *= r.choice([2, 3])
    subgroups = r.choice([1, 2, 4])
    kernel = Kernel(f"{'past' if attribute == PAST else 'derived'}_{lanes}_{number}", lanes * subgroups, lanes)
    type_ = vector(shape, element)
    memory = "memref<" + type_.removeprefix("vector<")
    source = kernel.argument(memory)
    zeros, inside = ", ".join(["%c0"] * len(shape)), ", ".join(["true"] * len(shape))
    kernel.line(f"%pad = arith.constant {zero(element)}")
    read = f"vector.transfer_read {source}[{zeros}], %pad {{in_bounds = [{inside}]}} : {memory}, {type_}"
    layout = some_layout(r, shape, lanes, subgroups)
    add = "addf" if element[0] in "fb" else "addi"
    conversion = f"to layout({layout}) {{shared_memory_conversion = {attribute}}} : {type_}"
    if r.random() < 0.4:  # the bytes are filled again, in every turn
        other = kernel.argument(memory)
        kernel.line("%c1 = arith.constant 1 : index")
        kernel.line("%c3 = arith.constant 3 : index")
        kernel.line(f"%first = vector.transfer_read {other}[{zeros}], %pad {{in_bounds = [{inside}]}} : {memory}, {type_}")
        kernel.line(f"%begin = iree_vector_ext.to_layout %first {conversion}")
        kernel.line(f"%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %begin) -> ({type_}) {{")
        kernel.line(f"%x = {read}")
        kernel.line(f"%y = iree_vector_ext.to_layout %x {conversion}")
        kernel.line(f"%n = arith.{add} %v, %y : {type_}")
        kernel.line(f"scf.yield %n : {type_}")
        kernel.line("}")
        kernel.write("%r", shape, element)
    else:
        kernel.line(f"%x = {read}")
        kernel.line(f"%y = iree_vector_ext.to_layout %x {conversion}")
        kernel.line(f"%r = arith.{add} %y, %y : {type_}")
        kernel.write("%r", shape, element)
    return kernel, shape, element


def passes_by(text):
    if "cp.async" not in text or "ld.global" in text:
        return f"{text.count('cp.async.c')} asynchronous copies, and {text.count('ld.global')} loads"


def runs(number, attribute, lanes, chosen):
    kernel, shape, element = drawn(number, attribute, lanes)
    path = chosen.out / f"{kernel.name}.mlir"
    path.write_text(kernel.text())
    target = {32: "sm_80", 64: "gfx942"}[lanes]
    command = [chosen.distaff, "run", str(path), "--target", target, "--check"]
    if attribute == PAST and piece(shape, element) not in (4, 8, 16):
        why = f"an asynchronous copy, and a lane's pieces have {piece(shape, element)} bytes"
        return [suite.Run(kernel.name, [*command, "--every-stage"], ("refused", why))]
    before = None
    if attribute == PAST:
        before = [chosen.distaff, "compile", str(path), "--target", target, "--emit", "ptx"], passes_by
    every = [suite.Run(kernel.name, [*command, "--every-stage"], before=before)]
    if lanes == 32:
        every.append(suite.Run(kernel.name + "_ptx", [*command, "--device", "ptx"], compares=False))
    return every


if __name__ == "__main__":
    numbers = suite.taken("--programs") or range(44, 56)
    chosen = suite.options()
    drawn_for = [(number, attribute, lanes) for number in numbers for attribute, lanes in ((DERIVED, 32), (DERIVED, 64), (PAST, 32))]
    suite.main([run for case in drawn_for for run in runs(*case, chosen)], chosen, one_in=4)
