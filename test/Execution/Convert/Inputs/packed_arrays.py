"""Arrays of i2 and i4 hold several elements per byte, element 0 in the lowest bits: kernels that read and write them are
compared with Python's integers on the SIMT machine after every stage, on the PTX machine, which finds races, and on this
CPU. That the machines and the compiler do not agree on another order is seen in the bytes that emitted PTX reads.

    python3 packed_arrays.py OUT_DIR [--distaff PATH]
"""
import pathlib
import random
import re
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

options = suite.options()
DEVICES = (("sm_80", "simt", "--every-stage"), ("gfx942", "simt", "--stages=lower,convert"), ("sm_80", "ptx", "--check"),
           ("host", "host", "--check"))
RANDOM = random.Random(4)
IDENTITY = {0: "affine_map<()->()>", 1: "affine_map<(i)->(i)>", 2: "affine_map<(i,j)->(i,j)>", 3: "affine_map<(i,j,k)->(i,j,k)>"}


def distaff(*arguments):
    return suite.distaff(options, *arguments)


def signed(value, bits=4):
    value &= (1 << bits) - 1
    return value - (value >> bits - 1 << bits)


def count(shape):
    return shape[0] * count(shape[1:]) if shape else 1


def numbers(shape, bits=4):
    """All bit patterns come first, in any order, as far as there is room for them."""
    every = RANDOM.sample([signed(i, bits) for i in range(1 << bits)], 1 << bits)
    more = [signed(RANDOM.getrandbits(bits), bits) for _ in range(count(shape))]
    return (every + more)[:count(shape)]


def tensor(shape, element, isDynamic=False):
    extents = ["?" if isDynamic and i == 0 else str(extent) for i, extent in enumerate(shape)]
    return f"tensor<{''.join(extent + 'x' for extent in extents)}{element}>"


def elementwise(shape, source, result, ops, isDynamic=False):
    """A kernel that computes %y of %x for each element."""
    a, r = tensor(shape, source, isDynamic), tensor(shape, result, isDynamic)
    empty = f"%c0 = arith.constant 0 : index\n  %n = tensor.dim %a, %c0 : {a}\n  %e = tensor.empty(%n) : {r}" if isDynamic else f"%e = tensor.empty() : {r}"
    loops = ", ".join(['"parallel"'] * len(shape))
    return f"""func.func @k(%a: {a}) -> {r} {{
  {empty}
  %r = linalg.generic {{indexing_maps = [{IDENTITY[len(shape)]}, {IDENTITY[len(shape)]}], iterator_types = [{loops}]}} ins(%a : {a}) outs(%e : {r}) {{
  ^bb0(%x: {source}, %u: {result}):
{ops}
    linalg.yield %y : {result}
  }} -> {r}
  return %r : {r}
}}
"""


def check(title, text, inputs, results, devices=DEVICES, results_are="res"):
    """`inputs`: (element, shape, values), a number, or None for memory that the kernel fills. `results`: of results, or,
    where `results_are` "arg", of arguments, of which None is not compared."""
    file = options.out / "k.mlir"
    file.write_text(text)
    flags = []
    for i, given in enumerate(inputs):
        if isinstance(given, int):
            flags.append(f"--input=arg{i}={given}")
        elif given:
            flags.append(f"--input=arg{i}={npy.write(options.out / f'arg{i}.npy', *given)}")
    names = [f"res{i}" if results_are == "res" else f"arg{i}" for i in range(len(results))]
    flags += [f"--output={names[i]}={options.out / names[i]}.out.npy" for i in range(len(results)) if results[i]]
    for target, device, how in devices:
        done = distaff("run", file, "--target", target, "--device", device, how, *flags)
        where = f"{title} for {target} on {device}"
        assert done.returncode == 0, f"{where}: exit {done.returncode}: {done.stdout}{done.stderr[:800]}\n{text}"
        for name, result in zip(names, results):
            if result:
                element, _, values = result
                got = npy.read(options.out / f"{name}.out.npy", element)
                assert got == values, f"{where}: {name} is {got[:40]}, not {values[:40]}\n{text}"


def reads():
    for op, result, of in (("extsi", "i8", signed), ("extui", "i16", lambda v: v & 15), ("sitofp", "f32", lambda v: float(signed(v))),
                           ("uitofp", "f32", lambda v: float(v & 15))):
        for shape, isDynamic in (((1024,), False), ((1,), False), ((7, 33), False), ((3, 32), True), ((5, 7), True), ((0,), True), ((2, 3, 5), False)):
            values = numbers(shape)
            text = elementwise(shape, "i4", result, f"    %y = arith.{op} %x : i4 to {result}", isDynamic)
            few = DEVICES if shape in ((7, 33), (3, 32)) else DEVICES[2:]
            check(f"{op} of {shape}", text, [("i8", shape, values)], [(result, shape, [of(v) for v in values])], few)


