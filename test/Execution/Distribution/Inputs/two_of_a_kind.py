"""Two or three of what needs lanes of each other, in one iteration of a loop.

    python3 two_of_a_kind.py OUT_DIR [--only NAME] [--distaff PATH]

Every sequence of two of STEPS, and some of three, of which each takes what the one before gave, or takes the same
and the results are added; turned as often as 0, 1, 2, 3 and 5 times, known and passed. Buffers and barriers of the
two may be shared, merged, put into turns or left out: what one of them left, or has not read yet,
must not be the other's. Integers are kept small by a mask, and Python computes them.
"""
import functools
import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite
from limits import Sized
from rotations import TARGETS, Later, layout_round

N = 16  # rows and columns
TYPE, ROW = f"vector<{N}x{N}xi32>", f"vector<{N}xi32>"
COUNTS = (0, 1, 2, 3, 5)


class Loop(Sized):
    def new(self):
        self.count = getattr(self, "count", 0) + 1
        return f"%n{self.count}"

    def make(self, text):
        name = self.new()
        self.line(f"{name} = {text}")
        return name


def columns(rows):
    return [list(column) for column in zip(*rows)]


def converted(p, v, order, how=""):
    return p.make(f"iree_vector_ext.to_layout {v} to layout({layout_round(TARGETS[p.target], [N, N], order)}){how} : {TYPE}")


def conversion(p, v, _):
    """Through workgroup memory, whatever would be cheaper."""
    a = converted(p, v, (0, 1))
    b = p.make(f"arith.xori {a}, %ones : {TYPE}")
    return converted(p, b, (1, 0), " {shared_memory_conversion}"), lambda rows, _: [[x ^ 1 for x in row] for row in rows]


def exchange(p, v, _):
    """By whatever is cheapest."""
    a = converted(p, v, (1, 0))
    b = p.make(f"arith.addi {a}, %ones : {TYPE}")
    return converted(p, b, (0, 1)), lambda rows, _: [[x + 1 for x in row] for row in rows]


def transpose(p, v, _):
    return p.make(f"vector.transpose {v}, [1, 0] : {TYPE} to {TYPE}"), lambda rows, _: columns(rows)


def row_sums(p, v, _):
    s = p.make(f"vector.multi_reduction <add>, {v}, %zeros [1] : {TYPE} to {ROW}")
    b = p.make(f"vector.broadcast {s} : {ROW} to {TYPE}")  # along the rows
    return p.make(f"arith.subi {b}, {v} : {TYPE}"), lambda rows, _: [[sum(rows[j]) - rows[i][j] for j in range(N)] for i in range(N)]


def column_maxima(p, v, _):
    s = p.make(f"vector.multi_reduction <maxsi>, {v}, %zeros [0] : {TYPE} to {ROW}")
    b = p.make(f"vector.broadcast {s} : {ROW} to {TYPE}")
    return p.make(f"arith.subi {b}, {v} : {TYPE}"), lambda rows, _: [[max(0, *(row[j] for row in rows)) - rows[i][j] for j in range(N)] for i in range(N)]


def scan(p, v, _):
    s = p.new()
    p.line(f"{s}, {s}_last = vector.scan <add>, {v}, %zeros {{inclusive = true, reduction_dim = 1 : i64}} : {TYPE}, {ROW}")
    return s, lambda rows, _: [list(itertools.accumulate(row)) for row in rows]


def read(p, v, memory):
    """Of the turn's rows, copied to workgroup memory."""
    x = p.make(f"vector.transfer_read {memory}[%i, %c0], %zero_i32 {{in_bounds = [true, true]}} : memref<{N + 8}x{N}xi32>, {TYPE}")
    y = p.make(f"iree_vector_ext.to_layout {x} to layout({layout_round(TARGETS[p.target], [N, N], (0, 1))}) {{shared_memory_conversion = #iree_gpu.derived_thread_config}} : {TYPE}")
    return p.make(f"arith.addi {v}, {y} : {TYPE}"), lambda rows, more: [[a + b for a, b in zip(*both)] for both in zip(rows, more)]


