"""The kernels that near_misses.py changes: each matches one of the compiler's rewrites as it is.

BASES maps a name to a function that makes the kernel's `Nests`. What each is for is said beside it.
Extents are small, as values are computed in Python, and are no multiples where that adds a mask.
"""
from loop_nests import Nests, At, Value

LOWEST, INF = {"f32": float("-inf"), "i32": -2**31}, float("inf")
BASES = {}


def base(make):
    BASES[make.__name__] = make
    return make


def product(nests, a, b, loops, of, sum="f32", start=0, extend=True):
    """of: where a, b and the result lie, such as ("02", "21", "01"); the last loops that the result lacks are summed over."""
    kind = "f" if sum[0] in "fb" else "i"
    body, names = [], ["x0", "x1"]
    for i, value in enumerate((a, b)):
        if value.element != sum and extend:
            body.append((f"e{i}", "extf" if kind == "f" else "extsi", (f"x{i}",), sum))
            names[i] = f"e{i}"
    body += [("p", f"mul{kind}", tuple(names), sum), ("y0", f"add{kind}", ("o0", "p"), sum)]
    kinds = "".join("p" if str(d) in of[2] else "r" for d in range(len(loops)))
    return nests.nest(loops, kinds, [(a, of[0]), (b, of[1])], [(start, sum, of[2])], body)


def fold(nests, value, loops, kept, combine, start, element=None):
    element = element or value.element
    rank = "".join(map(str, range(len(loops))))
    return nests.nest(loops, "".join("p" if str(d) in kept else "r" for d in range(len(loops))), [(value, rank)], [(start, element, kept)],
                      [("y0", combine, ("o0", "x0"), element)])


def plain_product(name, element, sum, m, n, k, order=("02", "21", "01"), start=0):
    nests = Nests(name)
    sizes = {"0": m, "1": n, "2": k}
    a, b = (nests.argument([sizes[c] for c in of], element) for of in order[:2])
    return nests.returns(product(nests, a, b, [m, n, k], order, sum, start))


@base
def product_f16():
    """MMA instructions, promotion of operands, multi-buffering; panels and cache blocking on a CPU."""
    return plain_product("product_f16", "f16", "f32", 32, 48, 64)


@base
def product_bf16_transposed():
    return plain_product("product_bf16_transposed", "bf16", "f32", 33, 40, 36, ("20", "12", "10"))


@base
def product_f32():
    """No instruction without --allow-tf32; lanes' own tiles; register tiles on a CPU."""
    return plain_product("product_f32", "f32", "f32", 24, 33, 40)


@base
def product_i8():
    """dp4a, and products of words on a CPU."""
    return plain_product("product_i8", "i8", "i32", 32, 32, 68)


@base
def product_long():
    """A sum in parts, which a second launch combines."""
    return plain_product("product_long", "f32", "f32", 4, 8, 2048)


@base
def row_sum_long():
    nests = Nests("row_sum_long")
    return nests.returns(fold(nests, nests.argument([3, 9000], "f32"), [3, 9000], "0", "addf", 0))


@base
def zero_points():
    """Zero points that are taken off beside the product."""
    nests = Nests("zero_points")
    a, b = nests.argument([24, 68], "i8", -9, 9), nests.argument([68, 32], "i8", -9, 9)
    rows, columns = nests.argument([24], "i32", -5, 5), nests.argument([32], "i32", -5, 5)
    body = [("e0", "extsi", ("x0",), "i32"), ("e1", "extsi", ("x1",), "i32"), ("s0", "subi", ("e0", "x2"), "i32"), ("s1", "subi", ("e1", "x3"), "i32"),
            ("p", "muli", ("s0", "s1"), "i32"), ("y0", "addi", ("o0", "p"), "i32")]
    return nests.returns(nests.nest([24, 32, 68], "ppr", [(a, "02"), (b, "21"), (rows, "0"), (columns, "1")], [(0, "i32", "01")], body))


@base
def batch_product():
    nests = Nests("batch_product")
    a, b = nests.argument([3, 17, 24], "f16"), nests.argument([3, 24, 20], "f16")
    return nests.returns(product(nests, a, b, [3, 17, 20, 24], ("013", "032", "012")))


