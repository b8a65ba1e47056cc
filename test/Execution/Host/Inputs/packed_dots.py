"""Products of words for instructions that this machine may lack.

    python3 packed_dots.py OUT_DIR [--only NAME] [--distaff PATH]

Kernels are compiled for levels of the instruction set that multiply four bytes or two numbers of bf16 at a time, which are
emulated (emulation.py). Results must equal sums that Python computes, of integers that wrap, of bf16 of whole numbers that are
exact in f32.
"""
import array
import ctypes
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import suite

from emulation import FLOATS, FOURS, build

# Level, element, which of the operands have no sign, extents m, n, k, whether the right side is in rows.
CASES = [(level, "i8", unsigned, *extents, inRows)
         for level, vectors in (("avxvnni", 8), ("avx512vnni", 16), ("avx512bf16", 16))
         for unsigned, extents, inRows in (("", (33, 170, 45), False), ("a", (37, 133, 64), True), ("b", (41, 100, 131), False),
                                           ("ab", (52, 149, 66), True), ("", (31, 264, 9), True), ("ab", (65, 257, 23), False))]
CASES += [("avx512bf16", "bf16", "", 33, 170, 45, False), ("avx512bf16", "bf16", "", 37, 133, 131, True), ("avx512bf16", "bf16", "", 52, 264, 24, True)]


def of_bf16(number):
    return struct.unpack("<I", struct.pack("<f", number))[0] >> 16


def kernel(element, unsigned, m, n, k, inRows):
    acc, f = ("i32", "i") if element == "i8" else ("f32", "f")
    extend = {x: "arith.extf" if f == "f" else "arith.extui" if x in unsigned else "arith.extsi" for x in "ab"}
    rhs = (n, k) if inRows else (k, n)
    a, b, c = (f"tensor<{x}x{y}x{e}>" for (x, y), e in (((m, k), element), (rhs, element), ((m, n), acc)))
    return f"""func.func @k(%a: {a}, %b: {b}, %c: {c}) -> {c} {{
  %r = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> ({"n, k" if inRows else "k, n"})>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}} ins(%a, %b : {a}, {b}) outs(%c : {c}) {{
  ^bb0(%x: {element}, %y: {element}, %s: {acc}):
    %v = {extend["a"]} %x : {element} to {acc}
    %w = {extend["b"]} %y : {element} to {acc}
    %p = arith.mul{f} %v, %w : {acc}
    %t = arith.add{f} %s, %p : {acc}
    linalg.yield %t : {acc}
  }} -> {c}
  return %r : {c}
}}
"""


def check(chosen, case, rng):
    level, element, unsigned, m, n, k, inRows = case
    name = f"{level}_{element}_{unsigned or 'signed'}_{m}x{n}x{k}" + ("_rows" if inRows else "")
    run, found = build(chosen, name, level, kernel(element, unsigned, m, n, k, inRows))
    wanted = FOURS if element == "i8" else FLOATS
    if wanted not in found:
        return f"{name}: no {wanted}"
    bounds = {x: (0, 255) if x in unsigned else (-128, 127) if element == "i8" else (-9, 9) for x in "ab"}

    def numbers(count, low, high):
        return [rng.choice((low, high, rng.randint(low, high), rng.randint(low, high))) for _ in range(count)]

    a, b, c = numbers(m * k, *bounds["a"]), numbers(k * n, *bounds["b"]), numbers(m * n, -1000, 1000)
    at = (lambda i, j: b[j * k + i]) if inRows else (lambda i, j: b[i * n + j])
    sums = [c[i * n + j] + sum(a[i * k + x] * at(x, j) for x in range(k)) for i in range(m) for j in range(n)]
    if element == "i8":
        buffers = [array.array("B", [x & 255 for x in each]) for each in (a, b)] + [array.array("i", c), array.array("i", [12345] * (m * n))]
    else:
        buffers = [array.array("H", map(of_bf16, each)) for each in (a, b)] + [array.array("f", c), array.array("f", [float("nan")] * (m * n))]
    run(*[ctypes.c_void_p(each.buffer_info()[0]) for each in buffers], None)
    wrong = [i for i, (x, y) in enumerate(zip(buffers[3], sums)) if x != y]
    return f"{name}: {len(wrong)} of {m * n} differ, at {divmod(wrong[0], n)} {buffers[3][wrong[0]]} for {sums[wrong[0]]}" if wrong else None


