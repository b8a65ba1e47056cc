"""Kernels on linalg as practitioners write them, for any extents.

KERNELS is a list of `Kernel`. Each is built from extents by the names of its
dimensions: `kernel.text({"m": 64, "n": 32, "k": 16})`. Where `dynamic` names
dimensions, `text(extents, dynamic=True)` has `?` in their place, and
`kernel.flags(extents)` are the --shape and --input flags of a run with them.
"""
from linalg_builder import INF, KERNELS, kernel


MNK = ({"m": 64, "n": 64, "k": 32}, {"m": 77, "n": 45, "k": 67})
MN = ({"m": 32, "n": 256}, {"m": 13, "n": 301})


# ------------------------------------------------------------------ contractions
def contraction(b, loops, reduced, lhs, rhs, out, types=("f16", "f16", "f32"), start="0.0"):
    a, c = b.arg(lhs, types[0]), b.arg(rhs, types[1])
    acc = types[2]
    kind = "i" if acc.startswith("i") else "f"
    extend = "arith.extsi" if kind == "i" else "arith.extf"
    body, names = [], []
    for x, t in zip(("x0", "x1"), types):
        if t != acc:
            body.append(f"%{x}e = {extend} %{x} : {t} to {acc}")
        names.append(f"%{x}e" if t != acc else f"%{x}")
    body += [f"%p = arith.mul{kind} {', '.join(names)} : {acc}", f"%y0 = arith.add{kind} %o0, %p : {acc}"]
    init = b.fill(out, acc, start)
    commas = lambda t: ", ".join(t.split())
    return b.generic(loops, [(a, commas(lhs)), (c, commas(rhs))], [(init, commas(out))], body, reduced)


@kernel("matmul", *MNK, dynamic="m n k")
def matmul_f16(b):
    a, c = b.arg("m k", "f16"), b.arg("k n", "f16")
    return b.named("matmul", [a, c], b.fill("m n", "f32", "0.0"))


@kernel("matmul", *MNK, dynamic="m n k")
def matmul_bf16_nt(b):
    return contraction(b, "m n k", "k", "m k", "n k", "m n", ("bf16", "bf16", "f32"))


@kernel("matmul", *MNK, dynamic="m n k")
def matmul_tn_f16(b):
    return contraction(b, "m n k", "k", "k m", "k n", "m n")


@kernel("matmul", *MNK, dynamic="m n k")
def matmul_tt_f32(b):
    return contraction(b, "m n k", "k", "k m", "n k", "m n", ("f32", "f32", "f32"))


@kernel("matmul", *MNK, dynamic="m n k")
def matmul_transposed_result(b):
    return contraction(b, "m n k", "k", "m k", "k n", "n m")


@kernel("matmul", *MNK, dynamic="m")
def matmul_i8(b):
    return contraction(b, "m n k", "k", "m k", "k n", "m n", ("i8", "i8", "i32"), "0")


@kernel("matmul", {"m": 32, "n": 32, "k": 16}, {"m": 19, "n": 23, "k": 29})
def matmul_f64(b):
    return contraction(b, "m n k", "k", "m k", "k n", "m n", ("f64", "f64", "f64"))


@kernel("matmul", {"b": 2, "m": 32, "n": 32, "k": 32}, {"b": 3, "m": 17, "n": 35, "k": 19}, dynamic="b m n k")
def batch_matmul(b):
    a, c = b.arg("b m k", "f16"), b.arg("b k n", "f16")
    return b.named("batch_matmul", [a, c], b.fill("b m n", "f32", "0.0"))


@kernel("matmul", {"b": 2, "m": 32, "n": 32, "k": 32}, {"b": 3, "m": 17, "n": 35, "k": 19}, dynamic="m")
def batch_matmul_nt(b):
    return contraction(b, "b m n k", "k", "b m k", "b n k", "b m n")


@kernel("matmul", {"m": 64, "k": 256}, {"m": 61, "k": 337}, dynamic="m k")
def matvec(b):
    a, x = b.arg("m k", "f32"), b.arg("k", "f32")
    return b.named("matvec", [a, x], b.fill("m", "f32", "0.0"))


