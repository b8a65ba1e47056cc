"""What configure promises of registers and work, for random kernels and shapes.

usage: resources.py [--seeds FIRST:LAST] [--distaff FILE]

For each triple of sweep.py's kind: the vectors of a lane fit into what it may
have of the register file, ptxas (where it is installed) spills nothing, a
workgroup of several has a point for every lane of a subgroup, and at
least half of its lanes have some; or else a warning says so. Of the shapes listed
here only those may warn that say so. What is computed is checked as well, with
`distaff run --check`.
"""
import argparse
import collections
import concurrent.futures
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import kernels

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "ForkServer"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Execution" / "Inputs"))
import depth
import fork_server

# Lanes of a subgroup; registers of a lane, and of all lanes of a workgroup.
MACHINES = {"sm_80": (32, 255, 65536), "sm_90a": (32, 255, 65536), "gfx942": (64, 512, 131072)}
LIMIT = 30  # seconds of any process
MOST_POINTS = 1 << 14  # that `distaff run --check` gets

# Once spilled up to 62 KB per lane, were refused, took a minute, or gave one
# element to each workgroup. With them, what a warning may still name: primes
# leave lanes without work, and a head of 71 takes many registers of one lane.
LISTED = [("attention", (22, 61, 43, 29), "sm_90a", {"work"}), ("attention", (1, 2, 32, 71), "sm_90a", {"registers"}),
          ("attention", (2, 29, 400, 37), "gfx942", {"work"}), ("attention", (3, 17, 673, 56), "sm_80", {"registers"}),
          ("attention", (2, 64, 4096, 64), "sm_80", set()), ("matmul_bias_relu", (67, 8, 6), "sm_90a", {"work"}),
          ("matmul_bias_relu", (89, 8, 253), "sm_90a", {"work"}), ("gated_matmul", (256, 256, 256), "sm_80", set()),
          ("gated_matmul", (512, 1024, 64), "gfx942", set()), ("gated_matmul", (2048, 2048, 2048), "sm_80", set()),
          ("add", (1009, 1013), "sm_80", set()), ("bias_gelu", (1009, 1021), "gfx942", set()),
          ("add_transposed", (127, 1013), "sm_90a", set()), ("scale_channels", (7, 11, 1021), "sm_80", set()),
          ("moments", (997, 512), "sm_80", set()), ("layernorm", (64, 16384), "gfx942", set())]
ALL = {"registers", "work"}


def execute(*command):
    return fork_server.run(command, LIMIT)


def promises_of(explanation, target, points):
    """Which promises the choice breaks: `registers`, `work`."""
    lanes, per_lane, per_unit = MACHINES[target]
    size, registers = map(int, re.search(r"W=(\d+) .*registers/lane <= (\d+)", explanation).groups())
    workgroups = int(re.search(r"tile sizes.*?(\d+) workgroups", explanation)[1])
    broken = set()
    if registers > min(per_lane, per_unit // size):
        broken.add("registers")
    if workgroups > 1 and points < workgroups * lanes:
        broken.add("work")
    return broken


def warned_of(text):
    kinds = {"registers": "registers per lane hold vectors", "work": "lanes of each of"}
    return {kind for kind, words in kinds.items() if re.search(rf"warning: .*{words}", text)}


def spills(path, target):
    if target.startswith("gfx"):
        text = path.read_text()
        return int(re.search(r"\.vgpr_spill_count: +(\d+)", text)[1]) > 0
    if not shutil.which("ptxas"):
        return None
    done = execute("ptxas", f"-arch={target}", "-v", str(path), "-o", os.devnull)
    assert done.returncode == 0, done.stderr
    return int(re.search(r"(\d+) bytes spill stores", done.stderr)[1]) > 0


def judge(name, extents, target, may_warn, distaff):
    """What is wrong with one triple, and what was found about it."""
    kernel = kernels.build(name, dict(zip(kernels.KERNELS[name][1], extents)))
    points = math.prod(extents)
    with tempfile.TemporaryDirectory() as folder:
        path, code = Path(folder) / "kernel.mlir", Path(folder) / "kernel.s"
        path.write_text(kernel.text())
        explained = execute(distaff, "explain", str(path), "--target", target)
        emit = "gcn" if target.startswith("gfx") else "ptx"
        compiled = execute(distaff, "compile", str(path), "--target", target, "--emit", emit, "-o", str(code))
        if explained.returncode or compiled.returncode:
            return [f"refused: {compiled.stderr or explained.stderr}"], set()
        broken = promises_of(explained.stdout, target, points)
        spilled = spills(code, target)
        found = {"spills unseen"} if spilled is None else {"spills counted"}
        if spilled:
            broken.add("registers")
        warned = warned_of(compiled.stderr)
        wrong = [f"{kind} are too few, and no warning says so" for kind in broken - warned]
        wrong += [f"{kind} are too few, though there are tiles that fit" for kind in (warned | broken) - may_warn]
        if points <= MOST_POINTS:
            run = execute(distaff, "run", str(path), "--target", target, "--check")
            found.add({0: "right", 3: "undecided"}.get(run.returncode, "wrong"))
            if run.returncode not in (0, 3):
                wrong.append(f"exit {run.returncode} of run --check: {run.stdout}{run.stderr}")
        return wrong, found | {f"warned of {kind}" for kind in warned}


def judge_in_time(*case):
    try:
        return judge(*case)
    except subprocess.TimeoutExpired as endless:
        return [f"no end of `{Path(endless.cmd[0]).name}` within {LIMIT} s"], {"endless"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="0:40")
    parser.add_argument("--distaff", default="distaff")
    options = parser.parse_args()
    cases = list(LISTED)
    for seed in range(*map(int, options.seeds.split(":"))):
        name, target, extents = kernels.triple(lambda index: random.Random(f"resources:{index}"), seed)
        cases.append((name, tuple(extents.values()), target, ALL))
    cases = depth.some(cases, 6)
    failed, counts = 0, collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        results = pool.map(lambda case: judge_in_time(*case, options.distaff), cases)
        for (name, extents, target, _), (wrong, found) in zip(cases, results):
            counts.update(found)
            failed += bool(wrong)
            for text in wrong:
                print(f"FAIL {name} {'x'.join(map(str, extents))} {target}: {text}")
    print(f"{len(cases) - failed} of {len(cases)} keep their promises; {dict(sorted(counts.items()))}")
    return failed > 0


sys.exit(main())
