"""Kernels that move data: to and from computed positions, and into other shapes."""
from linalg_builder import kernel

MN = ({"m": 32, "n": 256}, {"m": 13, "n": 301})


@kernel("gather", {"t": 32, "v": 100, "h": 64}, {"t": 29, "v": 101, "h": 45}, dynamic="t h")
def embedding(b):
    table, ids = b.arg("v h", "f16"), b.arg("t", "i32")
    out = b.empty("t h", "f16")
    return b.generic("d0 d1", [(ids, "d0")], [(out, "d0, d1")],
                     ["%i = arith.index_cast %x0 : i32 to index", "%j = linalg.index 1 : index", f"%y0 = tensor.extract {table[0]}[%i, %j] : {b.of(table)}"])


@kernel("gather", *MN)
def take_along_rows(b):
    x, ids = b.arg("m n", "f32"), b.arg("m n", "i32")
    return b.map([ids], "f32", ["%i = linalg.index 0 : index", "%j = arith.index_cast %x0 : i32 to index", f"%y0 = tensor.extract {x[0]}[%i, %j] : {b.of(x)}"])


@kernel("shape", {"m": 32, "n": 64}, {"m": 13, "n": 47})
def slice_rows(b):
    x = b.arg(["m+2", "n"], "f32")
    name = b.fresh()
    b.line(f"{name} = tensor.extract_slice {x[0]}[2, 0] [{b.extent('m')}, {b.extent('n')}] [1, 1] : {b.of(x)} to {b.type(['m', 'n'], 'f32')}")
    return b.map([(name, ["m", "n"], "f32")], "f32", ["%y0 = arith.negf %x0 : f32"])


@kernel("shape", {"m": 32, "n": 64}, {"m": 13, "n": 47})
def pad_edges(b):
    x = b.arg("m n", "f32")
    value, name = b.constant("1.5", "f32"), b.fresh()
    b.line(f"{name} = tensor.pad {x[0]} low[1, 2] high[3, 1] {{\n  ^bb0(%i: index, %j: index):\n    tensor.yield {value} : f32\n  }} : {b.of(x)} to {b.type(['m+4', 'n+3'], 'f32')}")
    return name, ["m+4", "n+3"], "f32"


@kernel("shape", {"m": 32, "n": 64}, {"m": 13, "n": 47})
def concat_columns(b):
    x, y = b.arg("m n", "f32"), b.arg(["m", "n+3"], "f32")
    name = b.fresh()
    b.line(f"{name} = tensor.concat dim(1) {x[0]}, {y[0]} : ({b.of(x)}, {b.of(y)}) -> {b.type(['m', '2*n+3'], 'f32')}")
    return name, ["m", "2*n+3"], "f32"


@kernel("shape", {"m": 8, "h": 4, "d": 16}, {"m": 7, "h": 3, "d": 13})
def split_heads(b):
    x = b.arg(["m", "h*d"], "f16")
    y = b.reshape(x, [[0], [1, 2]], ["m", "h", "d"], expand=True)
    return b.map([y], "f16", ["%y0 = arith.negf %x0 : f16"], ["h", "m", "d"])


@kernel("shape", {"m": 8, "h": 4, "d": 16}, {"m": 7, "h": 3, "d": 13})
def merge_heads(b):
    x = b.arg("h m d", "f16")
    y = b.map([x], "f16", ["%y0 = arith.negf %x0 : f16"], ["m", "h", "d"])
    return b.reshape(y, [[0], [1, 2]], ["m", "h*d"], expand=False)


# ------------------------------------------------------------------ scatters
def scatter(b, source, into, at, dims):
    name = b.fresh()
    b.line(f"{name} = tensor.scatter {source[0]} into {into[0]}[{at[0]}] scatter_dims([{dims}]) unique : ({b.of(source)}, {b.of(into)}, {b.of(at)}) -> {b.of(into)}")
    return name, into[1], into[2]


@kernel("scatter", {"s": 64, "t": 16, "h": 64}, {"s": 101, "t": 29, "h": 45}, dynamic="s t h")
def update_cache(b):
    cache, new, slots = b.arg("s h", "f16"), b.arg("t h", "f32"), b.arg(["t", 1], "i64")
    new = b.map([new], "f16", ["%y0 = arith.truncf %x0 : f32 to f16"])
    return scatter(b, new, cache, slots, 0)