@kernel("matmul", {"n": 64, "k": 256}, {"n": 61, "k": 337}, dynamic="n k")
def vecmat(b):
    x, a = b.arg("k", "f32"), b.arg("k n", "f32")
    return b.named("vecmat", [x, a], b.fill("n", "f32", "0.0"))


@kernel("matmul", {"k": 512}, {"k": 1009}, dynamic="k")
def dot(b):
    x, y = b.arg("k", "f32"), b.arg("k", "f32")
    return b.named("dot", [x, y], b.fill([], "f32", "0.0"))


@kernel("matmul", {"b": 2, "m": 32, "k": 64}, {"b": 3, "m": 29, "k": 73}, dynamic="b m")
def batch_matvec_f16(b):
    return contraction(b, "b m k", "k", "b m k", "b k", "b m")


@kernel("matmul", {"m": 32, "n": 64}, {"m": 33, "n": 57}, dynamic="m n")
def outer_product(b):
    x, y = b.arg("m", "f32"), b.arg("n", "f32")
    return b.map([x, y], "f32", ["%y0 = arith.mulf %x0, %x1 : f32"], ["m", "n"])


@kernel("matmul", *MNK, dynamic="m")
def matmul_bias_relu(b):
    a, c, bias = b.arg("m k", "f16"), b.arg("k n", "f16"), b.arg("n", "f32")
    r = b.named("matmul", [a, c], b.fill("m n", "f32", "0.0"))
    return b.map([r, bias], "f32", ["%z = arith.constant 0.0 : f32", "%s = arith.addf %x0, %x1 : f32", "%y0 = arith.maximumf %s, %z : f32"])


@kernel("matmul", *MNK, dynamic="m")
def matmul_residual_cast(b):
    a, c, res = b.arg("m k", "f16"), b.arg("k n", "f16"), b.arg("m n", "f16")
    r = b.named("matmul", [a, c], b.fill("m n", "f32", "0.0"))
    return b.map([r, res], "f16", ["%e = arith.extf %x1 : f16 to f32", "%s = arith.addf %x0, %e : f32", "%y0 = arith.truncf %s : f32 to f16"])


@kernel("matmul", *MNK)
def matmul_scaled_prologue(b):
    a, c, scale = b.arg("m k", "f16"), b.arg("k n", "f16"), b.arg("m", "f16")
    scaled = b.map([a, scale], "f16", ["%y0 = arith.mulf %x0, %x1 : f16"], ["m", "k"])
    return b.named("matmul", [scaled, c], b.fill("m n", "f32", "0.0"))


def semiring(b, times, plus, start, element="f32"):
    a, c = b.arg("m k", element), b.arg("k n", element)
    body = [f"%p = {times} %x0, %x1 : {element}", f"%y0 = {plus} %o0, %p : {element}"]
    return b.generic("m n k", [(a, "m, k"), (c, "k, n")], [(b.fill("m n", element, start), "m, n")], body, "k")


SMALL_MNK = ({"m": 32, "n": 32, "k": 16}, {"m": 29, "n": 35, "k": 23})


@kernel("semiring", *SMALL_MNK, dynamic="m n k")
def min_plus(b):
    return semiring(b, "arith.addf", "arith.minimumf", "0x7F800000")


@kernel("semiring", *SMALL_MNK)
def max_times(b):
    return semiring(b, "arith.mulf", "arith.maximumf", "0xFF800000")


@kernel("semiring", *SMALL_MNK)
def or_and(b):
    return semiring(b, "arith.andi", "arith.ori", "false", "i1")


# ------------------------------------------------------------------ reductions
@kernel("reduction", *MN, dynamic="m n")
def row_sum(b):
    return b.reduce(b.arg("m n", "f32"), [1], "arith.addf", "0.0")


@kernel("reduction", *MN, dynamic="m n")
def column_sum(b):
    return b.reduce(b.arg("m n", "f32"), [0], "arith.addf", "0.0")


@kernel("reduction", *MN, dynamic="m n")
def full_sum(b):
    return b.reduce(b.arg("m n", "f32", "whole:3:-2:3"), [0, 1], "arith.addf", "0.0")


@kernel("reduction", *MN, dynamic="m n")
def row_max_kept(b):
    return b.reduce(b.arg("m n", "f16"), [1], "arith.maximumf", INF["f16"], keep=True)


