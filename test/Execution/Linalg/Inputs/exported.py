"""Forms that exporters write: constants as blobs behind the module, assertions and branches in the bodies of linalg.generic,
gathers whose positions have dimensions of extent 1, scalars in memory, packed layouts, pads by numbers of the launch.

Values are from plain Python; each kernel runs on every stage of two GPUs, on the PTX machine and on this CPU."""
import itertools
import math
import random
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

DEVICES = [("sm_80", "simt"), ("sm_80", "ptx"), ("gfx942", "simt"), ("host", "host")]


class Case:
    """A kernel; `inputs` and `results` are (element, shape, values), a scalar has the shape None."""

    def __init__(self, name, text, inputs, results):
        self.name, self.text, self.inputs, self.results = name, text, inputs, results


def label(shape, element):
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{element}>"


def whole(shape, low, high, seed=1):
    numbers = random.Random(seed)
    return [numbers.randint(low, high) for _ in range(math.prod(shape))]


def places(shape):
    return itertools.product(*map(range, shape))


def at(values, shape, place):
    index = 0
    for extent, i in zip(shape, place):
        index = index * extent + i
    return values[index]


def blob(data, alignment=4):
    return f'{{-# dialect_resources: {{ builtin: {{ w: "0x{(struct.pack("<I", alignment) + data).hex()}" }} }} #-}}\n'


# Constants as blobs: element, the values, the bytes, how a value becomes an f32.
def resources():
    floats = [1.0, -2.0, 0.5, 96.0, -0.25, 3.0, 4.0]
    numbers = [1, -2, 100, 0, -128, 127, 5]
    bits = [1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 1]
    nibbles = [1, -8, 7, 0, -1, 3, -5]
    to_f32 = {"i": "arith.sitofp %w : {e} to f32", "f": "arith.extf %w : {e} to f32", "b": "arith.uitofp %w : {e} to f32"}
    for name, element, values, data in [
            ("f32", "f32", floats, npy.to_bytes(floats, "f32")), ("f16", "f16", floats, npy.to_bytes(floats, "f16")),
            ("bf16", "bf16", floats, npy.to_bytes(floats, "bf16")), ("f64", "f64", floats, npy.to_bytes(floats, "f64")),
            ("i8", "i8", numbers, npy.to_bytes(numbers, "i8")), ("i16", "i16", numbers, npy.to_bytes(numbers, "i16")),
            ("i32", "i32", numbers, npy.to_bytes(numbers, "i32")), ("i64", "i64", numbers, npy.to_bytes(numbers, "i64")),
            ("bits_in_bytes", "i1", bits, bytes(bits)),
            ("packed_bits", "i1", bits, bytes(sum(bit << i for i, bit in enumerate(bits[at:at + 8])) for at in (0, 8))),
            # What a byte has beyond the element is nothing of it.
            ("nibbles_in_bytes", "i4", nibbles, bytes(value & 255 for value in nibbles)),
            ("packed_nibbles", "i4", nibbles, bytes((nibbles + [0])[i] & 15 | ((nibbles + [0])[i + 1] & 15) << 4 for i in range(0, 8, 2))),
            ("splat", "f32", [2.5] * 7, npy.to_bytes([2.5] * 7, "f32")),
            # Larger than what the text of PTX has.
            ("large", "f32", [i % 251 - 100.0 for i in range(1500)], npy.to_bytes([i % 251 - 100.0 for i in range(1500)], "f32"))]:
        cast = {"f32": "arith.addf %w, %zero : f32", "f64": "arith.truncf %w : f64 to f32"}.get(
            element, to_f32["b" if element == "i1" else "i" if element[0] == "i" else "f"].format(e=element))
        shape, x = [len(values)], whole([len(values)], -9, 9)
        yield Case(f"resource_{name}", f"""#m = affine_map<(d0) -> (d0)>
func.func @f(%x: {label(shape, 'f32')}) -> {label(shape, 'f32')} {{
  %c = arith.constant dense_resource<w> : {label(shape, element)}
  %e = tensor.empty() : {label(shape, 'f32')}
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {{indexing_maps = [#m, #m, #m], iterator_types = ["parallel"]}}
      ins(%x, %c : {label(shape, 'f32')}, {label(shape, element)}) outs(%e : {label(shape, 'f32')}) {{
  ^bb0(%in: f32, %w: {element}, %out: f32):
    %v = {cast}
    %y = arith.addf %in, %v : f32
    linalg.yield %y : f32
  }} -> {label(shape, 'f32')}
  return %r : {label(shape, 'f32')}
}}
{blob(data, 8 if element in ("f64", "i64") else 4)}""", [("f32", shape, x)], [("f32", shape, [a + b for a, b in zip(x, values)])])


