"""Kernels of large n-D vectors on this CPU against loops in C, in one run.

    python3 benchmark/host/vectors_benchmark.py [--distaff PATH] [--compiler CC] [--repeat N]

Each kernel is one op on vectors that no registers hold. It is compiled to a function of C and
called in turn with plain loops, compiled by `CC -O3 -march=native`, on the same arrays and one
thread; the best of all rounds counts, and results are compared. A ratio is our time by the
loops': below 1 we are faster. Printed besides: bytes of our code, accesses of the stack
between the first and the last vector instruction of a kernel, and the time of compilation.
"""
import argparse
import pathlib
import re
import subprocess
import tempfile
import time


def transfer(kind, name, array, shape):
    at = ", ".join(["%c0"] * len(shape))
    bounds = ", ".join(["true"] * len(shape))
    dims = "x".join(map(str, shape))
    if kind == "read":
        return f"  %{name} = vector.transfer_read %{array}[{at}], %z {{in_bounds = [{bounds}]}} : memref<{dims}xf32>, vector<{dims}xf32>\n"
    return f"  vector.transfer_write %{name}, %{array}[{at}] {{in_bounds = [{bounds}]}} : vector<{dims}xf32>, memref<{dims}xf32>\n"


def kernel(name, shapes, body, result):
    arguments = ", ".join(f"%m{i}: memref<{'x'.join(map(str, shape))}xf32>" for i, shape in enumerate(shapes))
    reads = "".join(transfer("read", f"v{i}", f"m{i}", shape) for i, shape in enumerate(shapes))
    last = len(shapes) - 1
    return (f"func.func @{name}({arguments}) {{\n  %c0 = arith.constant 0 : index\n  %z = arith.constant 0.0 : f32\n{reads}{body}"
            f"{transfer('write', result, f'm{last}', shapes[last])}  return\n}}\n")


def addition(name, shape):
    dims = "x".join(map(str, shape))
    count = shape[0] * shape[1] * shape[2]
    text = kernel(name, [shape] * 3, f"  %r = arith.addf %v0, %v1 : vector<{dims}xf32>\n", "r")
    return name, text, [count] * 3, f"for (long i = 0; i < {count}; ++i) c[i] = a[i] + b[i];"


def product(name, m, n, k):
    maps = "affine_map<(m,n,k)->(m,k)>, affine_map<(m,n,k)->(k,n)>, affine_map<(m,n,k)->(m,n)>"
    text = kernel(name, [(m, k), (k, n), (m, n)],
                  f'  %r = vector.contract {{indexing_maps = [{maps}], iterator_types = ["parallel","parallel","reduction"], kind = #vector.kind<add>}} '
                  f"%v0, %v1, %v2 : vector<{m}x{k}xf32>, vector<{k}x{n}xf32> into vector<{m}x{n}xf32>\n", "r")
    return name, text, [m * k, k * n, m * n], (f"for (long i = 0; i < {m}; ++i) for (long l = 0; l < {k}; ++l) for (long j = 0; j < {n}; ++j) "
                                               f"c[i * {n} + j] += a[i * {k} + l] * b[l * {n} + j];")


def transposition(name, m, n):
    text = kernel(name, [(m, n), (m, n), (n, m)], f"  %r = vector.transpose %v0, [1, 0] : vector<{m}x{n}xf32> to vector<{n}x{m}xf32>\n", "r")
    return name, text, [m * n] * 3, f"for (long i = 0; i < {n}; ++i) for (long j = 0; j < {m}; ++j) c[i * {m} + j] = a[j * {n} + i];"


def row_sums(name, m, n):
    text = kernel(name, [(m, n), (m,), (m,)], f"  %r = vector.multi_reduction <add>, %v0, %v1 [1] : vector<{m}x{n}xf32> to vector<{m}xf32>\n", "r")
    return name, text, [m * n, m, m], f"for (long i = 0; i < {m}; ++i) {{ float s = b[i]; for (long j = 0; j < {n}; ++j) s += a[i * {n} + j]; c[i] = s; }}"


KERNELS = [addition("add_16x32x64", (16, 32, 64)), addition("add_64x64x64", (64, 64, 64)), addition("add_64x256x256", (64, 256, 256)),
           product("contract_64x64x64", 64, 64, 64), product("contract_128x96x160", 128, 96, 160), transposition("transpose_256x192", 256, 192),
           row_sums("row_sums_256x512", 256, 512)]

