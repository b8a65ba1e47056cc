"""vector.contract: plain with every kind, K on registers, lanes and subgroups, batch
dims, scalar results, masks (VX-88, VX-89; W8, W16), and by MMA instructions with
batches over M, N and K and with K split over subgroups (VX-99, VX-100)."""
from kernels import FLOATS, DigitLayout, Kernel, Layout, main, vector

MK, KN, NK, MN = ("affine_map<(m, n, k) -> (%s)>" % dims for dims in ("m, k", "k, n", "n, k", "m, n"))


def contraction(name, lhs, rhs, result, maps, iterators, kind="add", element="f32", acc_element=None,
                threads=128, mask=None, subgroup=32, mma=None, extend=None, acc=None, ranges=None):
    kernel = Kernel(name, threads, subgroup)
    acc_element = acc_element or element
    attributes = f" {{mma_kind = #iree_gpu.mma_layout<{mma}>}}" if mma else ""
    operands = []
    for value, layout in (("%a", lhs), ("%b", rhs)):
        kernel.read(value + "0", layout.shape(), element, None, ranges)
        type_ = vector(layout.shape(), element)
        source = value + "0"
        wide = vector(layout.shape(), acc_element)
        if extend == "before":
            kernel.line(f"{value}w = arith.extf {source} : {type_} to {wide}")
            source, type_ = value + "w", wide
        laid_out = value + "n" if extend == "behind" else value
        kernel.line(f"{laid_out} = iree_vector_ext.to_layout {source} to layout({layout}){attributes} : {type_}")
        if extend == "behind":
            kernel.line(f"{value} = arith.extf {laid_out} : {type_} to {wide}")
            type_ = wide
        operands.append(type_)
    if result:
        kernel.read("%c0v", result, acc_element, None, ranges)
        type_ = vector(result, acc_element)
        if acc:
            kernel.line(f"%c = iree_vector_ext.to_layout %c0v to layout({acc}){attributes} : {type_}")
        accumulator = "%c" if acc else "%c0v"
    else:
        accumulator, type_ = kernel.argument(acc_element, ranges), acc_element
    op = (f"vector.contract {{indexing_maps = [{', '.join(maps)}], iterator_types = [{', '.join(chr(34) + i + chr(34) for i in iterators)}], "
          f"kind = #vector.kind<{kind}>}} %a, %b, {accumulator} : {operands[0]}, {operands[1]} into {type_}")
    if mask:
        kernel.read("%m", mask, "i1")
        op = f"vector.mask %m {{ {op} }} : {vector(mask, 'i1')} -> {type_}"
    kernel.line(f"%r = {op}")
    if result:
        kernel.write("%r", result, acc_element)
    else:
        kernel.write_scalar("%r", acc_element)
    kernel.demanded = "iree_codegen.inner_tiled" if mma else None
    if acc_element in FLOATS and kind in ("add", "mul"):
        kernel.whole = "-2:2" if kind == "add" else "1:2"
    return kernel


MATMUL = ["parallel", "parallel", "reduction"]


