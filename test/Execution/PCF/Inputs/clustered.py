"""The kernels of the samples that split a workgroup: run by the SIMT machine as they
are, after distribution, and after resolution, on whole numbers, and compared with
products computed here. Their split point is an argument.

    python3 clustered.py OUT_DIR [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
import references
from pipeline_passes import after_each, read_flags, returning, sample

M, N, PANEL, SUBGROUPS = 256, 128, 32, 4
LAUNCH = f"#iree_codegen.translation_info<workgroup_size = [{32 * SUBGROUPS}, 1, 1] subgroup_size = 32>"
STAGES = [("collective", []), ("distribute", ["--pcf-distribute"]), ("replicate", ["--pcf-replicate-clusters"]),
          ("resolve", ["--pcf-convert-clusters"])]
# Kernel, its arguments behind the tensors, and points: (panels, split).
KERNELS = {
    "producer_consumer": (("split", "panels"), [(1, 1), (2, 3), (5, 2)]),
    "v1_collective": (("panels",), [(1, 0), (3, 0)]),
    "v2_split": (("panels", "split"), [(1, 2), (2, 1), (3, 3)]),
    "v3_sheared": (("panels", "split"), [(1, 2), (2, 1), (3, 3)]),
}
options = read_flags()


def source(kernel):
    """A function of the samples, as a kernel that returns its result."""
    return returning(sample(kernel, "samples-specialization.mlir"), M, N, LAUNCH)


def make_stages(kernel):
    path = options.out / f"{kernel}-collective.mlir"
    path.write_text(source(kernel))
    return list(after_each(options, STAGES, path, f"{kernel}-"))


def run(path, arguments):
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    command = [options.distaff, "run", path, "--target", "sm_80", "--output", f"res0={result}"]
    for i, argument in enumerate(arguments):
        command += ["--input", f"arg{i}={argument}"]
    done = fork_server.run(command)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[0]
    return npy.read(result, "f32"), ""


def main():
    rng, failures, turn = random.Random(11), 0, depth.Turns(5)
    for kernel, (names, points) in KERNELS.items():
        files = make_stages(kernel)
        for panels, split in points:
            k = panels * PANEL
            a, b = ([rng.randint(-4, 4) for _ in range(count)] for count in (M * k, k * N))
            product = references.matmul(a, b, M, N, k)
            tensors = [npy.write(options.out / "a.npy", "f16", (1, M, k), a), npy.write(options.out / "b.npy", "f16", (1, k, N), b),
                       npy.write(options.out / "c.npy", "f32", (1, M, N), [rng.uniform(1, 9) for _ in range(M * N)])]
            scalars = [{"panels": panels, "split": split}[name] for name in names]
            for name, path in files:
                if not turn():
                    continue
                found, said = run(path, tensors + scalars)
                if found and found != product:
                    said = "another product"
                failures += bool(said)
                print("FAIL" if said else "ok", kernel, name, f"panels {panels} split {split}", said)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
