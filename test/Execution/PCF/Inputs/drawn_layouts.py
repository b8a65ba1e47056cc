"""Layouts drawn at random, the machines that hold them, and kernels of one executor: what the programs of
layouts.py are made of.
"""
POISON = -77
KEYS = ("subgroup_tile", "batch_tile", "outer_tile", "thread_tile", "element_tile", "subgroup_strides", "thread_strides")


def divisors(number):
    return [d for d in range(1, number + 1) if number % d == 0]


class Layout:
    """Per dimension (S, B, O, T, E), and the strides of S and T."""

    def __init__(self, dims, subgroup_strides, thread_strides):
        self.dims, self.strides = dims, (subgroup_strides, thread_strides)

    def __str__(self):
        lists = [list(level) for level in zip(*self.dims)] + [list(s) for s in self.strides]
        return "#iree_vector_ext.nested_layout<" + ", ".join(f"{k} = {v}" for k, v in zip(KEYS, lists)) + ">"

    def transposed(self):
        return Layout(self.dims[::-1], self.strides[0][::-1], self.strides[1][::-1])

    def renamed(self):
        """The same elements on every lane, where batches and outers trade places."""
        return Layout([(s, o, b, t, e) if t == 1 else (s, b * o, 1, t, e) for s, b, o, t, e in self.dims], *self.strides)


def strides_of(rng, tiles, count):
    """Strides of tiles in any order, with gaps where there is room."""
    strides, next_stride = [0] * len(tiles), 1
    for dim in rng.sample(range(len(tiles)), len(tiles)):
        if tiles[dim] == 1:
            continue
        rest = 1
        for tile in tiles:
            rest *= tile
        if next_stride == 1 and 2 * rest <= count and count % 2 == 0 and rng.random() < 0.3:
            next_stride = 2
        strides[dim] = next_stride
        next_stride *= tiles[dim]
    return strides


def random_layout(rng, shape, lanes, subgroups=1):
    """Any layout of the shape that the hardware holds, replicas included."""
    left, dims = {"lane": lanes, "subgroup": subgroups}, []
    for extent in shape:
        levels = []
        for axis in ("subgroup", "lane"):
            tile = rng.choice([d for d in divisors(extent) if left[axis] % d == 0][-3:])
            left[axis] //= tile
            extent //= tile
            levels.append(tile)
        batch = rng.choice(divisors(extent))
        outer = rng.choice(divisors(extent // batch))
        dims.append((levels[0], batch, outer, levels[1], extent // batch // outer))
    return Layout(dims, strides_of(rng, [d[0] for d in dims], subgroups), strides_of(rng, [d[3] for d in dims], lanes))


class Machine:
    def __init__(self, target, lanes, subgroups):
        self.target, self.lanes, self.subgroups = target, lanes, subgroups
        self.scope = "#iree_gpu.lane_scope" if subgroups == 1 else "#iree_gpu.subgroup_scope"
        self.header = (f"#s = {self.scope}\n#launch = #iree_codegen.translation_info<workgroup_size = [{lanes * subgroups}, 1, 1] "
                       f"subgroup_size = {lanes}>\n!G = !pcf.threadgroup<#s>\n")

    def layout(self, rng, shape):
        return random_layout(rng, shape, self.lanes, self.subgroups)

    def __str__(self):
        return f"{self.target}x{self.subgroups}"


MACHINES = [Machine("sm_80", 32, 1), Machine("gfx942", 64, 1), Machine("sm_80", 32, 4), Machine("gfx942", 64, 4)]


class Program:
    """A kernel: text, inputs (type, shape, numbers) in the order of its arguments, and what argument `out` is after."""

    def __init__(self, text, inputs, expected, flags="", default="none", elements={}, computes=None, by_boxes=None):
        self.text, self.inputs, self.expected, self.flags, self.default = text, inputs, expected, flags, default
        self.elements = [elements.get(name, "i32") for name in "ab"[:len(inputs) // 2 - 1]] + [elements.get("out", "i32")]
        self.computes, self.by_boxes = computes, by_boxes  # an op of the lanes; the last step that boxes get to


def matrix(rng, rows, columns, most=9):
    return [[rng.randint(-most, most) for _ in range(columns)] for _ in range(rows)]


def flat(rows):
    return [x for row in rows for x in row]


def type_of(shape, element="i32"):
    return "x".join(map(str, shape)) + f"x{element}"


def kernel(machine, arguments, result, body, aliases="", elements={}):
    """`arguments`: name -> shape; the last one, `out`, is what the kernel returns; `elements`: name -> type, if not i32.
    In the body !R_x is the type of argument x."""
    types = {name: type_of(shape, elements.get(name, "i32")) for name, shape in arguments.items()}
    refs = {name: f"!pcf.sref<{type}, {'sync(#s)' if name == 'out' else '#s'}>" for name, type in types.items()}
    scalars = "".join(f", %{name}: index" for name in result)
    names = list(arguments)
    text = machine.header + aliases + "".join(f"!R_{name} = {ref}\n" for name, ref in refs.items())
    text += "func.func @f(" + ", ".join(f"%a_{n}: tensor<{t}>" for n, t in types.items()) + scalars
    text += f") -> tensor<{types['out']}> attributes {{translation_info = #launch}} {{\n"
    text += "".join(f"  %c{i} = arith.constant {i} : index\n" for i in (0, 1, 2))
    binds = ", ".join(f"%{n} {'=' if n == 'out' else '<-'} %a_{n}" + ("" if n == "out" else f" : tensor<{types[n]}>") for n in names)
    text += f"  %r = pcf.shared_executor scope(#s) execute({binds})[%tg: !G] : ({', '.join(f'!R_{n}' for n in names)}) -> (tensor<{types['out']}>) {{\n"
    return text + body + "    pcf.return\n  }\n" + f"  return %r : tensor<{types['out']}>\n}}\n"


def shape_of(rng):
    return rng.choice([(8, 16), (64, 4), (1, 32), (3, 10), (12, 20), (16, 1), (7, 33), (32, 32)])