def plain():
    # 8x16 times 16x8: name, lhs, rhs
    splits = [
        ("k_registers", Layout(2, T=[8, 1], E=[1, 16], ts=[4, 0]), Layout(2, T=[1, 4], E=[16, 2], ts=[0, 1])),
        ("k_lanes", Layout(2, B=[2, 1], T=[4, 4], E=[1, 4], ts=[8, 2]), Layout(2, B=[1, 2], T=[4, 2], E=[4, 2], ts=[2, 1])),
        ("k_lanes_and_subgroups", Layout(2, S=[1, 2], B=[2, 1], T=[4, 4], E=[1, 2], ss=[0, 1], ts=[8, 2]),
         Layout(2, S=[2, 1], B=[1, 2], T=[4, 2], E=[2, 2], ss=[1, 0], ts=[2, 1])),
        ("all_subgroups", Layout(2, S=[2, 2], B=[2, 1], T=[2, 4], E=[1, 2], ss=[1, 2], ts=[4, 1]),
         Layout(2, S=[2, 1], B=[1, 8], T=[4, 1], E=[2, 1], ss=[2, 0], ts=[1, 0])),
    ]
    for name, lhs, rhs in splits:
        yield contraction(name, lhs, rhs, [8, 8], [MK, KN, MN], MATMUL)
        yield contraction(name + "_i32", lhs, rhs, [8, 8], [MK, KN, MN], MATMUL, element="i32")
    name, lhs, rhs = splits[2]
    for kind, element in [("mul", "f32"), ("minimumf", "f32"), ("maximumf", "f32"), ("minnumf", "f32"), ("maxnumf", "f32"),
                          ("minsi", "i32"), ("maxsi", "i32"), ("minui", "i32"), ("maxui", "i32"), ("and", "i32"), ("or", "i32"), ("xor", "i32")]:
        yield contraction(f"kind_{kind}", lhs, rhs, [8, 8], [MK, KN, MN], MATMUL, kind=kind, element=element,
                          ranges={"mul": "random:1:0.9:1.1", "minsi": "random:1:5:9", "minui": "random:1:5:9",
                                  "minimumf": "random:1:0.5:0.9", "minnumf": "random:1:0.5:0.9"}.get(kind))
    for kind, element in [("add", "f32"), ("maxnumf", "f32"), ("minsi", "i32")]:
        yield contraction(f"w8_masked_{kind}", lhs, rhs, [8, 8], [MK, KN, MN], MATMUL, kind=kind, element=element, mask=[8, 8, 16])
    yield contraction("mixed_types", lhs, rhs, [8, 8], [MK, KN, MN], MATMUL, element="f16", acc_element="f32")
    yield contraction("mixed_integers", lhs, rhs, [8, 8], [MK, KN, MN], MATMUL, element="i8", acc_element="i32")
    dot = Layout(1, S=[2], T=[8], E=[3], ss=[1], ts=[2])
    K = "affine_map<(k) -> (k)>"
    yield contraction("w16_scalar", dot, dot, [], [K, K, "affine_map<(k) -> ()>"], ["reduction"])
    # One split of k, written in two ways; and registers numbered in two ways.
    whole = Layout(1, T=[4], E=[8], ts=[1])
    apart = DigitLayout([("lane", 2, 2), ("lane", 2, 1), ("reg", 2, 1), ("reg", 2, 4), ("reg", 2, 2)])
    for label, lhs_k, rhs_k in (("lhs", apart, whole), ("rhs", whole, apart)):
        yield contraction("split_in_two_ways_" + label, lhs_k, rhs_k, [], [K, K, "affine_map<(k) -> ()>"], ["reduction"], threads=32)
    # The user lays out operands in two ways; one of them has to be converted.
    lanes, apart = DigitLayout([("lane", 3, 1)], [("sg", 2, 1)]), Layout(2, E=[8, 2])
    yield contraction("digits_on_rhs", apart, DigitLayout(*reversed(lanes.dims)), [8, 3], [MK, KN, MN], MATMUL, element="i32", threads=64)
    yield contraction("digits_on_lhs", lanes, Layout(2, E=[2, 8]), [3, 8], [MK, KN, MN], MATMUL, element="i32", threads=64)
    nested = Layout(1, T=[4], E=[8], ts=[1])
    digits = DigitLayout([("lane", 4, 1), ("reg", 8, 1)])
    yield contraction("one_layout_written_twice", nested, digits, [], [K, K, "affine_map<(k) -> ()>"], ["reduction"], threads=32)
    batch = ["affine_map<(b, m, n, k) -> (%s)>" % dims for dims in ("b, m, k", "b, k, n", "b, m, n")]
    yield contraction("batch", Layout(3, S=[2, 1, 1], T=[1, 4, 4], E=[2, 1, 2], ss=[1, 0, 0], ts=[0, 8, 2]),
                      Layout(3, S=[2, 1, 1], T=[1, 4, 2], E=[2, 2, 3], ss=[1, 0, 0], ts=[0, 2, 1]), [4, 4, 6], batch,
                      ["parallel", "parallel", "parallel", "reduction"])
    # Three dims are kept, in another order than the loops', and all extents of a lane differ.
    for label, order in (("turned", "n, b, m"), ("turned_back", "m, n, b"), ("swapped", "b, n, m")):
        maps = ["affine_map<(b, m, n, k) -> (%s)>" % dims for dims in ("b, m, k", "b, k, n", order)]
        extents = [{"b": 2, "m": 3, "n": 20}[dim] for dim in order.split(", ")]
        yield contraction("masked_batch_" + label, Layout(3, T=[1, 1, 4], E=[2, 3, 2], ts=[0, 0, 1]),
                          Layout(3, T=[1, 4, 5], E=[2, 2, 4], ts=[0, 1, 4]), extents, maps, ["parallel", "parallel", "parallel", "reduction"],
                          threads=32, mask=[2, 3, 20, 8], element="i32")
    matvec = ["affine_map<(m, k) -> (%s)>" % dims for dims in ("m, k", "k", "m")]
    yield contraction("matrix_vector", Layout(2, S=[3, 1], T=[2, 5], E=[1, 2], ss=[1, 0], ts=[5, 1]), Layout(1, T=[5], E=[2], ts=[1]), [6],
                      matvec, ["parallel", "reduction"], threads=96)


