"""Chains of tensor ops in which each op reads earlier ones: after tile there is
one linalg op for each, however often it is read. A producer that is computed
once per reader makes these exponential or quadratic.

usage: chains.py OUT_DIR [--distaff PATH]
"""
import argparse
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "ForkServer"))
import fork_server

EARLIER = {  # the operands of op k, as numbers of values; value 0 is the argument
    "chain": lambda k: [k - 1],
    "diamond": lambda k: [k - 1, k - 1],
    "last_two": lambda k: [k - 1, max(k - 2, 0)],
    "last_two_swapped": lambda k: [max(k - 2, 0), k - 1],
    "far": lambda k: [k - 1, k // 2],
    "far_swapped": lambda k: [k // 3, k - 1],
    "first": lambda k: [k - 1, min(k - 1, 1)],
}
SIZES = (25, 50, 100)
TYPE = "tensor<60x64xf32>"


def chain(earlier, length):
    lines = []
    for k in range(1, length + 1):
        operands = [f"%v{number}" for number in earlier(k)]
        lines.append(f"  %v{k} = {'math.absf' if len(operands) == 1 else 'arith.addf'} {', '.join(operands)} : {TYPE}")
    return lines


def elementwise(earlier, length):
    return "\n".join([f"func.func @kernel(%v0: {TYPE}) -> {TYPE} {{", *chain(earlier, length), f"  return %v{length} : {TYPE}", "}", ""])


def all_returned(earlier, length, numbers=None):
    results, types = ", ".join(f"%v{k}" for k in numbers or range(1, length + 1)), ", ".join([TYPE] * length)
    return "\n".join([f"func.func @kernel(%v0: {TYPE}) -> ({types}) {{", *chain(earlier, length), f"  return {results} : {types}", "}", ""])


def returned_backwards(earlier, length):
    return all_returned(earlier, length, range(length, 0, -1))


def reduced(earlier, length):
    """The walk along the rows pulls the chain into its loop, once."""
    tiles = "{lowering_config = #iree_gpu.lowering_config<{workgroup = [4, 0], reduction = [0, 16]}>}"
    return "\n".join([f"func.func @kernel(%v0: {TYPE}) -> tensor<60xf32> {{", *chain(earlier, length), "  %zero = arith.constant 0.0 : f32",
                      "  %e = tensor.empty() : tensor<60xf32>",
                      "  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<60xf32>) -> tensor<60xf32>",
                      f"  %r = linalg.reduce {{ arith.addf }} ins(%v{length} : {TYPE}) outs(%f : tensor<60xf32>) dimensions = [1] {tiles}",
                      "  return %r : tensor<60xf32>", "}", ""])


def count(path, text, distaff):
    """Linalg ops after tile; the old defect took minutes at 20 ops."""
    path.write_text(text)
    done = fork_server.run([distaff, "compile", path, "--target", "sm_80", "--stop-after=tile"], 20)
    assert done.returncode == 0, done.stderr[:500]
    return done.stdout.count(" linalg.generic ") + done.stdout.count(" linalg.reduce ")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--distaff", default="distaff")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name, earlier in EARLIER.items():
        # How many ops there are beside the chain's.
        for make, others in ((elementwise, 0), (all_returned, 0), (returned_backwards, 0), (reduced, 2)):
            sizes = SIZES[:1] if "returned" in make.__name__ else SIZES
            try:
                counts = [count(options.out / f"{name}_{make.__name__}_{n}.mlir", make(earlier, n), options.distaff) for n in sizes]
            except (AssertionError, subprocess.TimeoutExpired) as wrong:
                counts = wrong
            if counts != [n + others for n in sizes]:
                failed += 1
                print(f"FAIL {name} {make.__name__}: {counts} ops for chains of {sizes}")
    print(f"{4 * len(EARLIER) - failed} of {4 * len(EARLIER)} kinds of chain are linear")
    sys.exit(failed > 0)


main()
