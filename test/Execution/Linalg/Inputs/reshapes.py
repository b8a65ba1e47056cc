"""Reshapes of dynamic extents and of slices: values on the machine, as PTX and on this CPU, and extents that are no such shape.

usage: reshapes.py OUT_DIR [options of suite.py]
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

COLLAPSED = """func.func @k(%x: tensor<?x?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %p = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %r = arith.subf %p, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}
"""
RETURNED = """func.func @k(%x: tensor<?x4x?xf32>) -> tensor<?x?xf32> {
  %y = math.absf %x : tensor<?x4x?xf32>
  %p = tensor.collapse_shape %y [[0, 1], [2]] : tensor<?x4x?xf32> into tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
"""
# The rows are those of another argument.
EXPANDED = """func.func @k(%x: tensor<?xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %b, %c0 : tensor<?x4xf32>
  %p = tensor.expand_shape %x [[0, 1]] output_shape [%m, 4] : tensor<?xf32> into tensor<?x4xf32>
  %r = arith.subf %p, %b : tensor<?x4xf32>
  return %r : tensor<?x4xf32>
}
"""
# Of what is a row of three, one; and its heads are the rows of a product.
HEADS = """func.func @k(%x: tensor<37x3x64xf16>, %w: tensor<16x40xf16>) -> tensor<37x4x40xf32> {
  %z = arith.constant 0.0 : f32
  %s = tensor.extract_slice %x[0, 1, 0] [37, 1, 64] [1, 1, 1] : tensor<37x3x64xf16> to tensor<37x64xf16>
  %h = tensor.expand_shape %s [[0], [1, 2]] output_shape [37, 4, 16] : tensor<37x64xf16> into tensor<37x4x16xf16>
  %e = tensor.empty() : tensor<37x4x40xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<37x4x40xf32>) -> tensor<37x4x40xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, h, n, k) -> (i, h, k)>, affine_map<(i, h, n, k) -> (k, n)>, affine_map<(i, h, n, k) -> (i, h, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%h, %w : tensor<37x4x16xf16>, tensor<16x40xf16>) outs(%f : tensor<37x4x40xf32>) {
  ^bb0(%a: f16, %b: f16, %o: f32):
    %p = arith.extf %a : f16 to f32
    %q = arith.extf %b : f16 to f32
    %m = arith.mulf %p, %q : f32
    %t = arith.addf %m, %o : f32
    linalg.yield %t : f32
  } -> tensor<37x4x40xf32>
  return %r : tensor<37x4x40xf32>
}
"""
# Rows that are too long for registers, of views: both walks of a softmax take the same part of one.
LONG = """func.func @k(%x: tensor<67x8x67xf32>) -> tensor<35912xf32> {
  %p = tensor.collapse_shape %x [[0, 1, 2]] : tensor<67x8x67xf32> into tensor<35912xf32>
  %e = tensor.empty() : tensor<35912xf32>
  %r = linalg.softmax dimension(0) ins(%p : tensor<35912xf32>) outs(%e : tensor<35912xf32>) -> tensor<35912xf32>
  return %r : tensor<35912xf32>
}
"""
LONG_ROWS = """func.func @k(%x: tensor<107736xf32>) -> tensor<3x35912xf32> {
  %p = tensor.expand_shape %x [[0, 1]] output_shape [3, 35912] : tensor<107736xf32> into tensor<3x35912xf32>
  %e = tensor.empty() : tensor<3x35912xf32>
  %r = linalg.softmax dimension(1) ins(%p : tensor<3x35912xf32>) outs(%e : tensor<3x35912xf32>) -> tensor<3x35912xf32>
  return %r : tensor<3x35912xf32>
}
"""
# (name, kernel, shapes of arguments, whether a launch may have them)
CASES = [
         *(("collapsed", COLLAPSED, shapes, meets) for shapes, meets in ((["3x5", "15"], True), (["37x45", "1665"], True), (["0x5", "0"], True), (["3x5", "14"], False), (["3x5", "16"], False))),
         *(("returned", RETURNED, [shape], True) for shape in ("3x4x5", "1x4x1", "0x4x7", "33x4x65")),
         *(("expanded", EXPANDED, shapes, meets) for shapes, meets in ((["16", "4x4"], True), (["0", "0x4"], True), (["12", "4x4"], False), (["13", "3x4"], False), (["16", "3x4"], False))),
         ("heads", HEADS, None, True), ("long", LONG, None, True), ("long_rows", LONG_ROWS, None, True)]


def runs(chosen):
    for name, text, shapes, meets in CASES:
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        flags = [f"--shape=arg{number}={shape}" for number, shape in enumerate(shapes or [])]
        if meets:
            for target, more in (("sm_80", []), ("gfx942", ["--every-stage"]), ("gfx1100", []), ("sm_80", ["--device", "ptx"]), ("host", ["--device", "host"])):
                yield suite.Run(f"{name} {' '.join(shapes or [])} {target} {' '.join(more)}", [chosen.distaff, "run", str(path), "--target", target, "--check", *more, *flags], compares=False)


def check_refusals(chosen):
    wrong = []
    for name, text, shapes, meets in CASES:
        if meets or shapes is None or not shapes:
            continue
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        for more in ([], ["--device", "ptx"]):
            done = subprocess.run([chosen.distaff, "run", str(path), "--target", "sm_80", *more, *(f"--shape=arg{number}={shape}" for number, shape in enumerate(shapes))], capture_output=True, text=True)
            # What is one loop has one extent; what is split, that of its parts.
            said = {"collapsed": "their extents differ", "expanded": "dimension 0 of arg0 is split by tensor.expand_shape into extents of another product"}[name]
            if done.returncode != 1 or said not in done.stderr:
                wrong.append(f"{name} {shapes} {more}: exit {done.returncode} {done.stderr[:300]}")
    return wrong


if __name__ == "__main__":
    chosen = suite.options()
    if not chosen.only and (wrong := check_refusals(chosen)):
        sys.exit("\n".join(wrong))
    suite.main(list(runs(chosen)), chosen)
