"""Kernels of one vector op each on this CPU, over shapes that pieces divide and do not:
as they are ranked, and by the strategies that lost (VX-120), of which the SIMT machine
judges every stage, too.

    python3 vectors.py OUT_DIR [--only NAME] [--distaff PATH]
"""
import itertools
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

SHAPES = ((1,), (5,), (8,), (9,), (13,), (16,), (31,), (3, 1), (1, 8), (3, 5), (5, 16), (9, 17), (2, 3, 11), (3, 2, 8))
FLOATS, INTEGERS = ("f16", "bf16", "f32", "f64"), ("i8", "i16", "i32", "i64")
FLOAT_KINDS = ("add", "mul", "minnumf", "maxnumf", "minimumf", "maximumf")
INTEGER_KINDS = ("add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor")


def vector(shape, element):
    return f"vector<{''.join(f'{e}x' for e in shape)}{element}>"


def memref(shape, element):
    return f"memref<{''.join(f'{e}x' for e in shape)}{element}>"


STRATEGIES = {"vectors": ("nested", "flattened"), "pieces": ("4", "8", "16", "32"), "transfers": ("rows", "elements"), "remainders": ("parts", "masked"),
              "contractions": ("outer", "parallel", "dot", "elements"), "reductions": ("halves", "transposed", "elements")}


class Kernel:
    """Lines of a function whose arguments are arrays that it reads as a whole."""

    def __init__(self):
        self.arguments, self.flags, self.lines, self.count = [], [], [], 0
        # Small whole numbers, whose sums are exact, and whose products may be.
        self.numbers = "whole:{}:-3:3"

    def array(self, shape, element):
        at = len(self.arguments)
        self.arguments.append(f"%m{at}: {memref(shape, element)}")
        return f"%m{at}"

    def index(self, value):
        at = len(self.arguments)
        self.arguments.append(f"%m{at}: index")
        self.flags.append(f"--input=arg{at}={value}")
        return f"%m{at}"

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def add(self, text):
        value = self.name()
        self.lines.append(f"{value} = {text}")
        return value

    def read(self, shape, element, permutation=None, of=None, mask=None, padded=False):
        """A vector of that shape from an array, of that shape permuted, or of another one."""
        rank = len(shape)
        order = permutation or tuple(range(rank))
        inner = of or tuple(shape[order.index(d)] for d in range(rank))
        source = self.array(inner, element)
        number = "1.5" if element[0] != "i" else "-1" if element == "i1" else "7"
        pad = self.add(f"arith.constant {number} : {element}")
        dims = ", ".join(f"d{i}" for i in range(rank))
        results = ", ".join(f"d{order[i]}" for i in range(rank))
        at = ", ".join(["%c0"] * rank)
        bounds = ", ".join(["false" if padded else "true"] * rank)
        return self.add(f"vector.transfer_read {source}[{at}], {pad}{f', {mask}' if mask else ''} {{in_bounds = [{bounds}], "
                        f"permutation_map = affine_map<({dims}) -> ({results})>}} : {memref(inner, element)}, {vector(shape, element)}")

    def write(self, value, shape, element, permutation=None, mask=None):
        rank = len(shape)
        order = permutation or tuple(range(rank))
        inner = tuple(shape[order.index(d)] for d in range(rank))
        to = self.array(inner, element)
        dims = ", ".join(f"d{i}" for i in range(rank))
        results = ", ".join(f"d{order[i]}" for i in range(rank))
        self.lines.append(f"vector.transfer_write {value}, {to}[{', '.join(['%c0'] * rank)}]{f', {mask}' if mask else ''} {{in_bounds = [{', '.join(['true'] * rank)}], "
                          f"permutation_map = affine_map<({dims}) -> ({results})>}} : {vector(shape, element)}, {memref(inner, element)}")

    def mask(self, shape, rng):
        bounds = [self.index(rng.randint(0, extent + 1)) for extent in shape]
        return self.add(f"vector.create_mask {', '.join(bounds)} : {vector(shape, 'i1')}")

    def text(self, strategies=()):
        chosen = ", ".join(f'{subject} = "{name}"' for subject, name in strategies)
        attributes = f" attributes {{distaff.strategies = {{{chosen}}}}}" if chosen else ""
        body = "".join(f"  {line}\n" for line in self.lines)
        return f"func.func @k({', '.join(self.arguments)}){attributes} {{\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n{body}  return\n}}\n"


