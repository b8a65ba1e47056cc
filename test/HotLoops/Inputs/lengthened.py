#!/usr/bin/env python3
"""A build folder whose `distaff compile` makes longer hot loops.

usage: lengthened.py DISTAFF FOLDER [--swap]

FOLDER/bin/distaff runs DISTAFF and changes what it wrote: before each matrix
instruction on AMD a move of its operand, after each barrier of PTX another one; with
--swap the second and the third word of A trade places in each MMA of PTX.
"""
import re
import stat
import subprocess
import sys
from pathlib import Path


def lengthened(text, swaps):
    if "mfma" in text:
        text = re.sub(r"(?m)^(\s+)(v_mfma\w+ [^,]+, v\[(\d+):)", r"\1v_mov_b32_e32 v\3, v\3\n\1\2", text)
        return re.sub(r"(?m)^(\s+)(v_mfma\w+ [^,]+, a\[(\d+):)", r"\1v_accvgpr_mov_b32 a\3, a\3\n\1\2", text)
    if swaps:
        return re.sub(r"(mma\.sync.*\n?[^{]*\{[^}]*\},[^{]*\{[^,]+, )([^,]+), ([^,]+)(, )", r"\1\3, \2\4", text)
    return re.sub(r"(?m)^(\s+bar(?:rier)?\.sync.*)$", r"\1\n\1", text)


def main():
    if Path(sys.argv[0]).name == "distaff":
        distaff, options = Path(__file__).with_name("options").read_text().splitlines()
        run = subprocess.run([distaff, *sys.argv[1:]])
        if {"ptx", "gcn"} & set(sys.argv) and run.returncode == 0:
            path = Path(sys.argv[sys.argv.index("-o") + 1])
            path.write_text(lengthened(path.read_text(), options == "--swap"))
        return run.returncode
    program = Path(sys.argv[2], "bin", "distaff")
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(Path(__file__).read_text())
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    program.with_name("options").write_text(f"{Path(sys.argv[1]).resolve()}\n{' '.join(sys.argv[3:]) or '-'}\n")
    return 0


sys.exit(main())