def writes():
    """A lane that wrote an element would race for its byte with a neighbour, across rows where they are odd."""
    for shape, isDynamic in (((), False), ((1,), False), ((2,), False), ((0,), False), ((0, 3), True), ((3, 5), False), ((17, 31), True), ((64, 64), False),
                             ((3, 3, 3), False)):
        values = numbers(shape)
        a = tensor(shape, "i4", isDynamic)
        few = DEVICES if shape == (17, 31) else DEVICES[2:]
        check(f"copy of {shape}", f"func.func @k(%a: {a}) -> {a} {{ return %a : {a} }}\n", [("i8", shape, values)], [("i8", shape, values)], few)
        check(f"sum of {shape}", elementwise(shape, "i4", "i4", "    %y = arith.addi %x, %x : i4", isDynamic), [("i8", shape, values)],
              [("i8", shape, [signed(2 * v) for v in values])], few)
    shape = (13, 7)
    floats = [RANDOM.choice([-8, -7.5, -0.5, 0, 0.5, 3.25, 7, 7.875]) for _ in range(count(shape))]
    check("quantization", elementwise(shape, "f32", "i4", "    %y = arith.fptosi %x : f32 to i4", True), [("f32", shape, floats)],
          [("i8", shape, [int(v) for v in floats])])
    for shape in ((1,), (5,), (4, 6), (7, 3)):
        values = numbers(shape, 2)
        check(f"i2 of {shape}", elementwise(shape, "i2", "i2", "    %c = arith.constant 1 : i2\n    %y = arith.addi %x, %c : i2"),
              [("i8", shape, values)], [("i8", shape, [signed(v + 1, 2) for v in values])])
    a = tensor((9,), "i4")
    values = numbers((9,))
    check("two results", f"func.func @k(%a: {a}) -> ({a}, {a}) {{\n  %n = arith.muli %a, %a : {a}\n  return %n, %a : {a}, {a}\n}}\n",
          [("i8", (9,), values)], [("i8", (9,), [signed(v * v) for v in values]), ("i8", (9,), values)])


CONSTANTS = "".join(f"    %c{i} = arith.constant {i} : index\n" for i in (2, 5, 8))


def lanes(signature, body):
    """A kernel of 32 lanes, %t of which runs the body."""
    return f"""gpu.module @kernels {{
  gpu.func @k({signature}) kernel attributes {{known_block_size = array<i32: 32, 1, 1>}} {{
{CONSTANTS}    %t = gpu.thread_id x
{body}
    gpu.return
  }}
}}
"""


def negative_terms():
    """Terms of an index are divided by the elements of a byte each, and may be negative where their sum is not."""
    gpus = [each for each in DEVICES if each[0] != "host"]
    a = numbers((256,))
    body = """    %m = arith.constant -8 : index
    %x = arith.muli %t, %c8 : index
    %p = arith.addi %x, %m : index
    %y = arith.muli %s, %c8 : index
    %i = arith.addi %p, %y : index
    %v = memref.load %a[%i] : memref<256xi4>
    %e = arith.extsi %v : i4 to i8
    memref.store %e, %o[%t] : memref<32xi8>"""
    check("8t - 8 + 8s", lanes("%a: memref<256xi4>, %o: memref<32xi8>, %s: index", body), [("i8", (256,), a), None, 1],
          [None, ("i8", (32,), [a[8 * t] for t in range(32)])], gpus, "arg")
    body = """    %m = arith.muli %s, %c2 : index
    %w = memref.subview %a[62] [32] [%m] : memref<256xi4> to memref<32xi4, strided<[?], offset: 62>>
    %v = memref.load %w[%t] : memref<32xi4, strided<[?], offset: 62>>
    %e = arith.extsi %v : i4 to i8
    memref.store %e, %o[%t] : memref<32xi8>"""
    check("backwards", lanes("%a: memref<256xi4>, %o: memref<32xi8>, %s: index", body), [("i8", (256,), a), None, -1],
          [None, ("i8", (32,), [a[62 - 2 * t] for t in range(32)])], gpus, "arg")
    shape = (4, 128)
    a = numbers(shape)
    check("extracted", """func.func @k(%a: tensor<4x128xi4>) -> tensor<4x64xi32> {
  %e = tensor.empty() : tensor<4x64xi32>
  %r = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<4x64xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c8 = arith.constant 8 : index
    %c504 = arith.constant 504 : index
    %c65 = arith.constant 65 : index
    %x = arith.muli %j, %c8 : index
    %p = arith.subi %x, %c504 : index
    %y = arith.subi %c65, %j : index
    %z = arith.muli %y, %c8 : index
    %w = arith.addi %p, %z : index
    %v = tensor.extract %a[%i, %w] : tensor<4x128xi4>
    %n = arith.extsi %v : i4 to i32
    linalg.yield %n : i32
  } -> tensor<4x64xi32>
  return %r : tensor<4x64xi32>
}
""", [("i8", shape, a)], [("i32", (4, 64), [a[128 * i + 16] for i in range(4) for j in range(64)])])


