"""Kernels on this CPU by the instructions of one level, which it has.

    python3 level.py LEVEL OUT_DIR [--only NAME] [--distaff PATH]

Products of bytes and of floats, of quantized numbers, and a softmax: what has another instruction at some level. Integers must be
exact, floats within their bounds.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Linalg" / "Inputs"))
import matrices
import suite
import packed_dots
import zero_points

EXAMPLES = pathlib.Path(__file__).resolve().parents[4] / "examples"


def kernels():
    for name in ("softmax", "matmul_f16"):
        yield name, (EXAMPLES / f"{name}.mlir").read_text()
    for element, unsigned, extents, in_rows in (("i8", "", (33, 170, 45), False), ("i8", "a", (37, 133, 64), True), ("i8", "b", (41, 100, 131), False),
                                                ("i8", "ab", (52, 149, 66), True), ("bf16", "", (37, 133, 131), True)):
        yield f"{element}_{unsigned or 'signed'}", packed_dots.kernel(element, unsigned, *extents, in_rows)
    for case in matrices.CASES:
        if not case.dynamic:
            yield case.name, case.kernel()
    for name in ("matmul", "both", "of_both", "unsigned", "narrow_unsigned"):
        kernel = zero_points.KERNELS[name]
        yield f"zero_points_{name}", kernel if isinstance(kernel, str) else kernel.text()


def main():
    level = sys.argv.pop(1)
    chosen = suite.options()
    runs = []
    for name, text in kernels():
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        command = [chosen.distaff, "run", str(path), "--target", f"host:{level}", "--device", "host", "--check", "--threads", "2"]
        runs.append(suite.Run(name, command, compares=False))
    suite.main(runs, chosen)


main()
