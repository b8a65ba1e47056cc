"""Kernels that a rewrite of MLIR 22.1.8 changes, one or more for each guard of lib/Rewrite: on the SIMT machine for both
vendors, as PTX and on this CPU, each against what the machine makes of the source.

usage: upstream_rewrites.py OUT_DIR [options of suite.py]
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

TARGETS = (("sm_80", "simt"), ("sm_80", "ptx"), ("gfx942", "simt"), ("host", "host"))


def cut(offsets, sizes, kept, extra="", source="4x8x3xf32"):
    return f"""func.func @k(%s: tensor<{source}>{extra}) -> tensor<{kept}xf32> {{
  %two = arith.constant 2 : index
  %r = tensor.extract_slice %s[{offsets}] [{sizes}] [1, 1, 1] : tensor<{source}> to tensor<{kept}xf32>
  return %r : tensor<{kept}xf32>
}}
"""


def placed(offsets, sizes, part, extra=""):
    return f"""func.func @k(%s: tensor<4x8x3xf32>, %p: tensor<{part}xf32>{extra}) -> tensor<4x8x3xf32> {{
  %two = arith.constant 2 : index
  %r = tensor.insert_slice %p into %s[{offsets}] [{sizes}] [1, 1, 1] : tensor<{part}xf32> into tensor<4x8x3xf32>
  return %r : tensor<4x8x3xf32>
}}
"""


def view(extents, sizes, kept, layout):
    return f"""func.func @k(%s: memref<{extents}xf32>, %o: memref<{kept}xf32>) {{
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %pad = arith.constant 0.0 : f32
  %m = memref.subview %s[%two, 0, 1] [{sizes}] [1, 1, 1] : memref<{extents}xf32> to memref<{kept}xf32, strided<{layout}, offset: ?>>
  %v = vector.transfer_read %m[%zero, %zero], %pad {{in_bounds = [true, true]}} : memref<{kept}xf32, strided<{layout}, offset: ?>>, vector<{kept}xf32>
  vector.transfer_write %v, %o[%zero, %zero] {{in_bounds = [true, true]}} : vector<{kept}xf32>, memref<{kept}xf32>
  return
}}
"""


SPLIT_ROWS = """func.func @k(%a: memref<8x9xf32>, %o: memref<2x3xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %pad = arith.constant -1.0 : f32
  %m = memref.expand_shape %a [[0], [1, 2]] output_shape [8, 3, 3] : memref<8x9xf32> into memref<8x3x3xf32>
  %v = vector.transfer_read %m[%two, %one, %zero], %pad {in_bounds = [true, true]} : memref<8x3x3xf32>, vector<2x3xf32>
  vector.transfer_write %v, %o[%zero, %zero] {in_bounds = [true, true]} : vector<2x3xf32>, memref<2x3xf32>
  return
}
"""
# The second column of a part, which is a row apart in what is split.
SPLIT_COLUMN = """func.func @k(%a: memref<8x9xf32>, %o: memref<3xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %pad = arith.constant -1.0 : f32
  %m = memref.expand_shape %a [[0], [1, 2]] output_shape [8, 3, 3] : memref<8x9xf32> into memref<8x3x3xf32>
  %v = vector.transfer_read %m[%one, %zero, %one], %pad {in_bounds = [true], permutation_map = affine_map<(i, j, k) -> (j)>} : memref<8x3x3xf32>, vector<3xf32>
  vector.transfer_write %v, %o[%zero] {in_bounds = [true]} : vector<3xf32>, memref<3xf32>
  return
}
"""
WRITTEN_ROWS = """func.func @k(%a: memref<2x3xf32>, %o: memref<8x9xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %pad = arith.constant -1.0 : f32
  %m = memref.expand_shape %o [[0], [1, 2]] output_shape [8, 3, 3] : memref<8x9xf32> into memref<8x3x3xf32>
  %v = vector.transfer_read %a[%zero, %zero], %pad {in_bounds = [true, true]} : memref<2x3xf32>, vector<2x3xf32>
  vector.transfer_write %v, %m[%two, %one, %zero] {in_bounds = [true, true]} : vector<2x3xf32>, memref<8x3x3xf32>
  return
}
"""


def walk(handed, continued):
    """A loop that hands one result of its branch on twice and goes on with the first or the second."""
    return f"""func.func @k(%a: memref<64xf32>, %n: index, %o: memref<64xf32>, %p: memref<64xf32>) {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %pad = arith.constant 0.0 : f32
  %two = arith.constant dense<2.0> : vector<64xf32>
  %twenty = arith.constant dense<20.0> : vector<64xf32>
  %x = vector.transfer_read %a[%zero], %pad {{in_bounds = [true]}} : memref<64xf32>, vector<64xf32>
  %r:4 = scf.while (%s = %x, %i = %zero) : (vector<64xf32>, index) -> (vector<64xf32>, vector<64xf32>, vector<64xf32>, index) {{
    %go = arith.cmpi slt, %i, %n : index
    %v = scf.if %go -> vector<64xf32> {{
      %w = arith.addf %s, %two : vector<64xf32>
      scf.yield %w : vector<64xf32>
    }} else {{
      scf.yield %twenty : vector<64xf32>
    }}
    scf.condition(%go) {handed}, %i : vector<64xf32>, vector<64xf32>, vector<64xf32>, index
  }} do {{
  ^bb0(%f: vector<64xf32>, %g: vector<64xf32>, %h: vector<64xf32>, %j: index):
    %k = arith.addi %j, %one : index
    scf.yield {continued}, %k : vector<64xf32>, index
  }}
  vector.transfer_write %r#2, %o[%zero] {{in_bounds = [true]}} : vector<64xf32>, memref<64xf32>
  vector.transfer_write %r#0, %p[%zero] {{in_bounds = [true]}} : vector<64xf32>, memref<64xf32>
  return
}}
"""


def promised(first, second, a, b, predicate, element="i32"):
    """Two ops with a constant each, flags that both keep, and a comparison that the flags would decide."""
    return f"""#m = affine_map<(i) -> (i)>