def views():
    """Whatever says where the elements of a view are, its bytes are found."""
    a = numbers((16, 64))

    def read(name, view, kind, shape, places, devices=DEVICES):
        at, bounds, extents = ", ".join(["%c0"] * len(shape)), ", ".join(["true"] * len(shape)), "x".join(map(str, shape))
        check(name, f"""func.func @k(%a: memref<16x64xi4>, %o: memref<{extents}xi8>) {{
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i4
{view}
  %x = vector.transfer_read %w[{at}], %z {{in_bounds = [{bounds}]}} : {kind}, vector<{extents}xi4>
  %e = arith.extsi %x : vector<{extents}xi4> to vector<{extents}xi8>
  vector.transfer_write %e, %o[{at}] {{in_bounds = [{bounds}]}} : vector<{extents}xi8>, memref<{extents}xi8>
  return
}}
""", [("i8", (16, 64), a), None], [None, ("i8", shape, [a[k] for k in places])], devices, "arg")

    transposed = "memref<64x16xi4, strided<[1, 64]>>"
    transpose = f"  %v = memref.transpose %a (i, j) -> (j, i) : memref<16x64xi4> to {transposed}\n"
    read("transpose", transpose.replace("%v", "%w"), transposed, (64, 16), [64 * j + i for i in range(64) for j in range(16)])
    read("cast", transpose + f"  %w = memref.cast %v : {transposed} to memref<?x?xi4, strided<[1, 64]>>", "memref<?x?xi4, strided<[1, 64]>>", (3, 5),
         [64 * j + i for i in range(3) for j in range(5)])
    sparse = "memref<5x7xi4, strided<[21, 3], offset: 3>>"
    read("reinterpret_cast", f"  %w = memref.reinterpret_cast %a to offset: [3], sizes: [5, 7], strides: [21, 3] : memref<16x64xi4> to {sparse}", sparse, (5, 7),
         [3 + 21 * i + 3 * j for i in range(5) for j in range(7)])
    part, rows = "memref<4x4xi4, strided<[64, 1], offset: 65>>", "memref<4x8xi4, strided<[16, 1], offset: 8>>"
    read("reinterpret_cast of a subview", f"""  %v = memref.subview %a[1, 1] [4, 4] [1, 1] : memref<16x64xi4> to {part}
  %w = memref.reinterpret_cast %v to offset: [8], sizes: [4, 8], strides: [16, 1] : {part} to {rows}""", rows, (4, 8),
         [8 + 16 * i + j for i in range(4) for j in range(8)])
    read("assume_alignment", "  %w = memref.assume_alignment %a, 16 : memref<16x64xi4>", "memref<16x64xi4>", (16, 64), range(1024), DEVICES[:3])

    def load(name, shape, body, inputs, expected):
        check(name, lanes(f"%a: memref<{shape}xi4>, %o: memref<32xi8>, %n: index, %m: index",
                          body + "\n    %e = arith.extsi %v : i4 to i8\n    memref.store %e, %o[%t] : memref<32xi8>"),
              inputs, [None, ("i8", (32,), expected)], DEVICES[:3], "arg")

    # %n rows of %m by 5 each; MLIR finds the place in two dynamic dims from the metadata of the view.
    b = numbers((4, 9, 5))
    expected = [b[5 * t + t % 5] for t in range(32)]
    body = """    %c = memref.collapse_shape %w [[0, 1], [2]] : memref<?x?x5xi4> into memref<?x5xi4>
    %q = arith.remui %t, %c5 : index
    %v = memref.load %c[%t, %q] : memref<?x5xi4>"""
    load("collapse_shape", "?x?x5", body.replace("%w", "%a"), [("i8", (4, 9, 5), b), None, 4, 9], expected)
    expand = "    %w = memref.expand_shape %a [[0], [1, 2]] output_shape [%n, %m, 5] : memref<?x?xi4> into memref<?x?x5xi4>\n"
    load("collapse_shape of expand_shape", "?x?", expand + body, [("i8", (4, 45), b), None, 4, 9], expected)
    metadata = """    %b, %first, %s:2, %d:2 = memref.extract_strided_metadata %w : memref<4x4xi4, strided<[64, 2], offset: ?>> -> memref<i4>, index, index, index, index, index
    %i = arith.addi %first, %d#1 : index
    %x = memref.reinterpret_cast %b to offset: [%i], sizes: [%s#0], strides: [%d#0] : memref<i4> to memref<?xi4, strided<[?], offset: ?>>
    %q = arith.remui %t, %s#1 : index
    %v = memref.load %x[%q] : memref<?xi4, strided<[?], offset: ?>>"""
    subview = "    %w = memref.subview %a[%n, %m] [4, 4] [1, 2] : memref<16x64xi4> to memref<4x4xi4, strided<[64, 2], offset: ?>>\n"
    load("extract_strided_metadata", "16x64", subview + metadata, [("i8", (16, 64), a), None, 5, 7], [a[64 * (5 + t % 4) + 9] for t in range(32)])


