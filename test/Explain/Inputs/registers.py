"""What explain says that a kernel takes, against ptxas and the package.

usage: registers.py OUT_DIR [--every N] [--table] [--distaff FILE]

Every Nth kernel of register_kernels.py, for sm_80 on the road run-cluster: registers and
spilled bytes that explain has from ptxas are those of `ptxas -v` on what is compiled;
shared memory is what ptxas says where the kernel declares it, and the package's manifest
where the launch allocates it; the estimate of registers, as far as a lane has so many, is
between LEAST and MOST of ptxas's; where spills are predicted ptxas spills and compile
warns; where none are it spills no more than FEW bytes, and that in few kernels.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "ForkServer"))
import fork_server
import register_kernels

LEAST, MOST = 0.5, 1.5  # of ptxas's registers
FEW, FEW_KERNELS = 128, 0.05
parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--every", type=int, default=1)
parser.add_argument("--table", action="store_true")
parser.add_argument("--distaff", default="distaff")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)


def execute(*command):
    done = fork_server.run([str(part) for part in command])
    if done.returncode:
        sys.exit(f"FAIL {' '.join(map(str, command))}: {done.stderr}")
    return done


def manifest(path):
    """The JSON at the head of a package."""
    text = path.read_bytes().decode("latin-1")
    return json.JSONDecoder().raw_decode(text[text.index('{"format"'):])[0]


def judge(name, text, way):
    kernel, code, package = (options.out / f"kernel.{kind}" for kind in ("mlir", "ptx", "package"))
    kernel.write_text(text)
    road = ["--target", "sm_80", "--pipeline", "run-cluster", "--specialize", way]
    explained = json.loads(execute(options.distaff, "explain", kernel, *road, "--format", "json").stdout)
    warnings = execute(options.distaff, "compile", kernel, *road, "--emit", "ptx", "-o", code).stderr
    execute(options.distaff, "compile", kernel, *road, "--emit", "package", "-o", package)
    said = execute("ptxas", "-arch=sm_80", "-v", code, "-o", os.devnull).stderr
    shared = re.search(r"(\d+) bytes smem", said)
    real = {"by": "ptxas", "registers": int(re.search(r"Used (\d+) registers", said)[1]),
            "spilledBytes": int(re.search(r"(\d+) bytes spill stores", said)[1]), "sharedBytes": int(shared[1]) if shared else 0}
    takes, allocated = explained["resources"], explained["kernel"]["allocatedBytes"]
    launch = manifest(package)["launches"][0]["shared_memory"]
    estimate = min(takes["registers"], takes["available"]) / real["registers"]
    predicted, spilled = takes["spilledBytes"] > 0, real["spilledBytes"]
    wrong = []
    if takes["assembled"] != real:
        wrong.append(f"explain has {takes['assembled']} of ptxas, which says {real}")
    if (takes["launchBytes"], allocated) != (launch, launch or real["sharedBytes"]):
        wrong.append(f"explain has {allocated} B of shared memory and {takes['launchBytes']} at launch, ptxas {real['sharedBytes']}, the manifest {launch}")
    if not LEAST <= estimate <= MOST:
        wrong.append(f"{takes['registers']} registers estimated, {real['registers']} taken")
    if predicted and not spilled:
        wrong.append(f"{takes['spilledBytes']} B of spills predicted, and none there")
    if not predicted and spilled > FEW:
        wrong.append(f"{spilled} B spilled, and none predicted")
    if predicted != ("will be spilled to memory" in warnings):
        wrong.append(f"{takes['spilledBytes']} B of spills predicted, and compile says: {warnings}")
    if options.table:
        print(f"| {name} | {takes['registers']} | {real['registers']} | {takes['spilledBytes']} | {spilled} |")
    return wrong, estimate, predicted, spilled


def main():
    cases = list(register_kernels.cases())[::options.every]
    if not shutil.which("ptxas"):
        print(f"{len(cases)} kernels skipped: no ptxas")
        return 0
    failures, estimates, spilling, unseen = 0, [], 0, []
    for name, text, way in cases:
        wrong, estimate, predicted, spilled = judge(name, text, way)
        estimates.append(estimate)
        spilling += spilled > 0
        if spilled and not predicted:
            unseen.append(f"{name}: {spilled} B")
        failures += bool(wrong)
        for said in wrong:
            print(f"FAIL {name}: {said}")
    for said in unseen:
        print(f"not predicted, {said}")
    if len(unseen) > FEW_KERNELS * len(cases) * options.every:
        print("FAIL more of these than there may be")
        failures += 1
    estimates.sort()
    print(f"{len(cases)} kernels, {failures} wrong; estimate over ptxas's {estimates[0]:.2f} to {estimates[-1]:.2f}, median "
          f"{estimates[len(estimates) // 2]:.2f}; {spilling} spill, {len(unseen)} of them unpredicted")
    return failures > 0


sys.exit(main())
