"""Scans: loops that combine along a dim and write each result so far, of any length.

usage: scans.py OUT_DIR [options of suite.py]

Along the first, a middle and the last dim, inclusive and exclusive, from scalars and
from tensors, the sum at the end read or not; lengths around those of blocks.
"""
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import npy
import suite

TARGETS = ("sm_80", "gfx942", "gfx1100")
KINDS = {"addf": ("f32", "0.0"), "mulf": ("f32", "1.0"), "maximumf": ("f32", "0xFF800000"), "addi": ("i32", "0"), "minsi": ("i8", "127"), "xori": ("i64", "0"), "ori": ("i1", "false")}
INPUTS = {"f64": "random:3:-1:1", "f16": "whole:3:-2:2", "f32": "random:3:-1:1", "i32": "random:3:-100000:100000", "i8": "random:3:-128:127", "i64": "random:3:-9000000000:9000000000", "i1": "random:3:0:1"}


def along(shape, dim, kind, exclusive=False, unit=False, started=False, last=False, linalg=False):
    """A scan of slices; `unit`: they keep the dim; `started`: from an argument; `last`: the end is a result too."""
    element, neutral = KINDS[kind]
    text = lambda sizes: f"tensor<{'x'.join([*map(str, sizes), element])}>"
    rest = [1 if at == dim and unit else n for at, n in enumerate(shape) if at != dim or unit]
    whole, piece = text(shape), text(rest)
    place = ", ".join("%i" if at == dim else "0" for at in range(len(shape)))
    sizes = ", ".join("1" if at == dim else str(n) for at, n in enumerate(shape))
    ones = ", ".join("1" for _ in shape)
    start = "%a" if started else "%z"
    fill = f"""  %s = arith.constant {neutral}{'' if element == 'i1' else ' : ' + element}
  %ze = tensor.empty() : {piece}
  %z = linalg.fill ins(%s : {element}) outs(%ze : {piece}) -> {piece}
""" if not started else ""
    combined = (f"%ce = tensor.empty() : {piece}\n    %c = linalg.{'add' if kind[:3] == 'add' else 'mul'} ins(%sum, %x : {piece}, {piece}) outs(%ce : {piece}) -> {piece}" if linalg
                else f"%c = arith.{kind} %x, %sum : {piece}")
    results = f"({whole}, {piece})" if last else whole
    return f"""func.func @scan(%v: {whole}{f', %a: {piece}' if started else ''}) -> {results} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {shape[dim]} : index
{fill}  %e = tensor.empty() : {whole}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = {start}, %o = %e) -> ({piece}, {whole}) {{
    %x = tensor.extract_slice %v[{place}] [{sizes}] [{ones}] : {whole} to {piece}
    {combined}
    %p = tensor.insert_slice {'%sum' if exclusive else '%c'} into %o[{place}] [{sizes}] [{ones}] : {piece} into {whole}
    scf.yield %c, %p : {piece}, {whole}
  }}
  return %r#1{', %r#0' if last else ''} : {whole}{f', {piece}' if last else ''}
}}
"""


def of_scalars(length, kind, exclusive=False):
    element, neutral = KINDS[kind]
    whole = f"tensor<{length}x{element}>"
    return f"""func.func @scan(%v: {whole}) -> {whole} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant {length} : index
  %s = arith.constant {neutral}{'' if element == 'i1' else ' : ' + element}
  %e = tensor.empty() : {whole}
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%o = %e, %sum = %s) -> ({whole}, {element}) {{
    %x = tensor.extract %v[%i] : {whole}
    %c = arith.{kind} %sum, %x : {element}
    %p = tensor.insert {'%sum' if exclusive else '%c'} into %o[%i] : {whole}
    scf.yield %p, %c : {whole}, {element}
  }}
  return %r#0 : {whole}
}}
"""


