"""Products in code of subgroups that are reduced, so that they go through memory: row maxima
and column sums. Some are more than the workgroup memory of the target, and are computed some
rows at a time. Elements are whole numbers, and results what Python computes.

    python3 reduced_products.py OUT_DIR [options of suite.py]
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

TARGETS = {"sm_80": 32, "gfx942": 64, "gfx1100": 32}
# Subgroups; rows of each, how many of them there are in the run, and the other extents.
SHAPES = ((8, 64, 64, 64, 16), (4, 128, 128, 128, 16), (4, 128, 77, 128, 16), (4, 112, 112, 128, 32), (4, 128, 1, 128, 16))


def text(kind, subgroups, rows, dynamic, n, k, lanes):
    sg, cols, whole = "#iree_gpu.subgroup_scope", rows if kind == "max" else n, rows * subgroups
    size, extent, made = ("%s", "?", "%s") if dynamic else (rows, rows, "")
    product, left = f"tensor<{extent}x{n}xf32>", f"tensor<{extent}x{k}xf16>"
    line = f"tensor<{extent if kind == 'max' else n}xf32>"
    op, low, dim, number = ("maximumf", "0xFF800000", 1, size) if kind == "max" else ("addf", "0.0", 0, n)
    out = f"tensor<{cols * subgroups}xf32>"
    return f"""
#launch = #iree_codegen.translation_info<workgroup_size = [{subgroups * lanes}, 1, 1] subgroup_size = {lanes}>
!A = !pcf.sref<{whole}x{k}xf16, {sg}>
!B = !pcf.sref<{k}x{n}xf16, {sg}>
!O = !pcf.sref<{cols * subgroups}xf32, sync({sg})>
func.func @k(%in: tensor<{whole}x{k}xf16>, %b: tensor<{k}x{n}xf16>, %out: {out}, %given: index) -> {out} attributes {{translation_info = #launch}} {{
  %rows = arith.constant {rows} : index
  %cols = arith.constant {cols} : index
  %s = arith.minui %given, %rows : index
  %zero = arith.constant 0.0 : f32
  %low = arith.constant {low} : f32
  %r = pcf.generic scope({sg})
    execute(%x <- %in : tensor<{whole}x{k}xf16>, %y <- %b : tensor<{k}x{n}xf16>, %o = %out)[%id: index, %count: index] : (!A, !B, !O) -> ({out}) {{
    %from = arith.muli %id, %rows : index
    %to = arith.muli %id, %cols : index
    %all = arith.constant dense<-7.0> : tensor<{cols}xf32>
    pcf.write_slice %all into %o[%to] [{cols}] [1] : tensor<{cols}xf32> into !O
    %l = pcf.read_slice %x[%from, 0] [{size}, {k}] [1, 1] : !A to {left}
    %m = pcf.read_slice %y[0, 0] [{k}, {n}] [1, 1] : !B to tensor<{k}x{n}xf16>
    %e = tensor.empty({made}) : {product}
    %z = linalg.fill ins(%zero : f32) outs(%e : {product}) -> {product}
    %p = linalg.matmul ins(%l, %m : {left}, tensor<{k}x{n}xf16>) outs(%z : {product}) -> {product}
    %el = tensor.empty({made if kind == "max" else ""}) : {line}
    %first = linalg.fill ins(%low : f32) outs(%el : {line}) -> {line}
    %w = linalg.reduce {{ arith.{op} }} ins(%p : {product}) outs(%first : {line}) dimensions = [{dim}]
    pcf.write_slice %w into %o[%to] [{number}] [1] : {line} into !O
    pcf.return
  }}
  return %r : {out}
}}
"""


def runs(number, kind, dynamic, target, chosen):
    subgroups, rows, size, n, k = SHAPES[number]
    size = size if dynamic else rows
    rng, name = random.Random(number), f"reduced_{kind}_{number}_{'run' if dynamic else 'known'}"
    left = [[rng.randint(-3, 3) for _ in range(k)] for _ in range(rows * subgroups)]
    right = [[rng.randint(-3, 3) for _ in range(n)] for _ in range(k)]
    columns = list(zip(*right))
    expected = []
    for part in range(subgroups):
        product = [[sum(a * b for a, b in zip(row, column)) for column in columns] for row in left[part * rows:part * rows + size]]
        expected += [*map(max, product), *[-7] * (rows - size)] if kind == "max" else map(sum, zip(*product))
    base = chosen.out / f"{name}-{target}"
    path, made = base.with_suffix(".mlir"), base.with_suffix(".made.npy")
    path.write_text(text(kind, subgroups, rows, dynamic, n, k, TARGETS[target]))
    files = [npy.write(base.with_suffix(".a.npy"), "f16", (rows * subgroups, k), [v for row in left for v in row]),
             npy.write(base.with_suffix(".b.npy"), "f16", (k, n), [v for row in right for v in row])]

    def after():
        return None if npy.read(made, "f32") == expected else "other values"
    flags = ["--device", "ptx"] if target == "sm_80" else []
    yield suite.Run(base.name, [chosen.distaff, "run", str(path), "--target", target, "--pipeline", "run-cluster", "--check", *flags,
                                "--input", f"arg0={files[0]}", "--input", f"arg1={files[1]}", "--input", f"arg3={size}",
                                "--output", f"res0={made}"], after=after, compares=False)


chosen = suite.options()
suite.main([run for number in range(len(SHAPES)) for kind in ("max", "sum") for dynamic in (False, True) for target in TARGETS
            for run in runs(number, kind, dynamic, target, chosen)], chosen, 11)
