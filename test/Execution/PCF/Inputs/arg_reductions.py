"""The best value of a row and its position, as a linalg.generic in groups and in code of workers (PCF-163): every order,
strict or not, with NaNs, ties, infinities and zeros of both signs, for rows of one element up to more than are written
out. After every stage on two targets, and as PTX, bit for bit as a walk along the row says. An order that is not the
kernel's is found.

    python3 arg_reductions.py OUT_DIR [--distaff PATH] [--distaff-opt PATH]
"""
import math
import pathlib
import random
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
from pipeline_passes import read_flags

options = read_flags()
ROWS = 6
STAGES = ("specialize", "distribute-lanes", "vectorize", "concretize", "lower", "convert")
OWNERS = {
    "group": ("pcf.shared_executor", "%tg: !pcf.threadgroup<#sg>", "%begin = arith.constant 0 : index", ROWS),
    # Each of two subgroups has half of the rows.
    "worker": ("pcf.generic", "%id: index, %count: index", "%c3 = arith.constant 3 : index\n    %begin = arith.muli %id, %c3 : index", ROWS // 2),
}
KERNEL = """#sg = #iree_gpu.subgroup_scope
#L = #iree_codegen.translation_info<workgroup_size = [{threads}, 1, 1]>
!X = !pcf.sref<{all}x{n}x{element}, #sg>
!V = !pcf.sref<{all}x{element}, sync(#sg)>
!P = !pcf.sref<{all}xi32, sync(#sg)>
func.func @f(%x: tensor<{all}x{n}x{element}>, %values: tensor<{all}x{element}>, %places: tensor<{all}xi32>) -> (tensor<{all}x{element}>, tensor<{all}xi32>) attributes {{translation_info = #L}} {{
  %best = arith.constant {init} : {element}
  %none = arith.constant -7 : i32
  %r:2 = {owner} scope(#sg) execute(%rx <- %x : tensor<{all}x{n}x{element}>, %v = %values, %p = %places)[{ids}] : (!X, !V, !P) -> (tensor<{all}x{element}>, tensor<{all}xi32>) {{
    {begin}
    %t = pcf.read_slice %rx[%begin, 0] [{rows}, {n}] [1, 1] : !X to tensor<{rows}x{n}x{element}>
    %e = tensor.empty() : tensor<{rows}x{element}>
    %ei = tensor.empty() : tensor<{rows}xi32>
    %f = linalg.fill ins(%best : {element}) outs(%e : tensor<{rows}x{element}>) -> tensor<{rows}x{element}>
    %fi = linalg.fill ins(%none : i32) outs(%ei : tensor<{rows}xi32>) -> tensor<{rows}xi32>
    %s:2 = linalg.generic {{indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}}
        ins(%t : tensor<{rows}x{n}x{element}>) outs(%f, %fi : tensor<{rows}x{element}>, tensor<{rows}xi32>) {{
      ^bb0(%a: {element}, %b: {element}, %c: i32):
        %i = linalg.index 1 : index
        %ii = arith.index_cast %i : index to i32
        %g = arith.cmp{kind} {order}, %a, %b : {element}
        %u = arith.select %g, %a, %b : {element}
        %w = arith.select %g, %ii, %c : i32
        linalg.yield %u, %w : {element}, i32
    }} -> (tensor<{rows}x{element}>, tensor<{rows}xi32>)
    pcf.write_slice %s#0 into %v[%begin] [{rows}] [1] : tensor<{rows}x{element}> into !V
    pcf.write_slice %s#1 into %p[%begin] [{rows}] [1] : tensor<{rows}xi32> into !P
    pcf.return
  }}
  return %r#0, %r#1 : tensor<{all}x{element}>, tensor<{all}xi32>
}}
"""
NAN, INF = float("nan"), float("inf")
SPECIAL = [0.0, -0.0, 1.0, 1.0, -1.0, 2.5, 2.5, INF, -INF, NAN]
RELATIONS = {"gt": lambda a, b: a > b, "ge": lambda a, b: a >= b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b}


def beats(order, a, b):
    """Whether a comparison of floats (o, u) or of signed integers (s) holds."""
    if math.isnan(a) or math.isnan(b):
        return order[0] == "u"
    return RELATIONS[order[1:]](a, b)


def walk(row, init, order):
    best, place = init, -7
    for i, value in enumerate(row):
        if beats(order, value, best):
            best, place = value, i
    return best, place


def bits(values, element):
    """NaNs are all one; zeros have their signs."""
    return [("nan" if math.isnan(value) else struct.pack("<f", value)) if element == "f32" else value for value in values]


def say(is_right, *what):
    print("ok" if is_right else "FAIL", *what)
    return 0 if is_right else 1


class Case:
    def __init__(self, rng, owner, n, element, order):
        self.n, self.element, self.order = n, element, order
        self.name = f"{owner}-{n}-{element}-{order}"
        if element == "f32":
            self.values = [rng.choice(SPECIAL) for _ in range(ROWS * n)]
            # A row of NaNs only, and one whose first is the only NaN.
            self.values[:n] = [NAN] * n
            self.values[n:2 * n] = [NAN] + [rng.choice(SPECIAL[:-1]) for _ in range(n - 1)]
            self.init = -INF if "g" in order else INF
            text = "0xFF800000" if "g" in order else "0x7F800000"
        else:
            self.values = [rng.randint(-3, 3) for _ in range(ROWS * n)]
            self.init = -2 if "g" in order else 2
            text = self.init
        name, ids, begin, rows = OWNERS[owner]
        self.fields = dict(n=n, all=ROWS, element=element, order=order, kind="f" if element == "f32" else "i", init=text, owner=name, ids=ids, begin=begin, rows=rows)

    def expected(self, order=None):
        rows = [self.values[i * self.n:(i + 1) * self.n] for i in range(ROWS)]
        values, places = zip(*(walk(row, self.init, order or self.order) for row in rows))
        return bits(values, self.element), list(places)

    def run(self, target, *flags, order=None):
        path = options.out / f"{self.name}-{target}.mlir"
        path.write_text(KERNEL.format(threads=128 if target == "gfx942" else 64, **{**self.fields, "order": order or self.order}))
        results = [options.out / "values.npy", options.out / "places.npy"]
        for result in results:
            result.unlink(missing_ok=True)
        x = npy.write(options.out / "x.npy", self.element, (ROWS, self.n), self.values)
        done = fork_server.run([str(part) for part in (
            options.distaff, "run", path, "--target", target, "--input", f"arg0={x}", "--input", "arg1=zeros", "--input", "arg2=zeros", *flags,
            "--output", f"res0={results[0]}", "--output", f"res1={results[1]}")])
        if done.returncode:
            return done.stderr.strip()[:500]
        return bits(npy.read(results[0], self.element), self.element), npy.read(results[1], "i32")


def main():
    rng, failures = random.Random(163), 0
    turns = depth.Turns(23)
    for owner in OWNERS:
        for element, orders in (("f32", ("ogt", "oge", "olt", "ole", "ugt", "ule")), ("i32", ("sgt", "sle"))):
            for order in orders:
                for n in (1, 13, 32, 300)[:4 if order[1:] == "gt" else 3]:
                    case = Case(rng, owner, n, element, order)
                    devices = [(target, f"--stop-after={stage}") for target in ("sm_80", "gfx942") for stage in STAGES[0 if owner == "group" else 1:]]
                    for target, device in turns.of([*devices, ("sm_80", "--device=ptx")]):
                        found = case.run(target, device)
                        failures += say(found == case.expected(), case.name, target, device, "" if found == case.expected() else found)
    ties = Case(rng, "group", 13, "i32", "sgt")
    failures += say(ties.run("sm_80", "--device=ptx", order="sge") == ties.expected("sge") != ties.expected(), "spoilt: the last of equal values")
    print(failures, "failures")
    sys.exit(failures > 0)


main()
