"""Loads that transpose, formed where a layout has them (VX-214): gfx950's ds_read_b64_tr_b16 and tr_b8.

    python3 transposing_loads.py OUT_DIR [--distaff PATH]

Columns of a matrix are wanted, lane by lane, that workgroup memory holds by rows: a conversion through workgroup memory, or a
read of it. Each element is a number of its own, or random where there are more elements than numbers. The code has one
instruction per 8 bytes of a lane where lanes of 16 hold neighbours of a row, and none where they do not; the machine hands out
what lanes have read by a formula of its own.
"""
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import npy
import suite

BITS = {"f16": 16, "bf16": 16, "i16": 16, "i8": 8, "f8E4M3FN": 8}
LANES = 64


def text_of(digits):
    return ", ".join(f"{axis}({size}, {stride})" for axis, size, stride in digits if size > 1)


def numbered(dims):
    """Registers as strides, the last digit of the last dimension the lowest."""
    stride, result = 1, []
    for digits in reversed(dims):
        done = []
        for axis, size, place in reversed(digits):
            if axis == "reg":
                done.append((axis, size, stride))
                stride *= size
            else:
                done.append((axis, size, place))
        result.append(done[::-1])
    return result[::-1]


def layout_of(dims):
    return f"#iree_vector_ext.digit_layout<[{', '.join(f'[{text_of(digits)}]' for digits in dims)}]>"


def shape_of(dims):
    return [math.prod(size for _, size, _ in digits) for digits in dims]


def kernel(element, shape, before, after, subgroups, how):
    """`how`: "convert" goes from a layout to another, "shared" reads an argument that lies in workgroup memory."""
    extents = "x".join(map(str, shape))
    vector, array = f"vector<{extents}x{element}>", f"memref<{extents}x{element}>"
    source = array if how == "convert" else f"memref<{extents}x{element}, #gpu.address_space<workgroup>>"
    zero = "0" if element.startswith("i") else "0.0"
    first = f"  %x = iree_vector_ext.to_layout %read to layout({before}) : {vector}\n" if how == "convert" else ""
    marks = " {shared_memory_conversion}" if how == "convert" else ""
    return f"""#info = #iree_codegen.translation_info<workgroup_size = [{LANES * subgroups}, 1, 1] subgroup_size = {LANES}>
func.func @move(%m: {source}, %o: {array}) attributes {{translation_info = #info}} {{
  %c0 = arith.constant 0 : index
  %z = arith.constant {zero} : {element}
  %read = vector.transfer_read %m[%c0, %c0], %z {{in_bounds = [true, true]}} : {source}, {vector}
{first}  %y = iree_vector_ext.to_layout %{'x' if first else 'read'} to layout({after}){marks} : {vector}
  vector.transfer_write %y, %o[%c0, %c0] {{in_bounds = [true, true]}} : {vector}, {array}
  return
}}
"""


def values_of(element, count, rng):
    if element == "i16":
        return [i - 1000 for i in range(count)]
    if element == "i8":
        return [rng.randrange(-128, 128) for _ in range(count)]
    if element == "f8E4M3FN":
        return bytes(rng.choice([b for b in range(256) if b & 0x7F != 0x7F]) for _ in range(count))
    return [float(rng.randrange(-256, 257)) for _ in range(count)]


def make(chosen, name, target, text, element, shape, wanted, rng, mnemonic, spoils=()):
    path, source, result = (chosen.out / f"{name}{end}" for end in (".mlir", "_in.npy", "_out.npy"))
    path.write_text(text)
    values = values_of(element, math.prod(shape), rng)
    if isinstance(values, bytes):
        npy.write_bytes(source, element, shape, values)
    else:
        npy.write(source, element, shape, values)

    size = len(values) * npy.size_of(element)

    def wrong():
        return None if source.read_bytes()[-size:] == result.read_bytes()[-size:] else "moved otherwise"

    def emitted(code):
        found = code.count(mnemonic)
        others = [other for other in spoils if other in code]
        return None if found == wanted and not others else f"{found} of {wanted} {mnemonic}, {others}\n{code}"

    return suite.Run(name, [chosen.distaff, "run", path, "--target", target, "--every-stage", "--check", f"--input=arg0={source}", f"--output=arg1={result}"],
                     before=([chosen.distaff, "compile", path, "--target", target, "--emit", "gcn"], emitted), after=wrong)


def columns(rng, element, subgroups, fits=True):
    """A layout in which 16 neighbouring lanes hold neighbours along the last dimension, and enough registers one below the other."""
    per_lane = 64 // BITS[element]
    rows, across = [("lane", 4, 16), ("reg", per_lane, 0)], [("lane", 16, 1)]
    for _ in range(rng.randrange(3)):
        digit = ("reg", 2, 0)
        where = rng.choice((rows, across))
        where.insert(0 if where is across else rng.randrange(len(where)), digit)
    if subgroups > 1:
        rng.choice((rows, across)).insert(0, ("sg", subgroups, 1))
    if rng.random() < 0.3:  # of 32 lanes along the row, as of a 32x32 product
        rows[rows.index(("lane", 4, 16))] = ("lane", 2, 32)
        across[across.index(("lane", 16, 1))] = ("lane", 32, 1)
    if not fits:
        rows, across = across, rows
    return numbered([rows, across])


def by_rows(shape, element, subgroups):
    """Lanes with 16 bytes of a row each, as copies read them."""
    wide = min(128 // BITS[element], shape[1])
    lanes = min(LANES, shape[1] // wide)
    below = min(LANES // lanes, shape[0])
    group = min(subgroups, shape[0] // below)
    return numbered([[("reg", shape[0] // below // group, 0), ("sg", group, 1), ("lane", below, lanes)],
                     [("reg", shape[1] // wide // lanes, 0), ("lane", lanes, 1), ("reg", wide, 0)]])


def main():
    chosen = suite.options()
    rng = random.Random(214)
    runs = []
    for element in BITS:
        for trial in depth.some(range(6), 3):
            for how in ("convert", "shared"):
                subgroups = rng.choice((1, 1, 2, 4))
                after = columns(rng, element, subgroups)
                shape = shape_of(after)
                held = math.prod(size for digits in after for axis, size, _ in digits if axis == "reg")
                text = kernel(element, shape, layout_of(by_rows(shape, element, subgroups)), layout_of(after), subgroups, how)
                runs.append(make(chosen, f"{how}_{element}_{trial}", "gfx950", text, element, shape, held * BITS[element] // 64, rng,
                                 f"ds_read_b64_tr_b{BITS[element]}", ("ds_read_u",)))
    # What lanes want by rows they load as it is.
    for element in ("f16", "i8"):
        after = columns(rng, element, 1, fits=False)
        shape = shape_of(after)
        runs.append(make(chosen, f"rows_{element}", "gfx950", kernel(element, shape, "", layout_of(after), 1, "shared"), element, shape, 0, rng, "_tr_b"))
    suite.main(runs, chosen)


main()