@kernel("reduction", {"b": 4, "m": 16, "n": 32}, {"b": 3, "m": 17, "n": 29}, dynamic="b m n")
def middle_min(b):
    return b.reduce(b.arg("b m n", "i32"), [1], "arith.minsi", "2147483647")


@kernel("reduction", {"b": 4, "m": 16, "n": 32}, {"b": 3, "m": 17, "n": 29})
def outer_and_inner_sum(b):
    return b.reduce(b.arg("b m n", "f32", "whole:3:-2:3"), [0, 2], "arith.addf", "0.0")


@kernel("reduction", *MN)
def row_product_i64(b):
    return b.reduce(b.arg("m n", "i64"), [1], "arith.muli", "1")


@kernel("reduction", *MN)
def row_any(b):
    return b.reduce(b.arg("m n", "i1"), [1], "arith.ori", "false")


def arg_of(b, compare, start, best_of=None):
    x = b.arg("m n", "f32")
    best, place = b.fill("m", "f32", start), b.fill("m", "i32", "0")
    return b.generic("m n", [(x, "m, n")], [(best, "m"), (place, "m")],
                     ["%i = linalg.index 1 : index", "%p = arith.index_cast %i : index to i32", f"%c = arith.cmpf {compare}, %x0, %o0 : f32",
                      f"%y0 = {best_of} %x0, %o0 : f32" if best_of else "%y0 = arith.select %c, %x0, %o0 : f32", "%y1 = arith.select %c, %p, %o1 : i32"], "n")


@kernel("reduction", *MN, dynamic="m n")
def argmax(b):
    return arg_of(b, "ogt", "0xFF800000")


@kernel("reduction", *MN, dynamic="m n")
def argmax_of_exporters(b):
    return arg_of(b, "ogt", "0xFF800000", "arith.maximumf")


@kernel("reduction", *MN)
def argmin(b):
    return arg_of(b, "olt", "0x7F800000")


@kernel("reduction", *MN)
def row_mean_and_variance(b):
    x = b.arg("m n", "f32")
    total = b.reduce(x, [1], "arith.addf", "0.0")
    count = b.constant(float(b.extent("n")), "f32")
    mean = b.map([total], "f32", [f"%y0 = arith.divf %x0, {count} : f32"])
    out = b.fill("m", "f32", "0.0")
    squares = b.generic("d0 d1", [(x, "d0, d1"), (mean, "d0")], [(out, "d0")],
                        ["%d = arith.subf %x0, %x1 : f32", "%s = arith.mulf %d, %d : f32", "%y0 = arith.addf %s, %o0 : f32"], "d1")
    return [mean, b.map([squares], "f32", [f"%v = arith.divf %x0, {count} : f32", "%e = arith.constant 1.0e-05 : f32", "%y0 = arith.addf %v, %e : f32"])]


# ------------------------------------------------------------------ softmax, norms
@kernel("softmax", *MN, dynamic="m n")
def softmax(b):
    return b.softmax(b.arg("m n", "f32"), 1)


@kernel("softmax", *MN, dynamic="m n")
def softmax_f16(b):
    x = b.map([b.arg("m n", "f16")], "f32", ["%y0 = arith.extf %x0 : f16 to f32"])
    return b.map([b.softmax(x, 1)], "f16", ["%y0 = arith.truncf %x0 : f32 to f16"])


@kernel("softmax", {"m": 64, "n": 32}, {"m": 37, "n": 29})
def softmax_of_columns(b):
    return b.softmax(b.arg("m n", "f32"), 0)


def exp_sum(b, x):
    top = b.reduce(x, [1], "arith.maximumf", INF["f32"])
    shifted = b.map([x, top], "f32", ["%y0 = arith.subf %x0, %x1 : f32"])
    powers = b.map([shifted], "f32", ["%y0 = math.exp %x0 : f32"])
    return top, shifted, b.reduce(powers, [1], "arith.addf", "0.0")


@kernel("softmax", *MN, dynamic="m n")
def log_softmax(b):
    _, shifted, total = exp_sum(b, b.arg("m n", "f32"))
    return b.map([shifted, total], "f32", ["%l = math.log %x1 : f32", "%y0 = arith.subf %x0, %l : f32"])