# A branch around a scan that is too long to be written out.
IN_A_BRANCH = """func.func @scan(%v: tensor<3x700xi32>, %b: i1) -> tensor<3x700xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 700 : index
  %s = arith.constant 0 : i32
  %r = scf.if %b -> (tensor<3x700xi32>) {
    %ze = tensor.empty() : tensor<3xi32>
    %z = linalg.fill ins(%s : i32) outs(%ze : tensor<3xi32>) -> tensor<3xi32>
    %e = tensor.empty() : tensor<3x700xi32>
    %q:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %z, %o = %e) -> (tensor<3xi32>, tensor<3x700xi32>) {
      %x = tensor.extract_slice %v[0, %i] [3, 1] [1, 1] : tensor<3x700xi32> to tensor<3xi32>
      %c = arith.addi %x, %sum : tensor<3xi32>
      %p = tensor.insert_slice %c into %o[0, %i] [3, 1] [1, 1] : tensor<3xi32> into tensor<3x700xi32>
      scf.yield %c, %p : tensor<3xi32>, tensor<3x700xi32>
    }
    scf.yield %q#1 : tensor<3x700xi32>
  } else {
    scf.yield %v : tensor<3x700xi32>
  }
  return %r : tensor<3x700xi32>
}
"""
# What a sum starts from was filled in another shape.
RESHAPED_FILL = """func.func @sum(%v: tensor<70xi32>) -> tensor<i32> {
  %s = arith.constant 5 : i32
  %e = tensor.empty() : tensor<1xi32>
  %f = linalg.fill ins(%s : i32) outs(%e : tensor<1xi32>) -> tensor<1xi32>
  %c = tensor.collapse_shape %f [] : tensor<1xi32> into tensor<i32>
  %r = linalg.reduce { arith.addi } ins(%v : tensor<70xi32>) outs(%c : tensor<i32>) dimensions = [0]
  return %r : tensor<i32>
}
"""
# What is around a scan is launches of its own.
BETWEEN = along((5, 777), 1, "addf").replace("  %c0 =", """  %we = tensor.empty() : tensor<5x777xf32>
  %w = linalg.exp ins(%v : tensor<5x777xf32>) outs(%we : tensor<5x777xf32>) -> tensor<5x777xf32>
  %c0 =""", 1).replace("extract_slice %v", "extract_slice %w").replace("return %r#1", """%b = linalg.square ins(%r#1 : tensor<5x777xf32>) outs(%we : tensor<5x777xf32>) -> tensor<5x777xf32>
  return %b""")
# A scan of a scan, along the other dim.
TWICE = along((300, 200), 1, "addi").replace("  return %r#1", """  %m = arith.constant 300 : index
  %y = tensor.empty() : tensor<200xi32>
  %q = linalg.fill ins(%s : i32) outs(%y : tensor<200xi32>) -> tensor<200xi32>
  %t:2 = scf.for %i = %c0 to %m step %c1 iter_args(%sum = %q, %o = %e) -> (tensor<200xi32>, tensor<300x200xi32>) {
    %x = tensor.extract_slice %r#1[%i, 0] [1, 200] [1, 1] : tensor<300x200xi32> to tensor<200xi32>
    %c = arith.addi %x, %sum : tensor<200xi32>
    %p = tensor.insert_slice %c into %o[%i, 0] [1, 200] [1, 1] : tensor<200xi32> into tensor<300x200xi32>
    scf.yield %c, %p : tensor<200xi32>, tensor<300x200xi32>
  }
  return %t#1""")
ROWS = along((4, 300), 1, "addi", started=True, last=True)
# Of a scan, the end alone, or nothing, is read.
ONLY_THE_END = ROWS.replace("(tensor<4x300xi32>, tensor<4xi32>) {\n  %c0", "tensor<4xi32> {\n  %c0").replace("return %r#1, %r#0 : tensor<4x300xi32>, tensor<4xi32>", "return %r#0 : tensor<4xi32>")
NOTHING = along((4, 300), 1, "addi").replace("return %r#1", "%q = arith.addi %v, %v : tensor<4x300xi32>\n  return %q")
# What is scanned, or what it starts from, is filled.
OF_A_CONSTANT = ROWS.replace("%v: tensor<4x300xi32>, ", "").replace("  %e =", "  %v = arith.constant dense<2> : tensor<4x300xi32>\n  %e =", 1)
IN_TURNS = along((4, 300), 1, "addi", last=True).replace("  %r:2 =", """  %three = arith.constant 3 : index
  %g:2 = scf.for %t = %c0 to %three step %c1 iter_args(%w = %v, %y = %z) -> (tensor<4x300xi32>, tensor<4xi32>) {
  %r:2 =""").replace("%sum = %z", "%sum = %y").replace("extract_slice %v", "extract_slice %w").replace("  return %r#1, %r#0", "  scf.yield %r#1, %r#0 : tensor<4x300xi32>, tensor<4xi32>\n  }\n  return %g#0, %g#1")
