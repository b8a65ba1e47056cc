"""Kernels that call functions of C (docs/ABI.md), which `cc` compiles with the header that `--emit header` writes.

    python3 external_functions.py OUT_DIR [--distaff PATH]

The functions check what they are given, alignment included, and what they return is checked here.
"""
import pathlib
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

KERNEL = """func.func private @scale(vector<2x3xf32>, f32, vector<6xi1>, i8, index, i1) -> (vector<2x3xf32>, i32, vector<3x2xi1>, vector<2xindex>)
func.func private @halves(vector<4xbf16>, vector<4xf16>) -> f64
func.func @mixed(%a: memref<2x3xf32>, %o: memref<2x3xf32>, %n: memref<9xi32>, %d: memref<1xf64>) {
  %c0 = arith.constant 0 : index
  %x = vector.load %a[%c0, %c0] : memref<2x3xf32>, vector<2x3xf32>
  %zero = arith.constant dense<2.0> : vector<2x3xf32>
  %above = arith.cmpf ogt, %x, %zero : vector<2x3xf32>
  %bits = vector.shape_cast %above : vector<2x3xi1> to vector<6xi1>
  %s = arith.constant 3.5 : f32
  %minus = arith.constant -5 : i8
  %i = arith.constant 1000000000000 : index
  %true = arith.constant true
  %y, %count, %flags, %places = func.call @scale(%x, %s, %bits, %minus, %i, %true) : (vector<2x3xf32>, f32, vector<6xi1>, i8, index, i1) -> (vector<2x3xf32>, i32, vector<3x2xi1>, vector<2xindex>)
  vector.store %y, %o[%c0, %c0] : memref<2x3xf32>, vector<2x3xf32>
  memref.store %count, %n[%c0] : memref<9xi32>
  %flat = vector.shape_cast %flags : vector<3x2xi1> to vector<6xi1>
  %whole = arith.extui %flat : vector<6xi1> to vector<6xi32>
  %c1 = arith.constant 1 : index
  vector.store %whole, %n[%c1] : memref<9xi32>, vector<6xi32>
  %c7 = arith.constant 7 : index
  %at = arith.index_cast %places : vector<2xindex> to vector<2xi32>
  vector.store %at, %n[%c7] : memref<9xi32>, vector<2xi32>
  %b = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xbf16>
  %h = arith.constant dense<[0.5, 2.0, -3.0, 4.0]> : vector<4xf16>
  %q = func.call @halves(%b, %h) : (vector<4xbf16>, vector<4xf16>) -> f64
  memref.store %q, %d[%c0] : memref<1xf64>
  return
}
"""

GRID = """func.func private @row(vector<16xf32>, index) -> vector<16xf32>
func.func @grid(%a: memref<40x16xf32>, %o: memref<40x16xf32>) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (40) {
    %x = vector.load %a[%i, %c0] : memref<40x16xf32>, vector<16xf32>
    %y = func.call @row(%x, %i) : (vector<16xf32>, index) -> vector<16xf32>
    vector.store %y, %o[%i, %c0] : memref<40x16xf32>, vector<16xf32>
  } {mapping = [#gpu.block<x>]}
  return
}
"""

