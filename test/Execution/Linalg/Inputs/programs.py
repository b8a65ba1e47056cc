"""Linalg programs for the execution tests, what they should compute, and how
they are run.

A test is a script of one family. It builds programs op by op; each op adds its
text and a function that computes its result in plain Python, which is called for
the programs that run. Inputs are small integers, so that sums are exact in
whatever order a GPU adds. A program then runs through
`distaff run --check --every-stage` on each of its targets: every stage against
the input program in float64, and the last one's outputs also against Python's.
Run one by hand:

    python3 reductions.py OUT_DIR [--only NAME]
"""
import itertools
import math
import pathlib
import random
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import references
import suite

BITS = {"i8": 8, "i32": 32, "i64": 64}
# Relative to the largest value: a few roundings of the type; 0 for integers.
TOLERANCES = {"f16": 4e-3, "bf16": 3e-2, "f32": 2e-5, "f64": 1e-12}


def is_float(element):
    return element not in BITS


def wrapped(value, element):
    """The integer of that width, signed."""
    if is_float(element):
        return value
    half = 1 << (BITS[element] - 1)
    return (int(value) + half) % (2 * half) - half


def unsigned(value, element):
    return value % (1 << BITS[element])


def tensor(shape, element):
    return "tensor<" + "".join(f"{d}x" for d in shape) + f"{element}>"


def affine(rank, dims):
    return f"affine_map<({', '.join(f'd{d}' for d in range(rank))}) -> ({', '.join(f'd{d}' for d in dims)})>"


def literal(value, element):
    if not is_float(element):
        return str(value)
    if math.isinf(value):
        # Bit patterns of +inf and -inf.
        patterns = {"f16": ("0x7C00", "0xFC00"), "bf16": ("0x7F80", "0xFF80"), "f32": ("0x7F800000", "0xFF800000"),
                    "f64": ("0x7FF0000000000000", "0xFFF0000000000000")}
        return patterns[element][value < 0]
    return repr(float(value))


class Tensor:
    """An SSA value of the program and what it holds, row-major: a list, or a
    function that makes it for the programs that run."""
    LOCK = threading.RLock()

    def __init__(self, name, shape, element, data):
        self.name, self.shape, self.element, self.values = name, list(shape), element, data

    @property
    def data(self):
        with Tensor.LOCK:  # of several runs of one program
            if callable(self.values):
                values = self.values()
                self.values = list(values) if is_float(self.element) else [wrapped(value, self.element) for value in values]
        return self.values

    def type(self):
        return tensor(self.shape, self.element)

    def at(self, index):
        offset = 0
        for position, extent in zip(index, self.shape):
            offset = offset * extent + position
        return self.data[offset]


def indices(shape):
    return itertools.product(*map(range, shape))


def offsets(extents, shape, dims):
    """For each index of a space, row-major, where the element is in an array of that shape which has `dims` of the index."""
    strides = {d: math.prod(shape[at + 1:]) for at, d in enumerate(dims)}
    return map(sum, itertools.product(*([i * strides.get(d, 0) for i in range(extent)] for d, extent in enumerate(extents))))


# Per combiner: its neutral element by type, and what it does to two values.
def lowest(element):
    return -math.inf if is_float(element) else -(1 << (BITS[element] - 1))


def highest(element):
    return math.inf if is_float(element) else (1 << (BITS[element] - 1)) - 1


COMBINERS = {
    "addf": (lambda element: 0, lambda a, b, element: a + b), "addi": (lambda element: 0, lambda a, b, element: a + b),
    "mulf": (lambda element: 1, lambda a, b, element: a * b), "muli": (lambda element: 1, lambda a, b, element: wrapped(a * b, element)),
    "maximumf": (lowest, lambda a, b, element: max(a, b)), "maxnumf": (lowest, lambda a, b, element: max(a, b)),
    "minimumf": (highest, lambda a, b, element: min(a, b)), "minnumf": (highest, lambda a, b, element: min(a, b)),
    "maxsi": (lowest, lambda a, b, element: max(a, b)), "minsi": (highest, lambda a, b, element: min(a, b)),
    "maxui": (lambda element: 0, lambda a, b, element: max(a, b, key=lambda v: unsigned(v, element))),
    "minui": (lambda element: -1, lambda a, b, element: min(a, b, key=lambda v: unsigned(v, element))),
    "andi": (lambda element: -1, lambda a, b, element: a & b), "ori": (lambda element: 0, lambda a, b, element: a | b),
    "xori": (lambda element: 0, lambda a, b, element: a ^ b),
}


