#!/usr/bin/env python3
"""Counts the hot loop of one file of assembled code.

usage: count.py FILE --language sass|gcn|ptx [--function NAME] [--roles N,N] [--whole]

FILE is what nvdisasm prints, GCN or PTX. Prints per function, or of the named one,
what the table shows of it; --roles says how many subgroups the first and the second role have, and --whole
counts all of the function, whatever loops it has.
"""
import argparse
from pathlib import Path

import counts
from instructions import functions


def number(value):
    return f"{value:.3f}".rstrip("0").rstrip(".")


def shown(figures):
    """Lines about a hot loop."""
    unit = figures.multiply_adds / 1024
    scale = f"per 1024 multiply-adds, {number(figures.multiply_adds)} per trip" if unit else "in all"
    yield f"{'whole kernel' if figures.whole else 'hot loop'}: {number(figures.instructions / (unit or 1))} instructions {scale}"
    yield "  " + ", ".join(f"{number(count / (unit or 1))} {name}" for name, count in figures.by_class.items())
    if figures.consumers != figures.instructions:
        yield f"  consumers alone: {number(figures.consumers / (unit or 1))}"
    yield f"  {figures.versions} version(s), {figures.unknown_trips} nested loop(s) of unknown trips"
    yield f"  {figures.moves} moves to MMA, {figures.exposed} exposed trips, {number(figures.barriers)} barriers"
    yield "  loads: " + (", ".join(f"{number(count)} x {width} B" for width, count in sorted(figures.loads.items(), reverse=True)) or "none")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--language", choices=("sass", "gcn", "ptx"), required=True)
    parser.add_argument("--function")
    parser.add_argument("--roles", type=lambda text: tuple(map(int, text.split(","))))
    parser.add_argument("--whole", action="store_true")
    arguments = parser.parse_args()
    for function in functions(arguments.file.read_text(), arguments.language):
        if arguments.function not in (None, function.name):
            continue
        print(f"{function.name}:")
        counted = counts.whole(function, arguments.language) if arguments.whole else counts.figures(function, arguments.language, arguments.roles)
        print("\n".join(shown(counted)))


main()
