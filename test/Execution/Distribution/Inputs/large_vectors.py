"""Kernels of vectors that no lanes hold, on GPUs, at every stage and as PTX, compared with the
reference: each kind of op at extents that divide and do not, what has to be kept, and what
control flow carries (VX-127, VX-163 .. VX-166).

    python3 large_vectors.py OUT_DIR [--only NAME] [--distaff PATH] [--strict-fp]
"""
import importlib.util
import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

HOST = pathlib.Path(__file__).resolve().parents[2] / "Host" / "Inputs" / "large_vectors.py"
spec = importlib.util.spec_from_file_location("host_large_vectors", HOST)
host = importlib.util.module_from_spec(spec)
spec.loader.exec_module(host)

TARGETS = {"sm_80": 32, "gfx942": 64, "gfx1100": 32}


def vector(shape, element="f32"):
    return f"vector<{'x'.join(map(str, (*shape, element)))}>"


class Kernel:
    """Arrays of the shapes that are read and written, each whole."""

    def __init__(self):
        self.arguments, self.lines, self.flags = [], [], []

    def argument(self, shape, element):
        self.arguments.append(f"memref<{'x'.join(map(str, (*shape, element)))}>")
        if element in ("i32", "i8", "f16"):
            self.flags.append(f"--input=arg{len(self.arguments) - 1}=whole:{len(self.arguments)}:-2:2")
        return f"%m{len(self.arguments) - 1}", self.arguments[-1]

    def line(self, text):
        self.lines.append(text)
        return text.split(" ", 1)[0].split(":", 1)[0]

    def read(self, shape, element="f32"):
        name, memory = self.argument(shape, element)
        zero = f"%z_{element}"
        return self.line(f"%x{len(self.lines)} = vector.transfer_read {name}[{self.origin(shape)}], {zero} {self.bounds(shape)} : {memory}, {vector(shape, element)}")

    def write(self, value, shape, element="f32"):
        name, memory = self.argument(shape, element)
        self.line(f"vector.transfer_write {value}, {name}[{self.origin(shape)}] {self.bounds(shape)} : {vector(shape, element)}, {memory}")

    def op(self, text):
        return self.line(f"%x{len(self.lines)} = {text}")

    def splat(self, shape, number, element="f32"):
        return self.op(f"arith.constant dense<{number}> : {vector(shape, element)}")

    @staticmethod
    def origin(shape):
        return ", ".join(["%c0"] * len(shape))

    @staticmethod
    def bounds(shape):
        return f"{{in_bounds = [{', '.join(['true'] * len(shape))}]}}"

    def text(self):
        arguments = ", ".join(f"%m{i}: {memory}" for i, memory in enumerate(self.arguments))
        zeros = [f"%z_{element} = arith.constant {'0' if element[0] == 'i' else '0.0'} : {element}" for element in ("f32", "f16", "i32", "i8")]
        return "\n  ".join([f"func.func @k({arguments}) {{", "%c0 = arith.constant 0 : index", *zeros, *self.lines, "return\n}"]).replace("\n  }", "\n}") + "\n"


def transpose(shape, order):
    k = Kernel()
    to = [shape[d] for d in order]
    x = k.read(shape)
    k.write(k.op(f"vector.transpose {x}, {list(order)} : {vector(shape)} to {vector(to)}"), to)
    return k


def reduction(shape, along, kind="add", element="f32", numbers=None):
    """Of numbers that are above 0, or below it, too: what a mask leaves must not be a 0."""
    k = Kernel()
    rest = [extent for d, extent in enumerate(shape) if d not in along]
    x, begin = k.read(shape, element), k.read(rest, element)
    k.write(k.op(f"vector.multi_reduction <{kind}>, {x}, {begin} {list(along)} : {vector(shape, element)} to {vector(rest, element)}"), rest, element)
    if numbers:
        k.flags = [f"--input=arg0={numbers}", f"--input=arg1={numbers}"]
    return k


def total(extent, kind="add", numbers=None):
    k = Kernel()
    x = k.read((extent,))
    s = k.op(f"vector.reduction <{kind}>, {x} : {vector((extent,))} into f32")
    name, memory = k.argument((1,), "f32")
    k.line(f"memref.store {s}, {name}[%c0] : {memory}")
    if numbers:
        k.flags = [f"--input=arg0={numbers}"]
    return k