def copies():
    """Of memory to memory, a byte at a time where rows are whole ones."""
    for source, target, size, isTaken in (("16x64xi4", "16x64xi4", "16x64", True), ("3x5x8xi2", "3x5x8xi2", "3x5x8", True), ("1x2xi4", "1x2xi4", "1x2", True),
                                          ("16x31xi4", "16x31xi4", "16x31", False), ("33xi4", "33xi4", "33", False), ("4x10xi2", "4x10xi2", "4x10", False)):
        shape = tuple(map(int, size.split("x")))
        a = numbers(shape, int(source[-1]))
        text = f"func.func @k(%a: memref<{source}>, %o: memref<{target}>) {{\n  memref.copy %a, %o : memref<{source}> to memref<{target}>\n  return\n}}\n"
        if isTaken:
            check(f"copy of {source}", text, [("i8", shape, a), None], [None, ("i8", shape, a)], DEVICES, "arg")
            continue
        file = options.out / "k.mlir"
        file.write_text(text)
        for target, device in (("sm_80", "ptx"), ("host", "host")):
            done = distaff("run", file, "--target", target, "--device", device)
            assert done.returncode == 1 and "share a byte, and is not known to write whole bytes" in done.stderr, f"{source}: {done.returncode} {done.stderr[:600]}"
    a = numbers((8, 33))
    check("copy of a slice", """func.func @k(%a: memref<8x33xi4>, %o: memref<8x16xi4>) {
  %s = memref.subview %a[0, 1] [8, 16] [1, 2] : memref<8x33xi4> to memref<8x16xi4, strided<[33, 2], offset: 1>>
  memref.copy %s, %o : memref<8x16xi4, strided<[33, 2], offset: 1>> to memref<8x16xi4>
  return
}
""", [("i8", (8, 33), a), None], [None, ("i8", (8, 16), [a[33 * i + 1 + 2 * j] for i in range(8) for j in range(16)])], DEVICES, "arg")


def written():
    """Lanes hold whole bytes of what they write, however few elements there are for each, and whoever laid them out."""

    def check_sum(element, shape, devices, layout=None):
        size, at, bounds = "x".join(map(str, shape)), ", ".join(["%c0"] * len(shape)), ", ".join(["true"] * len(shape))
        anchor = f"\n  %u = iree_vector_ext.to_layout %d to layout({layout}) : vector<{size}x{element}>" if layout else ""
        bits = int(element[1:])
        a = numbers(shape, bits)
        check(f"write of {size}x{element}", f"""func.func @k(%a: memref<{size}x{element}>, %o: memref<{size}x{element}>) {{
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : {element}
  %v = vector.transfer_read %a[{at}], %z {{in_bounds = [{bounds}]}} : memref<{size}x{element}>, vector<{size}x{element}>
  %d = arith.addi %v, %v : vector<{size}x{element}>{anchor}
  vector.transfer_write %{"u" if layout else "d"}, %o[{at}] {{in_bounds = [{bounds}]}} : vector<{size}x{element}>, memref<{size}x{element}>
  return
}}
""", [("i8", shape, a), None], [None, ("i8", shape, [signed(2 * v, bits) for v in a])], devices, "arg")

    for element, shape in (("i4", (2,)), ("i4", (16, 64)), ("i4", (5, 2)), ("i4", (3, 8)), ("i4", (7, 4, 6)), ("i2", (4,)), ("i2", (16, 64)), ("i2", (5, 12))):
        check_sum(element, shape, DEVICES if shape == (16, 64) else DEVICES[2:])
    for rest, each in ((8, 1), (4, 2), (1, 8)):
        check_sum("i4", (16, 64), DEVICES[:3], f"#iree_vector_ext.nested_layout<subgroup_tile = [1, 1], batch_tile = [4, {rest}], outer_tile = [1, 1], "
                  f"thread_tile = [4, 8], element_tile = [1, {each}], subgroup_strides = [0, 0], thread_strides = [8, 1]>")
    a = numbers((16, 64, 8))
    sums = [signed(sum(a[8 * i:8 * i + 8])) for i in range(1024)]
    check("sums, also transposed", """func.func @k(%a: memref<16x64x8xi4>, %o: memref<16x64xi4>, %p: memref<64x16xi4>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i4
  %zeros = arith.constant dense<0> : vector<16x64xi4>
  %v = vector.transfer_read %a[%c0, %c0, %c0], %z {in_bounds = [true, true, true]} : memref<16x64x8xi4>, vector<16x64x8xi4>
  %s = vector.multi_reduction <add>, %v, %zeros [2] : vector<16x64x8xi4> to vector<16x64xi4>
  vector.transfer_write %s, %o[%c0, %c0] {in_bounds = [true, true]} : vector<16x64xi4>, memref<16x64xi4>
  vector.transfer_write %s, %p[%c0, %c0] {in_bounds = [true, true], permutation_map = affine_map<(i, j) -> (j, i)>} : vector<16x64xi4>, memref<64x16xi4>
  return
}
""", [("i8", (16, 64, 8), a), None, None],
          [None, ("i8", (16, 64), sums), ("i8", (64, 16), [sums[64 * i + j] for j in range(64) for i in range(16)])], DEVICES[:3], "arg")


