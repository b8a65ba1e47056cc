"""vector.contract: plain with every kind, K on registers, lanes and subgroups, batch
dims, scalar results, masks (VX-88, VX-89; W8, W16), and by MMA instructions with
batches over M, N and K and with K split over subgroups (VX-99, VX-100)."""
from kernels import Kernel, Layout, main, vector

MK, KN, NK, MN = ("affine_map<(m, n, k) -> (%s)>" % dims for dims in ("m, k", "k, n", "n, k", "m, n"))


def contraction(name, lhs, rhs, result, maps, iterators, kind="add", element="f32", acc_element=None,
                threads=128, mask=None, subgroup=32, mma=None, extend=False, acc=None, ranges=None):
    kernel = Kernel(name, threads, subgroup)
    acc_element = acc_element or element
    attributes = f" {{mma_kind = #iree_gpu.mma_layout<{mma}>}}" if mma else ""
    operands = []
    for value, layout in (("%a", lhs), ("%b", rhs)):
        kernel.read(value + "0", layout.shape(), element, None, ranges)
        type_ = vector(layout.shape(), element)
        source = value + "0"
        if extend:
            wide = vector(layout.shape(), acc_element)
            kernel.line(f"{value}w = arith.extf {source} : {type_} to {wide}")
            source, type_ = value + "w", wide
        kernel.line(f"{value} = iree_vector_ext.to_layout {source} to layout({layout}){attributes} : {type_}")
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
    kernel.may_be_undecided = element in ("f16", "bf16") and not mma
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
    batch = ["affine_map<(b, m, n, k) -> (%s)>" % dims for dims in ("b, m, k", "b, k, n", "b, m, n")]
    yield contraction("batch", Layout(3, S=[2, 1, 1], T=[1, 4, 4], E=[2, 1, 2], ss=[1, 0, 0], ts=[0, 8, 2]),
                      Layout(3, S=[2, 1, 1], T=[1, 4, 2], E=[2, 2, 3], ss=[1, 0, 0], ts=[0, 2, 1]), [4, 4, 6], batch,
                      ["parallel", "parallel", "parallel", "reduction"])
    matvec = ["affine_map<(m, k) -> (%s)>" % dims for dims in ("m, k", "k", "m")]
    yield contraction("matrix_vector", Layout(2, S=[3, 1], T=[2, 5], E=[1, 2], ss=[1, 0], ts=[5, 1]), Layout(1, T=[5], E=[2], ts=[1]), [6],
                      matvec, ["parallel", "reduction"], threads=96)


def mma():
    def nvidia(sm, sn, sk, bm, bn, bk):
        strides = {"m": 1, "n": sm, "k": sm * sn}
        lhs = Layout(2, S=[sm, sk], B=[bm, bk], O=[2, 2], T=[8, 4], E=[1, 2], ss=[strides["m"], strides["k"]], ts=[4, 1])
        rhs = Layout(2, S=[sn, sk], B=[bn, bk], O=[1, 2], T=[8, 4], E=[1, 2], ss=[strides["n"], strides["k"]], ts=[4, 1])
        acc = Layout(2, S=[sm, sn], B=[bm, bn], O=[2, 1], T=[8, 4], E=[1, 2], ss=[strides["m"], strides["n"]], ts=[4, 1])
        return lhs, rhs, acc
    name = "NV_MMA_SYNC_F32_16x8x16_F16"
    for label, split in [("one", (1, 1, 1, 1, 1, 1)), ("batches", (1, 1, 1, 2, 3, 2)), ("subgroups", (2, 2, 1, 1, 2, 1)),
                         ("split_k", (1, 1, 2, 1, 2, 1)), ("all", (2, 1, 2, 2, 1, 2))]:
        lhs, rhs, acc = nvidia(*split)
        for extend in (False, True):
            yield contraction(f"mma_sync_{label}{'_extended' if extend else ''}", lhs, rhs, acc.shape(), [MK, NK, MN], MATMUL,
                              element="f16", acc_element="f32", threads=32 * split[0] * split[1] * split[2], mma=name, extend=extend, acc=acc)
    # rhs as (k, n)
    lhs, rhs, acc = nvidia(1, 1, 1, 2, 2, 2)
    swapped = Layout(2, *[list(reversed(x)) for x in (rhs.S, rhs.B, rhs.O, rhs.T, rhs.E, rhs.ss, rhs.ts)])
    yield contraction("mma_sync_k_major", lhs, swapped, acc.shape(), [MK, KN, MN], MATMUL, element="f16", acc_element="f32",
                      threads=32, mma=name, acc=acc)
    for name, m, n, k, rows in [("MFMA_F32_16x16x16_F16", 16, 16, 16, 4), ("MFMA_F32_32x32x8_F16", 32, 32, 8, 2)]:
        outer = 4 if m == 32 else 1
        lhs = Layout(2, B=[2, 2], T=[m, rows], E=[1, 4], ts=[1, m])
        rhs = Layout(2, B=[2, 1], T=[rows, n], E=[4, 1], ts=[n, 1])
        acc = Layout(2, B=[2, 1], O=[outer, 1], T=[rows, n], E=[4, 1], ts=[n, 1])
        yield contraction(name.lower(), lhs, rhs, acc.shape(), [MK, KN, MN], MATMUL, element="f16", acc_element="f32",
                          threads=64, subgroup=64, mma=name, acc=acc)


def all_kernels():
    yield from plain()
    yield from mma()


main(all_kernels())
