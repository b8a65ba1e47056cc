"""Kernels of vectors on GPUs computed by native vectors that a user gives, and of vectors that
are more than lanes hold, at every stage, compared with the reference (VX-127 .. VX-129).

    python3 vector_tiles.py OUT_DIR [--only NAME] [--distaff PATH]
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Host" / "Inputs"))
import vector_tiles
import vectors
from vectors import suite

TARGETS = {"sm_80": 32, "gfx942": 64, "gfx1100": 32}
FAMILIES = (vectors.elementwise, vectors.moves, vectors.borders, vectors.reductions, vectors.contractions, vectors.positions, vectors.others)
# More than a subgroup's registers hold, and lengths that few numbers divide.
LARGE = ((64, 64), (16, 32, 64), (5, 40, 24), (2000,), (8191,), (128, 300))


def main():
    chosen = suite.options()
    rng = random.Random(5)
    runs = []

    def add(label, kernel, *more):
        target = list(TARGETS)[len(runs) % len(TARGETS)]
        path = chosen.out / f"{label}.mlir"
        path.write_text(kernel.text())
        arrays = [i for i, argument in enumerate(kernel.arguments) if "index" not in argument]
        flags = [f"--input=arg{i}={kernel.numbers.format(i)}" for i in arrays]
        more = [flag.format(lanes=TARGETS[target]) for flag in more]
        command = [chosen.distaff, "run", str(path), "--target", target, "--check", "--every-stage", *more, *kernel.flags, *flags]
        runs.append(suite.Run(f"{label}_{target}", command, compares=False))

    for family in FAMILIES:
        for name, kernel in family(rng):
            native = rng.choice(vector_tiles.NATIVE)
            add(f"{name}_by_{native}", kernel, "--config", f"native_vector={native}")
    vectors.SHAPES = LARGE
    for name, kernel in vectors.elementwise(rng):
        add(f"large_{name}", kernel, "--config", "workgroup_size={lanes}")
    suite.main(runs, chosen, one_in=71)


if __name__ == "__main__":
    main()
