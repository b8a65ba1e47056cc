"""Random kernels, shapes and targets, compared with the reference.

usage: linalg_sweep.py OUT_DIR --seeds FIRST:LAST [--compile | --large] [options of suite.py]
       linalg_sweep.py OUT_DIR --found

A seed is a kernel of linalg_kernels.py, extents for it, and a target. Extents are
log-uniform from 0 to 1025, some of them primes, as long as the iteration space has
at most 2^22 points; head dimensions are 16 to 128.

With `--compile` seeds are compiled and not run: none may take 5 s of a processor, or
spill where ptxas is there to say so. `--large` does the same with extents of up to
16384 and more points than a run could have. `--found` does it with what once took
longer or spilled.
"""
import concurrent.futures
import math
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import linalg_kernels
import suite

TARGETS = ("sm_80", "sm_90a", "gfx942", "gfx1100")
MOST_POINTS = 1 << 22
LARGE_POINTS = range(1 << 22, 1 << 34)
MOST_SECONDS = 5


# What was found so: kernel, extents, whether they are dynamic, target.
FOUND = [
    ("softmax_f16", {"m": 11527, "n": 6863}, False, "sm_90a"),
    ("softmax_of_columns", {"m": 9907, "n": 8902}, False, "sm_90a"),
    ("batch_matvec_f16", {"b": 7675, "m": 570, "k": 113}, True, "sm_80"),
    ("matmul_residual_cast", {"m": 739, "n": 797, "k": 4}, True, "sm_90a"),
    ("matmul_residual_cast", {"m": 223, "n": 2080, "k": 199}, False, "sm_80"),
    ("max_times", {"m": 211, "n": 350, "k": 22}, False, "sm_90a"),
    ("matmul_f64", {"m": 1, "n": 5, "k": 51}, False, "sm_90a"),
    ("conv_1d_nwc", {"b": 10, "w": 719, "c": 24, "f": 13807}, False, "sm_80"),
    ("conv_2d_nhwc_hwcf", {"b": 270, "h": 7, "w": 1476, "c": 34, "f": 10}, False, "sm_80"),
    ("update_cache", {"s": 211, "t": 166, "h": 619}, False, "sm_80"),
    ("update_cache_of_heads", {"s": 262, "t": 262, "h": 12, "d": 7759}, False, "sm_80"),
    # Of registers, half are for matrix instructions alone.
    ("max_times", {"m": 8198, "n": 112, "k": 2284}, False, "gfx942"),
    # Told how many workgroups are to be resident, where these have just room.
    ("conv_2d_same", {"b": 3, "h": 1, "w": 4, "c": 97, "f": 7}, False, "sm_80"),
    ("conv_1d_nwc", {"b": 13, "w": 31, "c": 181, "f": 127}, False, "sm_80"),
    ("row_max_kept", {"m": 127, "n": 1}, True, "sm_80"),
    # Rows that the launch's root has no loop along.
    ("update_cache_of_heads", {"s": 47, "t": 47, "h": 1, "d": 157}, True, "sm_80"),
    # Products of odd extents, beside one that an instruction computes.
    ("mlp", {"m": 11, "n": 73, "k": 72}, False, "sm_90a"),
    ("mlp", {"m": 79, "n": 964, "k": 11}, False, "sm_80"),
    ("mlp", {"m": 479, "n": 61, "k": 41}, False, "sm_90a"),
    ("mlp", {"m": 5245, "n": 14372, "k": 97}, False, "sm_80"),
    ("mlp", {"m": 1, "n": 157, "k": 11}, False, "gfx942"),
    # Keys that are no multiple of what an instruction makes scores of.
    ("attention_f16", {"h": 2, "s": 7, "t": 212, "d": 16}, False, "sm_80"),
    ("attention_causal", {"h": 16, "s": 29, "t": 211, "d": 32}, False, "sm_90a"),
    # One subgroup has dozens of conditions (VX-297); a sum had a mask per element (VX-296).
    ("conv_2d_same", {"b": 29, "h": 1, "w": 97, "c": 7, "f": 6}, False, "sm_90a"),
    ("row_mean_and_variance", {"m": 5651, "n": 3803}, False, "sm_80"),
]


def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))


def draw_extent(rng, least):
    kind = rng.random()
    if kind < 0.03 and not least:
        return 0
    extent = int(math.exp(rng.uniform(math.log(least), math.log(16384.99)) if least else rng.uniform(0, math.log(1025.99))))
    if kind < 0.4:
        return next(p for p in range(extent, 0, -1) if is_prime(p) or p == 1)
    return extent


def draw_extents(rng, kernel, large):
    extents = {}
    # So that large ones of many dimensions are drawn too.
    least = (64 if len(kernel.shapes["divisible"]) < 4 else 8) if large else 0
    for dim in kernel.shapes["divisible"]:
        extents[dim] = rng.choice([16, 32, 64, 80, 128]) if kernel.family == "attention" and dim == "d" else draw_extent(rng, least)
    # No keys are no softmax, no position is inside of nothing, and a slice
    # of nothing begins nowhere.
    for dim in {"attention": "t", "gather": "vmn", "shape": "mnshd"}.get(kernel.family, ""):
        if dim in extents:
            extents[dim] = max(extents[dim], 1)
    # There are as many places as slices at least.
    if kernel.family == "scatter":
        extents["t"] = min(extents["t"], extents["s"])
    return extents


