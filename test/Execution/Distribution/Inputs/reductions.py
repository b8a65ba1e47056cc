"""multi_reduction and reduction: every kind, every element type, every digit that
a reduced dim may be split into, replicas, layouts over all threads of the workgroup (VX-7)
and more subgroups than there are (VX-8) (W1, W3, W9, W11, W12, W16, W25; VX-82 .. VX-86)."""
from kernels import FLOATS, DigitLayout, Kernel, Layout, main

INTEGER_KINDS = ["add", "mul", "minsi", "maxsi", "minui", "maxui", "and", "or", "xor"]
FLOAT_KINDS = ["add", "mul", "minimumf", "maximumf", "minnumf", "maxnumf"]

# name, threads, layout of one dim that is reduced away
LINES = [
    ("lanes", 32, Layout(1, T=[32], E=[2], ts=[1])),
    ("w3_subgroups", 128, Layout(1, S=[4], E=[16], ss=[1])),
    ("w3_three_subgroups", 96, Layout(1, S=[3], T=[5], ss=[1], ts=[2])),
    ("w3_five_subgroups", 160, Layout(1, S=[5], B=[2], T=[3], ss=[1], ts=[1])),
    ("w11_six_lanes", 32, Layout(1, T=[6], E=[2], ts=[1])),
    ("w11_seven_lanes_two_subgroups", 64, Layout(1, T=[7], ts=[1])),
    ("w11_forty_eight", 64, Layout(1, S=[2], B=[2], O=[2], T=[3], E=[2], ss=[1], ts=[1])),
    ("w12_replicas", 32, Layout(1, T=[8], E=[4], ts=[1])),
    ("gaps", 128, Layout(1, S=[2], T=[4], E=[2], ss=[2], ts=[8])),
    ("registers", 32, Layout(1, E=[7])),
    ("w25_oversubscribed", 128, Layout(1, S=[8], E=[8], ss=[1])),
    ("digits", 64, DigitLayout([("reg", 2, 2), ("lane", 3, 1), ("reg", 2, 1), ("sg", 2, 1), ("lane", 2, 6)])),
    ("workgroup_threaded", 128, Layout(1, T=[128], ts=[1])),
]
# name, threads, layout, reduced dims
PLANES = [
    ("rows", 64, Layout(2, S=[2, 1], T=[4, 8], E=[1, 2], ss=[1, 0], ts=[8, 1]), [1]),
    ("columns", 64, Layout(2, S=[2, 1], T=[4, 8], E=[1, 2], ss=[1, 0], ts=[8, 1]), [0]),
    ("both", 64, Layout(2, S=[2, 1], T=[4, 8], E=[1, 2], ss=[1, 0], ts=[8, 1]), [0, 1]),
    ("w3_two_by_two_subgroups", 128, Layout(2, S=[2, 2], T=[2, 3], E=[1, 2], ss=[1, 2], ts=[6, 1]), [0, 1]),
    ("w9_cluster_of_one", 32, Layout(2, B=[4, 1], T=[1, 4], E=[1, 4], ts=[0, 1]), [0, 1]),
    ("w11_seven_by_nine", 96, Layout(2, S=[1, 3], T=[7, 3], ss=[0, 1], ts=[3, 1]), [0]),
    ("w11_nine_of_seven", 96, Layout(2, S=[1, 3], T=[7, 3], ss=[0, 1], ts=[3, 1]), [1]),
    ("digits_of_rows", 64, DigitLayout([("reg", 2, 4), ("lane", 4, 1), ("reg", 2, 1)], [("lane", 4, 4), ("reg", 2, 2), ("sg", 2, 1)]), [1]),
    ("digits_of_columns", 64, DigitLayout([("reg", 2, 4), ("lane", 4, 1), ("reg", 2, 1)], [("lane", 4, 4), ("reg", 2, 2), ("sg", 2, 1)]), [0]),
    ("lanes_apart", 32, Layout(3, T=[2, 4, 4], E=[1, 1, 2], ts=[1, 2, 8]), [0, 2]),
    ("lanes_next_to_each_other", 32, Layout(3, T=[2, 4, 4], E=[1, 1, 2], ts=[1, 2, 8]), [0, 1]),
    ("batches", 32, Layout(2, B=[2, 3], O=[2, 1], T=[4, 8], E=[1, 2], ts=[8, 1]), [1]),
]


def ranges(kind, element):
    """Inputs on one side of every wrong identity: a minimum of 5s must not be -1."""
    if element in FLOATS:
        # Products near 1, so that they neither vanish nor overflow.
        return {"mul": "random:1:0.75:1.25", "minimumf": "random:1:0.5:0.9", "minnumf": "random:1:0.5:0.9",
                "maximumf": "random:1:-0.9:-0.5", "maxnumf": "random:1:-0.9:-0.5"}.get(kind)
    if element == "i1":
        return None
    return {"minsi": "random:1:5:99", "minui": "random:1:5:99", "maxsi": "random:1:-99:-5", "maxui": "random:1:0:99",
            "and": "random:1:96:127", "or": "random:1:0:3"}.get(kind)


# Small enough for exact sums and products of every kernel here.
WHOLE = {(kind, element): "-3:3" if kind == "add" else "1:2" for kind in ("add", "mul") for element in FLOATS}