def weighted_product():
    """The weight of a linear layer, two readers of one blob."""
    w = [float(i * 7 % 13 - 6) for i in range(37 * 40)]
    x = whole([5, 37], -3, 3)
    product = [sum(x[i * 37 + k] * w[k * 40 + j] for k in range(37)) for i in range(5) for j in range(40)]
    result = [product[i * 40 + j] + w[3 * 40 + j] for i in range(5) for j in range(40)]
    yield Case("resource_linear", f"""#row = affine_map<(d0, d1) -> (d1)>
#m = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%x: tensor<5x37xf32>) -> tensor<5x40xf32> {{
  %w = arith.constant dense_resource<w> : tensor<37x40xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x40xf32>
  %s = linalg.fill ins(%zero : f32) outs(%e : tensor<5x40xf32>) -> tensor<5x40xf32>
  %p = linalg.matmul ins(%x, %w : tensor<5x37xf32>, tensor<37x40xf32>) outs(%s : tensor<5x40xf32>) -> tensor<5x40xf32>
  %b = tensor.extract_slice %w[3, 0] [1, 40] [1, 1] : tensor<37x40xf32> to tensor<40xf32>
  %r = linalg.generic {{indexing_maps = [#m, #row, #m], iterator_types = ["parallel", "parallel"]}}
      ins(%p, %b : tensor<5x40xf32>, tensor<40xf32>) outs(%e : tensor<5x40xf32>) {{
  ^bb0(%a: f32, %c: f32, %out: f32):
    %y = arith.addf %a, %c : f32
    linalg.yield %y : f32
  }} -> tensor<5x40xf32>
  return %r : tensor<5x40xf32>
}}
{blob(npy.to_bytes(w, "f32"))}""", [("f32", [5, 37], x)], [("f32", [5, 40], result)])


def embedding(name, index_shape, index_map, rows, dynamic=False):
    """A gather of rows of 16 with its assertions, as torch-mlir writes it; tiles leave a part past the end."""
    count = math.prod(index_shape)
    table, index = whole([100, 16], -99, 99), whole(index_shape, 0, 99)
    shape = "?" if dynamic else count
    result = f"tensor<{shape}x16xf32>"
    ints = f"tensor<{'?' if dynamic else 'x'.join(map(str, index_shape))}xi64>"
    empty = ("%dim = tensor.dim %i, %c0 : " + ints + "\n  %e = tensor.empty(%dim) : " if dynamic else "%e = tensor.empty() : ") + result
    yield Case(name, f"""#place = affine_map<{index_map}>
#m = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%i: {ints}, %t: tensor<100x16xf32>) -> {result} {{
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %end = arith.constant 100 : index
  {empty}
  %r = linalg.generic {{indexing_maps = [#place, #m], iterator_types = ["parallel", "parallel"]}} ins(%i : {ints}) outs(%e : {result}) {{
  ^bb0(%in: i64, %out: f32):
    %row = arith.index_cast %in : i64 to index
    %column = linalg.index 1 : index
    %below = arith.cmpi slt, %row, %end : index
    cf.assert %below, "index must be smaller than dim size"
    %above = arith.cmpi sge, %in, %zero : i64
    cf.assert %above, "index must be larger or equal to 0"
    %x = tensor.extract %t[%row, %column] : tensor<100x16xf32>
    linalg.yield %x : f32
  }} -> {result}
  return %r : {result}
}}
""", [("i64", index_shape, index), ("f32", [100, 16], table)], [("f32", [count, 16], [table[i * 16 + j] for i in index for j in range(16)])])


