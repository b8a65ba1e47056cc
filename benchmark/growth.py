#!/usr/bin/env python3
"""Times `distaff compile` against the size of what it compiles, and prints how
the time grows.

usage: growth.py [--build DIR] [--target sm_80] [--only FAMILY] [--limit SECONDS]

A family is one program at many sizes: chains of tensor ops, vectors with many
elements per lane, matrix products. Each size is compiled three times as a cold
process and the fastest one counts, less that of an empty module. The growth is
the exponent e of time ~ size^e over the upper half of the sizes, where the fixed
costs are small. A family stops at the first size that takes longer than the
limit. Exit status 1 when a kernel did not compile.
"""
import argparse
import math
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EMIT = {"sm_80": "ptx", "sm_90a": "ptx", "gfx942": "gcn"}
LANES = {"gfx942": 64}


def chain(length, operands):
    lines, type_ = [], "tensor<64x64xf32>"
    for k in range(1, length + 1):
        reads = operands(k)
        lines.append(f"  %v{k} = {'math.exp' if len(reads) == 1 else 'arith.addf'} {', '.join(f'%v{n}' for n in reads)} : {type_}")
    return "\n".join([f"func.func @kernel(%v0: {type_}) -> {type_} {{", *lines, f"  return %v{length} : {type_}", "}"])


def matmul(extent):
    def square(element):
        return f"tensor<{extent}x{extent}x{element}>"
    return f"""func.func @kernel(%a: {square("f16")}, %b: {square("f16")}) -> {square("f32")} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {square("f32")}
  %c = linalg.fill ins(%zero : f32) outs(%e : {square("f32")}) -> {square("f32")}
  %d = linalg.matmul ins(%a, %b : {square("f16")}, {square("f16")}) outs(%c : {square("f32")}) -> {square("f32")}
  return %d : {square("f32")}
}}"""


def vectors(registers, lanes, body, missing=0, carried=False):
    """One subgroup on a vector of `registers` elements per lane, of which the
    last ones are not in memory."""
    extent = registers * lanes
    vector, memory = f"vector<{extent}xf32>", f"memref<{extent - missing}xf32>"
    inside = "" if missing else " {in_bounds = [true]}"
    lines = [f"#launch = #iree_codegen.translation_info<workgroup_size = [{lanes}, 1, 1] subgroup_size = {lanes}>",
             f"func.func @kernel(%a: {memory}, %b: {memory}) attributes {{translation_info = #launch}} {{",
             "  %c0 = arith.constant 0 : index", "  %zero = arith.constant 0.0 : f32",
             f"  %x = vector.transfer_read %a[%c0], %zero{inside} : {memory}, {vector}"]
    if carried:
        lines += ["  %c1 = arith.constant 1 : index", "  %c8 = arith.constant 8 : index",
                  f"  %y = scf.for %i = %c0 to %c8 step %c1 iter_args(%x0 = %x) -> ({vector}) {{",
                  *("    " + line.format(type=vector).replace("%x,", "%x0,") for line in body), f"    scf.yield %r : {vector}", "  }"]
    else:
        lines += ["  " + line.format(type=vector).replace("%r", "%y") for line in body]
    return "\n".join([*lines, f"  vector.transfer_write %y, %b[%c0]{inside} : {vector}, {memory}", "  return", "}"])


def in_a_subgroup(arguments, lanes, body):
    return "\n".join([f"#launch = #iree_codegen.translation_info<workgroup_size = [{lanes}, 1, 1] subgroup_size = {lanes}>",
                      f"func.func @kernel({arguments}) attributes {{translation_info = #launch}} {{",
                      "  %zero = arith.constant 0.0 : f32", *("  " + line for line in body), "  return", "}"])


def vector_chain(length, lanes):
    """Elementwise ops, each on the result of the one before."""
    vector, memory = f"vector<{4 * lanes}xf32>", f"memref<{4 * lanes}xf32>"
    inside = "{in_bounds = [true]}"
    return in_a_subgroup(f"%a: {memory}, %b: {memory}", lanes,
                         ["%c0 = arith.constant 0 : index",
                          f"%v0 = vector.transfer_read %a[%c0], %zero {inside} : {memory}, {vector}",
                          *(f"%v{k} = arith.addf %v{k - 1}, %v{k - 1} : {vector}" for k in range(1, length + 1)),
                          f"vector.transfer_write %v{length}, %b[%c0] {inside} : {vector}, {memory}"])