def of_type(element):
    return "f" if element[0] in "fb" else "i"


def elementwise(rng):
    """VX-119: every type, every remainder."""
    for shape, element in itertools.product(SHAPES, FLOATS + INTEGERS):
        k = Kernel()
        a, b = k.read(shape, element), k.read(shape, element)
        s = k.add(f"arith.sub{of_type(element)} {a}, {b} : {vector(shape, element)}")
        c = k.add(f"arith.cmp{of_type(element)} {'olt' if of_type(element) == 'f' else 'slt'}, {a}, {b} : {vector(shape, element)}")
        k.write(k.add(f"arith.select {c}, {s}, {b} : {vector(shape, 'i1')}, {vector(shape, element)}"), shape, element)
        yield f"elementwise_{'x'.join(map(str, shape))}_{element}", k


def moves(rng):
    """VX-122: transfers under any permutation, padded and masked; transposes and broadcasts."""
    for shape in SHAPES:
        for order in itertools.permutations(range(len(shape))):
            element = rng.choice(FLOATS + INTEGERS)
            label = f"{'x'.join(map(str, shape))}_{''.join(map(str, order))}_{element}"
            k = Kernel()
            k.write(k.read(shape, element, order), shape, element)
            yield f"read_{label}", k
            k = Kernel()
            k.write(k.read(shape, element), shape, element, order)
            yield f"write_{label}", k
            k = Kernel()
            short = tuple(max(1, shape[order.index(d)] - rng.randint(0, 3)) for d in range(len(shape)))
            k.write(k.read(shape, element, order, of=short, padded=True), shape, element)
            yield f"padded_{label}", k
            k = Kernel()
            inner = tuple(shape[order.index(d)] for d in range(len(shape)))
            # Rows that do not follow each other in memory.
            large = tuple(extent + rng.randint(0, 2) for extent in inner)
            a = k.read(shape, element, order, of=large)
            k.write(k.add(f"arith.add{of_type(element)} {a}, {a} : {vector(shape, element)}"), shape, element)
            yield f"apart_{label}", k
            k = Kernel()
            k.write(k.read(shape, element, order, mask=k.mask(inner, rng)), shape, element)
            yield f"masked_{label}", k
            k = Kernel()
            a = k.read(shape, element)
            to = tuple(shape[d] for d in order)
            k.write(k.add(f"vector.transpose {a}, [{', '.join(map(str, order))}] : {vector(shape, element)} to {vector(to, element)}"), to, element)
            yield f"transpose_{label}", k
        element = rng.choice(FLOATS + INTEGERS)
        k = Kernel()
        short = tuple(e if rng.random() < 0.5 else 1 for e in shape)
        a = k.read(short, element)
        wide = (2, *shape)
        k.write(k.add(f"vector.broadcast {a} : {vector(short, element)} to {vector(wide, element)}"), wide, element)
        yield f"broadcast_{'x'.join(map(str, short))}_{'x'.join(map(str, wide))}_{element}", k


def borders(rng):
    """Transfers that begin before the memory, end behind it, or both, at places that are known and not."""
    for extent, offset, known in itertools.product((3, 8, 13, 40), (-20, -9, -3, -1, 0, 2, 7, 39), (True, False)):
        element = rng.choice(FLOATS + INTEGERS)
        zero = "1.5" if of_type(element) == "f" else "7"
        for shape in ((8,), (13,), (2, 11)):
            for writes in (False, True):
                k = Kernel()
                memory = (3, extent)[-len(shape):]
                array = k.array(memory, element)
                at = str(offset)
                row = k.add(f"arith.constant {at} : index") if known else k.index(offset)
                places = ", ".join(["%c1", row][-len(shape):])
                bounds = ", ".join(["false"] * len(shape))
                if writes:
                    v = k.read(shape, element)
                    k.lines.append(f"vector.transfer_write {v}, {array}[{places}] {{in_bounds = [{bounds}]}} : {vector(shape, element)}, {memref(memory, element)}")
                else:
                    pad = k.add(f"arith.constant {zero} : {element}")
                    v = k.add(f"vector.transfer_read {array}[{places}], {pad} {{in_bounds = [{bounds}]}} : {memref(memory, element)}, {vector(shape, element)}")
                    k.write(v, shape, element)
                yield f"{'into' if writes else 'from'}_{extent}_{'x'.join(map(str, shape))}_at_{offset}_{'known' if known else 'given'}_{element}", k


