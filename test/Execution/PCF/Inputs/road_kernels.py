"""The kernels of tiled.py along the road run-cluster, as users go it: from linalg to
code, every stage run and checked by `distaff run --every-stage`, and for sm_80 what is
emitted, on the PTX machine. Numbers are whole; results are compared with what is
computed there element by element.

    python3 road_kernels.py OUT_DIR [--kernels A,B] [--target T] [--points N] [--specialize S]
"""
import argparse
import random
import re
import struct
import sys

# The rest of the flags is read by tiled.py.
own = argparse.ArgumentParser(add_help=False)
own.add_argument("--specialize", default="none")
specialize, sys.argv[1:] = own.parse_known_args()
from tiled import CODES, KERNELS, count, fork_server, options, write

STAGES = ["input", "configure", "tile", "wrap", "form-flow", "copies", "specialize", "distribute-subgroups", "distribute-lanes", "vectorize", "concretize", "lower"]


def compare(outputs, expected, kinds):
    for i, (file, (shape, values)) in enumerate(zip(outputs, expected)):
        size = count(shape)
        found = struct.unpack(f"<{size}{CODES[kinds[i]][0]}", file.read_bytes()[-struct.calcsize(CODES[kinds[i]][0]) * size:]) if size else ()
        wrong = [j for j in range(size) if found[j] != values[j]]
        if wrong:
            return f"result {i}: {len(wrong)} of {size} wrong, element {wrong[0]} of {shape} is {found[wrong[0]]}, not {values[wrong[0]]}"
    return ""


def run(path, inputs, expected, kinds, *flags):
    """What is wrong with a run, and what it printed."""
    outputs = [options.out / f"result{i}.npy" for i in range(len(expected))]
    command = [options.distaff, "run", path, "--target", options.target, "--pipeline", "run-cluster", "--specialize", specialize.specialize, *flags]
    for i, file in enumerate(inputs):
        command += ["--input", f"arg{i}={file}"]
    for i, file in enumerate(outputs):
        file.unlink(missing_ok=True)
        command += ["--output", f"res{i}={file}"]
    done = fork_server.run(command)
    return (done.stderr.strip() or "no reason") if done.returncode else compare(outputs, expected, kinds), done.stdout


def check(path, inputs, expected, kinds):
    said, printed = run(path, inputs, expected, kinds, "--check", "--every-stage")
    stages = re.findall(r"^(\S+) +max error 0.00e\+00  bound 0.00e\+00  ok$", printed, re.M)
    yield "every stage", said or (stages != STAGES and printed)
    if options.target == "sm_80" and not said:
        yield "ptx", run(path, inputs, expected, kinds, "--device", "ptx")[0]


def main():
    rng, failures = random.Random(11), 0
    for name in options.kernels.split(",") if options.kernels else KERNELS:
        sizes, make = KERNELS[name]
        for m, n, k in sizes[:options.points]:
            text, arguments, reference = make(m, n, k)
            values = [[rng.randint(-3, 3) for _ in range(count(shape))] for _, shape in arguments]
            inputs = []
            for i, ((kind, shape), numbers) in enumerate(zip(arguments, values)):
                if kind == "scalar":
                    inputs.append(shape[0])
                    continue
                inputs.append(options.out / f"arg{i}.npy")
                write(inputs[-1], kind, shape, numbers)
            expected = reference(*values)
            kinds = [re.sub(r".*x", "", each) for each in re.findall(r"tensor<([^>]*)>", text.split("->")[1].split("{")[0])]
            path = options.out / f"{name}.mlir"
            path.write_text(text + "\n")
            for what, said in check(path, inputs, expected, kinds):
                failures += bool(said)
                print("FAIL" if said else "ok", options.target, specialize.specialize, name, f"{m}x{n}x{k}", what, *(said or "").replace(str(options.out), "").splitlines()[:1], flush=True)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
