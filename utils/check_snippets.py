#!/usr/bin/env python3
"""Runs the commands of a page and holds their output against what it shows.

usage: check_snippets.py [--build DIR] [--having TEXT] PAGE.md ...

A fenced block whose first line begins with `$ ` is a command and what it prints:

    ```
    $ distaff compile examples/reduce_8x64.mlir --target gfx942 --stop-after=distribute
    ...
    %0 = gpu.thread_id  x
    ```

Every line after the command occurs in its output, in this order, compared
without leading and trailing blanks; `...` stands for any lines. Commands run in
the root of the repository with build/bin on the path. A block that names a file
behind its language shows a part of it, compared in the same way:

    ```mlir examples/reduce_8x64.mlir
    %1 = iree_vector_ext.to_layout %0 to layout(#row) : vector<64xf32>
    ```

With --having only blocks with that text are compared. Exit status 1 when a line is
not found, a command fails, or a page has no such block.
"""
import argparse
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def snippets(page):
    """(line, file or None, lines) of every block that is compared."""
    block = None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.strip().startswith("```"):
            if block and (block[1] or (block[2] and block[2][0].startswith("$ "))):
                yield block
            words = line.strip("` ").split()
            block = None if block else (number, words[1] if len(words) > 1 else None, [])
        elif block:
            block[2].append(line.strip())


def difference(expected, output):
    """The first line of `expected` that `output` does not have where it is to be, and what is there; None if all are."""
    position, gap = 0, False
    for line in filter(None, expected):
        if line == "...":
            gap = True
            continue
        found = next((i for i in range(position, len(output)) if output[i] == line), None)
        if found is None:
            return f"does not print, from its line {position + 1} on:\n  {line}"
        between = [text for text in output[position:found] if text]
        if between and not gap:
            return f"prints, before `{line}`:\n  {between[0]}"
        position, gap = found + 1, False
    return None


def check(page, number, file, lines, environment):
    if file:
        output = [line.strip() for line in (ROOT / file).read_text().splitlines()]
        # A part of a file begins anywhere.
        wrong = difference(["...", *lines], output)
        return wrong and f"{page}:{number}: {file} {wrong}"
    command = lines[0][2:]
    run = subprocess.run(command, shell=True, cwd=ROOT, env=environment, capture_output=True, text=True)
    if run.returncode:
        return f"{page}:{number}: `{command}` ended with {run.returncode}: {run.stderr.strip()[:400]}"
    wrong = difference(lines[1:], [line.strip() for line in run.stdout.splitlines()])
    return wrong and f"{page}:{number}: `{command}` {wrong}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--having", default="", metavar="TEXT", help="compare only blocks with that text")
    parser.add_argument("pages", type=Path, nargs="+")
    arguments = parser.parse_args()
    path = os.pathsep.join([str(arguments.build.resolve() / "bin"), os.environ["PATH"]])
    failed = 0
    for page in arguments.pages:
        found = [block for block in snippets(page) if arguments.having in "\n".join(block[2])]
        errors = [check(page, *block, {**os.environ, "PATH": path}) for block in found]
        if not found:
            errors = [f"{page} has no block to compare"]
        for error in filter(None, errors):
            failed += 1
            print(error)
        print(f"{page}: {len(found)} blocks")
    return failed > 0


sys.exit(main())
