"""Workgroup memory by run-cluster: what phases exchange data in and what panels take fits into the target, and a kernel
that does not fit is refused by `run` as by `compile`, in the same words.

    python3 memory.py OUT_DIR [--part kernels|verdicts] [--only NAME] [--distaff PATH]
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / part) for part in ("ForkServer", "Execution/Inputs", "Execution/Linalg/Inputs")]
import depth
import fork_server
import linalg_kernels
from pipeline_passes import read_flags

options = read_flags(part="kernels", only="")
SOURCE = pathlib.Path(__file__).parent / "memory.mlir"
CLUSTERS = ["--pipeline", "run-cluster"]
BYTES = {"sm_80": 166912, "sm_90a": 232448, "gfx908": 65536, "gfx90a": 65536, "gfx942": 65536, "gfx950": 163840, "gfx1100": 65536, "gfx1201": 65536}
SPECIALIZATIONS = ("none", "producer-consumer", "ping-pong")
SHAPES = {
    "attention": ["--shape", "arg0=70x64", "--shape", "arg1=135x64", "--shape", "arg2=135x64"],
    "matmul_row_sum": ["--shape", "arg0=70x65", "--shape", "arg1=65x75"],
    "row_sum": ["--shape", "arg0=19x1100", "--input", "arg0=whole:0:-8:8"],
}
# What took more than there is: kernel, target, how subgroups share it out.
KNOWN = [
    ("attention", "gfx942", "producer-consumer"),
    ("attention", "gfx1100", "producer-consumer"),
    ("matmul_row_sum", "gfx942", "none"),
    ("attention_rfc", "gfx1100", "none"),
    ("row_sum", "gfx1201", "none"),
]
TOO_MUCH = """func.func @too_much(%a: memref<64xf32>, %b: memref<64xf32>) attributes {{
    translation_info = #iree_codegen.translation_info<pipeline = LLVMGPUVectorDistribute workgroup_size = [64, 1, 1] subgroup_size = {lanes}>}} {{
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %buffer = memref.alloc() : memref<{elements}xf32, #gpu.address_space<workgroup>>
  %v = vector.transfer_read %a[%c0], %z {{in_bounds = [true]}} : memref<64xf32>, vector<64xf32>
  vector.transfer_write %v, %buffer[%c0] {{in_bounds = [true]}} : vector<64xf32>, memref<{elements}xf32, #gpu.address_space<workgroup>>
  %w = vector.transfer_read %buffer[%c0], %z {{in_bounds = [true]}} : memref<{elements}xf32, #gpu.address_space<workgroup>>, vector<64xf32>
  vector.transfer_write %w, %b[%c0] {{in_bounds = [true]}} : vector<64xf32>, memref<64xf32>
  return
}}
"""


def fail(name, why):
    print(f"FAIL {name}: {why}")
    return 1


def first_error(done):
    found = re.search(r"error: (.*)", done.stderr)
    return found[1] if found else done.stderr + done.stdout


def distaff(*command):
    return fork_server.run([options.distaff, *command])


def bytes_of(text):
    """What the largest kernel of a text allocates in workgroup memory."""
    most = 0
    for kernel in text.split("gpu.func")[1:]:
        total = 0
        for shape, bits in re.findall(r"memref\.alloc\(\).* memref<([\dx]+x)[a-z]+(\d+)\w*, #gpu\.address_space<workgroup>>", kernel):
            count = int(bits)
            for extent in shape.strip("x").split("x"):
                count *= int(extent)
            total += (count // 8 + 15) // 16 * 16
        most = max(most, total)
    return most


def check_kernels():
    """Values of the kernels that took too much, and what they take."""
    failures = 0
    for name, target, specialization in KNOWN:
        path = ROOT / "examples" / "attention_rfc.mlir" if name == "attention_rfc" else SOURCE
        command = [path, "--func", name, "--target", target, *CLUSTERS, "--specialize", specialization]
        title = f"{name} {target} {specialization}"
        lowered = distaff("compile", *command, "--stop-after=lower")
        taken = bytes_of(lowered.stdout)
        if lowered.returncode or taken > BYTES[target]:
            failures += fail(title, first_error(lowered) if lowered.returncode else f"{taken} bytes of {BYTES[target]}")
        done = distaff("run", *command, *SHAPES.get(name, []), "--check")
        if done.returncode:
            failures += fail(title, first_error(done))
        print(f"{title}: {taken} bytes")
    return failures


def verdicts(title, path, flags, target, pipeline):
    """Both take the kernel, or both refuse it for one reason."""
    compiled = distaff("compile", path, "--target", target, *pipeline, "--stop-after=convert")
    ran = distaff("run", path, "--target", target, *pipeline, *flags, "--no-checks")
    if bool(compiled.returncode) == bool(ran.returncode) and (not compiled.returncode or first_error(compiled) == first_error(ran)):
        return 0
    return fail(title, f"compile: {first_error(compiled) if compiled.returncode else 'ok'}; run: {first_error(ran) if ran.returncode else 'ok'}")


def cases():
    for target in BYTES:
        for specialization in SPECIALIZATIONS:
            for kernel in linalg_kernels.KERNELS:
                for dynamic in (False, True) if kernel.dynamic else (False,):
                    if options.only in kernel.name:
                        yield kernel, target, specialization, dynamic


def check_verdicts():
    failures = 0
    for kernel, target, specialization, dynamic in depth.some(cases(), 199):
        # A run's extents are small, the choice is that of any.
        extents = kernel.shapes["divisible" if not dynamic else "one"]
        path = options.out / f"{kernel.name}.mlir"
        path.write_text(kernel.text(extents, dynamic))
        title = f"{kernel.name}{' dynamic' if dynamic else ''} {target} {specialization}"
        failures += verdicts(title, path, kernel.flags(extents, dynamic), target, [*CLUSTERS, "--specialize", specialization])
    for target in ("sm_80", "gfx942"):
        path = options.out / "too_much.mlir"
        for more, expected in ((0, None), (1, "the kernel needs")):
            path.write_text(TOO_MUCH.format(lanes=32 if target == "sm_80" else 64, elements=BYTES[target] // 4 + more))
            ran = distaff("run", path, "--target", target)
            if bool(ran.returncode) != bool(expected) or (expected and expected not in first_error(ran)):
                failures += fail(f"{BYTES[target] + 4 * more} bytes {target}", first_error(ran) if ran.returncode else "is run")
            failures += verdicts(f"{BYTES[target] + 4 * more} bytes {target}", path, [], target, [])
    return failures


def main():
    failures = check_kernels() if options.part == "kernels" else check_verdicts()
    print(failures, "failures")
    sys.exit(failures > 0)


main()