# Of more than registers, and than the stack, hold.
LARGE = """func.func private @lines(vector<401x499xf32>, vector<401x499xi1>, f32) -> (vector<401x499xf32>, i32, vector<401xindex>, vector<3000xi1>, i1)
func.func private @total(vector<401x499xf32>) -> f64
func.func @large(%a: memref<401x499xf32>, %o: memref<401x499xf32>, %p: memref<401xi64>, %t: memref<3xf64>, %f: memref<3000xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = vector.load %a[%c0, %c0] : memref<401x499xf32>, vector<401x499xf32>
  %limit = arith.constant dense<700.0> : vector<401x499xf32>
  %below = arith.cmpf olt, %x, %limit : vector<401x499xf32>
  %s = arith.constant 0.5 : f32
  %y, %count, %places, %flags, %flag = func.call @lines(%x, %below, %s) : (vector<401x499xf32>, vector<401x499xi1>, f32) -> (vector<401x499xf32>, i32, vector<401xindex>, vector<3000xi1>, i1)
  %sum = arith.addf %x, %y : vector<401x499xf32>
  vector.store %sum, %o[%c0, %c0] : memref<401x499xf32>, vector<401x499xf32>
  %at = arith.index_cast %places : vector<401xindex> to vector<401xi64>
  vector.store %at, %p[%c0] : memref<401xi64>, vector<401xi64>
  %q = func.call @total(%y) : (vector<401x499xf32>) -> f64
  memref.store %q, %t[%c0] : memref<3xf64>
  %n = arith.sitofp %count : i32 to f64
  memref.store %n, %t[%c1] : memref<3xf64>
  %c2 = arith.constant 2 : index
  %m = arith.uitofp %flag : i1 to f64
  memref.store %m, %t[%c2] : memref<3xf64>
  %w = arith.extui %flags : vector<3000xi1> to vector<3000xi32>
  vector.store %w, %f[%c0] : memref<3000xi32>, vector<3000xi32>
  return
}
"""

FUNCTIONS = """#include "mixed.h"
#include "grid.h"
#include "large.h"
#include <stdlib.h>
#include <string.h>
static void need(int holds) { if (!holds) abort(); }
void scale(const float *arg0, float arg1, const uint8_t *arg2, int8_t arg3, int64_t arg4, uint8_t arg5, float *res0, int32_t *res1, uint8_t *res2, int64_t *res3) {
  const void *pointers[] = {arg0, arg2, res0, res1, res2, res3};
  for (int i = 0; i < 6; ++i)
    need((uintptr_t)pointers[i] % 64 == 0);
  need(arg3 == -5 && arg4 == 1000000000000 && arg5 == 1);
  *res1 = 0;
  for (int i = 0; i < 6; ++i) {
    res0[i] = arg0[i] * arg1;
    need(arg2[i] == (arg0[i] > 2));
    *res1 += arg2[i];
    res2[i] = i % 2 ? 0 : 255; /* whatever is not 0 is true */
  }
  res3[0] = 7, res3[1] = -8;
}
double halves(const uint16_t *arg0, const uint16_t *arg1) {
  static const uint16_t ones[] = {0x3f80, 0x4000, 0x4040, 0x4080}, others[] = {0x3800, 0x4000, 0xc200, 0x4400};
  need(!memcmp(arg0, ones, 8) && !memcmp(arg1, others, 8));
  return 11.5;
}
void lines(const float *arg0, const uint8_t *arg1, float arg2, float *res0, int32_t *res1, int64_t *res2, uint8_t *res3, uint8_t *res4) {
  const void *pointers[] = {arg0, arg1, res0, res1, res2, res3, res4};
  for (int i = 0; i < 7; ++i)
    need((uintptr_t)pointers[i] % 64 == 0);
  need(arg2 == 0.5);
  for (int i = 0; i < 3000; ++i)
    res3[i] = i % 5; /* whatever is not 0 is true */
  *res4 = 4;
  *res1 = 0;
  for (int i = 0; i < 401; ++i) {
    res2[i] = 0;
    for (int j = 0; j < 499; ++j) {
      need(arg1[499 * i + j] == (arg0[499 * i + j] < 700));
      *res1 += arg1[499 * i + j];
      res2[i] += (int64_t)arg0[499 * i + j] * j;
      res0[499 * i + j] = arg0[499 * i + 498 - j] * arg2;
    }
  }
}
double total(const float *arg0) {
  double sum = 0;
  for (int i = 0; i < 401 * 499; ++i)
    sum += arg0[i] * (i % 7);
  return sum;
}
void row(const float *arg0, int64_t arg1, float *res0) {
  for (int i = 0; i < 16; ++i)
    res0[i] = arg0[15 - i] + arg1;
}
"""

