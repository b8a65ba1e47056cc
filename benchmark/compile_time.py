#!/usr/bin/env python3
"""Times `distaff compile` as a cold process, kernel to PTX, GCN or this CPU's code.

usage: compile_time.py [--build DIR] [--runs N]

Prints the median and the range of N runs per example, after one that is not
counted, and the same for an MLIR process that does nothing. Exit status 1 when
a kernel did not compile.
"""
import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CASES = [("sm_80", "ptx"), ("gfx942", "gcn"), ("host", "obj")]
ONLY = {"reduce_8x64": "gfx942", "contract_mma_sync": "sm_80"}
# Dynamic extents; arguments in workgroup memory, which no launch can fill.
NOT_COMPILED = {"matmul_dynamic", "attention_rfc"}


def measure(command, runs):
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        code = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        times.append(time.perf_counter() - start)
        if code:
            return None
    return times[1:]


def show(name, times):
    if times is None:
        print(f"{name:38} failed")
    else:
        print(f"{name:38} {statistics.median(times):.3f} s  ({min(times):.3f} .. {max(times):.3f})")
    return times is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--runs", type=int, default=9)
    arguments = parser.parse_args()
    distaff = arguments.build / "bin" / "distaff"
    empty = arguments.build / "empty.mlir"
    empty.write_text("module {}\n")
    fine = show("parse an empty module", measure([distaff, "compile", empty], arguments.runs))
    for path in sorted((ROOT / "examples").glob("*.mlir")):
        for target, emit in CASES:
            if path.stem in NOT_COMPILED or ONLY.get(path.stem, target) != target:
                continue
            command = [distaff, "compile", path, "--target", target, "--emit", emit, "-o", arguments.build / "code"]
            fine &= show(f"{path.stem} {target} {emit}", measure(command, arguments.runs))
            if target == "host":
                command = [distaff, "compile", path, "--target", target, "--stop-after", "lower"]
                fine &= show(f"{path.stem} {target} without LLVM", measure(command, arguments.runs))
    return not fine


sys.exit(main())
