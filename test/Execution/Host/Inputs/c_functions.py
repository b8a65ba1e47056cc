"""Kernels compiled with `--emit obj` and `--emit header`, called by a program in C.

    python3 c_functions.py OUT_DIR [--only NAME] [--distaff PATH]

The program places every array against a protected page, once behind it and once before
it, at each distance that the kernel ABI allows (multiples of an element, up to 64
bytes), and the bytes in between have a pattern that must stay. Results start as another
pattern. They must equal, bit for bit, what `distaff run --device host --check` writes,
which is compared with the reference there; both alone and on three threads.
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

KERNELS = {
    "softmax": ("""func.func @softmax(%a: tensor<19x77xf32>) -> tensor<19x77xf32> {
  %e = tensor.empty() : tensor<19x77xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<19x77xf32>) outs(%e : tensor<19x77xf32>) -> tensor<19x77xf32>
  return %r : tensor<19x77xf32>
}""", {}),
    "product": ("""func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}""", {"arg0": "13x21", "arg1": "21x37", "arg2": "13x37"}),
    "halves": ("""func.func @halves(%a: tensor<?x33xf16>, %s: f32) -> (tensor<?x33xf16>, tensor<33xf64>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %a, %c0 : tensor<?x33xf16>
  %e = tensor.empty(%d) : tensor<?x33xf16>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x33xf16>) outs(%e : tensor<?x33xf16>) {
  ^bb0(%in: f16, %out: f16):
    %w = arith.extf %in : f16 to f32
    %m = arith.mulf %w, %s : f32
    %t = arith.truncf %m : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?x33xf16>
  %z = arith.constant 0.0 : f64
  %f = tensor.empty() : tensor<33xf64>
  %g = linalg.fill ins(%z : f64) outs(%f : tensor<33xf64>) -> tensor<33xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%a : tensor<?x33xf16>) outs(%g : tensor<33xf64>) {
  ^bb0(%in: f16, %out: f64):
    %w = arith.extf %in : f16 to f64
    %m = arith.addf %w, %out : f64
    linalg.yield %m : f64
  } -> tensor<33xf64>
  return %x, %y : tensor<?x33xf16>, tensor<33xf64>
}""", {"arg0": "11x33"}),
    "bytes": ("""func.func @bytes(%a: tensor<9x45xi8>, %b: tensor<45x9xi8>) -> tensor<9x45xi8> {
  %e = tensor.empty() : tensor<9x45xi8>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<9x45xi8>, tensor<45x9xi8>) outs(%e : tensor<9x45xi8>) {
  ^bb0(%x: i8, %y: i8, %out: i8):
    %s = arith.subi %x, %y : i8
    linalg.yield %s : i8
  } -> tensor<9x45xi8>
  return %r : tensor<9x45xi8>
}""", {}),
    "words": ("""func.func @words(%a: tensor<37x?xi8>, %b: tensor<?x150xi8>, %c: tensor<37x150xi32>) -> tensor<37x150xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<37x?xi8>, tensor<?x150xi8>) outs(%c : tensor<37x150xi32>) -> tensor<37x150xi32>
  return %r : tensor<37x150xi32>
}""", {"arg0": "37x45", "arg1": "45x150"}),
    "filter": ("""func.func @filter(%x: tensor<1x14x13x3xf32>, %w: tensor<3x3x3x11xf32>, %c: tensor<1x12x11x11xf32>) -> tensor<1x12x11x11xf32> {
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x14x13x3xf32>, tensor<3x3x3x11xf32>) outs(%c : tensor<1x12x11x11xf32>) -> tensor<1x12x11x11xf32>
  %f = tensor.empty() : tensor<1x12x11x11xf32>
  %m = math.tanh %r : tensor<1x12x11x11xf32>
  return %m : tensor<1x12x11x11xf32>
}""", {}),
    # As JAX calls every function; in C it is main_kernel.
    "main": ("""func.func @main(%a: tensor<45xi32>) -> tensor<45xi32> {
  %n = arith.constant 2147483647 : i32
  %e = tensor.empty() : tensor<45xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a : tensor<45xi32>) outs(%e : tensor<45xi32>) {
  ^bb0(%x: i32, %out: i32):
    %ok = arith.cmpi ne, %x, %n : i32
    cf.assert %ok, "has a successor"
    %s = arith.subi %n, %x : i32
    linalg.yield %s : i32
  } -> tensor<45xi32>
  return %r : tensor<45xi32>
}""", {}),
}

# A failed assertion says so and aborts.
ABORTS = r"""  int32_t largest[45], result[45];
  for (int i = 0; i < 45; ++i) largest[i] = 0x7fffffff;
  int ends[2], status = 0;
  char said[100] = "";
  if (pipe(ends)) return 3;
  fflush(stdout);
  if (!fork()) {
    dup2(ends[1], 2);
    main_kernel(largest, result, 0);
    _exit(0);
  }
  wait(&status);
  if (!WIFSIGNALED(status) || read(ends[0], said, 99) < 0 || strcmp(said, "assertion failed: has a successor\n"))
    return puts("no abort"), puts(said), 1;
