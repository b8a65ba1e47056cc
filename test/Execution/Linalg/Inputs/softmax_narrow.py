"""Softmax in f16 and bf16, decided by --check.

Of arbitrary numbers it is not: 384 terms near 1, added one after the other in bf16,
stay at 256, so a right program may be off by a third, and 1 / sum with them
(docs/rationale/check-compares-with-a-forward-error-bound.md). Of rows of 0 and -1000 the
exponentials are 1 and 0, sums of up to 256 of them are exact in every order, and one
division is left. Results are compared with 1 / count, computed here, too.
"""
import random
import sys

sys.path.insert(0, __file__.rsplit("/", 4)[0] + "/Execution/Inputs")
import npy
import suite

ROWS, COLUMNS = 24, 384
PROGRAM = """func.func @softmax(%x: tensor<{n}x{m}x{t}>) -> tensor<{n}x{m}x{t}> {{
  %e = tensor.empty() : tensor<{n}x{m}x{t}>
  %y = linalg.softmax dimension(1) ins(%x : tensor<{n}x{m}x{t}>) outs(%e : tensor<{n}x{m}x{t}>) -> tensor<{n}x{m}x{t}>
  return %y : tensor<{n}x{m}x{t}>
}}
"""
# Two roundings of a quotient, relative.
NEAR = {"f16": 2.0 ** -10, "bf16": 2.0 ** -7}


def cases(chosen, element):
    program = chosen.out / f"softmax_{element}.mlir"
    program.write_text(PROGRAM.format(n=ROWS, m=COLUMNS, t=element))
    r = random.Random(1090)
    rows = []
    for row in range(ROWS):
        count = [1, 2, 3, 255, 256][row] if row < 5 else r.randrange(1, 257)
        largest = set(r.sample(range(COLUMNS), count))
        rows.append([0.0 if column in largest else -1000.0 for column in range(COLUMNS)])
    given = npy.write(chosen.out / f"x_{element}.npy", element, (ROWS, COLUMNS), sum(rows, []))

    def compare(path):
        def after():
            found = npy.read(path, element)
            for row, numbers in enumerate(rows):
                wanted = 1 / numbers.count(0.0)
                for column, number in enumerate(numbers):
                    value = found[row * COLUMNS + column]
                    if number and value or not number and abs(value - wanted) > NEAR[element] * wanted:
                        return f"[{row}, {column}] is {value}, not {0.0 if number else wanted}"
        return after

    for target in ("sm_80", "gfx942"):
        out = chosen.out / f"y_{element}_{target}.npy"
        command = [chosen.distaff, "run", str(program), "--target", target, "--input", f"arg0={given}", "--output", f"res0={out}", "--check"]
        yield suite.Run(f"softmax {element} {target}", [*command, "--every-stage"], after=compare(out))
        if target == "sm_80":
            yield suite.Run(f"softmax {element} ptx", [*command, "--device", "ptx"], after=compare(out), compares=False)
    yield suite.Run(f"softmax {element} of any numbers", [chosen.distaff, "run", str(program), "--target", "sm_80", "--check"],
                    ("undecided", "its sums may lose a third"))


chosen = suite.options()
suite.main([run for element in ("f16", "bf16") for run in cases(chosen, element)], chosen)