@kernel("softmax", *MN, dynamic="m n")
def logsumexp(b):
    top, _, total = exp_sum(b, b.arg("m n", "f32"))
    return b.map([top, total], "f32", ["%l = math.log %x1 : f32", "%y0 = arith.addf %x0, %l : f32"])


@kernel("norm", *MN)
def layernorm(b):
    x, gamma, beta = b.arg("m n", "f32"), b.arg("n", "f32"), b.arg("n", "f32")
    count = b.constant(float(b.extent("n")), "f32")
    total = b.reduce(x, [1], "arith.addf", "0.0")
    centred = b.map([x, total], "f32", [f"%a = arith.divf %x1, {count} : f32", "%y0 = arith.subf %x0, %a : f32"])
    squares = b.reduce(b.map([centred], "f32", ["%y0 = arith.mulf %x0, %x0 : f32"]), [1], "arith.addf", "0.0")
    return b.map([centred, squares, gamma, beta], "f32",
                 [f"%a = arith.divf %x1, {count} : f32", "%e = arith.constant 1.0e-05 : f32", "%s = arith.addf %a, %e : f32",
                  "%r = math.rsqrt %s : f32", "%n = arith.mulf %x0, %r : f32", "%g = arith.mulf %n, %x2 : f32", "%y0 = arith.addf %g, %x3 : f32"])


@kernel("norm", *MN)
def rmsnorm_f16(b):
    x, gamma = b.arg("m n", "f16"), b.arg("n", "f16")
    wide = b.map([x], "f32", ["%y0 = arith.extf %x0 : f16 to f32"])
    count = b.constant(float(b.extent("n")), "f32")
    squares = b.reduce(b.map([wide], "f32", ["%y0 = arith.mulf %x0, %x0 : f32"]), [1], "arith.addf", "0.0", keep=True)
    out = b.empty("m n", "f16")
    return b.generic("d0 d1", [(wide, "d0, d1"), (squares, "d0, 0"), (gamma, "d1")], [(out, "d0, d1")],
                     [f"%a = arith.divf %x1, {count} : f32", "%e = arith.constant 1.0e-06 : f32", "%s = arith.addf %a, %e : f32", "%r = math.rsqrt %s : f32",
                      "%n = arith.mulf %x0, %r : f32", "%g = arith.extf %x2 : f16 to f32", "%w = arith.mulf %n, %g : f32", "%y0 = arith.truncf %w : f32 to f16"])


@kernel("norm", {"b": 2, "c": 16, "m": 8, "n": 16}, {"b": 3, "c": 5, "m": 7, "n": 9}, dynamic="b")
def batchnorm_inference(b):
    x, mean, scale = b.arg("b c m n", "f32"), b.arg("c", "f32"), b.arg("c", "f32")
    return b.map([x, mean, scale], "f32", ["%d = arith.subf %x0, %x1 : f32", "%y0 = arith.mulf %d, %x2 : f32"])


# ------------------------------------------------------------------ elementwise
@kernel("elementwise", *MN, dynamic="m n")
def add(b):
    x, y = b.arg("m n", "f32"), b.arg("m n", "f32")
    return b.named("add", [x, y], b.empty("m n", "f32"))


@kernel("elementwise", *MN, dynamic="m n")
def gelu_tanh(b):
    return b.map([b.arg("m n", "f32")], "f32",
                 ["%a = arith.constant 0.044715 : f32", "%s = arith.constant 0.79788456 : f32", "%h = arith.constant 0.5 : f32", "%u = arith.constant 1.0 : f32",
                  "%q = arith.mulf %x0, %x0 : f32", "%c = arith.mulf %q, %x0 : f32", "%m = arith.mulf %c, %a : f32", "%i = arith.addf %x0, %m : f32",
                  "%j = arith.mulf %i, %s : f32", "%t = math.tanh %j : f32", "%w = arith.addf %t, %u : f32", "%z = arith.mulf %x0, %h : f32", "%y0 = arith.mulf %z, %w : f32"])


