"""Size and registers of the code in which producers copy ahead, beside the plain code of the same kernels, for sm_80 (VX-243).

usage: specialized_code.py OUT_DIR [--write]

Kernels of the linalg table without a product, with the extents of the table times 32, or times 8 where there are more than
two, static and dynamic. Of each the instructions of the PTX are counted by both ways, and must be at most as many times
those of the plain code as its row says; where ptxas is found, none spills. `--write` prints the table of
benchmark/results/specialized-code.md.
"""
import pathlib
import re
import shutil
import subprocess
import sys

sys.path += [str(pathlib.Path(__file__).resolve().parents[3] / folder) for folder in ("ForkServer", "Execution/Inputs", "Execution/Linalg/Inputs")]
import depth
import fork_server
import linalg_kernels

# Kernels whose plain code is of one tile without a loop, and is short: the loop over tiles, the choice between the two
# clusters, and the ring are of a fixed size.
MOST, MOST_OF_SHORT, SHORT = 2.25, 3.6, 80
KERNELS = [("row_sum", 0), ("row_sum", 1), ("column_sum", 0), ("column_sum", 1), ("full_sum", 0), ("full_sum", 1), ("row_max_kept", 1), ("argmax", 1),
           ("softmax", 0), ("softmax", 1), ("softmax_of_columns", 0), ("logsumexp", 1), ("layernorm", 0), ("matvec", 1), ("vecmat", 0), ("vecmat", 1),
           ("add", 0), ("add", 1), ("silu_times", 1), ("causal_mask", 1), ("gelu_tanh", 1), ("transpose", 0), ("transpose", 1), ("outer_product", 0), ("batchnorm_inference", 0)]
WAYS = ("none", "producer-consumer")


def text_of(name, dynamic):
    kernel = next(kernel for kernel in linalg_kernels.KERNELS if kernel.name == name)
    extents = next(iter(kernel.shapes.values()))
    factor = 32 if len(extents) < 3 else 8
    return kernel.text({dim: extent if extent < 8 else extent * factor for dim, extent in extents.items()}, bool(dynamic))


def instructions(ptx):
    return len(re.findall(r"^\s+(?:@!?%\w+ )?[a-z][\w.:]*(?:\s[^;]*)?;$", ptx, re.M))


def spilled(path):
    done = subprocess.run(["ptxas", "-v", "-arch=sm_80", path, "-o", path.with_suffix(".cubin")], check=True, capture_output=True, text=True)
    return sum(map(int, re.findall(r"(\d+) bytes spill stores", done.stdout + done.stderr)))


def measure(out, name, dynamic, way):
    """Instructions, and bytes that are spilled where that is known."""
    source, code = out / f"{name}.mlir", out / f"{name}.ptx"
    source.write_text(text_of(name, dynamic))
    done = fork_server.run(["distaff", "compile", str(source), "--target", "sm_80", "--pipeline", "run-cluster", "--specialize", way, "--emit", "ptx", "-o", str(code)])
    if done.returncode:
        raise SystemExit(f"FAIL {name}: {done.stderr}")
    return instructions(code.read_text()), spilled(code) if shutil.which("ptxas") else 0


def main():
    out, failures = pathlib.Path(sys.argv[1]), 0
    out.mkdir(parents=True, exist_ok=True)
    rows = KERNELS if "--write" in sys.argv else depth.some(KERNELS, 3)
    for name, dynamic in rows:
        (plain, plain_spill), (ahead, ahead_spill) = (measure(out, name, dynamic, way) for way in WAYS)
        title = f"`{name}`{', dynamic' if dynamic else ''}"
        print(f"| {title} | {plain} | {ahead} | {ahead / plain:.2f} |")
        if ahead > plain * (MOST_OF_SHORT if plain < SHORT else MOST):
            failures += 1
            print(f"FAIL {title}: {ahead} instructions, of the plain code {plain}")
        if plain_spill or ahead_spill:
            failures += 1
            print(f"FAIL {title}: spills {plain_spill} bytes, with producers {ahead_spill}")
    print(failures, "failures")
    sys.exit(failures > 0)


main()