def numbered_otherwise():
    """Registers along two K dims numbered the other way round by lhs, whose layout and the result's say what rhs is (VX-59, VX-89)."""
    kernel = Kernel("registers_of_k_numbered_otherwise", 64, 64)
    lhs, acc = DigitLayout([("reg", 3, 1)], [("reg", 5, 3)], [("reg", 3, 15)]), Layout(2, B=[5, 1], O=[1, 5])
    kernel.read("%a", lhs.shape(), "i32", lhs)
    kernel.read("%b8", [3, 3, 5], "i8")
    kernel.line("%b = arith.extsi %b8 : vector<3x3x5xi8> to vector<3x3x5xi32>")
    kernel.read("%c", [5, 5], "i32", acc)
    maps = ", ".join(f"affine_map<(m, n, k, l) -> ({dims})>" for dims in ("k, m, l", "l, k, n", "m, n"))
    kernel.line(f"%r = vector.contract {{indexing_maps = [{maps}], iterator_types = [\"parallel\", \"parallel\", \"reduction\", \"reduction\"], "
                "kind = #vector.kind<add>} %a, %b, %c : vector<3x5x3xi32>, vector<3x3x5xi32> into vector<5x5xi32>")
    kernel.write("%r", [5, 5], "i32")
    return kernel


# How often M, N and K are split over subgroups, and into batches.
MMA_SPLITS = [("one", (1, 1, 1, 1, 1, 1)), ("batches", (1, 1, 1, 2, 3, 2)), ("subgroups", (2, 2, 1, 1, 2, 1)),
              ("split_k", (1, 1, 2, 1, 2, 1)), ("split_k_three_ways", (1, 1, 3, 2, 1, 2)), ("all", (2, 1, 2, 2, 1, 2))]


def repeated(fragment, subgroups, batches, strides):
    """Layouts of a fragment (outer, lanes, elements, lane strides), many times."""
    outer, lanes, elements, lane_strides = fragment
    return Layout(2, S=list(subgroups), B=list(batches), O=outer, T=lanes, E=elements, ss=list(strides), ts=lane_strides)


def matrix_product(a, b, c, split):
    """lhs as (m, k), rhs as (n, k) and acc of an instruction's fragments."""
    sm, sn, sk, bm, bn, bk = split
    return (repeated(a, (sm, sk), (bm, bk), (1, sm * sn)), repeated(b, (sn, sk), (bn, bk), (sm, sm * sn)),
            repeated(c, (sm, sn), (bm, bn), (1, sm)))


def swapped(layout):
    return Layout(2, *[list(reversed(x)) for x in (layout.S, layout.B, layout.O, layout.T, layout.E, layout.ss, layout.ts)])


