#!/usr/bin/env python3
"""The figures of README.md and docs/Pipelines.md are those of benchmark/results/hot-loops.md.

usage: figures.py [--readme PAGE.md]

A row `| KERNEL, TARGET | COUNT, SECONDS s | ...` has the count and the seconds of
each system of the table's head. Exit status 1 if one is another, or there is no row.
"""
import argparse
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TOTAL, SECONDS = "total", "s"
# Rows of docs/Pipelines.md, and those of the results.
PIPELINES = {"`vector-distribute` (row matmul_f16)": "matmul_f16", "`run-cluster`": "run_cluster", "`ping-pong`": "ping_pong",
             "`producer-consumer`: all roles; the consumers alone": "producer_consumer"}


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def measured():
    """{(kernel, system, target): {column: cell}} of the results."""
    rows, target, columns = {}, None, []
    for line in (ROOT / "benchmark/results/hot-loops.md").read_text().splitlines():
        if line.startswith("## "):
            target = line[3:].strip()
        elif line.startswith("| kernel |"):
            columns = cells_of(line)
        elif line.startswith("| ") and columns:
            cells = cells_of(line)
            rows[cells[0], cells[1], target] = dict(zip(columns, cells))
    return rows


def readme_errors(page, rows):
    systems, number = [], 0
    for line in page.splitlines():
        cells = cells_of(line)
        if line.startswith("| kernel, target |"):
            systems = cells[1:]
        elif systems and (row := re.fullmatch(r"(\w+), (\w+)", cells[0])):
            for system, said in zip(systems, cells[1:]):
                number += 1
                known = rows.get((row[1], system, row[2]), {})
                is_so = f"{known.get(TOTAL, '').rstrip('*?')}, {known.get(SECONDS)} s"
                if said != is_so:
                    yield f"README: {row[0]}, {system}: '{said}', measured '{is_so}'"
    if not number:
        yield "README has no figures"


def pipeline_errors(page, rows):
    lines = {cells[0]: cells[1:] for cells in map(cells_of, page.splitlines()) if len(cells) == 3}
    for title, kernel in PIPELINES.items():
        for target, said in zip(("sm_80", "gfx942"), lines.get(title, ("no row", "no row"))):
            known = rows.get((kernel, "Distaff", target), {})
            is_so = known.get(TOTAL)
            if known.get("consumers", "-") != "-":
                is_so += "; " + known["consumers"]
            if said != is_so:
                yield f"Pipelines: {title}, {target}: '{said}', measured '{is_so}'"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--readme", type=Path, default=ROOT / "README.md")
    options = parser.parse_args()
    rows = measured()
    errors = [*readme_errors(options.readme.read_text(), rows),
              *pipeline_errors((ROOT / "docs/Pipelines.md").read_text(), rows)]
    print(*errors, sep="\n")
    return len(errors) > 0


sys.exit(main())