def assertions():
    yield from embedding("embedding", [7], "(d0, d1) -> (d0)", 7)
    yield from embedding("embedding_dynamic", [37], "(d0, d1) -> (d0)", 37, dynamic=True)
    yield from embedding("embedding_of_a_unit_row", [1, 7], "(d0, d1) -> (0, d0)", 7)
    yield from embedding("embedding_of_one", [1, 1], "(d0, d1) -> (0, 0)", 1)
    # Nothing holds beyond the extents, where inputs are read as zeros.
    x = [v or 1 for v in whole([45], -50, 50)]
    yield Case("assertion_that_zeros_fail", """#m = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<45xi32>) -> tensor<45xi32> {
  %zero = arith.constant 0 : i32
  %n = arith.constant 1000 : i32
  %e = tensor.empty() : tensor<45xi32>
  %r = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel"]} ins(%x : tensor<45xi32>) outs(%e : tensor<45xi32>) {
  ^bb0(%in: i32, %out: i32):
    %ok = arith.cmpi ne, %in, %zero : i32
    cf.assert %ok, "no division by zero"
    %y = arith.divsi %n, %in : i32
    linalg.yield %y : i32
  } -> tensor<45xi32>
  return %r : tensor<45xi32>
}
""", [("i32", [45], x)], [("i32", [45], [int(1000 / v) for v in x])])


def branch_around_a_quotient():
    """Neither 0 nor -1 of the least number divides where the other side is taken."""
    lowest = -2**31
    x = [lowest if i % 5 == 0 else v for i, v in enumerate(whole([37], -100, 100))]
    d = [-1 if i % 10 == 0 else i % 7 - 3 for i in range(37)]
    divides = lambda a, b: b != 0 and not (b == -1 and a == lowest)
    quotient = lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    yield Case("branch_around_a_quotient", """#m = affine_map<(d0) -> (d0)>
func.func @f(%a: tensor<37xi32>, %b: tensor<37xi32>) -> tensor<37xi32> {
  %zero = arith.constant 0 : i32
  %minus = arith.constant -1 : i32
  %low = arith.constant -2147483648 : i32
  %e = tensor.empty() : tensor<37xi32>
  %r = linalg.generic {indexing_maps = [#m, #m, #m], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<37xi32>, tensor<37xi32>) outs(%e : tensor<37xi32>) {
  ^bb0(%x: i32, %d: i32, %out: i32):
    %n0 = arith.cmpi ne, %d, %zero : i32
    %n1 = arith.cmpi ne, %d, %minus : i32
    %nl = arith.cmpi ne, %x, %low : i32
    %f = arith.ori %n1, %nl : i1
    %ok = arith.andi %n0, %f : i1
    %q = scf.if %ok -> i32 {
      %v = arith.divsi %x, %d : i32
      cf.assert %n0, "a divisor"
      scf.yield %v : i32
    } else {
      scf.yield %x : i32
    }
    linalg.yield %q : i32
  } -> tensor<37xi32>
  return %r : tensor<37xi32>
}
""", [("i32", [37], x), ("i32", [37], d)], [("i32", [37], [quotient(a, b) if divides(a, b) else a for a, b in zip(x, d)])])


