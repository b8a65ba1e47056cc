"""Schedules of producers and consumers, of slots, and of ping-pong, under many
interleavings that seeds of the SIMT machine choose: always the product that is
computed here. Then each barrier goes in turn, or what it fences does: some seed must
find a race or another product. Barriers of ping-pong that only keep its halves in
step order no two accesses; without them every seed must be right. Where each cluster
has code of its own, a barrier that one of them lacks must be found and be refused.

    python3 interleavings.py OUT_DIR [--seeds N] [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
import references
from pipeline_passes import read_flags, returning, sample

options = read_flags(seeds=50)

# Tiles of 16 x 8, in steps of 4: schedules are what is looked at.
M, N, STEP = 16, 8, 4
SEPARATE, SLOTS = "--pcf-specialize-producers=producers={}", "--pcf-multi-buffer=depth={}"
# Name: the passes after promote-to-shared-memory, and the panels that are ahead at most.
PRODUCERS = {
    "producers": ([SEPARATE.format(2)], 1),
    "slots": ([SLOTS.format(2)], 2),
    "producers-slots": ([SLOTS.format(2), SEPARATE.format(2)], 2),
    "producers-3-slots": ([SEPARATE.format(1), SLOTS.format(3)], 3),
    "producers-4-slots": ([SEPARATE.format(3), SLOTS.format(4)], 4),
}
# Of the four barriers of ping-pong, those from an odd slot to an even one: in the table
# of hazards no write and no access of another cluster are that near.
KEEP_STEP = {"ping-pong": (4, {1, 3}), "ping-pong by passes": (4, {1, 3})}
LEVELS = [("groups", []), ("workers", ["--pcf-distribute", "--pcf-resolve-clusters"])]


def shrink(text, sizes):
    """The text with other extents; names and element types have digits of their own."""
    return re.sub(r"(?<![0-9A-Za-wyz_%.])\d+(?![0-9])", lambda match: sizes.get(match.group(0), match.group(0)), text)


def copies():
    text = shrink(sample("copies"), {"256": "16", "128": "8", "64": "4"})
    launch = "#iree_codegen.translation_info<pipeline = RunClusterDistribute workgroup_size = [128, 1, 1] subgroup_size = 32>"
    return re.sub(r"#iree_codegen\.translation_info<[^>]*>", launch, text, count=1)


def ping_pong(function):
    text = shrink(sample(function, "samples-specialization.mlir"), {"256": "16", "128": "8", "32": "4", "16": "2"})
    launch = "#iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>"
    return returning(text, M, N, launch)


def optimize(text, passes, name):
    """What passes make of a text; none if they refuse it."""
    path, result = options.out / f"{name}.mlir", options.out / f"{name}.out.mlir"
    path.write_text(text)
    done = fork_server.run([options.distaff_opt, path, *passes, "-o", result])
    return (result.read_text(), "") if done.returncode == 0 else (None, done.stderr.splitlines()[0])


class Program:
    """One schedule at one level, with arguments for every number of steps. Kernels of a batch of 1 take how many
    steps, and some the split point, besides tensors."""

    def __init__(self, name, text, numbers, steps):
        self.name, self.text, self.numbers, self.steps = name, text, numbers, steps

    def arguments(self, steps, rng):
        k = steps * STEP
        a, b = ([rng.randint(-4, 4) for _ in range(count)] for count in (M * k, k * N))
        one = (1,) * bool(self.numbers)
        files = [npy.write(options.out / "a.npy", "f16", (*one, M, k), a), npy.write(options.out / "b.npy", "f16", (*one, k, N), b),
                 npy.write(options.out / "c.npy", "f32", (*one, M, N), [rng.uniform(1, 9) for _ in range(M * N)])]
        return files + [steps, 2][:self.numbers], references.matmul(a, b, M, N, k)

    def path(self):
        path = options.out / "program.mlir"
        path.write_text(self.text)
        return path

    def runs(self, steps, seeds, rng):
        """What each run says that is not right."""
        path, (arguments, product) = self.path(), self.arguments(steps, rng)
        result = options.out / "result.npy"
        for seed in seeds:
            result.unlink(missing_ok=True)
            command = [options.distaff, "run", path, "--target", "sm_80", "--schedule", str(seed), "--output", f"res0={result}"]
            for i, argument in enumerate(arguments):
                command += ["--input", f"arg{i}={argument}"]
            done = fork_server.run(command)
            if done.returncode:
                yield done.stderr.strip().splitlines()[0]
            else:
                found = npy.read(result, "f32")
                yield "" if found == product else "another product"


def programs():
    for name, (passes, depth) in PRODUCERS.items():
        text, said = optimize(copies(), passes, name)
        assert text, said
        yield from levels(name, text, 0, sorted({0, 1, 2, depth - 1, depth, depth + 1}))
    yield from levels("ping-pong", ping_pong("v3_sheared"), 2, [1, 2, 3])
    text, said = optimize(ping_pong("v1_collective"), ["--pcf-split-threadgroup", "--pcf-skew-cluster=cluster=pp.even steps=1"], "passes")
    assert text, said
    yield from levels("ping-pong by passes", text, 1, [1, 2, 3])


def levels(name, text, numbers, steps):
    for level, passes in LEVELS:
        made, said = optimize(text, passes, f"{name}-{level}")
        assert made, said
        yield Program(f"{name}, {level}", made, numbers, steps)


def without(text):
    """Copies of the text that lack a barrier, or what it fences: its number, what is lacking, the copy."""
    lines = text.splitlines(keepends=True)
    barriers = [i for i, line in enumerate(lines) if "pcf.barrier(" in line]
    for number, i in enumerate(barriers):
        yield number, "barrier", "".join(lines[:i] + lines[i + 1:])
        # The clause and its types.
        bare = re.sub(r" fence\(.*", "", lines[i])
        yield number, "fence", "".join([*lines[:i], bare, *lines[i + 1:]])


def empty_clusters(rng):
    """Producers from none to all of 4 workers: without producers the panels are never filled, without consumers the result
    is what it was; nobody waits for ever, for barriers are everybody's."""
    text = copies().replace("%C: tensor<?x?xf32>)", "%C: tensor<?x?xf32>, %p: index)")
    text, said = optimize(text, [SEPARATE.format("arg3"), SLOTS.format(2)], "points")
    assert text, said
    for program in levels("points", text, 0, [0, 3]):
        for steps in program.steps:
            for producers in range(5):
                arguments, product = program.arguments(steps, rng)
                before = npy.read(arguments[2], "f32")
                program.arguments = lambda *_: ([*arguments, producers], before if producers == 4 else product)
                said = {said for said in program.runs(steps, range(4), rng)}
                del program.arguments
                isRight = said == {""} if producers or not steps else all("has no value" in one or "unwritten" in one for one in said)
                yield isRight, f"{program.name}, {producers} producers of 4, steps {steps}: {min(said) or 'right'}"


