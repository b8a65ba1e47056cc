#!/usr/bin/env python3
"""Compares the code that two builds of the compiler emit, byte by byte: a renaming or a moved file changes none of it.

usage: compare_code.py OLD NEW [--targets NAME,...] [--only NAME]

OLD and NEW are `distaff` binaries. Each example and each kernel of the linalg table, of divisible and ragged extents and of
extents of 1, static and dynamic, is compiled on every target by both: PTX, GCN or the CPU's assembly by the default pipeline,
and for GPUs by run-cluster too. Warnings and refusals may be worded anew; what is refused by one and not by the other differs.
Prints each difference and the counts; exit status 1 if there is one.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "test" / "Execution" / part / "Inputs") for part in (".", "Linalg")]
import linalg_kernels

TARGETS = ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90a", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "host")


def kernels(folder):
    yield from sorted((ROOT / "examples").glob("**/*.mlir"))
    for kernel in linalg_kernels.KERNELS:
        for shape, extents in kernel.shapes.items():
            for dynamic in (False, True) if kernel.dynamic else (False,):
                path = folder / f"{kernel.name}.{shape}{'.dynamic' if dynamic else ''}.mlir"
                path.write_text(kernel.text(extents, dynamic))
                yield path


def commands(path, targets):
    for target in targets:
        kind = {"s": "ptx", "g": "gcn", "h": "asm"}[target[0]]
        flags = ["compile", str(path), "--target", target, "--emit", kind]
        yield flags
        if target != "host":
            yield [*flags, "--pipeline", "run-cluster"]


def emitted(distaff, flags):
    """The exit status and the code; None where there is none."""
    done = subprocess.run([distaff, *flags, "-o", "-"], capture_output=True)
    return done.returncode, done.stdout if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--targets", type=lambda names: names.split(","), default=TARGETS)
    parser.add_argument("--only", default="", help="kernels whose name contains this")
    chosen = parser.parse_args()
    equal = refused = different = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        tasks = [flags for path in kernels(Path(folder)) if chosen.only in path.name for flags in commands(path, chosen.targets)]
        pairs = pool.map(lambda flags: (emitted(chosen.old, flags), emitted(chosen.new, flags)), tasks)
        for flags, (old, new) in zip(tasks, pairs):
            if old != new:
                different += 1
                print(f"DIFFERENT {Path(flags[1]).name} {' '.join(flags[2:])}: exit {old[0]} and {new[0]}", flush=True)
            elif old[0]:
                refused += 1
            else:
                equal += 1
    print(f"{equal} equal, {refused} refused by both, {different} different")
    sys.exit(different != 0 or not equal)


main()
