"""Hardly any tiles that configure chooses for the pipeline run-cluster make ptxas spill.

usage: chosen.py OUT_DIR [--every N] [--distaff FILE]

Every Nth of contractions of many extents and types, plain, with producers apart and by
ping-pong, for sm_80: ptxas spills nothing but up to FEW bytes where explain has that for
possible, of few kernels; and of few it is predicted that it spills though it does not.
"""
import argparse
import itertools
import json
import pathlib
import shutil
import sys

sys.path += [str(pathlib.Path(__file__).resolve().parents[2] / folder) for folder in ("ForkServer", "Execution/Inputs")]
import depth
import fork_server
from register_kernels import kernel

parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--every", type=int, default=1)
parser.add_argument("--distaff", default="distaff")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)

FEW = 160
MOST = 0.03  # of the kernels, of which spills are predicted that are not there, or a few are there
WAYS = ("none", "producer-consumer", "ping-pong")
TYPES = [("f16", "f32"), ("bf16", "f32"), ("f16", "f16"), ("bf16", "bf16"), ("f32", "f32"), ("i8", "i32"), ("f64", "f64"), ("i64", "i64")]
# The last ones are of one step.
EXTENTS = [(17, 33, 65), (64, 64, 64), (128, 1024, 256), (512, 512, 512), (2048, 64, 128), (300, 150, 100), (4096, 4096, 4096), (8192, 16, 512),
           (200000, 64, 16), (1000, 1000, 8)]
OTHERS = [{}, {"transposed": True}, {"dynamic": True}, {"epilogue": "bias"}, {"batched": True, "epilogue": "bias+exp2+bias"},
          {"dynamic": True, "transposed": True, "epilogue": "bias"}, {"batched": True, "dynamic": True}]


def cases():
    for types, extents, others, way in itertools.product(TYPES, EXTENTS, OTHERS, WAYS):
        same = "dynamic" in others and extents != EXTENTS[0]
        if not same and (types != ("f64", "f64") or "exp2" not in others.get("epilogue", "")):
            yield f"{types[0]} {types[1]} {'x'.join(map(str, extents))} {others} {way}", kernel(types, extents, **fitting(types, others)), way


def fitting(types, others):
    """Integers have no exp2."""
    return others if types[1][0] != "i" else {**others, **({"epilogue": "bias"} if "epilogue" in others else {})}


def main():
    chosen = list(cases())
    chosen = depth.some(chosen[::options.every], 2)
    if not shutil.which("ptxas"):
        print(f"{len(chosen)} kernels skipped: no ptxas")
        return 0
    failures, most, predicted, few = 0, 0, 0, 0
    path = options.out / "kernel.mlir"
    for name, text, way in chosen:
        path.write_text(text)
        done = fork_server.run([options.distaff, "explain", str(path), "--target", "sm_80", "--pipeline", "run-cluster", "--specialize", way, "--format", "json"])
        if done.returncode:
            print(f"FAIL {name}: {done.stderr.strip()[:300]}", flush=True)
            failures += 1
            continue
        takes = json.loads(done.stdout)["resources"]
        spilled = takes["assembled"]["spilledBytes"]
        most = max(most, takes["assembled"]["registers"])
        if spilled > FEW * takes["spillsPossible"]:
            print(f"FAIL {name}: {takes}", flush=True)
            failures += 1
        elif spilled:
            print(f"{spilled} B, {name}")
            few += 1
        elif takes["spilledBytes"]:
            print(f"predicted, {name}: {takes}")
            predicted += 1
    for count, what in ((predicted, "predictions that are wrong"), (few, "kernels that spill")):
        if count > max(1, MOST * len(chosen)):
            print(f"FAIL {count} {what}")
            failures += 1
    print(f"{len(chosen)} kernels, {failures} wrong; up to {most} registers")
    return failures > 0


sys.exit(main())