class Program:
    def __init__(self, name, targets=("sm_80", "gfx942"), launch=None):
        self.name, self.targets, self.launch = name, targets, launch
        self.arguments, self.results, self.lines, self.count = [], [], [], 0
        self.exact = True  # False once something is rounded
        self.tolerance = 0  # relative; more than the element type's own
        self.reference = True  # False: Python's result is not to be compared
        self.fails = None  # text of the error that is expected

    def line(self, text):
        self.lines.append("  " + text)

    def new(self):
        self.count += 1
        return f"%v{self.count}"

    def random_of_argument(self):
        return random.Random(f"{self.name} {len(self.arguments)}")

    def argument(self, shape, element, low=-2, high=2):
        numbers = self.random_of_argument()
        self.arguments.append(Tensor(f"%arg{len(self.arguments)}", shape, element, lambda: numbers.choices(range(low, high + 1), k=math.prod(shape))))
        return self.arguments[-1]

    def numbers(self, shape, element):
        """An argument of numbers that sums round, whole ones, zeros of both signs and tiny ones among them: --check
        compares them alone."""
        self.exact = self.reference = False
        numbers = self.random_of_argument()

        def draw():
            kind = numbers.randrange(8)
            if kind == 0:
                return numbers.choice((0.0, -0.0, 2.0 ** -24, -(2.0 ** -133)))  # subnormal in f16, in f32
            return numbers.uniform(-1, 1) if kind < 6 else float(numbers.randint(-4, 4))

        data = lambda: npy.from_bytes(npy.to_bytes([draw() for _ in range(math.prod(shape))], element), element)
        self.arguments.append(Tensor(f"%arg{len(self.arguments)}", shape, element, data))
        return self.arguments[-1]

    def empty(self, shape, element):
        name = self.new()
        self.line(f"{name} = tensor.empty() : {tensor(shape, element)}")
        return name

    def fill(self, shape, element, value):
        constant, name, start = self.new(), self.new(), self.empty(shape, element)
        type_ = tensor(shape, element)
        self.line(f"{constant} = arith.constant {literal(value, element)} : {element}")
        self.line(f"{name} = linalg.fill ins({constant} : {element}) outs({start} : {type_}) -> {type_}")
        return Tensor(name, shape, element, lambda: [value] * math.prod(shape))

    def unary(self, op, x, function, element=None):
        """An elementwise op on tensors; a conversion if `element` is given."""
        name = self.new()
        types = x.type() if element is None else f"{x.type()} to {tensor(x.shape, element)}"
        self.line(f"{name} = {op} {x.name} : {types}")
        return Tensor(name, x.shape, element or x.element, lambda: [function(v) for v in x.data])

    def inexact(self, op, x, function):
        self.exact = False
        return self.unary(op, x, function)

    def binary(self, op, a, b, function):
        name = self.new()
        self.line(f"{name} = {op} {a.name}, {b.name} : {a.type()}")
        return Tensor(name, a.shape, a.element, lambda: [function(x, y) for x, y in zip(a.data, b.data)])

    def generic(self, shape, element, inputs, body, function, config="", result=None):
        """`inputs` are tensors with the loops that index them; `body` computes
        %y from %x0, %x1, ..., as `function` does in Python; `result` are the
        loops that index the result."""
        rank, name = len(shape), self.new()
        result = list(range(rank)) if result is None else result
        out_shape = [shape[d] for d in result]
        start, out = self.empty(out_shape, element), tensor(out_shape, element)
        maps = ", ".join([affine(rank, dims) for _, dims in inputs] + [affine(rank, result)])
        kinds = ", ".join(['"parallel"'] * rank)
        ins = f"ins({', '.join(x.name for x, _ in inputs)} : {', '.join(x.type() for x, _ in inputs)}) " if inputs else ""
        self.line(f"{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} {ins}"
                  f"outs({start} : {out}) {f'attrs = {{lowering_config = {config}}} ' if config else ''}{{")
        self.line(f"^bb0({''.join(f'%x{i}: {x.element}, ' for i, (x, _) in enumerate(inputs))}%out: {element}):")
        for text in [*body, f"linalg.yield %y : {element}"]:
            self.line("  " + text)
        self.line(f"}} -> {out}")

        def data():
            values = [0] * math.prod(out_shape)
            reads = [map(x.data.__getitem__, offsets(shape, x.shape, dims)) for x, dims in inputs]
            for place, *read in zip(offsets(shape, out_shape, result), *reads):
                values[place] = function(*read)
            return values
        return Tensor(name, out_shape, element, data)

    def reduce(self, x, dims, combiner, start=None, config=""):
        neutral, function = COMBINERS[combiner]
        kept = [d for d in range(len(x.shape)) if d not in dims]
        shape = [x.shape[d] for d in kept]
        start = start or self.fill(shape, x.element, neutral(x.element))
        name = self.new()
        attributes = f" {{lowering_config = {config}}}" if config else ""
        self.line(f"{name} = linalg.reduce {{ arith.{combiner} }} ins({x.name} : {x.type()}) outs({start.name} : {start.type()}) "
                  f"dimensions = {dims}{attributes}")

        def data():
            values = list(start.data)
            for place, value in zip(offsets(x.shape, shape, kept), x.data):
                values[place] = function(values[place], value, x.element)
            return values
        return Tensor(name, shape, x.element, data)

    def matmul(self, a, b, element, transposed="", start=None, config="", batch=False):
        """`transposed` names the operands that are: "", "a", "b" or "ab"."""
        lead = 1 if batch else 0
        m, k = reversed(a.shape[lead:]) if "a" in transposed else a.shape[lead:]
        n = b.shape[lead] if "b" in transposed else b.shape[lead + 1]
        shape = [*a.shape[:lead], m, n]
        start = start or self.fill(shape, element, 0)
        rank, name = lead + 3, self.new()
        dims_a = [*range(lead), *((lead + 2, lead) if "a" in transposed else (lead, lead + 2))]
        dims_b = [*range(lead), *((lead + 1, lead + 2) if "b" in transposed else (lead + 2, lead + 1))]
        maps = f"indexing_maps = [{affine(rank, dims_a)}, {affine(rank, dims_b)}, {affine(rank, range(lead + 2))}] "
        self.line(f"{name} = linalg.{'batch_matmul' if batch else 'matmul'} {maps if transposed else ''}"
                  f"{f'{{lowering_config = {config}}} ' if config else ''}"
                  f"ins({a.name}, {b.name} : {a.type()}, {b.type()}) outs({start.name} : {start.type()}) -> {start.type()}")
        # Rows of the left times columns of the right, however they lie.
        strides = {"a": (1, m) if "a" in transposed else (k, 1), "b": (1, k) if "b" in transposed else (n, 1)}

        def data():
            values = list(start.data)
            for g in range(math.prod(a.shape[:lead])):
                left, right = a.data[g * m * k:(g + 1) * m * k], b.data[g * k * n:(g + 1) * k * n]
                columns = [right[j * strides["b"][1]:][:(k - 1) * strides["b"][0] + 1:strides["b"][0]] for j in range(n)]
                for i in range(m):
                    row = left[i * strides["a"][0]:][:(k - 1) * strides["a"][1] + 1:strides["a"][1]]
                    for j, column in enumerate(columns):
                        values[(g * m + i) * n + j] += references.dot(row, column)
            return values
        return Tensor(name, shape, element, data)

    def softmax(self, x, dim):
        self.exact = False
        name, start = self.new(), self.empty(x.shape, x.element)
        self.line(f"{name} = linalg.softmax dimension({dim}) ins({x.name} : {x.type()}) outs({start} : {x.type()}) -> {x.type()}")

        def data():
            sums, place = {}, lambda index: index[:dim] + index[dim + 1:]
            for index, value in zip(indices(x.shape), x.data):
                sums[place(index)] = sums.get(place(index), 0) + math.exp(value)
            return [math.exp(v) / sums[place(i)] for i, v in zip(indices(x.shape), x.data)]
        return Tensor(name, x.shape, x.element, data)

    def transpose(self, x, permutation):
        shape = [x.shape[d] for d in permutation]
        name, start, type_ = self.new(), self.empty(shape, x.element), tensor(shape, x.element)
        self.line(f"{name} = linalg.transpose ins({x.name} : {x.type()}) outs({start} : {type_}) permutation = {permutation}")
        back = [permutation.index(d) for d in range(len(shape))]
        return Tensor(name, shape, x.element, lambda: [x.at([index[d] for d in back]) for index in indices(shape)])

    def copy(self, x):
        name, start = self.new(), self.empty(x.shape, x.element)
        self.line(f"{name} = linalg.copy ins({x.name} : {x.type()}) outs({start} : {x.type()}) -> {x.type()}")
        return Tensor(name, x.shape, x.element, lambda: x.data)

    def broadcast(self, x, shape, dims):
        """`dims` of `shape` are the new ones."""
        name, start, type_ = self.new(), self.empty(shape, x.element), tensor(shape, x.element)
        self.line(f"{name} = linalg.broadcast ins({x.name} : {x.type()}) outs({start} : {type_}) dimensions = {dims}")
        return Tensor(name, shape, x.element, lambda: [x.at([e for d, e in enumerate(index) if d not in dims]) for index in indices(shape)])

    def returns(self, *results):
        self.results = list(results)
        return self

    def outputs(self):
        """What the command line calls the results."""
        return [f"res{number}" for number in range(len(self.results))]

    def text(self):
        arguments = ", ".join(f"{a.name}: {a.type()}" for a in self.arguments)
        types = ", ".join(r.type() for r in self.results)
        launch = f" attributes {{translation_info = #iree_codegen.translation_info<{self.launch}>}}" if self.launch else ""
        return "\n".join([f"func.func @{self.name}({arguments}) -> ({types}){launch} {{", *self.lines,
                          f"  return {', '.join(r.name for r in self.results)} : {types}", "}", ""])


