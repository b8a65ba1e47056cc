"""Products whose reduction has the static extent 0, on whole numbers, compared bit by bit
with what a few lines here say: the sum of nothing adds nothing.

    python3 nothing_reduced.py OUT_DIR [--distaff PATH]
"""
import itertools
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import fork_server
import npy
from pipeline_passes import read_flags

options = read_flags()
checks = failures = 0

NAMED = """func.func @named(%a: tensor<17x0xf16>, %b: tensor<0x5xf16>, %c: tensor<17x5xf32>) -> tensor<17x5xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<17x0xf16>, tensor<0x5xf16>) outs(%c : tensor<17x5xf32>) -> tensor<17x5xf32>
  return %r : tensor<17x5xf32>
}
"""
GENERIC = """func.func @generic(%a: tensor<33x0xf32>, %b: tensor<40x0xf32>, %c: tensor<33x40xf32>) -> tensor<33x40xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : tensor<33x0xf32>, tensor<40x0xf32>) outs(%c : tensor<33x40xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %o, %m : f32
    linalg.yield %s : f32
  } -> tensor<33x40xf32>
  return %r : tensor<33x40xf32>
}
"""
BATCHED = """func.func @batched(%a: tensor<3x16x0xf16>, %b: tensor<3x0x16xf16>, %c: tensor<3x16x16xf32>) -> tensor<3x16x16xf32> {
  %r = linalg.batch_matmul ins(%a, %b : tensor<3x16x0xf16>, tensor<3x0x16xf16>) outs(%c : tensor<3x16x16xf32>) -> tensor<3x16x16xf32>
  return %r : tensor<3x16x16xf32>
}
"""
# What comes before the product has no elements either; what follows it does.
FUSED = """func.func @fused(%a: tensor<64x0xf16>, %b: tensor<0x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %x = math.exp %a : tensor<64x0xf16>
  %z = arith.constant 2.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%x, %b : tensor<64x0xf16>, tensor<0x64xf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
  %s = arith.mulf %r, %c : tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}
"""
KERNELS = {"named": (NAMED, (17, 5), 1), "generic": (GENERIC, (33, 40), 1), "batched": (BATCHED, (3, 16, 16), 1), "fused": (FUSED, (64, 64), 2)}


def distaff(*arguments):
    return fork_server.run([options.distaff, *arguments], timeout=300)


def report(wrong, *what):
    global checks, failures
    checks += 1
    failures += bool(wrong)
    print("FAIL" if wrong else "ok", *what, *([wrong] if wrong else []))


rng = random.Random(11)
for name, (source, shape, times) in KERNELS.items():
    kernel = options.out / f"{name}.mlir"
    kernel.write_text(source)
    count = 1
    for extent in shape:
        count *= extent
    start = [float(rng.randrange(-99, 100)) for _ in range(count)]
    given = npy.write(options.out / f"{name}.in.npy", "f32", shape, start)
    wanted = npy.to_bytes([times * value for value in start], "f32")
    for (target, kind), special in itertools.product((("sm_80", "ptx"), ("gfx942", "gcn")), ("none", "producer-consumer", "ping-pong")):
        flags = [kernel, "--target", target, "--pipeline", "run-cluster", "--specialize", special]
        runs = [["--check", "--every-stage"]] + [["--device", "ptx"]] * (target == "sm_80")
        for run in runs:
            result = options.out / "result.npy"
            result.unlink(missing_ok=True)
            done = distaff("run", *flags, "--input", f"arg2={given}", "--output", f"res0={result}", *run)
            same = result.exists() and npy.to_bytes(npy.read(result, "f32"), "f32") == wanted
            report("" if done.returncode == 0 and same else f"exit {done.returncode}: {done.stderr[:300]}", name, target, special, *run)
        if special == "none":
            text = distaff("compile", *flags, "--emit", kind).stdout
            # Who reads nothing gets its pointer all the same: the arguments' places are the ABI.
            parameters = text.count(".param .u64 .ptr .global") if kind == "ptx" else 4 * (".kernarg_segment_size: 32" in text)
            report("" if parameters == 4 else f"{parameters} pointers", name, target, "ABI")
            # The other pipeline takes it, too.
            result.unlink(missing_ok=True)
            done = distaff("run", kernel, "--target", target, "--check", "--every-stage", "--input", f"arg2={given}", "--output", f"res0={result}")
            same = result.exists() and npy.to_bytes(npy.read(result, "f32"), "f32") == wanted
            report("" if done.returncode == 0 and same else f"exit {done.returncode}: {done.stderr[:300]}", name, target, "other pipeline")
print(f"{checks} checks, {failures} failures")
