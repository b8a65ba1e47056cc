"""The cases of IREE: programs on tensors, each of which becomes one kernel, and
its launch as IREE's host program says it.

`iree-compile --compile-to=hal` prints that host program: the dispatch with its
workgroups, constants and bindings, computed from the arguments' extents. It is
evaluated here, so that nothing about the launch is guessed.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from third_party_case import ACCUMULATE, Argument, Case, accumulated, softmax

FLAGS = ["--iree-hal-target-device=cuda", "--iree-cuda-target=sm_80"]
OPERATIONS = {
    "addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b,
    "divsi": lambda a, b: int(a / b), "ceildivsi": lambda a, b: -(-a // b), "minsi": min, "maxsi": max,
    "shrui": lambda a, b: a >> b, "index_castui": lambda a: a, "index_cast": lambda a: a, "trunci": lambda a: a & 0xFFFFFFFF,
    "select": lambda c, a, b: a if c else b,
}
COMPARISONS = {"sle": lambda a, b: a <= b, "slt": lambda a, b: a < b, "eq": lambda a, b: a == b, "sgt": lambda a, b: a > b,
               "sge": lambda a, b: a >= b}


def evaluated(lines, extents):
    """Values of the host program's integers; an op that is not known here
    leaves its result out, and who needs it fails with its name."""
    values, dims = {}, iter(extents)
    for line in lines:
        match = re.match(r"\s*(%[\w-]+) = (?:arith\.(\w+)|(hal\.buffer_view\.dim))(.*?)(?: : .*)?$", line)
        if not match:
            continue
        name, operation, dim, rest = match.groups()
        operands = [values.get(v) for v in re.findall(r"%[\w-]+", rest)]
        if dim:
            values[name] = next(dims)
        elif operation == "constant":
            values[name] = int(rest) if re.fullmatch(r"\s*-?\d+", rest) else None
        elif operation == "cmpi":
            values[name] = COMPARISONS[rest.split(",")[0].strip()](*operands)
        elif operation in OPERATIONS and None not in operands:
            values[name] = OPERATIONS[operation](*operands)
    return values


def dispatch(host, extents):
    """The only dispatch of the host program: grid, constants, and bindings as
    (offset, bytes)."""
    found = re.findall(r"workgroups\(\[(.*?)\]\)(?: constants\(\[(.*?)\]\))? bindings\(\[(.*?)\n\s*\]\)", host, re.S)
    assert len(found) == 1, f"{len(found)} dispatches, one is taken"
    workgroups, constants, bindings = found[0]
    start = host.rindex("util.func", 0, host.index(workgroups))
    values = evaluated(host[start:].splitlines(), extents)
    pairs = re.findall(r"\)\[(%[\w-]+), (%[\w-]+)\]", bindings)
    return ([values[v] for v in re.findall(r"%[\w-]+", workgroups)], [values[v] for v in re.findall(r"%[\w-]+", constants or "")],
            [(values[offset], values[length]) for offset, length in pairs])


def compiler(*arguments):
    """iree-compile, from beside this interpreter."""
    return subprocess.run([Path(sys.executable).parent / "iree-compile", *FLAGS, *arguments], check=True, capture_output=True, text=True).stdout


def compiled(name, program, inputs, outputs, extents=()):
    """The case of a program whose bindings are its inputs and outputs, in order."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "program.mlir")
        source.write_text(program)
        compiler(f"--iree-hal-dump-executable-binaries-to={folder}", source, "-o", Path(folder, "program.vmfb"))
        kernels = list(Path(folder).glob("*.ptx"))
        assert len(kernels) == 1, f"{name} became {len(kernels)} kernels, one is taken"
        ptx = kernels[0].read_text()
        grid, constants, bindings = dispatch(compiler("--compile-to=hal", source), extents)
        target = compiler("--compile-to=executable-targets", source)
    arguments = inputs + outputs
    assert bindings == [(0, a.value.nbytes) for a in arguments], f"{name} has bindings {bindings}"
    size = [int(n) for n in re.findall(r"(\d+) : index", re.search(r"workgroup_size = \[(.*?)\]", target).group(1))]
    memory = re.search(r"workgroup_local_memory = (\d+)", target)
    shared = int(memory.group(1)) if memory else 0
    entry = re.search(r"\.entry (\w+)", ptx).group(1)
    return Case(name, "iree", ptx, entry, tuple(grid), tuple(size), shared, arguments + [Argument(c) for c in constants])


def tensor(shape, kind):
    return f"tensor<{'x'.join(map(str, shape))}x{kind}>"


