"""usage: pass_aliases.py EXAMPLES FOLDER: the cases of pass-aliases.test.

Every alias that `distaff-opt --help` lists is run on IR of the stage before its
step, and prints what the passes print that it stands for; on that IR the passes
have something to do."""
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "ForkServer"))
import fork_server

EXAMPLES, FOLDER = Path(sys.argv[1]), Path(sys.argv[2])
PCF = Path(__file__).resolve().parents[2] / "PCF"
CONVERSION = PCF.parent / "Conversion"
CLUSTERS = ("run-cluster", EXAMPLES / "matmul_dynamic.mlir")
LAYOUTS = ("vector-distribute", EXAMPLES / "softmax.mlir")
TARGET = "target=sm_80"

# The input of each step, a kernel behind a stage of a pipeline or a file, and the options that it needs.
STEPS = {
    "distaff-configure-clusters": ((*CLUSTERS, "form-launches"), TARGET),
    "distaff-tile-to-pcf": ((*CLUSTERS, "configure"), TARGET),
    "distaff-wrap-in-executor": ((*CLUSTERS, "tile"), ""),
    "distaff-form-matmul-phases": ((*CLUSTERS, "wrap-in-executor"), ""),
    "distaff-promote-to-shared-memory": ((*CLUSTERS, "form-matmul-phases"), ""),
    "pcf-distribute{scope=#iree_gpu.subgroup_scope}": ((*CLUSTERS, "specialize"), ""),
    "pcf-distribute{scope=#iree_gpu.lane_scope}": ((*CLUSTERS, "distribute-subgroups"), ""),
    "vector-ext-vectorize-to-layout": ((*CLUSTERS, "distribute-lanes"), ""),
    "pcf-convert-forall-to-loops": (PCF / "forall-to-loops.mlir", "scope=#iree_gpu.subgroup_scope"),
    "pcf-fuse-consumers": (PCF / "Inputs/fusions/fuse-consumers.mlir", ""),
    "pcf-fuse-producers": (PCF / "Inputs/fusions/fuse-producers.mlir", ""),
    "pcf-fuse-writes": (PCF / "Inputs/fusions/fuse-writes.mlir", ""),
    "pcf-resolve-tokens": ((*CLUSTERS, "vectorize"), ""),
    "pcf-convert-sref-to-memref": (CONVERSION / "convert-sref-to-memref.mlir", ""),
    "pcf-lower-structural": (CONVERSION / "pcf-lower-structural.mlir", ""),
    "distaff-configure": ((*LAYOUTS, "form-launches"), TARGET),
    "distaff-tile": ((*LAYOUTS, "configure"), TARGET),
    "distaff-bufferize": ((*LAYOUTS, "vectorize"), ""),
    "distaff-assign-layouts": ("distaff-bufferize", TARGET),
    "distaff-distribute": ((*LAYOUTS, "assign-layouts"), TARGET),
    "gpu.module(gpu.func(distaff-lower-lane-exchange))": ((*LAYOUTS, "distribute"), TARGET),
    "gpu.module(gpu.func(distaff-lower-vectors))": ((*LAYOUTS, "distribute"), TARGET),
    "distaff-convert-gpu-to-nvvm": ((*LAYOUTS, "lower"), TARGET),
    "distaff-convert-gpu-to-rocdl": (("vector-distribute", EXAMPLES / "softmax.mlir", "lower", "gfx942"), "target=gfx942"),
}


def run(*command):
    done = fork_server.run([str(part) for part in command])
    assert done.returncode == 0, f"{command}: {done.stderr[:400]}"
    return done.stdout


def opt(file, *flags):
    return run("distaff-opt", file, "-allow-unregistered-dialect", "--split-input-file", *flags)


def write(name, text):
    path = FOLDER / f"{re.sub(r'[^a-z0-9]+', '-', name)}.mlir"
    path.write_text(text)
    return path


def file_of(step):
    """The file that a step's row names; what a pass or a stage gives is written to one."""
    if isinstance(step, Path):
        return step
    if isinstance(step, str):
        return write(step, opt(file_of(STEPS[step][0]), f"--{step}"))
    pipeline, kernel, stage, target = (*step, "sm_80")[:4]
    path = FOLDER / f"{kernel.stem}-{pipeline}-{stage}-{target}.mlir"
    if not path.exists():
        path.write_text(run("distaff", "compile", kernel, "--target", target, "--pipeline", pipeline, f"--stop-after={stage}"))
    return path


def named_passes(passes, options):
    """The text of a pipeline in which the one pass has its options."""
    if not options:
        return passes
    end = passes.index(")") if ")" in passes else len(passes)
    return f"{passes[:end]}{{{options}}}{passes[end:]}"


aliases = re.findall(r"^ +--(\S+) +- +Alias of '(.*)'$", run("distaff-opt", "--help"), re.MULTILINE)
steps = {}
for alias, passes in aliases:
    steps.setdefault(passes, []).append(alias)
for passes, names in steps.items():
    first = passes.split(",")[0]
    assert first in STEPS, f"{names} has no input here"
    step, options = STEPS[first]
    file = file_of(step)
    before = opt(file)
    expected = opt(file, f"--pass-pipeline=builtin.module({named_passes(passes, options)})")
    assert expected != before, f"'{passes}' does nothing on {file}"
    for name in names:
        text = opt(file, f"--{name}={options}" if options else f"--{name}")
        assert text == expected, f"{name} does not print what '{passes}' does"
    assert len(names) == 3, f"{names}: a class with and without 'Pass', and a flag"
assert {passes.split(",")[0] for passes in steps} == set(STEPS), "a row is of no alias"
print(f"{len(aliases)} aliases of {len(steps)} steps print what their passes print")
