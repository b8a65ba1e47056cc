"""Twenty linalg kernels as practitioners write them, for any extents.

A kernel names its loops by letters, as einsum does: `x[m, n]` is a value with
the dims "mn". A loop that no result of an op has is reduced. What a kernel
computes is written down a second time, in NumPy, in reference.py.
"""
import re


class Value:
    def __init__(self, name, dims, element):
        self.name, self.dims, self.element = name, dims, element


class Kernel:
    """The text of one kernel, op by op."""

    def __init__(self, name, extents):
        self.name, self.extents = name, extents  # letter -> extent
        self.arguments, self.results, self.lines, self.count = [], [], [], 0

    def shape(self, value):
        return [self.extents[letter] for letter in value.dims]

    def type(self, value):
        return "tensor<" + "".join(f"{extent}x" for extent in self.shape(value)) + value.element + ">"

    def types(self, values):
        return ", ".join(self.type(value) for value in values)

    def value(self, dims, element):
        self.count += 1
        return Value(f"%v{self.count}", dims, element)

    def line(self, text):
        self.lines.append("  " + text)

    def argument(self, dims, element="f32"):
        self.arguments.append(Value(f"%arg{len(self.arguments)}", dims, element))
        return self.arguments[-1]

    def empty(self, dims, element="f32"):
        result = self.value(dims, element)
        self.line(f"{result.name} = tensor.empty() : {self.type(result)}")
        return result

    def full(self, dims, number, element="f32"):
        start, constant, result = self.empty(dims, element), self.value("", element), self.value(dims, element)
        self.line(f"{constant.name} = arith.constant {number} : {element}")
        self.line(f"{result.name} = linalg.fill ins({constant.name} : {element}) outs({start.name} : {self.type(start)}) "
                  f"-> {self.type(result)}")
        return result

    def named(self, op, ins, start, attributes=""):
        result = self.value(start.dims, start.element)
        self.line(f"{result.name} = linalg.{op} {attributes} ins({', '.join(v.name for v in ins)} : {self.types(ins)}) "
                  f"outs({start.name} : {self.type(start)}) -> {self.type(result)}")
        return result

    def generic(self, loops, ins, outs, body):
        """`body` computes from %x0, %x1, ... (of `ins`) and %a0, ... (what
        `outs` hold so far), may use %i_m (the position along m), and yields."""
        values = [*ins, *outs]
        maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(v.dims)})>" for v in values)
        kept = "".join(v.dims for v in outs)
        kinds = ", ".join('"parallel"' if letter in kept else '"reduction"' for letter in loops)
        results = [self.value(v.dims, v.element) for v in outs]
        self.count += 1
        names = f"%v{self.count}" + (f":{len(outs)}" if len(outs) > 1 else "")
        reads = f"ins({', '.join(v.name for v in ins)} : {self.types(ins)}) " if ins else ""
        returned = self.types(results) if len(outs) == 1 else f"({self.types(results)})"
        self.line(f"{names} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} {reads}"
                  f"outs({', '.join(v.name for v in outs)} : {self.types(outs)}) {{")
        parameters = [f"%x{i}: {v.element}" for i, v in enumerate(ins)] + [f"%a{i}: {v.element}" for i, v in enumerate(outs)]
        self.line(f"^bb0({', '.join(parameters)}):")
        for letter in sorted(set(re.findall(r"%i_(\w)", body))):
            self.line(f"  %i_{letter} = linalg.index {loops.index(letter)} : index")
        for text in body.strip().split("\n"):
            self.line("  " + text.strip())
        self.line(f"}} -> {returned}")
        for number, result in enumerate(results):
            result.name = f"%v{self.count}" + (f"#{number}" if len(outs) > 1 else "")
        return results if len(outs) > 1 else results[0]

    def map(self, dims, element, ins, body):
        return self.generic(dims, ins, [self.empty(dims, element)], body)

    def returns(self, *results):
        self.results = list(results)

    def text(self):
        arguments = ", ".join(f"{a.name}: {self.type(a)}" for a in self.arguments)
        return "\n".join([f"func.func @{self.name}({arguments}) -> ({self.types(self.results)}) {{", *self.lines,
                          f"  return {', '.join(r.name for r in self.results)} : {self.types(self.results)}", "}", ""])


LOWEST = "0xFF800000"  # -inf, f32


