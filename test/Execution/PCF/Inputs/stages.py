"""A matrix product from its workgroup loop to code of lanes, stage by stage, run
by the SIMT machine after every one on whole numbers, whose sums are exact, and
compared with products computed here. Extents are around the tiles of 256 x 128 x 64.
As many bytes are written as there are: with the right values, every element once.
With --layouts, lanes have fragments of instructions.

    python3 stages.py OUT_DIR [--points N] [--layouts] [--distaff PATH] [--distaff-opt PATH]
"""
import argparse
import pathlib
import random
import re
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "test" / "ForkServer"))
import fork_server

STAGES = [
    ("tiled", []),
    ("wrap", ["--distaff-wrap"]),
    ("form-flow", ["--distaff-form-flow"]),
    ("copies", ["--distaff-copies"]),
    ("distribute-subgroups", ["--pcf-distribute=scope=#iree_gpu.subgroup_scope"]),
    ("telescope", ["--pcf-resolve-clusters=telescope-to=#iree_gpu.lane_scope"]),
    ("distribute-lanes", ["--pcf-distribute=scope=#iree_gpu.lane_scope"]),
    ("resolve-lanes", ["--pcf-resolve-clusters"]),
    ("vectorize", ["--distaff-vectorize", "--pcf-vectorize-slices", "--canonicalize", "--cse"]),
    ("concretize", ["--pcf-resolve-tokens", "--one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map",
                    "--pcf-convert-sref-to-memref", "--pcf-lower-structural", "--scf-forall-to-for", "--canonicalize", "--cse"]),
]
# The launch of the samples, and one of eight subgroups of 32 lanes, for the machine that runs PTX.
TARGETS = {"gfx942": [], "sm_80": [("subgroup_size = 64", "subgroup_size = 32"), ("subgroup = [128, 64, 0]", "subgroup = [64, 64, 0]")]}
SIZES = [(257, 129, 65), (1, 1, 1), (300, 5, 100), (256, 128, 64), (40, 130, 0), (17, 64, 129)]
parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--points", type=int, default=2)
parser.add_argument("--layouts", action="store_true")
parser.add_argument("--distaff", default="distaff")
parser.add_argument("--distaff-opt", default="distaff-opt")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)
if options.layouts:
    # Of no shape that a kernel has: everything is found from the contraction's instruction.
    point = ", ".join(f"{level}_tile = [1]" for level in ("subgroup", "batch", "outer", "thread", "element"))
    layout = f"#iree_vector_ext.nested_layout<{point}, subgroup_strides = [0], thread_strides = [0]>"
    STAGES = [(name, [f"{flag} impl='{layout}'" if "pcf-distribute" in flag else flag for flag in flags])
              for name, flags in STAGES if name != "vectorize"]
    TARGETS["sm_80"].append(("MFMA_F32_16x16x16_F16", "NV_MMA_SYNC_F32_16x8x16_F16"))


def write(path, code, descr, shape, numbers):
    dims = "".join(f"{extent}, " for extent in shape)
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(numbers)}{code}", *numbers))
    return path


def source(target):
    """The function of the samples that is tiled, with the aliases before it."""
    text = (ROOT / "test/Dialect/PCF/samples-pipeline.mlir").read_text()
    aliases = "".join(line + "\n" for line in text.splitlines() if re.match(r"[#!]\w+ *=", line))
    text = aliases + re.search(r"func\.func @tiled.*?\n}\n", text, re.S).group(0)
    for old, new in TARGETS[target]:
        assert old in text
        text = text.replace(old, new)
    return text


