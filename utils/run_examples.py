#!/usr/bin/env python3
"""Runs the example kernels on the SIMT machine and prints a table.

usage: run_examples.py [--build DIR] [--only NAME] [--some]

Each kernel runs for every target whose subgroups it fits, compiled down to the
lane level, and is checked against a float64 evaluation of its source. As many run at
once as there are cores. Exit status 1 if one does not pass.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "Execution" / "Inputs"))
import depth

TARGETS = {"sm_80": 32, "gfx942": 64}
# Extents that only a launch knows; q scaled as its kernel expects, or the bound decides nothing.
WEIGHTS = [flag for number in (2, 3, 4, 5, 7, 8) for flag in ("--input", f"arg{number}=random:{number}:-0.1:0.1")]
GIVEN = {"matmul_dynamic": ["--shape", "arg0=129x300", "--shape", "arg1=300x65"],
         "transformer_block": ["--input", "arg0=random:0:-2:2", "--input", "arg1=random:1:0.5:1", "--input", "arg6=random:6:0.5:1", *WEIGHTS],
         "flash_attention_f32_128": ["--input", "arg0=random:0:-0.1275:0.1275"]}
# Of all columns but the first.
WIDTHS = (6, 8, 9, 8, 12, 7)
COLUMNS = ("kernel", "target", "time", "max error", "bound", "conversions", "verdict")


def kernels():
    for path in sorted((ROOT / "examples").glob("*.mlir")):
        given = re.search(r"subgroup_size = (\d+)", path.read_text())
        for target, lanes in TARGETS.items():
            if not given or int(given.group(1)) == lanes:
                yield path, target


def decisions(remarks):
    """How many conversions of each tier a kernel needs, such as `2 T3, 1 T1`, and the ops of each launch, if it is several."""
    tiers = re.findall(r"remark: conversion from .*: (T\w+) ", remarks)
    found = re.search(r"remark: launches: \d+ launches: (.*), cost", remarks)
    return (", ".join(f"{tiers.count(tier)} {tier}" for tier in sorted(set(tiers))) or "none",
            found.group(1).split(" | ") if found else [])


def row(distaff, path, target):
    """The cells of a row, the exit code of the run, what it wrote to stderr, and the launches."""
    start = time.monotonic()
    command = [distaff, "run", path, "--target", target, "--check", *GIVEN.get(path.stem, [])]
    run = subprocess.run([*command, "--remarks"], capture_output=True, text=True)
    seconds = time.monotonic() - start
    found = re.search(r"max error (\S+)\s+bound (\S+)\s+(\S+)", run.stdout)
    error, bound, verdict = found.groups() if found else ("-", "-", "failed")
    conversions, launches = decisions(run.stderr)
    # Its errors alone, not among remarks.
    said = subprocess.run(command, capture_output=True, text=True).stderr if run.returncode else ""
    return (path.stem, target, f"{seconds:.2f} s", error, bound, conversions, verdict), run.returncode, said, launches


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--only", default="", help="of kernels with this in their name")
    parser.add_argument("--some", action="store_true", help="as many as tests take (test/Execution/Inputs/depth.py)")
    options = parser.parse_args()
    distaff = options.build / "bin" / "distaff"
    taken = [(path, target) for path, target in kernels() if options.only in path.stem]
    if options.some:
        taken = depth.some(taken, 3)
    widths = [max((len(path.stem) for path, _ in taken), default=0), *WIDTHS]
    show = lambda cells: print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip(), flush=True)
    show(COLUMNS)
    rows = []
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        # The largest begin first, or one core would be left with one of them in the end.
        largest = sorted(taken, key=lambda one: -one[0].stat().st_size)
        runs = {one: pool.submit(row, distaff, *one) for one in largest}
        for one in taken:
            cells, code, said, launches = runs[one].result()
            rows.append((cells, code, launches))
            show(cells)
            if code:
                print(said, file=sys.stderr, end="")
    for cells, _, launches in rows:
        if launches:
            print(f"\n{cells[0]} on {cells[1]} is {len(launches)} launches:")
            for number, part in enumerate(launches):
                print(f"  {number}: {part}")
    return not rows or any(code or "failed" in cells for cells, code, _ in rows)


sys.exit(main())