# Of kernels that try every kind: what --check does not decide on arbitrary numbers.
UNDECIDED = {("add", "f16"): "16 terms of both signs in f16 nearly cancel", ("add", "bf16"): "16 terms in bf16 may lose 1 in 16",
             ("mul", "bf16"): "16 factors in bf16 may lose 1 in 16"}


def reduction(name, threads, layout, dims, kind, element, subgroup=32, op="multi_reduction"):
    kernel = Kernel(f"{name}_{kind}_{element}", threads, subgroup)
    if element in FLOATS and kind in ("add", "mul"):
        kernel.whole = WHOLE[kind, element]
        if name.startswith("kinds_") and (kind, element) in UNDECIDED:
            kernel.undecided = UNDECIDED[kind, element]
    shape = layout.shape()
    dims_text = "x".join(map(str, shape))
    kept = [d for i, d in enumerate(shape) if i not in dims]
    kernel.read("%x", shape, element, layout, ranges(kind, element))
    if kept:
        kernel.read("%acc", kept, element, None, ranges(kind, element))
        result = "x".join(map(str, kept))
        kernel.line(f"%r = vector.multi_reduction <{kind}>, %x, %acc {dims} : vector<{dims_text}x{element}> "
                    f"to vector<{result}x{element}>")
        kernel.write("%r", kept, element)
        return kernel
    if element == "i1":
        kernel.read("%acc_vector", [], element)
        kernel.line("%acc = vector.extract %acc_vector[] : i1 from vector<i1>")
        acc = "%acc"
    else:
        acc = kernel.argument(element, ranges(kind, element))
    if op == "multi_reduction":
        kernel.line(f"%r = vector.multi_reduction <{kind}>, %x, {acc} {dims} : vector<{dims_text}x{element}> to {element}")
    else:
        kernel.line(f"%r = vector.reduction <{kind}>, %x, {acc} : vector<{dims_text}x{element}> into {element}")
    kernel.write_scalar("%r", element)
    return kernel


def special(name, kind, values, initial, layout):
    """W19: NaN and signed zeros."""
    kernel = Kernel("w19_" + name, 96)
    n = layout.shape()[0]
    kernel.line(f"%c = arith.constant dense<[{', '.join(values[i % len(values)] for i in range(n))}]> : vector<{n}xf32>")
    kernel.layout("%x", "%c", layout, f"vector<{n}xf32>")
    kernel.line(f"%acc = arith.constant {initial} : f32")
    kernel.line(f"%s = vector.multi_reduction <{kind}>, %x, %acc [0] : vector<{n}xf32> to f32")
    if kind == "add":
        kernel.expected = bytes.fromhex("00000080" if set(values) == {"-0.0"} else "00000000")
        kernel.write_scalar("%s", "f32")
        return kernel
    else:
        # Which NaN it is is not said; that it is one is.
        kernel.line("%nan = arith.cmpf uno, %s, %s : f32")
        kernel.line("%r = arith.extui %nan : i1 to i32")
    kernel.write_scalar("%r", "i32")
    return kernel


def all_kernels():
    for name, _, layout in (LINES[2], LINES[4]):
        yield special(name + "_negative_zeros", "add", ["-0.0"], "-0.0", layout)
        yield special(name + "_zeros_of_both_signs", "add", ["-0.0", "0.0"], "-0.0", layout)
        yield special(name + "_maxnumf_of_nan", "maxnumf", ["0x7FC00000"], "0x7FC00000", layout)
        yield special(name + "_maxnumf_ignores_nan", "maxnumf", ["0x7FC00000", "1.0"], "0x7FC00000", layout)
        yield special(name + "_maximumf_takes_nan", "maximumf", ["1.0", "0x7FC00000", "2.0"], "0.0", layout)
    for name, threads, layout in LINES:
        yield reduction(name, threads, layout, [0], "add", "f32")
        yield reduction(name, threads, layout, [0], "minsi", "i32")
        yield reduction(name, threads, layout, [0], "maximumf", "f64")
        yield reduction(name, threads, layout, [0], "maxui", "i8", op="reduction")
    for name, threads, layout, dims in PLANES:
        yield reduction(name, threads, layout, dims, "add", "f32")
        yield reduction(name, threads, layout, dims, "maxsi", "i16")
    # Kinds and types, over a butterfly and slots, and over a tree.
    for name, threads, layout in [LINES[2], ("butterfly_and_slots", 64, Layout(1, S=[2], T=[4], E=[2], ss=[1], ts=[2]))]:
        for kind in INTEGER_KINDS:
            for element in ["i1", "i8", "i16", "i32", "i64"]:
                yield reduction("w1_" + name, threads, layout, [0], kind, element)
        for kind in FLOAT_KINDS:
            for element in ["f16", "bf16", "f32", "f64"]:
                yield reduction("kinds_" + name, threads, layout, [0], kind, element)
    # 64 lanes.
    yield reduction("sixty_four_lanes", 128, Layout(1, S=[2], T=[64], ss=[1], ts=[1]), [0], "add", "f32", subgroup=64)
    yield reduction("sixty_four_lanes", 64, Layout(1, T=[33], ts=[1]), [0], "xor", "i32", subgroup=64)


main(all_kernels(), one_in=4)