def loads_of_vectors():
    """A load that is not known to begin with a byte is of elements, also where it is aligned to 1, which says nothing."""
    a = numbers((8, 33))

    def load(name, kind, alignment, first, indices, places, element="i4", values=a, shape=(8, 33)):
        check(name, lanes(f"%a: memref<{'x'.join(map(str, shape))}x{element}>, %o: memref<32x{kind}xi8>, %n: index", f"""    %c0 = arith.constant 0 : index
{first}
    %v = vector.load %a[{indices}]{alignment} : memref<{'x'.join(map(str, shape))}x{element}>, vector<{kind}x{element}>
    %e = arith.extsi %v : vector<{kind}x{element}> to vector<{kind}xi8>
    {"vector.store %e, %o[%t, %c0] : memref<32x" + kind + "xi8>, vector<" + kind + "xi8>"}"""),
              [("i8", shape, values), None, 1], [None, ("i8", (32, int(kind)), [values[k] for t in range(32) for k in places(t)])], DEVICES[:3], "arg")

    for alignment in ("", " {alignment = 1 : i64}"):
        load("an odd row", "4", alignment, "    %r = arith.remui %t, %c8 : index", "%r, %n", lambda t: range(33 * (t % 8) + 1, 33 * (t % 8) + 5))
        load("an odd length", "3", alignment, "    %r = arith.remui %t, %c8 : index", "%r, %c2", lambda t: range(33 * (t % 8) + 2, 33 * (t % 8) + 5))
    load("words that are said to be aligned", "8", " {alignment = 4 : i64}", "    %r = arith.muli %n, %t : index\n    %s = arith.muli %r, %c8 : index", "%s",
         lambda t: range(8 * t, 8 * t + 8), values=numbers((256,)), shape=(256,))
    load("i2", "8", " {alignment = 1 : i64}", "    %s = arith.addi %t, %n : index", "%s", lambda t: range(t + 1, t + 9), "i2", numbers((64,), 2), (64,))


def transposed():
    values = numbers((64, 33))
    a, r = tensor((64, 33), "i4"), tensor((33, 64), "i4")
    check("transposition", f"""func.func @k(%a: {a}) -> {r} {{
  %e = tensor.empty() : {r}
  %r = linalg.transpose ins(%a : {a}) outs(%e : {r}) permutation = [1, 0]
  return %r : {r}
}}
""", [("i8", (64, 33), values)], [("i8", (33, 64), [values[33 * j + i] for i in range(33) for j in range(64)])])


def slices():
    """Rows of a slice begin in the middle of a byte, or end there."""
    for columns, row, column, width in ((31, 1, 0, 18), (31, 2, 1, 18), (32, 0, 0, 7), (32, 1, 2, 18), (32, 0, 1, 8)):
        values = numbers((14, columns))
        part = [values[columns * (row + i) + column + j] for i in range(9) for j in range(width)]
        a, s, r = tensor((14, columns), "i4"), tensor((9, width), "i4"), tensor((9, width), "i8")
        check("slice", f"""func.func @k(%a: {a}) -> {r} {{
  %s = tensor.extract_slice %a[{row}, {column}] [9, {width}] [1, 1] : {a} to {s}
  %r = arith.extsi %s : {s} to {r}
  return %r : {r}
}}
""", [("i8", (14, columns), values)], [("i8", (9, width), part)])