def difference(found, result, program):
    """Says which element is wrong, or returns None."""
    if len(found) != len(result.data):
        return f"{len(found)} elements instead of {len(result.data)}"
    bound = 0
    if not program.exact and is_float(result.element):
        bound = max(TOLERANCES[result.element], program.tolerance) * max(map(abs, result.data))
    for index, got, want in zip(indices(result.shape), found, result.data):
        if got != want and not abs(got - want) <= bound:
            return f"{got} instead of {want} at {list(index)}"
    return None


def run(program, target, out, distaff):
    base = out / f"{program.name}.{target}"
    path = base.with_name(base.name + ".mlir")
    command = [distaff, "run", str(path), "--target", target, "--check", "--every-stage"]
    inputs = [base.with_name(f"{base.name}.arg{number}.npy") for number in range(len(program.arguments))]
    for number, file in enumerate(inputs):
        command += ["--input", f"arg{number}={file}"]
    files = [base.with_name(f"{base.name}.res{number}.npy") for number in range(len(program.results))]
    for name, file in zip(program.outputs(), files):
        command += ["--output", f"{name}={file}"]

    def prepare():
        path.write_text(program.text())
        for file, argument in zip(inputs, program.arguments):
            npy.write(file, argument.element, argument.shape, argument.data)

    def after():
        for file, result in zip(files, program.results if program.reference else []):
            if wrong := difference(npy.read(file, result.element), result, program):
                return f"{file.name}: {wrong}"
        return None

    expected = ("refused", program.fails) if program.fails else None
    return suite.Run(f"{program.name} on {target}", command, expected, exact=program.exact and program.reference, prepare=prepare, after=after)


def main(programs, one_in=1):
    chosen = suite.options()
    suite.main([run(program, target, chosen.out, chosen.distaff) for program in programs for target in program.targets], chosen, one_in)