MAIN = """#include "mixed.h"
#include <stdio.h>
int main(void) {
  float a[6] = {0, 1, 2, 3, 4, 5}, o[6];
  int32_t n[9];
  double d;
  if (mixed(a, o, n, &d, 0))
    return 1;
  for (int i = 0; i < 6; ++i)
    printf("%g ", o[i]);
  for (int i = 0; i < 9; ++i)
    printf("%d ", n[i]);
  printf("%g\\n", d);
}
"""

EXPECTED = ([0.0, 3.5, 7.0, 10.5, 14.0, 17.5], [3, 1, 0, 1, 0, 1, 0, 7, -8], [11.5])


def run(command, folder):
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    chosen = suite.options()
    out = chosen.out.resolve()
    for name, text in (("mixed.mlir", KERNEL), ("grid.mlir", GRID), ("large.mlir", LARGE), ("functions.c", FUNCTIONS), ("main.c", MAIN)):
        (out / name).write_text(text)
    for name in ("mixed", "grid", "large"):
        run([chosen.distaff, "compile", f"{name}.mlir", "--target", "host", "--emit", "header", "-o", f"{name}.h"], out)
    run(["cc", "-O2", "-shared", "-fPIC", "functions.c", "-o", "functions.so"], out)
    run([chosen.distaff, "run", "mixed.mlir", "--target", "host", "--device", "host", "--library", "./functions.so", "--input", "arg0=iota",
         *(f"--output=arg{i}=mixed{i}.npy" for i in (1, 2, 3))], out)
    seen = tuple(npy.read(out / f"mixed{i}.npy", element) for i, element in ((1, "f32"), (2, "i32"), (3, "f64")))
    print("the library:", "3 results are right" if seen == EXPECTED else f"{seen}, not {EXPECTED}")
    run([chosen.distaff, "compile", "mixed.mlir", "--target", "host", "--emit", "obj", "-o", "mixed.o"], out)
    run(["cc", "-O2", "main.c", "functions.c", "mixed.o", "-o", "program", "-lm"], out)
    seen = [float(number) for number in run([out / "program"], out).split()]
    print("the program:", "3 results are right" if seen == sum(EXPECTED, []) else f"{seen}, not {EXPECTED}")
    run([chosen.distaff, "run", "grid.mlir", "--target", "host", "--device", "host", "--threads", "3", "--library", "./functions.so", "--input", "arg0=iota",
         "--output=arg1=grid.npy"], out)
    expected = [float(16 * i + 15 - j + i) for i in range(40) for j in range(16)]
    print("each workgroup calls:", "right" if npy.read(out / "grid.npy", "f32") == expected else "wrong")
    run([chosen.distaff, "run", "large.mlir", "--target", "host", "--device", "host", "--library", "./functions.so", "--input", "arg0=random:3:0:1000",
         "--output=arg0=large0.npy", *(f"--output=arg{i}=large{i}.npy" for i in (1, 2, 3, 4))], out)
    x, o, places, totals, flags = (npy.read(out / f"large{i}.npy", element) for i, element in enumerate(("f32", "f32", "i64", "f64", "i32")))
    single = lambda number: struct.unpack("f", struct.pack("f", number))[0]
    at = [(499 * i, j) for i in range(401) for j in range(499)]
    y = [x[row + 498 - j] / 2 for row, j in at]
    holds = (o == [single(x[row + j] + y[row + j]) for row, j in at], places == [sum(int(x[499 * i + j]) * j for j in range(499)) for i in range(401)],
             totals == [sum(single(value * (i % 7)) for i, value in enumerate(y)), float(sum(value < 700 for value in x)), 1.0], flags == [int(i % 5 != 0) for i in range(3000)])
    print("large vectors:", "right" if all(holds) else f"wrong {holds}")


main()
