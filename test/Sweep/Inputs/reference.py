"""What the kernels compute, in NumPy and float64, with a bound on the error.

A `Bounded` is a value and a first-order bound on how far a correct evaluation
in f32 may be from it. Each operation rounds once, by at most u = 2^-24 of its
result; a sum of n terms, in whatever order, is given (4 + 2 sqrt(n)) u of the
sum of the terms' sizes (the rounding errors of a sum behave like a random walk;
n u, which no order exceeds, would let too much through). exp, tanh, log, rsqrt
and division may be off by 8 u, exp by |x| u more for the product with log2(e).
"""
import numpy as np

U = 2.0 ** -24
FUNCTION = 8 * U


class Bounded:
    def __init__(self, value, error=0.0):
        self.value = np.asarray(value, np.float64)
        self.error = np.broadcast_to(np.asarray(error, np.float64), self.value.shape)

    def rounded(self, units=U):
        # What is infinite (a masked element) is exact.
        return Bounded(self.value, self.error + units * np.where(np.isfinite(self.value), np.abs(self.value), 0))

    def __add__(self, other):
        other = wrap(other)
        return Bounded(self.value + other.value, self.error + other.error).rounded()

    def __sub__(self, other):
        return self + -wrap(other)

    def __neg__(self):
        return Bounded(-self.value, self.error)

    def __mul__(self, other):
        other = wrap(other)
        error = np.abs(self.value) * other.error + np.abs(other.value) * self.error + self.error * other.error
        return Bounded(self.value * other.value, error).rounded()

    def __truediv__(self, other):
        other = wrap(other)
        value = self.value / other.value
        return Bounded(value, (self.error + np.abs(value) * other.error) / (np.abs(other.value) - other.error)).rounded(FUNCTION)

    def __getitem__(self, index):
        return Bounded(self.value[index], self.error[index])

    def exp(self):
        value = np.exp(self.value)
        size = np.where(np.isfinite(self.value), np.abs(self.value), 0)
        return Bounded(value, value * (np.expm1(self.error) + FUNCTION + 2 * size * U))

    def log(self):
        value = np.log(self.value)
        return Bounded(value, self.error / (self.value - self.error) + FUNCTION * np.maximum(np.abs(value), 1))

    def tanh(self):
        return Bounded(np.tanh(self.value), self.error + FUNCTION)

    def rsqrt(self):
        value = self.value ** -0.5
        return Bounded(value, value * self.error / (self.value - self.error) / 2).rounded(FUNCTION)

    def max(self, axis):
        return Bounded(self.value.max(axis), self.error.max(axis))

    def sum(self, axis):
        units = (4 + 2 * self.value.shape[axis] ** 0.5) * U
        return Bounded(self.value.sum(axis), self.error.sum(axis) + units * np.abs(self.value).sum(axis))

    def half(self):
        """Rounded to f16, whose smallest step is 2^-24."""
        return Bounded(self.value, self.error + 2.0 ** -11 * np.abs(self.value) + 2.0 ** -25)


def wrap(value):
    return value if isinstance(value, Bounded) else Bounded(value)


def dot(subscripts, a, b, count):
    """einsum of two operands over `count` products."""
    sizes = np.abs(a.value), np.abs(b.value)
    units = (4 + 2 * count ** 0.5) * U
    error = (np.einsum(subscripts, sizes[0], b.error, optimize=True) + np.einsum(subscripts, a.error, sizes[1] + b.error, optimize=True)
             + units * np.einsum(subscripts, *sizes, optimize=True))
    return Bounded(np.einsum(subscripts, a.value, b.value, optimize=True), error)


def where_causal(x, other):
    rows, columns = np.indices(x.value.shape)
    return Bounded(np.where(columns <= rows, x.value, other))


def softmax(x):
    exponentials = (x - x.max(-1)[..., None]).exp()
    return exponentials / exponentials.sum(-1)[..., None]


def bias_gelu(x, bias):
    b = x + bias
    inner = (b + b * b * b * np.float64(np.float32(0.044715))) * np.float64(np.float32(0.7978845608))
    return b * 0.5 * (inner.tanh() + 1.0)