def as_lanes(path, grid):
    """What concretize leaves is one lane's program: the kernel around it says so. What pcf was is gone (PCF-93)."""
    text = path.read_text()
    assert "pcf." not in text and "tensor" not in text
    head, function = text.split("  func.func @tiled(", 1)
    head = re.sub(r"pipeline = \w+ workgroup_size = \[[^]]*\] ", "", head.replace("module {\n", "", 1))
    function = re.sub(r"\)(?: -> [^{]*?)? attributes \{", f") kernel attributes {{known_block_size = array<i32: 256, 1, 1>, "
                      f"known_grid_size = array<i32: {', '.join(map(str, grid))}>, ", function, count=1)
    function = re.sub(r"\n    return[^\n]*\n", "\n    gpu.return\n", function)
    wrapped = path.with_suffix(".gpu.mlir")
    wrapped.write_text(f"{head}gpu.module @kernels {{\n  gpu.func @tiled({function}")
    return wrapped


def make_stages(target):
    files, previous = [], options.out / f"{target}-0-tiled.mlir"
    previous.write_text(source(target))
    for i, (name, passes) in enumerate(STAGES):
        if passes:
            path = options.out / f"{target}-{i}-{name}.mlir"
            done = fork_server.run([options.distaff_opt, previous, *passes, "-o", path])
            if done.returncode:
                sys.exit(f"{name}: {done.stderr}")
            previous = path
        files.append((name, previous))
    return files


def written(name, m, n, k):
    """Bytes that are to be written to the result, and to panels where there are any."""
    workgroups = -(-m // 256) * -(-n // 128)
    panels = name not in ("tiled", "wrap", "form-flow")
    return {"global bytes written": 4 * m * n, "shared bytes written": panels * workgroups * -(-k // 64) * 2 * (256 * 64 + 64 * 128)}


def check(done, result, name, m, n, k, product):
    """What is wrong with a run, in words."""
    if done.returncode:
        return done.stderr.strip().splitlines()[:1]
    found = list(struct.unpack(f"<{m * n}f", result.read_bytes()[-4 * m * n:]))
    wrong = [i for i in range(m * n) if found[i] != product[i]]
    said = [f"element {divmod(wrong[0], n)} is {found[wrong[0]]}, not {product[wrong[0]]}"] if wrong else []
    for counter, expected in written(name, m, n, k).items():
        counted = int(re.search(rf"{counter} +(\d+)", done.stdout).group(1))
        said += [f"{counter}: {counted}, not {expected}"] * (counted != expected)
    return said


def run(target, name, path, inputs, size, product):
    m, n, k = size
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    isLanes = name == "concretize"
    if isLanes:
        path = as_lanes(path, (-(-n // 128), -(-m // 256), 1))
    command = [options.distaff, "run", path, "--target", target, "--counters", "--output", f"{'arg2' if isLanes else 'res0'}={result}"]
    for i, file in enumerate(inputs):
        command += ["--input", f"arg{i}={file}"]
    yield name, check(fork_server.run(command), result, name, m, n, k, product)
    if isLanes and target == "sm_80":
        result.unlink(missing_ok=True)
        yield name + " as PTX", check(fork_server.run([*command, "--device", "ptx"]), result, name, m, n, k, product)


def main():
    rng, failures = random.Random(7), 0
    for target in TARGETS:
        files = make_stages(target)
        for m, n, k in SIZES[:options.points]:
            a = [rng.randint(-4, 4) for _ in range(m * k)]
            b = [rng.randint(-4, 4) for _ in range(k * n)]
            columns = [b[j::n] for j in range(n)]
            product = [sum(x * y for x, y in zip(a[i * k:(i + 1) * k], column)) for i in range(m) for column in columns]
            inputs = [write(options.out / "a.npy", "e", "<f2", (m, k), a), write(options.out / "b.npy", "e", "<f2", (k, n), b),
                      write(options.out / "c.npy", "f", "<f4", (m, n), [rng.uniform(1, 9) for _ in range(m * n)])]
            for name, path in files:
                # One lane's code in a phase of its own cannot ask the other lanes: the machine runs it once resolved.
                if options.layouts and name == "distribute-lanes":
                    continue
                for what, said in run(target, name, path, inputs, (m, n, k), product):
                    failures += bool(said)
                    print("FAIL" if said else "ok", target, f"{m}x{n}x{k}", what, *said)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
