"""The matrix product of stages.py, whose copies go to producers, to slots of later
steps, or both: run by the SIMT machine after every stage from there to code of
lanes, and as PTX, on whole numbers, whose sums are exact, and compared with products
computed here, which is what the plain stages give. Panels are filled once per step,
so as many bytes are written as without.

    python3 producers.py OUT_DIR [--points N] [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
import references
from pipeline_passes import TO_COPIES, TO_LANES, as_lanes, optimize, read_flags, sample

# How a kernel is specialized, and workers that it has besides those of the launch.
WAYS = {
    "multi-buffer": (["--pcf-multi-buffer"], 0),
    "separate": (["--pcf-specialize-producers"], 4),
    "both": (["--pcf-multi-buffer", "--pcf-specialize-producers"], 4),
    "depth-3": (["--pcf-specialize-producers=producers=2", "--pcf-multi-buffer=depth=3"], 2),
    "odd": (["--pcf-multi-buffer", "--pcf-specialize-producers=producers=3"], 3),
}
STAGES = [("specialize", []), *TO_LANES]
# Steps of 32 and tiles of 64 x 64, so that three slots fit any memory and Python multiplies matrices in time.
STEP, TILE = 32, 64
SHRUNK = [("[256, 128, 0]", "[64, 64, 0]"), ("[0, 0, 64]", "[0, 0, 32]"), ("ceildiv 256", "ceildiv 64"), ("ceildiv 128", "ceildiv 64"),
          ("%c256 = arith.constant 256", "%c256 = arith.constant 64"), ("%c128 = arith.constant 128", "%c128 = arith.constant 64")]
TARGETS = {"gfx942": (64, 4, [("subgroup = [128, 64, 0]", "subgroup = [32, 32, 0]")]),
           "sm_80": (32, 8, [("subgroup_size = 64", "subgroup_size = 32"), ("subgroup = [128, 64, 0]", "subgroup = [16, 32, 0]"),
                            ("MFMA_F32_16x16x16_F16", "NV_MMA_SYNC_F32_16x8x16_F16")])}
# Steps 3, 0, 1, 2, 4 and 5.
SIZES = [(65, 67, 65), (64, 64, 0), (1, 1, 1), (17, 64, 64), (130, 5, 128), (64, 65, 130)]
options = read_flags(points=2)


def copies(target):
    """The function of the samples that is tiled, with smaller tiles, up to copies."""
    text = sample("tiled")
    for old, new in SHRUNK + TARGETS[target][2]:
        assert old in text, old
        text = text.replace(old, new)
    tiled = options.out / f"{target}-tiled.mlir"
    tiled.write_text(text)
    return optimize(options, tiled, [flag for _, passes in TO_COPIES for flag in passes], options.out / f"{target}-copies.mlir")


def make_stages(target, way, source):
    passes, added = WAYS[way]
    files = []
    for i, (name, more) in enumerate(STAGES):
        source = optimize(options, source, more or passes, options.out / f"{target}-{way}-{i}-{name}.mlir")
        files.append((name, source))
    lanes, subgroups, _ = TARGETS[target]
    assert f"workgroup_size = [{lanes * (subgroups + added)}, 1, 1]" in files[0][1].read_text()
    return files


def check(done, result, m, n, k, product):
    """What is wrong with a run, in words."""
    if done.returncode:
        return done.stderr.strip().splitlines()[:1]
    found = npy.read(result, "f32")
    wrong = [i for i in range(m * n) if found[i] != product[i]]
    said = [f"element {divmod(wrong[0], n)} is {found[wrong[0]]}, not {product[wrong[0]]}"] if wrong else []
    workgroups = -(-m // TILE) * -(-n // TILE)
    expected = {"global bytes written": 4 * m * n, "shared bytes written": workgroups * -(-k // STEP) * 2 * 2 * TILE * STEP}
    for counter, bytes in expected.items():
        counted = int(re.search(rf"{counter} +(\d+)", done.stdout).group(1))
        said += [f"{counter}: {counted}, not {bytes}"] * (counted != bytes)
    return said


def run(target, name, path, inputs, size, product):
    m, n, k = size
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    isLanes = name == "concretize"
    if isLanes:
        path = as_lanes(path, "tiled", (-(-n // TILE), -(-m // TILE), 1))
    command = [options.distaff, "run", path, "--target", target, "--counters", "--output", f"{'arg2' if isLanes else 'res0'}={result}"]
    for i, file in enumerate(inputs):
        command += ["--input", f"arg{i}={file}"]
    yield name, check(fork_server.run(command), result, m, n, k, product)
    if isLanes and target == "sm_80":
        result.unlink(missing_ok=True)
        yield name + " as PTX", check(fork_server.run([*command, "--device", "ptx"]), result, m, n, k, product)


def main():
    rng, failures, turn = random.Random(7), 0, depth.Turns(7)
    for target in TARGETS:
        source = copies(target)
        files = {way: make_stages(target, way, source) for way in WAYS}
        for m, n, k in SIZES[:options.points]:
            a = [rng.randint(-4, 4) for _ in range(m * k)]
            b = [rng.randint(-4, 4) for _ in range(k * n)]
            product = references.matmul(a, b, m, n, k)
            inputs = [npy.write(options.out / "a.npy", "f16", (m, k), a), npy.write(options.out / "b.npy", "f16", (k, n), b),
                      npy.write(options.out / "c.npy", "f32", (m, n), [rng.uniform(1, 9) for _ in range(m * n)])]
            for way in WAYS:
                for name, path in files[way]:
                    if not turn():
                        continue
                    for what, said in run(target, name, path, inputs, (m, n, k), product):
                        failures += bool(said)
                        print("FAIL" if said else "ok", target, way, f"{m}x{n}x{k}", what, *said)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