def masked_sum(x, valid):
    columns = np.arange(x.value.shape[1])
    return Bounded(np.where(columns < valid.value[:, None], x.value, 0)).sum(1)


def log_sum_exp(x):
    most = x.max(1)
    return (x - most[:, None]).exp().sum(1).log() + most


def layernorm(x, gain, shift):
    count = float(x.value.shape[1])
    mean = x.sum(1) / count
    centred = x - mean[:, None]
    variance = (centred * centred).sum(1) / count
    return centred * (variance + 1e-5).rsqrt()[:, None] * gain + shift


def rmsnorm(x, gain):
    mean = (x * x).sum(1) / float(x.value.shape[1])
    return (x * (mean + 1e-5).rsqrt()[:, None] * gain).half()


def gated_matmul(x, gate, up):
    gates, ups = (dot("mk,kn->mn", x, weights, x.value.shape[1]) for weights in (gate, up))
    return (gates / ((-gates).exp() + 1.0) * ups).half()


def attention(q, keys, values):
    depth, count = q.value.shape[2], keys.value.shape[1]
    scores = dot("hmd,hkd->hmk", q, keys, depth) * np.float64(np.float32(depth ** -0.5))
    return dot("hmk,hkd->hmd", softmax(scores).half(), values, count).half()


REFERENCES = {
    "add": lambda x, y: x + y,
    "bias_gelu": bias_gelu,
    "add_transposed": lambda x, y: x + Bounded(y.value.T),
    "scale_channels": lambda x, scale, shift: (x * scale[:, None] + shift[:, None]).half(),
    "row_sum": lambda x: x.sum(1),
    "column_sum": lambda x: x.sum(0),
    "moments": lambda x: (x.sum(1), (x * x).sum(1)),
    "masked_sum": masked_sum,
    "causal_max": lambda x: where_causal(x, -np.inf).max(1),
    "softmax": softmax,
    "causal_softmax": lambda x: softmax(where_causal(x, -np.inf)),
    "log_sum_exp": log_sum_exp,
    "layernorm": layernorm,
    "rmsnorm": rmsnorm,
    "gated_matmul": gated_matmul,
    "matmul_bias_relu": lambda a, b, bias: relu(dot("mk,kn->mn", a, b, a.value.shape[1]) + bias),
    "matmul_transposed": lambda a, b: dot("mk,nk->mn", a, b, a.value.shape[1]).half(),
    "batch_matmul": lambda a, b: dot("bmk,bkn->bmn", a, b, a.value.shape[2]),
    "matmul_i8": lambda a, b: Bounded(a.value @ b.value),
    "attention": attention,
}


def relu(x):
    return Bounded(np.maximum(x.value, 0), x.error)


TYPES = {"f16": np.float16, "f32": np.float32, "i8": np.int8, "i32": np.int32}


def inputs(kernel, seed):
    """An array per argument; whole numbers are lengths of rows, or i8."""
    rng = np.random.default_rng(seed)
    arrays = []
    for argument in kernel.arguments:
        shape = kernel.shape(argument)
        if argument.element == "i32":
            arrays.append(rng.integers(0, kernel.extents["n"] + 1, shape, np.int32))
        elif argument.element == "i8":
            arrays.append(rng.integers(-128, 128, shape, np.int8))
        else:
            arrays.append(rng.standard_normal(shape).astype(TYPES[argument.element]))
    return arrays


def compare(kernel, arrays, found):
    """Says what is wrong with the results `found`, or returns None."""
    expected = REFERENCES[kernel.name](*(Bounded(array) for array in arrays))
    expected = expected if isinstance(expected, tuple) else (expected,)
    for number, (want, got) in enumerate(zip(expected, found, strict=True)):
        if got.shape != want.value.shape:
            return f"result {number} has shape {got.shape}, not {want.value.shape}"
        got = got.astype(np.float64)
        wrong = ~(np.abs(got - want.value) <= want.error) & (got != want.value)
        if wrong.any():
            place = tuple(int(i) for i in np.argwhere(wrong)[0])
            return (f"result {number} at {list(place)} is {got[place]:.9g}, not {want.value[place]:.9g} "
                    f"within {want.error[place]:.3g}; {int(wrong.sum())} of {wrong.size} are wrong")
    return None