def find(program, rng, seeds):
    """The first thing that a seed finds at the largest number of steps."""
    for said in program.runs(program.steps[-1], seeds, rng):
        if said:
            return said
    return ""


def main():
    rng, failures = random.Random(5), 0
    for program in programs():
        # Every number of steps has its share of the seeds, the largest all.
        for i, steps in enumerate(program.steps):
            isLast = steps == program.steps[-1]
            seeds = range(options.seeds) if isLast else range(i, options.seeds, len(program.steps))
            seeds = depth.some(seeds, 7)
            wrong = [said for said in program.runs(steps, seeds, rng) if said]
            failures += bool(wrong)
            print("FAIL" if wrong else "ok", program.name, f"steps {steps}", f"{len(seeds)} seeds", *wrong[:1])
        isSwitch = "scf.index_switch" in program.text
        count, keepStep = KEEP_STEP.get(program.name.split(",")[0], (1, set()))
        for number, what, text in without(program.text):
            isUnequal = isSwitch and what == "barrier"
            isNeeded = isUnequal or number % count not in keepStep
            seeds = range(options.seeds)
            said = find(Program(program.name, text, program.numbers, program.steps), rng, seeds if isNeeded else depth.some(seeds, 7))
            isRight = bool(said) == isNeeded
            if isUnequal:
                isRight &= optimize(text, ["--pcf-verify-barriers"], "verify")[0] is None
            failures += not isRight
            print("ok" if isRight else "FAIL", program.name, f"without {what} {number}:", said or "always right")
    for isRight, what in empty_clusters(rng):
        failures += not isRight
        print("ok" if isRight else "FAIL", what)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