# The result twice, in two shapes.
IN_TWO_SHAPES = along((4, 300), 1, "addi").replace("-> tensor<4x300xi32> {\n  %c0", "-> (tensor<1200xi32>, tensor<4x300xi32>) {\n  %c0").replace("return %r#1 : tensor<4x300xi32>", "%flat = tensor.collapse_shape %r#1 [[0, 1]] : tensor<4x300xi32> into tensor<1200xi32>\n  return %flat, %r#1 : tensor<1200xi32>, tensor<4x300xi32>")
CASES = {
    **{f"rows_{kind}_{length}": along((7, length), 1, kind) for kind in KINDS for length in (1, 63, 131, 517)},
    **{f"columns_{length}": along((length, 33), 0, "addi") for length in (2, 128, 129, 300)},
    **{f"middle_{exclusive}": along((3, 200, 5), 1, "addf", exclusive=exclusive) for exclusive in (False, True)},
    **{f"started_{unit}_{exclusive}": along((5, 260), 1, "addi", exclusive=exclusive, unit=unit, started=True, last=True)
       for unit in (False, True) for exclusive in (False, True)},
    **{f"short_started_{dim}": along((9, 11), dim, "maximumf", started=True, last=True, exclusive=dim == 1) for dim in (0, 1)},
    **{f"scalars_{length}_{exclusive}": of_scalars(length, "addf", exclusive) for length in (5, 1000) for exclusive in (False, True)},
    "linalg_add": along((4, 150), 1, "addf", linalg=True),
    "batch_of_1": along((1, 300), 1, "addi"),
    "batch_of_1_kept": along((1, 300), 1, "addi", unit=True, last=True),
    "one_dim_kept": along((300,), 0, "addi", unit=True, last=True),
    "one_dim_kept_started": along((300,), 0, "addi", unit=True, last=True, started=True),
    "in_a_branch": IN_A_BRANCH,
    "fill_in_another_shape": RESHAPED_FILL,
    "many_floats": of_scalars(6000, "addf"),
    "parts": of_scalars(9000, "addi"),
    "parts_of_columns": along((2000, 37), 0, "addf"),
    "parts_of_columns_read": along((1300, 70), 0, "addi", exclusive=True, started=True, last=True),
    "parts_started": along((3, 50001), 1, "addi", started=True, last=True),
    "parts_of_middle": along((2, 6007, 5), 1, "addi", exclusive=True, started=True, last=True),
    "parts_of_parts": of_scalars(300007, "addi", True),
    "many_rows": along((120, 9000), 1, "maximumf"),
    "whole_rows": along((110, 8192), 1, "addi", exclusive=True, started=True, last=True),
    "columns_of_bytes": along((4, 1003, 64), 1, "minsi", started=True, last=True),
    "columns_of_bits": along((9, 700, 64), 1, "ori"),
    "many_dims": along((3, 2, 300, 2, 3), 2, "addi", started=True, last=True),
    "first_of_many": along((300, 3, 2, 2), 0, "addf"),
    "last_of_many": along((2, 3, 5, 300), 3, "maximumf", started=True, last=True, exclusive=True),
    "doubles": of_scalars(5000, "addf").replace("f32", "f64"),
    "halves": along((3, 700), 1, "addf").replace("f32", "f16"),
    "between": BETWEEN,
    "only_the_end": ONLY_THE_END,
    "nothing": NOTHING,
    "of_a_constant": OF_A_CONSTANT,
    "in_turns": IN_TURNS,
    "in_two_shapes": IN_TWO_SHAPES,
    "one_place": along((5, 1), 1, "addi", exclusive=True, started=True, last=True),
    "product_that_vanishes": along((3, 700, 5), 1, "mulf"),
    "twice": TWICE,
}
# In the order of the loop.
STRICT = {
    "strict_rows": along((70, 300), 1, "addf", started=True, last=True),
    "strict_columns": along((300, 70), 0, "addf", exclusive=True),
    "strict_middle": along((3, 200, 70), 1, "addf", exclusive=True, started=True, last=True, unit=True),
    "strict_few_columns": along((33, 150, 3), 1, "mulf", last=True),
    "strict_short": along((5, 100), 1, "addf"),
    "strict_many_dims": along((3, 2, 140, 2, 3), 2, "addf", started=True, last=True),
    "strict_scalars": of_scalars(20000, "addf"),
    "strict_doubles": of_scalars(1000, "addf", True).replace("f32", "f64"),
    "strict_halves": along((3, 700), 1, "addf").replace("f32", "f16"),
    "strict_reversed": of_scalars(1000, "addf").replace("arith.addf %sum, %x", "arith.addf %x, %sum"),
}
# What is no scan is written out, or refused.
PREFIX_OF_HALF = along((4, 12), 1, "addi").replace("arith.constant 12 : index", "arith.constant 6 : index").replace("%o = %e", "%o = %v")
SCALED = along((4, 12), 1, "addi").replace("scf.yield %c,", "%d = arith.addi %c, %c : tensor<4xi32>\n    scf.yield %d,")


