"""Kernels in Triton's language, written for test/ThirdParty/public_kernels.py
in the manner of its users: one program instance per tile, edges masked."""
import triton
import triton.language as tl


@triton.jit
def vector_add(left, right, out, count, TILE: tl.constexpr):
    places = tl.program_id(0) * TILE + tl.arange(0, TILE)
    inside = places < count
    total = tl.load(left + places, mask=inside) + tl.load(right + places, mask=inside)
    tl.store(out + places, total, mask=inside)


@triton.jit
def matmul(left, right, out, rows, columns, depth, left_stride, right_stride, out_stride,
           ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr, PRECISION: tl.constexpr):
    """out[rows, columns] = left[rows, depth] right[depth, columns], in the accumulator's type."""
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    k = tl.arange(0, DEPTH)
    left_places = left + i[:, None] * left_stride + k[None, :]
    right_places = right + k[:, None] * right_stride + j[None, :]
    kind: tl.constexpr = tl.int32 if left.dtype.element_ty == tl.int8 else tl.float32
    total = tl.zeros((ROWS, COLUMNS), dtype=kind)
    for first in range(0, depth, DEPTH):
        a = tl.load(left_places, mask=(i[:, None] < rows) & (first + k[None, :] < depth), other=0)
        b = tl.load(right_places, mask=(first + k[:, None] < depth) & (j[None, :] < columns), other=0)
        total = tl.dot(a, b, total, input_precision=PRECISION, out_dtype=kind)
        left_places += DEPTH
        right_places += DEPTH * right_stride
    places = out + i[:, None] * out_stride + j[None, :]
    tl.store(places, total.to(out.dtype.element_ty), mask=(i[:, None] < rows) & (j[None, :] < columns))


