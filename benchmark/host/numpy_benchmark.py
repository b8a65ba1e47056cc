"""Kernels on this CPU against NumPy, in one process and on one thread.

    OPENBLAS_NUM_THREADS=1 python3 benchmark/host/numpy_benchmark.py [--distaff PATH] [--repeat N] [NAME ...]

Products, products by a vector, sums, transpositions, elementwise chains and attention, each
as one function of C that is called from Python, beside what one writes in NumPy (whose wheels
have OpenBLAS). The best of all rounds counts, and results are compared. A ratio is NumPy's
time by ours: above 1 ours is faster.
"""
import argparse
import ctypes
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "i8": np.int8, "i32": np.int32}
P, R = "parallel", "reduction"
SAME = "affine_map<(i, j) -> (i, j)>"


def generic(maps, iterators, inputs, output, body, start="0.0"):
    """One linalg.generic whose body sees %x0, %x1, ... and what is there so far, %c."""
    element = output.split("x")[-1]
    arguments = ", ".join(f"%a{i}: tensor<{t}>" for i, t in enumerate(inputs))
    block = ", ".join(f"%x{i}: {t.split('x')[-1]}" for i, t in enumerate(inputs))
    listed = ", ".join(f'"{each}"' for each in iterators)
    lines = "".join(f"    {line}\n" for line in body)
    return f"""func.func @k({arguments}) -> tensor<{output}> {{
  %z = arith.constant {start} : {element}
  %e = tensor.empty() : tensor<{output}>
  %f = linalg.fill ins(%z : {element}) outs(%e : tensor<{output}>) -> tensor<{output}>
  %r = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{listed}]}}
      ins({', '.join(f'%a{i}' for i in range(len(inputs)))} : {', '.join(f'tensor<{t}>' for t in inputs)}) outs(%f : tensor<{output}>) {{
  ^bb0({block}, %c: {element}):
{lines}  }} -> tensor<{output}>
  return %r : tensor<{output}>
}}
"""


def product(m, n, k, element="f32", acc="f32"):
    zero = "0.0" if acc[0] == "f" else "0"
    a, b, c = f"tensor<{m}x{k}x{element}>", f"tensor<{k}x{n}x{element}>", f"tensor<{m}x{n}x{acc}>"
    return f"""func.func @k(%a: {a}, %b: {b}) -> {c} {{
  %z = arith.constant {zero} : {acc}
  %e = tensor.empty() : {c}
  %f = linalg.fill ins(%z : {acc}) outs(%e : {c}) -> {c}
  %r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%f : {c}) -> {c}
  return %r : {c}
}}
"""


def of_a_launch(m, n, k):
    """The product by a kernel that learns the extents with its arrays, and the shapes in their order."""
    x = "tensor<?x?xf32>"
    return f"""func.func @k(%a: {x}, %b: {x}, %e: {x}) -> {x} {{
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : {x}) -> {x}
  %r = linalg.matmul ins(%a, %b : {x}, {x}) outs(%f : {x}) -> {x}
  return %r : {x}
}}
""", [(m, k), (k, n), (m, n), (m, n)]


def turned(lhs, rhs, m, n, k):
    extents = {"m": m, "n": n, "k": k}
    shape = lambda dims: "x".join(str(extents[d]) for d in dims.split(", ")) + "xf32"
    return generic([f"affine_map<(m, n, k) -> ({each})>" for each in (lhs, rhs, "m, n")], [P, P, R], [shape(lhs), shape(rhs)], shape("m, n"),
                   ["%p = arith.mulf %x0, %x1 : f32", "%s = arith.addf %c, %p : f32", "linalg.yield %s : f32"])


MULTIPLY_ADD = ["%p = arith.mulf %x0, %x1 : f32", "%s = arith.addf %c, %p : f32", "linalg.yield %s : f32"]


