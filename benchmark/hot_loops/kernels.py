"""The rows of the table: kernels, targets, and how their code is counted."""
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGETS = {"sm_80": "ptx", "gfx942": "gcn"}


@dataclass(frozen=True)
class Row:
    name: str
    kernel: str  # rows may share a kernel
    unit: str = "kmac"  # counted per 1024 multiply-adds, or per element of the largest operand
    elements: int = 0
    flags: tuple = ()
    has_roles: bool = False

    def text(self):
        return KERNELS[self.kernel]()


def matmul(name, rows, columns, depth, kind, is_k_major=False):
    """linalg.matmul, or the generic op that it would be with B stored along K."""
    total = "i32" if kind == "i8" else "f32"
    extend, multiply, add = ("extsi", "muli", "addi") if kind == "i8" else ("extf", "mulf", "addf")
    a, c = f"tensor<{rows}x{depth}x{kind}>", f"tensor<{rows}x{columns}x{total}>"
    b = f"tensor<{columns}x{depth}x{kind}>" if is_k_major else f"tensor<{depth}x{columns}x{kind}>"
    operands = f"ins(%a, %b : {a}, {b}) outs(%c : {c})"
    product = f"linalg.matmul {operands} -> {c}"
    if is_k_major:
        product = f"""linalg.generic {{
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}} {operands} {{
    ^bb0(%x: {kind}, %y: {kind}, %s: {total}):
      %xe = arith.{extend} %x : {kind} to {total}
      %ye = arith.{extend} %y : {kind} to {total}
      %p = arith.{multiply} %xe, %ye : {total}
      %r = arith.{add} %s, %p : {total}
      linalg.yield %r : {total}
  }} -> {c}"""
    return f"""func.func @{name}(%a: {a}, %b: {b}) -> {c} {{
  %zero = arith.constant {"0" if kind == "i8" else "0.0"} : {total}
  %e = tensor.empty() : {c}
  %c = linalg.fill ins(%zero : {total}) outs(%e : {c}) -> {c}
  %d = {product}
  return %d : {c}
}}
"""


def attention(width, is_causal):
    """softmax(Q K^T / sqrt(width)) V for 16 heads of 1024 rows, from the kernels of test/Execution/Linalg."""
    folder = ROOT / "test" / "Execution"
    for part in ("Inputs", "Linalg/Inputs"):
        if str(folder / part) not in sys.path:
            sys.path.append(str(folder / part))
    import linalg_kernels
    kernel = next(k for k in linalg_kernels.KERNELS if k.name == ("attention_causal" if is_causal else "attention_f16"))
    text = kernel.text({"h": 16, "s": 1024, "t": 1024, "d": width}, False)
    name = f"attention_{'causal_' if is_causal else ''}{width}"
    return re.sub(r"func\.func @\w+", f"func.func @{name}", text).replace("0.125 :", f"{width**-0.5:.10f} :")


def file(path):
    return lambda: (ROOT / path).read_text()


KERNELS = {
    "matmul_f16_512": lambda: matmul("matmul_f16_512", 512, 384, 256, "f16"),
    **{f"matmul_{kind}{'_kmajor' * is_k_major}": lambda kind=kind, is_k_major=is_k_major: matmul(
        f"matmul_{kind}{'_kmajor' * is_k_major}", 4096, 4096, 4096, kind, is_k_major)
       for kind in ("f16", "bf16", "i8") for is_k_major in (False, True)},
    "matmul_dynamic": file("examples/matmul_dynamic.mlir"),
    "batched_small": file("benchmark/hot_loops/kernels/batched_small.mlir"),
    "softmax": file("examples/softmax.mlir"),
    "row_sum": file("examples/row_sum.mlir"),
    "layernorm": file("benchmark/hot_loops/kernels/layernorm.mlir"),
    **{f"attention_{'causal_' * is_causal}{width}": lambda width=width, is_causal=is_causal: attention(width, is_causal)
       for is_causal in (False, True) for width in (64, 128)},
}
ELEMENTS = {"batched_small": 65536 * 16, "softmax": 1024 * 768, "row_sum": 64 * 4096, "layernorm": 1024 * 768}
CLUSTER = ("--pipeline", "run-cluster")
ROWS = [
    *(Row(name, name, "element" if name in ELEMENTS else "kmac", ELEMENTS.get(name, 0)) for name in KERNELS),
    Row("run_cluster", "matmul_f16", flags=CLUSTER),
    Row("producer_consumer", "matmul_f16", flags=(*CLUSTER, "--specialize", "producer-consumer"), has_roles=True),
    Row("ping_pong", "matmul_f16", flags=(*CLUSTER, "--specialize", "ping-pong"), has_roles=True),
]
