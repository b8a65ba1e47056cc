"""Kernels of linalg on tensors with one contraction, down the run-cluster pipeline:
configured for a target, tiled onto workgroups, and further, stage by stage. After
every stage the SIMT machine runs the kernel on whole numbers, whose sums are
exact, and the results are compared with what is computed here element by element.
As many bytes of results are written as there are: every element once (PCF-90).
With small tiles, which the kernel asks for, small extents have many and ragged ones.

    python3 tiled.py OUT_DIR [--kernels A,B] [--target T] [--tiles chosen|small] [--points N] [--last STAGE]
"""
import argparse
import itertools
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
import references
from pipeline_passes import TO_COPIES, TO_VECTORS

parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--kernels", default="")
parser.add_argument("--target", default="sm_80")
parser.add_argument("--tiles", choices=["chosen", "small"], default="chosen")
parser.add_argument("--points", type=int, default=99)
parser.add_argument("--last", default="promote-to-shared-memory")
parser.add_argument("--distaff", default="distaff")
parser.add_argument("--distaff-opt", default="distaff-opt")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)

STAGES = [
    ("configure", ["--distaff-normalize-for-phases=target=TARGET", "--distaff-configure-clusters=target=TARGET"]),
    ("tile", ["--distaff-tile-to-pcf=target=TARGET"]),
    *TO_COPIES,
    *TO_VECTORS,
]
TILES = {"m": 32, "n": 48, "k": 16}


def config(loops):
    """The tiles of a contraction of these loops as an attribute, or nothing where they are chosen. Of batches, and of
    all but the last sum, they are 1."""
    if options.tiles == "chosen":
        return ""
    reduced = "rk"
    def tiles(wanted):
        return ", ".join(str(TILES.get(loop, 1)) if (loop in reduced) == wanted else "0" for loop in loops)
    return f"lowering_config = #iree_gpu.lowering_config<{{workgroup = [{tiles(False)}], reduction = [{tiles(True)}]}}>"


def named(loops):
    return f"{{{config(loops)}}}" if config(loops) else ""


def entry(loops):
    return f", {config(loops)}" if config(loops) else ""