def least():
    values = numbers((6, 37))
    rows = [values[37 * i:37 * i + 37] for i in range(6)]
    check("argmin", """func.func @k(%a: tensor<6x37xi4>) -> (tensor<6xi4>, tensor<6xi32>) {
  %m = arith.constant 7 : i4
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<6xi4>
  %p = tensor.empty() : tensor<6xi32>
  %f = linalg.fill ins(%m : i4) outs(%e : tensor<6xi4>) -> tensor<6xi4>
  %g = linalg.fill ins(%z : i32) outs(%p : tensor<6xi32>) -> tensor<6xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<6x37xi4>) outs(%f, %g : tensor<6xi4>, tensor<6xi32>) {
  ^bb0(%x: i4, %v: i4, %at: i32):
    %j = linalg.index 1 : index
    %i = arith.index_cast %j : index to i32
    %c = arith.cmpi slt, %x, %v : i4
    %s = arith.select %c, %x, %v : i4
    %t = arith.select %c, %i, %at : i32
    linalg.yield %s, %t : i4, i32
  } -> (tensor<6xi4>, tensor<6xi32>)
  return %r#0, %r#1 : tensor<6xi4>, tensor<6xi32>
}
""", [("i8", (6, 37), values)], [("i8", (6,), [min(row) for row in rows]), ("i32", (6,), [row.index(min(row)) for row in rows])])


def product():
    weights = numbers((128, 256))
    x = [RANDOM.randint(-4, 4) for _ in range(32 * 128)]
    expected = [float(sum(x[128 * i + k] * weights[256 * k + j] for k in range(128))) for i in range(32) for j in range(256)]
    check("product", """func.func @k(%x: tensor<32x128xf16>, %w: tensor<128x256xi4>) -> tensor<32x256xf32> {
  %e = tensor.empty() : tensor<128x256xf16>
  %d = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel", "parallel"]}
      ins(%w : tensor<128x256xi4>) outs(%e : tensor<128x256xf16>) {
  ^bb0(%a: i4, %u: f16):
    %f = arith.sitofp %a : i4 to f16
    linalg.yield %f : f16
  } -> tensor<128x256xf16>
  %z = arith.constant 0.0 : f32
  %o = tensor.empty() : tensor<32x256xf32>
  %c = linalg.fill ins(%z : f32) outs(%o : tensor<32x256xf32>) -> tensor<32x256xf32>
  %r = linalg.matmul ins(%x, %d : tensor<32x128xf16>, tensor<128x256xf16>) outs(%c : tensor<32x256xf32>) -> tensor<32x256xf32>
  return %r : tensor<32x256xf32>
}
""", [("f16", (32, 128), x), ("i8", (128, 256), weights)], [("f32", (32, 256), expected)],
          [*DEVICES[2:], ("sm_80", "ptx", "--pipeline=run-cluster")])


def launch(file):
    """The flags of a launch of the PTX of a kernel on one grid."""
    text = distaff("compile", file, "--target", "sm_80", "--stop-after=lower").stdout
    sizes = {name: re.search(rf"known_{name}_size = array<i32: (\d+), 1, 1>", text) for name in ("grid", "block")}
    return [f"--{name}={match.group(1) if match else 1}" for name, match in sizes.items()]


