"""Vectors that are read from tensors and written to results, which may begin as an
argument (VX-75, VX-76), and layouts of tensors, which may exceed them (D11).

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


def begun(name, type_, lines, results=None, arguments=""):
    """Results that begin as the argument %t, which stays as it is."""
    results = results or type_
    return kernel("begun_" + name, f"%t: {type_}, %p: index{arguments}", results, lines)


def begun_as_arguments():
    """Written in part, masked, in loops and branches, more than once, not at all; larger than a step of the copy, dynamic, of rank 0."""
    v, t = "vector<16xf32>", "tensor<100xf32>"
    read = f"%x = vector.transfer_read %t[%p], %z : {t}, {v}"
    write = f"vector.transfer_write %x, %t[%c0] : {v}, {t}"
    yield begun("part", t, [read, f"%w = {write}", f"return %w : {t}"])
    yield begun("and_read_again", t, [read, f"%w = {write}", f"%u = vector.transfer_read %t[%c0], %z : {t}, {v}", f"%n = vector.transfer_read %w[%c0], %z : {t}, {v}",
                                      f"%s = arith.subf %n, %u : {v}", f"%r = vector.transfer_write %s, %w[%p] : {v}, {t}", f"return %r : {t}"])
    yield begun("masked", t, [read, "%m = vector.create_mask %p : vector<16xi1>", f"%w = vector.transfer_write %x, %t[%c0], %m : {v}, {t}", f"return %w : {t}"])
    yield begun("twice", t, [read, f"%w = {write}", f"%u = vector.transfer_write %x, %t[%p] : {v}, {t}", f"return %w, %u : {t}, {t}"], f"({t}, {t})")
    yield begun("and_left", t, [f"return %t : {t}"])
    yield begun("wholly", "tensor<16xf32>", ["%x = vector.transfer_read %t[%p], %z : tensor<16xf32>, vector<16xf32>", "%y = arith.mulf %x, %x : vector<16xf32>",
                                             "%w = vector.transfer_write %y, %t[%c0] {in_bounds = [true]} : vector<16xf32>, tensor<16xf32>", "return %w : tensor<16xf32>"])
    yield begun("wholly_masked", "tensor<16xf32>", ["%x = vector.transfer_read %t[%c0], %z {in_bounds = [true]} : tensor<16xf32>, vector<16xf32>",
                                                    "%y = arith.addf %x, %x : vector<16xf32>", "%m = vector.create_mask %p : vector<16xi1>",
                                                    "%w = vector.transfer_write %y, %t[%c0], %m {in_bounds = [true]} : vector<16xf32>, tensor<16xf32>", "return %w : tensor<16xf32>"])
    yield begun("loop", t, ["%c16 = arith.constant 16 : index", "%c60 = arith.constant 60 : index",
                            f"%w = scf.for %i = %p to %c60 step %c16 iter_args(%s = %t) -> ({t}) {{", f"  %x = vector.transfer_read %t[%i], %z : {t}, {v}",
                            f"  %y = arith.mulf %x, %x : {v}", f"  %n = vector.transfer_write %y, %s[%i] : {v}, {t}", f"  scf.yield %n : {t}", "}", f"return %w : {t}"])
    yield begun("branch", t, [read, "%c3 = arith.constant 3 : index", "%c = arith.cmpi slt, %p, %c3 : index", f"%w = scf.if %c -> {t} {{", f"  %n = {write}",
                              f"  scf.yield %n : {t}", "} else {", f"  scf.yield %t : {t}", "}", f"return %w : {t}"])
    large = "tensor<3x1100x3xf16>"
    yield begun("large", large, ["%h = arith.constant 0.0 : f16", f"%x = vector.transfer_read %t[%c0, %p, %c0], %h : {large}, vector<8x3xf16>", "%y = arith.addf %x, %x : vector<8x3xf16>",
                                 f"%w = vector.transfer_write %y, %t[%c0, %c0, %c0] : vector<8x3xf16>, {large}", f"return %w : {large}"])
    scalar = "tensor<f32>"
    yield begun("scalar", scalar, [f"%x = vector.transfer_read %t[], %z : {scalar}, vector<f32>", f"%w = vector.transfer_write %x, %t[] : vector<f32>, {scalar}",
                                   f"%y = vector.transfer_read %w[], %z : {scalar}, vector<f32>", "%s = arith.addf %y, %x : vector<f32>",
                                   f"%u = vector.transfer_write %s, %w[] : vector<f32>, {scalar}", f"return %u : {scalar}"])
    scattered = "tensor<100xi32>"
    yield begun("scattered", scattered, ["%zero = arith.constant 0 : i32", f"%x = vector.transfer_read %t[%p], %zero : {scattered}, vector<8xi32>",
                                         "%i = arith.constant dense<[9, 1, 99, 50, 3, 77, 20, 21]> : vector<8xindex>",
                                         f"%w = iree_vector_ext.transfer_scatter %x into %t[%c0] [%i : vector<8xindex>] {{indexing_maps = [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>]}} : vector<8xi32>, {scattered} -> {scattered}",
                                         f"return %w : {scattered}"])
    dynamic = "tensor<?x40xf32>"
    yield begun("dynamic", dynamic, [f"%x = vector.transfer_read %t[%p, %c0], %z : {dynamic}, vector<4x40xf32>", f"%w = vector.transfer_write %x, %t[%c0, %c0] : vector<4x40xf32>, {dynamic}", f"return %w : {dynamic}"])


def laid_out(name, extent, held, body, result, demanded, info=True):
    """linalg ops between which a tensor of `extent` is laid out (D11); `demanded` is in the kernel behind assign-layouts."""
    type_ = "tensor<" + "".join(f"{e}x" for e in extent) + "f32>"
    layout = Layout(2, S=[2, 1], T=[4, 8], E=[held[0] // 8, held[1] // 8], ss=[1, 0], ts=[8, 1])
    lines = [line.replace("TYPE", type_).replace("LAYOUT", f"layout({layout})") for line in body]
    name, text = kernel("laid_" + name, f"%t: {type_}", result.replace("TYPE", type_), lines)
    DEMANDED[name] = demanded
    return name, text if info else text.replace(f" attributes {{translation_info = {INFO}}}", "")


DEMANDED = {}
SQUARES = ["%e = tensor.empty() : TYPE", "%s = linalg.mul ins(%t, %t : TYPE, TYPE) outs(%e : TYPE) -> TYPE", "%l = iree_vector_ext.to_layout %s to LAYOUT : TYPE"]
SUM = ["%e1 = tensor.empty() : tensor<ROWSxf32>", "%f = linalg.fill ins(%z : f32) outs(%e1 : tensor<ROWSxf32>) -> tensor<ROWSxf32>",
       "%r = linalg.reduce ins(%l : TYPE) outs(%f : tensor<ROWSxf32>) dimensions = [1]", "  (%in: f32, %acc: f32) {", "  %n = arith.addf %in, %acc : f32", "  linalg.yield %n : f32", "}",
       "return %r : tensor<ROWSxf32>"]


def rows_of(lines, rows):
    return [line.replace("ROWS", str(rows)) for line in lines]


def laid_between_linalg():
    """Elementwise ops, reductions, softmax, products on an instruction; what lies outside a tensor that its layout exceeds is no one's."""
    yield laid_out("sum", [16, 16], [16, 16], SQUARES + rows_of(SUM, 16), "tensor<16xf32>", "element_tile = [2, 2]")
    yield laid_out("sum_exceeded", [13, 16], [16, 16], SQUARES + rows_of(SUM, 13), "tensor<13xf32>", "vector<16x16xf32>")
    yield laid_out("sum_exceeded_both", [13, 11], [16, 16], SQUARES + rows_of(SUM, 13), "tensor<13xf32>", "vector<16x16xf32>")
    yield laid_out("size_chosen", [16, 24], [16, 24], SQUARES + rows_of(SUM, 16), "tensor<16xf32>", "workgroup_size = [64, 1, 1]", info=False)
    yield laid_out("argument", [16, 16], [16, 16], ["%l = iree_vector_ext.to_layout %t to LAYOUT : TYPE", *rows_of(SUM, 16)], "tensor<16xf32>", "element_tile = [2, 2]")
    yield laid_out("result", [16, 16], [16, 16], [*SQUARES, "return %l : TYPE"], "TYPE", "element_tile = [2, 2]")
    yield laid_out("softmax", [16, 32], [16, 32], ["%l = iree_vector_ext.to_layout %t to LAYOUT : TYPE", "%e = tensor.empty() : TYPE",
                                                  "%s = linalg.softmax dimension(1) ins(%l : TYPE) outs(%e : TYPE) -> TYPE", "return %s : TYPE"], "TYPE", "element_tile = [2, 4]")
    yield laid_out("twice", [16, 16], [16, 16], [*SQUARES, "%e2 = tensor.empty() : TYPE", "%u = linalg.exp ins(%l : TYPE) outs(%e2 : TYPE) -> TYPE",
                                                "%e3 = tensor.empty() : TYPE", "%v = linalg.sub ins(%u, %l : TYPE, TYPE) outs(%e3 : TYPE) -> TYPE", "return %v, %u : TYPE, TYPE"],
                   "(TYPE, TYPE)", "element_tile = [2, 2]")
    kind = "{mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>}"
    a, b = (Layout(2, S=[s, 1], B=[1, 2], O=[o, 2], T=[8, 4], E=[1, 2], ss=[1 if s == 2 else 0, 0], ts=[4, 1]) for s, o in ((2, 2), (1, 1)))
    name, text = kernel("laid_product", "%a: tensor<32x32xf16>, %b: tensor<8x32xf16>", "tensor<32x8xf32>",
                        [f"%x = iree_vector_ext.to_layout %a to layout({a}) {kind} : tensor<32x32xf16>", f"%y = iree_vector_ext.to_layout %b to layout({b}) {kind} : tensor<8x32xf16>",
                         "%e = tensor.empty() : tensor<32x8xf32>", "%f = linalg.fill ins(%z : f32) outs(%e : tensor<32x8xf32>) -> tensor<32x8xf32>",
                         "%r = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], "
                         "iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} ins(%x, %y : tensor<32x32xf16>, tensor<8x32xf16>) outs(%f : tensor<32x8xf32>) {",
                         "^bb0(%i: f16, %j: f16, %o: f32):", "  %p = arith.extf %i : f16 to f32", "  %q = arith.extf %j : f16 to f32", "  %s = arith.mulf %p, %q : f32",
                         "  %n = arith.addf %o, %s : f32", "  linalg.yield %n : f32", "} -> tensor<32x8xf32>", "return %r : tensor<32x8xf32>"])
    DEMANDED[name] = "mma_kind = #iree_gpu.mma_layout<NV_MMA_SYNC_F32_16x8x16_F16>"
    yield name, text


