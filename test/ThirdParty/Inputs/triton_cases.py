"""The cases of Triton: which kernel, of which sizes, with which reference.

Triton is handed no device: `triton.compile` with a GPUTarget needs no driver.
"""
import numpy as np
import triton
import triton_kernels as kernels
from third_party_case import ACCUMULATE, APPROXIMATE, BF16, F16, F32, TF32, Argument, Case, accumulated, softmax
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

POINTERS = {np.dtype(np.float32): "*fp32", np.dtype(np.float16): "*fp16", np.dtype(np.int32): "*i32", np.dtype(np.int8): "*i8"}
LOG2E = 1.4426950408889634


class Bits(np.ndarray):
    """An array of bf16, held as its bit patterns."""


def bf16(values):
    bits = np.asarray(values, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16).view(Bits)


def numbers(array):
    """The array's values in float64."""
    if isinstance(array, Bits):
        return (np.asarray(array).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64)


def compiled(name, kernel, arguments, constants, grid, warps=4, stages=3):
    """Compiles as Triton's launcher would: pointers and multiples of 16 are
    declared so, and what follows the kernel's own parameters (scratch memory
    that these kernels do not use) is null."""
    names = [n for n in kernel.arg_names if n not in constants]
    signature, attributes = {}, {}
    for place, parameter in enumerate(kernel.arg_names):
        if parameter in constants:
            signature[parameter] = "constexpr"
            continue
        value = arguments[names.index(parameter)].value
        if isinstance(value, np.ndarray):
            signature[parameter] = "*bf16" if isinstance(value, Bits) else POINTERS[value.dtype]
        else:
            signature[parameter] = "fp32" if isinstance(value, float) else "i32"
        if isinstance(value, np.ndarray) or (isinstance(value, int) and value % 16 == 0):
            attributes[(place,)] = [["tt.divisibility", 16]]
    source = ASTSource(kernel, signature, constants, attributes)
    binary = triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": warps, "num_stages": stages})
    meta, ptx = binary.metadata, binary.asm["ptx"]
    assert meta.global_scratch_size == 0 and meta.profile_scratch_size == 0, f"{name} needs scratch memory"
    hidden = parameters(ptx, meta.name) - len(arguments)
    return Case(name, "triton", ptx, meta.name, (*grid, 1, 1)[:3], (32 * meta.num_warps, 1, 1), meta.shared,
                arguments + [Argument(None)] * hidden)


def parameters(ptx, entry):
    head = ptx[ptx.index(f".entry {entry}("):]
    return head[:head.index(")")].count(".param")