def through_memory(p, v, _):
    """Written into a buffer of the kernel's own, and read with rows and columns changed."""
    buffer = f"memref<{N}x{N}xi32, #gpu.address_space<workgroup>>"
    p.line(f"vector.transfer_write {v}, %own[%c0, %c0] {{in_bounds = [true, true]}} : {TYPE}, {buffer}")
    return (p.make(f"vector.transfer_read %own[%c0, %c0], %zero_i32 {{in_bounds = [true, true], permutation_map = affine_map<(i, j) -> (j, i)>}} : {buffer}, {TYPE}"),
            lambda rows, _: columns(rows))


STEPS = {make.__name__: make for make in (conversion, exchange, transpose, row_sums, column_maxima, scan, read, through_memory)}


def masked(rows):
    return [[x & 255 for x in row] for row in rows]


def program(name, target, subgroups, kinds, count, known, chained):
    p = Loop(name, target, subgroups * TARGETS[target])
    x, data = p.argument([N, N])
    memories = [p.argument([N + 8, N]) if kind == "read" else (None, None) for kind in kinds]
    end = f"%end = arith.constant {count} : index"
    if not known:
        n, _ = p.argument([1], "i32", [count])
        end = f"%n = memref.load {n}[%c0] : memref<1xi32>\n  %end = arith.index_cast %n : i32 to index"
    if "through_memory" in kinds:
        p.line(f"%own = memref.alloc() : memref<{N}x{N}xi32, #gpu.address_space<workgroup>>")
    p.whole(x, [N, N], "i32", "%x")
    p.line("%c1 = arith.constant 1 : index", end, f"%zeros = arith.constant dense<0> : {ROW}", f"%ones = arith.constant dense<1> : {TYPE}", f"%mask = arith.constant dense<255> : {TYPE}",
           f"%r = scf.for %i = %c0 to %end step %c1 iter_args(%v = %x) -> ({TYPE}) {{")
    value, functions, made = "%v", [], []
    for kind, (memory, _) in zip(kinds, memories):
        raw, function = STEPS[kind](p, value if chained else "%v", memory)
        value = p.make(f"arith.andi {raw}, %mask : {TYPE}")
        functions.append(function)
        made.append(value)
    if not chained:
        for other in made[:-1]:
            value = p.make(f"arith.addi {value}, {other} : {TYPE}")
        value = p.make(f"arith.andi {value}, %mask : {TYPE}")
    p.line(f"scf.yield {value} : {TYPE}", "}")
    rows = [data[r * N:(r + 1) * N] for r in range(N)]
    for turn in range(count):
        parts, now = [], rows
        for function, (_, more) in zip(functions, memories):
            now = masked(function(now if chained else rows, more and [more[(turn + r) * N:(turn + r + 1) * N] for r in range(N)]))
            parts.append(now)
        rows = now if chained else masked([[sum(xs) for xs in zip(*lines)] for lines in zip(*parts)])
    p.result("%r", [N, N], sum(rows, []))
    return p


def programs():
    number = 0
    every = [(kinds, chained) for kinds in itertools.product(STEPS, repeat=2) for chained in (True, False)]
    every += [((kind,) * 3, True) for kind in STEPS] + [((kind, other, kind), False) for kind, other in itertools.permutations(STEPS, 2)]
    for kinds, chained in every:
        for count in COUNTS:
            number += 1
            target, subgroups = ("sm_80", "gfx942")[number % 2], (1, 2, 4)[number % 3]
            name = f"{'_then_'.join(kinds) if chained else '_and_'.join(kinds)}_{count}_by_{subgroups}"
            yield f"{name}_{target}", functools.partial(program, name, target, subgroups, kinds, count, number % 5 < 3, chained)


if __name__ == "__main__":
    options = suite.options()
    suite.main([Later(name, lambda make=make: make().run(options)) for name, make in programs()], options, one_in=17)
