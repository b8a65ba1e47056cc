"""What an anchor does not settle: a mask that users in other layouts, of other shapes, get
each a clone of (W22, VX-56), and ops that no anchor reaches, which are spread by
default (W30, VX-62). Every stage against the source; in the distributed code no mask is
moved between lanes, and nothing that no anchor reaches is whole in every lane.

    python3 unreached.py OUT_DIR [--only NAME]
"""
import re

from kernels import Kernel, Layout, main, vector

ROWS = Layout(2, T=[8, 4], E=[1, 4], ts=[4, 1])  # 8x16
COLUMNS = Layout(2, B=[8, 1], T=[1, 16], ts=[0, 1])
TALL = Layout(2, B=[4, 1], T=[4, 8], ts=[1, 4])  # 16x8
SPREAD = Layout(2, S=[2, 1], B=[1, 2], T=[8, 4], E=[1, 1], ss=[1, 0], ts=[1, 8])  # 16x8
BOUNDS = [(0, 5), (5, 11), (8, 16), (9, 99), (-1, 3), (7, 1)]


def masks_stay(text):
    """Reductions are over lanes, by ops of their own until lower."""
    for moved in ("gpu.shuffle", "gpu.barrier", "memref.alloc"):
        if moved in text:
            return f"{moved}: a mask was converted, or what it hides"


def masked(kernel, result, op, mask, mask_shape, result_type):
    kernel.line(f"{result} = vector.mask {mask} {{ {op} }} : {vector(mask_shape, 'i1')} -> {result_type}")


def bounds(kernel, numbers, known):
    for name, number in zip(("%b0", "%b1"), numbers):
        if known:
            kernel.line(f"{name} = arith.constant {number} : index")
        else:
            kernel.line(f"{name} = arith.addi {kernel.argument('index', str(number))}, %c0 : index")


def reduced(kernel, name, of, shape, dim, mask=None):
    kept = [shape[1 - dim]]
    kernel.line(f"%zero_{name} = arith.constant dense<0.0> : {vector(kept, 'f32')}")
    op = f"vector.multi_reduction <add>, {of}, %zero_{name} [{dim}] : {vector(shape, 'f32')} to {vector(kept, 'f32')}"
    if mask:
        masked(kernel, f"%{name}", op, mask, shape, vector(kept, "f32"))
    else:
        kernel.line(f"%{name} = {op}")
    kernel.write(f"%{name}", kept, "f32")


def two_layouts(numbers, known):
    """One mask, of two reductions whose operands are laid out otherwise."""
    kernel = Kernel(f"w22_two_layouts_{'known' if known else 'drawn'}_{'_'.join(map(str, numbers))}".replace("-", "minus"))
    bounds(kernel, numbers, known)
    kernel.line("%m = vector.create_mask %b0, %b1 : vector<8x16xi1>")
    for name, layout, dim in (("x", ROWS, 1), ("y", COLUMNS, 0), ("z", ROWS, 0)):
        kernel.read(f"%{name}", [8, 16], "f32", layout)
        reduced(kernel, f"{name}_sum", f"%{name}", [8, 16], dim, "%m")
    return kernel


def two_shapes(numbers, known):
    """One mask 16x8, of a read of that shape, and of one of 8x16 whose memory is turned;
    and its transpose, of a reduction."""
    kernel = Kernel(f"w22_two_shapes_{'known' if known else 'drawn'}_{'_'.join(map(str, numbers))}".replace("-", "minus"), threads=64)
    bounds(kernel, numbers, known)
    kernel.line("%m = vector.create_mask %b1, %b0 : vector<16x8xi1>")
    kernel.line("%pad = arith.constant 3.0 : f32")
    turned = ", permutation_map = affine_map<(d0, d1) -> (d1, d0)>"
    for name, shape, layout, map_ in (("x", [16, 8], TALL, ""), ("y", [8, 16], ROWS, turned), ("z", [16, 8], SPREAD, "")):
        memory = kernel.argument("memref<16x8xf32>")
        kernel.line(f"%{name}_read = vector.transfer_read {memory}[%c0, %c0], %pad, %m {{in_bounds = [true, true]{map_}}} : "
                    f"memref<16x8xf32>, {vector(shape, 'f32')}")
        kernel.layout(f"%{name}", f"%{name}_read", layout, vector(shape, "f32"))
        kernel.write(f"%{name}", shape, "f32")
    kernel.line("%t = vector.transpose %m, [1, 0] : vector<16x8xi1> to vector<8x16xi1>")
    reduced(kernel, "y_sum", "%y", [8, 16], 1, "%t")
    return kernel