def vector_fan(count, lanes):
    """Reads, all of them before the writes of what they read."""
    extent = 4 * lanes
    vector, memory = f"vector<{extent}xf32>", f"memref<{count * extent}xf32>"
    inside = "{in_bounds = [true]}"
    return in_a_subgroup(f"%a: {memory}, %b: {memory}", lanes,
                         [*(f"%c{k} = arith.constant {k * extent} : index" for k in range(count)),
                          *(f"%v{k} = vector.transfer_read %a[%c{k}], %zero {inside} : {memory}, {vector}" for k in range(count)),
                          *(f"vector.transfer_write %v{k}, %b[%c{k}] {inside} : {vector}, {memory}" for k in range(count))])


def shared_positions(rounds, lanes):
    """A write whose position is the loop's counter, after `rounds` times
    x + x - x."""
    vector, memory = f"vector<{4 * lanes}xf32>", f"memref<{64 * lanes}xf32>"
    body = ["%c0 = arith.constant 0 : index", f"%step = arith.constant {4 * lanes} : index", f"%end = arith.constant {64 * lanes} : index",
            f"%v = arith.constant dense<1.0> : {vector}", "scf.for %x0 = %c0 to %end step %step {"]
    for k in range(1, rounds + 1):
        body += [f"  %y{k} = arith.addi %x{k - 1}, %x{k - 1} : index", f"  %x{k} = arith.subi %y{k}, %x{k - 1} : index"]
    return in_a_subgroup(f"%a: {memory}", lanes,
                         [*body, f"  %w = arith.negf %v : {vector}",
                          f"  vector.transfer_write %w, %a[%x{rounds}] {{in_bounds = [true]}} : {vector}, {memory}", "}"])


ADD = ["%r = arith.addf %x, %x : {type}"]


def families(lanes):
    powers = [2**k for k in range(1, 14)]
    yield "chain of exp", "ops", powers[:8], lambda n: chain(n, lambda k: [k - 1])
    yield "chain of x + x", "ops", powers[:8], lambda n: chain(n, lambda k: [k - 1, k - 1])
    yield "chain of the last two", "ops", powers[:8], lambda n: chain(n, lambda k: [k - 1, max(k - 2, 0)])
    yield "elements", "per lane", powers[3:13], lambda n: vectors(n, lanes, ADD)
    yield "elements past the end", "per lane", powers[3:11], lambda n: vectors(n, lanes, ADD, missing=n * lanes // 2 + 3)
    yield "elements through a loop", "per lane", powers[3:13], lambda n: vectors(n, lanes, ADD, carried=True)
    yield "vector chain to lower", "ops", powers[5:13], lambda n: vector_chain(n, lanes)
    yield "vector fan to lower", "reads and writes", powers[5:11], lambda n: vector_fan(n, lanes)
    yield "positions of shared sums to lower", "ops", powers[3:13], lambda n: shared_positions(n // 2, lanes)
    yield "matmul", "extent", powers[3:12], matmul
    yield "matmul of a prime extent", "extent", [7, 13, 31, 61, 97, 197, 397], matmul


def seconds(arguments, text, runs, *flags):
    """The fastest of `runs`, or None."""
    path = arguments.build / "growth.mlir"
    path.write_text(text + "\n")
    command = [arguments.build / "bin" / "distaff", "compile", path, "-o", arguments.build / "growth.out", *flags]
    best = math.inf
    for _ in range(runs):
        start = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            print(done.stderr[:400], file=sys.stderr)
            return None
        best = min(best, time.perf_counter() - start)
        if best > 2:
            break
    return best


def slope(points):
    """Of the line of least squares through the logarithms."""
    logs = [(math.log(size), math.log(max(value, 1e-4))) for size, value in points]
    mean_x, mean_y = (sum(p[i] for p in logs) / len(logs) for i in (0, 1))
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--target", choices=EMIT, default="sm_80")
    parser.add_argument("--only")
    parser.add_argument("--limit", type=float, default=5)
    arguments = parser.parse_args()
    empty = seconds(arguments, "module {}", 5)
    fine = True
    for name, unit, sizes, make in families(LANES.get(arguments.target, 32)):
        if arguments.only and arguments.only not in name:
            continue
        points = []
        for size in sizes:
            goal = ["--stop-after", "lower"] if name.endswith("to lower") else ["--emit", EMIT[arguments.target]]
            value = seconds(arguments, make(size), 3, "--target", arguments.target, *goal)
            fine &= value is not None
            if value is None:
                break
            points.append((size, value - empty))
            if value > arguments.limit:
                break
        upper = points[len(points) // 2 - 1:] if len(points) > 3 else points
        growth = f"{slope(upper):.2f}" if len(upper) > 1 else "?"
        print(f"{name} ({unit}): growth {growth}")
        print("    " + "  ".join(f"{size}: {value:.3f} s" for size, value in points))
    return not fine


sys.exit(main())
