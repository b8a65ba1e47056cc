"""Random kernels, shapes and targets, compared with the reference.

usage: linalg_sweep.py OUT_DIR --seeds FIRST:LAST [options of suite.py]

A seed is a kernel of linalg_kernels.py, extents for it, and a target. Extents are
log-uniform from 0 to 1025, some of them primes, as long as the iteration space has
at most 2^20 points (what the machine runs in a second or so); head dimensions are
16 to 128.
"""
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import linalg_kernels
import suite

TARGETS = ("sm_80", "sm_90a", "gfx942", "gfx1100")
PRIMES = [n for n in range(2, 1026) if all(n % d for d in range(2, int(n**0.5) + 1))]
MOST_POINTS = 1 << 20


def draw_extent(rng):
    kind = rng.random()
    if kind < 0.03:
        return 0
    extent = int(math.exp(rng.uniform(0, math.log(1025.99))))
    if kind < 0.4:
        return min(PRIMES, key=lambda p: abs(p - extent))
    return extent


def draw(seed):
    """(kernel, extents, dynamic, target) of a seed."""
    rng = random.Random(seed)
    kernel = rng.choice(linalg_kernels.KERNELS)
    for _ in range(1000):
        extents = {}
        for dim in kernel.shapes["divisible"]:
            extents[dim] = rng.choice([16, 32, 64, 80, 128]) if kernel.family == "attention" and dim == "d" else draw_extent(rng)
        # No keys are no softmax, no position is inside of nothing, and a slice
        # of nothing begins nowhere.
        for dim in {"attention": "t", "gather": "vn", "shape": "mn"}.get(kernel.family, ""):
            if dim in extents:
                extents[dim] = max(extents[dim], 1)
        if math.prod(max(e, 1) for e in extents.values()) <= MOST_POINTS // (32 if kernel.family in ("convolution", "pooling") else 1):
            break
    dynamic = bool(kernel.dynamic) and rng.random() < 0.5
    return kernel, extents, dynamic, rng.choice(TARGETS)


def runs_of(seed, chosen):
    kernel, extents, dynamic, target = draw(seed)
    path = chosen.out / f"{seed}.{kernel.name}.mlir"
    path.write_text(kernel.text(extents, dynamic))
    shape = ",".join(f"{d}={e}" for d, e in extents.items())
    # Whole numbers have sums without a bound to speak of.
    label = f"{seed} {kernel.name} {shape}{' dynamic' if dynamic else ''} {target}"
    command = [chosen.distaff, "run", str(path), "--target", target, "--check", *kernel.flags(extents, dynamic)]
    return suite.Run(label, command, compares=False)


if __name__ == "__main__":
    seeds = suite.taken("--seeds") or range(40)
    chosen = suite.options()
    suite.main([runs_of(seed, chosen) for seed in seeds], chosen)