def branch_that_reads():
    left, right = whole([6, 20], -9, 9), whole([6, 11], -9, 9, 2)
    both = [left[i * 20 + j] if j < 20 else right[i * 11 + j - 20] for i in range(6) for j in range(31)]
    yield Case("branch_that_concatenates", """#m = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%a: tensor<6x20xf32>, %b: tensor<6x11xf32>) -> tensor<6x31xf32> {
  %n = arith.constant 20 : index
  %e = tensor.empty() : tensor<6x31xf32>
  %r = linalg.generic {indexing_maps = [#m], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<6x31xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %n : index
    %x = scf.if %first -> f32 {
      %v = tensor.extract %a[%i, %j] : tensor<6x20xf32>
      scf.yield %v : f32
    } else {
      %k = arith.subi %j, %n : index
      %v = tensor.extract %b[%i, %k] : tensor<6x11xf32>
      scf.yield %v : f32
    }
    linalg.yield %x : f32
  } -> tensor<6x31xf32>
  return %r : tensor<6x31xf32>
}
""", [("f32", [6, 20], left), ("f32", [6, 11], right)], [("f32", [6, 31], both)])


def branch_in_a_branch():
    y = whole([50], -20, 20)

    def nested(v):
        return ((v % 3 if v > 10 else 100 // v), v) if v > 0 else (7, -v)

    yield Case("branch_in_a_branch", """#m = affine_map<(d0) -> (d0)>
func.func @f(%a: tensor<50xi32>) -> (tensor<50xi32>, tensor<50xi32>) {
  %zero = arith.constant 0 : i32
  %ten = arith.constant 10 : i32
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  %hundred = arith.constant 100 : i32
  %e = tensor.empty() : tensor<50xi32>
  %r:2 = linalg.generic {indexing_maps = [#m, #m, #m], iterator_types = ["parallel"]} ins(%a : tensor<50xi32>) outs(%e, %e : tensor<50xi32>, tensor<50xi32>) {
  ^bb0(%x: i32, %o0: i32, %o1: i32):
    %positive = arith.cmpi sgt, %x, %zero : i32
    %q:2 = scf.if %positive -> (i32, i32) {
      %large = arith.cmpi sgt, %x, %ten : i32
      %v = scf.if %large -> i32 {
        %u = arith.remui %x, %three : i32
        scf.yield %u : i32
      } else {
        %u = arith.divui %hundred, %x : i32
        scf.yield %u : i32
      }
      scf.yield %v, %x : i32, i32
    } else {
      %n = arith.subi %zero, %x : i32
      scf.yield %seven, %n : i32, i32
    }
    linalg.yield %q#0, %q#1 : i32, i32
  } -> (tensor<50xi32>, tensor<50xi32>)
  return %r#0, %r#1 : tensor<50xi32>, tensor<50xi32>
}
""", [("i32", [50], y)], [("i32", [50], [nested(v)[0] for v in y]), ("i32", [50], [nested(v)[1] for v in y])])


def scalars_in_memory():
    """Of rank 0: as an offset, a condition, and beside the elements."""
    cache, new = whole([12, 5], -9, 9), whole([2, 5], 10, 19)
    for place in (0, 7, 10):
        updated = [new[(i - place) * 5 + j] if place <= i < place + 2 else cache[i * 5 + j] for i in range(12) for j in range(5)]
        yield Case(f"offset_in_memory_{place}", """func.func @main(%x: tensor<12x5xf32>, %n: tensor<2x5xf32>, %t: tensor<i32>) -> tensor<12x5xf32> {
  %s = tensor.extract %t[] : tensor<i32>
  %i = arith.index_cast %s : i32 to index
  %r = tensor.insert_slice %n into %x[%i, 0] [2, 5] [1, 1] : tensor<2x5xf32> into tensor<12x5xf32>
  return %r : tensor<12x5xf32>
}
""", [("f32", [12, 5], cache), ("f32", [2, 5], new), ("i32", [], [place])], [("f32", [12, 5], updated)])
    x = whole([4, 33], -9, 9)
    for yes in (0, 1):
        yield Case(f"condition_in_memory_{yes}", """#m = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<4x33xf32>, %t: tensor<i1>, %k: tensor<f32>) -> tensor<4x33xf32> {
  %go = tensor.extract %t[] : tensor<i1>
  %s = tensor.extract %k[] : tensor<f32>
  %e = tensor.empty() : tensor<4x33xf32>
  %r = scf.if %go -> tensor<4x33xf32> {
    %y = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x33xf32>) outs(%e : tensor<4x33xf32>) {
    ^bb0(%in: f32, %out: f32):
      %v = arith.mulf %in, %s : f32
      linalg.yield %v : f32
    } -> tensor<4x33xf32>
    scf.yield %y : tensor<4x33xf32>
  } else {
    scf.yield %x : tensor<4x33xf32>
  }
  return %r : tensor<4x33xf32>
}
""", [("f32", [4, 33], x), ("i1", [], [yes]), ("f32", [], [3.0])], [("f32", [4, 33], [3 * v if yes else v for v in x])])
    # One that another op of the kernel computes.
    total = sum(x[:33])
    yield Case("computed_scalar_in_memory", """#m = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>
func.func @f(%x: tensor<33xf32>) -> tensor<33xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [#m, #all], iterator_types = ["reduction"]} ins(%x : tensor<33xf32>) outs(%s0 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.addf %in, %out : f32
    linalg.yield %v : f32
  } -> tensor<f32>
  %s = tensor.extract %sum[] : tensor<f32>
  %e = tensor.empty() : tensor<33xf32>
  %r = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel"]} ins(%x : tensor<33xf32>) outs(%e : tensor<33xf32>) {
  ^bb0(%in: f32, %out: f32):
    %v = arith.subf %in, %s : f32
    linalg.yield %v : f32
  } -> tensor<33xf32>
  return %r : tensor<33xf32>
}
""", [("f32", [33], x[:33])], [("f32", [33], [v - total for v in x[:33]])])


def packs():
    """Tiles that divide and not, outer dims in another order, tiles of 1, dims that are not tiled, extents of the launch."""
    for name, shape, dims, tiles, order, pads, dynamic in [
            ("even", [64, 64], [0, 1], [8, 16], None, False, []), ("padded", [13, 21], [0, 1], [8, 4], None, True, []),
            ("transposed", [13, 21], [1, 0], [4, 8], [1, 0], True, []), ("unit_tiles", [5, 6], [0, 1], [1, 3], None, False, []),
            ("one_of_three", [3, 10, 7], [1], [4], [2, 0, 1], True, []), ("one_element", [1, 1], [0, 1], [2, 2], None, True, []),
            ("dynamic", [13, 21], [0, 1], [8, 4], [1, 0], True, [0, 1]), ("dynamic_even", [16, 20], [0, 1], [8, 4], None, False, [0])]:
        rank, values = len(shape), whole(shape, -99, 99)
        counts = [-(-shape[d] // (tiles[dims.index(d)] if d in dims else 1)) for d in range(rank)]
        order = order or list(range(rank))
        packed_shape = [counts[d] for d in order] + tiles
        packed = []
        for place in places(packed_shape):
            where = [0] * rank
            for position, d in enumerate(order):
                where[d] = place[position]
            for number, d in enumerate(dims):
                where[d] = where[d] * tiles[number] + place[rank + number]
            packed.append(at(values, shape, where) if all(w < e for w, e in zip(where, shape)) else -7)
        mark = lambda extents, axes: "".join(f"{'?' if i in axes else e}x" for i, e in enumerate(extents))
        source = f"tensor<{mark(shape, dynamic)}f32>"
        target = f"tensor<{mark(packed_shape, [order.index(d) for d in dynamic])}f32>"
        lines, sizes = [], {}
        for d in dynamic:
            tile = tiles[dims.index(d)]
            lines += [f"%i{d} = arith.constant {d} : index", f"%d{d} = tensor.dim %s, %i{d} : {source}",
                      f"%n{d} = affine.apply affine_map<()[s0] -> (s0 ceildiv {tile})>()[%d{d}]"]
            sizes[order.index(d)] = f"%n{d}"
        empty = f"%e = tensor.empty({', '.join(sizes[i] for i in sorted(sizes))}) : {target}"
        attributes = f"outer_dims_perm = {order} inner_dims_pos = {dims} inner_tiles = {tiles}"
        body = "\n  ".join([*lines, empty])
        yield Case(f"pack_{name}", f"""func.func @f(%s: {source}) -> {target} {{
  %p = arith.constant -7.0 : f32
  {body}
  %r = linalg.pack %s {'padding_value(%p : f32) ' if pads else ''}{attributes} into %e : {source} -> {target}
  return %r : {target}
}}
""", [("f32", shape, values)], [("f32", packed_shape, packed)])
        if not dynamic:
            yield Case(f"unpack_{name}", f"""func.func @f(%s: {target}) -> {source} {{
  %e = tensor.empty() : {source}
  %r = linalg.unpack %s {attributes} into %e : {target} -> {source}
  return %r : {source}
}}
""", [("f32", packed_shape, packed)], [("f32", shape, values)])


def pads():
    values = whole([4, 5], -9, 9)
    for low, high in ((3, 2), (0, 5), (5, 0)):
        padded = [values[i * 5 + j - low] if low <= j < low + 5 else -7 for i in range(4) for j in range(10)]
        yield Case(f"pad_by_numbers_of_the_launch_{low}", """func.func @f(%a: tensor<4x5xf32>, %low: index, %high: index) -> tensor<4x10xf32> {
  %c = arith.constant -7.0 : f32
  %r = tensor.pad %a low[0, %low] high[0, %high] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : f32
  } : tensor<4x5xf32> to tensor<4x10xf32>
  return %r : tensor<4x10xf32>
}
""", [("f32", [4, 5], values), ("i64", None, [low]), ("i64", None, [high])], [("f32", [4, 10], padded)])


def prepare(case, folder):
    folder.mkdir(exist_ok=True)
    (folder / "kernel.mlir").write_text(case.text)
    for number, (element, shape, values) in enumerate(case.inputs):
        if shape is not None:
            npy.write(folder / f"arg{number}.npy", element, shape, values)


def differences(case, paths):
    for path, (element, _, wanted) in zip(paths, case.results):
        given = npy.read(path, element)
        path.unlink()
        if given != [type(a)(b) for a, b in zip(given, wanted)] or len(given) != len(wanted):
            return f"{path.name} is {given[:40]}, expected {wanted[:40]}"
    return None


def run(case, target, device, chosen):
    name, folder = f"{case.name}_{target}_{device}", chosen.out / case.name
    paths = [folder / f"{target}_{device}_res{number}.npy" for number in range(len(case.results))]
    inputs = [f"--input=arg{number}={values[0] if shape is None else folder / f'arg{number}.npy'}" for number, (_, shape, values) in enumerate(case.inputs)]
    outputs = [f"--output=res{number}={path}" for number, path in enumerate(paths)]
    command = [chosen.distaff, "run", folder / "kernel.mlir", "--target", target, *inputs, *outputs, "--check",
               *(["--every-stage"] if device == "simt" else ["--device", device])]
    return suite.Run(name, command, prepare=lambda: prepare(case, folder), after=lambda: differences(case, paths), compares=device == "simt")


if __name__ == "__main__":
    chosen = suite.options()
    cases = [*resources(), *weighted_product(), *assertions(), *branch_around_a_quotient(), *branch_that_reads(), *branch_in_a_branch(), *scalars_in_memory(), *packs(), *pads()]
    suite.main([run(case, target, device, chosen) for case in cases for target, device in DEVICES], chosen, one_in=11)
