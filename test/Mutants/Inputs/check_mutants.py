"""Compares the mutants of a source with its comments.

usage: check_mutants.py TOOL SOURCE OUT_DIR [--run]

The comments below a function are its mutants in their order:

    // relation: a < b => a <= b; less 0 => less 1

What follows the semicolon is what the program prints, of lines that differ, when
it is built with all mutants planted and run with this one selected. Without
--run there is none. `main` only calls what is tested, and its mutants are left out. With none selected the planted
program prints what the source prints. A mutant that does not compile is found by
where the compiler's error is.
"""
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys

MUTANTS = pathlib.Path(__file__).resolve().parents[3] / "utils" / "mutants"
sys.path.insert(0, str(MUTANTS))
import planting

COMPILER = ["clang++-22", "-std=c++20", "-w"]
SECONDS = 5


def output_of(program, number=0):
    try:
        done = subprocess.run([program], capture_output=True, text=True, timeout=SECONDS, env={**os.environ, "DISTAFF_MUTANT": str(number)})
    except subprocess.TimeoutExpired:
        return ["hangs"]
    return done.stdout.splitlines() if done.returncode == 0 else ["crashes"]


def build(folder, mutants):
    """(programs as they are and planted, number -> error of those that do not compile)"""
    dropped = {}
    source = next(iter(mutants.values()))["file"]
    while True:
        left = {number: mutant for number, mutant in mutants.items() if number not in dropped}
        planted = planting.plant(left, folder, MUTANTS / "Switch.h")
        (folder / "planted").mkdir(exist_ok=True)
        (folder / "planted" / source).write_bytes(planted[source].text)
        done = subprocess.run([*COMPILER, "-fno-color-diagnostics", str(folder / "planted" / source), str(MUTANTS / "Switch.cpp"), "-o",
                               str(folder / "planted.out")], capture_output=True, text=True)
        if done.returncode == 0:
            break
        found = planting.culprits(done.stderr, planted, folder / "planted")
        assert found, done.stderr
        dropped.update(found)
    subprocess.run([*COMPILER, str(folder / source), "-o", str(folder / "original.out")], check=True)
    return dropped


def differences(before, after):
    if len(after) == 1 != len(before):
        return after[0]
    return ", ".join(f"{a} => {b}" for a, b in zip(before, after) if a != b)


def main():
    tool, source, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / source.name).write_bytes(source.read_bytes())
    entry = {"directory": str(folder), "command": " ".join([*COMPILER, "-c", source.name]), "file": source.name}
    (folder / "compile_commands.json").write_text(json.dumps([entry]))
    done = subprocess.run([tool, "-p", str(folder), "--root", str(folder), source.name], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    mutants = {i + 1: mutant for i, mutant in enumerate(json.loads(done.stdout)) if mutant["function"] != "main"}
    found = {number: f"// {m['operator']}: {' '.join(m['original'].split())} => {' '.join(m['replacement'].split())}".rstrip()
             for number, m in mutants.items()}
    if mutants and "--run" in sys.argv:
        dropped = build(folder, mutants)
        before = output_of(folder / "original.out")
        assert output_of(folder / "planted.out") == before, "with nothing selected the planted program is another one"
        for number in found:
            seen = "does not build" if number in dropped else differences(before, output_of(folder / "planted.out", number))
            found[number] += f"; {seen.strip() or 'nothing'}"
    expected = [line for line in source.read_text().splitlines() if re.match(r"// [a-z-]+: .*=>", line)]
    lines = list(difflib.unified_diff(expected, list(found.values()), "expected", "found", lineterm="", n=0))
    print("\n".join(lines))
    print(f"{len(found)} mutants, {'not ' if lines else ''}as expected")
    sys.exit(bool(lines))


main()