# As long as only a launch knows; in rows of a number that it knows as well.
DYNAMIC_ROW = """func.func @scan(%v: tensor<?xTYPE>) -> tensor<?xTYPE> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant START : TYPE
  %n = tensor.dim %v, %c0 : tensor<?xTYPE>
  %e = tensor.empty(%n) : tensor<?xTYPE>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %z, %o = %e) -> (TYPE, tensor<?xTYPE>) {
    %x = tensor.extract %v[%i] : tensor<?xTYPE>
    %s = OP %sum, %x : TYPE
    %p = tensor.insert WHAT into %o[%i] : tensor<?xTYPE>
    scf.yield %s, %p : TYPE, tensor<?xTYPE>
  }
  return %r#1 : tensor<?xTYPE>
}
"""
DYNAMIC_ROWS = """func.func @scan(%v: tensor<?x?xi32>) -> tensor<?x?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 7 : i32
  %m = tensor.dim %v, %c0 : tensor<?x?xi32>
  %n = tensor.dim %v, %c1 : tensor<?x?xi32>
  %e = tensor.empty(%m, %n) : tensor<?x?xi32>
  %g = tensor.empty(KEPT) : tensor<?xi32>
  %f = linalg.fill ins(%z : i32) outs(%g : tensor<?xi32>) -> tensor<?xi32>
  %r:2 = scf.for %i = %c0 to ALONG step %c1 iter_args(%sum = %f, %o = %e) -> (tensor<?xi32>, tensor<?x?xi32>) {
    %x = tensor.extract_slice %v[PLACE] [SIZE] [1, 1] : tensor<?x?xi32> to tensor<?xi32>
    %s = arith.addi %sum, %x : tensor<?xi32>
    %p = tensor.insert_slice %s into %o[PLACE] [SIZE] [1, 1] : tensor<?xi32> into tensor<?x?xi32>
    scf.yield %s, %p : tensor<?xi32>, tensor<?x?xi32>
  }
  return %r#1 : tensor<?x?xi32>
}
"""


