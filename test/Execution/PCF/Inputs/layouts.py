"""Programs of phases on vectors, distributed by layouts drawn at random: run by the SIMT
machine as they are, after every distribution and resolution, on whole numbers, and
compared with a few lines of Python here. A program has one subgroup and is distributed to
its lanes, or four and is distributed to subgroups, and what they run to lanes. Results
are poisoned before. Programs on tensors are distributed by boxes too. Seeds are fixed.

    python3 layouts.py OUT_DIR [--only NAME] [--seeds N] [--distaff PATH] [--distaff-opt PATH]
"""
import argparse
import itertools
import pathlib
import random
import re
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "ForkServer"))
import fork_server

parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--only")
parser.add_argument("--seeds", type=int, default=6)
parser.add_argument("--distaff", default="distaff")
parser.add_argument("--distaff-opt", default="distaff-opt")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)
POISON = -77
KEYS = ("subgroup_tile", "batch_tile", "outer_tile", "thread_tile", "element_tile", "subgroup_strides", "thread_strides")


def write(path, code, descr, shape, numbers):
    dims = "".join(f"{extent}, " for extent in shape)
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{len(numbers)}{code}", *numbers))
    return path


def divisors(number):
    return [d for d in range(1, number + 1) if number % d == 0]


class Layout:
    """Per dimension (S, B, O, T, E), and the strides of S and T."""

    def __init__(self, dims, subgroup_strides, thread_strides):
        self.dims, self.strides = dims, (subgroup_strides, thread_strides)

    def __str__(self):
        lists = [list(level) for level in zip(*self.dims)] + [list(s) for s in self.strides]
        return "#iree_vector_ext.nested_layout<" + ", ".join(f"{k} = {v}" for k, v in zip(KEYS, lists)) + ">"

    def transposed(self):
        return Layout(self.dims[::-1], self.strides[0][::-1], self.strides[1][::-1])

    def renamed(self):
        """The same elements on every lane, where batches and outers trade places."""
        return Layout([(s, o, b, t, e) if t == 1 else (s, b * o, 1, t, e) for s, b, o, t, e in self.dims], *self.strides)


def strides_of(rng, tiles, count):
    """Strides of tiles in any order, with gaps where there is room."""
    strides, next_stride = [0] * len(tiles), 1
    for dim in rng.sample(range(len(tiles)), len(tiles)):
        if tiles[dim] == 1:
            continue
        rest = 1
        for tile in tiles:
            rest *= tile
        if next_stride == 1 and 2 * rest <= count and count % 2 == 0 and rng.random() < 0.3:
            next_stride = 2
        strides[dim] = next_stride
        next_stride *= tiles[dim]
    return strides


