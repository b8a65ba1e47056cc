"""Tiles that meet ends of tensors where a user's tiles, two axes or a dynamic extent make it hard.

usage: tile_edges.py OUT_DIR [options of suite.py]
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite


def elementwise(shape, workgroup, reduction, result="(i,j)"):
    """exp of a tensor of two dims, tiled as the lists say."""
    rows, columns = shape
    kept = result == "(i,j)"
    written = f"{rows}x{columns}" if kept else f"{columns}x{rows}"
    read = "(i,j)" if kept else "(j,i)"
    return f"""func.func @k(%x: tensor<{rows}x{columns}xf32>) -> tensor<{written}xf32> {{
  %e = tensor.empty() : tensor<{written}xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(i,j)->{read}>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel", "parallel"],
      lowering_config = #iree_gpu.lowering_config<{{workgroup = {workgroup}, reduction = {reduction}}}>}} ins(%x : tensor<{rows}x{columns}xf32>) outs(%e : tensor<{written}xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %c = math.exp %a : f32
    linalg.yield %c : f32 }} -> tensor<{written}xf32>
  return %r : tensor<{written}xf32>
}}"""


def read_by(expressions, shape, loops):
    """exp of what two loops read at computed places."""
    return f"""func.func @k(%x: tensor<{shape}xf32>) -> tensor<{loops}xf32> {{
  %e = tensor.empty() : tensor<{loops}xf32>
  %r = linalg.generic {{indexing_maps = [affine_map<(i,j)->({expressions})>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel", "parallel"]}}
      ins(%x : tensor<{shape}xf32>) outs(%e : tensor<{loops}xf32>) {{
  ^bb0(%a: f32, %o: f32):
    %c = math.exp %a : f32
    linalg.yield %c : f32 }} -> tensor<{loops}xf32>
  return %r : tensor<{loops}xf32>
}}"""


def maximum(element, start):
    return f"""func.func @k(%x: tensor<13x45x{element}>) -> tensor<13x{element}> {{
  %z = arith.constant {start} : {element}
  %e = tensor.empty() : tensor<13x{element}>
  %a = linalg.fill ins(%z : {element}) outs(%e : tensor<13x{element}>) -> tensor<13x{element}>
  %r = linalg.reduce {{ arith.maximumf }} ins(%x : tensor<13x45x{element}>) outs(%a : tensor<13x{element}>) dimensions = [1]
  return %r : tensor<13x{element}>
}}"""


def kept(shape, dim):
    """exp of a tensor, which is a result itself, and its sums along a dim."""
    rest = shape.split("x")[1 - dim]
    tensor, sums = f"tensor<{shape}xf32>", f"tensor<{rest}xf32>"
    sizes, kept_size = ("(%d0, %d1)", f"(%d{1 - dim})") if "?" in shape else ("()", "()")
    return f"""func.func @k(%x: {tensor}) -> ({tensor}, {sums}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %d0 = tensor.dim %x, %c0 : {tensor}
  %d1 = tensor.dim %x, %c1 : {tensor}
  %e = tensor.empty{sizes} : {tensor}
  %y = linalg.exp ins(%x : {tensor}) outs(%e : {tensor}) -> {tensor}
  %e1 = tensor.empty{kept_size} : {sums}
  %f = linalg.fill ins(%z : f32) outs(%e1 : {sums}) -> {sums}
  %s = linalg.reduce {{ arith.addf }} ins(%y : {tensor}) outs(%f : {sums}) dimensions = [{dim}]
  return %y, %s : {tensor}, {sums}
}}"""


DYNAMIC_CONVOLUTION = """func.func @k(%x: tensor<1x?x9x5xf16>, %w: tensor<3x3x5x11xf16>) -> tensor<1x?x7x11xf32> {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %d = tensor.dim %x, %c1 : tensor<1x?x9x5xf16>
  %h = arith.subi %d, %c2 : index
  %e = tensor.empty(%h) : tensor<1x?x7x11xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x?x7x11xf32>) -> tensor<1x?x7x11xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x?x9x5xf16>, tensor<3x3x5x11xf16>) outs(%f : tensor<1x?x7x11xf32>) -> tensor<1x?x7x11xf32>
  return %r : tensor<1x?x7x11xf32>
}"""

# Two results whose extents have nothing to do with each other.
STRANGERS = """func.func @k(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %x, %c0 : tensor<?x?xf32>
  %f = tensor.dim %y, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %f1 = tensor.dim %y, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%d, %d1) : tensor<?x?xf32>
  %g = tensor.empty(%f, %f1) : tensor<?x?xf32>
  %p = linalg.softmax dimension(1) ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %q = linalg.softmax dimension(1) ins(%y : tensor<?x?xf32>) outs(%g : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %p, %q : tensor<?x?xf32>, tensor<?x?xf32>
}"""

# The place of the maximum depends on what is compared; behind the end it may not.
PLACE_OF_CANDIDATE = """func.func @k(%x: tensor<13x301xf32>) -> (tensor<13xf32>, tensor<13xi64>) {
  %z = arith.constant -1 : i64
  %n = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<13xf32>
  %e2 = tensor.empty() : tensor<13xi64>
  %a = linalg.fill ins(%n : f32) outs(%e : tensor<13xf32>) -> tensor<13xf32>
  %b = linalg.fill ins(%z : i64) outs(%e2 : tensor<13xi64>) -> tensor<13xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i)>], iterator_types = ["parallel","reduction"]} ins(%x : tensor<13x301xf32>) outs(%a, %b : tensor<13xf32>, tensor<13xi64>) {
  ^bb0(%i: f32, %s: f32, %m: i64):
    %j = linalg.index 1 : index
    %p = arith.index_cast %j : index to i64
    %zero = arith.constant 0.0 : f32
    %isn = arith.cmpf uno, %i, %zero : f32
    %fix = arith.select %isn, %zero, %i : f32
    %jj = arith.fptosi %fix : f32 to i64
    %pp = arith.addi %p, %jj : i64
    %c = arith.cmpf ogt, %i, %s : f32
    %1 = arith.select %c, %i, %s : f32
    %2 = arith.select %c, %pp, %m : i64
    linalg.yield %1, %2 : f32, i64
  } -> (tensor<13xf32>, tensor<13xi64>)
  return %r#0, %r#1 : tensor<13xf32>, tensor<13xi64>
}"""

INTO_NOTHING = """func.func @k(%x: tensor<13x31xf32>, %y: tensor<13x7xf32>) -> tensor<13x38xf32> {
  %e = tensor.empty() : tensor<13x38xf32>
  %a = tensor.insert_slice %x into %e[0, 0] [13, 31] [1, 1] : tensor<13x31xf32> into tensor<13x38xf32>
  %b = tensor.insert_slice %y into %a[0, 31] [13, 7] [1, 1] : tensor<13x7xf32> into tensor<13x38xf32>
  return %b : tensor<13x38xf32>
}"""

# One result, returned in two shapes, that a second launch computes from the first.
TWO_SHAPES = """func.func @k(%x: tensor<37x64xf32>) -> (tensor<37x64xf32>, tensor<37x8x8xf32>) {
  %e = tensor.empty() : tensor<37x64xf32>
  %p = linalg.softmax dimension(1) ins(%x : tensor<37x64xf32>) outs(%e : tensor<37x64xf32>) -> tensor<37x64xf32>
  %r = linalg.softmax dimension(0) ins(%p : tensor<37x64xf32>) outs(%e : tensor<37x64xf32>) -> tensor<37x64xf32>
  %v = tensor.expand_shape %r [[0],[1,2]] output_shape [37,8,8] : tensor<37x64xf32> into tensor<37x8x8xf32>
  return %r, %v : tensor<37x64xf32>, tensor<37x8x8xf32>
}"""

DIVISIONS = """func.func @k(%x: tensor<70x9xi64>, %y: tensor<70x9xi64>) -> tensor<70xi64> {
  %z = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %e = tensor.empty() : tensor<70xi64>
  %a = linalg.fill ins(%z : i64) outs(%e : tensor<70xi64>) -> tensor<70xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>], iterator_types = ["parallel","reduction"]} ins(%x, %y : tensor<70x9xi64>, tensor<70x9xi64>) outs(%a : tensor<70xi64>) {
  ^bb0(%p: i64, %q: i64, %s: i64):
    %m = arith.muli %q, %q : i64
    %u = arith.maxsi %q, %one : i64
    %f = arith.floordivsi %p, %u : i64
    %g = arith.remsi %p, %u : i64
    %h = arith.ceildivsi %p, %u : i64
    %t = arith.addi %f, %g : i64
    %v = arith.addi %t, %h : i64
    %w = arith.addi %s, %v : i64
    linalg.yield %w : i64
  } -> tensor<70xi64>
  return %r : tensor<70xi64>
}"""

# Rows behind the last whole 64, 8 of them in a step; the loop's end is a formula of the extent.
TAIL = """func.func @k(%x: tensor<?x12xf32>) -> tensor<12xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x12xf32>
  %at = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) * 64)>()[%n]
  %left = affine.apply affine_map<()[s0] -> (s0 mod 64)>()[%n]
  %t = tensor.extract_slice %x[%at, 0] [%left, 12] [1, 1] : tensor<?x12xf32> to tensor<?x12xf32>
  %e = tensor.empty() : tensor<12xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<12xf32>) -> tensor<12xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(j)>], iterator_types = ["reduction", "parallel"],
      lowering_config = #iree_gpu.lowering_config<{workgroup = [0, 12], reduction = [8, 0]}>} ins(%t : tensor<?x12xf32>) outs(%f : tensor<12xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.addf %a, %o : f32
    linalg.yield %c : f32 } -> tensor<12xf32>
  return %r : tensor<12xf32>
}"""

# A workgroup has one row of half of them, counted together with the six columns.
HALVES = """func.func @k(%x: tensor<?x6x?x4xf32>) -> tensor<?x6xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x6x?x4xf32>
  %m = tensor.dim %x, %c2 : tensor<?x6x?x4xf32>
  %half = affine.apply affine_map<()[s0] -> (s0 floordiv 2)>()[%n]
  %t = tensor.extract_slice %x[%half, 0, 0, 0] [%half, 6, %m, 4] [1, 1, 1, 1] : tensor<?x6x?x4xf32> to tensor<?x6x?x4xf32>
  %e = tensor.empty(%half) : tensor<?x6xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x6xf32>) -> tensor<?x6xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i,j,k,l)->(i,j,k,l)>, affine_map<(i,j,k,l)->(i,j)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"],
      lowering_config = #iree_gpu.lowering_config<{workgroup = [1, 1, 0, 0], reduction = [0, 0, 32, 0]}>} ins(%t : tensor<?x6x?x4xf32>) outs(%f : tensor<?x6xf32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.addf %a, %o : f32
    linalg.yield %c : f32 } -> tensor<?x6xf32>
  return %r : tensor<?x6xf32>
}"""

# (name, kernel, shapes)
CASES = [*((f"tail_of_{rows}", TAIL, [f"{rows}x12"]) for rows in (1, 64, 69, 88, 127)),
         *((f"halves_of_{shape}", HALVES, [shape]) for shape in ("7x6x45x4", "2x6x1x4", "1x6x32x4", "6x6x0x4")),
         ("walked_twice", elementwise((4, 800), [1, 512], [0, 128]), []),
         ("two_axes_alike", elementwise((70, 220), [128, 128], [8, 16]), []),
         ("two_axes_alike_turned", elementwise((70, 220), [128, 128], [8, 16], "(j,i)"), []),
         *((f"kept_{shape}_sums_along_{dim}", kept(shape, dim), []) for shape in ("13x35", "35x13", "7x130", "1x3", "300x1") for dim in (0, 1)),
         *((f"kept_{shape}_dynamic_sums_along_{dim}", kept("?x?", dim), [shape]) for shape in ("13x35", "1x3") for dim in (0, 1)),
         ("read_backwards", read_by("63 - i, j", "64x33", "64x33"), []),
         ("read_backwards_in_rows", read_by("i, 100 - j", "33x101", "33x101"), []),
         ("read_in_rounds", read_by("i, j mod 7", "33x7", "33x100"), []),
         ("read_by_halves", read_by("i floordiv 2, j ceildiv 3", "17x35", "33x101"), []),
         ("maximum_without_infinity", maximum("f8E4M3FN", "-200.0"), []),
         ("maximum_without_infinity_fnuz", maximum("f8E4M3FNUZ", "-200.0"), []),
         ("maximum_half", maximum("f16", "-60000.0"), []),
         ("dynamic_convolution", DYNAMIC_CONVOLUTION, ["1x12x9x5"]), ("dynamic_convolution_least", DYNAMIC_CONVOLUTION, ["1x3x9x5"]),
         ("strangers", STRANGERS, ["70x33", "20x50"]), ("strangers_empty", STRANGERS, ["0x33", "20x1"]),
         ("place_of_candidate", PLACE_OF_CANDIDATE, []), ("into_nothing", INTO_NOTHING, []), ("two_shapes", TWO_SHAPES, []), ("divisions", DIVISIONS, [])]


def runs(chosen):
    for name, text, shapes in CASES:
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        given = [part for number, shape in enumerate(shapes) for part in ("--shape", f"arg{number}={shape}")]
        for target in ("sm_80", "sm_90a", "gfx942", "gfx1100"):
            if "f8E4M3FNUZ" in text and target != "gfx942" or "f8E4M3FN>" in text and target != "sm_90a":
                continue
            yield suite.Run(f"{name} {target}", [chosen.distaff, "run", str(path), "--target", target, "--check", "--every-stage", *given])
        if "f8" not in text:
            yield suite.Run(f"{name} host", [chosen.distaff, "run", str(path), "--target", "host", "--check", *given])
        # Results of dynamic sequences have no formula yet, by which a package gives them memory.
        if "f8" not in text and not name.startswith(("strangers", "halves")):
            yield suite.Run(f"{name} ptx", [chosen.distaff, "run", str(path), "--target", "sm_80", "--device", "ptx", "--check", *given], compares=False)


if __name__ == "__main__":
    chosen = suite.options()
    suite.main(list(runs(chosen)), chosen, one_in=4)