def rounded(chosen):
    """f64 to bf16 in one rounding: what is a little more than a tie goes up, though f32 has the tie."""
    path, out = chosen.out / "rounded.mlir", chosen.out / "rounded.npy"
    path.write_text("""func.func @k(%x: f64, %y: f64, %r: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.from_elements %x, %y : vector<2xf64>
  %h = arith.truncf %v : vector<2xf64> to vector<2xbf16>
  %w = arith.extf %h : vector<2xbf16> to vector<2xf32>
  vector.store %w, %r[%c0] : memref<2xf32>, vector<2xf32>
  return
}
""")
    import struct

    def wrong():
        values = struct.unpack("<2f", out.read_bytes()[-8:])
        return None if values == (1 + 2**-7, -1.0) else f"rounded to {values}"

    # Above the tie of 1 and 1 + 2^-7; and below it, of which f32 has the tie as well.
    above, below = repr(1 + 2**-8 + 2**-40), repr(-(1 + 2**-8 - 2**-40))
    return suite.Run("rounded", [chosen.distaff, "run", str(path), "--target", "host", "--device", "host", f"--input=arg0={above}", f"--input=arg1={below}",
                                 f"--output=arg2={out}"], after=wrong, compares=False)


def reductions(rng):
    """Every kind along every dim, masked and not."""
    for shape in SHAPES:
        for dims in itertools.chain.from_iterable(itertools.combinations(range(len(shape)), n) for n in range(1, len(shape) + 1)):
            for element in dict.fromkeys(("f32", "i32", rng.choice(FLOATS), rng.choice(INTEGERS))):
                kind = rng.choice(FLOAT_KINDS if of_type(element) == "f" else INTEGER_KINDS)
                if kind == "mul" and element in ("f16", "bf16"):
                    kind = "add"  # long products of halves have no bound
                for masked in (False, True):
                    k = Kernel()
                    if kind == "mul" and of_type(element) == "f":
                        k.numbers = "random:{}:0.8:1.25"
                    a = k.read(shape, element)
                    kept = tuple(e for d, e in enumerate(shape) if d not in dims)
                    to = vector(kept, element) if kept else element
                    if kept:
                        acc = k.read(kept, element)
                    else:
                        acc = k.add(f"arith.constant {'2.0' if of_type(element) == 'f' else '3'} : {element}")
                    op = f"vector.multi_reduction <{kind}>, {a}, {acc} [{', '.join(map(str, dims))}] : {vector(shape, element)} to {to}"
                    if masked:
                        m = k.mask(shape, rng)
                        op = f"vector.mask {m} {{ {op} }} : {vector(shape, 'i1')} -> {to}"
                    r = k.add(op)
                    if kept:
                        k.write(r, kept, element)
                    else:
                        k.lines.append(f"memref.store {r}, {k.array((1,), element)}[%c0] : {memref((1,), element)}")
                    yield f"reduce_{'x'.join(map(str, shape))}_{''.join(map(str, dims))}_{kind}_{element}{'_masked' if masked else ''}", k


# VX-123: loops of lhs, rhs and result, outermost first; what the result lacks is reduced.
PRODUCTS = {"matmul": ("mk", "kn", "mn"), "matmul_tn": ("km", "kn", "mn"), "matmul_nt": ("mk", "nk", "mn"), "matmul_to_nm": ("mk", "kn", "nm"),
            "batched": ("bmk", "bkn", "bmn"), "matvec": ("mk", "k", "m"), "vecmat": ("k", "kn", "n"), "dot": ("k", "k", ""), "two_k": ("mkl", "lkn", "mn")}


