"""Permutations that are not their own inverse, wherever one appears: of three dims and of four.

    python3 rotations.py OUT_DIR [--only NAME] [--distaff PATH]

For each of them a transpose, a read and a write through a permutation map, a map of a
linalg op's operand and result, products whose three maps are turned each its own way, layouts whose
lanes go round, and two after another. A dim that is counted in the wrong direction gives other numbers:
extents are alike, so that no shape is wrong, or all different. Numbers are whole, and Python moves them.
"""
import functools
import itertools
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

TARGETS = {"sm_80": 32, "gfx942": 64}


def turns(rank):
    """Permutations whose square is not the identity."""
    return [p for p in itertools.permutations(range(rank)) if any(p[p[d]] != d for d in range(rank))]


def places(shape):
    return itertools.product(*map(range, shape))


def permuted(shape, permutation):
    return [shape[d] for d in permutation]


def moved(data, shape, permutation):
    """Dim d of the result is dim permutation[d] of `data`."""
    new, result = permuted(shape, permutation), []
    strides = [math.prod(shape[d + 1:]) for d in range(len(shape))]
    for place in places(new):
        result.append(data[sum(i * strides[d] for i, d in zip(place, permutation))])
    return result


def label(permutation):
    return "".join(map(str, permutation))


def inverse(permutation):
    return [permutation.index(d) for d in range(len(permutation))]


def affine(rank, dims):
    return f"affine_map<({', '.join(f'd{d}' for d in range(rank))}) -> ({', '.join(f'd{d}' for d in dims)})>"


def text_of(kind, shape, element):
    return f"{kind}<{'x'.join(map(str, shape))}x{element}>"


class Later(suite.Run):
    """A run that is made when it begins."""

    def __init__(self, name, make):
        self.name, self.make = name, make

    def __getattr__(self, attribute):
        made = vars(self.make())
        self.__dict__.update(made, name=self.name)
        return made[attribute]


class Program:
    pending = None  # makes the lines and the values

    def __init__(self, name, target, element="f32"):
        self.name, self.target, self.element = f"{name}_{target}", target, element
        self.random = random.Random(self.name)
        self.arguments, self.results, self.lines, self.flags = [], [], [], []

    def argument(self, shape, element=None, values=None):
        element = element or self.element
        low, high = (-2, 2) if element != "f32" else (-500, 500)
        values = values or [self.random.randint(low, high) for _ in places(shape)]
        self.arguments.append((shape, element, values))
        return f"%arg{len(self.arguments) - 1}", values

    def line(self, *lines):
        self.lines += lines

    def whole(self, memory, shape, element, name, map=None, to=None):
        """A transfer_read of all, through a map or not."""
        zeros = ", ".join(["%c0"] * len(shape))
        attributes = f"in_bounds = [{', '.join(['true'] * len(shape))}]" + (f", permutation_map = {map}" if map else "")
        self.line(f"{name} = vector.transfer_read {memory}[{zeros}], %zero_{element} {{{attributes}}} : {text_of('memref', shape, element)}, {text_of('vector', to or shape, element)}")

    def result(self, value, shape, values, element=None, map=None, vector=None):
        """A transfer_write of all into an argument of the kernel; or what a function on tensors returns."""
        element = element or self.element
        if self.is_tensor:
            self.results.append((value, shape, element, values))
            return
        memory, zeros = f"%arg{len(self.arguments)}", ", ".join(["%c0"] * len(shape))
        self.arguments.append((shape, element, None))
        attributes = f"in_bounds = [{', '.join(['true'] * len(shape))}]" + (f", permutation_map = {map}" if map else "")
        self.line(f"vector.transfer_write {value}, {memory}[{zeros}] {{{attributes}}} : {text_of('vector', vector or shape, element)}, {text_of('memref', shape, element)}")
        self.results.append((f"arg{len(self.arguments) - 1}", shape, element, values))

    is_tensor = False

    def text(self):
        kind = "tensor" if self.is_tensor else "memref"
        arguments = ", ".join(f"%arg{i}: {text_of(kind, shape, element)}" for i, (shape, element, _) in enumerate(self.arguments))
        if self.is_tensor:
            types = ", ".join(text_of("tensor", shape, element) for _, shape, element, _ in self.results)
            head, last = f"func.func @k({arguments}) -> ({types}) {{", f"  return {', '.join(v for v, *_ in self.results)} : {types}"
        else:
            lanes = TARGETS[self.target]
            head = (f"func.func @k({arguments}) attributes {{translation_info = #iree_codegen.translation_info<workgroup_size = [{2 * lanes}, 1, 1] subgroup_size = {lanes}>}} {{\n"
                    "  %c0 = arith.constant 0 : index\n  %zero_f32 = arith.constant 0.0 : f32\n  %zero_f16 = arith.constant 0.0 : f16")
            last = "  return"
        return "\n".join([head, *("  " + line for line in self.lines), last, "}", ""])

    def run(self, chosen):
        if self.pending:
            self.pending()
        path = chosen.out / f"{self.name}.mlir"
        path.write_text(self.text())
        command = [chosen.distaff, "run", str(path), "--target", self.target, "--check", "--every-stage", *self.flags]
        for i, (shape, element, values) in enumerate(self.arguments):
            if values:
                command += ["--input", f"arg{i}={npy.write(chosen.out / f'{self.name}.arg{i}.npy', element, shape, values)}"]
        files = [chosen.out / f"{self.name}.res{i}.npy" for i in range(len(self.results))]
        for i, file in enumerate(files):
            command += ["--output", f"{f'res{i}' if self.is_tensor else self.results[i][0]}={file}"]

        def after():
            for file, (_, shape, element, values) in zip(files, self.results):
                seen = npy.read(file, element)
                wrong = [i for i, (a, b) in enumerate(zip(seen, values, strict=True)) if a != b]
                if wrong:
                    return f"{file.name}: {len(wrong)} of {len(values)} of {shape} differ, the first at {wrong[0]}: {seen[wrong[0]]} instead of {values[wrong[0]]}"
            return None
        # Phases have stages of their own, whose results `after` judges.
        return suite.Run(self.name, command, EXPECTED.get(self.name), exact=True, after=after, compares="run-cluster" not in self.flags)