def attention(heads, rows, width):
    x, s = f"tensor<{heads}x{rows}x{width}xf32>", f"tensor<{heads}x{rows}x{rows}xf32>"
    return f"""func.func @k(%q: {x}, %k: {x}, %v: {x}) -> {x} {{
  %z = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %e = tensor.empty() : {s}
  %f = linalg.fill ins(%z : f32) outs(%e : {s}) -> {s}
  %s = linalg.generic {{indexing_maps = [affine_map<(b, m, n, d) -> (b, m, d)>, affine_map<(b, m, n, d) -> (b, n, d)>, affine_map<(b, m, n, d) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}} ins(%q, %k : {x}, {x}) outs(%f : {s}) {{
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %t = arith.addf %c, %p : f32
    linalg.yield %t : f32
  }} -> {s}
  %scaled = linalg.generic {{indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}}
      ins(%s : {s}) outs(%e : {s}) {{
  ^bb0(%a: f32, %c: f32):
    %p = arith.mulf %a, %scale : f32
    linalg.yield %p : f32
  }} -> {s}
  %w = linalg.softmax dimension(2) ins(%scaled : {s}) outs(%e : {s}) -> {s}
  %e2 = tensor.empty() : {x}
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : {x}) -> {x}
  %o = linalg.batch_matmul ins(%w, %v : {s}, {x}) outs(%f2 : {x}) -> {x}
  return %o : {x}
}}
"""


def plain_attention(q, k, v):
    s = q @ k.transpose(0, 2, 1) * np.float32(0.125)
    e = np.exp(s - s.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True)) @ v


# Kernel, what it does in operations (negative) or moves in bytes, and the same in NumPy.
N = 4096
KERNELS = {
    "product 1024": (product(1024, 1024, 1024), -2 * 1024**3, lambda a, b: a @ b),
    "product 1024, dynamic": (of_a_launch(1024, 1024, 1024), -2 * 1024**3, lambda a, b, e: a @ b),
    "product 2048": (product(2048, 2048, 2048), -2 * 2048**3, lambda a, b: a @ b),
    "product 1009x1013x1019": (product(1009, 1013, 1019), -2 * 1009 * 1013 * 1019, lambda a, b: a @ b),
    "product 4096x4096x64": (product(N, N, 64), -2 * N * 64 * N, lambda a, b: a @ b),
    "product 4096x64x4096": (product(N, 64, N), -2 * N * 64 * N, lambda a, b: a @ b),
    "product 512x512x16384": (product(512, 512, 16384), -2 * 512 * 512 * 16384, lambda a, b: a @ b),
    "product by rows 1024": (turned("m, k", "n, k", 1024, 1024, 1024), -2 * 1024**3, lambda a, b: a @ b.T),
    "product of columns 1024": (turned("k, m", "k, n", 1024, 1024, 1024), -2 * 1024**3, lambda a, b: a.T @ b),
    "product f64 1024": (product(1024, 1024, 1024, "f64", "f64"), -2 * 1024**3, lambda a, b: a @ b),
    "product f16 1024": (product(1024, 1024, 1024, "f16"), -2 * 1024**3, lambda a, b: a.astype(np.float32) @ b.astype(np.float32)),
    "product i8 1024": (product(1024, 1024, 1024, "i8", "i32"), -2 * 1024**3, None),
    "matrix by vector 4096": (product(N, 1, N), 4 * N * N, lambda a, b: a @ b),
    "vector by matrix 4096": (product(1, N, N), 4 * N * N, lambda a, b: a @ b),
    "matrix by vector f16 4096": (product(N, 1, N, "f16"), 2 * N * N, None),
    "dot 16M": (generic(["affine_map<(j) -> (j)>", "affine_map<(j) -> (j)>", "affine_map<(j) -> ()>"], [R], ["16777216xf32"] * 2, "f32", MULTIPLY_ADD), 8 << 24, lambda a, b: np.array(a @ b)),
    "sums of columns 4096": (generic(["affine_map<(i, j) -> (j, i)>", "affine_map<(i, j) -> (i)>"], [P, R], [f"{N}x{N}xf32"], f"{N}xf32", ["%s = arith.addf %c, %x0 : f32", "linalg.yield %s : f32"]),
                             4 * N * N, lambda a: a.sum(0)),
    "transposition 4096": (generic(["affine_map<(i, j) -> (j, i)>", SAME], [P, P], [f"{N}x{N}xf32"], f"{N}x{N}xf32", ["linalg.yield %x0 : f32"]), 8 * N * N, lambda a: a.T.copy()),
    "chain of three 4096": (generic([SAME] * 4, [P, P], [f"{N}x{N}xf32"] * 3, f"{N}x{N}xf32",
                                    ["%p = arith.mulf %x0, %x1 : f32", "%s = arith.addf %p, %x2 : f32", "%t = arith.maximumf %s, %x0 : f32", "linalg.yield %t : f32"]),
                            16 * N * N, lambda a, b, c: np.maximum(a * b + c, a)),
    "channels 2048x2048x3": (generic(["affine_map<(i, j, c) -> (i, j, c)>", "affine_map<(i, j, c) -> (c)>", "affine_map<(i, j, c) -> (i, j, c)>"], [P, P, P], ["2048x2048x3xf32", "3xf32"],
                                     "2048x2048x3xf32", ["%p = arith.mulf %x0, %x1 : f32", "linalg.yield %p : f32"]), 24 << 22, lambda a, b: a * b),
    "bytes 4096": (generic([SAME] * 3, [P, P], [f"{N}x{N}xi8"] * 2, f"{N}x{N}xi8", ["%p = arith.addi %x0, %x1 : i8", "linalg.yield %p : i8"], start="0"), 3 * N * N, lambda a, b: a + b),
    "attention 8x1024x64": (attention(8, 1024, 64), -4 * 8 * 1024 * 1024 * 64, plain_attention),
}