func.func @k(%x: tensor<5x{element}>) -> (tensor<5x{element}>, tensor<5xi1>) {{
  %e = tensor.empty() : tensor<5x{element}>
  %f = tensor.empty() : tensor<5xi1>
  %r:2 = linalg.generic {{indexing_maps = [#m, #m, #m], iterator_types = ["parallel"]}} ins(%x : tensor<5x{element}>) outs(%e, %f : tensor<5x{element}>, tensor<5xi1>) {{
  ^bb0(%i: {element}, %u: {element}, %v: i1):
    %a = arith.constant {a} : {element}
    %b = arith.constant {b} : {element}
    %s = arith.{first} %i, %a overflow<nsw> : {element}
    %t = arith.{second} %s, %b overflow<nsw> : {element}
    %c = arith.cmpi {predicate}, %t, %i : {element}
    linalg.yield %t, %c : {element}, i1
  }} -> (tensor<5x{element}>, tensor<5xi1>)
  return %r#0, %r#1 : tensor<5x{element}>, tensor<5xi1>
}}
"""


LEAST = -2**31
PREDICATE_OF_NOTHING = """#m = affine_map<(i) -> (i)>
func.func @k(%x: tensor<5xi32>) -> tensor<5xi1> {
  %e = tensor.empty() : tensor<5xi1>
  %r = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel"]} ins(%x : tensor<5xi32>) outs(%e : tensor<5xi1>) {
  ^bb0(%i: i32, %u: i1):
    %two = arith.constant 2.0 : f64
    %y = arith.sitofp %i : i32 to f64
    %c = arith.cmpf true, %y, %two : f64
    linalg.yield %c : i1
  } -> tensor<5xi1>
  return %r : tensor<5xi1>
}
"""

# Name: kernel, and the values of arguments that are drawn at random otherwise.
KERNELS = {
    "column": (cut("%two, 0, 0", "1, 8, 1", "1x8"), {}),
    "column-last-unit-kept": (cut("%two, 0, 0", "1, 8, 1", "8x1"), {}),
    "column-at-a-launch-number": (cut("%two, 0, %n", "1, 8, 1", "1x8", ", %n: index"), {"arg1": 2}),
    "column-of-dynamic": (cut("%two, 0, 0", "1, 8, 1", "1x8", source="?x8x?xf32"), {}),
    "placed-column": (placed("%two, 0, 1", "1, 8, 1", "1x8"), {}),
    "placed-at-a-launch-number": (placed("%two, 0, %n", "1, 8, 1", "1x8", ", %n: index"), {"arg2": 2}),
    "view-of-a-column": (view("4x8x3", "1, 8, 1", "1x8", "[24, 3]"), {}),
    "split-rows": (SPLIT_ROWS, {}),
    "split-column": (SPLIT_COLUMN, {}),
    "written-rows": (WRITTEN_ROWS, {}),
    "walk-with-the-second": (walk("%v, %v, %s", "%g"), {"arg1": 3}),
    "walk-with-the-first": (walk("%v, %v, %s", "%f"), {"arg1": 3}),
    "walk-apart": (walk("%v, %s, %v", "%h"), {"arg1": 3}),
    "flagged-sums": (promised("addi", "addi", LEAST, -1, "sgt"), {"arg0": (1, 2, 3, 1000, 2**31 - 1)}),
    "flagged-differences": (promised("subi", "subi", 2**31 - 1, 2, "sgt"), {"arg0": (1, 2, 3, 1000, 2**31 - 1)}),
    "flagged-products": (promised("muli", "muli", 65536, 65536, "slt"), {"arg0": (0,) * 5}),
    "predicate-of-nothing": (PREDICATE_OF_NOTHING, {}),
}


def runs(chosen):
    for name, (text, values) in KERNELS.items():
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        flags = []
        for argument, value in values.items():
            if isinstance(value, tuple):
                file = chosen.out / f"{name}-{argument}.npy"
                npy.write(file, "i32", (len(value),), value)
                value = file
            flags.append(f"--input={argument}={value}")
        if "?" in text:
            flags.append("--shape=arg0=4x8x3")
        for target, device in TARGETS:
            yield suite.Run(f"{name} {target} {device}", [chosen.distaff, "run", str(path), "--target", target, "--device", device, "--check", *flags], compares=False)


if __name__ == "__main__":
    chosen = suite.options()
    suite.main(list(runs(chosen)), chosen)