def contractions(rng):
    for name, loops in PRODUCTS.items():
        for m, n, k_, masked in ((4, 8, 8, False), (3, 13, 5, False), (5, 1, 9, True), (1, 9, 1, False), (2, 17, 12, True)):
            extents = {"b": 2, "m": m, "n": n, "k": k_, "l": 3}
            for element, acc in (("f32", "f32"), ("f16", "f32"), ("i8", "i32"), ("f64", "f64"), ("bf16", "f32")):
                kind = rng.choice(FLOAT_KINDS if of_type(acc) == "f" else INTEGER_KINDS)
                k = Kernel()
                order = sorted(set("".join(loops)), key=lambda d: (d not in loops[2], d))
                shapes = [tuple(extents[d] for d in each) for each in loops]
                lhs, rhs = k.read(shapes[0], element), k.read(shapes[1], element)
                out = k.read(shapes[2], acc) if shapes[2] else k.add(f"arith.constant {'0.5' if of_type(acc) == 'f' else '3'} : {acc}")
                to = vector(shapes[2], acc) if shapes[2] else acc
                dims = ", ".join(order)
                maps = ", ".join(f"affine_map<({dims}) -> ({', '.join(each)})>" for each in loops)
                iterators = ", ".join('"parallel"' if d in loops[2] else '"reduction"' for d in order)
                op = (f"vector.contract {{indexing_maps = [{maps}], iterator_types = [{iterators}], kind = #vector.kind<{kind}>}} "
                      f"{lhs}, {rhs}, {out} : {vector(shapes[0], element)}, {vector(shapes[1], element)} into {to}")
                if masked:
                    domain = tuple(extents[d] for d in order)
                    op = f"vector.mask {k.mask(domain, rng)} {{ {op} }} : {vector(domain, 'i1')} -> {to}"
                r = k.add(op)
                if shapes[2]:
                    k.write(r, shapes[2], acc)
                else:
                    k.lines.append(f"memref.store {r}, {k.array((1,), acc)}[%c0] : {memref((1,), acc)}")
                yield f"{name}_{m}x{n}x{k_}_{kind}_{element}{'_masked' if masked else ''}", k


# Sum, product, element: by name, or as a region.
SEMIRINGS = (("minimumf", "add", "f32"), ("maximumf", "add", "f64"), ("or", "and", "i32"), ("xor", "and", "i8"), ("maxnumf", "mul", "f32"), ("logsumexp", "add", "f32"),
             ("minsi", "add", "i32"), ("add", "region", "f32"))


def semirings(rng):
    """VX-123: the same over other products, masked and not."""
    for (name, loops), (kind, product, element) in itertools.product(PRODUCTS.items(), SEMIRINGS):
        extents = dict(zip("bmnkl", (2, *rng.choice(((4, 8, 8), (3, 13, 5), (5, 1, 9), (2, 17, 12))), 3)))
        k = Kernel()
        order = sorted(set("".join(loops)), key=lambda d: (d not in loops[2], d))
        shapes = [tuple(extents[d] for d in each) for each in loops]
        lhs, rhs = k.read(shapes[0], element), k.read(shapes[1], element)
        out = k.read(shapes[2], element) if shapes[2] else k.add(f"arith.constant {'0.5' if of_type(element) == 'f' else '3'} : {element}")
        to = vector(shapes[2], element) if shapes[2] else element
        dims = ", ".join(order)
        maps = ", ".join(f"affine_map<({dims}) -> ({', '.join(each)})>" for each in loops)
        iterators = ", ".join('"parallel"' if d in loops[2] else '"reduction"' for d in order)
        domain, mask = tuple(extents[d] for d in order), ""
        if rng.random() < 0.5:
            mask = f" mask {k.mask(domain, rng)}"
        bits = vector(domain, "i1")
        types = f"{vector(shapes[0], element)}, {vector(shapes[1], element)}{f', {bits}' if mask else ''} into {to}"
        body = ""
        if product == "region":
            body = (f" {{\n  ^bb0(%x: {element}, %y: {element}):\n    %one = arith.constant 1.0 : {element}\n    %d = arith.subf %x, %y : {element}\n    %o = arith.addf %d, %one : {element}\n"
                    f"    %p = arith.mulf %o, %d : {element}\n    distaff.yield %p : {element}\n  }}")
        r = k.add(f"distaff.contract <{kind}, {product}> {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} {lhs}, {rhs}, {out}{mask} : {types}{body}")
        if shapes[2]:
            k.write(r, shapes[2], element)
        else:
            k.lines.append(f"memref.store {r}, {k.array((1,), element)}[%c0] : {memref((1,), element)}")
        yield f"semiring_{name}_{kind}_{product}_{element}{'_masked' if mask else ''}", k


