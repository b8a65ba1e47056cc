"""The part of public_kernels.py that runs inside the virtual environment."""
import argparse
import importlib
import importlib.metadata
import os
import re
import subprocess
import sys
import tempfile
import time
import warnings
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
from third_party_case import Argument, Struct

PACKAGES = {"triton": "triton", "iree": "iree-base-compiler", "tinygrad": "tinygrad", "warp": "warp-lang", "tilelang": "tilelang",
            "cutlass": "nvidia-cutlass-dsl", "numba": "numba-cuda", "halide": "halide", "pyptx": "pyptx"}


def slots(case):
    """Every array and number with the name that `distaff run` has for it."""
    for number, parameter in enumerate(case.arguments):
        if not isinstance(parameter, Struct):
            yield f"arg{number}", parameter
            continue
        yield f"arg{number}", Argument(np.frombuffer(parameter.bytes, np.uint8))
        for offset, argument in parameter.pointers.items():
            yield f"arg{number}@{offset}", argument


def run(distaff, case, folder, schedule):
    """Runs a case; returns the outputs, or what the tool said."""
    flags = ["--target", "sm_80", "--entry", case.entry, "--grid", ",".join(map(str, case.grid)),
             "--block", ",".join(map(str, case.block)), "--schedule", schedule]
    if case.shared:
        flags += ["--shared", case.shared]
    outputs = {}
    for name, argument in slots(case):
        value = "null" if argument.value is None else repr(argument.value)
        if isinstance(argument.value, np.ndarray):
            value = folder / f"{name}.npy"
            np.save(value, np.ascontiguousarray(np.asarray(argument.value)))
        flags += ["--input", f"{name}={value}"]
        if argument.expected is not None:
            outputs[name] = folder / f"out-{name}.npy"
            flags += ["--output", f"{name}={outputs[name]}"]
    kernel = folder / "kernel.ptx"
    kernel.write_bytes(case.ptx.encode() if isinstance(case.ptx, str) else case.ptx)
    done = subprocess.run([distaff, "run", kernel, *map(str, flags)], capture_output=True, text=True)
    if done.returncode:
        return None, f"exit {done.returncode}: " + "; ".join(done.stderr.strip().splitlines()[:2])
    return {name: np.load(path) for name, path in outputs.items()}, ""


def numbers(array, like):
    """Values in float64; bf16 arrays are their bit patterns."""
    if type(like).__name__ == "Bits":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return array.astype(np.float64)


def compare(case, outputs):
    """The largest error as a part of its bound, and what is wrong, if anything."""
    worst, detail, given = 0.0, "", dict(slots(case))
    for name, output in outputs.items():
        argument = given[name]
        found, expected = numbers(output, argument.value), np.asarray(argument.expected, np.float64)
        bound = np.broadcast_to(np.asarray(argument.bound, np.float64), expected.shape)
        error = np.abs(found - expected)
        error[np.isnan(error)] = np.inf
        parts = np.where(error == 0, 0.0, error / np.maximum(bound, np.finfo(np.float64).tiny))
        place = np.unravel_index(np.argmax(parts), parts.shape)
        if parts[place] > 1 and parts[place] >= worst:
            where = ", ".join(map(str, place))
            detail = (f"{name}[{where}] is {found[place]:.9g}, expected {expected[place]:.9g} within {bound[place]:.2e}; "
                      f"{int((parts > 1).sum())} of {parts.size} elements are wrong")
        worst = max(worst, float(parts[place]))
    return worst, detail


def instructions(ptx):
    """Opcodes with their modifiers, as often as they are written."""
    text = re.sub(r"//.*", "", ptx if isinstance(ptx, str) else ptx.decode())
    return Counter(re.findall(r"^\s*(?:@!?%\w+\s+)?([a-z][a-z0-9]*(?:\.[\w:]+)*)(?=[\s;])", text, re.MULTILINE))


def judge(distaff, case, schedules, keep):
    """One case under each schedule: (right, seconds, part of the bound, text)."""
    start, worst = time.monotonic(), 0.0
    for schedule in schedules:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(keep, f"{case.compiler}-{case.name}") if keep else Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            outputs, text = run(distaff, case, folder, schedule)
        if not text:
            part, text = compare(case, outputs)
            worst = max(worst, part)
        if text:
            return False, time.monotonic() - start, worst, text + (f" (schedule {schedule})" if schedule else "")
    return True, time.monotonic() - start, worst, ""


def report(path, rows, families):
    """The tables of benchmark/results/third-party-ptx.md."""
    lines = ["| compiler | kernel | instructions | seconds | largest error / bound | verdict |", "| --- | --- | --- | --- | --- | --- |"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    lines += ["", "| instructions | written | kernels |", "| --- | --- | --- |"]
    lines += [f"| {name} | {total} | {kernels} |" for name, (total, kernels) in sorted(families.items())]
    Path(path).write_text("\n".join(lines) + "\n")


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--distaff", required=True)
    parser.add_argument("--compilers", nargs="*", default=[])
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--schedule", nargs="+", type=int, default=[0])
    parser.add_argument("--keep")
    parser.add_argument("--report")
    return parser.parse_args()


def cases(compilers, only):
    for compiler in compilers:
        module = importlib.import_module(f"{compiler}_cases")
        for name, make in module.CASES.items():
            if not only or name in only:
                yield compiler, name, make


def main():
    arguments = parse()
    warnings.simplefilter("ignore")  # of the compilers, about their next versions
    for compiler in arguments.compilers:
        print(f"{compiler} {importlib.metadata.version(PACKAGES[compiler])}")
    rows, families, right, wrong = [], {}, 0, 0
    for compiler, name, make in cases(arguments.compilers, arguments.only):
        # One seed per case, which does not depend on the cases around it.
        case = make(np.random.default_rng(zlib.crc32(name.encode())))
        is_right, seconds, part, text = judge(arguments.distaff, case, arguments.schedule, arguments.keep)
        right, wrong = right + is_right, wrong + (not is_right)
        found = instructions(case.ptx)
        for opcode, count in found.items():
            total, kernels = families.get(opcode, (0, 0))
            families[opcode] = (total + count, kernels + 1)
        verdict = "right" if is_right else "wrong"
        rows.append((compiler, case.name, str(found.total()), f"{seconds:.2f}", f"{part:.2g}", verdict))
        print(f"{verdict}  {compiler:8} {case.name:36} {seconds:6.2f} s  error / bound {part:.2g}" + (f"  {text}" if text else ""), flush=True)
    if arguments.report:
        report(arguments.report, rows, families)
    print(f"{right} right, {wrong} wrong")
    return int(wrong > 0 or right == 0)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache  # nothing of an earlier run
        sys.exit(main())
