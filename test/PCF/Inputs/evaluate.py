"""Runs the text of functions on tensors and refs: an oracle for the transforms of
pcf that shares nothing with them. It knows the few ops that their tests use and
refuses every other.

Every worker of a `pcf.generic` runs the body once, in shuffled order, and every
iteration of a loop once. Each write of an element is counted, and so is each
"test.use" with its operands; "test.make" returns numbers that depend on its
operands and place alone. What nobody has written is None, and stays None in
arithmetic. Numbers are exact, so results may be compared for equality.
"""
import collections
import itertools
import random
import re
from fractions import Fraction

LISTS = r"\[([^\]]*)\] \[([^\]]*)\] \[([^\]]*)\]"


class Int(int):
    """An index; `@` is ceildiv, which has the precedence of `*` in maps too."""


def wrapped(name):
    return lambda a, b: Int(getattr(int, name)(int(a), int(b)))


for method in ("__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__floordiv__", "__mod__"):
    setattr(Int, method, wrapped(method))
Int.__neg__ = lambda a: Int(-int(a))
Int.__matmul__ = lambda a, b: Int(-(-int(a) // int(b)))
Int.__rmatmul__ = lambda a, b: Int(-(-int(b) // int(a)))


class Tensor:
    def __init__(self, shape, values=None):
        self.shape = tuple(shape)
        self.values = values if values is not None else dict.fromkeys(self.indices())

    def indices(self):
        return itertools.product(*map(range, self.shape))

    def flat(self):
        return [self.values[index] for index in self.indices()]

    def reshaped(self, shape):
        result = Tensor(shape)
        assert len(result.values) == len(self.values), f"{self.shape} is not {tuple(shape)}"
        result.values = dict(zip(result.indices(), self.flat()))
        return result

    def slice(self, offsets, sizes, strides):
        result = Tensor(sizes)
        for index in result.indices():
            result.values[index] = self.values[tuple(o + i * t for o, i, t in zip(offsets, index, strides))]
        return result

    def insert(self, source, offsets, sizes, strides, count=None):
        source = source.reshaped(sizes) if len(source.shape) < len(sizes) else source
        for index in itertools.product(*map(range, sizes)):
            place = tuple(o + i * t for o, i, t in zip(offsets, index, strides))
            assert place in self.values, f"{place} is outside {self.shape}"
            self.values[place] = source.values[index]
            if count is not None:
                count[place] += 1

    def copy(self):
        return Tensor(self.shape, dict(self.values))


class Block:
    """A line, and the lines in each of its regions."""

    def __init__(self, line):
        self.line, self.regions = line, []


def parse(text):
    """The functions of a module: names to blocks; and its affine maps."""
    maps, stack = {}, [[]]
    for line in map(str.strip, text.splitlines()):
        found = re.match(r"(#map\d*) = affine_map<(.*)>$", line)
        if found:
            maps[found[1]] = found[2]
        elif line == "} else {":
            stack.pop()
            stack[-1][-1].regions.append([])
            stack.append(stack[-1][-1].regions[-1])
        elif line.startswith("}"):
            stack.pop()
        elif line and not line.startswith(("!", "//", "#")):
            stack[-1].append(Block(line))
            if line.endswith("{"):
                stack[-1][-1].regions.append([])
                stack.append(stack[-1][-1].regions[-1])
    functions = {}
    for block in stack[0][0].regions[0]:
        functions[re.search(r"@(\w+)", block.line)[1]] = block
    return functions, maps


def split(text):
    return [part.strip() for part in text.split(",") if part.strip()]


def number(*key):
    return Fraction(random.Random(repr([str(part) for part in key])).randrange(-99, 100))


def shape_of(type_text, dims):
    """The extents of `tensor<4x?xf32>`, dynamic ones from `dims`."""
    extents = re.search(r"<((?:[\d?]+x)*)", type_text)[1].split("x")[:-1]
    dims = iter(dims)
    return [Int(extent) if extent != "?" else next(dims) for extent in extents]


class Machine:
    def __init__(self, text, workers=None, seed=0):
        self.functions, self.maps = parse(text)
        self.workers, self.random = workers or {}, random.Random(seed)
        self.uses = collections.Counter()

    def call(self, name, *arguments):
        block = self.functions[name]
        names = re.findall(r"(%\w+):", block.line)
        return self.run(block.regions[0], dict(zip(names, arguments)))

    def run(self, blocks, env):
        """What the block returns."""
        for block in blocks:
            line, target = block.line, None
            found = re.match(r"(%\w+)(:\d+)? = (.*)", line)
            if found:
                target, line = found[1], found[3]
            op = re.match(r'"?[\w.]+', line)[0].strip('"')
            if op in ("return", "pcf.return", "scf.yield"):
                return [env[name] for name in split(line[len(op):].split(":")[0])]
            handler = HANDLERS.get(op)
            assert handler, f"unknown op: {block.line}"
            results = handler(self, line, env, block)
            if target is None:
                continue
            results = results if isinstance(results, list) else [results]
            env[target] = results[0]
            for i, result in enumerate(results):
                env[f"{target}#{i}"] = result
        return []

    def value(self, text, env):
        return env[text] if text.startswith("%") else Int(text)

    def list(self, text, env):
        return [self.value(part, env) for part in split(text)]

    def slice(self, line, env):
        return [self.list(part, env) for part in re.search(LISTS, line).groups()]

    def affine(self, line, env):
        found = re.match(r"\S+ (?:(#map\d*)|affine_map<(.*?)>)(\(.*?\))?(\[.*?\])?$", line)
        dims, results = (self.maps[found[1]] if found[1] else found[2]).split(" -> ")
        names = re.findall(r"\w+", dims)
        values = self.list((found[3] or "()")[1:-1], env) + self.list((found[4] or "[]")[1:-1], env)
        code = results.replace("ceildiv", "@").replace("floordiv", "//").replace("mod", "%")
        code = re.sub(r"(?<![\w])(\d+)", r"Int(\1)", code)
        return [eval(part, {"Int": Int, **dict(zip(names, values))}) for part in split(code.strip()[1:-1])]


HANDLERS = {}


def op(*names):
    def register(function):
        HANDLERS.update(dict.fromkeys(names, function))
        return function
    return register


@op("arith.constant")
def constant(machine, line, env, block):
    text = line.split()[1]
    return Int(text) if line.endswith("index") else Fraction(float(text))


@op("affine.apply", "affine.min", "affine.max")
def affine(machine, line, env, block):
    return {"affine.apply": max, "affine.min": min, "affine.max": max}[line.split()[0]](machine.affine(line, env))


@op("affine.delinearize_index")
def delinearize(machine, line, env, block):
    found = re.match(r"\S+ (%\S+) into \((.*?)\)", line)
    linear, results = env[found[1]], []
    for extent in reversed(machine.list(found[2], env)):
        results.insert(0, linear % extent)
        linear = linear // extent
    assert linear == 0, "the index is not in the basis"
    return results


@op("affine.linearize_index")
def linearize(machine, line, env, block):
    found = re.match(r"\S+ (?:disjoint )?\[(.*?)\] by \((.*?)\)", line)
    linear = Int(0)
    for index, extent in zip(machine.list(found[1], env), machine.list(found[2], env)):
        assert 0 <= index < extent, "disjoint says that each index is in its extent"
        linear = linear * extent + index
    return linear


ARITH = {
    "addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b,
    "minui": min, "maxui": max, "divui": lambda a, b: a // b, "remui": lambda a, b: a % b,
}


@op(*(f"arith.{name}" for name in ARITH))
def arith(machine, line, env, block):
    name, operands = re.match(r"arith\.(\w+) (.*) :", line).groups()
    return ARITH[name](*machine.list(operands, env))


@op("arith.cmpi")
def compare(machine, line, env, block):
    left, right = machine.list(re.match(r"\S+ ult, (.*) :", line)[1], env)
    return left < right


@op("arith.select")
def select(machine, line, env, block):
    condition, yes, no = machine.list(re.match(r"\S+ (.*) :", line)[1], env)
    return yes if condition else no


@op("tensor.dim")
def dim(machine, line, env, block):
    source, index = machine.list(re.match(r"\S+ (.*) :", line)[1], env)
    return Int(source.shape[index])


@op("tensor.empty")
def empty(machine, line, env, block):
    dims, type_text = re.match(r"\S+\((.*?)\) : (.*)", line).groups()
    return Tensor(shape_of(type_text, machine.list(dims, env)))


@op("tensor.cast")
def cast(machine, line, env, block):
    return env[line.split()[1]]


@op("tensor.extract_slice", "pcf.read_slice")
def read(machine, line, env, block):
    offsets, sizes, strides = machine.slice(line, env)
    result = env[re.match(r"\S+ (%\w+(?:#\d+)?)", line)[1]].slice(offsets, sizes, strides)
    to = line.rsplit(" to ", 1)[1]
    if to.startswith("vector"):  # elements beyond the size are zero
        whole = Tensor(shape_of(to, []))
        whole.values = {index: result.values.get(index, Fraction(0)) for index in whole.indices()}
        return whole
    rank = to.count("x")
    kept = list(result.shape)
    while len(kept) > rank:
        kept.remove(1)
    return result.reshaped(kept)


@op("vector.transfer_read")
def transfer_read(machine, line, env, block):
    source, padding, flags = re.match(r"\S+ (%\w+)\[.*?\], (%\w+)(?: \{in_bounds = \[(.*?)\]\})?", line).groups()
    result, source = Tensor(shape_of(line.rsplit(", ", 1)[1], [])), env[source]
    for flag, size, extent in zip(split(flags or ""), source.shape, result.shape):
        assert flag == "false" or size == extent, "in_bounds is wrong"
    result.values = {index: source.values.get(index, env[padding]) for index in result.indices()}
    return result


@op("tensor.expand_shape", "tensor.collapse_shape")
def reshape(machine, line, env, block):
    source = env[line.split()[1]]
    output = re.search(r"output_shape \[(.*?)\]", line)
    if output:
        return source.reshaped(machine.list(output[1], env))
    groups = re.findall(r"\[([\d, ]+)\]", line)
    shape = []
    for group in groups:
        shape.append(1)
        for index in split(group):
            shape[-1] *= source.shape[int(index)]
    return source.reshaped(shape)


@op("test.make")
def make(machine, line, env, block):
    result = Tensor(shape_of(line.rsplit(" -> ", 1)[1], []))
    operands = machine.list(re.search(r"\((.*?)\)", line)[1], env)
    for index in result.indices():
        result.values[index] = number(*operands, *index)
    return result


@op("test.use")
def use(machine, line, env, block):
    machine.uses[tuple(int(value) for value in machine.list(re.search(r"\((.*?)\)", line)[1], env))] += 1


def operands_of(machine, line, env):
    ins = re.search(r"ins\((.*?) :", line)
    return machine.list(ins[1], env) if ins else [], machine.list(re.search(r"outs\((.*?) :", line)[1], env)


def elementwise(function):
    def run(machine, line, env, block):
        ins, outs = operands_of(machine, line, env)
        result = Tensor(outs[0].shape)
        assert all(value.shape == result.shape for value in ins), line
        for index in result.indices():
            values = [value.values[index] for value in ins]
            result.values[index] = None if None in values else function(*values)
        return result
    return run


HANDLERS["linalg.square"] = elementwise(lambda a: a * a)
HANDLERS["linalg.negf"] = elementwise(lambda a: -a)
HANDLERS["linalg.add"] = elementwise(lambda a, b: a + b)
HANDLERS["linalg.sub"] = elementwise(lambda a, b: a - b)
HANDLERS["linalg.mul"] = elementwise(lambda a, b: a * b)


@op("linalg.fill")
def fill(machine, line, env, block):
    ins, outs = operands_of(machine, line, env)
    return Tensor(outs[0].shape, dict.fromkeys(outs[0].indices(), ins[0]))


@op("linalg.transpose")
def transpose(machine, line, env, block):
    ins, outs = operands_of(machine, line, env)
    order = [int(part) for part in split(re.search(r"permutation = \[(.*?)\]", line)[1])]
    result = Tensor(outs[0].shape)
    for index in ins[0].indices():
        result.values[tuple(index[dim] for dim in order)] = ins[0].values[index]
    return result


@op("linalg.reduce")
def reduce(machine, line, env, block):
    ins, outs = operands_of(machine, line, env)
    gone = [int(part) for part in split(re.search(r"dimensions = \[(.*?)\]", line)[1])]
    result = outs[0].copy()
    for index in ins[0].indices():
        kept = tuple(i for dim, i in enumerate(index) if dim not in gone)
        result.values[kept] += ins[0].values[index]
    return result


@op("linalg.matmul")
def matmul(machine, line, env, block):
    (left, right), outs = operands_of(machine, line, env)
    result = outs[0].copy()
    for i, j in result.indices():
        for k in range(left.shape[1]):
            result.values[i, j] += left.values[i, k] * right.values[k, j]
    return result


@op("scf.forall")
def forall(machine, line, env, block):
    found = re.match(r"\S+ \((.*?)\)(?: = \((.*?)\) to)? (?:in )?\((.*?)\)(?: step \((.*?)\))?"
                     r"(?: shared_outs\((.*?)\))?", line)
    ids, ends = split(found[1]), machine.list(found[3], env)
    starts = machine.list(found[2], env) if found[2] else [0] * len(ids)
    steps = machine.list(found[4], env) if found[4] else [1] * len(ids)
    outputs = [part.split(" = ") for part in split(found[5] or "")]
    inits = {name: env[init] for name, init in outputs}
    results = {name: env[init].copy() for name, init in outputs}
    for iteration in itertools.product(*(range(*bounds) for bounds in zip(starts, ends, steps))):
        inner = {**env, **inits, **dict(zip(ids, map(Int, iteration)))}
        machine.run([child for child in block.regions[0] if "in_parallel" not in child.line], inner)
        for child in block.regions[0]:
            for insert in child.regions[0] if "in_parallel" in child.line else ():
                source, dest = re.match(r"\S+ (\S+) into (%\w+)", insert.line).groups()
                results[dest].insert(inner[source], *machine.slice(insert.line, inner))
    return list(results.values())


@op("pcf.generic", "pcf.loop")
def owner(machine, line, env, block):
    found = re.match(r"(\S+) scope\((.*?)\)(?: count\((.*?)\))? execute(?:\((.*?)\))?\[(.*?)\](.*)", line)
    kind, scope, counts, refs, ids, types = found.groups()
    ids = re.findall(r"%\w+", ids)
    results_text = types.rsplit(" -> ", 1)[1] if " -> " in types else ""
    results = re.findall(r"tensor<[^>]*>(?:\{[^}]*\})?", results_text)
    memory, sources = {}, {}
    written = []
    for ref in split(refs or ""):
        if " <- " in ref:
            name, source = re.match(r"(%\w+) <- (%\w+)", ref).groups()
            sources[name] = env[source]
        else:
            written.append(ref)
    for ref, result in zip(written, results):
        name, _, init = ref.partition(" = ")
        dims = machine.list((re.search(r"\{(.*)\}", result) or ["", ""])[1], env)
        memory[name] = env[init].copy() if init else Tensor(shape_of(result, dims))
        memory[name].writes = collections.Counter()
    if kind == "pcf.loop":
        iterations = [list(reversed(i)) for i in itertools.product(*map(range, reversed(machine.list(counts, env))))]
    else:
        count = machine.workers[scope]
        iterations = [[worker, count] for worker in range(count)]
    machine.random.shuffle(iterations)
    for iteration in iterations:
        machine.run(block.regions[0], {**env, **sources, **memory, **dict(zip(ids, map(Int, iteration)))})
    machine.last = list(memory.values())
    return machine.last


@op("pcf.write_slice")
def write(machine, line, env, block):
    source, dest = re.match(r"\S+ (\S+) into (%\w+)", line).groups()
    env[dest].insert(env[source], *machine.slice(line, env), env[dest].writes)


def tensor(seed, *shape):
    """Random numbers, none of them zero."""
    result = Tensor(shape)
    for index in result.indices():
        result.values[index] = number(seed, *index) or Fraction(7)
    return result
