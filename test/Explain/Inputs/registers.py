"""What explain says that a kernel takes, against ptxas and the package.

usage: registers.py OUT_DIR [--every N] [--table] [--distaff FILE]

Every Nth kernel of register_kernels.py, for sm_80 on the pipeline run-cluster: registers and
spilled bytes that explain has from ptxas are those of `ptxas -v` on what is compiled;
shared memory is what ptxas says where the kernel declares it, and the package's manifest
where the launch allocates it; the estimate of registers, as far as a lane has so many, is
between LEAST and MOST of ptxas's; where spills are predicted ptxas spills and compile
warns; where they are possible it spills up to FEW bytes; where they are not it spills none.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "ForkServer"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Execution" / "Inputs"))
import depth
import fork_server
import register_kernels

LEAST, MOST = 0.5, 1.5  # of ptxas's registers
FEW = 128
MOST_POSSIBLE = 0.67  # of the kernels, of which many have tiles near what a lane has; 0.63 of all
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
    pipeline = ["--target", "sm_80", "--pipeline", "run-cluster", "--specialize", way]
    explained = json.loads(execute(options.distaff, "explain", kernel, *pipeline, "--format", "json").stdout)
    warnings = execute(options.distaff, "compile", kernel, *pipeline, "--emit", "ptx", "-o", code).stderr
    execute(options.distaff, "compile", kernel, *pipeline, "--emit", "package", "-o", package)
    said = execute("ptxas", "-arch=sm_80", "-v", code, "-o", os.devnull).stderr
    shared = re.search(r"(\d+) bytes smem", said)
    real = {"by": "ptxas", "registers": int(re.search(r"Used (\d+) registers", said)[1]),
            "spilledBytes": int(re.search(r"(\d+) bytes spill stores", said)[1]), "sharedBytes": int(shared[1]) if shared else 0}
    takes, allocated = explained["resources"], explained["kernel"]["allocatedBytes"]
    launch = manifest(package)["launches"][0]["shared_memory"]
    estimate = min(takes["registers"], takes["available"]) / real["registers"]
    predicted, possible, spilled = takes["spilledBytes"] > 0, takes["spillsPossible"], real["spilledBytes"]
    wrong = []
    if takes["assembled"].pop("spilledScalars") != 0 or takes["assembled"] != real:
        wrong.append(f"explain has {takes['assembled']} of ptxas, which says {real}")
    if (takes["launchBytes"], allocated) != (launch, launch or real["sharedBytes"]):
        wrong.append(f"explain has {allocated} B of shared memory and {takes['launchBytes']} at launch, ptxas {real['sharedBytes']}, the manifest {launch}")
    if not LEAST <= estimate <= MOST:
        wrong.append(f"{takes['registers']} registers estimated, {real['registers']} taken")
    if predicted and not spilled:
        wrong.append(f"{takes['spilledBytes']} B of spills predicted, and none there")
    if not predicted and spilled > FEW:
        wrong.append(f"{spilled} B spilled, and none predicted")
    if not possible and spilled:
        wrong.append(f"{spilled} B spilled, and not possible")
    if predicted and not possible:
        wrong.append("spills predicted that are not possible")
    if predicted != ("will be spilled to memory" in warnings):
        wrong.append(f"{takes['spilledBytes']} B of spills predicted, and compile says: {warnings}")
    if options.table:
        print(f"| {name} | {takes['registers']} | {real['registers']} | {takes['spilledBytes'] or 'a few' * possible or 0} | {spilled} |")
    return wrong, estimate, possible, spilled


def main():
    cases = depth.some(list(register_kernels.cases())[::options.every], 6)
    if not shutil.which("ptxas"):
        print(f"{len(cases)} kernels skipped: no ptxas")
        return 0
    failures, estimates, spilling, possible = 0, [], 0, 0
    for name, text, way in cases:
        wrong, estimate, may_spill, spilled = judge(name, text, way)
        estimates.append(estimate)
        spilling += spilled > 0
        possible += may_spill
        failures += bool(wrong)
        for said in wrong:
            print(f"FAIL {name}: {said}")
    if possible > MOST_POSSIBLE * len(cases):
        print(f"FAIL spills are possible in {possible} of {len(cases)}")
        failures += 1
    estimates.sort()
    print(f"{len(cases)} kernels, {failures} wrong; estimate over ptxas's {estimates[0]:.2f} to {estimates[-1]:.2f}, median "
          f"{estimates[len(estimates) // 2]:.2f}; {spilling} spill, {possible} may")
    return failures > 0


sys.exit(main())