MAIN = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
INCLUDES
#define LOOPS(name, body) __attribute__((noinline)) void loops_##name(const float *restrict a, const float *restrict b, float *restrict c) { body }
DEFINITIONS
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }
static float *filled(long n) {
  float *p = aligned_alloc(64, (n * 4 + 63) / 64 * 64);
  for (long i = 0; i < n; ++i) p[i] = (float)((i * 7919) % 1009) / 1009 - 0.5f;
  return p;
}
typedef int (*ours)(const float *, const float *, float *, distaff_parallel_for);
typedef void (*loops)(const float *, const float *, float *);
static void compare(const char *name, ours f, loops g, long na, long nb, long nc, int repeat) {
  float *a = filled(na), *b = filled(nb), *c = filled(nc), *d = filled(nc);
  f(a, b, c, 0);
  g(a, b, d);
  double worst = 0, best[2] = {1e9, 1e9};
  for (long i = 0; i < nc; ++i) worst = fmax(worst, fabs(c[i] - d[i]));
  if (worst > 1e-3) { printf("%s: results differ by %g\n", name, worst); exit(1); }
  long calls = 1 + 2000000 / (na + nb + nc);
  for (int round = 0; round < repeat; ++round)
    for (int who = 0; who < 2; ++who) {
      memset(who ? d : c, 0, nc * 4);
      double start = now();
      for (long i = 0; i < calls; ++i)
        if (who) g(a, b, d); else f(a, b, c, 0);
      best[who] = fmin(best[who], (now() - start) / calls);
    }
  printf("%s %.3f %.3f\n", name, best[0] * 1e6, best[1] * 1e6);
}
int main(void) {
CALLS
  return 0;
}
"""


def code_of(path):
    """Bytes of the code of an object file, and accesses of the stack from the first to the last vector instruction."""
    dump = subprocess.run(["llvm-objdump-22", "-d", "--no-show-raw-insn", path], check=True, capture_output=True, text=True).stdout
    lines = [line.partition(":")[2] for line in dump.splitlines() if re.match(r"\s+[0-9a-f]+:", line)]
    vectors = [i for i, line in enumerate(lines) if re.search(r"%[yz]mm", line)]
    stack = sum(1 for line in lines[vectors[0]:vectors[-1] + 1] if re.search(r"\(%r[sb]p", line)) if vectors else 0
    size = subprocess.run(["llvm-size-22", "-A", path], check=True, capture_output=True, text=True).stdout
    return sum(int(line.split()[1]) for line in size.splitlines() if line.startswith(".text")), stack


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--distaff", default="build/bin/distaff")
    parser.add_argument("--compiler", default="clang-22")
    parser.add_argument("--repeat", type=int, default=25)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        seen = {}
        for name, text, _, _ in KERNELS:
            (folder / f"{name}.mlir").write_text(text)
            subprocess.run([chosen.distaff, "compile", folder / f"{name}.mlir", "--target", "host", "--emit", "header", "-o", folder / f"{name}.h"], check=True)
            start = time.monotonic()
            subprocess.run([chosen.distaff, "compile", folder / f"{name}.mlir", "--target", "host", "--emit", "obj", "-o", folder / f"{name}.o"], check=True)
            seen[name] = (time.monotonic() - start, *code_of(folder / f"{name}.o"))
        replaced = {"INCLUDES": "\n".join(f'#include "{name}.h"' for name, *_ in KERNELS),
                    "DEFINITIONS": "\n".join(f"LOOPS({name}, {body})" for name, _, _, body in KERNELS),
                    "CALLS": "\n".join(f'  compare("{name}", {name}, loops_{name}, {", ".join(map(str, counts))}, {chosen.repeat});' for name, _, counts, _ in KERNELS)}
        source = MAIN
        for key, text in replaced.items():
            source = source.replace(f"\n{key}\n", f"\n{text}\n")
        (folder / "main.c").write_text(source)
        objects = [folder / f"{name}.o" for name, *_ in KERNELS]
        subprocess.run([chosen.compiler, "-O3", "-march=native", f"-I{folder}", "-o", folder / "main", folder / "main.c", *objects, "-lm"], check=True)
        lines = subprocess.run([folder / "main"], check=True, capture_output=True, text=True).stdout
    print(f"| kernel | ours, us | {chosen.compiler}, us | ratio | code, bytes | stack accesses | compilation, ms |\n| --- | --- | --- | --- | --- | --- | --- |")
    for line in lines.splitlines():
        name, mine, other = line.split()
        seconds, size, stack = seen[name]
        print(f"| {name} | {mine} | {other} | {float(mine) / float(other):.2f} | {size} | {stack} | {1000 * seconds:.0f} |")


if __name__ == "__main__":
    main()
