"""Kernels that are not one product, by run-cluster: reductions, softmax, norms, convolutions, attention, several
products, gathers and shapes of the table of linalg kernels, at extents that tiles divide, at ragged ones and at 1, static
and dynamic. Each is compared with the float64 evaluation: plain, and where producers copy ahead. A kernel that nothing
can be copied ahead for says so in a warning, and is on the list here (PCF-142).

A softmax, a row sum, an attention, and a product and a sum whose consumers exchange data (PCF-140), are run, as clusters
and as code of lanes, under many interleavings that seeds of the machine choose: always the bytes that vector-distribute
computes. Then each barrier goes in turn, or what it fences does: some seed must find a race or other bytes.

    python3 programs.py OUT_DIR [--part table|interleavings] [--target T] [--seeds N] [--only NAME] [--distaff PATH]
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / part) for part in ("ForkServer", "Execution/Inputs", "Execution/Linalg/Inputs")]
import depth
import fork_server
import linalg_kernels
from pipeline_passes import read_flags

options = read_flags(part="table", target="sm_80", seeds=200, only="")
BY_CLUSTERS, AHEAD = ["--pipeline", "run-cluster"], ["--specialize", "producer-consumer"]
# Panels of their steps are larger than the shared memory of gfx942, or they read numbers and no vector.
NOT_AHEAD = {"vecmat", "column_sum", "full_sum", "gather_points"}
REASON = "warning: nothing can be copied ahead"


def fail(name, why):
    print(f"FAIL {name}: {why}")
    return 1


def first_error(done):
    return next((line for line in (done.stderr + done.stdout).splitlines() if "error: " in line or "undecided" in line), done.stderr + done.stdout)


def cases():
    for kernel in linalg_kernels.KERNELS:
        for shape, extents in kernel.shapes.items():
            for dynamic in (False, True) if kernel.dynamic else (False,):
                if options.only in kernel.name:
                    yield kernel, shape, extents, dynamic


def check_table():
    failures = 0
    for number, (kernel, shape, extents, dynamic) in enumerate(depth.some(cases(), 13)):
        path = options.out / f"{kernel.name}.mlir"
        path.write_text(kernel.text(extents, dynamic))
        command = [options.distaff, "run", path, "--target", options.target, *BY_CLUSTERS, "--check", *kernel.flags(extents, dynamic)]
        name = f"{kernel.name} {shape}{' dynamic' if dynamic else ''} {options.target}"
        done = fork_server.run([*command, *depth.stages(["--every-stage"])])
        if done.returncode:
            failures += fail(name, first_error(done))
        ahead = fork_server.run([*command, *AHEAD])
        if ahead.returncode or (REASON in ahead.stderr and kernel.name not in NOT_AHEAD):
            failures += fail(f"{name} ahead", first_error(ahead))
        if options.target == "sm_80" and not done.returncode:
            emitted = fork_server.run([*command, *(AHEAD if number % 2 else []), "--device", "ptx"])
            if emitted.returncode:
                failures += fail(f"{name} ptx", first_error(emitted))
    return failures


def run(path, result, *flags):
    """The bytes that a run leaves, or what it says."""
    result.unlink(missing_ok=True)
    done = fork_server.run([options.distaff, "run", path, "--target", options.target, "--output", f"res0={result}", *flags])
    return result.read_bytes() if result.exists() else first_error(done)


def lowered(path, stage):
    after = options.out / f"{path.stem}-{stage}.mlir"
    done = fork_server.run([options.distaff, "compile", path, "--target", options.target, *BY_CLUSTERS, *AHEAD, f"--stop-after={stage}", "-o", after])
    if done.returncode:
        raise SystemExit(first_error(done))
    return after


def mutants(text):
    """The text without each of its barriers, and with each ordering nothing."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if "pcf.barrier" in line or "global_subgroup_barrier" in line:
            yield f"without barrier {number}", "\n".join(lines[:number] + lines[number + 1 :])
            if "fence(" in line:
                yield f"without fence {number}", "\n".join(lines[:number] + [line.split(" fence(")[0]] + lines[number + 1 :])


def check_interleavings(name, mutated):
    """Runs of one kernel, and of what the stage `mutated` leaves without a barrier."""
    kernel = next(kernel for kernel in linalg_kernels.KERNELS if kernel.name == name)
    path, result, failures = options.out / f"{name}.mlir", options.out / "result.npy", 0
    path.write_text(kernel.text(kernel.shapes["divisible"], False))
    expected = run(path, result)
    if expected != run(path, result, *BY_CLUSTERS):
        failures += fail(name, "by clusters it is not what it is by vector-distribute")
    seeds = depth.some(range(options.seeds), 25)
    for stage in ("specialize", "distribute-subgroups", "lower"):
        after = lowered(path, stage)
        for seed in seeds:
            found = run(after, result, "--schedule", str(seed))
            if found != expected:
                failures += fail(f"{name} {stage} seed {seed}", found if isinstance(found, str) else "other bytes")
    caught = 0
    for what, text in depth.some(mutants((options.out / f"{name}-{mutated}.mlir").read_text()), 3):
        mutant = options.out / f"{name}-mutant.mlir"
        mutant.write_text(text)
        is_caught = any(run(mutant, result, "--schedule", str(seed)) != expected for seed in range(10))
        caught += is_caught
        print(f"{name} {what}: {'caught' if is_caught else 'missed'}")
    print(f"{name}: {len(seeds)} seeds are right, {caught} mutants are caught")
    return failures + (fail(name, "no mutant is caught") if not caught else 0)


def main():
    if options.part == "table":
        failures = check_table()
    else:
        failures = sum(check_interleavings(*scheduled) for scheduled in SCHEDULED.items())
    print(failures, "failures")
    sys.exit(failures > 0)


SCHEDULED = {"softmax": "specialize", "row_sum": "specialize", "attention_f16": "specialize", "vecmat": "distribute-subgroups", "full_sum": "distribute-subgroups"}
main()