@base
def product_and_epilogue():
    """Bias and maximum in the product's own launch."""
    nests = Nests("product_and_epilogue")
    a, b, bias = nests.argument([32, 32], "f16"), nests.argument([32, 40], "f16"), nests.argument([40], "f32")
    made = product(nests, a, b, [32, 40, 32], ("02", "21", "01"))
    return nests.returns(nests.map(made, [("s", "addf", ("x0", "x1"), "f32"), ("c", "const", (0.0,), "f32"), ("y0", "maximumf", ("s", "c"), "f32")], [(bias, "1")]))


@base
def product_of_scaled():
    """What is computed where the product reads it."""
    nests = Nests("product_of_scaled")
    a, b, scale = nests.argument([33, 32], "f16"), nests.argument([32, 32], "f16"), nests.argument([32], "f16")
    scaled = nests.map(a, [("y0", "mulf", ("x0", "x1"), "f16")], [(scale, "1")])
    return nests.returns(product(nests, scaled, b, [33, 32, 32], ("02", "21", "01")))


@base
def two_products():
    nests = Nests("two_products")
    a, b, c = nests.argument([16, 24], "f16"), nests.argument([24, 32], "f16"), nests.argument([32, 20], "f16", -1, 1)
    first = product(nests, a, b, [16, 32, 24], ("02", "21", "01"))
    narrow = nests.map(first, [("y0", "truncf", ("x0",), "f16")], element="f16")
    return nests.returns(product(nests, narrow, c, [16, 20, 32], ("02", "21", "01")))


def softmax_of(nests, scores, rows, columns):
    """(exponentials, their sums), each op of its own."""
    top = fold(nests, scores, [rows, columns], "0", "maximumf", LOWEST["f32"])
    powers = nests.map(scores, [("d", "subf", ("x0", "x1"), "f32"), ("y0", "exp", ("d",), "f32")], [(top, "0")])
    return powers, fold(nests, powers, [rows, columns], "0", "addf", 0.0)


@base
def softmax():
    nests = Nests("softmax", exact=False)
    powers, sums = softmax_of(nests, nests.argument([9, 77], "f32"), 9, 77)
    return nests.returns(nests.map(powers, [("y0", "divf", ("x0", "x1"), "f32")], [(sums, "0")]))


@base
def attention():
    """Softmax that walks its keys once."""
    nests = Nests("attention", exact=False)
    q, k, v = nests.argument([16, 16], "f16", -1, 1), nests.argument([48, 16], "f16", -1, 1), nests.argument([48, 16], "f16")
    powers, sums = softmax_of(nests, product(nests, q, k, [16, 48, 16], ("02", "12", "01")), 16, 48)
    weights = nests.map(powers, [("q", "divf", ("x0", "x1"), "f32"), ("y0", "truncf", ("q",), "f16")], [(sums, "0")], "f16")
    return nests.returns(product(nests, weights, v, [16, 16, 48], ("02", "21", "01")))


@base
def layernorm():
    nests = Nests("layernorm", exact=False)
    x, gamma, beta = nests.argument([9, 64], "f32"), nests.argument([64], "f32"), nests.argument([64], "f32")
    total = fold(nests, x, [9, 64], "0", "addf", 0.0)
    centred = nests.map(x, [("c", "const", (1 / 64,), "f32"), ("m", "mulf", ("x1", "c"), "f32"), ("y0", "subf", ("x0", "m"), "f32")], [(total, "0")])
    squares = nests.map(centred, [("y0", "mulf", ("x0", "x0"), "f32")])
    sums = fold(nests, squares, [9, 64], "0", "addf", 0.0)
    return nests.returns(nests.map(centred, [("c", "const", (1 / 64,), "f32"), ("v", "mulf", ("x1", "c"), "f32"), ("e", "const", (0.5,), "f32"), ("w", "addf", ("v", "e"), "f32"),
                                             ("r", "rsqrt", ("w",), "f32"), ("n", "mulf", ("x0", "r"), "f32"), ("g", "mulf", ("n", "x2"), "f32"), ("y0", "addf", ("g", "x3"), "f32")],
                                   [(sums, "0"), (gamma, "1"), (beta, "1")]))


def arg(compare, start):
    nests = Nests(f"arg_{compare}")
    x = nests.argument([9, 77], "f32", -6, 6)
    body = [("i", "index", (1,), "index"), ("j", "index_cast", ("i",), "i32"), ("c", compare, ("x0", "o0"), "f32"), ("y0", "select", ("c", "x0", "o0"), "f32"), ("y1", "select", ("c", "j", "o1"), "i32")]
    return nests.returns(*nests.nest([9, 77], "pr", [(x, "01")], [(start, "f32", "0"), (0, "i32", "0")], body))