def scan(shape, along, inclusive, kind="add", element="i32", total=True):
    """What is computed from a scan, and its last value."""
    k = Kernel()
    rest = [extent for d, extent in enumerate(shape) if d != along]
    x, begin = k.read(shape, element), k.read(rest, element)
    result = k.op(f"vector.scan <{kind}>, {x}, {begin} {{inclusive = {inclusive}, reduction_dim = {along} : i64}} : {vector(shape, element)}, {vector(rest, element)}").strip()
    k.lines[-1] = k.lines[-1].replace(" =", ":2 =", 1)
    op = "arith.addf" if element == "f32" else "arith.addi"
    k.write(k.op(f"{op} {result}#0, {x} : {vector(shape, element)}"), shape, element)
    if total:
        k.write(f"{result}#1", rest, element)
    return k


def scan_of_a_row(extent, inclusive):
    k = Kernel()
    x = k.read((extent,), "i32")
    begin = k.op("arith.constant dense<5> : vector<i32>")
    result = k.op(f"vector.scan <add>, {x}, {begin} {{inclusive = {inclusive}, reduction_dim = 0 : i64}} : {vector((extent,), 'i32')}, vector<i32>")
    k.lines[-1] = k.lines[-1].replace(" =", ":2 =", 1)
    k.write(f"{result}#0", (extent,), "i32")
    last = k.op(f"vector.extract {result}#1[] : i32 from vector<i32>")
    name, memory = k.argument((1,), "i32")
    k.line(f"memref.store {last}, {name}[%c0] : {memory}")
    return k


def scan_of_scan(shape, inner, outer):
    """Sums over rectangles: of two orders of tiles one scan is kept."""
    k = Kernel()
    value = k.read(shape, "i32")
    for along in (inner, outer):
        rest = [extent for d, extent in enumerate(shape) if d != along]
        begin = k.splat(rest, 0, "i32")
        value = k.op(f"vector.scan <add>, {value}, {begin} {{inclusive = true, reduction_dim = {along} : i64}} : {vector(shape, 'i32')}, {vector(rest, 'i32')}")
        k.lines[-1] = k.lines[-1].replace(" =", ":2 =", 1)
        value += "#0"
    k.write(value, shape, "i32")
    return k


def contraction(m, n, k_extent, lhs="m, k", rhs="k, n", result="m, n", elements=("f32", "f32"), batch=0, kind="add", computed=False):
    k = Kernel()
    extents = {"m": m, "n": n, "k": k_extent, "b": batch}
    lead = "b, " if batch else ""
    maps = [lead + lhs, lead + rhs, lead + result]
    shapes = [[extents[d] for d in text.split(", ")] for text in maps]
    x, y, z = k.read(shapes[0], elements[0]), k.read(shapes[1], elements[0]), k.read(shapes[2], elements[1])
    if computed:  # no zeros where the arrays have ended
        x, y = (k.op(f"arith.addf {value}, {k.splat(shape, '1.0', elements[0])} : {vector(shape, elements[0])}") for value, shape in ((x, shapes[0]), (y, shapes[1])))
    dims = ("b, " if batch else "") + "m, n, k"
    affine = ", ".join(f"affine_map<({dims}) -> ({text})>" for text in maps)
    kinds = ", ".join([*['"parallel"'] * (3 if batch else 2), '"reduction"'])
    a, b, c = (vector(shape, elements[i > 1]) for i, shape in enumerate(shapes))
    k.write(k.op(f"vector.contract {{indexing_maps = [{affine}], iterator_types = [{kinds}], kind = #vector.kind<{kind}>}} {x}, {y}, {z} : {a}, {b} into {c}"), shapes[2], elements[1])
    return k


def broadcast(shape, lead):
    k = Kernel()
    x = k.read(shape)
    k.write(k.op(f"vector.broadcast {x} : {vector(shape)} to {vector((*lead, *shape))}"), (*lead, *shape))
    return k


def gather(shape, extent):
    k = Kernel()
    name, memory = k.argument((extent,), "f32")
    places = k.read(shape, "i32")
    k.flags = [f"--input=arg1=whole:3:0:{extent - 1}"]
    mask, other = k.splat(shape, "true", "i1"), k.splat(shape, "0.5")
    k.write(k.op(f"vector.gather {name}[%c0] [{places}], {mask}, {other} : {memory}, {vector(shape, 'i32')}, {vector(shape, 'i1')}, {vector(shape)} into {vector(shape)}"), shape)
    return k


