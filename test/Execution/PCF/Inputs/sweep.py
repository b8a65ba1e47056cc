"""examples/matmul_dynamic.mlir along the pipeline run-cluster at extents drawn from 1, 17,
64, 129 and 300, and at K = 0: plain, with producers apart, as ping-pong, and as a
kernel that takes as an argument how many subgroups are producers; by the SIMT machine
for a GPU of each vendor, and as PTX. Every run is right by its own bounds (--check);
what one machine computes for a target has equal bits in all ways. Numbers are
fractions, whose sums round; the machines add the products of an MMA in orders of
their own, so their bits may differ.

    python3 sweep.py OUT_DIR [--points N] [--seed S] [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
from pipeline_passes import read_flags

KERNEL = ROOT / "examples" / "matmul_dynamic.mlir"
EXTENTS = [1, 17, 64, 129, 300]
MACHINES = [("sm_80", "simt"), ("sm_80", "ptx"), ("gfx942", "simt")]
SPLIT = "split argument"
WAYS = ["none", "producer-consumer", "ping-pong", SPLIT]
# Subgroups that the kernel has, some of which are producers.
SUBGROUPS = 4
options = read_flags(points=40, seed=2026)


def points():
    """Extents, the first with K = 0, each triple once."""
    rng = random.Random(options.seed)
    triples = [(m, n, k) for m in EXTENTS for n in EXTENTS for k in EXTENTS]
    return [(129, 17, 0)] + rng.sample(triples, options.points)


def tool(*command):
    done = fork_server.run(command)
    if done.returncode:
        sys.exit(f"FAIL {command}: {done.stderr}")


def split_kernel(target):
    """The kernel with one more argument, half of the way along the pipeline: the number of producers."""
    source, copied, split = (options.out / f"{target}-{name}.mlir" for name in ("argument", "promote-to-shared-memory", "split"))
    text = KERNEL.read_text()
    head = "%b: tensor<?x?xf16>) ->"
    assert head in text
    source.write_text(text.replace(head, "%b: tensor<?x?xf16>, %p: index) ->"))
    tool(options.distaff, "compile", source, "--target", target, "--pipeline", "run-cluster", "--stop-after", "promote-to-shared-memory", "--emit", "mlir", "-o", copied)
    assert f"workgroup_size = [{SUBGROUPS * (32 if target == 'sm_80' else 64)}, 1, 1]" in copied.read_text()
    tool(options.distaff_opt, copied, "--pcf-multi-buffer", "--pcf-specialize-producers=producers=arg2", "-o", split)
    return split


def run(target, device, way, inputs, split):
    """The bytes of the result, and what is wrong."""
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    path = [options.out / f"{target}-split.mlir"] if way == SPLIT else [KERNEL, "--pipeline", "run-cluster", "--specialize", way]
    command = [options.distaff, "run", *path, "--target", target, "--device", device, "--output", f"res0={result}", "--check"]
    for i, value in enumerate([*inputs, split] if way == SPLIT else inputs):
        command += ["--input", f"arg{i}={value}"]
    done = fork_server.run(command)
    return (b"", done.stderr.strip()[:500] or done.stdout) if done.returncode else (result.read_bytes(), "")


def main():
    failures, runs, turn = 0, 0, depth.Turns(11)
    for target in sorted({target for target, _ in MACHINES}):
        split_kernel(target)
    for seed, (m, n, k) in enumerate(points()):
        rng = random.Random(seed)
        inputs = [npy.write(options.out / f"{name}.npy", "f16", shape, [rng.uniform(-1, 1) for _ in range(shape[0] * shape[1])])
                  for name, shape in (("a", (m, k)), ("b", (k, n)))]
        split = rng.randrange(1, SUBGROUPS)
        for target, device in MACHINES:
            plain = None
            for way in WAYS if turn() else ():
                found, said = run(target, device, way, inputs, split)
                plain = found if way == WAYS[0] else plain
                said = said or ("" if found == plain else "other bits than the plain way")
                runs += 1
                failures += bool(said)
                print("FAIL" if said else "ok", f"{m}x{n}x{k}", target, device, way, said)
    print(f"{runs} runs, {failures} failures")
    sys.exit(failures > 0)


main()
