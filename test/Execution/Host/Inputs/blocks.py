"""Kernels on this CPU whose workgroups go over several tiles in blocks of steps.

    python3 blocks.py OUT_DIR [--only NAME] [--distaff PATH]
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite


def product(m, n, k, element="f32", acc="f32", started=False, behind=False, maps=("m, k", "k, n", "m, n")):
    extents = {"m": m, "n": n, "k": k}

    def tensor(map, element):
        return "tensor<" + "".join(f"{extents[d]}x" for d in map.split(", ")) + element + ">"

    c = tensor(maps[2], acc)
    of = "f" if acc[0] == "f" else "i"
    widen = {"f": "arith.extf", "i": "arith.extsi"}[of] if element != acc else None
    widening = "".join(f"    %{x}w = {widen} %{x} : {element} to {acc}\n" for x in ("x", "y")) if widen else ""
    w = "w" if widen else ""
    start = "%c" if started else "%f"
    zero = "0.0" if of == "f" else "0"
    text = f"func.func @k(%a: {tensor(maps[0], element)}, %b: {tensor(maps[1], element)}, %c: {c}) -> {c} {{\n"
    text += f"  %z = arith.constant {zero} : {acc}\n  %e = tensor.empty() : {c}\n  %f = linalg.fill ins(%z : {acc}) outs(%e : {c}) -> {c}\n"
    listed = ", ".join(f"affine_map<(m, n, k) -> ({each})>" for each in maps)
    text += f"""  %r = linalg.generic {{indexing_maps = [{listed}], iterator_types = ["parallel", "parallel", "reduction"]}} ins(%a, %b : {tensor(maps[0], element)}, {tensor(maps[1], element)}) outs({start} : {c}) {{
  ^bb0(%x: {element}, %y: {element}, %s: {acc}):
{widening}    %p = arith.mul{of} %x{w}, %y{w} : {acc}
    %t = arith.add{of} %s, %p : {acc}
    linalg.yield %t : {acc}
  }} -> {c}