@base
def arg_max():
    """One comparison that also says where."""
    return arg("ogt", -INF)


@base
def arg_min():
    return arg("olt", INF)


@base
def arg_least_last():
    """Of equal ones the last."""
    return arg("ole", INF)


@base
def sum_and_maximum():
    """Two results of one walk."""
    nests = Nests("sum_and_maximum")
    x = nests.argument([7, 5, 33], "i32", -99, 99)
    return nests.returns(*nests.nest([7, 5, 33], "prr", [(x, "012")], [(0, "i32", "0"), (-10**6, "i32", "0")],
                                     [("y0", "addi", ("o0", "x0"), "i32"), ("y1", "maxsi", ("o1", "x0"), "i32")]))


@base
def convolution():
    nests = Nests("convolution")
    image, filter = nests.argument([2, 9, 8, 8], "f16"), nests.argument([3, 2, 8, 16], "f16")
    body = [("e0", "extf", ("x0",), "f32"), ("e1", "extf", ("x1",), "f32"), ("p", "mulf", ("e0", "e1"), "f32"), ("y0", "addf", ("o0", "p"), "f32")]
    at = [At({0: 1}), At({1: 1, 4: 1}), At({2: 1, 5: 1}), At({6: 1})]
    return nests.returns(nests.nest([2, 7, 7, 16, 3, 2, 8], "pppprrr", [(image, at), (filter, "4563")], [(0.0, "f32", "0123")], body))


@base
def rotated():
    """Three and four dims that go round."""
    nests = Nests("rotated")
    x, y = nests.argument([5, 12, 17], "f32"), nests.argument([17, 5, 12], "f32")
    turned = nests.nest([5, 12, 17], "ppp", [(x, "012"), (y, "201")], [(None, "f32", "120")], [("y0", "subf", ("x0", "x1"), "f32")])
    return nests.returns(nests.map(turned, [("y0", "negf", ("x0",), "f32")]))


@base
def gathered():
    nests = Nests("gathered")
    table, rows = nests.argument([21, 16], "f32", -99, 99), nests.argument([9], "i32", 0, 20)
    body = [("i", "index_cast", ("x0",), "index"), ("j", "index", (1,), "index"), ("v", "extract", (table, "i", "j"), "f32"), ("y0", "negf", ("v",), "f32")]
    return nests.returns(nests.nest([9, 16], "pp", [(rows, "0")], [(None, "f32", "01")], body))


@base
def chain():
    """Elementwise ops of one launch, the last of which reads the first again."""
    nests = Nests("chain")
    x, y = nests.argument([10, 36], "f32"), nests.argument([36], "f32")
    first = nests.map(x, [("y0", "subf", ("x0", "x1"), "f32")], [(y, "1")])
    second = nests.map(first, [("c", "const", (3.0,), "f32"), ("y0", "mulf", ("x0", "c"), "f32")])
    return nests.returns(nests.map(second, [("y0", "subf", ("x1", "x0"), "f32")], [(first, "01")]))


@base
def mean_of_columns():
    nests = Nests("mean_of_columns")
    x = nests.argument([33, 20], "i32", -99, 99)
    total = fold(nests, x, [33, 20], "1", "addi", 0)
    return nests.returns(nests.map(x, [("y0", "subi", ("x0", "x1"), "i32")], [(total, "1")]), total)


@base
def smallest_sum():
    """A semiring's product."""
    nests = Nests("smallest_sum")
    a, b = nests.argument([17, 20], "f32"), nests.argument([20, 24], "f32")
    return nests.returns(nests.nest([17, 24, 20], "ppr", [(a, "02"), (b, "21")], [(INF, "f32", "01")], [("p", "addf", ("x0", "x1"), "f32"), ("y0", "minimumf", ("o0", "p"), "f32")]))


@base
def row_in_parts():
    """Rows much longer than a workgroup's tile, a maximum and what depends on it."""
    nests = Nests("row_in_parts")
    x = nests.argument([2, 3000], "f32", -999, 999)
    top = fold(nests, x, [2, 3000], "0", "maximumf", LOWEST["f32"])
    return nests.returns(nests.map(x, [("y0", "subf", ("x0", "x1"), "f32")], [(top, "0")]))