def row_max(k, x):
    return k.generic("mn", [x], [k.full("m", LOWEST)], "%y = arith.maximumf %x0, %a0 : f32\nlinalg.yield %y : f32")


def row_total(k, x):
    return k.generic("mn", [x], [k.full("m", "0.0")], "%y = arith.addf %x0, %a0 : f32\nlinalg.yield %y : f32")


def exp_of_difference(k, x, start):
    return k.map("mn", "f32", [x, start], "%d = arith.subf %x0, %x1 : f32\n%y = math.exp %d : f32\nlinalg.yield %y : f32")


def add(k):
    x, y = k.argument("mn"), k.argument("mn")
    k.returns(k.map("mn", "f32", [x, y], "%y = arith.addf %x0, %x1 : f32\nlinalg.yield %y : f32"))


def bias_gelu(k):
    x, bias = k.argument("mn"), k.argument("n")
    k.returns(k.map("mn", "f32", [x, bias], """%b = arith.addf %x0, %x1 : f32
        %half = arith.constant 0.5 : f32
        %one = arith.constant 1.0 : f32
        %scale = arith.constant 0.7978845608 : f32
        %cube = arith.constant 0.044715 : f32
        %b2 = arith.mulf %b, %b : f32
        %b3 = arith.mulf %b2, %b : f32
        %c = arith.mulf %b3, %cube : f32
        %s = arith.addf %b, %c : f32
        %u = arith.mulf %s, %scale : f32
        %t = math.tanh %u : f32
        %p = arith.addf %t, %one : f32
        %h = arith.mulf %b, %half : f32
        %y = arith.mulf %h, %p : f32
        linalg.yield %y : f32"""))


def add_transposed(k):
    x, y = k.argument("mn"), k.argument("nm")
    k.returns(k.map("mn", "f32", [x, y], "%y = arith.addf %x0, %x1 : f32\nlinalg.yield %y : f32"))


def scale_channels(k):
    x, scale, shift = k.argument("bcl", "f16"), k.argument("c"), k.argument("c")
    k.returns(k.map("bcl", "f16", [x, scale, shift], """%w = arith.extf %x0 : f16 to f32
        %s = arith.mulf %w, %x1 : f32
        %t = arith.addf %s, %x2 : f32
        %y = arith.truncf %t : f32 to f16
        linalg.yield %y : f16"""))


def row_sum(k):
    k.returns(row_total(k, k.argument("mn")))


def column_sum(k):
    x = k.argument("mn")
    k.returns(k.generic("mn", [x], [k.full("n", "0.0")], "%y = arith.addf %x0, %a0 : f32\nlinalg.yield %y : f32"))


def moments(k):
    x = k.argument("mn")
    k.returns(*k.generic("mn", [x], [k.full("m", "0.0"), k.full("m", "0.0")], """%s = arith.addf %x0, %a0 : f32
        %p = arith.mulf %x0, %x0 : f32
        %q = arith.addf %p, %a1 : f32
        linalg.yield %s, %q : f32, f32"""))


def masked_sum(k):
    x, valid = k.argument("mn"), k.argument("m", "i32")
    k.returns(k.generic("mn", [x, valid], [k.full("m", "0.0")], """%at = arith.index_cast %i_n : index to i32
        %in = arith.cmpi slt, %at, %x1 : i32
        %zero = arith.constant 0.0 : f32
        %v = arith.select %in, %x0, %zero : f32
        %y = arith.addf %v, %a0 : f32
        linalg.yield %y : f32"""))


def causal(k, x):
    return k.map("mn", "f32", [x], f"""%in = arith.cmpi ule, %i_n, %i_m : index
        %low = arith.constant {LOWEST} : f32
        %y = arith.select %in, %x0, %low : f32
        linalg.yield %y : f32""")


def causal_max(k):
    k.returns(row_max(k, causal(k, k.argument("mn"))))


def softmax(k):
    x = k.argument("mn")
    k.returns(k.named("softmax", [x], k.empty("mn"), "dimension(1)"))


def causal_softmax(k):
    masked = causal(k, k.argument("mn"))
    exponentials = exp_of_difference(k, masked, row_max(k, masked))
    total = row_total(k, exponentials)
    k.returns(k.map("mn", "f32", [exponentials, total], "%y = arith.divf %x0, %x1 : f32\nlinalg.yield %y : f32"))


