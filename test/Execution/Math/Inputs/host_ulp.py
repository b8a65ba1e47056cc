"""The error of math functions of f32 as they are compiled for this CPU, in ulp.

    python3 host_ulp.py OUT_DIR [--all | --write] [--only NAME] [--distaff PATH]

Each function is compiled to a function of C, called on bit patterns of f32, and compared
with C's function of double, whose error is far less than what is measured. Every 1009th
pattern is, or with `--all` each of the 2^32; `--write` is that and writes docs/HostMath.md,
whose errors the others must not exceed. An ulp is the distance of the two floats around
the exact result; results that are to be NaN, infinite or zero must be.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

FUNCTIONS = {"exp2": "exp2(x)", "exp": "exp(x)", "log": "log(x)", "rsqrt": "1 / sqrt(x)", "tanh": "tanh(x)",
             "erf": "erf(x)", "erfc": "erfc(x)", "sin": "sin(x)", "cos": "cos(x)"}
PAGE = pathlib.Path(__file__).resolve().parents[4] / "docs" / "HostMath.md"
HEAD = """# Math functions on the host

The largest error of each function of f32 as it is compiled for `--target host:avx2`, over all 2^32 bit patterns, against C's
function of double. An ulp is the distance of the two floats around the exact result. Results that are to be NaN, infinite or
zero are. No library is called: the functions are polynomials on vectors
([LowerMathFunctions.cpp](../lib/Lower/LowerMathFunctions.cpp)). Functions of f64 are those of C's library. Written by
`test/Execution/Math/Inputs/host_ulp.py --write`, and held true by `host_ulp.test` on every 1009th pattern.

| function | largest error in ulp | at x = | mean error in ulp |
| --- | --- | --- | --- |
"""
PROGRAM = r"""
#include "kernel.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>

static double ulp(double exact) {
  int e;
  if (exact == 0) return 0x1p-149;
  frexp(exact, &e);
  return ldexp(1, e - 24 < -149 ? -149 : e - 24);
}

int main(void) {
  enum { n = 1 << 16 };
  static float in[n], out[n];
  double worst = 0, at = 0, sum = 0;
  long long counted = 0;
  for (unsigned long long next = %(first)d; next < 1ull << 32;) {
    int count = 0;
    for (; count < n && next < 1ull << 32; next += %(stride)d, ++count) {
      unsigned bits = (unsigned)next;
      memcpy(&in[count], &bits, 4);
    }
    for (int i = count; i < n; ++i) in[i] = 1;
    if (k(in, out, 0)) return 3;
    for (int i = 0; i < count; ++i) {
      double x = in[i], exact = %(exact)s;
      float wanted = (float)exact;
      if (isnan(exact) || isinf(exact)) {
        if (isnan(exact) ? !isnan(out[i]) : out[i] != wanted)
          return printf("%%a gives %%a, not %%a\n", in[i], out[i], exact), 1;
        continue;
      }
      double error;
      if (isinf(wanted)) error = out[i] == wanted ? 0 : fabs(exact - out[i]) / 0x1p104;
      else if (isinf(out[i])) error = fabs(exact) > 0x1.fffffcp127 ? 1 : INFINITY;
      else error = fabs(out[i] - exact) / ulp(exact);
      if (isnan(error)) error = INFINITY;
      if (error > worst) worst = error, at = x;
      sum += error, ++counted;
    }
  }
  printf("%%.3f %%a %%.3f\n", worst, at, sum / counted);
  return 0;
}
"""


def measure(name, chosen, stride):
    """(largest error, where, mean error), or why there is none."""
    folder = chosen.out / name
    folder.mkdir(exist_ok=True)
    (folder / "k.mlir").write_text(f"""func.func @k(%a: tensor<65536xf32>) -> tensor<65536xf32> {{
  %r = math.{name} %a : tensor<65536xf32>
  return %r : tensor<65536xf32>
}}""")
    base = [chosen.distaff, "compile", str(folder / "k.mlir"), "--target", "host:avx2", "--emit"]
    (folder / "main.c").write_text(PROGRAM % {"exact": FUNCTIONS[name], "stride": stride, "first": 0 if stride == 1 else 17})
    for command in ([*base, "obj", "-o", str(folder / "k.o")], [*base, "header", "-o", str(folder / "kernel.h")],
                    ["cc", "-O2", "-o", str(folder / "main"), str(folder / "main.c"), str(folder / "k.o"), "-lm", f"-I{folder}"], [str(folder / "main")]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return f"{' '.join(command)}: {done.stdout}{done.stderr}"
    largest, at, mean = done.stdout.split()
    return float(largest), at, float(mean)


def main():
    write = "--write" in sys.argv
    every = write or "--all" in sys.argv
    sys.argv = [argument for argument in sys.argv if argument not in ("--write", "--all")]
    chosen = suite.options()
    names = [name for name in FUNCTIONS if not chosen.only or chosen.only == name]
    known = {row[0]: float(row[1]) for row in re.findall(r"^\| `(\w+)` \| ([\d.]+) ", PAGE.read_text() if PAGE.exists() else "", re.M)}
    failed, lines = 0, []
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for name, found in zip(names, pool.map(lambda name: measure(name, chosen, 1 if every else 1009), names)):
            if isinstance(found, str):
                failed += 1
                print(f"FAIL {name}: {found}")
                continue
            largest, at, mean = found
            print(f"{name}: {largest} ulp at {at}, mean {mean}")
            lines.append(f"| `{name}` | {largest:.3f} | {float.fromhex(at):.9g} | {mean:.3f} |")
            if not write and not largest <= known.get(name, 0):
                failed += 1
                print(f"FAIL {name}: the page says {known.get(name)}")
    if write and not failed:
        PAGE.write_text(HEAD + "\n".join(lines) + "\n")
    print(f"{len(names) - failed} right of {len(names)} functions")
    sys.exit(failed != 0)


main()
