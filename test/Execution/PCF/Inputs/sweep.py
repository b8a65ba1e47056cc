"""examples/matmul_dynamic.mlir along the road run-cluster at extents drawn from 1, 17,
64, 129 and 300, and at K = 0: plain and with producers apart, by the SIMT machine for
a GPU of each vendor, and as PTX. Every run is right by its own bounds (--check);
what one machine computes for a target has equal bits in all ways. Numbers are
fractions, whose sums round; the machines add the products of an MMA in orders of
their own, so their bits may differ.

    python3 sweep.py OUT_DIR [--points N] [--seed S] [--distaff PATH]
"""
import argparse
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import fork_server
import npy

KERNEL = ROOT / "examples" / "matmul_dynamic.mlir"
EXTENTS = [1, 17, 64, 129, 300]
MACHINES = [("sm_80", "simt"), ("sm_80", "ptx"), ("gfx942", "simt")]
WAYS = ["none", "producer-consumer", "ping-pong"]
parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--points", type=int, default=40)
parser.add_argument("--seed", type=int, default=2026)
parser.add_argument("--distaff", default="distaff")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)


def points():
    """Extents, the first with K = 0, each triple once."""
    rng = random.Random(options.seed)
    triples = [(m, n, k) for m in EXTENTS for n in EXTENTS for k in EXTENTS]
    return [(129, 17, 0)] + rng.sample(triples, options.points)


def run(target, device, way, inputs):
    """The bytes of the result, and what is wrong."""
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    command = [options.distaff, "run", KERNEL, "--target", target, "--device", device, "--pipeline", "run-cluster", "--specialize", way,
               "--output", f"res0={result}", "--check"]
    for i, file in enumerate(inputs):
        command += ["--input", f"arg{i}={file}"]
    done = fork_server.run(command)
    return (b"", done.stderr.strip()[:500] or done.stdout) if done.returncode else (result.read_bytes(), "")


def main():
    failures = runs = 0
    for seed, (m, n, k) in enumerate(points()):
        rng = random.Random(seed)
        inputs = [npy.write(options.out / f"{name}.npy", "f16", shape, [rng.uniform(-1, 1) for _ in range(shape[0] * shape[1])])
                  for name, shape in (("a", (m, k)), ("b", (k, n)))]
        for target, device in MACHINES:
            plain = None
            for way in WAYS:
                found, said = run(target, device, way, inputs)
                plain = found if way == WAYS[0] else plain
                said = said or ("" if found == plain else "other bits than the plain way")
                runs += 1
                failures += bool(said)
                print("FAIL" if said else "ok", f"{m}x{n}x{k}", target, device, way, said)
    print(f"{runs} runs, {failures} failures")
    sys.exit(failures > 0)


main()
