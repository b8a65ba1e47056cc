#!/usr/bin/env python3
"""Installs the assembler and the disassembler that counts of SASS are made with.

usage: assembler.py DIR

ptxas and nvdisasm of one version, from the package index (52 MB), once: counts of
another version are others. Prints the folder of the programs, or, with exit status 1,
why there is none.
"""
import subprocess
import sys
from pathlib import Path

VERSION = "13.5.37"
PACKAGES = [f"nvidia-cuda-nvcc=={VERSION}", f"nvidia-cuda-nvdisasm=={VERSION}"]


def programs(directory):
    """The folder of ptxas and nvdisasm, or None where they are not installed in this version."""
    folder = Path(directory) / VERSION / "nvidia" / "cu13" / "bin"
    return folder if (folder / "ptxas").exists() and (folder / "nvdisasm").exists() else None


def pip(directory):
    """A command of this Python that installs packages; one of a virtual environment where it has none itself."""
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode == 0:
        return [sys.executable, "-m", "pip"]
    made = subprocess.run([sys.executable, "-m", "venv", directory / "pip"], capture_output=True, text=True)
    if made.returncode:
        raise OSError("this Python has no pip (Debian: python3-venv)")
    return [directory / "pip" / "bin" / "python", "-m", "pip"]


def install(directory):
    """(folder or None, reason): installs what is missing, waiting no longer than for one refused connection."""
    directory = Path(directory)
    if folder := programs(directory):
        return folder, ""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        run = subprocess.run([*pip(directory), "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--retries", "0", "--timeout", "15",
                              "--root-user-action=ignore", "--target", directory / VERSION, *PACKAGES], capture_output=True, text=True)
    except OSError as error:
        return None, str(error)
    reason = (run.stderr.strip().splitlines() or ["pip says nothing"])[-1]
    return programs(directory), reason


def main():
    folder, reason = install(sys.argv[1])
    print(folder or f"error: {' '.join(PACKAGES)} cannot be installed: {reason}")
    return folder is None


if __name__ == "__main__":
    sys.exit(main())
