"""The kernels of tiled.py along the pipeline run-cluster, as users go it: from linalg to
code, run and checked after the stages that depth.py says, and for sm_80 what is
emitted, on the PTX machine. Numbers are whole; results are compared with what is
computed there element by element.

    python3 pipeline_kernels.py OUT_DIR [--kernels A,B] [--target T] [--points N] [--specialize S]
"""
import argparse
import re
import sys

# The rest of the flags is read by tiled.py.
own = argparse.ArgumentParser(add_help=False)
own.add_argument("--specialize", default="none")
specialize, sys.argv[1:] = own.parse_known_args()
from tiled import depth, options, points, report, run

STAGES = ["input", "form-launches", "configure", "tile", "wrap-in-executor", "form-matmul-phases", "promote-to-shared-memory", "specialize", "distribute-subgroups", "distribute-lanes", "vectorize", "concretize", "lower", "convert"]


def check(path, *point):
    pipeline = ["--pipeline", "run-cluster", "--specialize", specialize.specialize]
    said, printed = run(path, *point, *pipeline, *depth.stages(["--check", "--every-stage"]))
    stages = re.findall(r"^(\S+) +max error 0.00e\+00  bound 0.00e\+00  ok$", printed, re.M)
    if depth.IS_QUICK and stages != depth.compared(STAGES):
        said, printed = run(path, *point, *pipeline, "--check", "--every-stage")
    yield "stages", said or (printed if stages != depth.compared(STAGES) else "")
    if options.target == "sm_80" and not said:
        yield "ptx", run(path, *point, *pipeline, "--device", "ptx")[0]


def main():
    failures, turn = 0, depth.Turns(11)
    for name, extents, text, *point in points():
        if not turn():
            continue
        path = options.out / f"{name}.mlir"
        path.write_text(text + "\n")
        for what, said in check(path, *point):
            failures += report(said, options.target, specialize.specialize, name, extents, what)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