@kernel("elementwise", *MN, dynamic="m n")
def silu_times(b):
    x, y = b.arg("m n", "f16"), b.arg("m n", "f16")
    return b.map([x, y], "f16",
                 ["%e = arith.extf %x0 : f16 to f32", "%g = arith.extf %x1 : f16 to f32", "%n = arith.negf %e : f32", "%p = math.exp %n : f32", "%u = arith.constant 1.0 : f32",
                  "%d = arith.addf %p, %u : f32", "%s = arith.divf %e, %d : f32", "%w = arith.mulf %s, %g : f32", "%y0 = arith.truncf %w : f32 to f16"])


@kernel("elementwise", *MN)
def quantize_i8(b):
    return b.map([b.arg("m n", "f32")], "i8",
                 ["%s = arith.constant 100.0 : f32", "%l = arith.constant -128.0 : f32", "%h = arith.constant 127.0 : f32", "%m = arith.mulf %x0, %s : f32",
                  "%r = math.roundeven %m : f32", "%a = arith.maximumf %r, %l : f32", "%c = arith.minimumf %a, %h : f32", "%y0 = arith.fptosi %c : f32 to i8"])


@kernel("elementwise", *MN, dynamic="m")
def bias_broadcast(b):
    x, y = b.arg("m n", "f32"), b.arg("n", "f32")
    return b.map([x, y], "f32", ["%y0 = arith.addf %x0, %x1 : f32"])


@kernel("elementwise", *MN)
def select_where(b):
    x, y, c = b.arg("m n", "i16"), b.arg("m n", "i16"), b.arg("m n", "i1")
    return b.map([x, y, c], "i16", ["%y0 = arith.select %x2, %x0, %x1 : i16"])


@kernel("elementwise", *MN, dynamic="m n")
def causal_mask(b):
    x = b.arg("m n", "f32")
    return b.map([x], "f32", ["%i = linalg.index 0 : index", "%j = linalg.index 1 : index", "%c = arith.cmpi ule, %j, %i : index",
                              "%f = arith.constant 0xFF800000 : f32", "%y0 = arith.select %c, %x0, %f : f32"])


@kernel("elementwise", *MN, dynamic="m")
def constant_scales(b):
    """A table that comes with the code."""
    x, name = b.arg("m n", "f32"), b.fresh()
    numbers = ", ".join(f"{0.25 + i % 7:.2f}" for i in range(b.extent("n")))
    b.line(f"{name} = arith.constant dense<[{numbers}]> : {b.type(['n'], 'f32')}")
    return b.map([x, (name, ["n"], "f32")], "f32", ["%y0 = arith.mulf %x0, %x1 : f32"])


@kernel("elementwise", {"n": 4096}, {"n": 1013}, dynamic="n")
def fp8_to_f16(b):
    return b.map([b.arg("n", "f8E4M3FN")], "f16", ["%y0 = arith.extf %x0 : f8E4M3FN to f16"])


# ------------------------------------------------------------------ data movement
@kernel("transpose", {"m": 64, "n": 96}, {"m": 67, "n": 45}, dynamic="m n")
def transpose(b):
    x = b.arg("m n", "f32")
    return b.map([x], "f32", ["%y0 = arith.addf %x0, %x0 : f32"], ["n", "m"])


@kernel("transpose", {"b": 4, "m": 16, "n": 32}, {"b": 3, "m": 17, "n": 29}, dynamic="b m n")
def transpose_102(b):
    x, out = b.arg("b m n", "f16"), b.empty("m b n", "f16")
    name = b.fresh()
    b.line(f"{name} = linalg.transpose ins({x[0]} : {b.of(x)}) outs({out[0]} : {b.of(out)}) permutation = [1, 0, 2]")
    return name, out[1], out[2]


@kernel("transpose", {"m": 32, "n": 64}, {"m": 13, "n": 77}, dynamic="m n")
def broadcast_row(b):
    x, out = b.arg("n", "f32"), None
    y = b.arg("m", "f32")
    return b.map([x, y], "f32", ["%y0 = arith.mulf %x0, %x1 : f32"], ["m", "n"])