def matmul(random, rows, columns, depth, kind, tail=""):
    number = np.float16 if kind == "f16" else np.float32
    a, b = (random.uniform(-1, 1, shape).astype(number) for shape in ((rows, depth), (depth, columns)))
    product = a.astype(np.float64) @ b.astype(np.float64)
    left, right, out = tensor((rows, depth), kind), tensor((depth, columns), kind), tensor((rows, columns), "f32")
    program = f"""func.func @matmul(%a: {left}, %b: {right}) -> {out} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {out}
  %c = linalg.fill ins(%zero : f32) outs(%e : {out}) -> {out}
  %d = linalg.matmul ins(%a, %b : {left}, {right}) outs(%c : {out}) -> {out}
  return %d : {out}
}}
"""
    result = Argument(np.zeros((rows, columns), np.float32), product, accumulated(a, b, depth))
    return compiled(f"matmul_{kind}_{rows}x{columns}x{depth}", program, [Argument(a), Argument(b)], [result])


def softmax_rows(random, rows, columns):
    x = random.uniform(-8, 8, (rows, columns)).astype(np.float32)
    expected, relative = softmax(x.astype(np.float64))
    type_ = tensor((rows, columns), "f32")
    program = f"""func.func @softmax(%a: {type_}) -> {type_} {{
  %e = tensor.empty() : {type_}
  %d = linalg.softmax dimension(1) ins(%a : {type_}) outs(%e : {type_}) -> {type_}
  return %d : {type_}
}}
"""
    # exp is a polynomial of about ten steps on a reduced argument here, in
    # place of ex2: as many roundings more.
    result = Argument(np.zeros_like(x), expected, (relative + 20 * ACCUMULATE) * expected)
    return compiled(f"softmax_{rows}x{columns}", program, [Argument(x)], [result])


def row_reduction(random, rows, columns, kind, operation, dynamic=False):
    x = random.uniform(-1, 1, (rows, columns)).astype(np.float16 if kind == "f16" else np.float32)
    values = x.astype(np.float64)
    maximum = operation == "maximumf"
    expected = values.max(axis=1) if maximum else values.sum(axis=1)
    bound = 0.0 if maximum else columns * ACCUMULATE * np.abs(values).sum(axis=1)
    given = "?" if dynamic else rows
    source, out = tensor((given, columns), kind), tensor((given,), "f32")
    extent = "  %c0 = arith.constant 0 : index\n  %n = tensor.dim %a, %c0 : " + source + "\n" if dynamic else ""
    widen = "    %w = arith.extf %x : f16 to f32\n" if kind == "f16" else ""
    program = f"""#rows = affine_map<(i, j) -> (i, j)>
#one = affine_map<(i, j) -> (i)>
func.func @reduce(%a: {source}) -> {out} {{
{extent}  %first = arith.constant {"0xFF800000" if maximum else "0.0"} : f32
  %e = tensor.empty({"%n" if dynamic else ""}) : {out}
  %c = linalg.fill ins(%first : f32) outs(%e : {out}) -> {out}
  %d = linalg.generic {{indexing_maps = [#rows, #one], iterator_types = ["parallel", "reduction"]}}
      ins(%a : {source}) outs(%c : {out}) {{
  ^bb0(%x: {kind}, %y: f32):
{widen}    %s = arith.{operation} %{"w" if widen else "x"}, %y : f32
    linalg.yield %s : f32
  }} -> {out}
  return %d : {out}
}}
"""
    result = Argument(np.zeros(rows, np.float32), expected, bound)
    name = f"row_{operation}_{rows}x{columns}_{kind}" + ("_dynamic" if dynamic else "")
    return compiled(name, program, [Argument(x)], [result], [rows] if dynamic else ())


CASES = {
    "matmul": lambda r: matmul(r, 256, 512, 128, "f16"),
    "matmul_ragged": lambda r: matmul(r, 100, 75, 53, "f16"),
    "matmul_f32": lambda r: matmul(r, 128, 160, 96, "f32"),
    "softmax": lambda r: softmax_rows(r, 64, 1024),
    "softmax_ragged": lambda r: softmax_rows(r, 37, 781),
    "row_sum": lambda r: row_reduction(r, 128, 4096, "f32", "addf"),
    "row_sum_ragged": lambda r: row_reduction(r, 33, 1003, "f32", "addf"),
    "row_max_f16": lambda r: row_reduction(r, 48, 2048, "f16", "maximumf"),
    "row_sum_dynamic": lambda r: row_reduction(r, 77, 1000, "f32", "addf", dynamic=True),
}
