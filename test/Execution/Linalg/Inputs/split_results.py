"""Ops that reduce one result and write another for every point.

usage: split_results.py OUT_DIR [options of suite.py]

Reduced along the last, the first and both dims; the other result in the loops' order or
transposed, before or behind; one that reads what it had before stays one op.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

TARGETS = ("sm_80", "gfx942", "gfx1100")
MAPS = {"rows": "(i, j) -> (i)", "columns": "(i, j) -> (j)", "all": "(i, j) -> ()"}


def kernel(m, n, reduced, transposed, first, reads=False):
    shape = {"rows": f"{m}xf32", "columns": f"{n}xf32", "all": "f32"}[reduced]
    points = f"{n}x{m}xf32" if transposed else f"{m}x{n}xf32"
    sums = (f"tensor<{shape}>", f"affine_map<{MAPS[reduced]}>", "%a", "%s1")
    all_of = (f"tensor<{points}>", "affine_map<(i, j) -> (j, i)>" if transposed else "affine_map<(i, j) -> (i, j)>", "%p" if reads else "%e2", "%w")
    (t0, m0, i0, y0), (t1, m1, i1, y1) = (all_of, sums) if first else (sums, all_of)
    body_args = "%q: f32, %s: f32" if first else "%s: f32, %q: f32"
    return f"""func.func @k(%x: tensor<{m}x{n}xf32>, %p: tensor<{points}>) -> ({t0}, {t1}) {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{shape}>
  %e2 = tensor.empty() : tensor<{points}>
  %a = linalg.fill ins(%z : f32) outs(%e : tensor<{shape}>) -> tensor<{shape}>
  %r:2 = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, {m0}, {m1}], iterator_types = {'["parallel", "reduction"]' if reduced == "rows" else '["reduction", "parallel"]' if reduced == "columns" else '["reduction", "reduction"]'}}} ins(%x : tensor<{m}x{n}xf32>) outs({i0}, {i1} : {t0}, {t1}) {{
  ^bb0(%i: f32, {body_args}):
    %v = math.exp %i : f32
    %w = arith.addf %v, {'%q' if reads else '%v'} : f32
    %s1 = arith.addf %s, %v : f32
    linalg.yield {y0}, {y1} : f32, f32
  }} -> ({t0}, {t1})
  return %r#0, %r#1 : {t0}, {t1}
}}
"""


def runs(chosen):
    for m, n in ((13, 503), (13, 5003), (64, 64), (1, 70), (33, 1)):
        for reduced in MAPS:
            for transposed, first, reads in ((False, False, False), (True, False, False), (False, True, False), (False, False, True)):
                name = f"{reduced}_{m}_{n}_{transposed}_{first}_{reads}"
                path = chosen.out / f"{name}.mlir"
                path.write_text(kernel(m, n, reduced, transposed, first, reads))
                for target in TARGETS:
                    yield suite.Run(f"{name} {target}", [chosen.distaff, "run", str(path), "--target", target, "--check"], compares=False)


if __name__ == "__main__":
    chosen = suite.options()
    suite.main(list(runs(chosen)), chosen, one_in=5)
