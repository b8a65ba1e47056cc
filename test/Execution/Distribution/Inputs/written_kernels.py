"""What other tests look at as text, run for its values: every kernel of the files
given, from its source through every stage, on the target of the file's first run
line. Why some cannot be run, or judged, is in NOT_RUN.

    python3 written_kernels.py OUT_DIR [--only NAME] --files A.mlir B.mlir ...
"""
import pathlib
import re
import sys

from kernels import suite

NOT_RUN = {
    "conversions.selects_in_a_branch_of_some": ("refused", "is run by one lane, and a func.func is the program of one workgroup"),
    "shuffles.sum_of_bf16": ("undecided", "the bound of a sum of bf16 decides nothing"),
}
TOO_LARGE = {"assign-layouts-memory.elementwise"}  # for the machine


def kernels_in(path):
    """(name, text of its part of the file) of each function with a body."""
    for part in path.read_text().split("// -----"):
        for name in re.findall(r"func\.func (?:public )?@(\w+)\(", part):
            yield name, part


def runs(path, chosen):
    named = re.search(r"target[= ](\w+)", path.read_text())
    lanes = re.search(r"subgroup_size = (\d+)", path.read_text())
    target = named[1] if named else {"64": "gfx942"}.get(lanes and lanes[1], "sm_80")
    for number, (name, part) in enumerate(kernels_in(path)):
        known = f"{path.stem}.{name}"
        file = chosen.out / f"{known}_{number}.mlir"
        file.write_text(part)
        command = [chosen.distaff, "run", str(file), "--func", name, "--target", target, "--check", "--every-stage"]
        if known not in TOO_LARGE:
            yield suite.Run(f"{known}_{number}", command, NOT_RUN.get(known))


if __name__ == "__main__":
    at = sys.argv.index("--files")
    files = [pathlib.Path(name) for name in sys.argv[at + 1:]]
    del sys.argv[at:]
    chosen = suite.options()
    suite.main([run for path in files for run in runs(path, chosen)], chosen)
