"""No tiles that configure chooses for the road run-cluster make ptxas spill.

usage: chosen.py OUT_DIR [--every N] [--distaff FILE]

Every Nth of contractions of many extents and types, plain and with producers apart, for
sm_80: nothing is spilled by ptxas, and of few kernels it is predicted all the same.
"""
import argparse
import itertools
import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "ForkServer"))
import fork_server
from register_kernels import WAYS, kernel

parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--every", type=int, default=1)
parser.add_argument("--distaff", default="distaff")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)

MOST = 0.03  # of the kernels, of which spills are predicted that are not there
TYPES = [("f16", "f32"), ("bf16", "f32"), ("f16", "f16"), ("f32", "f32"), ("i8", "i32"), ("f64", "f64")]
EXTENTS = [(17, 33, 65), (64, 64, 64), (128, 1024, 256), (512, 512, 512), (2048, 64, 128), (300, 150, 100), (4096, 4096, 4096), (8192, 16, 512)]
OTHERS = [{}, {"transposed": True}, {"dynamic": True}, {"epilogue": "bias"}, {"batched": True, "epilogue": "bias+exp2+bias"},
          {"dynamic": True, "transposed": True, "epilogue": "bias"}]


def cases():
    for types, extents, others, way in itertools.product(TYPES, EXTENTS, OTHERS, WAYS):
        if types != ("f64", "f64") or "exp2" not in others.get("epilogue", ""):
            yield f"{types[0]} {types[1]} {'x'.join(map(str, extents))} {others} {way}", kernel(types, extents, **fitting(types, others)), way


def fitting(types, others):
    """Integers have no exp2."""
    return others if types[1] != "i32" else {**others, **({"epilogue": "bias"} if "epilogue" in others else {})}


def main():
    chosen = list(cases())
    chosen = chosen[::options.every]
    if not shutil.which("ptxas"):
        print(f"{len(chosen)} kernels skipped: no ptxas")
        return 0
    failures, most, predicted = 0, 0, 0
    path = options.out / "kernel.mlir"
    for name, text, way in chosen:
        path.write_text(text)
        done = fork_server.run([options.distaff, "explain", str(path), "--target", "sm_80", "--pipeline", "run-cluster", "--specialize", way, "--format", "json"])
        said = done.stderr.strip()[:300]
        if not done.returncode:
            takes = json.loads(done.stdout)["resources"]
            said = "" if takes and not takes["assembled"]["spilledBytes"] else f"{takes}"
            most = max(most, takes["assembled"]["registers"]) if takes else most
            if not said and takes["spilledBytes"]:
                predicted += 1
                print(f"predicted, {name}: {takes}")
        failures += bool(said)
        if said:
            print(f"FAIL {name}: {said}", flush=True)
    if predicted > MOST * len(chosen):
        print("FAIL more of these than there may be")
        failures += 1
    print(f"{len(chosen)} kernels, {failures} wrong; up to {most} registers")
    return failures > 0


sys.exit(main())