# ------------------------------------------------------------------ convolutions, pooling
def conv(b, x, w, out, loops, reduced, xmap, wmap, omap):
    acc = b.fill(out, "f32", "0.0")
    body = (["%a = arith.extf %x0 : f16 to f32", "%c = arith.extf %x1 : f16 to f32"] if x[2] == "f16" else ["%a = arith.addf %x0, %zero : f32"][:0])
    names = ("%a", "%c") if x[2] == "f16" else ("%x0", "%x1")
    return b.generic(loops, [(x, xmap), (w, wmap)], [(acc, omap)],
                     [*body, f"%p = arith.mulf {names[0]}, {names[1]} : f32", "%y0 = arith.addf %o0, %p : f32"], reduced)


@kernel("convolution", {"b": 1, "h": 8, "w": 16, "c": 16, "f": 16}, {"b": 2, "h": 7, "w": 9, "c": 5, "f": 11})
def conv_2d_nhwc_hwcf(b):
    x, w = b.arg(["b", "h+2", "w+2", "c"], "f16"), b.arg([3, 3, "c", "f"], "f16")
    return b.named("conv_2d_nhwc_hwcf", [x, w], b.fill("b h w f", "f32", "0.0"), "{dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}")


@kernel("convolution", {"b": 1, "h": 8, "w": 16, "c": 16, "f": 16}, {"b": 2, "h": 7, "w": 9, "c": 5, "f": 11})
def conv_2d_nchw_fchw(b):
    x, w = b.arg(["b", "c", "h+2", "w+2"], "f16"), b.arg(["f", "c", 3, 3], "f16")
    return b.named("conv_2d_nchw_fchw", [x, w], b.fill("b f h w", "f32", "0.0"), "{dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}")


@kernel("convolution", {"b": 1, "h": 8, "w": 8, "c": 8, "f": 16}, {"b": 2, "h": 5, "w": 7, "c": 3, "f": 9})
def conv_2d_strided_dilated(b):
    x, w = b.arg(["b", "2*h+4", "2*w+4", "c"], "f32"), b.arg([3, 3, "c", "f"], "f32")
    return conv(b, x, w, "b h w f", "b h w f p q c", "p q c", "b, h * 2 + p * 2, w * 2 + q * 2, c", "p, q, c, f", "b, h, w, f")


@kernel("convolution", {"b": 1, "h": 8, "w": 8, "c": 32}, {"b": 2, "h": 5, "w": 7, "c": 19})
def depthwise_conv_2d_nhwc(b):
    x, w = b.arg(["b", "h+2", "w+2", "c"], "f32"), b.arg([3, 3, "c"], "f32")
    return conv(b, x, w, "b h w c", "b h w c p q", "p q", "b, h + p, w + q, c", "p, q, c", "b, h, w, c")


@kernel("convolution", {"b": 1, "h": 4, "w": 8, "g": 2, "c": 8, "f": 8}, {"b": 2, "h": 3, "w": 5, "g": 3, "c": 5, "f": 7})
def grouped_conv_2d(b):
    x, w = b.arg(["b", "g", "c", "h+2", "w+2"], "f32"), b.arg(["g", "f", "c", 3, 3], "f32")
    return conv(b, x, w, "b g f h w", "b g f h w c p q", "c p q", "b, g, c, h + p, w + q", "g, f, c, p, q", "b, g, f, h, w")


@kernel("convolution", {"b": 2, "w": 64, "c": 16, "f": 16}, {"b": 1, "w": 37, "c": 7, "f": 5})
def conv_1d_nwc(b):
    x, w = b.arg(["b", "w+4", "c"], "f16"), b.arg([5, "c", "f"], "f16")
    return conv(b, x, w, "b w f", "b w f p c", "p c", "b, w + p, c", "p, c, f", "b, w, f")


@kernel("convolution", {"b": 1, "z": 4, "h": 4, "w": 8, "c": 4, "f": 8}, {"b": 1, "z": 3, "h": 5, "w": 7, "c": 3, "f": 5})
def conv_3d(b):
    x, w = b.arg(["b", "z+1", "h+1", "w+1", "c"], "f32"), b.arg([2, 2, 2, "c", "f"], "f32")
    return conv(b, x, w, "b z h w f", "b z h w f o p q c", "o p q c", "b, z + o, h + p, w + q, c", "o, p, q, c, f", "b, z, h, w, f")