def most(kernel, limit):
    """That no vector in the distributed code has more elements."""
    def judged(text):
        wide = [dims for dims in re.findall(r"vector<((?:\d+x)+)[a-z]", text) if eval(dims.replace("x", "*") + "1") > limit]
        return f"vector<{wide[0]}...> is not spread" if wide else None

    kernel.judged = judged
    return kernel


def island(shape, subgroups, subgroup, limit, op):
    """An anchored value, and beside it ops with no anchor at all."""
    kernel = Kernel(f"w30_{op}_{'x'.join(map(str, shape))}_of_{subgroups}x{subgroup}", subgroups * subgroup, subgroup)
    kernel.read("%anchored", [8, 16], "f32", ROWS)
    kernel.line("%twice = arith.addf %anchored, %anchored : vector<8x16xf32>")
    kernel.write("%twice", [8, 16], "f32")
    type_, last = vector(shape, "f32"), len(shape) - 1
    kernel.read("%u", shape, "f32")
    kernel.line(f"%v = arith.mulf %u, %u : {type_}")
    kept = vector(shape[:-1], "f32") if last else "f32"
    if op == "elementwise":
        kernel.line(f"%w = arith.subf %v, %u : {type_}")
        kernel.write("%w", shape, "f32")
    elif op == "transpose":
        turned = shape[::-1]
        kernel.line(f"%w = vector.transpose %v, {list(range(len(shape)))[::-1]} : {type_} to {vector(turned, 'f32')}")
        kernel.write("%w", turned, "f32")
    elif op == "reduction":
        kernel.line("%none = arith.constant " + (f"dense<0.0> : {kept}" if last else "0.0 : f32"))
        kernel.line(f"%w = vector.multi_reduction <add>, %v, %none [{last}] : {type_} to {kept}")
        (kernel.write if last else lambda value, _, element: kernel.write_scalar(value, element))("%w", shape[:-1], "f32")
    elif op == "nothing":  # a source of its own: neither read nor written by a transfer
        n = shape[0]
        kernel.line(f"%s = vector.step : vector<{n}xindex>")
        kernel.line(f"%i = arith.index_cast %s : vector<{n}xindex> to vector<{n}xi32>")
        kernel.line(f"%c = arith.sitofp %i : vector<{n}xi32> to {type_}")
        kernel.line(f"%w = arith.addf %c, %v : {type_}")
        kernel.write("%w", shape, "f32")
    return most(kernel, limit)


def all_kernels():
    for at, numbers in enumerate(BOUNDS):
        for make in (two_layouts, two_shapes):
            kernel = make(numbers, at % 2 == 0)
            kernel.judged = masks_stay
            yield kernel
    # Limit: elements over threads, rounded up to what a lane can have of a dim.
    yield island([64, 32], 1, 32, 64, "elementwise")
    yield island([64, 32], 4, 32, 64, "reduction")
    yield island([32, 48], 2, 64, 48, "transpose")
    yield island([7, 9], 1, 32, 32, "elementwise")
    yield island([31], 1, 32, 16, "elementwise")
    yield island([1024], 2, 32, 32, "nothing")
    yield island([1024], 1, 64, 32, "reduction")
    yield island([3, 5, 64], 2, 32, 60, "reduction")
    yield island([1], 1, 32, 4, "elementwise")


main(all_kernels())
