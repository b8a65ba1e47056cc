"""How long a product takes from its file to code for this CPU, and for sm_80 to lower.

    python3 host_compile_time.py OUT_DIR

Cold processes in turn, so that what else the machine does weighs on both; the least of
seven counts.
"""
import pathlib
import subprocess
import sys
import time

KERNEL = """func.func @product(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x1024xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %r = linalg.matmul ins(%a, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>) outs(%f : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %r : tensor<1024x1024xf32>
}
"""


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    kernel = out / "product.mlir"
    kernel.write_text(KERNEL)
    commands = {"host to lower": ["--target", "host", "--stop-after", "lower"], "sm_80 to lower": ["--target", "sm_80", "--stop-after", "lower"],
                "host to an object": ["--target", "host", "--emit", "obj"]}
    best = dict.fromkeys(commands, float("inf"))
    for _ in range(7):
        for name, flags in commands.items():
            begin = time.perf_counter()
            subprocess.run(["distaff", "compile", str(kernel), *flags, "-o", str(out / "code")], check=True, stderr=subprocess.DEVNULL)
            best[name] = min(best[name], time.perf_counter() - begin)
    for name, seconds in best.items():
        print(f"{name}: {seconds:.3f} s")
    print(f"LLVM on the CPU: {best['host to an object'] - best['host to lower']:.3f} s")
    ratio = best["host to lower"] / best["sm_80 to lower"]
    print(f"{'fine' if ratio <= 1.2 else 'SLOW'}: {ratio:.2f} of sm_80")


main()