def says(name):
    """That the layout is kept, if the kernel's text is checked before it runs."""
    return lambda text: None if DEMANDED[name] in text else f"no {DEMANDED[name]} behind assign-layouts"


FLAGS = {"begun_dynamic": ["--shape", "arg0=37x40"]}
KERNELS = [rows("plain", 16, 16, 32, False, False), rows("laid_out", 16, 16, 32, False, True), rows("transposed", 24, 24, 16, True, True),
           rows("exceeded", 13, 16, 32, False, True), rows("exceeded_and_transposed", 21, 24, 16, True, True), sums(), *begun_as_arguments(), *laid_between_linalg()]

if __name__ == "__main__":
    chosen = suite.options()
    runs = []
    for name, text in KERNELS:
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        flags = FLAGS.get(name, []) + (["--input", "arg1=5"] if name.startswith("begun") else [])
        assign = [chosen.distaff, "compile", str(path), "--target", "sm_80", "--stop-after=assign-layouts"]
        before = (assign, says(name)) if name in DEMANDED else None
        runs.append(suite.Run(name, [chosen.distaff, "run", str(path), "--target", "sm_80", "--check", "--every-stage", *flags], before=before))
        runs.append(suite.Run(name + "_ptx", [chosen.distaff, "run", str(path), "--target", "sm_80", "--check", "--device", "ptx", *flags], compares=False))
    suite.main(runs, chosen)