def matmul(lhs, rhs, out):
    """A contraction by its maps, as `mk,kn,mn`."""
    loops = "".join(dict.fromkeys(out + lhs + rhs))
    maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(each)})>" for each in (lhs, rhs, out))
    kinds = ", ".join('"parallel"' if loop in out else '"reduction"' for loop in loops)
    return f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]{entry(loops)}}}"""


def body(extend, a, c, add="arith.addf", mul="arith.mulf"):
    wide = [f"%x = {extend} %p : {a} to {c}", f"%y = {extend} %q : {a} to {c}"] if a != c else []
    x, y = ("%x", "%y") if wide else ("%p", "%q")
    lines = [f"^bb0(%p: {a}, %q: {a}, %s: {c}):", *wide, f"%v = {mul} {x}, {y} : {c}", f"%w = {add} %s, %v : {c}", f"linalg.yield %w : {c}"]
    return "{ " + "\n      ".join(lines) + " }"


MAP2 = "affine_map<(i, j) -> (i, j)>"
PARALLEL2 = 'iterator_types = ["parallel", "parallel"]'
DYN16, DYN32 = "tensor<?x?xf16>", "tensor<?x?xf32>"
FILL = """%zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(OUT) -> TYPE"""


def fill(out, kind):
    return FILL.replace("OUT", f"{out} : {kind}").replace("TYPE", kind)


# Each: the function, the element types and shapes of its arguments, and what it returns, for extents m, n, k. A
# "scalar", of shape (value,), is passed as a number.
KERNELS = {}


def kernel(sizes):
    def add(make):
        KERNELS[make.__name__] = (sizes, make)
    return add


RAGGED = [(70, 97, 33), (1, 1, 1), (33, 129, 0), (257, 129, 65), (17, 64, 33), (32, 48, 16), (130, 17, 17)]


@kernel(RAGGED)
def plain(m, n, k):
    text = f"""func.func @k(%A: {DYN16}, %B: {DYN16}, %C: {DYN32}) -> {DYN32} {{
  {fill("%C", DYN32)}
  %r = linalg.matmul {named('mnk')} ins(%A, %B : {DYN16}, {DYN16}) outs(%f : {DYN32}) -> {DYN32}
  return %r : {DYN32}
}}"""
    return text, [("f16", (m, k)), ("f16", (k, n)), ("f32", (m, n))], lambda a, b, c: [((m, n), references.matmul(a, b, m, n, k))]


@kernel(RAGGED)
def affine_prologues(m, n, k):
    """f(0) is not 0 of either operand, so what is padded must not go through f; and a filled value that is not 0."""
    text = f"""func.func @k(%A: {DYN16}, %B: {DYN16}, %C: {DYN32}) -> {DYN32} {{
  %one = arith.constant 1.0 : f16
  %three = arith.constant 3.0 : f32
  %f = linalg.fill ins(%three : f32) outs(%C : {DYN32}) -> {DYN32}
  %x = linalg.generic {{indexing_maps = [{MAP2}, {MAP2}], {PARALLEL2}}} ins(%A : {DYN16}) outs(%A : {DYN16}) {{ ^bb0(%p: f16, %o: f16):
    %w = arith.addf %p, %one : f16
    linalg.yield %w : f16 }} -> {DYN16}
  %y = linalg.generic {{indexing_maps = [{MAP2}, {MAP2}], {PARALLEL2}}} ins(%B : {DYN16}) outs(%B : {DYN16}) {{ ^bb0(%p: f16, %o: f16):
    %w = arith.subf %one, %p : f16
    linalg.yield %w : f16 }} -> {DYN16}
  %r = linalg.matmul {named('mnk')} ins(%x, %y : {DYN16}, {DYN16}) outs(%f : {DYN32}) -> {DYN32}
  return %r : {DYN32}
}}"""
    return text, [("f16", (m, k)), ("f16", (k, n)), ("f32", (m, n))], \
        lambda a, b, c: [((m, n), [3 + x for x in references.matmul([x + 1 for x in a], [1 - x for x in b], m, n, k)])]


@kernel(RAGGED)
def broadcast_prologue(m, n, k):
    """A scale per column of A, read along another loop than A's rows."""
    text = f"""func.func @k(%A: {DYN16}, %S: tensor<?xf16>, %B: {DYN16}, %C: {DYN32}) -> {DYN32} {{
  {fill("%C", DYN32)}
  %x = linalg.generic {{indexing_maps = [{MAP2}, affine_map<(i, j) -> (j)>, {MAP2}], {PARALLEL2}}} ins(%A, %S : {DYN16}, tensor<?xf16>) outs(%A : {DYN16}) {{ ^bb0(%p: f16, %q: f16, %o: f16):
    %w = arith.addf %p, %q : f16
    linalg.yield %w : f16 }} -> {DYN16}
  %r = linalg.matmul {named('mnk')} ins(%x, %B : {DYN16}, {DYN16}) outs(%f : {DYN32}) -> {DYN32}
  return %r : {DYN32}
}}"""
    return text, [("f16", (m, k)), ("f16", (k,)), ("f16", (k, n)), ("f32", (m, n))], \
        lambda a, s, b, c: [((m, n), references.matmul([x + s[i % k] for i, x in enumerate(a)], b, m, n, k))]