"""
    result = "%r"
    if behind:
        text += f"  %g = linalg.add ins(%r, %c : {c}, {c}) outs(%e : {c}) -> {c}\n"
        result = "%g"
    return text + f"  return {result} : {c}\n}}\n"


def vector_by_matrix(n, k, element="f32"):
    return f"""func.func @k(%a: tensor<1x{k}x{element}>, %b: tensor<{k}x{n}x{element}>) -> tensor<1x{n}x{element}> {{
  %z = arith.constant 0.0 : {element}
  %e = tensor.empty() : tensor<1x{n}x{element}>
  %f = linalg.fill ins(%z : {element}) outs(%e : tensor<1x{n}x{element}>) -> tensor<1x{n}x{element}>
  %r = linalg.matmul ins(%a, %b : tensor<1x{k}x{element}>, tensor<{k}x{n}x{element}>) outs(%f : tensor<1x{n}x{element}>) -> tensor<1x{n}x{element}>
  return %r : tensor<1x{n}x{element}>
}}
"""


def matrix_by_vector(m, k, element="f32"):
    return f"""func.func @k(%a: tensor<{m}x{k}x{element}>, %b: tensor<{k}x1x{element}>) -> tensor<{m}x1x{element}> {{
  %z = arith.constant 0.0 : {element}
  %e = tensor.empty() : tensor<{m}x1x{element}>
  %f = linalg.fill ins(%z : {element}) outs(%e : tensor<{m}x1x{element}>) -> tensor<{m}x1x{element}>
  %r = linalg.matmul ins(%a, %b : tensor<{m}x{k}x{element}>, tensor<{k}x1x{element}>) outs(%f : tensor<{m}x1x{element}>) -> tensor<{m}x1x{element}>
  return %r : tensor<{m}x1x{element}>
}}
"""


def columns(rows, n, element, op, start, scaled=False):
    scale = f"    %v = arith.mulf %x, %x : {element}\n" if scaled else ""
    return f"""func.func @k(%a: tensor<{rows}x{n}x{element}>) -> tensor<{n}x{element}> {{
  %z = arith.constant {start} : {element}
  %e = tensor.empty() : tensor<{n}x{element}>
  %f = linalg.fill ins(%z : {element}) outs(%e : tensor<{n}x{element}>) -> tensor<{n}x{element}>
  %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}} ins(%a : tensor<{rows}x{n}x{element}>) outs(%f : tensor<{n}x{element}>) {{
  ^bb0(%x: {element}, %c: {element}):
{scale}    %s = {op} %c, {'%v' if scaled else '%x'} : {element}
    linalg.yield %s : {element}
  }} -> tensor<{n}x{element}>
  return %r : tensor<{n}x{element}>
}}
"""


def unsigned(m, n, k):
    a, b, c = f"tensor<{m}x{k}xi8>", f"tensor<{k}x{n}xi8>", f"tensor<{m}x{n}xi32>"
    return f"""func.func @k(%a: {a}, %b: {b}, %c: {c}) -> {c} {{
  %r = linalg.matmul {{cast = #linalg.type_fn<cast_unsigned>}} ins(%a, %b : {a}, {b}) outs(%c : {c}) -> {c}
  return %r : {c}
}}
"""


def batched(m, n, k):
    a, b, c = f"tensor<1x{m}x{k}xf32>", f"tensor<1x{k}x{n}xf32>", f"tensor<1x{m}x{n}xf32>"
    return f"""func.func @k(%a: {a}, %b: {b}, %c: {c}) -> {c} {{
  %r = linalg.batch_matmul ins(%a, %b : {a}, {b}) outs(%c : {c}) -> {c}
  return %r : {c}
}}
"""


# Of dynamic extents all: the product does not wait in the softmax's launch.
SOFTMAX_BY = """func.func @k(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf32>
  %k = tensor.dim %a, %c1 : tensor<?x?xf32>
  %n = tensor.dim %b, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %k) : tensor<?x?xf32>
  %s = linalg.softmax dimension(1) ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %e2 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %f = linalg.fill ins(%z : f32) outs(%e2 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = linalg.matmul ins(%s, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""

# A loop of which only a launch knows where it begins; it may be behind its end.
ENDS_BEFORE = """func.func @k(%a: memref<6x64xf16>, %b: memref<64x16xf32>, %lo: index, %c: memref<6x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = arith.constant 0.0 : f16
  %pf = arith.constant 0.0 : f32
  %z = arith.constant dense<0.0> : vector<6x16xf32>
  %hi = affine.min affine_map<(d0) -> (d0 + 32, 40)>(%lo)
  %r = scf.for %k = %lo to %hi step %c1 iter_args(%s = %z) -> vector<6x16xf32> {
    %x = vector.transfer_read %a[%c0, %k], %p {in_bounds = [true, true]} : memref<6x64xf16>, vector<6x1xf16>
    %xe = arith.extf %x : vector<6x1xf16> to vector<6x1xf32>
    %y = vector.transfer_read %b[%k, %c0], %pf {in_bounds = [true, true]} : memref<64x16xf32>, vector<1x16xf32>
    %t = vector.contract {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %xe, %y, %s : vector<6x1xf32>, vector<1x16xf32> into vector<6x16xf32>
    scf.yield %t : vector<6x16xf32>
  }
  vector.transfer_write %r, %c[%c0, %c0] {in_bounds = [true, true]} : vector<6x16xf32>, memref<6x16xf32>
  return
}
"""

KERNELS = {
    "unsigned_row": unsigned(1, 33, 40), "unsigned_column": unsigned(17, 1, 40), "unsigned_dot": unsigned(1, 1, 2),
    "dynamic_rows": batched("?", 1, 40), "dynamic_columns": batched(1, "?", 40), "one_column_of_batch": batched(9, 1, 40), "one_row_of_batch": batched(1, 50, 40),
    "dynamic_softmax": SOFTMAX_BY, "dynamic_softmax_of_one": SOFTMAX_BY,
    **{f"from_{first}": ENDS_BEFORE for first in (0, 5, 33, 39, 40, 41, 201, 100000001)},
    "blocks_of_1024": product(13, 33, 2048), "ragged_blocks": product(19, 50, 1601), "one_step_more": product(12, 32, 2049), "just_one_block": product(12, 32, 1536),
    "rows_of_right": product(14, 33, 1700, maps=("m, k", "n, k", "m, n")), "columns_of_left": product(14, 33, 1700, maps=("k, m", "k, n", "m, n")),
    "started": product(19, 50, 1601, started=True), "behind": product(19, 50, 1601, behind=True), "halves": product(19, 50, 3300, element="f16"),
    "bytes": product(19, 50, 7001, element="i8", acc="i32"), "doubles": product(43, 37, 2100, element="f64", acc="f64"),
    "halves_short": product(50, 70, 90, element="f16"), "bf16": product(37, 50, 100, element="bf16"), "bytes_short": product(37, 50, 33, element="i8", acc="i32"),
    **{f"dynamic_sums_{rows}": columns("?", 1000, "f32", "arith.addf", "0.0") for rows in (0, 1, 15, 100)},
    "vecmat": vector_by_matrix(777, 300), "vecmat_whole": vector_by_matrix(1024, 64), "vecmat_halves": vector_by_matrix(2100, 40, "f16"),
    "matvec": matrix_by_vector(55, 333), "matvec_halves": matrix_by_vector(64, 513, "f16"),
    "sums": columns(100, 1000, "f32", "arith.addf", "0.0"), "most": columns(33, 1201, "f32", "arith.maximumf", "0xFF800000"),
    "squares": columns(257, 640, "f64", "arith.addf", "0.0", scaled=True), "bits": columns(40, 4097, "i8", "arith.xori", "0"),
}


DYNAMIC = {**{f"dynamic_sums_{rows}": {0: f"{rows}x1000"} for rows in (0, 1, 15, 100)}, "dynamic_softmax": {0: "37x53", 1: "53x41"}, "dynamic_softmax_of_one": {0: "1x1", 1: "1x1"}, "dynamic_rows": {0: "1x23x40", 2: "1x23x1"}, "dynamic_columns": {1: "1x40x23", 2: "1x1x23"}}


def element_sums(name):
    """Whether all is sums of products, which whole numbers leave no bound of."""
    return name not in ("most", "bits") and "softmax" not in name


def main():
    chosen = suite.options()
    threads = random.Random(3)
    runs = []
    for name, text in KERNELS.items():
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        for strict in ([], ["--strict-fp"]):
            count = threads.choice(("1", "2", "5"))
            # Whole numbers, whose sums are exact in each type: a step that is left out or done twice is seen.
            most = 1 if "halves" in name else 3
            inputs = [f"--input=arg{i}=whole:{i + 1}:-{most}:{most}" for i in range(text.split("\n", 1)[0].split("->")[0].count("%"))]
            if name.startswith("from_"):
                inputs[2] = f"--input=arg2={name[5:]}"
            if name.startswith("dynamic_"):
                inputs += [f"--shape=arg{i}={shape}" for i, shape in DYNAMIC[name].items()]
            command = [chosen.distaff, "run", str(path), "--target", "host", "--device", "host", "--check", "--threads", count, *strict, *inputs]
            runs.append(suite.Run(f"{name}{'_strict' if strict else ''}_{count}", command, exact=element_sums(name), compares=False))
    suite.main(runs, chosen, one_in=2)


main()
