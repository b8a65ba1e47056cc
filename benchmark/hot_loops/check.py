#!/usr/bin/env python3
"""Compares what Distaff's hot loops count with the figures that a file holds.

usage: check.py [--build DIR] [--code text|sass] [--only REGEX] [--quick] [--figures FILE] [--write]

`text` counts PTX and GCN as the compiler writes them; `sass` counts what ptxas makes
of the PTX, with the assembler that utils/assembler.py installs in BUILD/assembler.
Figures are compared exactly, so that a shorter loop is written down as well: --write
does that. Exit status 1 when a figure differs.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import systems
from counts import Figures
from instructions import functions
from kernels import ROOT, ROWS, TARGETS

sys.path.append(str(ROOT / "utils"))
import assembler  # noqa: E402

# Rows whose code is that of another row but for types, extents or a mask.
LEFT_OUT_QUICKLY = re.compile("matmul_bf16|matmul_i8_kmajor|attention_128|attention_causal|matmul_f16_512|ping_pong")


def workgroups_of(distaff, row, target, source):
    """How many run each kernel, as the lane's code declares it."""
    shown = subprocess.run([distaff, "compile", source, "--target", target, *row.flags, "--stop-after", "convert"], capture_output=True, text=True).stdout
    sizes = [list(map(int, found.split(","))) for found in re.findall(r"grid_size = array<i32: ([\d, ]+)>", shown)]
    return [x * y * z for x, y, z in sizes]


def phrases(row, code, figures: Figures, unit):
    """What is held of one row: (number, what it is)."""
    scale = "1024 multiply-adds" if row.unit == "kmac" else "element"
    yield f"{figures.instructions / unit:.3f}", f"instructions per {scale}"
    if row.has_roles:
        yield f"{figures.consumers / unit:.3f}", "of the consumers"
    if code.language != "ptx":
        if row.unit == "kmac":
            yield str(figures.moves), "moves to MMA"
            yield str(figures.exposed), "exposed trips"
        yield str(code.registers), "registers"
        yield str(code.spills), "spills"
    if row.unit == "kmac":
        yield f"{figures.barriers:g}", "barriers"


def measure(distaff, row, target, tools, folder):
    """(name of the code, its phrases) of a row, or (None, message)."""
    source, output = folder / f"{row.name}.mlir", folder / f"{row.name}.{TARGETS[target]}"
    source.write_text(row.text())
    done = subprocess.run(systems.distaff_command(distaff, row, target, source, output), capture_output=True, text=True)
    if done.returncode:
        return None, systems.first_error(done.stderr)
    if tools or target.startswith("gfx"):
        code = systems.assembled(output, target, tools)
    else:
        text = output.read_text()
        code = systems.Code(functions=functions(text, "ptx"), language="ptx", workgroup_sizes=systems.workgroup_sizes(text, "ptx"))
    workgroups = workgroups_of(distaff, row, target, source) if row.unit == "element" else []
    figures, unit = systems.kernel_figures(row, code, workgroups, systems.shares_of_roles(distaff, row, target, source))
    return code.language, list(phrases(row, code, figures, unit))


def read(path):
    """name -> phrases."""
    lines = path.read_text().splitlines() if path.exists() else []
    held = {}
    for line in lines:
        name, _, rest = line.partition(": ")
        if rest and not line.startswith("#"):
            held[name] = [tuple(phrase.split(" ", 1)) for phrase in rest.split(", ")]
    return held


HEAD = """# What Distaff's hot loops count, by kernel, target and code; `python3 benchmark/hot_loops/check.py --write` writes it.
"""


def write(path, held):
    lines = [f"{name}: {', '.join(' '.join(phrase) for phrase in held[name])}" for name in sorted(held)]
    path.write_text(HEAD + "\n".join(lines) + "\n")


def differences(name, held, found):
    """A line per figure that changed."""
    before = {what: value for value, what in held}
    for value, what in found:
        if what not in before:
            yield f"{name}: {value} {what}, which the file does not hold"
        elif before[what] != value:
            old, new = float(before[what]), float(value)
            part = (new - old) / old if old else 0
            share = f" ({part:{'+.0%' if abs(part) >= 0.01 else '+.1%'}})" if old else ""
            yield f"{name}: {before[what]} -> {value} {what}{share}"


def compare(arguments, tools):
    """(figures found, lines about what differs)."""
    held, found, lines = read(arguments.figures), {}, []
    distaff = arguments.build / "bin" / "distaff"
    for target in ["sm_80"] if tools else TARGETS:
        for row in ROWS:
            if not re.search(arguments.only, row.name) or arguments.quick and LEFT_OUT_QUICKLY.match(row.name):
                continue
            with tempfile.TemporaryDirectory() as folder:
                code, phrases_found = measure(distaff, row, target, tools, Path(folder))
            if code is None:
                lines.append(f"{row.name} {target}: does not compile: {phrases_found}")
                continue
            name = f"{row.name} {target} {code}"
            found[name] = phrases_found
            lines += differences(name, held.get(name, []), phrases_found)
    return found, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--code", choices=("text", "sass"), nargs="+", default=["text", "sass"])
    parser.add_argument("--only", default="")
    parser.add_argument("--quick", action="store_true", help="leave out rows that are like another one but for types, extents or a mask")
    parser.add_argument("--figures", type=Path, default=ROOT / "test" / "HotLoops" / "Inputs" / "figures.txt")
    parser.add_argument("--assembler", type=Path)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    found, lines = {}, []
    for code in arguments.code:
        tools = None
        if code == "sass":
            tools, reason = assembler.install(arguments.assembler or arguments.build / "assembler")
            if not tools:
                sys.exit(f"error: no assembler: {reason}")
        part, differing = compare(arguments, tools)
        found.update(part)
        lines += differing
    if arguments.write:
        write(arguments.figures, {**read(arguments.figures), **found})
        return 0
    print("\n".join([*lines, f"{len(found)} rows, {len(lines)} figures differ"]))
    if lines:
        print("Where that is meant: python3 benchmark/hot_loops/check.py --write")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
