#!/usr/bin/env python3
"""Runs dispatches as IREE dumps them, and compares what they compute with NumPy.

usage: dispatches.py [--build DIR] [--environment DIR] [--only NAME ...] [--dumps STAGE ...] [--backends NAME ...]
                     [--keep DIR] [--allow-skip]

Kernels of the linalg table (test/Execution/Linalg/Inputs/linalg_kernels.py) are compiled
by IREE's own compiler, which is installed from the package index into a virtual
environment (default: BUILD/third-party), for llvm-cpu, cuda and rocm, up to its
executables' sources and configurations. Each dump is run by `distaff run` as it is, on
this CPU, sm_80 and gfx942. One line per run that is not right; the last line is
`N right, M wrong`. Exit status 1 when one is wrong, and when IREE could not be installed,
unless --allow-skip is given.
"""
import argparse
import subprocess
import sys
import venv
from pathlib import Path

import public_kernels

CASES = Path(__file__).resolve().parent / "Inputs" / "run_dispatches.py"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--environment", type=Path)
    parser.add_argument("--allow-skip", action="store_true")
    arguments, rest = parser.parse_known_args()
    environment = (arguments.environment or arguments.build / "third-party").resolve()
    if not (environment / "bin" / "pip").exists():
        venv.create(environment, with_pip=True)
    for name, packages in (("numpy", ["numpy==2.4.6"]), ("iree", public_kernels.COMPILERS["iree"])):
        if not public_kernels.install(environment, name, packages):
            return 0 if arguments.allow_skip else 1
    distaff = (arguments.build / "bin" / "distaff").resolve()
    return subprocess.run([environment / "bin" / "python", CASES, "--distaff", distaff, *rest]).returncode


if __name__ == "__main__":
    sys.exit(main())