# A kernel on tensors that comes with its loop over workgroups and the steps of one.
OWN_LOOP = """func.func @row(%v: tensor<7x5001xf32>, %a: tensor<7xf32>) -> tensor<7x5001xf32> {
  %c0 = arith.constant 0 : index
  %L = arith.constant 2048 : index
  %N = arith.constant 5001 : index
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x5001xf32>
  %r = scf.forall (%m) in (7) shared_outs(%o = %e) -> (tensor<7x5001xf32>) {
    %s0 = tensor.extract_slice %a[%m] [1] [1] : tensor<7xf32> to tensor<1xf32>
    %start = vector.transfer_read %s0[%c0], %z {in_bounds = [true]} : tensor<1xf32>, vector<1xf32>
    %o0 = tensor.extract_slice %o[%m, 0] [1, 5001] [1, 1] : tensor<7x5001xf32> to tensor<1x5001xf32>
    %w:2 = scf.for %n = %c0 to %N step %L iter_args(%carry = %start, %out = %o0) -> (vector<1xf32>, tensor<1x5001xf32>) {
      %size = affine.min affine_map<(d) -> (2048, 5001 - d)>(%n)
      %vs = tensor.extract_slice %v[%m, %n] [1, %size] [1, 1] : tensor<7x5001xf32> to tensor<1x?xf32>
      %x = vector.transfer_read %vs[%c0, %c0], %z {in_bounds = [true, false]} : tensor<1x?xf32>, vector<1x2048xf32>
      %ze = arith.constant dense<0.0> : vector<1xf32>
      %d, %t = vector.scan <add>, %x, %ze {inclusive = true, reduction_dim = 1 : i64} : vector<1x2048xf32>, vector<1xf32>
      %bt = vector.broadcast %carry : vector<1xf32> to vector<2048x1xf32>
      %b = vector.transpose %bt, [1, 0] : vector<2048x1xf32> to vector<1x2048xf32>
      %y = arith.addf %b, %d : vector<1x2048xf32>
      %next = arith.addf %carry, %t : vector<1xf32>
      %os = tensor.extract_slice %out[0, %n] [1, %size] [1, 1] : tensor<1x5001xf32> to tensor<1x?xf32>
      %ow = vector.transfer_write %y, %os[%c0, %c0] {in_bounds = [true, false]} : vector<1x2048xf32>, tensor<1x?xf32>
      %on = tensor.insert_slice %ow into %out[0, %n] [1, %size] [1, 1] : tensor<1x?xf32> into tensor<1x5001xf32>
      scf.yield %next, %on : vector<1xf32>, tensor<1x5001xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %w#1 into %o[%m, 0] [1, 5001] [1, 1] : tensor<1x5001xf32> into tensor<7x5001xf32>
    }
  } {mapping = [#gpu.block<x>]}
  return %r : tensor<7x5001xf32>
}
"""


def filled(text, **values):
    for name, value in values.items():
        text = text.replace(name, value)
    return text


ROW = {"TYPE": "i32", "START": "5", "OP": "arith.addi", "WHAT": "%s"}
DYNAMIC = {
    "dynamic": (filled(DYNAMIC_ROW, **ROW), lambda n: [f"{n}"]),
    "dynamic_exclusive": (filled(DYNAMIC_ROW, **{**ROW, "WHAT": "%sum"}), lambda n: [f"{n}"]),
    "dynamic_floats": (filled(DYNAMIC_ROW, TYPE="f32", START="0.5", OP="arith.addf", WHAT="%s"), lambda n: [f"{min(n, 5000)}"]),
    "dynamic_largest": (filled(DYNAMIC_ROW, TYPE="f32", START="-0.5", OP="arith.maximumf", WHAT="%s"), lambda n: [f"{n}"]),
    "dynamic_rows": (filled(DYNAMIC_ROWS, KEPT="%m", ALONG="%n", PLACE="0, %i", SIZE="%m, 1"), lambda n: [f"{n % 7}x{n}"]),
    "dynamic_rows_read": (
        filled(DYNAMIC_ROWS, KEPT="%m", ALONG="%n", PLACE="0, %i", SIZE="%m, 1")
        .replace("-> tensor<?x?xi32> {\n  %c0", "-> (tensor<?x?xi32>, tensor<?xi32>) {\n  %c0")
        .replace("return %r#1 : tensor<?x?xi32>", "return %r#1, %r#0 : tensor<?x?xi32>, tensor<?xi32>"),
        lambda n: [f"{1 + n % 5}x{n}"],
    ),
    "dynamic_columns": (filled(DYNAMIC_ROWS, KEPT="%n", ALONG="%m", PLACE="%i, 0", SIZE="1, %n"), lambda n: [f"{n}x{1 + n % 5}"]),
}
LENGTHS = (0, 1, 63, 65, 200, 4097, 9001)
# The bound is the extent of what is scanned, though nobody writes it as a number.
ASKED = filled(DYNAMIC_ROW, **ROW).replace("tensor<?x", "tensor<300x").replace("tensor.empty(%n)", "tensor.empty()")
# The extent of something else is no end of a scan.
OTHER = filled(DYNAMIC_ROW, **ROW).replace("(%v: tensor<?xi32>)", "(%v: tensor<?xi32>, %w: tensor<?xi32>)").replace("%n = tensor.dim %v", "%n = tensor.dim %w")


def dynamic_runs(chosen):
    for name, (text, shapes_of) in DYNAMIC.items():
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        element = "f32" if "xf32" in text else "i32"
        for number, length in enumerate(LENGTHS):
            flags = ["--input", f"arg0={INPUTS[element]}", *(f"--shape=arg{at}={shape}" for at, shape in enumerate(shapes_of(length)))]
            target = TARGETS[number % len(TARGETS)]
            yield suite.Run(f"{name} {length} {target}", [chosen.distaff, "run", str(path), "--target", target, "--check", *flags], compares=False)


