#!/usr/bin/env python3
"""Runs the commands of a page and holds their output against what it shows.

usage: check_snippets.py [--build DIR] [--having TEXT] [--commands] PAGE.md ...

A fenced block whose first line begins with `$ ` is a command and what it prints:

    ```
    $ distaff compile examples/reduce_8x64.mlir --target gfx942 --stop-after=distribute
    ...
    %0 = gpu.thread_id  x
    ```

Every line after the command occurs in its output, in this order, compared
without leading and trailing blanks; `...` stands for any lines, ` ...` at the end of
a line for the rest of it. A second line that begins with `$ ` is a second command. With `exit=N` behind the language of the block
the last command ends with status N, and its messages on stderr are compared too:

    ```console exit=1
    $ distaff compile test/Docs/Inputs/two-loops.mlir --target sm_80
    ...
    ```

A block that names a file behind its language shows a part of it, compared in the
same way:

    ```mlir examples/reduce_8x64.mlir
    %1 = iree_vector_ext.to_layout %0 to layout(#row) : vector<64xf32>
    ```

With --commands a block of the language `sh` is a script: all its lines end with
status 0. `make TARGET` is run as `make --dry-run TARGET`, because a test is a part of what
make would build.

Commands run in a folder that has the entries of the repository's root, and the build
as `build`. Each page has a folder of its own, so what one command writes the next one
reads. build/bin is on the path. With --having only blocks with that text are
compared. Exit status 1 when a line is not found, a command fails, or a page has no
such block.
"""
import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DRY_MAKE = 'set -e\nmake() { command make --no-print-directory --dry-run "$@" > /dev/null; }\n'


class Block:
    """A fenced block: where it begins, what stands behind its fence, its lines."""

    def __init__(self, number, fence):
        self.number, self.lines = number, []
        words = fence.strip("` ").split()
        self.language = words[0] if words else ""
        told = words[1] if len(words) > 1 else ""
        self.status = int(told[5:]) if told.startswith("exit=") else 0
        self.file = told if told and not told.startswith("exit=") else None

    @property
    def is_compared(self):
        return bool(self.file or (self.lines and self.lines[0].startswith("$ ")))

    def commands(self):
        """(command, lines that it shows) of each."""
        starts = [i for i, line in enumerate(self.lines) if line.startswith("$ ")]
        for begin, end in zip(starts, [*starts[1:], len(self.lines)]):
            yield self.lines[begin][2:], self.lines[begin + 1:end]


def blocks(page):
    block = None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.strip().startswith("```"):
            if block:
                yield block
            block = None if block else Block(number, line)
        elif block:
            block.lines.append(line.strip())


def is_alike(expected, line):
    return line == expected or (expected.endswith(" ...") and line.startswith(expected[:-3]))


def difference(expected, output):
    """The first line of `expected` that `output` does not have where it is to be, and what is there; None if all are."""
    position, gap = 0, False
    for line in filter(None, expected):
        if line == "...":
            gap = True
            continue
        found = next((i for i in range(position, len(output)) if is_alike(line, output[i])), None)
        if found is None:
            return f"does not print, from its line {position + 1} on:\n  {line}"
        between = [text for text in output[position:found] if text]
        if between and not gap:
            return f"prints, before `{line}`:\n  {between[0]}"
        position, gap = found + 1, False
    return None


def run(command, folder, environment, status=0):
    """What the command prints, with its messages where it fails as it shall, and what is wrong with its status."""
    ran = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
    wrong = None
    if ran.returncode != status:
        wrong = f"ended with {ran.returncode}: {ran.stderr.strip()[:400]}"
    return ran.stdout + (ran.stderr if status else ""), wrong


def check(block, folder, environment):
    """What is wrong with a block, in words."""
    if block.file:
        output = [line.strip() for line in (ROOT / block.file).read_text().splitlines()]
        # A part of a file begins anywhere.
        wrong = difference(["...", *block.lines], output)
        return wrong and f"{block.file} {wrong}"
    if not block.is_compared:
        _, wrong = run(DRY_MAKE + "\n".join(block.lines), folder, environment)
        return wrong and f"the script {wrong}"
    parts = list(block.commands())
    for number, (command, shown) in enumerate(parts, 1):
        printed, wrong = run(command, folder, environment, block.status if number == len(parts) else 0)
        wrong = wrong or difference(shown, [line.strip() for line in printed.splitlines()])
        if wrong:
            return f"`{command}` {wrong}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--having", default="", metavar="TEXT", help="compare only blocks with that text")
    parser.add_argument("--commands", action="store_true", help="run blocks of sh too")
    parser.add_argument("pages", type=Path, nargs="+")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    environment = {**os.environ, "PATH": os.pathsep.join([str(build / "bin"), os.environ["PATH"]])}
    failed = 0
    for page in arguments.pages:
        found = [block for block in blocks(page) if block.is_compared or (arguments.commands and block.language == "sh")]
        found = [block for block in found if arguments.having in "\n".join(block.lines)]
        errors = [] if found else [f"{page} has no block to compare"]
        with tempfile.TemporaryDirectory() as folder:
            for entry in ROOT.iterdir():
                if entry.name != "build":
                    (Path(folder) / entry.name).symlink_to(entry)
            (Path(folder) / "build").symlink_to(build)
            for block in found:
                if wrong := check(block, folder, environment):
                    errors.append(f"{page}:{block.number}: {wrong}")
        failed += len(errors)
        for error in errors:
            print(error)
        print(f"{page}: {len(found)} blocks")
    return failed > 0


sys.exit(main())