def check_cut(chosen, level, count, rng):
    """Vectors of so many words, which are cut into those of instructions, or one word alone, with what they are added to."""
    words = f"vector<{count}xi32>" if count > 1 else "i32"
    sums = {"i32": words, "f32": words.replace("i32", "f32")}
    load = lambda value, memory, type: (f"    %{value} = vector.load %{memory}[%c0] : memref<{count}x{type[-4:-1]}>, {type}\n" if count > 1 else
                                        f"    %{value} = memref.load %{memory}[%c0] : memref<1x{type}>\n")
    store = lambda value, memory, type: load(value, memory, type).replace(f"%{value} = ", "").replace("load ", f"store %{value}, ")
    floats = level == "avx512bf16"
    text = f"""func.func @k(%a: memref<{count}xi32>, %b: memref<{count}xi32>, %r: memref<{count}xi32>, %s: memref<{count}xf32>) {{
  scf.forall (%x) in (1) {{
    %c0 = arith.constant 0 : index
{load("v", "a", words)}{load("w", "b", words)}{load("c", "r", sums["i32"])}    %d = distaff.packed_dot %w as si8, %v as ui8 : {words} to {words}
    %t = arith.addi %c, %d : {words}
{store("t", "r", words)}"""
    if floats:
        text += f"""{load("f", "s", sums["f32"])}    %e = distaff.packed_dot %v as bf16, %w as bf16 : {words} to {sums["f32"]}
    %g = arith.addf %e, %f : {sums["f32"]}
{store("g", "s", sums["f32"])}"""
    text += "  } {mapping = [#gpu.block<x>]}\n  return\n}\n"
    run, found = build(chosen, f"cut_{level}_{count}", level, text)
    if count > 1 and FOURS not in found or floats and FLOATS not in found:
        return f"cut_{level}_{count}: no intrinsic"
    # As bytes of any value; the halves of words are small whole numbers of bf16 at the same time.
    halves = [[[of_bf16(rng.randint(-9, 9)) for _ in range(2)] for _ in range(count)] for _ in "ab"]
    a, b = ([low | high << 16 for low, high in each] for each in halves)
    start = [rng.randint(-1000, 1000) for _ in range(count)]
    signed = lambda byte: byte - 256 if byte > 127 else byte
    wanted = [s + sum((x >> at & 255) * signed(y >> at & 255) for at in (0, 8, 16, 24)) for s, x, y in zip(start, a, b)]
    number = lambda half: struct.unpack("<f", struct.pack("<I", half << 16))[0]
    sums = [s + sum(number(p) * number(q) for p, q in zip(x, y)) for s, x, y in zip(start, *halves)]
    buffers = [array.array("I", a), array.array("I", b), array.array("i", start), array.array("f", start)]
    run(*[ctypes.c_void_p(each.buffer_info()[0]) for each in buffers], None)
    if list(buffers[2]) != wanted:
        return f"cut_{level}_{count}: {list(buffers[2])} for {wanted}"
    if list(buffers[3]) != (sums if floats else start):
        return f"cut_{level}_{count}: {list(buffers[3])} for {sums}"
    return None


def main():
    chosen = suite.options()
    rng = random.Random(7)
    runs = [lambda case=case: check(chosen, case, rng) for case in CASES]
    runs += [lambda level=level, count=count: check_cut(chosen, level, count, rng)
             for level in ("avxvnni", "avx512bf16") for count in (1, 3, 4, 7, 8, 16, 17, 32, 37)]
    runs = depth.some(runs, 3)
    failures = [failure for run in runs if (failure := run())]
    print("\n".join(failures + [f"{len(runs) - len(failures)} right, {len(failures)} wrong of {len(runs)}"]))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