# From a tensor whose rows only the launch counts, beside those of what is scanned.
STARTED = filled(DYNAMIC_ROWS, KEPT="%m", ALONG="%n", PLACE="0, %i", SIZE="%m, 1").replace("(%v: tensor<?x?xi32>) -> tensor<?x?xi32> {\n  %c0", "(%v: tensor<?x?xi32>, %a: tensor<?xi32>) -> (tensor<?x?xi32>, tensor<?xi32>) {\n  %c0").replace("%sum = %f", "%sum = %a").replace("return %r#1 : tensor<?x?xi32>", "return %r#1, %r#0 : tensor<?x?xi32>, tensor<?xi32>")


def check_starts(chosen):
    """A start of other rows is refused, and not read beyond its end."""
    wrong = []
    for name, text in (("started", STARTED), ("started_exclusive", STARTED.replace("insert_slice %s into", "insert_slice %sum into")), ("started_floats", STARTED.replace("i32", "f32").replace("7 : f32", "7.0 : f32").replace("addi", "addf"))):
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        for rows, flags in ((70, ()), (71, ()), (69, ()), (71, ("--strict-fp",)), (69, ("--strict-fp",)), (70, ("--strict-fp",))):
            shapes = ["--shape=arg0=70x200", f"--shape=arg1={rows}"]
            inputs = ["--check", "--input=arg0=whole:1:-2:2", "--input=arg1=whole:2:-2:2"] if rows == 70 else []
            done = suite.execute([chosen.distaff, "run", str(path), "--target", "sm_80", *shapes, *inputs, *flags])
            if done.returncode != (0 if rows == 70 else 1) or (rows != 70 and "their extents differ" not in done.stderr):
                wrong.append(f"{name} {rows} {flags}: exit {done.returncode} {done.stderr[:200]}")
    return wrong


def single(value):
    return npy.from_bytes(npy.to_bytes([value], "f32"), "f32")[0]


def check_order(chosen):
    """The very bits of sums in the order of the loop, which are those of no other order."""
    draw, length, wrong = random.Random(7), 3001, []
    values = [single(draw.uniform(-1, 1) * 10 ** draw.randint(-6, 6)) for _ in range(length)]
    sums = []
    for value in values:
        sums.append(single((sums[-1] if sums else 0.0) + value))
    given, made = npy.write(chosen.out / "order.npy", "f32", (length,), values), chosen.out / "order.out.npy"
    for name, text in (("order", of_scalars(length, "addf")), ("order_of_a_column", along((length, 1), 0, "addf")), ("order_of_a_row", along((1, length), 1, "addf", unit=True))):
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        if name != "order":
            given = npy.write(chosen.out / f"{name}.npy", "f32", (length, 1) if "column" in name else (1, length), values)
        for target in TARGETS:
            done = suite.execute([chosen.distaff, "run", str(path), "--target", target, "--strict-fp", f"--input=arg0={given}", f"--output=res0={made}"])
            if done.returncode or list(npy.read(made, "f32")) != sums:
                wrong.append(f"{name} {target}: exit {done.returncode}, not the sums in order {done.stderr[:200]}")
    return wrong


def strict_runs(chosen):
    for name, text in STRICT.items():
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        flags = [f"--input=arg{at}=whole:{5 + at}:-2:2" for at in range(1 + ("%a:" in text))]
        for target in TARGETS:
            yield suite.Run(f"{name} {target}", [chosen.distaff, "run", str(path), "--target", target, "--check", "--strict-fp", *flags], compares=False)
    path = chosen.out / "dynamic_floats.mlir"
    for number, length in enumerate(LENGTHS):
        target = TARGETS[number % len(TARGETS)]
        yield suite.Run(f"strict_dynamic {length} {target}", [chosen.distaff, "run", str(path), "--target", target, "--check", "--strict-fp", f"--shape=arg0={length}", "--input=arg0=whole:5:-2:2"], compares=False)


