"""Programs of loop nests that may be changed: their text as linalg, and their values.

A `Nests` is a list of `Nest`s (linalg.generic) and `Slice`s (tensor.extract_slice). What an
operand's element is read at is a list of `At`, sums of loops. A body is a list of statements
(name, op, operands, type): "x0", "x1" are the operands' elements, "o0" those of the results.
Values are computed here by plain loops in Python, each op once per iteration, so that a change
of the program changes both alike:

    nests = Nests("sum")
    x = nests.argument([4, 8], "f32")
    nests.nest([4, 8], "pr", [(x, "01")], [(nests.start([4], "f32", 0), "0")], [("y0", "addf", ("o0", "x0"), "f32")])
"""
import copy
import dataclasses
import functools
import math
import pickle
import random
import struct

FLOATS = ("f16", "bf16", "f32", "f64")
BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}


def rounded(value, element):
    if element == "f64" or math.isinf(value) or math.isnan(value):
        return value
    if element == "bf16":
        bits = struct.unpack("<I", struct.pack("<f", value))[0]
        return struct.unpack("<f", struct.pack("<I", (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000))[0]
    code = {"f16": "<e", "f32": "<f"}[element]
    return struct.unpack(code, struct.pack(code, value))[0]


def wrap(value, element):
    if element == "index":
        return value
    bits = BITS[element]
    return value & 1 if bits == 1 else (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


# Op -> (operands' text after the op's name, Python). {t} is the result's type, {s} the first operand's.
ARITH = {"addf": "{0} + {1}", "subf": "{0} - {1}", "mulf": "{0} * {1}", "divf": "{0} / {1}", "maximumf": "max({0}, {1})",
         "minimumf": "min({0}, {1})", "maxnumf": "max({0}, {1})", "addi": "{0} + {1}", "subi": "{0} - {1}", "muli": "{0} * {1}", "maxsi": "max({0}, {1})",
         "minsi": "min({0}, {1})", "andi": "{0} & {1}", "ori": "{0} | {1}", "xori": "{0} ^ {1}", "negf": "-{0}"}
CASTS = {"extf": "{0}", "truncf": "{0}", "extsi": "{0}", "extui": "({0} & mask)", "trunci": "{0}", "sitofp": "float({0})", "index_cast": "{0}"}
MATH = {"exp": "math.exp({0})", "absf": "abs({0})", "rsqrt": "1 / math.sqrt({0})"}
COMPARES = {"ogt": ">", "olt": "<", "oge": ">=", "ole": "<=", "sgt": ">", "slt": "<", "sge": ">=", "sle": "<=", "ule": "<="}
COMMUTES = {"addf", "mulf", "maximumf", "minimumf", "maxnumf", "addi", "muli", "maxsi", "minsi", "andi", "ori", "xori"}


def literal(value, element):
    if element == "i1":
        return "true" if value else "false"
    if element not in FLOATS:
        return str(value)
    if math.isinf(value):
        return {"f16": ("0x7C00", "0xFC00"), "bf16": ("0x7F80", "0xFF80"), "f32": ("0x7F800000", "0xFF800000"),
                "f64": ("0x7FF0000000000000", "0xFFF0000000000000")}[element][value < 0]
    return repr(float(value))


def statement_text(statement, types):
    name, op, operands, type = statement
    values = [f"%{x}" for x in operands if isinstance(x, str)]
    if op == "const":
        return f"%{name} = arith.constant {literal(operands[0], type)}" + ("" if type == "i1" else f" : {type}")
    if op == "index":
        return f"%{name} = linalg.index {operands[0]} : index"
    if op == "extract":
        return f"%{name} = tensor.extract {operands[0].name}[{', '.join('%' + x for x in operands[1:])}] : {operands[0].type()}"
    if op == "select":
        return f"%{name} = arith.select {', '.join(values)} : {type}"
    if op in COMPARES:
        of = types[operands[0]]
        return f"%{name} = arith.cmp{'f' if of in FLOATS else 'i'} {op}, {', '.join(values)} : {of}"
    if op in CASTS:
        return f"%{name} = arith.{op} {values[0]} : {types[operands[0]]} to {type}"
    return f"%{name} = {'math' if op in MATH else 'arith'}.{op} {', '.join(values)} : {type}"


def statement_code(statement, types, exact):
    """In an exact program numbers are whole and small: no type of 32 bits or more and no float rounds them."""
    name, op, operands, type = statement
    values = [f"v_{x}" for x in operands if isinstance(x, str)]
    if op == "const":
        code = "float('%r')" % float(operands[0]) if type in FLOATS else repr(int(operands[0]))
        return f"v_{name} = {code}"
    if op == "index":
        return f"v_{name} = d{operands[0]}"
    if op == "extract":
        source = operands[0]
        strides = source.strides()
        return f"v_{name} = t_{source.name[1:]}[{' + '.join(f'v_{x} * {s}' for x, s in zip(operands[1:], strides)) or '0'}]"
    if op == "select":
        return f"v_{name} = {values[1]} if {values[0]} else {values[2]}"
    if op in COMPARES:
        return f"v_{name} = {values[0]} {COMPARES[op]} {values[1]}"
    code = {**ARITH, **CASTS, **MATH}[op].format(*values).replace("mask", str((1 << BITS.get(types.get(operands[0], "i32"), 64)) - 1))
    if type in FLOATS:
        return f"v_{name} = {code}" if exact else f"v_{name} = rounded({code}, {type!r})"
    return f"v_{name} = wrap({code}, {type!r})" if BITS.get(type, 64) < 32 else f"v_{name} = {code}"


@dataclasses.dataclass
class At:
    """A sum of loops, each times a number, and a number."""
    loops: dict  # loop: factor
    plus: int = 0

    def text(self):
        parts = [f"d{d}" if f == 1 else f"d{d} * {f}" for d, f in self.loops.items()]
        return " + ".join(parts + ([str(self.plus)] if self.plus or not parts else []))

    def code(self):
        return " + ".join([f"d{d} * {f}" for d, f in self.loops.items()] + [str(self.plus)])

    def largest(self, extents):
        return self.plus + sum(f * (extents[d] - 1) for d, f in self.loops.items() if f > 0)


def ats(of):
    """From a text such as "02", or as it is."""
    return [At({int(c): 1}) for c in of] if isinstance(of, str) else of


@dataclasses.dataclass
class Value:
    name: str
    shape: list
    element: str
    low: int = -2
    high: int = 2

    def type(self):
        return f"tensor<{''.join(f'{d}x' for d in self.shape)}{self.element}>"

    def strides(self):
        return [math.prod(self.shape[d + 1:]) for d in range(len(self.shape))]


@dataclasses.dataclass
class Nest:
    extents: list
    kinds: str  # p, r per loop
    ins: list  # (Value, [At])
    outs: list  # (Value or the constant of a fill, [At])
    body: list
    results: list  # Values

    def types(self):
        types = {f"x{i}": v.element for i, (v, _) in enumerate(self.ins)} | {f"o{i}": r.element for i, r in enumerate(self.results)}
        for name, op, _, type in self.body:
            types[name] = "i1" if op in COMPARES else type
        return types

    def lines(self, fresh):
        starts, lines = [], []
        for (start, _), result in zip(self.outs, self.results):
            if not isinstance(start, Value):
                scalar, empty, filled = fresh(), fresh(), fresh()
                lines += [f"{empty} = tensor.empty() : {result.type()}"]
                if start is not None:
                    constant = literal(start, result.element)
                    lines += [f"{scalar} = arith.constant {constant}" + ("" if result.element == "i1" else f" : {result.element}"),
                              f"{filled} = linalg.fill ins({scalar} : {result.element}) outs({empty} : {result.type()}) -> {result.type()}"]
                starts.append(filled if start is not None else empty)
            else:
                starts.append(start.name)
        dims = ", ".join(f"d{i}" for i in range(len(self.extents)))
        maps = ", ".join(f"affine_map<({dims}) -> ({', '.join(a.text() for a in at)})>" for _, at in [*self.ins, *self.outs])
        kinds = ", ".join('"parallel"' if k == "p" else '"reduction"' for k in self.kinds)
        ins = f"ins({', '.join(v.name for v, _ in self.ins)} : {', '.join(v.type() for v, _ in self.ins)}) " if self.ins else ""
        types = [r.type() for r in self.results]
        name = self.results[0].name.split("#")[0]
        block = [f"%x{i}: {v.element}" for i, (v, _) in enumerate(self.ins)] + [f"%o{i}: {r.element}" for i, r in enumerate(self.results)]
        known = self.types()
        yields = ", ".join(f"%y{i}" for i in range(len(self.results))) + " : " + ", ".join(r.element for r in self.results)
        return [*lines, f"{name}{f':{len(types)}' if len(types) > 1 else ''} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} {ins}"
                f"outs({', '.join(starts)} : {', '.join(types)}) {{", f"^bb0({', '.join(block)}):", *("  " + statement_text(s, known) for s in self.body),
                f"  linalg.yield {yields}", f"}} -> {types[0] if len(types) == 1 else '(' + ', '.join(types) + ')'}"]

    def code(self, exact):
        place = lambda value, at: " + ".join(f"({a.code()}) * {s}" for a, s in zip(at, value.strides())) or "0"
        lines = []
        for (start, _), result in zip(self.outs, self.results):
            begin = f"list(t_{start.name[1:]})" if isinstance(start, Value) else f"[{'float(%r)' % repr(float(start)) if isinstance(start, float) else repr(start)}] * {math.prod(result.shape)}"
            lines.append(f"{python_name(result)} = {begin}")
        for d, extent in enumerate(self.extents):
            lines.append(" " * d + f"for d{d} in range({extent}):")
        inner = [f"v_x{i} = {python_name(v)}[{place(v, at)}]" for i, (v, at) in enumerate(self.ins)]
        inner += [f"p{i} = {place(r, at)}; v_o{i} = {python_name(r)}[p{i}]" for i, (r, (_, at)) in enumerate(zip(self.results, self.outs))]
        known = self.types()
        inner += [statement_code(s, known, exact) for s in self.body] + [f"{python_name(r)}[p{i}] = v_y{i}" for i, r in enumerate(self.results)]
        return lines + [" " * len(self.extents) + line for line in inner]


def python_name(value):
    return "t_" + value.name[1:].replace("#", "_")


@dataclasses.dataclass
class Slice:
    source: Value
    offsets: list
    sizes: list
    strides: list
    result: Value  # without the dims of 1 that are dropped

    @property
    def results(self):
        return [self.result]

    def lines(self, fresh):
        return [f"{self.result.name} = tensor.extract_slice {self.source.name}{self.offsets} {self.sizes} {self.strides} : {self.source.type()} to {self.result.type()}"]

    def code(self, _):
        strides = self.source.strides()
        loops = " ".join(f"for i{d} in range({n})" for d, n in enumerate(self.sizes))
        place = " + ".join(f"({o} + i{d} * {s}) * {strides[d]}" for d, (o, s) in enumerate(zip(self.offsets, self.strides)))
        return [f"{python_name(self.result)} = [{python_name(self.source)}[{place}] {loops}]"]


class Nests:
    def __init__(self, name, exact=True):
        self.name, self.exact = name, exact
        self.arguments, self.ops, self.results, self.count = [], [], [], 0

    def clone(self, name):
        other = pickle.loads(pickle.dumps(self))  # a copy of all that it holds
        other.name = name
        other.__dict__.pop("values", None)
        return other

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def argument(self, shape, element, low=-2, high=2):
        self.arguments.append(Value(f"%arg{len(self.arguments)}", list(shape), element, low, high))
        return self.arguments[-1]

    def make(self, extents, kinds, ins, outs, body):
        """outs: (start, element, places); start is a constant, None or a value."""
        places = [ats(at) for *_, at in outs]
        shapes = [[a.largest(extents) + 1 for a in at] for at in places]
        name = self.fresh()
        results = [Value(f"{name}#{i}" if len(outs) > 1 else name, shape, out[1]) for i, (shape, out) in enumerate(zip(shapes, outs))]
        return Nest(list(extents), kinds, [(v, ats(at)) for v, at in ins], [(out[0], at) for out, at in zip(outs, places)], list(body), results)

    def nest(self, *of):
        self.ops.append(self.make(*of))
        results = self.ops[-1].results
        return results[0] if len(results) == 1 else results

    def map(self, value, body, others=(), element=None):
        """Elementwise over the first value's extents; others: (value, places)."""
        rank = "".join(map(str, range(len(value.shape))))
        return self.nest(value.shape, "p" * len(value.shape), [(value, rank), *others], [(None, element or value.element, rank)], body)

    def returns(self, *values):
        self.results = list(values)
        return self

    def text(self):
        used = copy.copy(self)
        arguments = ", ".join(f"{a.name}: {a.type()}" for a in self.arguments)
        types = ", ".join(r.type() for r in self.results)
        lines = [line for op in self.ops for line in op.lines(used.fresh)]
        return "\n".join([f"func.func @k({arguments}) -> ({types}) {{", *("  " + line for line in lines),
                          f"  return {', '.join(r.name for r in self.results)} : {types}", "}", ""])

    def inputs(self):
        r = random.Random(self.name)
        return [[r.randint(a.low, a.high) if a.element not in FLOATS else float(r.randint(a.low, a.high)) for _ in range(math.prod(a.shape))] for a in self.arguments]

    @functools.cached_property
    def values(self):
        """Of the results, for `inputs`."""
        scope = {"math": math, "rounded": rounded, "wrap": wrap} | {python_name(a): data for a, data in zip(self.arguments, self.inputs())}
        # Names of a function are found faster than those of a module.
        names = [python_name(r) for r in self.results]
        lines = ["def run():", *(" " + line for op in self.ops for line in op.code(self.exact)), f" return [{', '.join(names)}]"]
        exec("\n".join(lines), scope)
        return scope["run"]()
