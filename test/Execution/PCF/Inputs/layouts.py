"""Programs of phases on vectors, distributed by layouts drawn at random: run by the SIMT
machine as they are, after every distribution and resolution, on whole numbers, and
compared with a few lines of Python here. A program has one subgroup and is distributed to
its lanes, or four and is distributed to subgroups, and what they run to lanes. Results
are poisoned before. Programs on tensors are distributed by boxes too. Seeds are fixed.

    python3 layouts.py OUT_DIR [--only NAME] [--seeds N] [--distaff PATH] [--distaff-opt PATH]
"""
import itertools
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE.parents[2] / "ForkServer"), str(HERE.parents[1] / "Inputs")]
import depth
import fork_server
import npy
import payload_programs
import product_programs
from drawn_layouts import MACHINES, POISON, Layout
from pipeline_passes import CONCRETIZE, as_lanes, read_flags

options = read_flags(only=None, seeds=6)


def steps_of(machine, ways):
    """Name and pass of every step."""
    if machine.subgroups > 1:
        yield "subgroups", f"--pcf-distribute=scope=#iree_gpu.subgroup_scope {ways[0]}"
        yield "telescope", "--pcf-resolve-clusters=telescope-to=#iree_gpu.lane_scope"
    yield "lanes", f"--pcf-distribute=scope=#iree_gpu.lane_scope {ways[1]}"
    yield "resolve", "--pcf-resolve-clusters"


def run(path, machine, program, output="res0", flags=()):
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    *arrays, scalars = program.inputs
    command = [options.distaff, "run", path, "--target", machine.target, "--output", f"{output}={result}", *flags]
    count = 0
    for shape, numbers, element in zip(arrays[0::2], arrays[1::2] + [[POISON] * len(program.expected)], program.elements):
        file = npy.write(options.out / f"arg{count}.npy", element, shape, numbers)
        command += ["--input", f"arg{count}={file}"]
        count += 1
    for value in scalars.values():
        command += ["--input", f"arg{count}={value}"]
        count += 1
    done = fork_server.run(command)
    if done.returncode:
        return done.stderr.strip().splitlines()[0]
    found = npy.read(result, program.elements[-1])
    wrong = [i for i in range(len(program.expected)) if found[i] != program.expected[i]]
    return f"element {wrong[0]} is {found[wrong[0]]}, not {program.expected[wrong[0]]}, {len(wrong)} are wrong" if wrong else None


def distribute(program, machine, name, path, ways, last="resolve"):
    for step, flag in steps_of(machine, ways):
        after = options.out / f"{name}-{step}.mlir"
        done = fork_server.run([options.distaff_opt, path, flag, "-o", after])
        if done.returncode:
            return f"{name} {step}: {done.stderr.strip().splitlines()[0]}"
        # One lane's code in a phase of its own cannot ask the other lanes: the machine runs it once resolved.
        text = after.read_text()
        asks = any(op in text for op in ("gpu.subgroup_reduce", "gpu.shuffle", "inner_tiled"))
        said = None if step == "lanes" and asks else run(after, machine, program)
        if said:
            return f"{name} {step}: {said}"
        path = after
        if step == last:
            break
    if program.computes and program.computes not in text:
        return f"{name}: has no {program.computes}"
    return None


def check(family, machine, seed):
    program = family(random.Random(f"{family.__name__} {machine} {seed}"), machine)
    name = f"{family.__name__}-{machine}-{seed}"
    path = options.out / f"{name}.mlir"
    path.write_text(program.text)
    said = run(path, machine, program)
    if said:
        return f"{name} as it is: {said}"
    default = program.default if program.default != "none" else Layout([(1, 1, 1, 1, 1)], [0], [0])
    layouts = f"impl='{default}'{program.flags}"
    said = distribute(program, machine, name, path, (layouts, layouts)) or check_lanes(machine, name, program)
    if not said and program.by_boxes:
        # Lanes have no memory of their own to relay values through.
        said = distribute(program, machine, name + "-boxes", path, (program.flags, ""), program.by_boxes)
    return said


def check_lanes(machine, name, program):
    """What is resolved as one lane's program, and as PTX."""
    path = options.out / f"{name}-concretize.mlir"
    done = fork_server.run([options.distaff_opt, options.out / f"{name}-resolve.mlir", *CONCRETIZE, "-o", path])
    if done.returncode:
        return f"{name} concretize: {done.stderr.strip().splitlines()[0]}"
    path = as_lanes(path, "f")
    said = run(path, machine, program, f"arg{len(program.elements) - 1}")
    if said:
        return f"{name} as lanes: {said}"
    # Strided vectors, and barriers that nobody reaches, have no PTX.
    if machine.target != "sm_80" or any(text in path.read_text() for text in ("memref.subview", "threads(%c0)")):
        return None
    said = run(path, machine, program, f"arg{len(program.elements) - 1}", ["--device", "ptx"])
    return f"{name} as PTX: {said}" if said else None


def main():
    failures = 0
    for number, family in enumerate(payload_programs.FAMILIES + product_programs.FAMILIES):
        if options.only and not family.__name__.startswith(options.only):
            continue
        # Each second machine, of the next family the others.
        machines = MACHINES[number % 2:] + MACHINES[:number % 2]
        for machine, seed in depth.some(itertools.product(machines, range(options.seeds)), 2):
            said = check(family, machine, seed)
            if said:
                print(said)
                failures += 1
    print("all agree" if not failures else f"{failures} do not agree")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