def positions(rng):
    """VX-121: positions that only a launch knows, of outer dims and of the row."""
    for shape in SHAPES:
        for length in range(1, len(shape) + 1):
            element = rng.choice(FLOATS + INTEGERS)
            label = f"{'x'.join(map(str, shape))}_{length}_{element}"
            rest = shape[length:]
            part = vector(rest, element) if rest else element
            k = Kernel()
            a = k.read(shape, element)
            at = [k.index(rng.randrange(extent)) if rng.random() < 0.7 else str(rng.randrange(extent)) for extent in shape[:length]]
            r = k.add(f"vector.extract {a}[{', '.join(at)}] : {part} from {vector(shape, element)}")
            if rest:
                k.write(r, rest, element)
            else:
                k.lines.append(f"memref.store {r}, {k.array((1,), element)}[%c0] : {memref((1,), element)}")
            yield f"extract_{label}", k
            k = Kernel()
            a = k.read(shape, element)
            if rest:
                b = k.read(rest, element)
            else:
                b = k.add(f"memref.load {k.array((1,), element)}[%c0] : {memref((1,), element)}")
            at = [k.index(rng.randrange(extent)) if rng.random() < 0.7 else str(rng.randrange(extent)) for extent in shape[:length]]
            k.write(k.add(f"vector.insert {b}, {a} [{', '.join(at)}] : {part} into {vector(shape, element)}"), shape, element)
            yield f"insert_{label}", k


def others(rng):
    """Slices, casts of shape, shuffles, interleavings, scans, gathers."""
    for shape in SHAPES:
        element = rng.choice(FLOATS + INTEGERS)
        label = f"{'x'.join(map(str, shape))}_{element}"
        offsets = [rng.randrange(extent) for extent in shape]
        sizes = [rng.randint(1, extent - offset) for extent, offset in zip(shape, offsets)]
        slice_of = f"{{offsets = {offsets}, sizes = {sizes}, strides = {[1] * len(shape)}}}"
        k = Kernel()
        a = k.read(shape, element)
        k.write(k.add(f"vector.extract_strided_slice {a} {slice_of} : {vector(shape, element)} to {vector(sizes, element)}"), tuple(sizes), element)
        yield f"slice_{label}", k
        k = Kernel()
        a, b = k.read(shape, element), k.read(tuple(sizes), element)
        k.write(k.add(f"vector.insert_strided_slice {b}, {a} {{offsets = {offsets}, strides = {[1] * len(shape)}}} : {vector(sizes, element)} into {vector(shape, element)}"), shape, element)
        yield f"into_{label}", k
        k = Kernel()
        flat = (1,)
        for extent in shape:
            flat = (flat[0] * extent,)
        k.write(k.add(f"vector.shape_cast {k.read(shape, element)} : {vector(shape, element)} to {vector(flat, element)}"), flat, element)
        yield f"flat_{label}", k
        k = Kernel()
        double = (*shape[:-1], 2 * shape[-1])
        a, b = k.read(shape, element), k.read(shape, element)
        k.write(k.add(f"vector.interleave {a}, {b} : {vector(shape, element)} -> {vector(double, element)}"), double, element)
        yield f"interleave_{label}", k
        kind = rng.choice(("add", "maximumf") if of_type(element) == "f" else ("add", "xor", "maxsi"))
        for dim in range(len(shape)):
            carried = (*shape[:dim], *shape[dim + 1:])
            if not carried:
                continue
            k = Kernel()
            a, b = k.read(shape, element), k.read(carried, element)
            inclusive = rng.choice(("true", "false"))
            k.lines.append(f"%s:2 = vector.scan <{kind}>, {a}, {b} {{inclusive = {inclusive}, reduction_dim = {dim} : i64}} : {vector(shape, element)}, {vector(carried, element)}")
            k.write("%s#0", shape, element)
            k.write("%s#1", carried, element)
            yield f"scan_{label}_{dim}_{kind}_{inclusive}", k


