"""IR is valid after every single rule (VX-66): random programs of every op, of which
distribution is told to verify the function each time.

    python3 verified_rules.py OUT_DIR [--seeds A:B]
"""
import sys

from kernels import suite
from random_kernels import Generator


def main():
    seeds = suite.taken("--seeds") or range(500, 560)
    chosen = suite.options()
    failed = 0
    for seed in seeds:
        kernel = Generator(seed).generate()
        path, assigned = chosen.out / f"{kernel.name}.mlir", chosen.out / f"{kernel.name}_assigned.mlir"
        path.write_text(kernel.text())
        target = {32: "sm_80", 64: "gfx942"}[kernel.subgroup]
        steps = [[chosen.distaff, "compile", path, "--target", target, "--stop-after=assign-layouts", "-o", assigned],
                 ["distaff-opt", assigned, f"--distaff-distribute=target={target} verify-rules=true", "-o", "/dev/null"]]
        for step in steps:
            done = suite.execute(step)
            if done.returncode:
                failed += 1
                print(f"FAIL {kernel.name}: {done.stderr[:600]}")
                break
    print(f"{len(seeds) - failed} of {len(seeds)} programs are valid after every rule")
    sys.exit(failed > 0)


main()