def pooling(b, x, out, loops, reduced, xmap, omap, combine, start):
    acc = b.fill(out, x[2], start)
    window = b.empty([2, 2], x[2])
    return b.generic(loops, [(x, xmap), (window, "p, q")], [(acc, omap)], [f"%y0 = {combine} %o0, %x0 : {x[2]}"], reduced)


@kernel("pooling", {"b": 1, "h": 8, "w": 8, "c": 32}, {"b": 2, "h": 5, "w": 7, "c": 19})
def pooling_nhwc_max(b):
    x = b.arg(["b", "2*h", "2*w", "c"], "f32")
    return pooling(b, x, "b h w c", "b h w c p q", "p q", "b, h * 2 + p, w * 2 + q, c", "b, h, w, c", "arith.maximumf", INF["f32"])


@kernel("pooling", {"b": 1, "h": 8, "w": 16, "c": 8}, {"b": 2, "h": 5, "w": 7, "c": 3})
def pooling_nchw_sum(b):
    x = b.arg(["b", "c", "2*h", "2*w"], "f32")
    return pooling(b, x, "b c h w", "b c h w p q", "p q", "b, c, h * 2 + p, w * 2 + q", "b, c, h, w", "arith.addf", "0.0")


# ------------------------------------------------------------------ attention, several ops
def attention(b, mask, element="f16"):
    q, k, v = b.arg("h s d", element), b.arg("h t d", element), b.arg("h t d", element)
    ext = lambda x: [f"%{x}e = arith.extf %{x} : {element} to f32"] if element != "f32" else []
    name = lambda x: f"%{x}e" if element != "f32" else f"%{x}"
    body = [*ext("x0"), *ext("x1"), f"%p = arith.mulf {name('x0')}, {name('x1')} : f32", "%y0 = arith.addf %o0, %p : f32"]
    scores = b.generic("h s t d", [(q, "h, s, d"), (k, "h, t, d")], [(b.fill("h s t", "f32", "0.0"), "h, s, t")], body, "d")
    lines = ["%s = arith.constant 0.125 : f32", "%w = arith.mulf %x0, %s : f32"]
    if mask:
        lines += ["%i = linalg.index 1 : index", "%j = linalg.index 2 : index", "%c = arith.cmpi ule, %j, %i : index",
                  "%f = arith.constant 0xFF800000 : f32", "%y0 = arith.select %c, %w, %f : f32"]
    else:
        lines[1] = "%y0 = arith.mulf %x0, %s : f32"
    p = b.softmax(b.map([scores], "f32", lines), 2)
    if element != "f32":
        p = b.map([p], element, [f"%y0 = arith.truncf %x0 : f32 to {element}"])
    return b.generic("h s d t", [(p, "h, s, t"), (v, "h, t, d")], [(b.fill("h s d", "f32", "0.0"), "h, s, d")], body, "t")


ATTENTION = ({"h": 2, "s": 64, "t": 64, "d": 32}, {"h": 2, "s": 45, "t": 45, "d": 32})


@kernel("attention", *ATTENTION)
def attention_f16(b):
    return attention(b, mask=False)


@kernel("attention", *ATTENTION)
def attention_causal(b):
    return attention(b, mask=True)


@kernel("graph", {"m": 32, "n": 64, "k": 32}, {"m": 13, "n": 45, "k": 29})
def mlp(b):
    x, up, down = b.arg("m k", "f16"), b.arg("k n", "f16"), b.arg("n k", "f16")
    h = b.named("matmul", [x, up], b.fill("m n", "f32", "0.0"))
    h = b.map([h], "f16", ["%z = arith.constant 0.0 : f32", "%s = arith.maximumf %x0, %z : f32", "%y0 = arith.truncf %s : f32 to f16"])
    return b.named("matmul", [h, down], b.fill("m k", "f32", "0.0"))


@kernel("graph", {"m": 32, "n": 64}, {"m": 13, "n": 45})
def softmax_both_ways(b):
    x = b.softmax(b.arg("m n", "f32"), 1)
    return b.softmax(x, 0)


import linalg_moves  # noqa: E402,F401, which adds to KERNELS

if __name__ == "__main__":
    import sys
    chosen = next(k for k in KERNELS if k.name == sys.argv[1])
    print(chosen.text(chosen.shapes[sys.argv[2] if len(sys.argv) > 2 else "divisible"], len(sys.argv) > 3))
