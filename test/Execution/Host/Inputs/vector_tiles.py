"""Kernels of vectors.py computed tile by tile: of small shapes by native vectors that divide
them and do not (VX-119), and of shapes that are too much straight code, as they are.

    python3 vector_tiles.py OUT_DIR [--only NAME] [--distaff PATH]
"""
import random
import sys

import vectors
from vectors import suite

# Too large for straight code, with rows that registers divide and do not.
LARGE = ((64, 64), (70, 33), (129, 1), (2000,), (5, 40, 24), (3, 100, 7), (1, 64, 48))
NATIVE = ("4", "8", "1x4", "2x4", "2x8", "3x5", "4x16", "1x1x4", "2x2x2", "1")
FAMILIES = (vectors.elementwise, vectors.moves, vectors.borders, vectors.reductions, vectors.contractions, vectors.semirings, vectors.positions, vectors.others,
            vectors.compressions, vectors.runs_of_rows)
OF_SHAPES = (vectors.elementwise, vectors.moves, vectors.reductions, vectors.positions, vectors.others)


def runs(chosen):
    def run(label, kernel, *more):
        path = chosen.out / f"{label}.mlir"
        path.write_text(kernel.text())
        arrays = [i for i, argument in enumerate(kernel.arguments) if "index" not in argument]
        flags = [f"--input=arg{i}={kernel.numbers.format(i)}" for i in arrays]
        command = [chosen.distaff, "run", str(path), "--target", "host", "--device", "host", "--check", "--every-stage", *more, *kernel.flags, *flags]
        wide = ("undecided", "sums of 2000 halves have a wide bound") if "reduce_2000_0_add_bf16" in label else None
        return suite.Run(label, command, wide, compares=False)

    rng = random.Random(41)
    for family in FAMILIES:
        for name, kernel in family(rng):
            native = rng.choice(NATIVE)
            yield run(f"{name}_by_{native}", kernel, "--config", f"native_vector={native}")
    vectors.SHAPES = LARGE
    for family in OF_SHAPES:
        for name, kernel in family(rng):
            yield run(f"large_{name}", kernel)


def main():
    chosen = suite.options()
    suite.main(list(runs(chosen)), chosen, one_in=43)


if __name__ == "__main__":
    main()