def blocks(extent, tile):
    return -(-extent // tile)


def vector_add(random, count):
    a, b = (random.standard_normal(count).astype(np.float32) for _ in range(2))
    total = numbers(a) + numbers(b)
    arguments = [Argument(a), Argument(b), Argument(np.zeros(count, np.float32), total, F32 * np.abs(total)), Argument(count)]
    return compiled(f"vector_add_{count}", kernels.vector_add, arguments, {"TILE": 1024}, [blocks(count, 1024)])


def operand(random, kind, *shape):
    if kind == "i8":
        return random.integers(-128, 128, shape).astype(np.int8)
    values = random.uniform(-1, 1, shape)
    return bf16(values) if kind == "bf16" else values.astype({"f16": np.float16}.get(kind, np.float32))


def matmul(random, kind, sizes, tiles, out=np.float32, warps=4, stages=3):
    rows, columns, depth = sizes
    a, b = operand(random, kind, rows, depth), operand(random, kind, depth, columns)
    product = numbers(a) @ numbers(b)
    bound = accumulated(numbers(a), numbers(b), depth, {"tf32": TF32}.get(kind, 0.0))
    if out == np.float16:
        bound = bound + F16 * (np.abs(product) + bound)
    result = np.zeros((rows, columns), np.int32 if kind == "i8" else out)
    arguments = [Argument(a), Argument(b), Argument(result, product, 0.0 if kind == "i8" else bound),
                 *map(Argument, (rows, columns, depth, depth, columns, columns))]
    constants = {"ROWS": tiles[0], "COLUMNS": tiles[1], "DEPTH": tiles[2], "PRECISION": "ieee" if kind == "f32" else "tf32"}
    name = f"matmul_{kind}_{rows}x{columns}x{depth}"
    return compiled(name, kernels.matmul, arguments, constants, [blocks(rows, tiles[0]), blocks(columns, tiles[1])], warps, stages)


def softmax_rows(random, rows, columns, warps=4):
    x = random.uniform(-8, 8, (rows, columns)).astype(np.float32)
    expected, relative = softmax(numbers(x))
    arguments = [Argument(x), Argument(np.zeros_like(x), expected, relative * expected), Argument(columns)]
    tile = 1 << (columns - 1).bit_length()
    return compiled(f"softmax_{rows}x{columns}", kernels.softmax, arguments, {"TILE": tile}, [rows], warps)


def layer_norm(random, rows, columns, kind, tile=512):
    x = random.uniform(-2, 3, (rows, columns)).astype(kind)
    w, b = (random.uniform(-1, 1, columns).astype(np.float32) for _ in range(2))
    v = numbers(x)
    mean = v.mean(axis=1)
    inverse = 1 / np.sqrt(v.var(axis=1) + 1e-5)
    expected = (v - mean[:, None]) * inverse[:, None] * numbers(w) + numbers(b)
    # The sums have `columns` terms; the mean's error is that of a sum divided
    # once more, the deviation's relative error half that of the squares' sum.
    mean_bound = (columns + 2) * ACCUMULATE * np.abs(v).mean(axis=1)
    inverse_bound = inverse * ((columns + 4) * ACCUMULATE + APPROXIMATE + 2 * mean_bound * inverse)
    scale = np.abs(w.astype(np.float64)) * inverse[:, None]
    bound = scale * (mean_bound[:, None] + np.abs(v - mean[:, None]) * (inverse_bound / inverse)[:, None] + 4 * F32 * np.abs(v))
    bound = bound + (F16 if kind == np.float16 else 2 * F32) * (np.abs(expected) + np.abs(b))
    nothing = np.zeros(rows, np.float32)
    arguments = [Argument(x), Argument(np.zeros_like(x), expected, bound), Argument(w), Argument(b), Argument(nothing, mean, mean_bound),
                 Argument(nothing.copy(), inverse, inverse_bound), Argument(columns), Argument(1e-5)]
    return compiled(f"layer_norm_{rows}x{columns}_{np.dtype(kind).name}", kernels.layer_norm, arguments, {"TILE": tile}, [rows])


def attention(random, heads, length, width, causal, tiles=(64, 32)):
    q, k, v = (random.uniform(-1, 1, (heads, length, width)).astype(np.float16) for _ in range(3))
    scale = 1 / np.sqrt(width)
    scores = numbers(q) @ numbers(k).transpose(0, 2, 1)
    magnitudes = np.abs(numbers(q)) @ np.abs(numbers(k)).transpose(0, 2, 1)
    if causal:
        scores = np.where(np.tril(np.ones((length, length), bool)), scores, -np.inf)
    weights, relative = softmax(scores * scale)
    expected = weights @ numbers(v)
    # A score's own error moves its power and its row's sum; a rescaling per
    # block of keys adds one ex2 and one product; powers are rounded to f16.
    score_bound = (width + 3) * ACCUMULATE * (magnitudes * scale).max(axis=-1, keepdims=True)
    steps = blocks(length, tiles[1])
    relative = relative + 2 * score_bound + 2 * steps * (APPROXIMATE + F32) + F16
    bound = (weights * relative) @ np.abs(numbers(v)) + length * ACCUMULATE * (weights @ np.abs(numbers(v)))
    # Powers below f16's normal range lose an absolute part instead.
    bound = bound + length * 2.0**-25 + F16 * np.abs(expected)
    arguments = [Argument(q), Argument(k), Argument(v), Argument(np.zeros_like(q), expected, bound), Argument(length),
                 Argument(float(np.float32(scale * LOG2E)))]
    constants = {"CAUSAL": causal, "ROWS": tiles[0], "KEYS": tiles[1], "WIDTH": width}
    name = f"attention_{heads}x{length}x{width}" + ("_causal" if causal else "")
    return compiled(name, kernels.attention, arguments, constants, [blocks(length, tiles[0]), heads])


def running_sum(random, rows, columns):
    x = random.uniform(-1, 1, (rows, columns)).astype(np.float32)
    bound = np.cumsum(np.abs(numbers(x)), axis=1) * columns * ACCUMULATE
    arguments = [Argument(x), Argument(np.zeros_like(x), np.cumsum(numbers(x), axis=1), bound), Argument(columns)]
    return compiled(f"running_sum_{rows}x{columns}", kernels.running_sum, arguments, {"TILE": 512}, [rows])


def largest_places(random, rows, columns):
    x = random.integers(-500, 500, (rows, columns)).astype(np.float32)
    arguments = [Argument(x), Argument(np.zeros(rows, np.int32), x.argmax(axis=1)), Argument(np.zeros(rows, np.float32), x.max(axis=1)),
                 Argument(columns)]
    return compiled(f"largest_places_{rows}x{columns}", kernels.largest_places, arguments, {"TILE": 512}, [rows])


def count_bins(random, count, bins):
    x = random.integers(0, bins, count).astype(np.int32)
    arguments = [Argument(x), Argument(np.zeros(bins, np.int32), np.bincount(x, minlength=bins)), Argument(count)]
    return compiled(f"count_bins_{count}", kernels.count_bins, arguments, {"BINS": bins, "TILE": 512}, [blocks(count, 512)])


def elementwise(random, count, kind):
    source = random.uniform(-6, 6, count)
    x = bf16(source) if kind == "bf16" else source.astype(kind)
    v, places = numbers(x), np.arange(count)
    exponent = (v.astype(np.float32).view(np.int32) >> 23) & 255
    terms = [1 / (1 + np.exp(-v)), np.log(1 + v * v), np.sqrt(np.abs(v)), np.floor(v), np.sin(v) * np.cos(v),
             exponent / 256, places % 7, places // 11]
    expected = sum(terms)
    # sin.approx and cos.approx are within 2^-20.5 of a reduced argument, whose
    # reduction adds a rounding of |x|; 16 roundings at the sum's magnitude.
    bound = 16 * ACCUMULATE * sum(np.abs(t) for t in terms) + 2.0**-18 + 16 * F32 * np.abs(v)
    bound = bound + {"bf16": BF16}.get(kind, F32) * np.abs(expected)
    out = bf16(np.zeros(count)) if kind == "bf16" else np.zeros(count, kind)
    arguments = [Argument(x), Argument(out, np.clip(expected, -100, 1000), bound), Argument(count)]
    name = kind if kind == "bf16" else np.dtype(kind).name
    return compiled(f"elementwise_{count}_{name}", kernels.elementwise, arguments, {"TILE": 512}, [blocks(count, 512)])


def sines(random, count):
    x = (random.uniform(-1, 1, count) * 10.0 ** random.integers(-2, 30, count)).astype(np.float32)
    # The library under Triton states 2 units in the last place for its sinf.
    expected = np.sin(numbers(x))
    arguments = [Argument(x), Argument(np.zeros_like(x), expected, 2 * 2 * F32 * np.abs(expected) + 2.0**-149), Argument(count)]
    return compiled(f"sines_{count}", kernels.sines, arguments, {"TILE": 512}, [blocks(count, 512)])


def sort_rows(random, rows, columns):
    x = random.standard_normal((rows, columns)).astype(np.float32)
    arguments = [Argument(x), Argument(np.zeros_like(x), np.sort(x, axis=1)), Argument(columns)]
    return compiled(f"sort_rows_{rows}x{columns}", kernels.sort_rows, arguments, {"TILE": 256}, [rows])


def split_sum(random, count):
    x = random.integers(-100, 100, count).astype(np.float32)
    arguments = [Argument(x), Argument(np.zeros(1, np.float32), x.sum(keepdims=True)), Argument(count)]
    return compiled(f"split_sum_{count}", kernels.split_sum, arguments, {"TILE": 1024}, [blocks(count, 1024)])


CASES = {
    "vector_add": lambda r: vector_add(r, 3001),
    "vector_add_even": lambda r: vector_add(r, 4000),
    "matmul_f16": lambda r: matmul(r, "f16", (200, 152, 104), (64, 64, 32)),
    "matmul_f16_odd": lambda r: matmul(r, "f16", (67, 93, 51), (32, 64, 16), np.float16),
    "matmul_f16_large": lambda r: matmul(r, "f16", (256, 384, 192), (128, 128, 32), np.float16, warps=8, stages=4),
    "matmul_bf16": lambda r: matmul(r, "bf16", (128, 72, 80), (64, 32, 32)),
    "matmul_tf32": lambda r: matmul(r, "tf32", (96, 120, 72), (32, 64, 32)),
    "matmul_f32": lambda r: matmul(r, "f32", (50, 70, 40), (32, 32, 16)),
    "matmul_i8": lambda r: matmul(r, "i8", (96, 80, 144), (32, 64, 64)),
    "softmax": lambda r: softmax_rows(r, 37, 781),
    "softmax_long": lambda r: softmax_rows(r, 5, 4112, warps=8),
    "layer_norm": lambda r: layer_norm(r, 19, 1151, np.float32),
    "layer_norm_f16": lambda r: layer_norm(r, 12, 1280, np.float16),
    "attention": lambda r: attention(r, 2, 200, 64, False),
    "attention_causal": lambda r: attention(r, 2, 192, 64, True),
    "attention_wide": lambda r: attention(r, 1, 130, 128, True, (128, 64)),
    "running_sum": lambda r: running_sum(r, 9, 411),
    "largest_places": lambda r: largest_places(r, 11, 389),
    "count_bins": lambda r: count_bins(r, 2500, 64),
    "elementwise": lambda r: elementwise(r, 1111, np.float32),
    "elementwise_bf16": lambda r: elementwise(r, 2048, "bf16"),
    "sines": lambda r: sines(r, 3000),
    "sort_rows": lambda r: sort_rows(r, 6, 201),
    "split_sum": lambda r: split_sum(r, 10007),
}
