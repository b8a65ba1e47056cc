"""The best value of a row that several subgroups share, and its position, by comparators that are not strict (VX-208): the
last of equal values, with NaNs, infinities equal to the init and zeros of both signs, in every subgroup's part. After every
stage on two targets, and as PTX, bit for bit as a walk along the row says; the code is about as long as by a strict one.

    python3 shared_rows.py OUT_DIR [--distaff PATH] [--distaff-opt PATH]
"""
import math
import pathlib
import random
import re
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
from pipeline_passes import read_flags

options = read_flags()
STAGES = ("specialize", "distribute-subgroups", "distribute-lanes", "lower", "convert")
RUN_CLUSTER = ("--pipeline", "run-cluster")
KERNEL = """func.func @f(%x: tensor<{m}x{n}xf32>) -> (tensor<{m}xf32>, tensor<{m}x{place}>) {{
  %init = arith.constant {init} : f32
  %none = arith.constant -7 : {place}
  %e = tensor.empty() : tensor<{m}xf32>
  %ei = tensor.empty() : tensor<{m}x{place}>
  %f = linalg.fill ins(%init : f32) outs(%e : tensor<{m}xf32>) -> tensor<{m}xf32>
  %fi = linalg.fill ins(%none : {place}) outs(%ei : tensor<{m}x{place}>) -> tensor<{m}x{place}>
  %r:2 = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}}
      ins(%x : tensor<{m}x{n}xf32>) outs(%f, %fi : tensor<{m}xf32>, tensor<{m}x{place}>) {{
    ^bb0(%a: f32, %b: f32, %c: {place}):
      %i = linalg.index 1 : index
      %ii = arith.index_cast %i : index to {place}
      %g = arith.cmpf {order}, %a, %b : f32
      %u = arith.select %g, %a, %b : f32
      %w = arith.select %g, %ii, %c : {place}
      linalg.yield %u, %w : f32, {place}
  }} -> (tensor<{m}xf32>, tensor<{m}x{place}>)
  return %r#0, %r#1 : tensor<{m}xf32>, tensor<{m}x{place}>
}}
"""
NAN, INF = float("nan"), float("inf")
BEATS = {"oge": lambda a, b: a >= b, "ole": lambda a, b: a <= b, "ogt": lambda a, b: a > b}


def walk(row, init, order):
    best, place = init, -7
    for i, value in enumerate(row):
        if BEATS[order](value, best):
            best, place = value, i
    return struct.pack("<f", best), place


def rows_of(rng, n, init):
    """Rows whose best is nowhere, equals the init in one place, or is there several times."""
    rows = [[NAN] * n, [init] * n]
    for place in (0, n // 2 - 1, n - 1):
        rows.append([init if i == place else NAN for i in range(n)])
    rows.append([rng.choice((0.0, -0.0, NAN, -1.0 if init < 0 else 1.0)) for _ in range(n)])
    rows.append([rng.choice((1.0, 2.5, -2.5, init, NAN)) for _ in range(n)])
    return rows + [[rng.uniform(-1, 1) for _ in range(n)]]


class Case:
    def __init__(self, rng, n, order, place):
        self.order, self.place, self.init = order, place, INF if "l" in order else -INF
        self.rows = rows_of(rng, n, self.init)
        self.path = options.out / f"{order}-{n}-{place}.mlir"
        self.path.write_text(KERNEL.format(m=len(self.rows), n=n, order=order, place=place, init="0x7F800000" if "l" in order else "0xFF800000"))
        self.input = npy.write(options.out / f"{order}-{n}.npy", "f32", (len(self.rows), n), [value for row in self.rows for value in row])

    def expected(self):
        return [walk(row, self.init, self.order) for row in self.rows]

    def run(self, *flags):
        results = [options.out / "values.npy", options.out / "places.npy"]
        done = fork_server.run([str(part) for part in (options.distaff, "run", self.path, *RUN_CLUSTER, *flags, "--input", f"arg0={self.input}",
                                                       "--output", f"res0={results[0]}", "--output", f"res1={results[1]}")])
        if done.returncode:
            return done.stderr.strip()[:500]
        return list(zip((struct.pack("<f", value) for value in npy.read(results[0], "f32")), npy.read(results[1], self.place)))

    def instructions(self):
        done = fork_server.run([str(part) for part in (options.distaff, "compile", self.path, *RUN_CLUSTER, "--target", "sm_80", "--emit", "ptx")])
        return len(re.findall(r";$", done.stdout, re.M))


def say(is_right, *what):
    print("ok" if is_right else "FAIL", *what)
    return 0 if is_right else 1


def main():
    rng, failures = random.Random(208), 0
    turns = depth.Turns(5)
    for n, order, place in ((4096, "oge", "i32"), (3000, "ole", "i32"), (2048, "oge", "i64"), (1024, "ole", "i16")):
        case = Case(rng, n, order, place)
        ways = [(target, f"--stop-after={stage}") for target in ("sm_80", "gfx942") for stage in STAGES]
        for target, way in turns.of([*ways, ("sm_80", "--device=ptx")]):
            found = case.run("--target", target, way)
            failures += say(found == case.expected(), n, order, place, target, way, "" if found == case.expected() else found)
    strict, other = (Case(rng, 4096, order, "i32").instructions() for order in ("ogt", "oge"))
    failures += say(strict < other < 1.3 * strict, f"{strict} instructions by a strict order, {other} by one that is not")
    print(failures, "failures")
    sys.exit(failures > 0)


main()
