"""usage: spills.py [DISTAFF]: ptxas and LLVM spill nothing of a kernel that came from linalg.

Attention at head dimensions up to 128 in f16 and f32, also one of which ptxas would
spill a few registers so that more workgroups are resident, softmaxes, matmuls by one
subgroup, and a kernel on vectors that has all its 2,048 elements per lane at once
unless it is reordered. Then kernels of the sweep of linalg of which one spilled: a loop
that ptxas unrolled (VX-281), conditions that no predicate register is left for, a row
that fills a lane, room for one workgroup more, steps with more lane masks than there are
scalar registers (VX-280), rows with more conditions (VX-283), and accesses that share a
branch, whose conditions and addresses find no register (VX-277).
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS / "Execution" / "Inputs"), str(TESTS / "Execution" / "Linalg" / "Inputs")]
import depth

import kernels
import linalg_kernels

DISTAFF = sys.argv[1] if len(sys.argv) > 1 else "distaff"
TARGETS = ("sm_80", "sm_90a")


def attention(element, h, m, k, d):
    kernel = kernels.Kernel("attention", {"h": h, "m": m, "k": k, "d": d})
    kernels.attention(kernel, element)
    return f"attention {element} {h}x{m}x{k}x{d}", kernel.text()


def other(name, **extents):
    return f"{name} {extents}", kernels.build(name, extents).text()


def vectors(count):
    memory, vector = f"memref<{count}xf32>", f"vector<{count}xf32>"
    launch = "#iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>"
    return f"{count} at once", f"""func.func @vectors(%a: {memory}, %b: {memory}) attributes {{translation_info = {launch}}} {{
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %x = vector.transfer_read %a[%c0], %z {{in_bounds = [true]}} : {memory}, {vector}
  %y = arith.addf %x, %x : {vector}
  vector.transfer_write %y, %b[%c0] {{in_bounds = [true]}} : {vector}, {memory}
  return
}}
"""


def cases():
    for element in ("f16", "f32"):
        for d in (64, 80, 128):
            yield attention(element, 2, 256, 512, d)
    yield attention("f16", 3, 2, 136, 80)
    yield attention("f16", 1, 256, 4096, 128)
    for m, n in ((1000, 136), (1000, 500), (1000, 1000), (10017, 1120)):
        yield other("softmax", m=m, n=n)
    yield other("matmul_bias_relu", m=2, n=720, k=167)
    yield other("matmul_bias_relu", m=586, n=24, k=127)
    yield vectors(65536)


def of_sweep(target, name, **extents):
    kernel = next(kernel for kernel in linalg_kernels.KERNELS if kernel.name == name)
    return f"{name} {extents}", kernel.text(extents, False), target


def in_phases(target, specialization, d):
    """An attention whose step is shorter than without phases (PCF-210)."""
    name, text = attention("f16", 16, 1024, 1024, d)
    return f"{name} {specialization}", text, target, "--pipeline=run-cluster", f"--specialize={specialization}"


def found():
    """Each of a cause of its own."""
    yield in_phases("sm_80", "none", 64)
    yield in_phases("sm_80", "ping-pong", 64)
    yield in_phases("gfx942", "ping-pong", 128)
    yield of_sweep("sm_80", "softmax_of_columns", m=9323, n=660)
    yield other("softmax", m=1, n=50257)[:2] + ("sm_80",)
    yield of_sweep("sm_80", "conv_2d_nchw_fchw", b=2, h=148, w=77, c=3, f=1)
    yield of_sweep("sm_80", "rotary_embedding", s=149, h=257, d=3837)
    yield of_sweep("sm_80", "row_mean_and_variance", m=5651, n=3803)
    yield of_sweep("sm_80", "matmul_f64", m=776, n=113, k=2263)
    yield of_sweep("gfx942", "row_max_kept", m=769, n=12547)
    yield of_sweep("gfx942", "max_times", m=466, n=2499, k=317)
    yield of_sweep("gfx942", "min_plus", m=333, n=955, k=397)
    yield of_sweep("gfx942", "mlp", m=819, n=73, k=207)
    yield of_sweep("gfx942", "matmul_transposed_result", m=157, n=394, k=5058)


def spilled(text, target, flags, folder):
    kind = "ptx" if target.startswith("sm") else "gcn"
    source, code = folder / "kernel.mlir", folder / f"kernel.{kind}"
    source.write_text(text)
    subprocess.run([DISTAFF, "compile", str(source), "--target", target, f"--emit={kind}", *flags, "-o", str(code)], check=True, capture_output=True)
    if kind == "gcn":
        return sum(int(count) for count in re.findall(r"[sv]gpr_spill_count: +(\d+)", code.read_text()))
    done = subprocess.run(["ptxas", f"-arch={target}", "-v", str(code), "-o", os.devnull], check=True, capture_output=True, text=True)
    return sum(int(count) for count in re.findall(r"(\d+) bytes spill stores", done.stderr))


def main():
    checks = depth.some([(name, text, target) for name, text in cases() for target in TARGETS], 7) + list(found())
    if not shutil.which("ptxas"):
        print(f"{sum(check[2].startswith('sm') for check in checks)} checks skipped: no ptxas")
        checks = [check for check in checks if not check[2].startswith("sm")]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text, target, *flags in checks:
            if spills := spilled(text, target, flags, Path(folder)):
                print(f"FAIL {name} for {target}: {spills} {'bytes' if target.startswith('sm') else 'registers'} spilled")
                failed += 1
    print(f"{len(checks) - failed} of {len(checks)} kernels spill nothing")
    return failed > 0


sys.exit(main())
