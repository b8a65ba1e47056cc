"""Text of linalg functions, by the names of their dimensions, and the kernels that there are."""

INF = {"f16": "0xFC00", "bf16": "0xFF80", "f32": "0xFF800000", "f64": "0xFFF0000000000000"}


class Builder:
    """Text of one function. Values are (name, dims, type), dims a list of names or numbers."""

    def __init__(self, name, extents, dynamic):
        self.name, self.extents, self.dynamic = name, extents, dynamic
        self.arguments, self.lines, self.sizes, self.count = [], [], {}, 0

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def line(self, text):
        self.lines.append(text)

    def extent(self, dim):
        if isinstance(dim, str) and dim not in self.extents:
            return eval(dim, {}, dict(self.extents))  # such as "m+2"
        return self.extents[dim] if isinstance(dim, str) else dim

    def shape(self, dims):
        return ["?" if dim in self.dynamic else str(self.extent(dim)) for dim in dims]

    def type(self, dims, element):
        return f"tensor<{'x'.join([*self.shape(dims), element])}>"

    def of(self, value):
        return self.type(value[1], value[2])

    def arg(self, dims, element, input=None):
        dims = dims.split() if isinstance(dims, str) else dims
        value = (f"%arg{len(self.arguments)}", dims, element)
        self.arguments.append((value, input))
        for at, dim in enumerate(dims):
            if dim in self.dynamic and dim not in self.sizes:
                index, size = self.fresh(), self.fresh()
                self.line(f"{index} = arith.constant {at} : index")
                self.line(f"{size} = tensor.dim {value[0]}, {index} : {self.of(value)}")
                self.sizes[dim] = size
        return value

    def constant(self, value, element):
        name = self.fresh()
        self.line(f"{name} = arith.constant {value}" + ("" if value in ("true", "false") else f" : {element}"))
        return name

    def empty(self, dims, element):
        dims = dims.split() if isinstance(dims, str) else dims
        name = self.fresh()
        sizes = ", ".join(self.sizes[dim] for dim in dims if dim in self.dynamic)
        self.line(f"{name} = tensor.empty({sizes}) : {self.type(dims, element)}")
        return name, dims, element

    def fill(self, dims, element, value):
        scalar, out = self.constant(value, element), self.empty(dims, element)
        name = self.fresh()
        self.line(f"{name} = linalg.fill ins({scalar} : {element}) outs({out[0]} : {self.of(out)}) -> {self.of(out)}")
        return name, out[1], element

    def generic(self, loops, ins, outs, body, reduced=""):
        """ins, outs: (value, "map"); body: lines, with %x0.. and %o0.. and a yield of %y0.. ."""
        loops = loops.split()
        maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({m})>" for _, m in [*ins, *outs])
        iterators = ", ".join(f'"{"reduction" if loop in reduced.split() else "parallel"}"' for loop in loops)
        clause = lambda word, values: f"{word}({', '.join(v[0] for v, _ in values)} : {', '.join(self.of(v) for v, _ in values)}) " if values else ""
        arguments = [f"%x{i}: {v[2]}" for i, (v, _) in enumerate(ins)] + [f"%o{i}: {v[2]}" for i, (v, _) in enumerate(outs)]
        name = self.fresh()
        results = ", ".join(self.of(v) for v, _ in outs)
        self.line(f"{name}{f':{len(outs)}' if len(outs) > 1 else ''} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} "
                  f"{clause('ins', ins)}{clause('outs', outs)}{{")
        self.line(f"^bb0({', '.join(arguments)}):")
        for line in body:
            self.line("  " + line)
        yielded = ", ".join(f"%y{i}" for i in range(len(outs)))
        self.line(f"  linalg.yield {yielded} : {', '.join(v[2] for v, _ in outs)}")
        self.line(f"}} -> {results if len(outs) == 1 else f'({results})'}")
        if len(outs) == 1:
            return name, outs[0][0][1], outs[0][0][2]
        return [(f"{name}#{i}", v[1], v[2]) for i, (v, _) in enumerate(outs)]

    def named(self, op, ins, out, attributes=""):
        name = self.fresh()
        self.line(f"{name} = linalg.{op} {attributes} ins({', '.join(v[0] for v in ins)} : {', '.join(map(self.of, ins))}) "
                  f"outs({out[0]} : {self.of(out)}) -> {self.of(out)}")
        return name, out[1], out[2]

    def map(self, ins, out_type, body, dims=None):
        """Elementwise; maps from the names of dims."""
        dims = dims or ins[0][1]
        names = [f"d{i}" for i in range(len(dims))]
        out = self.empty(dims, out_type)

        def map_of(value):
            left, places = list(zip(dims, names)), []
            for dim in value[1]:
                at = next(i for i, (d, _) in enumerate(left) if d == dim)
                places.append(left.pop(at)[1])
            return ", ".join(places)

        return self.generic(" ".join(names), [(v, map_of(v)) for v in ins], [(out, ", ".join(names))], body)

    def reduce(self, value, axes, combine, start, keep=False):
        """combine: op of %x0 and %o0."""
        names = [f"d{i}" for i in range(len(value[1]))]
        kept = [i for i in range(len(names)) if i not in axes]
        dims = [1 if i in axes else d for i, d in enumerate(value[1])] if keep else [value[1][i] for i in kept]
        places = ["0" if i in axes else n for i, n in enumerate(names)] if keep else [names[i] for i in kept]
        out = self.fill(dims, value[2], start)
        return self.generic(" ".join(names), [(value, ", ".join(names))], [(out, ", ".join(places))],
                            [f"%y0 = {combine} %x0, %o0 : {value[2]}"], " ".join(names[i] for i in axes))

    def softmax(self, value, axis):
        out = self.empty(value[1], value[2])
        name = self.fresh()
        self.line(f"{name} = linalg.softmax dimension({axis}) ins({value[0]} : {self.of(value)}) outs({out[0]} : {self.of(out)}) -> {self.of(out)}")
        return name, value[1], value[2]

    def reshape(self, value, groups, dims, expand):
        """groups: of dims, such as [[0, 1], [2]]."""
        name = self.fresh()
        to = self.type(dims, value[2])
        if expand:
            shape = ", ".join(self.sizes[d] if d in self.dynamic else str(self.extent(d)) for d in dims)
            self.line(f"{name} = tensor.expand_shape {value[0]} {groups} output_shape [{shape}] : {self.of(value)} into {to}")
        else:
            self.line(f"{name} = tensor.collapse_shape {value[0]} {groups} : {self.of(value)} into {to}")
        return name, dims, value[2]

    def text(self, results):
        results = results if isinstance(results, list) else [results]
        arguments = ", ".join(f"{v[0]}: {self.of(v)}" for v, _ in self.arguments)
        types = ", ".join(map(self.of, results))
        body = "\n  ".join([*self.lines, f"return {', '.join(v[0] for v in results)} : {types}"])
        return f"func.func @{self.name}({arguments}) -> ({types}) {{\n  {body}\n}}\n"