@kernel("scatter", {"s": 64, "t": 16, "h": 4, "d": 16}, {"s": 37, "t": 29, "h": 3, "d": 13}, dynamic="s t")
def update_cache_of_heads(b):
    cache, new, slots = b.arg("h s d", "f32"), b.arg("t h d", "f32"), b.arg(["t", 1], "i32")
    return scatter(b, new, cache, slots, 1)


@kernel("scatter", {"s": 512, "t": 128}, {"s": 509, "t": 131}, dynamic="s t")
def scatter_elements(b):
    into, x, to = b.arg("s", "f32"), b.arg("t", "f32"), b.arg(["t", 1], "i32")
    into = b.map([into], "f32", ["%y0 = arith.negf %x0 : f32"])
    return scatter(b, x, into, to, 0)


@kernel("gather", {"m": 32, "n": 64, "t": 64, "c": 4}, {"m": 13, "n": 47, "t": 51, "c": 3}, dynamic="t")
def gather_points(b):
    image, at, name = b.arg("m n c", "f32"), b.arg(["t", 2], "i32"), b.fresh()
    out = b.type(["t", "c"], "f32")
    b.line(f"{name} = tensor.gather {image[0]}[{at[0]}] gather_dims([0, 1]) : ({b.of(image)}, {b.of(at)}) -> {out}")
    return name, ["t", "c"], "f32"


# ------------------------------------------------------------------ computed where they are read
@kernel("convolution", {"b": 1, "h": 8, "w": 16, "c": 16, "f": 16}, {"b": 2, "h": 7, "w": 9, "c": 5, "f": 11}, dynamic="b")
def conv_2d_same(b):
    x, w = b.arg("b h w c", "f16"), b.arg([3, 3, "c", "f"], "f16")
    zero = b.constant("0.0", "f16")
    x = b.map([x], "f16", [f"%y0 = arith.maximumf %x0, {zero} : f16"])
    name, dims = b.fresh(), ["b", "h+2", "w+2", "c"]
    b.line(f"{name} = tensor.pad {x[0]} low[0, 1, 1, 0] high[0, 1, 1, 0] {{\n  ^bb0(%i: index, %j: index, %k: index, %l: index):\n    tensor.yield {zero} : f16\n  }} : {b.of(x)} to {b.type(dims, 'f16')}")
    return b.named("conv_2d_nhwc_hwcf", [(name, dims, "f16"), w], b.fill("b h w f", "f32", "0.0"), "{dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}")


@kernel("shape", {"s": 32, "h": 4, "d": 32}, {"s": 13, "h": 3, "d": 23}, dynamic="s")
def rotary_embedding(b):
    x, cos, sin = b.arg(["s", "h", "2*d"], "f16"), b.arg(["s", "2*d"], "f32"), b.arg(["s", "2*d"], "f32")

    def half(first):
        name = b.fresh()
        size = ", ".join([b.sizes.get("s", str(b.extent("s"))), str(b.extent("h")), str(b.extent("d"))])
        b.line(f"{name} = tensor.extract_slice {x[0]}[0, 0, {first}] [{size}] [1, 1, 1] : {b.of(x)} to {b.type(['s', 'h', 'd'], 'f16')}")
        return name, ["s", "h", "d"], "f16"

    back = b.map([half(b.extent("d"))], "f16", ["%y0 = arith.negf %x0 : f16"])
    rotated = (b.fresh(), x[1], "f16")
    parts = [back, half("0")]
    b.line(f"{rotated[0]} = tensor.concat dim(2) {', '.join(p[0] for p in parts)} : ({', '.join(map(b.of, parts))}) -> {b.of(rotated)}")
    return b.map([x, rotated, cos, sin], "f16", ["%a = arith.extf %x0 : f16 to f32", "%b = arith.extf %x1 : f16 to f32", "%p = arith.mulf %a, %x2 : f32",
                                                 "%q = arith.mulf %b, %x3 : f32", "%r = arith.addf %p, %q : f32", "%y0 = arith.truncf %r : f32 to f16"])
