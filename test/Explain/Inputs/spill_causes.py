"""Kernels that spilled for one reason each, which is gone.

usage: spill_causes.py OUT_DIR

For sm_80 on the pipeline run-cluster ptxas spills nothing of any.
"""
import json
import pathlib
import shutil
import sys

sys.path += [str(pathlib.Path(__file__).resolve().parents[2] / folder) for folder in ("ForkServer", "Execution/Inputs")]
import depth
import fork_server
from register_kernels import kernel

BATCHES = dict(batched=True, dynamic=True)
CASES = {
    "what is the same for all tiles of a workgroup": (kernel(("f32", "f32"), (512, 512, 256), **BATCHES), "producer-consumer"),
    "sums that are stored under conditions": (kernel(("f32", "f32"), (200000, 64, 16)), "none"),
    "loads of code in no loop": (kernel(("f64", "f64"), (1000, 1000, 8)), "none"),
    "halves apart": (kernel(("f16", "f16"), (512, 512, 256), **BATCHES), "ping-pong"),
    "operands extended": (kernel(("i8", "i32"), (512, 512, 512)), "ping-pong"),
    "a bias that sums began with": (kernel(("f64", "f64"), (1000, 1000, 16), epilogue="bias"), "none"),
    "sums of 64 bits": (kernel(("i64", "i64"), (512, 512, 256), **BATCHES), "none"),
}


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    if not shutil.which("ptxas"):
        print(f"{len(CASES)} kernels skipped: no ptxas")
        return 0
    failures, cases = 0, depth.some(CASES.items(), 2)
    for name, (text, way) in cases:
        path = out / "kernel.mlir"
        path.write_text(text)
        done = fork_server.run(["distaff", "explain", str(path), "--target", "sm_80", "--pipeline", "run-cluster", "--specialize", way, "--format", "json"])
        takes = json.loads(done.stdout)["resources"] if not done.returncode else None
        if not takes or takes["assembled"]["spilledBytes"]:
            print(f"FAIL {name}: {takes or done.stderr}")
            failures += 1
    print(f"{len(cases)} kernels, {failures} wrong")
    return failures > 0


sys.exit(main())