def bytes_in_memory():
    """Emitted PTX is given bytes: nothing but the kernel takes them apart."""
    file, ptx, out = options.out / "k.mlir", options.out / "k.ptx", options.out / "out.npy"
    data = [RANDOM.getrandbits(8) for _ in range(8)]
    given = npy.write(options.out / "bytes.npy", "f8E5M2", (8,), data)
    for element, bits in (("i4", 4), ("i2", 2)):
        shape = (64 // bits,)
        file.write_text(elementwise(shape, element, "i32", f"    %y = arith.extui %x : {element} to i32"))
        assert distaff("compile", file, "--target", "sm_80", "--emit", "ptx", "-o", ptx).returncode == 0
        done = distaff("run", ptx, "--target", "sm_80", *launch(file), f"--input=arg0={given}", f"--shape=arg1={shape[0]}xi32", f"--output=arg1={out}")
        assert done.returncode == 0, done.stderr
        expected = [byte >> at & (1 << bits) - 1 for byte in data for at in range(0, 8, bits)]
        assert npy.read(out, "i32") == expected, f"{npy.read(out, 'i32')}, not {expected}"
    done = distaff("run", ptx, "--target", "sm_80", *launch(file), "--shape=arg0=32xi2", "--shape=arg1=32xi32")
    assert done.returncode == 2 and "32xi2 is of i2, of which several share a byte; give the shape of their bytes, of i8" in done.stderr, done.stderr
    # Whole bytes are read as such, and no others: two words are all that there is.
    file.write_text(elementwise((4096,), "i4", "f32", "    %y = arith.sitofp %x : i4 to f32"))
    text = distaff("compile", file, "--target", "sm_80", "--emit", "ptx").stdout
    assert "ld.global.b8" not in text and "ld.global" in text, text
    # The upper half of the last byte is zeros.
    file.write_text("func.func @k(%a: tensor<3xi4>) -> tensor<3xi4> { return %a : tensor<3xi4> }\n")
    assert distaff("compile", file, "--target", "sm_80", "--emit", "ptx", "-o", ptx).returncode == 0
    npy.write(given, "f8E5M2", (2,), [0x21, 0xF3])
    done = distaff("run", ptx, "--target", "sm_80", *launch(file), f"--input=arg0={given}", "--shape=arg1=2xi8", f"--output=arg1={out}")
    assert done.returncode == 0 and npy.read(out, "i8") == [0x21, 0x03], f"{done.stderr}{npy.read(out, 'i8')}"
    header = distaff("compile", file, "--target", "host", "--emit", "header").stdout
    assert "begin at any element, those of several per byte at\n * any byte;" in header
    assert "arg0: i4[3], 2 per byte, the first lowest" in header and "const uint8_t *arg0" in header, header


def files():
    """One number per byte, as bytes of either sign or as ml_dtypes saves them."""
    file = options.out / "k.mlir"
    file.write_text(elementwise((3,), "i4", "i8", "    %y = arith.extsi %x : i4 to i8"))
    path, out = options.out / "in.npy", options.out / "out.npy"

    def run(descr, data):
        head = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': (3,), }}".ljust(117) + "\n"
        path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data)
        out.unlink(missing_ok=True)
        return distaff("run", file, "--target", "sm_80", f"--input=arg0={path}", f"--output=res0={out}")

    for descr, data in (("|i1", bytes([0xF8, 7, 0xFF])), ("|u1", bytes([8, 7, 15])), ("<V1", bytes([8, 7, 15])), ("|V1", bytes([0xF8, 7, 0xFF]))):
        done = run(descr, data)
        assert done.returncode == 0 and npy.read(out, "i8") == [-8, 7, -1], f"{descr}: {done.stderr}"
    for descr, data, says in (("|i1", bytes([0, 0xF7, 0]), "holds -9 at element 1 of its rows, the kernel takes i4, of -8 to 15"),
                              ("|u1", bytes([0, 1, 255]), "holds 255 at element 2 of its rows"),
                              ("<V1", bytes([16, 0, 0]), "holds 16 at element 0 of its rows"),
                              ("|b1", bytes(3), "holds dtype '|b1', the kernel takes i4, of which a file has one per byte ('|i1', '|u1' or '|V1')")):
        done = run(descr, data)
        assert done.returncode == 2 and says in done.stderr and not out.exists(), f"{descr}: {done.returncode} {done.stderr}"


def refused():
    """What would let lanes race for a byte is refused by whoever is asked, in the same words."""
    file = options.out / "k.mlir"
    says = "op writes to an array of 'i4', of which 2 share a byte, and is not known to write whole bytes"
    file.write_text("""func.func @k(%a: memref<4x33xi4>, %b: memref<4x33xi4>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i4
  %v = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<4x33xi4>, vector<4x33xi4>
  vector.transfer_write %v, %b[%c0, %c0] {in_bounds = [true, true]} : vector<4x33xi4>, memref<4x33xi4>
  return
}
""")
    for target, *command in (("sm_80", "compile", "--emit", "ptx"), ("sm_80", "compile", "--emit", "package"), ("gfx942", "compile", "--emit", "gcn"),
                             ("host", "compile", "--emit", "obj"), ("sm_80", "run"), ("sm_80", "run", "--device", "ptx"), ("gfx942", "run"),
                             ("host", "run", "--device", "host")):
        done = distaff(*command, file, "--target", target, *(["-o", options.out / "never"] if command[0] == "compile" else []))
        assert done.returncode == 1 and says in done.stderr and not (options.out / "never").exists(), f"{command}: {done.returncode} {done.stderr[:600]}"
    # An even row is whole bytes of whoever holds it whole.
    file.write_text(file.read_text().replace("33", "32"))
    assert distaff("run", file, "--target", "host", "--device", "host", "--check").returncode == 0
    for element in ("i2", "i4"):
        tile = f"tensor<16x16x{element}>"
        # Phases of vectors write what vector-distribute writes, whole bytes.
        for text in (elementwise((3, 5), element, element, f"    %y = arith.addi %x, %x : {element}"), f"""func.func @k(%a: {tile}, %b: {tile}, %c: {tile}) -> {tile} {{
  %r = linalg.matmul ins(%a, %b : {tile}, {tile}) outs(%c : {tile}) -> {tile}
  return %r : {tile}
}}
"""):
            file.write_text(text)
            done = distaff("run", file, "--target", "sm_80", "--pipeline=run-cluster", "--check")
            assert done.returncode == 0, done.stderr