def random_layout(rng, shape, lanes, subgroups=1):
    """Any layout of the shape that the hardware holds, replicas included."""
    left, dims = {"lane": lanes, "subgroup": subgroups}, []
    for extent in shape:
        levels = []
        for axis in ("subgroup", "lane"):
            tile = rng.choice([d for d in divisors(extent) if left[axis] % d == 0][-3:])
            left[axis] //= tile
            extent //= tile
            levels.append(tile)
        batch = rng.choice(divisors(extent))
        outer = rng.choice(divisors(extent // batch))
        dims.append((levels[0], batch, outer, levels[1], extent // batch // outer))
    return Layout(dims, strides_of(rng, [d[0] for d in dims], subgroups), strides_of(rng, [d[3] for d in dims], lanes))


class Machine:
    def __init__(self, target, lanes, subgroups):
        self.target, self.lanes, self.subgroups = target, lanes, subgroups
        self.scope = "#iree_gpu.lane_scope" if subgroups == 1 else "#iree_gpu.subgroup_scope"
        self.header = (f"#s = {self.scope}\n#launch = #iree_codegen.translation_info<workgroup_size = [{lanes * subgroups}, 1, 1] "
                       f"subgroup_size = {lanes}>\n!G = !pcf.threadgroup<#s>\n")

    def layout(self, rng, shape):
        return random_layout(rng, shape, self.lanes, self.subgroups)

    def __str__(self):
        return f"{self.target}x{self.subgroups}"


MACHINES = [Machine("sm_80", 32, 1), Machine("gfx942", 64, 1), Machine("sm_80", 32, 4), Machine("gfx942", 64, 4)]


class Program:
    """A kernel: text, inputs (type, shape, numbers) in the order of its arguments, and what argument `out` is after."""

    def __init__(self, text, inputs, expected, flags="", default="none", elements={}, computes=None, by_boxes=None):
        self.text, self.inputs, self.expected, self.flags, self.default = text, inputs, expected, flags, default
        self.elements = [elements.get(name, "i32") for name in "ab"[:len(inputs) // 2 - 1]] + [elements.get("out", "i32")]
        self.computes, self.by_boxes = computes, by_boxes  # an op of the lanes; the last step that boxes get to


def matrix(rng, rows, columns, most=9):
    return [[rng.randint(-most, most) for _ in range(columns)] for _ in range(rows)]


def flat(rows):
    return [x for row in rows for x in row]


def type_of(shape, element="i32"):
    return "x".join(map(str, shape)) + f"x{element}"


def kernel(machine, arguments, result, body, aliases="", elements={}):
    """`arguments`: name -> shape; the last one, `out`, is what the kernel returns; `elements`: name -> type, if not i32."""
    types = {name: type_of(shape, elements.get(name, "i32")) for name, shape in arguments.items()}
    refs = {name: f"!pcf.sref<{type}, {'sync(#s)' if name == 'out' else '#s'}>" for name, type in types.items()}
    scalars = "".join(f", %{name}: index" for name in result)
    names = list(arguments)
    text = machine.header + aliases
    text += "func.func @f(" + ", ".join(f"%a_{n}: tensor<{t}>" for n, t in types.items()) + scalars
    text += f") -> tensor<{types['out']}> attributes {{translation_info = #launch}} {{\n"
    text += "".join(f"  %c{i} = arith.constant {i} : index\n" for i in (0, 1, 2))
    binds = ", ".join(f"%{n} {'=' if n == 'out' else '<-'} %a_{n}" + ("" if n == "out" else f" : tensor<{types[n]}>") for n in names)
    text += f"  %r = pcf.shared_executor scope(#s) execute({binds})[%tg: !G] : ({', '.join(refs.values())}) -> (tensor<{types['out']}>) {{\n"
    return text + body(refs) + "    pcf.return\n  }\n" + f"  return %r : tensor<{types['out']}>\n}}\n"


def shape_of(rng):
    return rng.choice([(8, 16), (64, 4), (1, 32), (3, 10), (12, 20), (16, 1), (7, 33), (32, 32)])


def chain(rng, machine):
    """PCF-74, PCF-69: a phase lays out what a loop carries; slices have strides, and are smaller than their vectors."""
    rows, columns = shape_of(rng)
    strides = rng.choice([1, 2, 3]), rng.choice([1, 1, 2])
    used = [rng.choice([0, 1, rows - 1, rows]), rng.choice([1, max(1, columns - 3), columns])]
    offset = rng.randint(0, 3), rng.randint(0, 3)
    source = matrix(rng, offset[0] + rows * strides[0], offset[1] + columns * strides[1])
    turns, written = rng.choice([0, 1, 3]), (rng.randint(0, rows), rng.randint(1, columns))
    anchor = rng.choice(["read", "turn", "write"])
    layout = machine.layout(rng, (rows, columns))
    dynamic = rng.random() < 0.7
    vector = f"vector<{rows}x{columns}xi32>"

    def laid_out(where, value):
        if where != anchor:
            return value, ""
        return f"{value}_l", f"      {value}_l = iree_vector_ext.to_layout {value} to layout({layout}) : {vector}\n"

    def body(refs):
        sizes = "[%m, %n]" if dynamic else str(used)
        ends = "[%k, %l]" if dynamic else str(list(written))
        x, at_read = laid_out("read", "%x")
        y, at_turn = laid_out("turn", "%y")
        w, at_write = laid_out("write", "%w")
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %in{list(offset)} {sizes} {list(strides)} : {refs['in']} to {vector}
{at_read}      pcf.cluster_yield {x} : {vector}
    }} : (!G) -> !T
    %t1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %t0) -> (!T) {{
      %nx = pcf.shared_executor.run_cluster(%it)[] (%p: {vector}) {{
      %three = arith.constant dense<3> : {vector}
      %q = arith.muli %p, %three : {vector}
      %ii = arith.index_cast %i : index to i32
      %ib = vector.broadcast %ii : i32 to {vector}
      %y = arith.addi %q, %ib : {vector}
{at_turn}      pcf.cluster_yield {y} : {vector}
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%w: {vector}) {{
{at_write}      pcf.write_slice {w} into %out[1, 2] {ends} [1, 1] : {vector} into {refs['out']}
      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"in": (len(source), len(source[0])), "out": (rows + 2, columns + 3)}
    scalars = {"turns": turns, "m": used[0], "n": used[1], "k": written[0], "l": written[1]}
    text = kernel(machine, arguments, scalars, body, f"!T = !pcf.threadgroup<#s, {{{vector}}}>\n")
    result = [[POISON] * (columns + 3) for _ in range(rows + 2)]
    for r in range(written[0]):
        for c in range(written[1]):
            inside = r < used[0] and c < used[1]
            x = source[offset[0] + r * strides[0]][offset[1] + c * strides[1]] if inside else 0
            for i in range(turns):
                x = 3 * x + i
            result[r + 1][c + 2] = x
    return Program(text, [arguments["in"], flat(source), arguments["out"], scalars], flat(result))


def classes(rng, machine):
    """PCF-71: two classes of one type, in one loop and through branches; a phase adds the one to the other's transpose."""
    n = rng.choice([4, 8, 12, 32])
    layout, vector = machine.layout(rng, (n, n)), f"vector<{n}x{n}xi32>"
    a, b, turns, swapped = matrix(rng, n, n), matrix(rng, n, n), rng.choice([1, 2, 3]), rng.randint(0, 1)

    def body(refs):
        def read(name):
            return f"""    %{name}0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %{name}[0, 0] [{n}, {n}] [1, 1] : {refs[name]} to {vector}
      pcf.cluster_yield %x : {vector}
    }} : (!G) -> !T
"""
        return read("a") + read("b") + f"""    %l:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a0, %y = %b0) -> (!T, !T) {{
      %z = pcf.shared_executor.run_cluster(%x, %y)[] (%p: {vector}, %q: {vector}) {{
        %t = vector.transpose %q, [1, 0] : {vector} to {vector}
        %s = arith.addi %p, %t : {vector}
        %l = iree_vector_ext.to_layout %s to layout({layout}) : {vector}
        pcf.cluster_yield %l : {vector}
      }} : (!T, !T) -> !T
      %flag = arith.cmpi eq, %i, %swapped : index
      %u = scf.if %flag -> (!T) {{
        %v = pcf.shared_executor.run_cluster(%z)[] (%p: {vector}) {{
          %s = arith.addi %p, %p : {vector}
          pcf.cluster_yield %s : {vector}
        }} : (!T) -> !T
        scf.yield %v : !T
      }} else {{
        scf.yield %z : !T
      }}
      scf.yield %u, %y : !T, !T
    }}
    pcf.shared_executor.run_cluster(%l#0, %l#1)[] (%p: {vector}, %q: {vector}) {{
      pcf.write_slice %p into %out[0, 0] [{n}, {n}] [1, 1] : {vector} into {refs['out']}
      pcf.write_slice %q into %out[{n}, 0] [{n}, {n}] [1, 1] : {vector} into {refs['out']}
      pcf.cluster_yield
    }} : (!T, !T)
"""
    arguments = {"a": (n, n), "b": (n, n), "out": (2 * n, n)}
    scalars = {"turns": turns, "swapped": swapped}
    text = kernel(machine, arguments, scalars, body, f"!T = !pcf.threadgroup<#s, {{{vector}}}>\n")
    x = a
    for i in range(turns):
        x = [[x[r][c] + b[c][r] for c in range(n)] for r in range(n)]
        x = [[2 * v for v in row] for row in x] if i == swapped else x
    return Program(text, [(n, n), flat(a), (n, n), flat(b), (2 * n, n), scalars], flat(x) + flat(b))


def sums(rng, machine):
    """PCF-72: numbers among the payload, and rows' sums that several members hold: each is written once."""
    rows, columns = rng.choice([(8, 16), (4, 32), (3, 10), (1, 64), (12, 20), (5, 1)])
    layout, vector, row = machine.layout(rng, (rows, columns)), f"vector<{rows}x{columns}xi32>", f"vector<{rows}xi32>"
    a, turns = matrix(rng, rows, columns), rng.choice([1, 2])

    def body(refs):
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %z = arith.constant dense<0> : {row}
      %n = arith.constant 5 : i32
      %i = arith.constant 7 : index
      pcf.cluster_yield %z, %n, %i : {row}, i32, index
    }} : (!G) -> !T
    %t1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %t0) -> (!T) {{
      %nx = pcf.shared_executor.run_cluster(%it)[] (%s: {row}, %n: i32, %k: index) {{
        %x = pcf.read_slice %a[0, 0] [{rows}, {columns}] [1, 1] : {refs['a']} to {vector}
        %l = iree_vector_ext.to_layout %x to layout({layout}) : {vector}
        %m = vector.broadcast %n : i32 to {vector}
        %y = arith.muli %l, %m : {vector}
        %r = vector.multi_reduction <add>, %y, %s [1] : {vector} to {row}
        %all = vector.multi_reduction <maxsi>, %y, %n [0, 1] : {vector} to i32
        %k1 = arith.addi %k, %k : index
        pcf.cluster_yield %r, %all, %k1 : {row}, i32, index
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%s: {row}, %n: i32, %k: index) {{
      pcf.write_slice %s into %out[0] [{rows}] [1] : {row} into {refs['out']}
      %ki = arith.index_cast %k : index to i32
      %o = arith.addi %n, %ki : i32
      %v = vector.broadcast %o : i32 to vector<1xi32>
      %one = iree_vector_ext.to_layout %v to layout({machine.layout(rng, (1,))}) : vector<1xi32>
      pcf.write_slice %one into %out[{rows + 1}] [1] [1] : vector<1xi32> into {refs['out']}
      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"a": (rows, columns), "out": (rows + 3,)}
    scalars = {"turns": turns}
    text = kernel(machine, arguments, scalars, body, f"!T = !pcf.threadgroup<#s, {{{row}, i32, index}}>\n")
    s, n, k = [0] * rows, 5, 7
    for _ in range(turns):
        y = [[v * n for v in r] for r in a]
        s, n, k = [t + sum(r) for t, r in zip(s, y)], max([n] + flat(y)), 2 * k
    return Program(text, [(rows, columns), flat(a), arguments["out"], scalars], s + [POISON, n + k, POISON])


def relayout(rng, machine):
    """Two phases demand one class in two ways; values move between them, in a loop too (insert-relayout)."""
    n, m = rng.choice([(8, 16), (12, 20), (32, 4), (3, 10)])
    first, second = machine.layout(rng, (n, m)), machine.layout(rng, (n, m))
    vector, a, turns = f"vector<{n}x{m}xi32>", matrix(rng, n, m), rng.choice([1, 3])

    def body(refs):
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %a[0, 0] [{n}, {m}] [1, 1] : {refs['a']} to {vector}
      %l = iree_vector_ext.to_layout %x to layout({first}) : {vector}
      %k = arith.constant 2 : i32
      pcf.cluster_yield %l, %k : {vector}, i32
    }} : (!G) -> !T
    %t1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %t0) -> (!T) {{
      %nx = pcf.shared_executor.run_cluster(%it)[] (%p: {vector}, %k: i32) {{
        %b = vector.broadcast %k : i32 to {vector}
        %l = iree_vector_ext.to_layout %b to layout({second}) : {vector}
        %y = arith.muli %p, %l : {vector}
        %k1 = arith.addi %k, %k : i32
        pcf.cluster_yield %y, %k1 : {vector}, i32
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%w: {vector}, %k: i32) {{
      pcf.write_slice %w into %out[0, 0] [{n}, {m}] [1, 1] : {vector} into {refs['out']}
      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"a": (n, m), "out": (n, m)}
    text = kernel(machine, arguments, {"turns": turns}, body, f"!T = !pcf.threadgroup<#s, {{{vector}, i32}}>\n")
    factor, k = 1, 2
    for _ in range(turns):
        factor, k = factor * k, 2 * k
    return Program(text, [(n, m), flat(a), (n, m), {"turns": turns}], [factor * v for v in flat(a)], " insert-relayout")


def renamed(rng, machine):
    """Phases whose layouts differ in batches and outers alone need no relayout: registers are renamed."""
    n, m = rng.choice([(16, 16), (24, 8), (32, 32)])
    first = machine.layout(rng, (n, m))
    vector, a = f"vector<{n}x{m}xi32>", matrix(rng, n, m)

    def body(refs):
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %a[0, 0] [{n}, {m}] [1, 1] : {refs['a']} to {vector}
      %l = iree_vector_ext.to_layout %x to layout({first}) : {vector}
      pcf.cluster_yield %l : {vector}
    }} : (!G) -> !T
    %t1 = pcf.shared_executor.run_cluster(%t0)[] (%p: {vector}) {{
      %b = pcf.read_slice %a[0, 0] [{n}, {m}] [1, 1] : {refs['a']} to {vector}
      %l = iree_vector_ext.to_layout %b to layout({first.renamed()}) : {vector}
      %y = arith.muli %p, %l : {vector}
      pcf.cluster_yield %y : {vector}
    }} : (!T) -> !T
    pcf.shared_executor.run_cluster(%t1)[] (%w: {vector}) {{
      pcf.write_slice %w into %out[0, 0] [{n}, {m}] [1, 1] : {vector} into {refs['out']}
      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"a": (n, m), "out": (n, m)}
    text = kernel(machine, arguments, {}, body, f"!T = !pcf.threadgroup<#s, {{{vector}}}>\n")
    return Program(text, [(n, m), flat(a), (n, m), {}], [v * v for v in flat(a)])


def exchanges(rng, machine):
    """A phase converts between layouts itself, twice in a loop: members write what others read."""
    n, m = rng.choice([(8, 16), (12, 20), (16, 16), (32, 4)])
    first, second = machine.layout(rng, (n, m)), machine.layout(rng, (n, m))
    vector, a, turns = f"vector<{n}x{m}xi32>", matrix(rng, n, m), rng.choice([1, 3])

    def body(refs):
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %a[0, 0] [{n}, {m}] [1, 1] : {refs['a']} to {vector}
      pcf.cluster_yield %x : {vector}
    }} : (!G) -> !T
    %t1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %t0) -> (!T) {{
      %nx = pcf.shared_executor.run_cluster(%it)[] (%p: {vector}) {{
        %l = iree_vector_ext.to_layout %p to layout({first}) : {vector}
        %q = arith.addi %l, %l : {vector}
        %j = iree_vector_ext.to_layout %q to layout({second}) : {vector}
        %k = arith.constant dense<[{', '.join(str([c * c - r for c in range(m)]) for r in range(n))}]> : {vector}
        %y = arith.addi %j, %k : {vector}
        pcf.cluster_yield %y : {vector}
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%w: {vector}) {{
      pcf.write_slice %w into %out[0, 0] [{n}, {m}] [1, 1] : {vector} into {refs['out']}
      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"a": (n, m), "out": (n, m)}
    text = kernel(machine, arguments, {"turns": turns}, body, f"!T = !pcf.threadgroup<#s, {{{vector}}}>\n")
    x = a
    for _ in range(turns):
        x = [[2 * v + c * c - r for c, v in enumerate(row)] for r, row in enumerate(x)]
    return Program(text, [(n, m), flat(a), (n, m), {"turns": turns}], flat(x))


def defaults(rng, machine):
    """No phase says anything: vectors of its shape take the layout that is the way to distribute; a phase reads what its members wrote, one row on, and writes it again."""
    n, m = rng.choice([(8, 16), (12, 20), (32, 4), (3, 10)])
    vector, a = f"vector<{n}x{m}xi32>", matrix(rng, n, m)

    def body(refs):
        return f"""    pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %a[0, 0] [{n}, {m}] [1, 1] : {refs['a']} to {vector}
      %y = arith.addi %x, %x : {vector}
      %c = arith.constant dense<9> : {vector}
      pcf.write_slice %c into %out[{n}, 0] [{n}, {m}] [1, 1] : {vector} into {refs['out']}
      pcf.write_slice %y into %out[0, 0] [{n}, {m}] [1, 1] : {vector} into {refs['out']}
      %z = pcf.read_slice %out[1, 0] [{n}, {m}] [1, 1] : {refs['out']} to {vector}
      %w = arith.addi %z, %x : {vector}
      pcf.write_slice %w into %out[0, 0] [{n}, {m}] [1, 1] : {vector} into {refs['out']}
      pcf.cluster_yield
    }} : (!G)
"""
    arguments = {"a": (n, m), "out": (2 * n, m)}
    text = kernel(machine, arguments, {}, body)
    below = [[2 * v for v in row] for row in a[1:]] + [[9] * m]
    shifted = [x + v for x, v in zip(flat(below), flat(a))]
    return Program(text, [(n, m), flat(a), (2 * n, m), {}], shifted + [9] * (n * m), default=machine.layout(rng, (n, m)))


# Instruction, its shape (M, N, K), and per operand and dimension (O, T, E, stride of T).
INSTRUCTIONS = {
    "sm_80": ("NV_MMA_SYNC_F32_16x8x16_F16", (16, 8, 16), {"a": [(2, 8, 1, 4), (2, 4, 2, 1)], "b": [(2, 4, 2, 1), (1, 8, 1, 4)], "c": [(2, 8, 1, 4), (1, 4, 2, 1)]}),
    "gfx942": ("MFMA_F32_16x16x16_F16", (16, 16, 16), {"a": [(1, 16, 1, 1), (1, 4, 4, 16)], "b": [(1, 4, 4, 16), (1, 16, 1, 1)], "c": [(1, 4, 4, 16), (1, 16, 1, 1)]}),
}


def product(rng, machine):
    """A product whose accumulators are payload of a K loop, in fragments of instructions; extents are around the tile."""
    name, (m, n, k), fragments = INSTRUCTIONS[machine.target]
    grid = {1: (1, 1)}.get(machine.subgroups) or rng.choice([(2, 2), (4, 1), (1, 4)])
    batches = rng.choice([1, 2]), rng.choice([1, 2]), rng.choice([1, 2])
    strides = rng.choice([(grid[1], 1), (1, grid[0])])

    def layout(operand, subgroups, subgroup_strides, batch):
        fragment = fragments[operand]
        dims = [(s, b, o, t, e) for s, b, (o, t, e, _) in zip(subgroups, batch, fragment)]
        return Layout(dims, [x if s > 1 else 0 for s, x in zip(subgroups, subgroup_strides)], [f[3] for f in fragment])

    a = layout("a", (grid[0], 1), (strides[0], 0), (batches[0], batches[2]))
    b = layout("b", (1, grid[1]), (0, strides[1]), (batches[2], batches[1]))
    c = layout("c", grid, strides, batches[:2])
    tile = [g * x * y for g, x, y in zip((*grid, 1), batches, (m, n, k))]
    rows, columns = (rng.choice([t, max(1, t - 3), 1]) for t in tile[:2])
    depth = rng.choice([0, 1, tile[2], 2 * tile[2] + 3])
    left, right = matrix(rng, rows, max(1, depth), 4), matrix(rng, max(1, depth), columns, 4)
    on_tensors = rng.random() < 0.5
    kind = "tensor" if on_tensors else "vector"
    A, B, C = f"{kind}<{tile[0]}x{tile[2]}xf16>", f"{kind}<{tile[2]}x{tile[1]}xf16>", f"{kind}<{tile[0]}x{tile[1]}xf32>"

    def read(into, name, offsets, sizes, extents, refs, type):
        if not on_tensors:
            return f"        %{into} = pcf.read_slice %{name}[{offsets}] [{', '.join(sizes)}] [1, 1] : {refs[name]} to {type}\n"
        dynamic = ["?" if s.startswith("%") else s for s in sizes]
        text = f"        %{into}t = pcf.read_slice %{name}[{offsets}] [{', '.join(sizes)}] [1, 1] : {refs[name]} to tensor<{'x'.join(dynamic)}xf16>\n"
        high = []
        for dim, (size, extent) in enumerate(zip(sizes, extents)):
            text += f"        %{into}{dim} = arith.constant {extent} : index\n        %{into}s{dim} = arith.constant {0 if size.startswith('%') else size} : index\n"
            text += f"        %{into}h{dim} = arith.subi %{into}{dim}, {size if size.startswith('%') else f'%{into}s{dim}'} : index\n"
            high.append(f"%{into}h{dim}")
        return text + (f"        %{into}z = arith.constant 0.0 : f16\n        %{into} = tensor.pad %{into}t low[0, 0] high[{', '.join(high)}] {{\n        ^bb0(%i0: index, %i1: index):\n"
                       f"          tensor.yield %{into}z : f16\n        }} : tensor<{'x'.join(dynamic)}xf16> to {type}\n")

    def body(refs):
        maps = "affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>"
        dot = (f"linalg.matmul ins(%la, %lb : {A}, {B}) outs(%lc : {C}) -> {C}" if on_tensors else
               f"vector.contract {{indexing_maps = [{maps}], iterator_types = [\"parallel\", \"parallel\", \"reduction\"], kind = #vector.kind<add>}} %la, %lb, %lc : {A}, {B} into {C}")
        end = f"      pcf.write_slice %v into %out[0, 0] [{rows}, {columns}] [1, 1] : {C} into {refs['out']}\n"
        if on_tensors:
            part = f"tensor<{rows}x{columns}xf32>"
            end = (f"      %part = tensor.extract_slice %v[0, 0] [{rows}, {columns}] [1, 1] : {C} to {part}\n"
                   f"      pcf.write_slice %part into %out[0, 0] [{rows}, {columns}] [1, 1] : {part} into {refs['out']}\n")
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %z = arith.constant dense<0.0> : {C}
      pcf.cluster_yield %z : {C}
    }} : (!G) -> !T
    %step = arith.constant {tile[2]} : index
    %t1 = scf.for %i = %c0 to %depth step %step iter_args(%it = %t0) -> (!T) {{
      %rest = arith.subi %depth, %i : index
      %left = arith.minsi %rest, %step : index
      %nx = pcf.shared_executor.run_cluster(%it)[] (%acc: {C}) {{
{read("va", "a", "0, %i", (str(rows), "%left"), (tile[0], tile[2]), refs, A)}{read("vb", "b", "%i, 0", ("%left", str(columns)), (tile[2], tile[1]), refs, B)}        %la = iree_vector_ext.to_layout %va to layout({a}) {{mma_kind = #iree_gpu.mma_layout<{name}>}} : {A}
        %lb = iree_vector_ext.to_layout %vb to layout({b}) {{mma_kind = #iree_gpu.mma_layout<{name}>}} : {B}
        %lc = iree_vector_ext.to_layout %acc to layout({c}) {{mma_kind = #iree_gpu.mma_layout<{name}>}} : {C}
        %d = {dot}
        pcf.cluster_yield %d : {C}
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%v: {C}) {{
{end}      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"a": (rows, max(1, depth)), "b": (max(1, depth), columns), "out": (rows, columns)}
    elements = {"a": "f16", "b": "f16", "out": "f32"}
    text = kernel(machine, arguments, {"depth": depth}, body, f"!T = !pcf.threadgroup<#s, {{{C}}}>\n", elements)
    result = [sum(left[r][i] * right[i][q] for i in range(depth)) for r in range(rows) for q in range(columns)]
    return Program(text, [arguments["a"], flat(left), arguments["b"], flat(right), arguments["out"], {"depth": depth}], result, elements=elements,
                   computes="inner_tiled" if depth else None)


def boxes(rng, machine):
    """PCF-73: the sample of 6.4, on tensors, by layouts and by boxes."""
    n, m, turns, start = rng.choice([64, 32, 12, 1]), rng.choice([64, 5, 1]), rng.choice([0, 2, 3]), rng.randint(-4, 4)
    tensor = f"tensor<{n}x{m}xi32>"

    def body(refs):
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %cst = arith.constant {start} : i32
      %e = tensor.empty() : {tensor}
      %z = linalg.fill ins(%cst : i32) outs(%e : {tensor}) -> {tensor}
      pcf.cluster_yield %z : {tensor}
    }} : (!G) -> !T
    %t1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %t0) -> (!T) {{
      %nx = pcf.shared_executor.run_cluster(%it)[] (%x: {tensor}) {{
        %y = linalg.mul ins(%x, %x : {tensor}, {tensor}) outs(%x : {tensor}) -> {tensor}
        pcf.cluster_yield %y : {tensor}
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%x: {tensor}) {{
      pcf.write_slice %x into %out[0, 0] [{n}, {m}] [1, 1] : {tensor} into {refs['out']}
      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"out": (n, m)}
    text = kernel(machine, arguments, {"turns": turns}, body, f"!T = !pcf.threadgroup<#s, {{{tensor}}}>\n")
    value = start
    for _ in range(turns):
        value *= value
    return Program(text, [(n, m), {"turns": turns}], [value] * (n * m), default=machine.layout(rng, (n, m)), by_boxes="resolve")


def turned(rng, machine):
    """A loop carries what it transposes: its phase gets its argument in one way and hands it on in another (insert-relayout)."""
    n, turns = rng.choice([4, 8, 12, 32]), rng.choice([1, 2, 3])
    tensor, a = f"tensor<{n}x{n}xi32>", matrix(rng, n, n)

    def body(refs):
        return f"""    %t0 = pcf.shared_executor.run_cluster(%tg)[] () {{
      %x = pcf.read_slice %a[0, 0] [{n}, {n}] [1, 1] : {refs['a']} to {tensor}
      pcf.cluster_yield %x, %c2 : {tensor}, index
    }} : (!G) -> !T
    %t1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %t0) -> (!T) {{
      %nx = pcf.shared_executor.run_cluster(%it)[] (%x: {tensor}, %k: index) {{
        %e = tensor.empty() : {tensor}
        %y = linalg.transpose ins(%x : {tensor}) outs(%e : {tensor}) permutation = [1, 0]
        %c = arith.constant dense<1> : {tensor}
        %z = linalg.add ins(%y, %c : {tensor}, {tensor}) outs(%e : {tensor}) -> {tensor}
        %k1 = arith.addi %k, %k : index
        pcf.cluster_yield %z, %k1 : {tensor}, index
      }} : (!T) -> !T
      scf.yield %nx : !T
    }}
    pcf.shared_executor.run_cluster(%t1)[] (%x: {tensor}, %k: index) {{
      pcf.write_slice %x into %out[0, 0] [{n}, {n}] [1, 1] : {tensor} into {refs['out']}
      pcf.cluster_yield
    }} : (!T)
"""
    arguments = {"a": (n, n), "out": (n, n)}
    text = kernel(machine, arguments, {"turns": turns}, body, f"!T = !pcf.threadgroup<#s, {{{tensor}, index}}>\n")
    x = a
    for _ in range(turns):
        x = [[x[c][r] + 1 for c in range(n)] for r in range(n)]
    default = machine.layout(rng, (n, n))
    return Program(text, [(n, n), flat(a), (n, n), {"turns": turns}], flat(x), " insert-relayout", default, by_boxes="telescope" if machine.subgroups > 1 else None)


def clusters(rng, machine):
    """Two clusters, one of which may be empty, each in its own layout; a class of one changes its layout between barriers of its members."""
    split = rng.randint(0, machine.subgroups if machine.subgroups > 1 else machine.lanes)
    members = machine.subgroups if machine.subgroups > 1 else machine.lanes
    n, m = rng.choice([(8, 16), (12, 20), (32, 4)])
    a, turns, vector = matrix(rng, n, m), rng.choice([1, 2]), f"vector<{n}x{m}xi32>"

    def layout(count):
        # Nobody runs an empty cluster; its code is what that of any other would be.
        count = count or 2
        return random_layout(rng, (n, m), machine.lanes, count) if machine.subgroups > 1 else random_layout(rng, (n, m), count)

    def body(refs):
        text = f"""    %k = arith.constant {split} : index
    pcf.shared_executor.tile_group %tg ns(w) split [[%k]] (%x: !X, %y: !Y) {{
"""
        for part, (name, handle, payload, count) in enumerate([("x", "!X", "!XT", split), ("y", "!Y", "!YT", members - split)]):
            relays = machine.subgroups > 1
            first = layout(count)
            second = layout(count) if relays else first
            text += f"""      %{name}0 = pcf.shared_executor.run_cluster(%{name})[%k] () {{
        %v = pcf.read_slice %a[0, 0] [{n}, {m}] [1, 1] : {refs['a']} to {vector}
        %l = iree_vector_ext.to_layout %v to layout({first}) : {vector}
        pcf.cluster_yield %l : {vector}
      }} : ({handle}) -> {payload}
      %{name}1 = scf.for %i = %c0 to %turns step %c1 iter_args(%it = %{name}0) -> ({payload}) {{
        %nx = pcf.shared_executor.run_cluster(%it)[%k] (%p: {vector}) {{
          %c = arith.constant dense<{part + 2}> : {vector}
          %l = iree_vector_ext.to_layout %c to layout({second}) : {vector}
          %s = arith.muli %p, %l : {vector}
          pcf.cluster_yield %s : {vector}
        }} : ({payload}) -> {payload}
        scf.yield %nx : {payload}
      }}
      pcf.shared_executor.run_cluster(%{name}1)[%k] (%p: {vector}) {{
        pcf.write_slice %p into %out[{part * n}, 0] [{n}, {m}] [1, 1] : {vector} into {refs['out']}
        pcf.cluster_yield
      }} : ({payload})
"""
        return text + "      pcf.return\n    } : !G\n"

    aliases = "".join(f"!{name.upper()} = !pcf.cluster<#s, {bounds}, w.{name}>\n!{name.upper()}T = !pcf.cluster<#s, {bounds}, shared: {{{vector}}}, w.{name}>\n"
                      for name, bounds in (("x", "(0 -> d0)"), ("y", "(d0 -> s0)")))
    arguments = {"a": (n, m), "out": (2 * n, m)}
    text = kernel(machine, arguments, {"turns": turns}, body, aliases)
    result = [v * f ** turns if count else POISON for f, count in ((2, split), (3, members - split)) for v in flat(a)]
    return Program(text, [(n, m), flat(a), (2 * n, m), {"turns": turns}], result, " insert-relayout")


def steps_of(machine, ways):
    """Name and pass of every step."""
    if machine.subgroups > 1:
        yield "subgroups", f"--pcf-distribute=scope=#iree_gpu.subgroup_scope {ways[0]}"
        yield "telescope", "--pcf-resolve-clusters=telescope-to=#iree_gpu.lane_scope"
    yield "lanes", f"--pcf-distribute=scope=#iree_gpu.lane_scope {ways[1]}"
    yield "resolve", "--pcf-resolve-clusters"


FORMATS = {"i32": ("i", "<i4"), "f16": ("e", "<f2"), "f32": ("f", "<f4")}


def run(path, machine, program, output="res0", flags=()):
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    *arrays, scalars = program.inputs
    command = [options.distaff, "run", path, "--target", machine.target, "--output", f"{output}={result}", *flags]
    count = 0
    for shape, numbers, element in zip(arrays[0::2], arrays[1::2] + [[POISON] * len(program.expected)], program.elements):
        file = write(options.out / f"arg{count}.npy", *FORMATS[element], shape, numbers)
        command += ["--input", f"arg{count}={file}"]
        count += 1
    for value in scalars.values():
        command += ["--input", f"arg{count}={value}"]
        count += 1
    done = fork_server.run(command)
    if done.returncode:
        return done.stderr.strip().splitlines()[0]
    code = FORMATS[program.elements[-1]][0]
    found = list(struct.unpack(f"<{len(program.expected)}{code}", result.read_bytes()[-4 * len(program.expected):]))
    wrong = [i for i in range(len(found)) if found[i] != program.expected[i]]
    return f"element {wrong[0]} is {found[wrong[0]]}, not {program.expected[wrong[0]]}, {len(wrong)} are wrong" if wrong else None


def distribute(program, machine, name, path, ways, last="resolve"):
    for step, flag in steps_of(machine, ways):
        after = options.out / f"{name}-{step}.mlir"
        done = fork_server.run([options.distaff_opt, path, flag, "-o", after])
        if done.returncode:
            return f"{name} {step}: {done.stderr.strip().splitlines()[0]}"
        # One lane's code in a phase of its own cannot ask the other lanes: the machine runs it once resolved.
        text = after.read_text()
        asks = any(op in text for op in ("gpu.subgroup_reduce", "gpu.shuffle", "inner_tiled"))
        said = None if step == "lanes" and asks else run(after, machine, program)
        if said:
            return f"{name} {step}: {said}"
        path = after
        if step == last:
            break
    if program.computes and program.computes not in text:
        return f"{name}: has no {program.computes}"
    return None


def check(family, machine, seed):
    program = family(random.Random(f"{family.__name__} {machine} {seed}"), machine)
    name = f"{family.__name__}-{machine}-{seed}"
    path = options.out / f"{name}.mlir"
    path.write_text(program.text)
    said = run(path, machine, program)
    if said:
        return f"{name} as it is: {said}"
    default = program.default if program.default != "none" else Layout([(1, 1, 1, 1, 1)], [0], [0])
    layouts = f"impl='{default}'{program.flags}"
    said = distribute(program, machine, name, path, (layouts, layouts)) or check_lanes(machine, name, program)
    if not said and program.by_boxes:
        # Lanes have no memory of their own to relay values through.
        said = distribute(program, machine, name + "-boxes", path, (program.flags, ""), program.by_boxes)
    return said


CONCRETIZE = ["--pcf-resolve-tokens", "--one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map",
              "--pcf-convert-sref-to-memref", "--pcf-lower-structural", "--scf-forall-to-for", "--canonicalize", "--cse"]


def check_lanes(machine, name, program):
    """What is resolved as one lane's program, and as PTX."""
    path = options.out / f"{name}-concretize.mlir"
    done = fork_server.run([options.distaff_opt, options.out / f"{name}-resolve.mlir", *CONCRETIZE, "-o", path])
    if done.returncode:
        return f"{name} concretize: {done.stderr.strip().splitlines()[0]}"
    head, function = path.read_text().split("  func.func @f(", 1)
    head = re.sub(r"workgroup_size = \[[^]]*\] ", "", head.replace("module {\n", "", 1))
    function = re.sub(r"\)(?: -> [^{]*?)? attributes \{", f") kernel attributes {{known_block_size = array<i32: {machine.lanes * machine.subgroups}, 1, 1>, ", function, count=1)
    function = re.sub(r"\n    return[^\n]*\n", "\n    gpu.return\n", function)
    path = options.out / f"{name}-lanes.gpu.mlir"
    path.write_text(f"{head}gpu.module @kernels {{\n  gpu.func @f({function}")
    said = run(path, machine, program, f"arg{len(program.elements) - 1}")
    if said:
        return f"{name} as lanes: {said}"
    # Strided vectors, and barriers that nobody reaches, have no PTX.
    if machine.target != "sm_80" or "memref.subview" in function or "threads(%c0)" in function:
        return None
    said = run(path, machine, program, f"arg{len(program.elements) - 1}", ["--device", "ptx"])
    return f"{name} as PTX: {said}" if said else None


def main():
    failures = 0
    for family in (chain, classes, sums, relayout, renamed, exchanges, defaults, product, boxes, turned, clusters):
        if options.only and not family.__name__.startswith(options.only):
            continue
        for machine, seed in itertools.product(MACHINES, range(options.seeds)):
            said = check(family, machine, seed)
            if said:
                print(said)
                failures += 1
    print("all agree" if not failures else f"{failures} do not agree")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