def log_sum_exp(k):
    x = k.argument("mn")
    most = row_max(k, x)
    total = row_total(k, exp_of_difference(k, x, most))
    k.returns(k.map("m", "f32", [total, most], "%l = math.log %x0 : f32\n%y = arith.addf %l, %x1 : f32\nlinalg.yield %y : f32"))


def layernorm(k):
    x, gain, shift = k.argument("mn"), k.argument("n"), k.argument("n")
    count = float(k.extents["n"])
    divide = f"%n = arith.constant {count} : f32\n%y = arith.divf %x0, %n : f32\nlinalg.yield %y : f32"
    mean = k.map("m", "f32", [row_total(k, x)], divide)
    squares = k.map("mn", "f32", [x, mean], "%d = arith.subf %x0, %x1 : f32\n%y = arith.mulf %d, %d : f32\nlinalg.yield %y : f32")
    variance = k.map("m", "f32", [row_total(k, squares)], divide)
    k.returns(k.map("mn", "f32", [x, mean, variance, gain, shift], """%d = arith.subf %x0, %x1 : f32
        %epsilon = arith.constant 1.0e-5 : f32
        %v = arith.addf %x2, %epsilon : f32
        %r = math.rsqrt %v : f32
        %s = arith.mulf %d, %r : f32
        %g = arith.mulf %s, %x3 : f32
        %y = arith.addf %g, %x4 : f32
        linalg.yield %y : f32"""))


def rmsnorm(k):
    x, gain = k.argument("mn", "f16"), k.argument("n", "f16")
    count = float(k.extents["n"])
    squares = k.generic("mn", [x], [k.full("m", "0.0")], """%w = arith.extf %x0 : f16 to f32
        %s = arith.mulf %w, %w : f32
        %y = arith.addf %s, %a0 : f32
        linalg.yield %y : f32""")
    k.returns(k.map("mn", "f16", [x, squares, gain], f"""%w = arith.extf %x0 : f16 to f32
        %n = arith.constant {count} : f32
        %epsilon = arith.constant 1.0e-5 : f32
        %mean = arith.divf %x1, %n : f32
        %v = arith.addf %mean, %epsilon : f32
        %r = math.rsqrt %v : f32
        %s = arith.mulf %w, %r : f32
        %g = arith.extf %x2 : f16 to f32
        %t = arith.mulf %s, %g : f32
        %y = arith.truncf %t : f32 to f16
        linalg.yield %y : f16"""))


def product(k, a, b, loops, out, element="f32"):
    body = ("%w0 = arith.extf %x0 : f16 to f32\n%w1 = arith.extf %x1 : f16 to f32\n" if a.element == "f16" else
            "%w0 = arith.extsi %x0 : i8 to i32\n%w1 = arith.extsi %x1 : i8 to i32\n" if a.element == "i8" else "")
    left, right = ("%w0", "%w1") if body else ("%x0", "%x1")
    kind = "i" if element == "i32" else "f"
    body += (f"%p = arith.mul{kind} {left}, {right} : {element}\n%y = arith.add{kind} %p, %a0 : {element}\n"
             f"linalg.yield %y : {element}")
    return k.generic(loops, [a, b], [k.full(out, "0" if kind == "i" else "0.0", element)], body)


def gated_matmul(k):
    x, gate, up = k.argument("mk", "f16"), k.argument("kn", "f16"), k.argument("kn", "f16")
    gates, ups = (k.named("matmul", [x, w], k.full("mn", "0.0")) for w in (gate, up))
    k.returns(k.map("mn", "f16", [gates, ups], """%one = arith.constant 1.0 : f32
        %minus = arith.negf %x0 : f32
        %e = math.exp %minus : f32
        %d = arith.addf %e, %one : f32
        %s = arith.divf %x0, %d : f32
        %p = arith.mulf %s, %x1 : f32
        %y = arith.truncf %p : f32 to f16
        linalg.yield %y : f16"""))


def matmul_bias_relu(k):
    a, b, bias = k.argument("mk"), k.argument("kn"), k.argument("n")
    c = k.named("matmul", [a, b], k.full("mn", "0.0"))
    k.returns(k.map("mn", "f32", [c, bias], """%s = arith.addf %x0, %x1 : f32
        %zero = arith.constant 0.0 : f32
        %y = arith.maximumf %s, %zero : f32
        linalg.yield %y : f32"""))


