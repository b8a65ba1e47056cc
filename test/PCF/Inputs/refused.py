"""Passes that specialize, on kernels that they refuse: the IR is as it was.

    python3 refused.py OUT_DIR [--distaff-opt PATH]
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "ForkServer"))
import fork_server

FOLDER = pathlib.Path(__file__).parents[1]
FLAGS = {"split-threadgroup": "--pcf-split-threadgroup", "skew-cluster": "--pcf-skew-cluster=cluster=pp.a",
         "skew-cluster-ahead": "--pcf-skew-cluster=cluster=pp.a", "peel": "--pcf-peel=front=3 back=2"}
parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--distaff-opt", default="distaff-opt")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)


def opt(*arguments):
    return fork_server.run([options.distaff_opt, "--allow-unregistered-dialect", *arguments])


def is_unchanged(name, number, text):
    """Whether the pass fails and the module is as it was."""
    path = options.out / f"{name}-{number}.mlir"
    path.write_text("".join(line for line in text.splitlines(keepends=True) if not line.lstrip().startswith("//")))
    before = opt(path)
    done = opt(path, FLAGS[name], "--mlir-print-ir-after-failure", "--mlir-print-ir-module-scope", "--mlir-disable-threading")
    dump = done.stderr[done.stderr.find("IR Dump After"):]
    lines = [[line for line in whole.splitlines() if line.strip()] for whole in (before.stdout, dump[dump.find("\n"):])]
    return before.returncode == 0 and done.returncode != 0 and lines[0] == lines[1]


def two_executors():
    """One that can be split, and one that cannot."""
    first = (FOLDER / "split-threadgroup.mlir").read_text()
    second = (FOLDER / "split-threadgroup-errors.mlir").read_text().split("// -----")[-1]
    for name in ("#sg", "#launch", "!T", "!TX", "!X", "!M"):
        second = re.sub(re.escape(name) + r"\b", name + "2", second)
    return first + second


def main():
    failures = 0
    for name in FLAGS:
        cases = (FOLDER / f"{name}-errors.mlir").read_text().split("// -----")
        for number, case in enumerate(cases):
            if not is_unchanged(name, number, case):
                failures += 1
                print("FAIL", name, re.search(r"@(\w+)\(", case).group(1))
        print(name, len(cases), "refused")
    if not is_unchanged("split-threadgroup", "two", two_executors()):
        failures += 1
        print("FAIL two executors")
    print(failures, "failures")
    sys.exit(failures > 0)


main()