def gather_rows(shape, extent, mask):
    """Rows of a matrix that an index vector names, under a mask of rows or of all (VX-209)."""
    k = Kernel()
    name, memory = k.argument((extent, shape[1]), "f32")
    rows = k.read(shape[:1], "i32")
    k.flags = [f"--input=arg1=whole:3:0:{extent - 1}"]
    bounds = [k.op(f"arith.constant {max(size - 3, 0)} : index") for size in shape[:mask]]
    masks = [k.op(f"vector.create_mask {', '.join(bounds)} : {vector(shape[:mask], 'i1')}")] if mask else []
    maps = ["(s0, d1)", "(d0)", *(["(d0)"] if mask == 1 else ["(d0, d1)"] if mask else [])]
    text = ", ".join(f"affine_map<(d0, d1)[s0] -> {each}>" for each in maps)
    type_of_mask = f", {vector(shape[:mask], 'i1')}" if mask else ""
    k.write(k.op(f"iree_vector_ext.transfer_gather {name}[%c0, %c0] [{rows} : {vector(shape[:1], 'i32')}], %z_f32{''.join(f', {each}' for each in masks)} {{indexing_maps = [{text}]}} : "
                 f"{memory}, {vector(shape)}{type_of_mask}"), shape)
    return k


def quotient(shape):
    """Of whole numbers, by some that are nowhere 0 in memory, and outside of it."""
    k = Kernel()
    x, y = k.read(shape, "i32"), k.read(shape, "i32")
    k.flags[1] = "--input=arg1=whole:3:1:9"
    k.write(k.op(f"arith.remsi {x}, {y} : {vector(shape, 'i32')}"), shape, "i32")
    return k


def elementwise(shape):
    k = Kernel()
    x, y = k.read(shape), k.read(shape)
    k.write(k.op(f"math.fma {x}, {y}, {y} : {vector(shape)}"), shape)
    return k


def outer_product(m, n):
    k = Kernel()
    x, y, z = k.read((m,)), k.read((n,)), k.read((m, n))
    k.write(k.op(f"vector.outerproduct {x}, {y}, {z} {{kind = #vector.kind<add>}} : {vector((m,))}, {vector((n,))}"), (m, n))
    return k


def masked(shape, counts):
    """A mask of the kernel's own beside that of what is outside."""
    k = Kernel()
    name, memory = k.argument(shape, "f32")
    mask = k.op(f"vector.constant_mask {list(counts)} : {vector(shape, 'i1')}")
    x = k.op(f"vector.transfer_read {name}[{k.origin(shape)}], %z_f32, {mask} {k.bounds(shape)} : {memory}, {vector(shape)}")
    y = k.op(f"arith.addf {x}, {x} : {vector(shape)}")
    to, memory = k.argument(shape, "f32")
    k.line(f"vector.transfer_write {y}, {to}[{k.origin(shape)}], {mask} {k.bounds(shape)} : {vector(shape)}, {memory}")
    return k


def transposed_twice(shape):
    """A computed vector with two users, which sees it in other places."""
    k = Kernel()
    x = k.read(shape)
    e = k.op(f"math.absf {x} : {vector(shape)}")
    t = k.op(f"vector.transpose {e}, [1, 0] : {vector(shape)} to {vector(shape[::-1])}")
    k.write(t, shape[::-1])
    k.write(k.op(f"arith.addf {e}, {x} : {vector(shape)}"), shape)
    return k


