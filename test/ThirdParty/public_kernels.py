#!/usr/bin/env python3
"""Runs kernels that other people's compilers made on the PTX machine and
compares what they compute with NumPy in float64.

usage: public_kernels.py [--build DIR] [--environment DIR] [--only NAME ...] [--schedule SEED ...]
                         [--keep DIR] [--report FILE] [--allow-skip]

Triton and IREE are installed from the package index into a virtual environment
(default: BUILD/third-party), once; neither needs a GPU. Each kernel of
Inputs/*_cases.py is compiled for sm_80, run by `distaff run k.ptx` and compared
within a bound that is derived from its types and operations. One line per case;
the last line is `N right, M wrong`. Exit status 1 when a case is wrong, and when
a compiler could not be installed, unless --allow-skip is given.
"""
import argparse
import subprocess
import sys
import venv
from pathlib import Path

COMPILERS = {"triton": "triton==3.9.0", "iree": "iree-base-compiler==3.13.0"}
CASES = Path(__file__).resolve().parent / "Inputs" / "run_cases.py"


def install(environment, package):
    """True when the environment has the package; it is asked for only once."""
    marker = environment / f"{package}.installed"
    if marker.exists():
        return True
    run = subprocess.run([environment / "bin" / "pip", "install", "--quiet", package], capture_output=True, text=True)
    if run.returncode:
        reason = (run.stderr.strip().splitlines() or ["pip failed"])[-1]
        print(f"SKIPPED: {package} cannot be installed: {reason}", flush=True)
        return False
    marker.touch()
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--environment", type=Path)
    parser.add_argument("--allow-skip", action="store_true")
    arguments, rest = parser.parse_known_args()
    environment = (arguments.environment or arguments.build / "third-party").resolve()
    if not (environment / "bin" / "pip").exists():
        try:
            venv.create(environment, with_pip=True)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"SKIPPED: no virtual environment (Debian: python3-venv): {error}")
            return 0 if arguments.allow_skip else 1
    if not install(environment, "numpy"):
        return 0 if arguments.allow_skip else 1
    installed = [name for name, package in COMPILERS.items() if install(environment, package)]
    distaff = (arguments.build / "bin" / "distaff").resolve()
    run = subprocess.run([environment / "bin" / "python", CASES, "--distaff", distaff, "--compilers", *installed, *rest])
    skipped = len(installed) < len(COMPILERS) and not arguments.allow_skip
    return run.returncode or int(skipped)


if __name__ == "__main__":
    sys.exit(main())
