"""What the scripts of this folder share: the passes of the run-cluster pipeline, stage by
stage, the functions of the samples, how one lane's program becomes a kernel, and flags.
"""
import argparse
import pathlib
import re
import sys

import fork_server

SAMPLES = pathlib.Path(__file__).resolve().parents[3] / "Dialect" / "PCF"
VECTORIZE = ["--distaff-vectorize", "--pcf-vectorize-slices", "--canonicalize", "--cse"]
CONCRETIZE = ["--pcf-resolve-tokens", "--one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map",
              "--pcf-convert-sref-to-memref", "--pcf-lower-structural", "--scf-forall-to-for", "--canonicalize", "--cse"]
TO_COPIES = [("wrap-in-executor", ["--distaff-wrap-in-executor"]), ("form-matmul-phases", ["--distaff-form-matmul-phases"]), ("promote-to-shared-memory", ["--distaff-promote-to-shared-memory"])]
TO_VECTORS = [
    ("distribute-subgroups", ["--pcf-distribute=scope=#iree_gpu.subgroup_scope"]),
    ("telescope", ["--pcf-resolve-clusters=telescope-to=#iree_gpu.lane_scope"]),
    ("distribute-lanes", ["--pcf-distribute=scope=#iree_gpu.lane_scope"]),
    ("resolve-lanes", ["--pcf-resolve-clusters"]),
    ("vectorize", VECTORIZE),
]
TO_LANES = [*TO_VECTORS, ("concretize", CONCRETIZE)]
# Of phases of one scope: their members, what they run, and on vectors.
PHASES_TO_VECTORS = [("group", []), ("members", ["--pcf-distribute"]), ("lanes", ["--pcf-resolve-clusters"]), ("vectors", VECTORIZE)]


def read_flags(**more):
    """The folder for what is made, which is there then, the tools, and other flags by their defaults."""
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    for name, default in {**more, "distaff": "distaff", "distaff_opt": "distaff-opt"}.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=str if default is None else type(default), default=default)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    return options


def optimize(options, source, passes, path):
    done = fork_server.run([options.distaff_opt, source, *passes, "-o", path])
    if done.returncode:
        sys.exit(f"FAIL {path.name}: {done.stderr}")
    return path


def after_each(options, stages, path, prefix=""):
    """Each stage and the file after it, which is made when it is asked for; the first stage is the file."""
    for stage, passes in stages:
        if passes:
            path = optimize(options, path, passes, options.out / f"{prefix}{stage}.mlir")
        yield stage, path


def sample(function, file="samples-pipeline.mlir"):
    """A function of the samples, with the aliases of its file before it."""
    text = (SAMPLES / file).read_text()
    aliases = "".join(line + "\n" for line in text.splitlines() if re.match(r"[#!]\w+ *=", line))
    return aliases + re.search(rf"func\.func @{function}\(.*?\n}}\n", text, re.S).group(0)


def returning(text, m, n, launch):
    """A function of samples-specialization.mlir as a kernel that returns its product."""
    text = text.replace(") {\n", f") -> tensor<1x{m}x{n}xf32> attributes {{translation_info = {launch}}} {{\n", 1)
    return text.replace("\n  return\n", f"\n  return %res : tensor<1x{m}x{n}xf32>\n")


def as_lanes(path, function, grid=(1, 1, 1)):
    """What concretize leaves is one lane's program: the kernel around it says so. What pcf was is gone (PCF-93)."""
    text = path.read_text()
    assert "pcf." not in text and "tensor" not in text
    head, body = text.split(f"  func.func @{function}(", 1)
    threads = re.search(r"workgroup_size = \[(\d+), 1, 1\]", head).group(1)
    head = re.sub(r"(pipeline = \w+ )?workgroup_size = \[[^]]*\] ", "", head.replace("module {\n", "", 1))
    body = re.sub(r"\)(?: -> [^{]*?)? attributes \{", f") kernel attributes {{known_block_size = array<i32: {threads}, 1, 1>, "
                  f"known_grid_size = array<i32: {', '.join(map(str, grid))}>, ", body, count=1)
    body = re.sub(r"\n    return[^\n]*\n", "\n    gpu.return\n", body)
    wrapped = path.with_suffix(".gpu.mlir")
    wrapped.write_text(f"{head}gpu.module @kernels {{\n  gpu.func @{function}({body}")
    return wrapped
