"""IR is valid after every single rule (VX-66): random programs of every op, and the
cluster of one lane (W9), of which distribution is told to verify the function each
time.

    python3 verified_rules.py OUT_DIR [--seeds A:B]
"""
import sys

from kernels import suite
from must_be_right import w9
from printed_kernels import BOTH, SUBGROUP, laid_out
from random_kernels import Generator


def programs(seeds):
    """(name, text, target) of each."""
    for case in w9():
        for target in BOTH:
            yield f"{case.name}_{target}", laid_out(case.text, case.subgroups, case.layouts, SUBGROUP[target]), target
    for kernel in (Generator(seed).generate() for seed in seeds):
        yield kernel.name, kernel.text(), {32: "sm_80", 64: "gfx942"}[kernel.subgroup]


def main():
    seeds = suite.taken("--seeds") or range(500, 560)
    chosen = suite.options()
    count = failed = 0
    for name, text, target in suite.depth.some(programs(seeds), 4):
        count += 1
        path, assigned = chosen.out / f"{name}.mlir", chosen.out / f"{name}_assigned.mlir"
        path.write_text(text)
        steps = [[chosen.distaff, "compile", path, "--target", target, "--stop-after=assign-layouts", "-o", assigned],
                 ["distaff-opt", assigned, f"--distaff-distribute=target={target} verify-rules=true", "-o", "/dev/null"]]
        for step in steps:
            done = suite.execute(step)
            if done.returncode:
                failed += 1
                print(f"FAIL {name}: {done.stderr[:600]}")
                break
    print(f"{count - failed} of {count} programs are valid after every rule")
    sys.exit(failed > 0)


main()