def fits(kernel, extents, large):
    points = math.prod(max(e, 1) for e in extents.values())
    if large:
        # One of few dimensions has as many points as it can.
        return points in LARGE_POINTS or len(extents) == 1
    return points <= MOST_POINTS // (32 if kernel.family in ("convolution", "pooling") else 1)


def draw(seed, large=False):
    """(kernel, extents, dynamic, target) of a seed."""
    rng = random.Random(seed)
    kernel = rng.choice(linalg_kernels.KERNELS)
    for _ in range(1000):
        extents = draw_extents(rng, kernel, large)
        if fits(kernel, extents, large):
            break
    dynamic = bool(kernel.dynamic) and rng.random() < 0.5
    return kernel, extents, dynamic, rng.choice(TARGETS)


def label_of(seed, kernel, extents, dynamic, target):
    shape = ",".join(f"{d}={e}" for d, e in extents.items())
    return f"{seed} {kernel.name} {shape}{' dynamic' if dynamic else ''} {target}"


def runs_of(seed, chosen):
    kernel, extents, dynamic, target = draw(seed)
    path = chosen.out / f"{seed}.{kernel.name}.mlir"
    path.write_text(kernel.text(extents, dynamic))
    label = label_of(seed, kernel, extents, dynamic, target)
    flags = kernel.flags(extents, dynamic)
    # What few terms make cancels in the second product; whole numbers have exact sums.
    if kernel.name == "mlp" and extents["k"] < 8:
        flags += [f"--input=arg{number}=whole:{number}:-2:2" for number in range(3)]
    command = [chosen.distaff, "run", str(path), *suite.target_flags(target, seed, chosen), "--check", *flags]
    return suite.Run(label, command, compares=False)


def seconds_of(command):
    """Exit status and processor time of a command; what it says goes to a file beside its output."""
    process = subprocess.Popen(command, stderr=open(f"{command[-1]}.log", "w"))
    _, status, usage = os.wait4(process.pid, 0)
    return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime


def find(number):
    name, *rest = FOUND[number]
    return next(kernel for kernel in linalg_kernels.KERNELS if kernel.name == name), *rest


def compile_one(seed, drawn, chosen):
    """(label, what is wrong or None, seconds) of a seed's code."""
    kernel, extents, dynamic, target = drawn
    label = label_of(seed, *drawn)
    path = chosen.out / f"{seed}.{kernel.name}.mlir"
    path.write_text(kernel.text(extents, dynamic))
    kind = "ptx" if target.startswith("sm") else "gcn"
    code, seconds = seconds_of([chosen.distaff, "compile", str(path), "--target", target, "--emit", kind, "-o", str(path.with_suffix("." + kind))])
    if code:
        return label, f"exit {code}: " + pathlib.Path(f"{path.with_suffix('.' + kind)}.log").read_text()[:800], seconds
    if seconds > MOST_SECONDS:
        return label, f"took {seconds:.1f} s", seconds
    if kind == "ptx" and shutil.which("ptxas"):
        done = subprocess.run(["ptxas", "-v", f"-arch={target}", str(path.with_suffix(".ptx")), "-o", "/dev/null"], capture_output=True, text=True)
        spills = [int(n) for n in re.findall(r"(\d+) bytes spill", done.stdout + done.stderr)]
        if done.returncode or any(spills):
            return label, f"ptxas: exit {done.returncode}, spills {spills} {done.stderr[-300:] if done.returncode else ''}", seconds
    return label, None, seconds


def compile_all(seeds, draw_one, chosen):
    times, wrong = [], 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for label, why, seconds in pool.map(lambda seed: compile_one(seed, draw_one(seed), chosen), seeds):
            times.append(seconds)
            if why:
                wrong += 1
                print(f"FAIL {label}: {why}", flush=True)
    times.sort()
    print(f"{len(times) - wrong} right, {wrong} wrong of {len(times)} compilations; "
          f"median {times[len(times) // 2]:.2f} s, longest {times[-1]:.2f} s, ptxas {'looked' if shutil.which('ptxas') else 'is not there'}")
    return wrong


def flag(name):
    if name in sys.argv:
        sys.argv.remove(name)
        return True
    return False


if __name__ == "__main__":
    seeds = suite.taken("--seeds") or range(40)
    large = flag("--large")
    compiles = flag("--compile") or large
    found = flag("--found")
    chosen = suite.options()
    if found:
        sys.exit(compile_all(depth.some(range(len(FOUND)), 3), find, chosen) > 0)
    if compiles:
        sys.exit(compile_all(depth.some(seeds, 7), lambda seed: draw(seed, large), chosen) > 0)
    suite.main([runs_of(seed, chosen) for seed in seeds], chosen, one_in=23)