"""

PROGRAM = r"""
#define _GNU_SOURCE
#include "kernel.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct array { const char *file; size_t bytes, element; int written; char *data, *pages; size_t room; };
static struct array arrays[] = { %(arrays)s };
enum { count = sizeof arrays / sizeof arrays[0] };
static size_t page;

static void place(struct array *a, size_t distance, int behind) {
  a->room = (a->bytes + distance + page - 1) / page * page;
  if (!a->pages) {
    a->pages = mmap(0, a->room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (a->pages == MAP_FAILED || mprotect(a->pages + page, a->room, PROT_READ | PROT_WRITE)) exit(3);
  }
  char *first = a->pages + page;
  memset(first, 0xA5, a->room);
  a->data = behind ? first + distance : first + a->room - distance - a->bytes;
  FILE *file = fopen(a->file, "rb");
  if (!file) exit(3);
  if (!a->written && fread(a->data, 1, a->bytes, file) != a->bytes) exit(3);
  fclose(file);
}

static int check(struct array *a, const char *what, size_t distance) {
  int bad = 0;
  char *first = a->pages + page, *expected = malloc(a->bytes + 1);
  for (size_t i = 0; i < a->room; ++i)
    if ((first + i < a->data || first + i >= a->data + a->bytes) && first[i] != (char)0xA5)
      bad = printf("%%s: byte beside the array is written, %%s, distance %%zu\n", a->file, what, distance);
  FILE *file = fopen(a->file, "rb");
  if (!file || fread(expected, 1, a->bytes, file) != a->bytes) exit(3);
  if (memcmp(expected, a->data, a->bytes))
    bad = printf("%%s: other values, %%s, distance %%zu\n", a->file, what, distance);
  fclose(file);
  free(expected);
  munmap(a->pages, a->room + 2 * page);
  a->pages = 0;
  return bad;
}

struct part { distaff_task task; const void *data; int64_t begin, end; };
static void *run(void *argument) {
  struct part *p = argument;
  p->task(p->data, p->begin, p->end);
  return 0;
}
static void three(distaff_task task, const void *data, int64_t n) {
  pthread_t threads[3];
  struct part parts[3];
  for (int i = 2; i >= 0; --i) {
    parts[i] = (struct part){task, data, n * i / 3, n * (i + 1) / 3};
    pthread_create(&threads[i], 0, run, &parts[i]);
  }
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], 0);
}