class Kernel:
    def __init__(self, name, family, build, divisible, ragged, one=None, dynamic=(), flags=()):
        self.name, self.family, self.build = name, family, build
        self.shapes = {"divisible": divisible, "ragged": ragged, "one": one or {d: 1 for d in divisible}}
        self.dynamic = dynamic.split() if isinstance(dynamic, str) else dynamic
        self.extra = list(flags)

    def builder(self, extents, dynamic=False):
        b = Builder(self.name, extents, self.dynamic if dynamic else [])
        return b, self.build(b)

    def text(self, extents, dynamic=False):
        b, results = self.builder(extents, dynamic)
        return b.text(results)

    def flags(self, extents, dynamic=False):
        b, _ = self.builder(extents, dynamic)
        flags = list(self.extra)
        for number, (value, input) in enumerate(b.arguments):
            if any(d in b.dynamic for d in value[1]):
                flags += ["--shape", f"arg{number}={'x'.join(str(b.extent(d)) for d in value[1])}"]
            if input:
                flags += ["--input", f"arg{number}={input}"]
        return flags


KERNELS = []


def kernel(family, divisible, ragged, one=None, dynamic="", flags=()):
    def add(build):
        KERNELS.append(Kernel(build.__name__, family, build, divisible, ragged, one, dynamic, flags))
        return build
    return add