def check_other(chosen):
    """Of as many elements as another tensor has: no scan of all, and a loop."""
    path = chosen.out / "other.mlir"
    path.write_text(OTHER)
    done = suite.execute([chosen.distaff, "run", str(path), "--target", "sm_80", "--check", "--shape=arg0=70", "--shape=arg1=70"])
    return [f"other: exit {done.returncode} {done.stderr[:200]}"] if done.returncode else []


def launches(chosen, path, strict):
    flags = ["--strict-fp"] if strict else []
    done = suite.execute([chosen.distaff, "compile", str(path), "--target", "sm_80", "--stop-after=configure", *flags])
    return done.returncode, done.stdout.count("func.func @scan") or 1


LAUNCHES = (
    ("long", of_scalars(100000, "addf"), False, 3),
    ("ragged", of_scalars(100003, "addf"), False, 3),
    ("longest", of_scalars(1 << 28, "addf"), False, 3),
    ("dynamic", DYNAMIC["dynamic"][0], False, 3),
    ("rows", along((4096, 50257), 1, "addf"), False, 1),
    ("columns", along((50257, 4096), 0, "addf"), False, 1),
    ("few_columns", along((50257, 64), 0, "addf"), False, 3),
    ("dynamic_rows", DYNAMIC["dynamic_rows"][0], False, 1),
    ("many_columns", along((200, 10000000), 0, "addf"), False, 1),
    ("many_columns_of_rows", along((2, 300, 4000000), 1, "addf"), False, 1),
    ("public", of_scalars(1000, "addi").replace(" {\n  %c0", " attributes {distaff.prepared_launch = \"x\"} {\n  %c0", 1), False, 1),
    ("short", of_scalars(1000, "addf"), False, 1),
    ("strict", of_scalars(100000, "addf"), True, 1),
    ("strict_rows", along((4096, 50257), 1, "addf"), True, 1),
    ("strict_integers", of_scalars(1000, "addi"), True, 1),
)


def check_launches(chosen):
    """A long scan takes three launches, however long it is; one of many rows, or of no more than a tile, is one. None spills."""
    wrong = []
    for name, text, strict, wanted in depth.some(LAUNCHES, 3):
        path = chosen.out / f"launches_{name}.mlir"
        path.write_text(text)
        code, count = launches(chosen, path, strict)
        for target in TARGETS:
            done = suite.execute([chosen.distaff, "explain", str(path), "--target", target, *(["--strict-fp"] if strict else [])])
            spills = re.findall(r"spills: .* (\d+) B by", done.stdout)
            if done.returncode or any(int(spilled) for spilled in spills):
                wrong.append(f"{name} {target}: exit {done.returncode}, spills {spills} {done.stderr[:200]}")
        if code or count != wanted:
            wrong.append(f"{name}: exit {code}, {count} launches, expected {wanted}")
    return wrong


def runs(chosen):
    for name, text in {**CASES, "prefix_of_half": PREFIX_OF_HALF, "scaled": SCALED, "asked": ASKED}.items():
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        element = re.search(r"%v: tensor<(?:\d+x)+(\w+)>", text)
        element = element[1] if element else "i32"
        inputs = ["--input", f"arg0={INPUTS[element]}"] + (["--input", "arg1=1"] if "%b: i1" in text else []) + (["--input", f"arg1={INPUTS[element].replace(':3:', ':4:')}"] if ", %a:" in text else [])
        for target in TARGETS:
            yield suite.Run(f"{name} {target}", [chosen.distaff, "run", str(path), "--target", target, "--check", *inputs], compares=False)
    path = chosen.out / "own_loop.mlir"
    path.write_text(OWN_LOOP)
    for target in TARGETS:
        inputs = ["--input", f"arg0={INPUTS['f32']}", "--input", f"arg1={INPUTS['f32']}"]
        yield suite.Run(f"own_loop {target}", [chosen.distaff, "run", str(path), "--target", target, "--check", "--every-stage", *inputs], compares=False)
    yield from dynamic_runs(chosen)
    yield from strict_runs(chosen)


if __name__ == "__main__":
    chosen = suite.options()
    wrong = check_launches(chosen) + check_other(chosen) + check_order(chosen) + check_starts(chosen)
    print("\n".join(f"FAIL {each}" for each in wrong))
    try:
        suite.main(list(runs(chosen)), chosen, one_in=17)
    except SystemExit as end:
        sys.exit(bool(end.code or wrong))
