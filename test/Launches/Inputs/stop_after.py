"""usage: stop_after.py FOLDER: the cases of stop-after.test."""
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "ForkServer"))
import fork_server

FOLDER = Path(sys.argv[1])
SOFTMAX = """func.func @softmax(%a: tensor<64x100xf32>, %o: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %0 = linalg.softmax dimension(1) ins(%a : tensor<64x100xf32>) outs(%o : tensor<64x100xf32>) -> tensor<64x100xf32>
  return %0 : tensor<64x100xf32>
}
"""
PRODUCT = """func.func @product(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = math.absf %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
"""
# Each of its launches is one product, which the kernel is not.
PRODUCTS = """func.func @products(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = linalg.matmul ins(%0, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%c : tensor<64x64xf16>) -> tensor<64x64xf16>
  return %1 : tensor<64x64xf16>
}
"""
LONG_SUM = """func.func @long_sum(%a: tensor<1000003xf32>, %start: tensor<f32>) -> tensor<f32> {
  %0 = linalg.reduce {arith.addf} ins(%a : tensor<1000003xf32>) outs(%start : tensor<f32>) dimensions = [0]
  return %0 : tensor<f32>
}
"""
KERNELS = {"softmax": SOFTMAX, "product": PRODUCT, "products": PRODUCTS, "long_sum": LONG_SUM}
ROWS = [("sm_80", "ptx", ["--pipeline=vector-distribute"]), ("sm_80", "ptx", ["--pipeline=run-cluster"]),
        ("sm_80", "ptx", ["--pipeline=run-cluster", "--specialize=producer-consumer"]), ("host:avx2", "asm", [])]


def compile(path, *flags):
    done = fork_server.run(["distaff", "compile", str(path), *flags])
    return done.returncode, done.stdout, done.stderr


count = 0
for name, source in KERNELS.items():
    kernel = FOLDER / f"{name}.mlir"
    kernel.write_text(source)
    for target, kind, flags in ROWS:
        at_once = compile(kernel, "--target", target, "--emit", kind, *flags)
        status, text, errors = compile(kernel, "--target", target, "--stop-after=form-launches", *flags)
        assert status == 0 and at_once[0] == 0, f"{name} {flags}: {errors} {at_once[2]}"
        assert "lowering_config" not in text, f"{name} {flags}: form-launches has chosen tiles"
        formed = FOLDER / "formed.mlir"
        formed.write_text(text)
        in_two = compile(formed, "--target", target, "--emit", kind, *flags)
        # Of a sequence that was formed before, each launch is a function of C by itself.
        if target.startswith("host") and f"{name}__1" in text:
            assert in_two[0] == 0 and f"{name}__1:" in in_two[1], in_two[2]
            continue
        assert in_two[1] == at_once[1], f"{name} {target} {flags} differs:\n{in_two[2]}"
        count += 1
print(f"{count} kernels compiled in two steps as in one")
