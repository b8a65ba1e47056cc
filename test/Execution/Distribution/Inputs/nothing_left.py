"""After distribution nothing is left to distribute (VX-65): no to_layout, no to_simd or
to_simt, and no vector of the source, of which every lane would have all. Of random
programs (random_kernels.py), and of reductions, scans and contractions of every kind.

A vector that is spread over lanes has fewer elements in each: none that is left may have
as many as the source's widest. That is not asked of programs with an anchor that keeps
half of a value, or more, in the registers of a lane.

    python3 nothing_left.py OUT_DIR [--distaff FILE]
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "ForkServer"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import fork_server

import every_kind
import random_kernels
import semirings
from random_layouts import product

LEFT = re.compile(r"iree_vector_ext\.(?:to_layout|to_simd|to_simt)\b")


def extents(text):
    """The number of elements of every type of a vector."""
    return [product(int(extent) for extent in dims.split("x")[:-1]) for dims in re.findall(r"vector<((?:\d+x)*)[a-z]", text)]


def layouts(text):
    """Registers and elements of every layout of a program's text."""
    for nested in re.findall(r"#iree_vector_ext\.nested_layout<(.*?)>", text):
        tiles = {level: product(map(int, sizes.split(","))) for level, sizes in re.findall(r"(\w+)_tile = \[([\d, ]+)\]", nested)}
        yield tiles.get("batch", 1) * tiles.get("outer", 1) * tiles.get("element", 1), product(tiles.values())
    for digits in re.findall(r"#iree_vector_ext\.digit_layout<(.*?)>", text):
        sizes = [(axis, int(size)) for axis, size in re.findall(r"(\w+)\((\d+), \d+\)", digits)]
        yield product(size for axis, size in sizes if axis == "reg"), product(size for _, size in sizes)


def is_spread(text):
    """Whether every anchor leaves a lane less than half of its value, and one is of the widest."""
    widest = max(extents(text), default=0)
    laid_out = list(layouts(text))
    return (widest >= 64 and any(elements == widest for _, elements in laid_out)
            and all(2 * registers < elements or elements < 16 for registers, elements in laid_out))


def judge(case):
    name, text, target, out, distaff = case
    path = out / f"{name}.mlir"
    path.write_text(text)
    done = fork_server.run([distaff, "compile", str(path), "--target", target, "--stop-after=distribute"])
    if done.returncode:
        return f"exit {done.returncode}\n{done.stderr[:1500]}", False
    if left := LEFT.search(done.stdout):
        return f"{left[0]} is left", False
    if not is_spread(text):
        return None, False
    widest, wide = max(extents(text)), max(extents(done.stdout), default=0)
    return f"a vector of {wide} elements is left, of {widest} in the source" if wide >= widest else None, True


def cases(out, distaff):
    for seed in random_kernels.SUITE:
        yield random_kernels.Generator(seed).generate()
    for number, rng in enumerate(map(random.Random, range(90))):
        kind, element = rng.choice(list(every_kind.pairs()))
        family = rng.choice([every_kind.reduction, every_kind.scan])
        case = every_kind.Case(f"{family.__name__}_{kind}_{element}_{rng.randrange(1 << 30)}", rng, out, must_cross=number % 2 == 0)
        family(case, kind, element)
        yield case.kernel
    for number, case in enumerate(semirings.cases(out, [0])):
        if number % 2 == 0:
            yield case.kernel


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--distaff", default="distaff")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    chosen = [(kernel.name, kernel.text(), every_kind.TARGETS[kernel.subgroup], options.out, options.distaff)
              for kernel in depth.some(cases(options.out, options.distaff), 4)]
    failed = widths = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for case, (wrong, is_judged) in zip(chosen, pool.map(judge, chosen)):
            failed += bool(wrong)
            widths += is_judged
            if wrong:
                print(f"FAIL {case[0]}: {wrong}")
    print(f"{len(chosen) - failed} of {len(chosen)} kernels have nothing left; the widths of {widths} were compared")
    sys.exit(failed > 0 or not 4 * widths > len(chosen))


main()
