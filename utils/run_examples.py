#!/usr/bin/env python3
"""Runs the example kernels on the SIMT machine and prints a table.

usage: run_examples.py [--build DIR] [--only NAME] [--some]

Each kernel runs for every target whose subgroups it fits, compiled down to the
lane level, and is checked against a float64 evaluation of its source. Exit
status 1 if one does not pass.
"""
import argparse
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
COLUMNS = ("kernel", "target", "time", "max error", "bound", "conversions", "verdict")


def kernels():
    for path in sorted((ROOT / "examples").glob("*.mlir")):
        given = re.search(r"subgroup_size = (\d+)", path.read_text())
        for target, lanes in TARGETS.items():
            if not given or int(given.group(1)) == lanes:
                yield path, target


def conversions(distaff, path, target):
    """How many conversions of each tier the kernel needs, such as `2 T3, 1 T1`."""
    run = subprocess.run([distaff, "explain", path, "--target", target], capture_output=True, text=True)
    if run.returncode:
        return "failed"
    tiers = re.findall(r"^ {6}(T\w+) ", run.stdout, re.MULTILINE)
    return ", ".join(f"{tiers.count(tier)} {tier}" for tier in sorted(set(tiers))) or "none"


def launches(distaff, path, target):
    """The ops of each launch, for a kernel that is several."""
    run = subprocess.run([distaff, "explain", path, "--target", target], capture_output=True, text=True)
    found = re.match(r"launches of @\w+: \d+ launches: (.*) \(cost", run.stdout)
    return found.group(1).split(" | ") if found else []


def row(distaff, path, target):
    start = time.monotonic()
    run = subprocess.run([distaff, "run", path, "--target", target, "--check", *GIVEN.get(path.stem, [])], capture_output=True, text=True)
    seconds = time.monotonic() - start
    found = re.search(r"max error (\S+)\s+bound (\S+)\s+(\S+)", run.stdout)
    error, bound, verdict = found.groups() if found else ("-", "-", "failed")
    if run.returncode:
        print(run.stderr, file=sys.stderr, end="")
    return (path.stem, target, f"{seconds:.2f} s", error, bound, conversions(distaff, path, target), verdict), run.returncode


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
    rows = [row(distaff, path, target) for path, target in taken]
    table = [COLUMNS] + [cells for cells, _ in rows]
    widths = [max(len(cells[i]) for cells in table) for i in range(len(COLUMNS))]
    for cells in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip())
    for path, target in taken:
        if (parts := launches(distaff, path, target)):
            print(f"\n{path.stem} on {target} is {len(parts)} launches:")
            for number, part in enumerate(parts):
                print(f"  {number}: {part}")
    return not rows or any(code or "failed" in cells for cells, code in rows)


sys.exit(main())