def marked_unpacked():
    """An array that is marked so has an element per byte for whoever launches the kernel, also one of several."""
    file = options.out / "k.mlir"
    shape = (3, 5)
    a = numbers(shape)
    doubled = [signed(2 * v) for v in a]
    check("unpacked memrefs", """func.func @k(%a: memref<3x5xi4> {iree.abi.unpacked}, %o: memref<3x5xi4> {iree.abi.unpacked}) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0 : i4
  %v = vector.transfer_read %a[%c0, %c0], %z {in_bounds = [true, true]} : memref<3x5xi4>, vector<3x5xi4>
  %d = arith.addi %v, %v : vector<3x5xi4>
  vector.transfer_write %d, %o[%c0, %c0] {in_bounds = [true, true]} : vector<3x5xi4>, memref<3x5xi4>
  return
}
""", [("i8", shape, a), None], [None, ("i8", shape, doubled)], DEVICES, "arg")
    check("one packed result of two", """func.func @k(%a: tensor<3x5xi4> {iree.abi.unpacked}, %b: tensor<3x5xi4>) -> (tensor<3x5xi4> {iree.abi.unpacked}, tensor<3x5xi4>) {
  %s = arith.addi %a, %b : tensor<3x5xi4>
  %d = arith.subi %a, %b : tensor<3x5xi4>
  return %s, %d : tensor<3x5xi4>, tensor<3x5xi4>
}
""", [("i8", shape, a), ("i8", shape, a)], [("i8", shape, doubled), ("i8", shape, [0] * 15)])
    header = distaff("compile", file, "--target", "host", "--emit", "header").stdout
    for says in ("arg0: i4[3][5], 1 per byte, zeros above it", "arg1: i4[3][5], 2 per byte, the first lowest",
                 "res0: i4[3][5], 1 per byte, zeros above it", "res1: i4[3][5], 2 per byte, the first lowest"):
        assert says in header, header
    package = options.out / "k.package"
    done = distaff("compile", file, "--target", "sm_80", "--emit", "package", "-o", package)
    assert done.returncode == 0 and package.read_bytes().count(b'"unpacked":true') == 2, done.stderr
    # A launch of a sequence, by itself.
    file.write_text("""func.func @k(%a: tensor<?x3xi4>, %s: i4) -> tensor<?x3xi4> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x3xi4>
  %b = tensor.splat %s[%n] : tensor<?x3xi4>
  %r = arith.addi %a, %b : tensor<?x3xi4>
  return %r : tensor<?x3xi4>
}
""")
    for target, device in (("host", "host"), ("sm_80", "ptx")):
        parts, out = options.out / "parts.mlir", options.out / "out.npy"
        parts.write_text(distaff("compile", file, "--target", target, "--stop-after=configure").stdout)
        a = numbers((7, 3))
        given = npy.write(options.out / "in.npy", "i8", (7, 3), a)
        done = distaff("run", parts, "--target", target, "--device", device, "--func=k__0", f"--input=arg0={given}", "--input=arg1=-3", f"--output=res0={out}")
        assert done.returncode == 0 and npy.read(out, "i8") == [signed(v - 3) for v in a], done.stderr
        done = distaff("run", parts, "--target", target, "--device", device, "--func=k__1", f"--input=arg0={given}", f"--output=res0={out}")
        packed = [v & 15 for v in a] + [0]
        assert done.returncode == 0 and npy.read(out, "f8E5M2") == [packed[i] | packed[i + 1] << 4 for i in range(0, 22, 2)], done.stderr


def explained():
    """The launch that writes bytes is one of those that are explained, and takes an element per byte."""
    file = options.out / "k.mlir"
    file.write_text(elementwise((13, 7), "f32", "i4", "    %y = arith.fptosi %x : f32 to i4"))
    done = distaff("explain", file, "--target", "sm_80")
    assert done.returncode == 0 and "explain @k__0" in done.stdout and "explain @k__1" in done.stdout, done.stdout + done.stderr
    assert re.search(r"launches of @k: 2 launches: linalg.generic line \d+ \| linalg.generic line \d+ for the bytes of res0 ", done.stdout), done.stdout
    done = distaff("compile", file, "--target", "sm_80", "--stop-after=convert")
    assert done.stdout.count("iree.abi.unpacked") == 2, done.stdout


for part in (reads, writes, negative_terms, views, copies, loads_of_vectors, written, transposed, slices, least, product, bytes_in_memory, files, refused, marked_unpacked, explained):
    part()
