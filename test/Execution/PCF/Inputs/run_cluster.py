"""A matrix product along the pipeline run-cluster, as users go it: through `distaff run`
and `distaff compile`, on whole numbers, whose sums are exact, compared with products
computed here.

Every stage is run and checked; what --stop-after printed is taken up again, and ends
in the same code; the PTX machine runs what is emitted for sm_80.

    python3 run_cluster.py OUT_DIR [--points N] [--distaff PATH]
"""
import argparse
import pathlib
import random
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parents[2] / "ForkServer"), str(HERE.parents[1] / "Inputs")]
import depth
import fork_server
import npy
import references

EVERY = ["--check", depth.EVERY_STAGE]
STAGES = ["wrap-in-executor", "form-matmul-phases", "promote-to-shared-memory", "specialize", "distribute-subgroups", "distribute-lanes", "vectorize", "concretize", "lower", "convert"]
# The launch that the kernel has, and one of eight subgroups of 32 lanes.
TARGETS = {"gfx942": [], "sm_80": [("subgroup_size = 64", "subgroup_size = 32"), ("subgroup = [128, 64, 0]", "subgroup = [64, 64, 0]"),
                                   ("MFMA_F32_16x16x16_F16", "NV_MMA_SYNC_F32_16x8x16_F16")]}
SIZES = [(257, 129, 65), (1, 1, 1), (300, 5, 100), (256, 128, 64), (40, 130, 0), (17, 64, 129)]
parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--points", type=int, default=2)
parser.add_argument("--distaff", default="distaff")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)
failures = 0


def report(said, *what):
    global failures
    failures += bool(said)
    print("FAIL" if said else "ok", *what, *([said] if said else []))


def kernel(target):
    text = (HERE / "matmul-in-loop.mlir").read_text()
    for old, new in TARGETS[target]:
        assert old in text
        text = text.replace(old, new)
    path = options.out / f"{target}.mlir"
    path.write_text(text)
    return path


class Problem:
    """Numbers for one size, and their product."""

    def __init__(self, size, rng):
        self.m, self.n, k = self.size = size
        a = [rng.randint(-4, 4) for _ in range(self.m * k)]
        b = [rng.randint(-4, 4) for _ in range(k * self.n)]
        self.product = references.matmul(a, b, self.m, self.n, k)
        name = "x".join(map(str, size))
        self.result = options.out / f"{name}-res0.npy"
        self.inputs = []
        for i, array in enumerate([("f16", (self.m, k), a), ("f16", (k, self.n), b),
                                   ("f32", (self.m, self.n), [rng.uniform(1, 9) for _ in range(self.m * self.n)])]):
            self.inputs += ["--input", f"arg{i}={npy.write(options.out / f'{name}-arg{i}.npy', *array)}"]

    def run(self, path, target, *flags):
        """What is wrong with a run, in words, and what it printed."""
        self.result.unlink(missing_ok=True)
        done = fork_server.run([options.distaff, "run", path, "--target", target, "--output", f"res0={self.result}", *self.inputs, *flags])
        if done.returncode:
            return done.stderr.strip().splitlines()[:1] or done.stdout, done.stdout
        found = npy.read(self.result, "f32")
        wrong = [i for i, value in enumerate(self.product) if found[i] != value]
        return wrong and f"element {divmod(wrong[0], self.n)} is {found[wrong[0]]}, not {self.product[wrong[0]]}", done.stdout


def check_stages(path, target, problem, flags, stages):
    said, printed = problem.run(path, target, "--pipeline", "run-cluster", *flags)
    checked = re.findall(r"^(\S+) +max error 0.00e\+00  bound 0.00e\+00  ok$", printed, re.M)
    wrong = said or checked != stages and printed
    report(wrong, target, *problem.size, *flags)
    if wrong and flags != EVERY:
        check_stages(path, target, problem, EVERY, ["input", *STAGES])


def check_fewer_workgroups(path, target, problem):
    """Two workgroups for all tiles: each goes on with the next of its own."""
    text = path.read_text()
    counts = re.search(r"return (%x, %y, %c1) : index, index, index", text).group(1)
    fewer = options.out / f"{target}-fewer.mlir"
    fewer.write_text(text.replace(f"return {counts} :", "%c2 = arith.constant 2 : index\n  return %c1, %c2, %c1 :"))
    said = problem.run(fewer, target, *depth.stages(EVERY))[0]
    code = fork_server.run([options.distaff, "compile", fewer, "--target", target, "--stop-after=concretize"]).stdout
    report(said or not re.search(r"scf\.for .* = %block_id_y to", code) and "no loop over tiles", target, *problem.size, "two workgroups")


def take_up(path, target, stage, problem, code):
    """Stops after a stage, runs what is there, and goes on from it to the end."""
    stopped = options.out / f"{target}-{stage}.mlir"
    done = fork_server.run([options.distaff, "compile", path, "--target", target, f"--stop-after={stage}", "-o", stopped])
    if done.returncode:
        return report(done.stderr, target, stage)
    report(problem.run(stopped, target, f"--stop-after={stage}")[0], target, "after", stage)
    if stage in ("lower", "convert"):
        return  # what it unrolled comes in another order once more
    went_on = fork_server.run([options.distaff, "compile", stopped, "--target", target])
    report(went_on.stderr or went_on.stdout != code and "other code than without a stop", target, "on from", stage)


def main():
    rng = random.Random(7)
    problems = [Problem(size, rng) for size in depth.some(SIZES[:options.points], 3)]
    turn = depth.Turns(5)
    for target in TARGETS:
        path = kernel(target)
        for problem in problems:
            if problem is problems[-1]:
                check_stages(path, target, problem, EVERY, ["input", *STAGES])
            else:
                check_stages(path, target, problem, depth.stages(EVERY), depth.compared(["input", *STAGES]))
            if target == "sm_80":
                report(problem.run(path, target, "--device", "ptx")[0], target, *problem.size, "ptx")
        report(problems[0].run(path, target, "--schedule", "5")[0], target, "another schedule")
        check_fewer_workgroups(path, target, problems[0])
        code = fork_server.run([options.distaff, "compile", path, "--target", target]).stdout
        for stage in turn.of(STAGES):
            take_up(path, target, stage, problems[0], code)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