class TensorProgram(Program):
    is_tensor = True


def layout_round(lanes, shape, order):
    """Lanes that go round the dims in `order`, the first the fastest; what is left are registers."""
    tile, strides, next_ = [1] * len(shape), [0] * len(shape), 1
    for d in order:
        size = math.gcd(shape[d], lanes // next_)
        tile[d], strides[d] = size, next_ if size > 1 else 0
        next_ *= size
    rest = [n // t for n, t in zip(shape, tile)]
    ones = [1] * len(shape)
    return (f"#iree_vector_ext.nested_layout<subgroup_tile = {ones}, batch_tile = {rest}, outer_tile = {ones}, thread_tile = {tile}, "
            f"element_tile = {ones}, subgroup_strides = {[0] * len(shape)}, thread_strides = {strides}>")


def transposed(p, shape, turn, layouts=(None, None)):
    x, data = p.argument(shape)
    p.whole(x, shape, "f32", "%x")
    new, value = permuted(shape, turn), "%x"
    if layouts[0]:
        p.line(f"%xl = iree_vector_ext.to_layout %x to layout({layouts[0]}) : {text_of('vector', shape, 'f32')}")
        value = "%xl"
    p.line(f"%t = vector.transpose {value}, {list(turn)} : {text_of('vector', shape, 'f32')} to {text_of('vector', new, 'f32')}")
    value = "%t"
    if layouts[1]:
        p.line(f"%tl = iree_vector_ext.to_layout %t to layout({layouts[1]}) : {text_of('vector', new, 'f32')}")
        value = "%tl"
    p.result(value, new, moved(data, shape, turn))


def read_through(p, shape, turn):
    """The vector's dim d is the memory's turn[d]."""
    x, data = p.argument(shape)
    p.whole(x, shape, "f32", "%x", affine(len(shape), turn), permuted(shape, turn))
    p.result("%x", permuted(shape, turn), moved(data, shape, turn))


def write_through(p, shape, turn):
    """The vector's dim d is the memory's turn[d]; the vector has the extents of the memory at turn."""
    new = permuted(shape, turn)
    x, data = p.argument(new)
    p.whole(x, new, "f32", "%x")
    p.result("%x", shape, moved(data, new, inverse(turn)), map=affine(len(shape), turn), vector=new)


def reduced(p, shape, turn):
    """A sum along one dim of what was turned."""
    x, data = p.argument(shape)
    new = permuted(shape, turn)
    p.whole(x, shape, "f32", "%x")
    kept = new[:1] + new[2:]
    p.line(f"%t = vector.transpose %x, {list(turn)} : {text_of('vector', shape, 'f32')} to {text_of('vector', new, 'f32')}",
           f"%z = arith.constant dense<0.0> : {text_of('vector', kept, 'f32')}",
           f"%s = vector.multi_reduction <add>, %t, %z [1] : {text_of('vector', new, 'f32')} to {text_of('vector', kept, 'f32')}")
    turned, sums = moved(data, shape, turn), dict.fromkeys(places(kept), 0)
    for place, value in zip(places(new), turned):
        sums[place[:1] + place[2:]] += value
    p.result("%s", kept, list(sums.values()))


def product(p, extents, turns, element):
    """b, m, n, k; each operand and the result has its three dims in an order of its own."""
    own = [(0, 1, 3), (0, 3, 2), (0, 1, 2)]
    dims = [permuted(of, turn) for of, turn in zip(own, turns)]
    shapes = [permuted(extents, of) for of in dims]
    (a, x), (b, y) = (p.argument(shape, element) for shape in shapes[:2])
    if p.is_tensor:
        maps = ", ".join(affine(4, of) for of in dims)
        types = [text_of("tensor", shape, of) for shape, of in zip(shapes, (element, element, "f32"))]
        body = [f"%u{i} = arith.extf %{'uv'[i]} : {element} to f32" if element != "f32" else f"%u{i} = arith.addf %{'uv'[i]}, %zero : f32" for i in range(2)]
        p.line("%zero = arith.constant 0.0 : f32", f"%e = tensor.empty() : {types[2]}", f"%f = linalg.fill ins(%zero : f32) outs(%e : {types[2]}) -> {types[2]}",
               f'%r = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}} ins({a}, {b} : {types[0]}, {types[1]}) outs(%f : {types[2]}) {{',
               f"^bb0(%u: {element}, %v: {element}, %o: f32):", *body, "%q = arith.mulf %u0, %u1 : f32", "%s = arith.addf %o, %q : f32", "linalg.yield %s : f32", f"}} -> {types[2]}")
    else:
        maps = ", ".join(affine(4, of) for of in dims)
        for name, memory, shape in (("%x", a, shapes[0]), ("%y", b, shapes[1])):
            p.whole(memory, shape, element, name)
        types = [text_of("vector", shape, of) for shape, of in zip(shapes, (element, element, "f32"))]
        p.line(f"%z = arith.constant dense<0.0> : {types[2]}",
               f'%r = vector.contract {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "parallel", "reduction"], kind = #vector.kind<add>}} %x, %y, %z : {types[0]}, {types[1]} into {types[2]}')
    stride = lambda shape: [math.prod(shape[d + 1:]) for d in range(len(shape))]
    at = lambda place, of, shape: sum(place[d] * s for d, s in zip(of, stride(shape)))
    sums = [0] * math.prod(shapes[2])
    for place in places(extents):
        sums[at(place, dims[2], shapes[2])] += x[at(place, dims[0], shapes[0])] * y[at(place, dims[1], shapes[1])]
    p.result("%r", shapes[2], sums, "f32")


def linalg_transpose(p, shape, turn, then=None):
    x, data = p.argument(shape)
    value = x
    for number, permutation in enumerate([turn] + ([then] if then else [])):
        new = permuted(shape, permutation)
        p.line(f"%e{number} = tensor.empty() : {text_of('tensor', new, 'f32')}",
               f"%t{number} = linalg.transpose ins({value} : {text_of('tensor', shape, 'f32')}) outs(%e{number} : {text_of('tensor', new, 'f32')}) permutation = {list(permutation)}")
        value, data, shape = f"%t{number}", moved(data, shape, permutation), new
    p.result(value, shape, data)


def generic(p, shape, of_operand, of_result):
    """Loops of `shape`; the operand and the result have their dims in orders of their own."""
    rank = len(shape)
    (x, data), (y, more) = p.argument(permuted(shape, of_operand)), p.argument(shape)
    out = permuted(shape, of_result)
    kinds = ", ".join(['"parallel"'] * rank)
    p.line(f"%e = tensor.empty() : {text_of('tensor', out, 'f32')}",
           f"%r = linalg.generic {{indexing_maps = [{affine(rank, of_operand)}, {affine(rank, range(rank))}, {affine(rank, of_result)}], iterator_types = [{kinds}]}} "
           f"ins({x}, {y} : {text_of('tensor', permuted(shape, of_operand), 'f32')}, {text_of('tensor', shape, 'f32')}) outs(%e : {text_of('tensor', out, 'f32')}) {{",
           "^bb0(%a: f32, %b: f32, %o: f32):", "%s = arith.subf %a, %b : f32", "linalg.yield %s : f32", f"}} -> {text_of('tensor', out, 'f32')}")
    straight = moved(data, permuted(shape, of_operand), inverse(of_operand))
    p.result("%r", out, moved([a - b for a, b in zip(straight, more)], shape, of_result))


def vectors(target):
    lanes = TARGETS[target]
    for rank, shapes in ((3, ([8, 8, 8], [2, 8, 16], [3, 5, 7])), (4, ([4, 4, 4, 4], [2, 4, 8, 3]))):
        for turn in turns(rank):
            for shape in shapes:
                size = "x".join(map(str, shape))
                for make in (transposed, read_through, write_through, reduced):
                    p = Program(f"{make.__name__}_{label(turn)}_{size}", target)
                    p.pending = functools.partial(make, p, shape, turn)
                    yield p
                for k, orders in enumerate(((turn, None), (None, turn), (turn, inverse(turn)), (inverse(turn), range(rank)))):
                    p = Program(f"laid_out_{label(turn)}_{size}_{k}", target)
                    p.pending = functools.partial(transposed, p, shape, turn, [of and layout_round(lanes, s, of) for of, s in zip(orders, (shape, permuted(shape, turn)))])
                    yield p


def tensors(target):
    for rank, shapes in ((3, ([16, 16, 16], [5, 8, 33])), (4, ([6, 6, 6, 6], [3, 4, 5, 9]))):
        for turn in turns(rank):
            for shape in shapes:
                size = "x".join(map(str, shape))
                for make, more in ((linalg_transpose, ()), (generic, (range(rank),)), (generic, (turn,)), (generic, (inverse(turn),))):
                    p = TensorProgram(f"{make.__name__}_{label(turn)}_{size}_{label(more[0]) if more else ''}", target)
                    p.pending = functools.partial(make, p, shape, turn, *more)
                    yield p
                p = TensorProgram(f"after_another_{label(turn)}_{size}", target)
                p.pending = functools.partial(linalg_transpose, p, shape, turn, turn)
                yield p
                p = TensorProgram(f"of_result_{label(turn)}_{size}", target)
                p.pending = functools.partial(generic, p, shape, range(rank), turn)
                yield p


def products(target):
    orders = [(0, 1, 2), *turns(3)]
    for three in itertools.product(orders, repeat=3):
        if three == ((0, 1, 2),) * 3:
            continue
        for extents, element in (([16, 16, 16, 16], "f16"), ([3, 16, 8, 16], "f16"), ([4, 4, 4, 4], "f32")):
            name = "_".join(map(label, three)) + f"_{'x'.join(map(str, extents))}_{element}"
            for kind, name in ((Program, f"contract_{name}"), (TensorProgram, f"generic_product_{name}")):
                p = kind(name, target, element)
                p.pending = functools.partial(product, p, extents, three, element)
                yield p
                if kind is TensorProgram and element == "f16":
                    other = TensorProgram(f"run_cluster_{name}", target, element)
                    other.pending = functools.partial(product, other, extents, three, element)
                    other.flags = ["--pipeline", "run-cluster"]
                    yield other


# What ends otherwise, and why.
EXPECTED = {}


if __name__ == "__main__":
    options = suite.options()
    made = [p for target in TARGETS for family in (vectors, tensors, products) for p in family(target)]
    suite.main([Later(p.name, functools.partial(p.run, options)) for p in made], options, one_in=31)