int main(void) {
  int bad = 0, runs = 0;
  page = sysconf(_SC_PAGESIZE);
  for (size_t distance = 0; distance <= 64; ++distance)
    for (int behind = 0; behind < 2; ++behind, ++runs) {
      int fits = 1;
      for (int i = 0; i < count; ++i) fits &= distance %% arrays[i].element == 0;
      if (!fits) { --runs; continue; }
      for (int i = 0; i < count; ++i) place(&arrays[i], distance, behind);
      distaff_parallel_for parallel = distance %% 16 ? three : 0;
      if (%(call)s) return puts("refused"), 1;
      for (int i = 0; i < count; ++i) bad |= check(&arrays[i], behind ? "behind a page" : "before a page", distance);
    }
%(more)s
  printf("%%d runs\n", runs);
  return bad != 0;
}
"""
BYTES = {"f32": 4, "f64": 8, "f16": 2, "i8": 1, "i32": 4}


def data_of(path, to):
    """The bytes of an array file, without its head."""
    raw = path.read_bytes()
    to.write_bytes(raw[10 + int.from_bytes(raw[8:10], "little"):])
    return to.stat().st_size


def write(path, element, extents, rng):
    """An array file of random numbers of that type."""
    import math
    import struct
    count = math.prod(extents)
    letter, descr = {"f32": ("f", "<f4"), "f64": ("d", "<f8"), "f16": ("e", "<f2"), "i8": ("b", "|i1"), "i32": ("i", "<i4")}[element]
    values = [rng.randint(-128, 127) if element[0] == "i" else rng.uniform(-1, 1) for _ in range(count)]
    head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({', '.join(map(str, extents))},), }}"
    head += " " * (-(11 + len(head)) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + struct.pack(f"<{count}{letter}", *values))


def run(name, chosen):
    import random
    text, shapes = KERNELS[name]
    folder = chosen.out / name
    folder.mkdir(exist_ok=True)
    path = folder / "k.mlir"
    path.write_text(text)
    signature = re.search(r"func\.func @\w+\((.*?)\) -> (.*?) \{", text)
    shape_of = lambda kind: re.fullmatch(r"tensor<(.*)x(\w+)>", kind)
    arguments = re.findall(r": (tensor<[^>]*>|\w+)", signature[1])
    results = re.findall(r"tensor<[^>]*>", signature[2])
    flags, arrays, call, extents = [], [], [], []
    rng = random.Random(name)
    for i, kind in enumerate(arguments):
        if not shape_of(kind):
            flags += ["--input", f"arg{i}=0.75"]
            continue
        element = shape_of(kind)[2]
        sizes = [int(e) for e in shapes.get(f"arg{i}", shape_of(kind)[1]).split("x")]
        extents += [str(size) for size, declared in zip(sizes, shape_of(kind)[1].split("x")) if declared == "?"]
        file = folder / f"arg{i}.npy"
        write(file, element, sizes, rng)
        flags += ["--input", f"arg{i}={file}"]
        arrays.append((f"arg{i}", element, 0))
    for i, kind in enumerate(results):
        flags += ["--output", f"res{i}={folder}/res{i}.npy"]
        arrays.append((f"res{i}", shape_of(kind)[2], 1))
    base = [chosen.distaff, "compile", str(path), "--target", "host", "--emit"]
    for command in ([chosen.distaff, "run", str(path), "--target", "host", "--device", "host", "--check", *flags],
                    [*base, "obj", "-o", str(folder / "kernel.o")], [*base, "header", "-o", str(folder / "kernel.h")]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return f"{' '.join(command)}\n{done.stderr}"
    rows = []
    for array, element, written in arrays:
        size = data_of(folder / f"{array}.npy", folder / f"{array}.bin")
        rows.append(f'{{"{folder / array}.bin", {size}, {BYTES[element]}, {written}}}')
    call = [f"(void *)arrays[{i}].data" for i in range(len(arrays))]
    call += ["0.75f" for kind in arguments if not shape_of(kind)] + extents
    workspaces = re.findall(r"^static inline int64_t (\w+_workspace\d+_bytes)\(", (folder / "kernel.h").read_text(), re.M)
    call[len(arrays):len(arrays)] = [f"malloc({each}({', '.join(extents)}))" for each in workspaces]
    more = ""
    if name == "product":  # extents of one loop that differ are refused, and nothing is written
        wrong = call[:len(arrays) + len(workspaces)] + ["13", "21", "20", "37", "13", "37"]
        more = f'  if (product({", ".join(["0"] * len(arrays) + wrong[len(arrays):])}, 0) != -1) return puts("taken"), 1;'
    if name == "main":
        more = ABORTS
    function = "main_kernel" if name == "main" else name
    (folder / "main.c").write_text(PROGRAM % {"arrays": ", ".join(rows), "call": f"{function}({', '.join(call)}, parallel)", "more": more})
    done = subprocess.run(["cc", "-O1", "-o", str(folder / "main"), str(folder / "main.c"), str(folder / "kernel.o"), "-lm", "-lpthread", f"-I{folder}"],
                          capture_output=True, text=True)
    if done.returncode:
        return done.stderr
    done = subprocess.run([str(folder / "main")], capture_output=True, text=True)
    if done.returncode or int(done.stdout.split()[0]) < 18:
        return f"exit {done.returncode}\n{done.stdout}{done.stderr}"
    return None


def main():
    chosen = suite.options()
    failed = 0
    for name in KERNELS:
        if chosen.only and chosen.only not in name:
            continue
        if why := run(name, chosen):
            failed += 1
            print(f"FAIL {name}: {why}")
    print(f"{len(KERNELS) - failed} right of {len(KERNELS)} functions")
    sys.exit(failed != 0)


main()