def array(type, rng):
    *shape, element = type.split("x")
    shape = tuple(map(int, shape))
    if element[0] == "f":
        return np.ascontiguousarray(rng.standard_normal(shape).astype(TYPES[element]))
    return rng.integers(-100, 100, shape).astype(TYPES[element])


def best_of(count, work):
    best = float("inf")
    for _ in range(count):
        begin = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - begin)
    return best, result


def compiled(text, distaff, folder):
    """The function, and the number of workspaces that it takes."""
    kernel = folder / "k.mlir"
    kernel.write_text(text)
    for kind, suffix in (("obj", "o"), ("header", "h")):
        subprocess.run([distaff, "compile", kernel, "--target", "host", "--emit", kind, "-o", folder / f"k.{suffix}"], check=True)
    library = folder / f"k{time.time_ns()}.so"
    subprocess.run(["cc", "-shared", "-o", library, folder / "k.o", "-lm"], check=True)
    sizes = re.findall(r"workspace\d+_bytes\(void\) \{\s*return (\d+);", (folder / "k.h").read_text())
    return ctypes.CDLL(str(library)).k, [np.zeros(int(size), np.int8) for size in sizes]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--distaff", default="build/bin/distaff")
    parser.add_argument("--repeat", type=int, default=9)
    parser.add_argument("names", nargs="*")
    chosen = parser.parse_args()
    rng = np.random.default_rng(0)
    print("| kernel | ours, ms | | NumPy, ms | ratio |\n|---|---|---|---|---|")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, work, plain) in KERNELS.items():
            if chosen.names and not any(part in name for part in chosen.names):
                continue
            text, shapes = text if isinstance(text, tuple) else (text, None)
            function, workspaces = compiled(text, chosen.distaff, pathlib.Path(folder))
            head, result = re.search(r"@k\((.*?)\) -> tensor<([^>]*)>", text, re.S).groups()
            types = [*re.findall(r"tensor<([^>]*)>", head), result]
            if shapes:
                types = [f"{rows}x{columns}x{type.split('x')[-1]}" for (rows, columns), type in zip(shapes, types)]
            *inputs, output = (array(each, rng) for each in types)
            extents = [ctypes.c_int64(extent) for shape in (shapes or [()])[:-1] for extent in shape]
            pointers = [each.ctypes.data_as(ctypes.c_void_p) for each in (*inputs, output, *workspaces)]
            own, _ = best_of(chosen.repeat, lambda: function(*pointers, *extents, None))
            rate = f"{work / own / 1e9:.1f} GB/s" if work > 0 else f"{-work / own / 1e9:.1f} Gop/s"
            line = f"| {name} | {own * 1e3:.2f} | {rate} |"
            if plain:
                other, expected = best_of(max(3, chosen.repeat // 3), lambda: plain(*inputs))
                line += f" {other * 1e3:.2f} | {other / own:.2f} |"
                if not np.allclose(output.reshape(expected.shape), expected, rtol=1e-3, atol=1e-2):
                    line += " DIFFERS"
                    wrong += 1
            else:
                line += " | |"
            print(line, flush=True)
    sys.exit(wrong != 0)


main()