def matmul_transposed(k):
    a, b = k.argument("mk", "f16"), k.argument("nk", "f16")
    c = product(k, a, b, "mnk", "mn")
    k.returns(k.map("mn", "f16", [c], "%y = arith.truncf %x0 : f32 to f16\nlinalg.yield %y : f16"))


def batch_matmul(k):
    a, b = k.argument("bmk", "f16"), k.argument("bkn", "f16")
    k.returns(k.named("batch_matmul", [a, b], k.full("bmn", "0.0")))


def matmul_i8(k):
    a, b = k.argument("mk", "i8"), k.argument("kn", "i8")
    k.returns(product(k, a, b, "mnk", "mn", "i32"))


def attention(k, element="f16"):
    q, keys, values = (k.argument(dims, element) for dims in ("hmd", "hkd", "hkd"))
    scores = product(k, q, keys, "hmkd", "hmk")
    scale = repr(float(k.extents["d"]) ** -0.5)
    scaled = k.map("hmk", "f32", [scores], f"%s = arith.constant {scale} : f32\n%y = arith.mulf %x0, %s : f32\nlinalg.yield %y : f32")
    weights = k.named("softmax", [scaled], k.empty("hmk"), "dimension(2)")
    narrow = f"%y = arith.truncf %x0 : f32 to {element}\nlinalg.yield %y : {element}"
    if element != "f32":
        weights = k.map("hmk", element, [weights], narrow)
    out = product(k, weights, values, "hmdk", "hmd")
    k.returns(out if element == "f32" else k.map("hmd", element, [out], narrow))


# What builds each kernel, and its loops.
KERNELS = {"add": (add, "mn"), "bias_gelu": (bias_gelu, "mn"), "add_transposed": (add_transposed, "mn"),
           "scale_channels": (scale_channels, "bcl"), "row_sum": (row_sum, "mn"), "column_sum": (column_sum, "mn"),
           "moments": (moments, "mn"), "masked_sum": (masked_sum, "mn"), "causal_max": (causal_max, "mn"),
           "softmax": (softmax, "mn"), "causal_softmax": (causal_softmax, "mn"), "log_sum_exp": (log_sum_exp, "mn"),
           "layernorm": (layernorm, "mn"), "rmsnorm": (rmsnorm, "mn"), "gated_matmul": (gated_matmul, "mnk"),
           "matmul_bias_relu": (matmul_bias_relu, "mnk"), "matmul_transposed": (matmul_transposed, "mnk"),
           "batch_matmul": (batch_matmul, "bmnk"), "matmul_i8": (matmul_i8, "mnk"), "attention": (attention, "hmkd")}
TARGETS = ["sm_80", "sm_90a", "gfx942"]


def build(name, extents):
    kernel = Kernel(name, extents)
    KERNELS[name][0](kernel)
    return kernel


def nearest_prime(number):
    def is_prime(n):
        return n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))
    return next(n for step in range(number + 2) for n in (number - step, number + step) if is_prime(n) or number == 1)


def extent(rng, low, high):
    """Log-uniform; a third as drawn, a third primes, a third multiples of 8
    where there is one."""
    drawn = min(high, max(low, int(low * (high / low + 1) ** rng.random())))
    kind = rng.randrange(3)
    if kind == 1:
        drawn = nearest_prime(drawn)
    elif kind == 2 and drawn >= 8:
        drawn = drawn // 8 * 8
    return min(high, max(low, drawn))


def draw_extents(rng, name, large=False):
    """Extents of one kernel: from 1 to 1,025 with an iteration space of at most
    2^22 points; large ones from 256 to 16,384, of 2^22 to 2^32."""
    loops = KERNELS[name][1]
    low, high = (256, 16384) if large else (1, 1025)
    while True:
        extents = {letter: extent(rng, *((16, 128) if letter == "d" else (1, 64) if large and letter in "bh" else (low, high)))
                   for letter in loops}
        points = 1
        for size in extents.values():
            points *= size
        if (1 << 22 < points <= 1 << 36) if large else points <= 1 << 22:
            return extents


def triple(rng_of, index, large=False):
    """The `index`-th triple: every kernel on every target in turn."""
    name = list(KERNELS)[index % len(KERNELS)]
    target = TARGETS[index // len(KERNELS) % len(TARGETS)]
    return name, target, draw_extents(rng_of(index), name, large)