@kernel(RAGGED[:3])
def added_to_rows(m, n, k):
    """What both operands are added to has no columns, so it is not 0 beyond the end of the sum."""
    first, second = "affine_map<(i, j) -> (i)>", "affine_map<(i, j) -> (j)>"
    text = f"""func.func @k(%A: {DYN16}, %R: tensor<?xf16>, %B: {DYN16}, %S: tensor<?xf16>, %C: {DYN32}) -> {DYN32} {{
  {fill("%C", DYN32)}
  %x = linalg.generic {{indexing_maps = [{MAP2}, {first}, {MAP2}], {PARALLEL2}}} ins(%A, %R : {DYN16}, tensor<?xf16>) outs(%A : {DYN16}) {{ ^bb0(%p: f16, %q: f16, %o: f16):
    %w = arith.addf %p, %q : f16
    linalg.yield %w : f16 }} -> {DYN16}
  %y = linalg.generic {{indexing_maps = [{MAP2}, {second}, {MAP2}], {PARALLEL2}}} ins(%B, %S : {DYN16}, tensor<?xf16>) outs(%B : {DYN16}) {{ ^bb0(%p: f16, %q: f16, %o: f16):
    %w = arith.subf %p, %q : f16
    linalg.yield %w : f16 }} -> {DYN16}
  %r = linalg.matmul {named('mnk')} ins(%x, %y : {DYN16}, {DYN16}) outs(%f : {DYN32}) -> {DYN32}
  return %r : {DYN32}
}}"""
    return text, [("f16", (m, k)), ("f16", (m,)), ("f16", (k, n)), ("f16", (n,)), ("f32", (m, n))], \
        lambda a, r, b, s, c: [((m, n), references.matmul([x + r[i // k] for i, x in enumerate(a)], [x - s[i % n] for i, x in enumerate(b)], m, n, k))]


@kernel(RAGGED)
def epilogue(m, n, k):
    """A bias per column, a residual tile, relu; and the product itself as a second result."""
    text = f"""func.func @k(%A: {DYN16}, %B: {DYN16}, %bias: tensor<?xf32>, %R: {DYN32}, %C: {DYN32}) -> ({DYN32}, {DYN32}) {{
  {fill("%C", DYN32)}
  %r = linalg.matmul {named('mnk')} ins(%A, %B : {DYN16}, {DYN16}) outs(%f : {DYN32}) -> {DYN32}
  %o = linalg.generic {{indexing_maps = [{MAP2}, affine_map<(i, j) -> (j)>, {MAP2}, {MAP2}], {PARALLEL2}}}
    ins(%r, %bias, %R : {DYN32}, tensor<?xf32>, {DYN32}) outs(%C : {DYN32}) {{ ^bb0(%p: f32, %q: f32, %s: f32, %out: f32):
    %v = arith.addf %p, %q : f32
    %w = arith.addf %v, %s : f32
    %u = arith.maximumf %w, %zero : f32
    linalg.yield %u : f32 }} -> {DYN32}
  return %o, %r : {DYN32}, {DYN32}
}}"""

    def reference(a, b, bias, residual, c):
        whole = references.matmul(a, b, m, n, k)
        return [((m, n), [max(0, x + bias[i % n] + residual[i]) for i, x in enumerate(whole)]), ((m, n), whole)]
    return text, [("f16", (m, k)), ("f16", (k, n)), ("f32", (n,)), ("f32", (m, n)), ("f32", (m, n))], reference


@kernel(RAGGED)
def accumulates(m, n, k):
    text = f"""func.func @k(%A: {DYN16}, %B: {DYN16}, %C: {DYN32}) -> {DYN32} {{
  %r = linalg.matmul {named('mnk')} ins(%A, %B : {DYN16}, {DYN16}) outs(%C : {DYN32}) -> {DYN32}
  return %r : {DYN32}
}}"""
    return text, [("f16", (m, k)), ("f16", (k, n)), ("f32", (m, n))], \
        lambda a, b, c: [((m, n), [x + y for x, y in zip(references.matmul(a, b, m, n, k), c)])]


def transposed(lhs, rhs, out):
    def make(m, n, k):
        extents = {"m": m, "n": n, "k": k}
        def shape(loops):
            return tuple(extents[loop] for loop in loops)
        text = f"""func.func @k(%A: {DYN16}, %B: {DYN16}, %C: {DYN32}) -> {DYN32} {{
  {fill("%C", DYN32)}
  %r = {matmul(lhs, rhs, out)} ins(%A, %B : {DYN16}, {DYN16}) outs(%f : {DYN32}) {body("arith.extf", "f16", "f32")} -> {DYN32}
  return %r : {DYN32}
}}"""

        def reference(a, b, c):
            def at(values, loops, point):
                return values[point[loops[0]] * extents[loops[1]] + point[loops[1]]]
            whole = [sum(at(a, lhs, {out[0]: i, out[1]: j, "k": l}) * at(b, rhs, {out[0]: i, out[1]: j, "k": l}) for l in range(k))
                     for i in range(extents[out[0]]) for j in range(extents[out[1]])]
            return [(shape(out), whole)]
        return text, [("f16", shape(lhs)), ("f16", shape(rhs)), ("f32", shape(out))], reference
    return make


TRANSPOSED = [(70, 97, 33), (1, 49, 17), (33, 130, 1), (5, 9, 0)]
for left, right, result in itertools.product(("mk", "km"), ("kn", "nk"), ("mn", "nm")):
    KERNELS[f"generic_{left}_{right}_{result}"] = (TRANSPOSED, transposed(left, right, result))


@kernel([(33, 17, 40), (1, 1, 1), (70, 40, 17), (4, 4, 0)])
def batch(m, n, k):
    a3, c3, b = "tensor<?x?x?xf16>", "tensor<?x?x?xf32>", 3
    text = f"""func.func @k(%A: {a3}, %B: {a3}, %C: {c3}) -> {c3} {{
  {fill("%C", c3)}
  %r = linalg.batch_matmul {named('bmnk')} ins(%A, %B : {a3}, {a3}) outs(%f : {c3}) -> {c3}
  return %r : {c3}
}}"""

    def reference(a, b_, c):
        return [((b, m, n), sum((references.matmul(a[i * m * k:(i + 1) * m * k], b_[i * k * n:(i + 1) * k * n], m, n, k) for i in range(b)), []))]
    return text, [("f16", (b, m, k)), ("f16", (b, k, n)), ("f32", (b, m, n))], reference


@kernel([(17, 33, 20), (40, 9, 1)])
def batches(m, n, k):
    """Two loops of batches make four ids, of which the hardware has three; heads lie inside the rows."""
    p, q = 2, 3
    a4, c4 = "tensor<?x?x?x?xf16>", "tensor<?x?x?x?xf32>"
    maps = ", ".join(f"affine_map<(p, q, m, n, k) -> ({x})>" for x in ("p, m, q, k", "p, n, q, k", "p, q, m, n"))
    text = f"""func.func @k(%A: {a4}, %B: {a4}, %C: {c4}) -> {c4} {{
  {fill("%C", c4)}
  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]{entry('pqmnk')}}}
    ins(%A, %B : {a4}, {a4}) outs(%f : {c4}) {body("arith.extf", "f16", "f32")} -> {c4}
  return %r : {c4}
}}"""

    def reference(a, b, c):
        return [((p, q, m, n), [sum(a[((x * m + i) * q + y) * k + l] * b[((x * n + j) * q + y) * k + l] for l in range(k))
                                for x in range(p) for y in range(q) for i in range(m) for j in range(n)])]
    return text, [("f16", (p, m, q, k)), ("f16", (p, n, q, k)), ("f32", (p, q, m, n))], reference


@kernel([(17, 33, 20), (5, 9, 1)])
def two_reductions(m, n, k):
    """Sums along two loops, the outer of which is taken one at a time."""
    p = 3
    a3 = "tensor<?x?x?xf16>"
    maps = ", ".join(f"affine_map<(m, n, p, k) -> ({x})>" for x in ("p, m, k", "p, k, n", "m, n"))
    text = f"""func.func @k(%A: {a3}, %B: {a3}, %C: {DYN32}) -> {DYN32} {{
  {fill("%C", DYN32)}
  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "reduction", "reduction"]{entry('mnrk')}}}
    ins(%A, %B : {a3}, {a3}) outs(%f : {DYN32}) {body("arith.extf", "f16", "f32")} -> {DYN32}
  return %r : {DYN32}
}}"""

    def reference(a, b, c):
        return [((m, n), [sum(a[(x * m + i) * k + l] * b[(x * k + l) * n + j] for x in range(p) for l in range(k))
                          for i in range(m) for j in range(n)])]
    return text, [("f16", (p, m, k)), ("f16", (p, k, n)), ("f32", (m, n))], reference


@kernel([(17, 64, 33), (128, 64, 32), (1, 5, 7), (65, 127, 40)])
def static_floats(m, n, k):
    """No instruction multiplies f32 exactly; extents are in the types."""
    def t(*shape):
        return f"tensor<{'x'.join(map(str, shape))}xf32>"
    text = f"""func.func @k(%A: {t(m, k)}, %B: {t(k, n)}) -> {t(m, n)} {{
  %C = tensor.empty() : {t(m, n)}
  {fill("%C", t(m, n))}
  %r = linalg.matmul {named('mnk')} ins(%A, %B : {t(m, k)}, {t(k, n)}) outs(%f : {t(m, n)}) -> {t(m, n)}
  %o = arith.negf %r : {t(m, n)}
  return %o : {t(m, n)}
}}"""
    return text, [("f32", (m, k)), ("f32", (k, n))], lambda a, b: [((m, n), [-x for x in references.matmul(a, b, m, n, k)])]


@kernel([(33, 40, 17), (5, 9, 0)])
def whole_numbers(m, n, k):
    t = "tensor<?x?xi32>"
    text = f"""func.func @k(%A: {t}, %B: {t}, %C: {t}) -> {t} {{
  %zero = arith.constant 0 : i32
  %f = linalg.fill ins(%zero : i32) outs(%C : {t}) -> {t}
  %r = linalg.matmul {named('mnk')} ins(%A, %B : {t}, {t}) outs(%f : {t}) -> {t}
  return %r : {t}
}}"""
    return text, [("i32", (m, k)), ("i32", (k, n)), ("i32", (m, n))], lambda a, b, c: [((m, n), references.matmul(a, b, m, n, k))]


@kernel([(70, 97, 65), (130, 70, 20)])
def positions(m, n, k):
    """What is above the diagonal of the product, and beside that of an operand, depends on where it is; the operand's op
    has its loops the other way round."""
    turned = "affine_map<(j, i) -> (i, j)>"
    text = f"""func.func @k(%A: {DYN16}, %B: {DYN16}, %C: {DYN32}) -> {DYN32} {{
  {fill("%C", DYN32)}
  %x = linalg.generic {{indexing_maps = [{turned}, {turned}], {PARALLEL2}}} ins(%A : {DYN16}) outs(%A : {DYN16}) {{ ^bb0(%p: f16, %out: f16):
    %i = linalg.index 1 : index
    %j = linalg.index 0 : index
    %is = arith.cmpi slt, %i, %j : index
    %one = arith.constant 1.0 : f16
    %u = arith.select %is, %one, %p : f16
    linalg.yield %u : f16 }} -> {DYN16}
  %r = linalg.matmul {named('mnk')} ins(%x, %B : {DYN16}, {DYN16}) outs(%f : {DYN32}) -> {DYN32}
  %o = linalg.generic {{indexing_maps = [{MAP2}, {MAP2}], {PARALLEL2}}} ins(%r : {DYN32}) outs(%C : {DYN32}) {{ ^bb0(%p: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %is = arith.cmpi slt, %i, %j : index
    %u = arith.select %is, %zero, %p : f32
    linalg.yield %u : f32 }} -> {DYN32}
  return %o : {DYN32}
}}"""

    def reference(a, b, c):
        lower = [1 if i // k < i % k else x for i, x in enumerate(a)]
        return [((m, n), [0 if i // n < i % n else x for i, x in enumerate(references.matmul(lower, b, m, n, k))])]
    return text, [("f16", (m, k)), ("f16", (k, n)), ("f32", (m, n))], reference


@kernel([(33, 70, 20), (1, 9, 1)])
def turned_result(m, n, k):
    """What follows the product writes it the other way round, and adds a tile that lies so."""
    turned = "affine_map<(i, j) -> (j, i)>"
    text = f"""func.func @k(%A: {DYN16}, %B: {DYN16}, %R: {DYN32}, %C: {DYN32}, %D: {DYN32}) -> {DYN32} {{
  {fill("%C", DYN32)}
  %r = linalg.matmul {named('mnk')} ins(%A, %B : {DYN16}, {DYN16}) outs(%f : {DYN32}) -> {DYN32}
  %o = linalg.generic {{indexing_maps = [{turned}, {MAP2}, {MAP2}], {PARALLEL2}}} ins(%r, %R : {DYN32}, {DYN32}) outs(%D : {DYN32}) {{ ^bb0(%p: f32, %q: f32, %out: f32):
    %u = arith.subf %p, %q : f32
    linalg.yield %u : f32 }} -> {DYN32}
  return %o : {DYN32}
}}"""

    def reference(a, b, r, c, d):
        whole = references.matmul(a, b, m, n, k)
        return [((n, m), [whole[i * n + j] - r[j * m + i] for j in range(n) for i in range(m)])]
    return text, [("f16", (m, k)), ("f16", (k, n)), ("f32", (n, m)), ("f32", (m, n)), ("f32", (n, m))], reference


@kernel([(40, 40, 33), (1, 1, 5), (130, 130, 0)])
def with_its_transpose(m, n, k):
    """One argument is both operands, along different loops; what it is turned into before reads what it writes to."""
    text = f"""func.func @k(%A: {DYN16}, %C: {DYN32}) -> {DYN32} {{
  {fill("%C", DYN32)}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %M = tensor.dim %A, %c0 : {DYN16}
  %K = tensor.dim %A, %c1 : {DYN16}
  %e = tensor.empty(%K, %M) : {DYN16}
  %one = arith.constant 1.0 : f16
  %x = linalg.generic {{indexing_maps = [{MAP2}], {PARALLEL2}}} outs(%A : {DYN16}) {{ ^bb0(%p: f16):
    %w = arith.addf %p, %one : f16
    linalg.yield %w : f16 }} -> {DYN16}
  %t = linalg.transpose ins(%x : {DYN16}) outs(%e : {DYN16}) permutation = [1, 0]
  %r = linalg.matmul {named('mnk')} ins(%x, %t : {DYN16}, {DYN16}) outs(%f : {DYN32}) -> {DYN32}
  return %r : {DYN32}
}}"""

    def reference(a, c):
        rows = [[x + 1 for x in a[i * k:(i + 1) * k]] for i in range(m)]
        return [((m, m), [sum(x * y for x, y in zip(p, q)) for p in rows for q in rows])]
    return text, [("f16", (m, k)), ("f32", (m, m))], reference


@kernel([(40, 97, 33), (5, 7, 0)])
def scaled(m, n, k):
    """alpha * (alpha - A) * (B + alpha) + beta * C, with numbers and a tensor of no dimensions, narrowed to f16; extents are
    asked of what is computed."""
    def with_alpha(matrix, op, operands):
        return f"""linalg.generic {{indexing_maps = [{MAP2}, affine_map<(i, j) -> ()>, {MAP2}], {PARALLEL2}}} ins({matrix}, %alpha : {DYN16}, f32) outs({matrix} : {DYN16}) {{ ^bb0(%p: f16, %a: f32, %out: f16):
    %b = arith.truncf %a : f32 to f16
    %u = {op} {operands} : f16
    linalg.yield %u : f16 }} -> {DYN16}"""
    text = f"""func.func @k(%A: {DYN16}, %B: {DYN16}, %R: {DYN32}, %alpha: f32, %beta: tensor<f32>) -> {DYN16} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = {with_alpha("%A", "arith.subf", "%b, %p")}
  %y = {with_alpha("%B", "arith.addf", "%b, %p")}
  %M = tensor.dim %x, %c0 : {DYN16}
  %N = tensor.dim %y, %c1 : {DYN16}
  %e = tensor.empty(%M, %N) : {DYN32}
  {fill("%e", DYN32)}
  %r = linalg.matmul {named('mnk')} ins(%x, %y : {DYN16}, {DYN16}) outs(%f : {DYN32}) -> {DYN32}
  %M2 = tensor.dim %r, %c0 : {DYN32}
  %N2 = tensor.dim %r, %c1 : {DYN32}
  %e16 = tensor.empty(%M2, %N2) : {DYN16}
  %s = linalg.generic {{indexing_maps = [{MAP2}, affine_map<(i, j) -> ()>, {MAP2}, affine_map<(i, j) -> ()>, {MAP2}], {PARALLEL2}}}
    ins(%r, %alpha, %R, %beta : {DYN32}, f32, {DYN32}, tensor<f32>) outs(%e : {DYN32}) {{ ^bb0(%p: f32, %a: f32, %q: f32, %b: f32, %out: f32):
    %u = arith.mulf %p, %a : f32
    %v = arith.mulf %q, %b : f32
    %w = arith.addf %u, %v : f32
    linalg.yield %w : f32 }} -> {DYN32}
  %o = linalg.generic {{indexing_maps = [{MAP2}, {MAP2}], {PARALLEL2}}} ins(%s : {DYN32}) outs(%e16 : {DYN16}) {{ ^bb0(%p: f32, %out: f16):
    %u = arith.truncf %p : f32 to f16
    linalg.yield %u : f16 }} -> {DYN16}
  return %o : {DYN16}
}}"""

    def reference(a, b, r, alpha, beta):
        whole = references.matmul([2 - x for x in a], [2 + x for x in b], m, n, k)
        return [((m, n), [2 * x + beta[0] * y for x, y in zip(whole, r)])]
    return text, [("f16", (m, k)), ("f16", (k, n)), ("f32", (m, n)), ("scalar", (2,)), ("f32", ())], reference


def promoted(operands):
    def make(m, n, k):
        text = f"""func.func @k(%A: {DYN16}, %B: {DYN16}, %C: {DYN32}) -> {DYN32} {{
  %one = arith.constant 1.0 : f16
  {fill("%C", DYN32)}
  %x = linalg.generic {{indexing_maps = [{MAP2}, {MAP2}], {PARALLEL2}}} ins(%A : {DYN16}) outs(%A : {DYN16}) {{ ^bb0(%p: f16, %o: f16):
    %w = arith.addf %p, %one : f16
    linalg.yield %w : f16 }} -> {DYN16}
  %r = linalg.matmul {{lowering_config = #iree_gpu.lowering_config<{{promote_operands = {operands}}}>}} ins(%x, %B : {DYN16}, {DYN16}) outs(%f : {DYN32}) -> {DYN32}
  return %r : {DYN32}
}}"""
        return text, [("f16", (m, k)), ("f16", (k, n)), ("f32", (m, n))], \
            lambda a, b, c: [((m, n), references.matmul([x + 1 for x in a], b, m, n, k))]
    return make


for operands in ([], [0], [1]):
    KERNELS[f"promoted_{''.join(map(str, operands))}"] = ([(70, 33, 40)], promoted(operands))


def count(shape):
    elements = 1
    for extent in shape:
        elements *= extent
    return elements


def stages(name, text):
    """The kernel after each stage, or what is said where one fails."""
    path = options.out / f"{name}-source.mlir"
    path.write_text(text + "\n")
    for number, (stage, passes) in enumerate(STAGES):
        done_path = options.out / f"{name}-{number}-{stage}.mlir"
        done = fork_server.run([options.distaff_opt, path, *[p.replace("TARGET", options.target) for p in passes], "-o", done_path])
        yield stage, done_path, done.stderr.strip() if done.returncode else ""
        if done.returncode or stage == options.last:
            return
        path = done_path


def compare(outputs, expected, kinds):
    for i, (file, (shape, values)) in enumerate(zip(outputs, expected)):
        found = npy.read(file, kinds[i])
        wrong = [j for j in range(count(shape)) if found[j] != values[j]]
        if wrong:
            return f"result {i}: {len(wrong)} of {count(shape)} wrong, element {wrong[0]} of {shape} is {found[wrong[0]]}, not {values[wrong[0]]}"
    return ""


def run(path, inputs, expected, kinds, *flags):
    """What is wrong with a run, and what it printed."""
    outputs = [options.out / f"result{i}.npy" for i in range(len(expected))]
    command = [options.distaff, "run", path, "--target", options.target, "--func", "k", *flags]
    for i, file in enumerate(inputs):
        command += ["--input", f"arg{i}={file}"]
    for i, file in enumerate(outputs):
        file.unlink(missing_ok=True)
        command += ["--output", f"res{i}={file}"]
    done = fork_server.run(command)
    return (done.stderr.strip() or "no reason") if done.returncode else compare(outputs, expected, kinds), done.stdout


def check(path, inputs, expected, kinds):
    said, printed = run(path, inputs, expected, kinds, "--stop-after=input", "--counters")
    written = re.search(r"global bytes written +(\d+)", printed)
    wanted = sum(npy.size_of(kind) * count(shape) for kind, (shape, _) in zip(kinds, expected))
    if not said and (not written or int(written.group(1)) != wanted):
        return f"{written and written.group(1)} bytes written, not {wanted}"
    return said


def points():
    """Kernels at their points: name, extents, text, inputs, and results with their element types."""
    rng = random.Random(11)
    turn = depth.Turns(29)
    for name in options.kernels.split(",") if options.kernels else KERNELS:
        sizes, make = KERNELS[name]
        for m, n, k in sizes[:options.points]:
            if not turn():
                continue
            text, arguments, reference = make(m, n, k)
            values = [[rng.randint(-3, 3) for _ in range(count(shape))] for _, shape in arguments]
            inputs = [shape[0] if kind == "scalar" else npy.write(options.out / f"arg{i}.npy", kind, shape, numbers)
                      for i, ((kind, shape), numbers) in enumerate(zip(arguments, values))]
            kinds = [re.sub(r".*x", "", each) for each in re.findall(r"tensor<([^>]*)>", text.split("->")[1].split("{")[0])]
            yield name, f"{m}x{n}x{k}", text, inputs, reference(*values), kinds


def report(said, *what):
    print("FAIL" if said else "ok", *what, *said.replace(str(options.out), "").splitlines()[:1], flush=True)
    return bool(said)


def main():
    failures, made = 0, {}
    for name, extents, text, inputs, expected, kinds in points():
        if text not in made:
            made[text] = list(stages(f"{name}-{len(made)}", text))
        for stage, path, refused in made[text]:
            if stage == "configure" and not refused:
                continue  # attributes alone
            failures += report(refused or check(path, inputs, expected, kinds), options.target, name, extents, stage)
    print(failures, "failures")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
