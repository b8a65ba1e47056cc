"""Vectors that are read from tensors and written to results (VX-75, VX-76), and
layouts of tensors, which may exceed them (D11).

    python3 tensors.py OUT_DIR [--only NAME]
"""
from kernels import Layout, suite

INFO = "#iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 32>"


def kernel(name, arguments, results, lines):
    body = "\n".join("  " + line for line in ["%c0 = arith.constant 0 : index", "%z = arith.constant 0.0 : f32", *lines])
    return name, f"func.func @{name}({arguments}) -> {results} attributes {{translation_info = {INFO}}} {{\n{body}\n}}\n"


def rows(name, extent, held, columns, permuted, laid):
    """Rows of a tensor, `held` of them with what lies outside, added to themselves."""
    layout = Layout(2, S=[2, 1], B=[1, 2], T=[4, 8], E=[held // 8, columns // 16], ss=[1, 0], ts=[8, 1])
    shape = [columns, held] if permuted else [held, columns]
    map_ = ", permutation_map = affine_map<(d0, d1) -> (d1, d0)>" if permuted else ""
    inside = "true" if extent == held else "false"
    bounds = f"in_bounds = [{'true, ' + inside if permuted else inside + ', true'}]"
    tensor, vector = f"tensor<{extent}x{columns}xf32>", f"vector<{shape[0]}x{shape[1]}xf32>"
    lines, source = [], "%t"
    if laid:
        lines, source = [f"%l = iree_vector_ext.to_layout %t to layout({layout}) : {tensor}"], "%l"
    lines += [f"%x = vector.transfer_read {source}[%c0, %c0], %z {{{bounds}{map_}}} : {tensor}, {vector}",
              f"%y = arith.addf %x, %x : {vector}",
              f"%e = tensor.empty() : {tensor}",
              f"%w = vector.transfer_write %y, %e[%c0, %c0] {{{bounds}{map_}}} : {vector}, {tensor}"]
    result = "%w"
    if laid:
        lines.append(f"%v = iree_vector_ext.to_layout %w to layout({layout}) : {tensor}")
        result = "%v"
    return kernel(name, f"%t: {tensor}", tensor, lines + [f"return {result} : {tensor}"])


def sums():
    """A loop over rows that carries a vector; two results."""
    lines = ["%c1 = arith.constant 1 : index", "%c6 = arith.constant 6 : index", "%zero = arith.constant dense<0.0> : vector<64xf32>",
             "%s = scf.for %i = %c0 to %c6 step %c1 iter_args(%a = %zero) -> (vector<64xf32>) {",
             "  %r = vector.transfer_read %t[%i, %c0], %z {in_bounds = [true]} : tensor<6x64xf32>, vector<64xf32>",
             "  %n = arith.addf %a, %r : vector<64xf32>", "  scf.yield %n : vector<64xf32>", "}",
             "%e = tensor.empty() : tensor<64xf32>", "%w = vector.transfer_write %s, %e[%c0] {in_bounds = [true]} : vector<64xf32>, tensor<64xf32>",
             "%m = vector.reduction <maximumf>, %s : vector<64xf32> into f32", "%v = vector.broadcast %m : f32 to vector<f32>",
             "%f = tensor.empty() : tensor<f32>", "%u = vector.transfer_write %v, %f[] : vector<f32>, tensor<f32>",
             "return %w, %u : tensor<64xf32>, tensor<f32>"]
    return kernel("sums", "%t: tensor<6x64xf32>", "(tensor<64xf32>, tensor<f32>)", lines)


KERNELS = [rows("plain", 16, 16, 32, False, False), rows("laid_out", 16, 16, 32, False, True), rows("transposed", 24, 24, 16, True, True),
           rows("exceeded", 13, 16, 32, False, True), rows("exceeded_and_transposed", 21, 24, 16, True, True), sums()]

if __name__ == "__main__":
    chosen = suite.options()
    runs = []
    for name, text in KERNELS:
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        runs.append(suite.Run(name, [chosen.distaff, "run", str(path), "--target", "sm_80", "--check", "--every-stage"]))
    suite.main(runs, chosen)