# Of few lanes, so that small vectors are large.
SMALL = {
    "contract_computed_f16": contraction(67, 97, 51, elements=("f16", "f32"), computed=True),
    **{f"transpose_{m}x{n}": transpose((m, n), (1, 0)) for m, n in ((64, 96), (37, 131), (1, 3001), (257, 3))},
    "transpose_3d": transpose((9, 33, 20), (2, 0, 1)),
    **{f"reduce_{m}x{n}_{''.join(map(str, along))}": reduction((m, n), along) for m, n in ((64, 96), (37, 131), (5, 1021), (513, 3)) for along in ((0,), (1,))},
    **{f"reduce_3d_{''.join(map(str, along))}": reduction((7, 30, 41), along) for along in ((0,), (1,), (2,), (0, 2), (0, 1), (1, 2))},
    **{f"reduce_{kind}_{axis}": reduction((61, 67), (axis,), kind, element, numbers) for axis in (0, 1)
       for kind, element, numbers in (("maxsi", "i32", "whole:1:-9:-3"), ("and", "i32", "whole:1:-2:-1"), ("minimumf", "f32", "random:1:1:2"), ("mul", "f32", "random:1:0.95:1.05"))},
    "reduce_f16": reduction((61, 67), (0,), "add", "f16"),
    "total": total(5003), "total_max": total(2049, "maximumf", "random:1:-2:-1"),
    **{f"scan_{m}x{n}_{along}_{inclusive}": scan((m, n), along, inclusive) for m, n in ((64, 96), (37, 131), (1021, 3), (1, 2500)) for along in (0, 1) for inclusive in ("true", "false")},
    "scan_3d": scan((9, 40, 30), 1, "true"), "scan_f32": scan((50, 81), 0, "true", "add", "f32"), "scan_max": scan((50, 81), 1, "false", "maxsi"),
    "scan_of_a_row": scan_of_a_row(4001, "true"), "exclusive_scan_of_a_row": scan_of_a_row(4096, "false"),
    "rectangles": scan_of_scan((40, 60), 0, 1), "rectangles_too": scan_of_scan((61, 37), 1, 0),
    "contract": contraction(64, 48, 40), "contract_odd": contraction(67, 37, 41),
    "contract_tn": contraction(45, 66, 50, "k, m"), "contract_nt": contraction(45, 66, 50, rhs="n, k"), "contract_to_nm": contraction(45, 66, 50, result="n, m"),
    "contract_batch": contraction(33, 20, 17, batch=6), "contract_f16": contraction(80, 96, 64, elements=("f16", "f32")), "contract_f16_odd": contraction(67, 97, 51, elements=("f16", "f32")),
    "contract_f16_nt_odd": contraction(67, 97, 51, rhs="n, k", elements=("f16", "f32")), "contract_i32": contraction(67, 37, 41, elements=("i32", "i32")),
    "contract_max": contraction(67, 37, 41, elements=("i32", "i32"), kind="maxsi"), "contract_computed": contraction(67, 37, 41, computed=True),
    "broadcast": broadcast((131,), (37,)), "broadcast_2d": broadcast((13, 41), (9,)), "gather": gather((37, 131), 1000),
    "gather_rows": gather_rows((37, 131), 90, 0), "gather_rows_masked": gather_rows((37, 131), 90, 1), "gather_all_masked": gather_rows((61, 67), 90, 2),
    "quotient": quotient((37, 131)), "elementwise": elementwise((17, 31, 41)), "outer_product": outer_product(67, 131),
    "masked": masked((37, 131), (30, 129)), "masked_away": masked((37, 131), (0, 0)), "transposed_twice": transposed_twice((37, 61)),
}
# What is refused or spilled without loops, as configure sees it.
LARGE = {
    "transpose_251x509": transpose((251, 509), (1, 0)), "reduce_257x1021_0": reduction((257, 1021), (0,)), "reduce_257x1021_1": reduction((257, 1021), (1,)),
    "scan_251x509_0": scan((251, 509), 0, "true", "add", "i32", False), "scan_251x509_1": scan((251, 509), 1, "false"), "contract_67x97x131": contraction(67, 97, 131),
    "contract_128x256x96": contraction(128, 256, 96), "contract_f16_200x128x96": contraction(200, 128, 96, elements=("f16", "f32")), "broadcast_251x509": broadcast((509,), (251,)),
    "gather_251x509": gather((251, 509), 1000), "gather_rows_251x509": gather_rows((251, 509), 700, 1), "elementwise_17x31x241": elementwise((17, 31, 241)),
}


def main():
    chosen = suite.options()
    strict = ["--strict-fp"] if chosen.strict_fp else []
    turns = itertools.count()
    runs = []

    def add(name, path, flags, target, *more):
        command = [chosen.distaff, "run", str(path), "--target", target, "--check", *strict, *more, *flags]
        runs.append(suite.Run(f"{name}_{target}", command, compares=False))

    def write(name, text):
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        return path

    def lanes(target):
        return f"workgroup_size={TARGETS[target] * (1 + next(turns) % 2)}"

    for name, kernel in SMALL.items():
        path = write(name, kernel.text())
        for target in TARGETS:
            add(name, path, kernel.flags, target, "--config", lanes(target), "--every-stage")
        add(f"{name}_ptx", path, kernel.flags, "sm_80", "--config", lanes("sm_80"), "--device", "ptx")
    for name, kernel in LARGE.items():
        path = write(name, kernel.text())
        for target in TARGETS:
            add(name, path, kernel.flags, target, "--every-stage")
    for name, (types, body) in host.KERNELS.items():
        path = write(f"host_{name}", host.text(types, body))
        for target in TARGETS:
            for i, flags in enumerate(host.FLAGS.get(name, [[]])):
                add(f"host_{name}_{i}", path, flags, target, "--config", lanes(target), "--every-stage")
    suite.main(runs, chosen, one_in=37 if chosen.strict_fp else 11)


if __name__ == "__main__":
    main()
