#!/usr/bin/env python3
"""Runs kernels that other people's compilers made on the PTX machine and
compares what they compute with NumPy in float64.

usage: public_kernels.py [--build DIR] [--environment DIR] [--compilers NAME ...] [--only NAME ...]
                         [--schedule SEED ...] [--keep DIR] [--report FILE] [--allow-skip]

The compilers are installed from the package index into a virtual environment
(default: BUILD/third-party), once; none of them needs a GPU. Each kernel of
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

# What a compiler's kernels need of packages. Those with versions of all are
# installed without what they ask for themselves: PyTorch and what only a GPU has
# use for would be gigabytes.
WITH_DEPENDENCIES = ["triton", "iree"]
CUDA = [f"nvidia-{name}==13.5.37" for name in ("cuda-nvcc", "cuda-crt", "cuda-runtime", "nvvm")] + ["nvidia-cuda-cccl==13.3.5.0.6"]
BINDINGS = ["cuda-bindings==13.5.0", "cuda-pathfinder==1.9.1", "typing-extensions==4.16.0"]
COMPILERS = {
    "triton": ["triton==3.9.0"],
    "iree": ["iree-base-compiler==3.13.0"],
    "tinygrad": ["tinygrad==0.14.0"],
    "warp": ["warp-lang==1.19.0"],
    "pyptx": ["pyptx==0.1.1"],
    "halide": ["halide==21.0.0"],
    "numba": ["numba-cuda==0.30.4", "numba==0.68.1", "llvmlite==0.50.0", "cuda-core==1.2.2", "packaging==26.4", *CUDA, *BINDINGS],
    "cutlass": [*(f"nvidia-cutlass-dsl{part}==4.8.1" for part in ("", "-libs-base", "-libs-core", "-libs-cu13")), "protobuf==7.36.2", *BINDINGS],
    "tilelang": ["tilelang==0.1.15", "apache-tvm-ffi==0.1.12", "z3-solver==4.15.4.0", "cloudpickle==3.1.3", "psutil==7.2.2", "tqdm==4.70.1",
                 "ml-dtypes==0.6.0", *CUDA, *BINDINGS],
}
CASES = Path(__file__).resolve().parent / "Inputs" / "run_cases.py"


def install(environment, name, packages):
    """True when the environment has the packages; they are asked for only once."""
    marker = environment / f"{name}-{packages[0]}.installed"
    if marker.exists():
        return True
    alone = [] if name in WITH_DEPENDENCIES else ["--no-deps"]
    run = subprocess.run([environment / "bin" / "pip", "install", "--quiet", *alone, *packages], capture_output=True, text=True)
    if run.returncode:
        reason = (run.stderr.strip().splitlines() or ["pip failed"])[-1]
        print(f"SKIPPED: {name} cannot be installed: {reason}", flush=True)
        return False
    marker.touch()
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--environment", type=Path)
    parser.add_argument("--compilers", nargs="+", choices=list(COMPILERS), default=list(COMPILERS))
    parser.add_argument("--allow-skip", action="store_true")
    arguments, rest = parser.parse_known_args()
    environment = (arguments.environment or arguments.build / "third-party").resolve()
    if not (environment / "bin" / "pip").exists():
        try:
            venv.create(environment, with_pip=True)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"SKIPPED: no virtual environment (Debian: python3-venv): {error}")
            return 0 if arguments.allow_skip else 1
    if not install(environment, "numpy", ["numpy==2.4.6"]):
        return 0 if arguments.allow_skip else 1
    wanted = {name: COMPILERS[name] for name in arguments.compilers}
    installed = [name for name, packages in wanted.items() if install(environment, name, packages)]
    distaff = (arguments.build / "bin" / "distaff").resolve()
    run = subprocess.run([environment / "bin" / "python", CASES, "--distaff", distaff, "--compilers", *installed, *rest])
    skipped = len(installed) < len(wanted) and not arguments.allow_skip
    return run.returncode or int(skipped)


if __name__ == "__main__":
    sys.exit(main())
