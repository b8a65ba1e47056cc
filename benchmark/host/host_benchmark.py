"""Kernels on this CPU against libraries and compilers, in one run.

    python3 benchmark/host/host_benchmark.py [--distaff PATH] [--threads N] [--only NAME] [--repeat N] [--iree FOLDER]

Each kernel is compiled to a function of C and called in turn with what it is compared
with: OpenBLAS (libopenblas-dev) for products of f32, and blocked loops in C++, compiled by
g++ -O3 -march=native -ffast-math, for the others. All run on the same arrays and number of
threads, warm, one call after the other; the best of all rounds counts, and results are
compared. A ratio is the other's time by ours: above 1 we are faster. With `--iree`, the
folder of the programs of IREE's wheels (iree-base-compiler and iree-base-runtime from PyPI),
its CPU backend is timed behind each kernel, with data tiling, by iree-benchmark-module.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent


def product(name, m, n, k, element="f32", acc="f32"):
    zero = "0.0" if acc == "f32" else "0"
    return f"""func.func @{name}(%a: tensor<{m}x{k}x{element}>, %b: tensor<{k}x{n}x{element}>) -> tensor<{m}x{n}x{acc}> {{
  %z = arith.constant {zero} : {acc}
  %e = tensor.empty() : tensor<{m}x{n}x{acc}>
  %f = linalg.fill ins(%z : {acc}) outs(%e : tensor<{m}x{n}x{acc}>) -> tensor<{m}x{n}x{acc}>
  %r = linalg.matmul ins(%a, %b : tensor<{m}x{k}x{element}>, tensor<{k}x{n}x{element}>) outs(%f : tensor<{m}x{n}x{acc}>) -> tensor<{m}x{n}x{acc}>
  return %r : tensor<{m}x{n}x{acc}>
}}
"""


SOFTMAX = """func.func @softmax(%a: tensor<1024x768xf32>) -> tensor<1024x768xf32> {
  %e = tensor.empty() : tensor<1024x768xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<1024x768xf32>) outs(%e : tensor<1024x768xf32>) -> tensor<1024x768xf32>
  return %r : tensor<1024x768xf32>
}
"""
ROWS = 'affine_map<(i, j) -> (i)>'
ALL = 'affine_map<(i, j) -> (i, j)>'
LAYERNORM = f"""func.func @layernorm(%x: tensor<1024x768xf32>, %g: tensor<768xf32>, %b: tensor<768xf32>) -> tensor<1024x768xf32> {{
  %z = arith.constant 0.0 : f32
  %n = arith.constant 768.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : tensor<1024xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<1024xf32>) -> tensor<1024xf32>
  %sum = linalg.generic {{indexing_maps = [{ALL}, {ROWS}], iterator_types = ["parallel", "reduction"]}}
      ins(%x : tensor<1024x768xf32>) outs(%f1 : tensor<1024xf32>) {{
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %v, %acc : f32
    linalg.yield %s : f32
  }} -> tensor<1024xf32>
  %square = linalg.generic {{indexing_maps = [{ALL}, {ROWS}, {ROWS}], iterator_types = ["parallel", "reduction"]}}
      ins(%x, %sum : tensor<1024x768xf32>, tensor<1024xf32>) outs(%f1 : tensor<1024xf32>) {{
  ^bb0(%v: f32, %t: f32, %acc: f32):
    %m = arith.divf %t, %n : f32
    %d = arith.subf %v, %m : f32
    %q = arith.mulf %d, %d : f32
    %s = arith.addf %q, %acc : f32
    linalg.yield %s : f32
  }} -> tensor<1024xf32>
  %e = tensor.empty() : tensor<1024x768xf32>
  %r = linalg.generic {{indexing_maps = [{ALL}, {ROWS}, {ROWS}, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, {ALL}], iterator_types = ["parallel", "parallel"]}}
      ins(%x, %sum, %square, %g, %b : tensor<1024x768xf32>, tensor<1024xf32>, tensor<1024xf32>, tensor<768xf32>, tensor<768xf32>) outs(%e : tensor<1024x768xf32>) {{
  ^bb0(%v: f32, %t: f32, %q: f32, %gain: f32, %bias: f32, %out: f32):
    %m = arith.divf %t, %n : f32
    %d = arith.subf %v, %m : f32
    %var = arith.divf %q, %n : f32
    %safe = arith.addf %var, %eps : f32
    %inv = math.rsqrt %safe : f32
    %y = arith.mulf %d, %inv : f32
    %w = arith.mulf %y, %gain : f32
    %u = arith.addf %w, %bias : f32
    linalg.yield %u : f32
  }} -> tensor<1024x768xf32>
  return %r : tensor<1024x768xf32>
}}
"""
FILTER = """func.func @filter(%x: tensor<1x58x58x64xf32>, %w: tensor<3x3x64x64xf32>) -> tensor<1x56x56x64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x56x56x64xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x58x58x64xf32>, tensor<3x3x64x64xf32>) outs(%f : tensor<1x56x56x64xf32>) -> tensor<1x56x56x64xf32>
  return %r : tensor<1x56x56x64xf32>
}
"""
# name: text, elements of the arguments and of the result, bytes of an element of the first two, the other's call
KERNELS = {
    "square": (product("square", 1024, 1024, 1024), (1 << 20, 1 << 20), 1 << 20, "blas(1024, 1024, 1024, x[0], x[1], theirs)"),
    "shallow": (product("shallow", 4096, 4096, 64), (4096 * 64, 4096 * 64), 1 << 24, "blas(4096, 4096, 64, x[0], x[1], theirs)"),
    "narrow": (product("narrow", 4096, 64, 4096), (1 << 24, 4096 * 64), 4096 * 64, "blas(4096, 64, 4096, x[0], x[1], theirs)"),
    "ragged": (product("ragged", 1009, 1013, 997), (1009 * 997, 997 * 1013), 1009 * 1013, "blas(1009, 1013, 997, x[0], x[1], theirs)"),
    "halves": (product("halves", 512, 512, 512, "f16"), (1 << 18, 1 << 18), 1 << 18, "halves_loops(h[0], h[1], theirs)"),
    "bytes": (product("bytes", 1024, 1024, 1024, "i8", "i32"), (1 << 20, 1 << 20), 1 << 20, "bytes_loops(c[0], c[1], theirs)"),
    "softmax": (SOFTMAX, (1024 * 768,), 1024 * 768, "softmax_loops(x[0], theirs)"),
    "layernorm": (LAYERNORM, (1024 * 768, 768, 768), 1024 * 768, "layernorm_loops(x[0], x[1], x[2], theirs)"),
    "filter": (FILTER, (58 * 58 * 64, 9 * 64 * 64), 56 * 56 * 64, "filter_loops(x[0], x[1], theirs)"),
}


def run_iree(name, inputs, folder, programs, threads):
    """Milliseconds of IREE's code, the best of its repetitions, and those of its cold compilation."""
    module = folder / f"{name}.vmfb"
    begin = time.perf_counter()
    subprocess.run([programs / "iree-compile", folder / f"{name}.mlir", "--iree-hal-target-device=local",
                    "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host", "--iree-opt-data-tiling",
                    "--iree-opt-level=O3", "-o", module], check=True, stderr=subprocess.DEVNULL)
    compilation = (time.perf_counter() - begin) * 1e3
    device = ["--device=local-sync"] if threads == 1 else ["--device=local-task", f"--task_topology_group_count={threads}"]
    done = subprocess.run([programs / "iree-benchmark-module", f"--module={module}", f"--function={name}", *device,
                           *(f"--input={each}={3 if each.endswith('i8') else 0.5}" for each in inputs), "--benchmark_repetitions=9", "--benchmark_min_time=0.3s"],
                          check=True, capture_output=True, text=True)
    times = [float(t) * {"us": 1e-3, "ms": 1, "ns": 1e-6, "s": 1e3}[unit] for t, unit in
             re.findall(r"^\S+/real_time\s+([\d.]+) (\w+)", done.stdout, re.M)]
    return min(times), compilation


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--distaff", default=shutil.which("distaff") or str(HERE.parents[1] / "build/bin/distaff"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=15)
    parser.add_argument("--only")
    parser.add_argument("--iree", type=pathlib.Path)
    chosen = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp())
    cases, objects = [], []
    for name, (text, sizes, result, other) in KERNELS.items():
        if chosen.only and chosen.only != name:
            continue
        (folder / f"{name}.mlir").write_text(text)
        for kind, suffix in (("obj", "o"), ("header", "h")):
            subprocess.run([chosen.distaff, "compile", folder / f"{name}.mlir", "--target", "host", "--emit", kind, "-o", folder / f"{name}.{suffix}"], check=True)
        objects.append(folder / f"{name}.o")
        arrays = {"halves": "h", "bytes": "c"}.get(name, "x")
        arguments = ", ".join(f"{arrays}[{i}]" for i in range(len(sizes)))
        ours = "(int32_t *)ours" if name == "bytes" else "ours"
        cases.append(f'#include "{name}.h"\n'
                     f'static void run_{name}() {{ long sizes[] = {{{", ".join(map(str, sizes))}}}; prepare(sizes, {len(sizes)}, {result});\n'
                     f'  compare("{name}", {result}, [] {{ {name}({arguments}, {ours}, parallel); }}, [] {{ {other}; }}); }}\n')
    calls = "\n".join(f"  run_{case.split('run_')[1].split('(')[0]}();" for case in cases)
    source = (HERE / "compare.cpp").read_text().replace("// CASES", "\n".join(cases)).replace("// CALLS", calls)
    (folder / "main.cpp").write_text(source)
    subprocess.run(["g++", "-O3", "-march=native", "-ffast-math", "-fopenmp", "-std=c++20", f"-I{folder}", "-o", folder / "main", folder / "main.cpp",
                    *objects, "-lopenblas", "-lm", "-lpthread"], check=True)
    done = subprocess.run([folder / "main", str(chosen.threads), str(chosen.repeat)], check=True, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if chosen.iree:
            name, ours = line.split()[:2]
            inputs = re.findall(r"%\w+: tensor<([^>]*)>", KERNELS[name][0].split(")", 1)[0])
            other, compilation = run_iree(name, inputs, folder, chosen.iree, chosen.threads)
            begin = time.perf_counter()
            subprocess.run([chosen.distaff, "compile", folder / f"{name}.mlir", "--target", "host", "--emit", "obj", "-o", folder / "again.o"], check=True)
            own = (time.perf_counter() - begin) * 1e3
            line += f"   IREE {other:.3f} ms, ratio {other / float(ours):.2f}; compilation {own:.0f} ms, IREE's {compilation:.0f} ms"
        print(line, flush=True)
    shutil.rmtree(folder)


main()