def mma_rows():
    """name, element, acc element, subgroup, fragments of A (m, k), B (n, k) and C."""
    for acc_type, type_, k in [("F32", "F16", 16), ("F32", "F16", 8), ("F16", "F16", 16), ("F16", "F16", 8), ("F32", "BF16", 16), ("F32", "BF16", 8)]:
        yield (f"NV_MMA_SYNC_{acc_type}_16x8x{k}_{type_}", type_.lower(), acc_type.lower(), 32,
               ([2, k // 8], [8, 4], [1, 2], [4, 1]), ([1, k // 8], [8, 4], [1, 2], [4, 1]), ([2, 1], [8, 4], [1, 2], [4, 1]))
    for size, k in ((16, 16), (32, 8)):
        for type_ in ("F16", "BF16"):
            operand = ([1, 1], [size, 64 // size], [1, 4], [1, size])
            yield (f"MFMA_F32_{size}x{size}x{k}_{type_}", type_.lower(), "f32", 64, operand, operand,
                   ([size * size // 256 if size == 32 else 1, 1], [64 // size, size], [4, 1], [size, 1]))


def mma():
    """Every instruction, as it is and with the product transposed (col_major)."""
    for name, element, acc_element, subgroup, a, b, c in mma_rows():
        for label, split in MMA_SPLITS:
            lhs, rhs, acc = matrix_product(a, b, c, split)
            options = dict(element=element, acc_element=acc_element, threads=subgroup * split[0] * split[1] * split[2], subgroup=subgroup)
            for target in ("sm_80", "sm_90a") if subgroup == 32 and label in ("one", "all") else (None,):
                kernel = contraction(f"{name.lower()}_{label}_{target}", lhs, rhs, acc.shape(), [MK, NK, MN], MATMUL, mma=name, acc=acc, **options)
                kernel.target = target
                yield kernel
            # The instruction's A is the contraction's rhs, its columns the result's rows.
            acc = swapped(acc)
            yield contraction(f"{name.lower()}_{label}_col_major", rhs, lhs, acc.shape(), [MK, NK, MN], MATMUL,
                              mma=name + ", col_major", acc=acc, **options)
            if element != acc_element and label == "all":
                for where in ("before", "behind"):
                    yield contraction(f"{name.lower()}_{label}_extended_{where}", lhs, rhs, swapped(acc).shape(), [MK, NK, MN], MATMUL, mma=name,
                                      acc=swapped(acc), extend=where, **options)
            # The layout of acc follows from the operands'.
            if label in ("batches", "all"):
                yield contraction(f"{name.lower()}_{label}_acc_open", lhs, rhs, swapped(acc).shape(), [MK, NK, MN], MATMUL, mma=name, **options)
                yield contraction(f"{name.lower()}_{label}_acc_open_col_major", rhs, lhs, acc.shape(), [MK, NK, MN], MATMUL,
                                  mma=name + ", col_major", **options)
            # rhs as (k, n)
            if label == "batches":
                yield contraction(f"{name.lower()}_{label}_k_major", lhs, swapped(rhs), swapped(acc).shape(), [MK, KN, MN], MATMUL, mma=name,
                                  acc=swapped(acc), **options)


def mma_of_digits():
    """Subgroups between the batches of K; on the rhs the same, or outside them."""
    between, outside = (("reg", 2, 4), ("sg", 2, 1), ("reg", 2, 2)), (("sg", 2, 1), ("reg", 2, 4), ("reg", 2, 2))
    fragment = (("lane", 4, 1), ("reg", 2, 1))
    lhs = DigitLayout([("reg", 2, 2), ("lane", 8, 4)], [("reg", 2, 8), ("sg", 2, 1), ("reg", 2, 4), *fragment])
    acc = DigitLayout([("reg", 2, 2), ("lane", 8, 4)], list(fragment))
    for label, batches in (("alike", between), ("otherwise", outside)):
        rhs = DigitLayout([("lane", 8, 4)], [*batches, *fragment])
        kernel = contraction("mma_rhs_split_" + label, lhs, rhs, acc.shape(), [MK, NK, MN], MATMUL, element="f16", acc_element="f32",
                             threads=64, mma="NV_MMA_SYNC_F32_16x8x16_F16", acc=acc)
        if label == "otherwise":
            kernel.demanded = None  # the anchors contradict each other and meet at a conversion
        yield kernel


def mma_of_turned_registers():
    """The result's registers numbered in an order that is not its own inverse."""
    fragment = ([2, 2], [8, 4], [1, 2], [4, 1]), ([1, 2], [8, 4], [1, 2], [4, 1]), ([2, 1], [8, 4], [1, 2], [4, 1])
    lhs, rhs, acc = matrix_product(*fragment, (1, 1, 1, 2, 2, 1))
    for label, (batch_m, outer, batch_n, element) in (("there", (4, 2, 1, 8)), ("back", (1, 2, 8, 4)), ("round", (2, 1, 8, 4))):
        turned = DigitLayout([("reg", 2, batch_m), ("reg", 2, outer), ("lane", 8, 4)], [("reg", 2, batch_n), ("lane", 4, 1), ("reg", 2, element)])
        yield contraction("mma_registers_turned_" + label, lhs, rhs, acc.shape(), [MK, NK, MN], MATMUL, element="f16", acc_element="f32",
                          threads=32, mma="NV_MMA_SYNC_F32_16x8x16_F16", acc=turned, ranges="whole:1:-4:4")


def all_kernels():
    yield numbered_otherwise()
    yield from mma_of_digits()
    yield from mma_of_turned_registers()
    yield from plain()
    for kernel in mma():
        # The bound of long f16 sums decides nothing.
        kernel.only_whole = "mma_sync_f16" in kernel.name and "_one_" not in kernel.name
        yield kernel


main(all_kernels(), one_in=14)
