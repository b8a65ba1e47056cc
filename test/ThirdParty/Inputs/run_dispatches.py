"""Dumps, runs and compares the cases of dispatch_cases.py; see dispatches.py."""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

EXECUTION = Path(__file__).resolve().parents[2] / "Execution"
sys.path[:0] = [str(EXECUTION / "Linalg" / "Inputs"), str(EXECUTION / "Inputs")]
import linalg_kernels  # noqa: E402
from dispatch_cases import REFERENCES  # noqa: E402

BACKENDS = {
    "llvm-cpu": (["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host"],
                 ["--target", "host", "--device", "host"]),
    "cuda": (["--iree-hal-target-device=cuda", "--iree-cuda-target=sm_80"], ["--target", "sm_80"]),
    "rocm": (["--iree-hal-target-device=hip", "--iree-rocm-target=gfx942"], ["--target", "gfx942"]),
}
TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i1": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "bf16": np.float32}


def tensors(text):
    return [([int(n) for n in shape.split("x")[:-1]], shape.split("x")[-1]) for shape in re.findall(r"tensor<([\w?]+)>", text)]


def draw(random, shape, element, limit):
    if limit is not None:
        return random.integers(0, limit, shape).astype(TYPES[element])
    if element == "i1":
        return random.integers(0, 2, shape).astype(np.bool_)
    if element.startswith("i"):
        return random.integers(-99, 100, shape).astype(TYPES[element])
    x = random.uniform(-1, 1, shape).astype(TYPES[element])
    return (x.view(np.uint32) & 0xFFFF0000).view(np.float32) if element == "bf16" else x


def inputs_of(kernel, reference, extents):
    head = re.search(r"func\.func @\w+\((.*?)\) ->", kernel.text(extents, False)).group(1)
    random, values = np.random.default_rng(1), []
    for number, (shape, element) in enumerate(tensors(head)):
        limit = reference.positions.get(number)
        values.append(draw(random, shape, element, limit(*values) if limit else None))
    return values


def wide(value):
    return value.astype(np.float64) if value.dtype.kind == "f" else value


def difference(given, wanted, bound):
    """What is wrong with a result, or None."""
    if given.shape != wanted.shape:
        return f"shape {given.shape}, wanted {wanted.shape}"
    with np.errstate(invalid="ignore"):  # infinity less itself
        same = (wide(given) == wanted) | (np.abs(wide(given) - wanted) <= bound)
    return None if same.all() else f"{np.count_nonzero(~same)} of {same.size} elements"


def compare(folder, reference, values):
    wanted = reference.compute(*map(wide, values))
    bounds = reference.bound(wanted, *map(wide, values))
    for number, (value, bound) in enumerate(zip(wanted, bounds)):
        # A result that IREE flattened has the same elements.
        given = np.load(folder / f"res{number}.npy").reshape(np.shape(value))
        if wrong := difference(given, np.asarray(value), bound):
            return f"result {number}: {wrong}"
    return None


def dump(text, flags, stage, path):
    """The functions of the dispatches that IREE makes of a kernel."""
    source = path.with_suffix(".source.mlir")
    source.write_text(text)
    compiler = Path(sys.executable).parent / "iree-compile"
    subprocess.run([compiler, source, *flags, f"--compile-to=executable-{stage}", "-o", path], check=True, capture_output=True)
    return re.findall(r"func\.func @([\w$]+)\(\)", path.read_text())


def bindings(text):
    """The extents of each binding, -1 where they are of the launch, and its element type."""
    found = re.findall(r"binding\((\d+)\).*?(?<!dispatch\.)(?:tensor|memref)<((?:[\d?]+x)*)([a-z]\w*)", text)
    return {int(number): ([-1 if n == "?" else int(n) for n in shape.split("x")[:-1]], element) for number, shape, element in found}


def as_bound(value, extents, element):
    """An array as the dispatch has it: IREE flattens elementwise kernels, and has bytes for i1."""
    if element == "i8" and value.dtype == np.bool_:
        value = value.view(np.int8)
    return value if value.ndim == len(extents) else value.reshape(extents)


def arguments(text):
    """The argument of the host's function that each binding is, or None: a result."""
    imports = dict(re.findall(r"(%\w+) = stream\.tensor\.import .*? %arg(\d+) :", text))
    captures = dict((inner, outer) for outer, inner in re.findall(r"(%\w+) as (%\w+):", text))
    passed = re.findall(r"^ +(?:ro|wo|rw) (%\w+)\[", text, re.M)
    return [int(imports[captures[name]]) if captures[name] in imports else None for name in passed]


def command_of(chosen, path, target, folder, values):
    """Runs the dispatch with the inputs at the bindings that IREE gives them."""
    text = path.read_text()
    bound, command = bindings(text), [chosen.distaff, "run", path, *target]
    number = 0
    for binding, argument in enumerate(arguments(text)):
        if argument is None:
            continue
        np.save(folder / f"arg{number}.npy", as_bound(values[argument], *bound[binding]))
        command += ["--input", f"arg{number}={folder}/arg{number}.npy"]
        number += 1
    return command


def run(job, chosen, folder):
    kernel, reference, extents, dynamic, backend, stage = job
    flags, target = BACKENDS[backend]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "dispatch.mlir"
    functions = dump(kernel.text(extents, dynamic), flags, stage, path)
    if len(functions) != 1:
        return "skipped", f"became {len(functions)} dispatches"
    values = inputs_of(kernel, reference, extents)
    command = command_of(chosen, path, target, folder, values)
    for number, value in enumerate(reference.numbers(*values) if dynamic else []):
        command += ["--input", f"arg{len(values) + number}={value}"]
    for number in range(len(reference.compute(*map(wide, values)))):
        command += ["--output", f"res{number}={folder}/res{number}.npy"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return "wrong", f"exit {done.returncode}: {(done.stderr or done.stdout)[:300]}"
    wrong = compare(folder, reference, values)
    return ("wrong", wrong) if wrong else ("right", "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--distaff", required=True)
    parser.add_argument("--only", nargs="+", default=list(REFERENCES))
    parser.add_argument("--dumps", nargs="+", default=["sources", "configurations"])
    parser.add_argument("--backends", nargs="+", default=list(BACKENDS))
    parser.add_argument("--keep", type=Path)
    chosen = parser.parse_args()
    kernels = {kernel.name: kernel for kernel in linalg_kernels.KERNELS}
    jobs = [(kernels[name], REFERENCES[name], kernels[name].shapes["ragged"], dynamic, backend, stage)
            for name in chosen.only for dynamic in ((False, True) if kernels[name].dynamic else (False,))
            for backend in chosen.backends for stage in chosen.dumps]
    counts = dict.fromkeys(("right", "wrong", "skipped"), 0)
    with tempfile.TemporaryDirectory() as temporary, concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        root = chosen.keep or Path(temporary)
        name = lambda job: f"{job[0].name}{'.dynamic' if job[3] else ''}.{job[4]}.{job[5]}"
        for job, (kind, seen) in zip(jobs, pool.map(lambda job: run(job, chosen, root / name(job)), jobs)):
            counts[kind] += 1
            if kind != "right":
                print(f"{kind}: {name(job)}: {seen}", flush=True)
    names = {job[0].name for job in jobs}
    print(f"{len(names)} kernels: " + ", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return int(counts["wrong"] > 0 or counts["right"] == 0)


if __name__ == "__main__":
    sys.exit(main())