@triton.jit
def softmax(source, out, columns, TILE: tl.constexpr):
    """One row per instance."""
    row = tl.program_id(0)
    j = tl.arange(0, TILE)
    inside = j < columns
    x = tl.load(source + row * columns + j, mask=inside, other=-float("inf"))
    powers = tl.exp(x - tl.max(x, axis=0))
    tl.store(out + row * columns + j, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def layer_norm(source, out, weight, bias, means, deviations, columns, epsilon, TILE: tl.constexpr):
    """One row per instance, in steps of TILE; keeps mean and 1/deviation as training does."""
    row = tl.program_id(0)
    sums = tl.zeros((TILE,), dtype=tl.float32)
    for first in range(0, columns, TILE):
        j = first + tl.arange(0, TILE)
        sums += tl.load(source + row * columns + j, mask=j < columns, other=0.0).to(tl.float32)
    mean = tl.sum(sums, axis=0) / columns
    squares = tl.zeros((TILE,), dtype=tl.float32)
    for first in range(0, columns, TILE):
        j = first + tl.arange(0, TILE)
        x = tl.load(source + row * columns + j, mask=j < columns, other=0.0).to(tl.float32)
        x = tl.where(j < columns, x - mean, 0.0)
        squares += x * x
    inverse = tl.rsqrt(tl.sum(squares, axis=0) / columns + epsilon)
    tl.store(means + row, mean)
    tl.store(deviations + row, inverse)
    for first in range(0, columns, TILE):
        j = first + tl.arange(0, TILE)
        x = tl.load(source + row * columns + j, mask=j < columns, other=0.0).to(tl.float32)
        w = tl.load(weight + j, mask=j < columns, other=0.0)
        b = tl.load(bias + j, mask=j < columns, other=0.0)
        tl.store(out + row * columns + j, (x - mean) * inverse * w + b, mask=j < columns)


@triton.jit
def attention(queries, keys, values, out, length, scale, CAUSAL: tl.constexpr,
              ROWS: tl.constexpr, KEYS: tl.constexpr, WIDTH: tl.constexpr):
    """Online softmax over blocks of keys. Arrays are [heads, length, WIDTH];
    `scale` has log2(e) in it."""
    head = tl.program_id(1)
    base = head.to(tl.int64) * length * WIDTH
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    d = tl.arange(0, WIDTH)
    n = tl.arange(0, KEYS)
    q = tl.load(queries + base + i[:, None] * WIDTH + d[None, :], mask=i[:, None] < length, other=0.0)
    largest = tl.full((ROWS,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((ROWS,), dtype=tl.float32)
    total = tl.zeros((ROWS, WIDTH), dtype=tl.float32)
    last = tl.minimum(length, (tl.program_id(0) + 1) * ROWS) if CAUSAL else length
    for first in range(0, last, KEYS):
        j = first + n
        k = tl.load(keys + base + j[None, :] * WIDTH + d[:, None], mask=j[None, :] < length, other=0.0)
        v = tl.load(values + base + j[:, None] * WIDTH + d[None, :], mask=j[:, None] < length, other=0.0)
        scores = tl.dot(q, k) * scale
        seen = j[None, :] < length
        if CAUSAL:
            seen = seen & (j[None, :] <= i[:, None])
        scores = tl.where(seen, scores, -float("inf"))
        new_largest = tl.maximum(largest, tl.max(scores, 1))
        powers = tl.exp2(scores - new_largest[:, None])
        rescale = tl.exp2(largest - new_largest)
        weight = weight * rescale + tl.sum(powers, 1)
        total = tl.dot(powers.to(tl.float16), v, total * rescale[:, None])
        largest = new_largest
    total = total / weight[:, None]
    tl.store(out + base + i[:, None] * WIDTH + d[None, :], total.to(tl.float16), mask=i[:, None] < length)


# Beyond what the suite must hold: the other families of instructions.


@triton.jit
def running_sum(source, out, columns, TILE: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, TILE)
    x = tl.load(source + row * columns + j, mask=j < columns, other=0.0)
    tl.store(out + row * columns + j, tl.cumsum(x, axis=0), mask=j < columns)


@triton.jit
def largest_places(source, places, values, columns, TILE: tl.constexpr):
    """Per row the largest value and the first place of it."""
    row = tl.program_id(0)
    j = tl.arange(0, TILE)
    x = tl.load(source + row * columns + j, mask=j < columns, other=-float("inf"))
    tl.store(places + row, tl.argmax(x, axis=0))
    tl.store(values + row, tl.max(x, axis=0))


@triton.jit
def count_bins(source, bins, count, BINS: tl.constexpr, TILE: tl.constexpr):
    """Adds to bins with atomics what tl.histogram counts in one tile."""
    places = tl.program_id(0) * TILE + tl.arange(0, TILE)
    inside = places < count
    x = tl.load(source + places, mask=inside, other=0)
    counts = tl.histogram(x, BINS, mask=inside)
    tl.atomic_add(bins + tl.arange(0, BINS), counts)


@triton.jit
def elementwise(source, out, count, TILE: tl.constexpr):
    """Functions that a GPU approximates, and integers' bits."""
    places = tl.program_id(0) * TILE + tl.arange(0, TILE)
    inside = places < count
    x = tl.load(source + places, mask=inside, other=1.0).to(tl.float32)
    y = tl.sigmoid(x) + tl.log(1.0 + x * x) + tl.sqrt(tl.abs(x)) + tl.floor(x) + tl.sin(x) * tl.cos(x)
    bits = x.to(tl.int32, bitcast=True)
    y += ((bits >> 23) & 255).to(tl.float32) / 256.0 + (places % 7).to(tl.float32) + (places // 11).to(tl.float32)
    tl.store(out + places, tl.clamp(y, -100.0, 1000.0).to(out.dtype.element_ty), mask=inside)


@triton.jit
def sines(source, out, count, TILE: tl.constexpr):
    """Large arguments take the long way: a product with 2/pi in 192 bits."""
    places = tl.program_id(0) * TILE + tl.arange(0, TILE)
    x = tl.load(source + places, mask=places < count, other=0.0)
    tl.store(out + places, tl.sin(x), mask=places < count)


@triton.jit
def sort_rows(source, out, columns, TILE: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, TILE)
    x = tl.load(source + row * columns + j, mask=j < columns, other=float("inf"))
    tl.store(out + row * columns + j, tl.sort(x), mask=j < columns)


@triton.jit
def split_sum(source, out, count, TILE: tl.constexpr):
    """One atomic addition per instance."""
    places = tl.program_id(0) * TILE + tl.arange(0, TILE)
    x = tl.load(source + places, mask=places < count, other=0.0)
    tl.atomic_add(out, tl.sum(x, axis=0))