def compressions(rng):
    """What a mask takes of a vector, in memory without gaps, from some element of some row on."""
    for extent, element in itertools.product((1, 5, 8, 9, 16, 31, 40), ("f16", "f32", "i1", "i8", "i64")):
        shape = (extent,)
        for name in ("compress", "expand"):
            k = Kernel()
            row, first = k.index(rng.randrange(3)), k.index(rng.randrange(extent + 1))
            a, b = k.read(shape, element), k.read(shape, element)
            mask = k.add(f"arith.cmp{of_type(element)} {'olt' if of_type(element) == 'f' else 'slt'}, {a}, {b} : {vector(shape, element)}")
            array = (3, 2 * extent)
            memory = f"{k.array(array, element)}[{row}, {first}]"
            if name == "compress":
                k.lines.append(f"vector.compressstore {memory}, {mask}, {a} : {memref(array, element)}, {vector(shape, 'i1')}, {vector(shape, element)}")
            else:
                k.write(k.add(f"vector.expandload {memory}, {mask}, {b} : {memref(array, element)}, {vector(shape, 'i1')}, {vector(shape, element)} into {vector(shape, element)}"),
                        shape, element)
            yield f"{name}_{extent}_{element}", k


def runs_of_rows(rng):
    """VX-120: rows that follow each other in memory, in the middle of an array, of a part of it, and of one of unknown length."""
    for rows, columns, element in itertools.product((2, 3, 5), (3, 8, 11), ("f32", "i8")):
        shape = (rows, columns)
        for name, array in (("inside", (rows + 3, columns)), ("dynamic", ("?", columns)), ("plane", (3, rows + 3, columns)), ("apart", (rows + 3, columns + 2))):
            k = Kernel()
            at = [k.index(rng.randint(1, 2)) for _ in array[:-1]]
            extents = [rows + 3 if extent == "?" else extent for extent in array]
            source, to = k.array(array, element), k.array(array, element)
            k.flags += [f"--shape=arg{memory[2:]}={'x'.join(map(str, extents))}" for memory in (source, to) if "?" in array]
            pad = k.add(f"arith.constant {'1.5' if element[0] == 'f' else '7'} : {element}")
            indices = f"{', '.join(at)}, %c0"
            read = k.add(f"vector.transfer_read {source}[{indices}], {pad} {{in_bounds = [true, true]}} : {memref(array, element)}, {vector(shape, element)}")
            twice = k.add(f"arith.add{of_type(element)} {read}, {read} : {vector(shape, element)}")
            k.lines.append(f"vector.transfer_write {twice}, {to}[{indices}] {{in_bounds = [true, true]}} : {vector(shape, element)}, {memref(array, element)}")
            yield f"run_{name}_{rows}x{columns}_{element}", k


def main():
    chosen = suite.options()
    rng = random.Random(12)
    runs = [rounded(chosen)]
    for family in (elementwise, moves, borders, reductions, contractions, semirings, positions, others, compressions, runs_of_rows):
        for number, (name, kernel) in enumerate(family(rng)):
            ways = random.Random(f"{family.__name__} {number}")
            forced = [(subject, ways.choice(names)) for subject, names in STRATEGIES.items()]
            for label, strategies in ((name, ()), (f"{name}_forced", forced)):
                path = chosen.out / f"{label}.mlir"
                path.write_text(kernel.text(strategies))
                arrays = [i for i, argument in enumerate(kernel.arguments) if "index" not in argument]
                flags = [f"--input=arg{i}={kernel.numbers.format(i)}" for i in arrays]
                every = ["--every-stage"] if strategies else []  # what is lowered on the SIMT machine too
                command = [chosen.distaff, "run", str(path), "--target", "host", "--device", "host", "--check", *every, *kernel.flags, *flags]
                runs.append(suite.Run(label, command, compares=False))
    suite.main(runs, chosen, one_in=29)


if __name__ == "__main__":
    main()
