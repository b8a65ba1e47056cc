#!/usr/bin/env python3
"""Takes one program at 1x, 10x and 100x its ops along the pipeline in one process,
prints the CPU time of each stage, and how much it grew.

usage: stage_growth.py [--build DIR] [--target sm_80] [--sizes 1,10,100]
                       [--runs N] [--units N] [--emit] [--slack F]

The program is a row of units: a read, elementwise ops, a sum along rows whose
result is broadcast, a change of layout that the user asks for, a transpose, a
write, and each fourth one in a loop. Exit status 1 when ten times the ops take
more than 12 times as long, or a hundred times more than 130 times; LLVM's time
(--emit) is shown and not judged. --slack multiplies the bounds, for machines that
do other work beside. The least of the runs counts; each stage of
the smallest program is run often enough for that.
"""
import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BOUNDS = {10: 12, 100: 130}
ROWS, COLUMNS = 4, 32
MATRIX, LINE = f"vector<{ROWS}x{COLUMNS}xf32>", f"vector<{ROWS}xf32>"
TURNED = f"vector<{COLUMNS}x{ROWS}xf32>"
INSIDE = "{in_bounds = [true, true]}"


def body(k, indent):
    """One unit, at row %p of its own matrix of the memory."""
    memory = "memref<?x32xf32>"
    lines = [f"%x{k} = vector.transfer_read %a[%p{k}, %c0], %zero {INSIDE} : {memory}, {MATRIX}",
             f"%e{k} = math.exp2 %x{k} : {MATRIX}",
             f"%m{k} = arith.mulf %e{k}, %x{k} : {MATRIX}",
             f"%s{k} = vector.multi_reduction <add>, %m{k}, %none [1] : {MATRIX} to {LINE}",
             f"%b{k} = vector.broadcast %s{k} : {LINE} to {TURNED}",
             f"%t{k} = vector.transpose %b{k}, [1, 0] : {TURNED} to {MATRIX}",
             f"%d{k} = arith.subf %m{k}, %t{k} : {MATRIX}",
             f"%l{k} = iree_vector_ext.to_layout %d{k} to layout({'#row' if k % 2 else '#column'}) : {MATRIX}",
             f"%n{k} = arith.negf %l{k} : {MATRIX}",
             f"vector.transfer_write %n{k}, %b[%p{k}, %c0] {INSIDE} : {MATRIX}, {memory}"]
    return [indent + line for line in lines]


def program(units, lanes):
    def layout(name, thread, element, strides):
        return (f"#{name} = #iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [1, 1], outer_tile = [1, 1], "
                f"thread_tile = {thread}, element_tile = {element}, subgroup_strides = [0, 0], thread_strides = {strides}>")
    lines = [layout("row", [ROWS, lanes // ROWS], [1, COLUMNS * ROWS // lanes], [lanes // ROWS, 1]),
             layout("column", [lanes // COLUMNS, COLUMNS], [ROWS * COLUMNS // lanes, 1], [COLUMNS, 1]),
             f"#launch = #iree_codegen.translation_info<workgroup_size = [{lanes}, 1, 1] subgroup_size = {lanes}>",
             "func.func @kernel(%a: memref<?x32xf32>, %b: memref<?x32xf32>) attributes {translation_info = #launch} {",
             "  %c0 = arith.constant 0 : index", "  %c1 = arith.constant 1 : index", "  %c4 = arith.constant 4 : index",
             f"  %rows = arith.constant {ROWS} : index",
             "  %zero = arith.constant 0.0 : f32", f"  %none = arith.constant dense<0.0> : {LINE}"]
    for k in range(units):
        lines.append(f"  %q{k} = arith.constant {k * ROWS * 4} : index")
        if k % 4:
            lines.append(f"  %p{k} = arith.addi %q{k}, %c0 : index")
            lines += body(k, "  ")
        else:
            lines += [f"  scf.for %i{k} = %c0 to %c4 step %c1 {{", f"    %j{k} = arith.muli %i{k}, %rows : index",
                      f"    %p{k} = arith.addi %q{k}, %j{k} : index", *body(k, "    "), "  }"]
    return "\n".join([*lines, "  return", "}"]) + "\n"


def measure(arguments, factors):
    """Per factor: ops, and milliseconds by stage."""
    paths = []
    for factor in factors:
        paths.append(arguments.build / f"growth-{factor}.mlir")
        paths[-1].write_text(program(arguments.units * factor, 64 if arguments.target.startswith("gfx") else 32))
    runs = arguments.runs if arguments.emit else -arguments.runs
    done = subprocess.run([arguments.build / "bin" / "stage-growth", arguments.target, str(runs), *paths], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr[:2000])
    for line in done.stdout.splitlines():
        ops, *stages = line.split()
        yield int(ops), {stage: float(time) for stage, time in (part.split("=") for part in stages)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--target", default="sm_80")
    parser.add_argument("--sizes", default="1,10,100")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--units", type=int, default=80)
    parser.add_argument("--emit", action="store_true")
    parser.add_argument("--slack", type=float, default=1)
    arguments = parser.parse_args()
    factors = [int(factor) for factor in arguments.sizes.split(",")]
    rows = list(measure(arguments, factors))
    stages = list(rows[0][1])
    judged = [stage for stage in stages if stage not in ("convert", "emit")]
    print("| stage | " + " | ".join(f"{ops:,} ops, ms" for ops, _ in rows) + " | " + " | ".join(f"{factor}x" for factor in factors[1:]) + " |")
    print("| --- |" + " --- |" * (2 * len(rows) - 1))
    fine = True
    for name, parts in [*((stage, [stage]) for stage in stages), ("configure to lower", judged)]:
        times = [sum(times[part] for part in parts) for _, times in rows]
        growth = [time / max(times[0], 1e-3) for time in times[1:]]
        print(f"| {name} | " + " | ".join(f"{time:.1f}" for time in times) + " | " + " | ".join(f"{ratio:.1f}" for ratio in growth) + " |")
        if parts == judged:
            fine = rows[0][0] >= 1000 and times[0] >= 20
            if not fine:
                print(f"the base is too small: {rows[0][0]} ops, {times[0]:.1f} ms; 1,000 and 20 are asked", file=sys.stderr)
            for factor, ratio in zip(factors[1:], growth):
                bound = arguments.slack * BOUNDS.get(factor, 1.3 * factor)
                if ratio > bound:
                    print(f"{factor} times the ops take {ratio:.1f} times as long; at most {bound:g} are asked", file=sys.stderr)
                    fine = False
    return not fine


sys.exit(main())
