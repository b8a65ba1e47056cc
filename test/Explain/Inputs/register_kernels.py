"""Kernels of one contraction for the pipeline run-cluster, with tiles written down or chosen: what registers.py compares
explain's estimates over. A case is a name, the text, and flags."""
import itertools

MMA = {("f16", "f32"): "NV_MMA_SYNC_F32_16x8x16_F16", ("bf16", "f32"): "NV_MMA_SYNC_F32_16x8x16_BF16",
       ("f16", "f16"): "NV_MMA_SYNC_F16_16x8x16_F16"}
EXTEND = {"f16": "arith.extf", "bf16": "arith.extf", "f32": "arith.extf", "i8": "arith.extsi"}


def tensor(shape, element):
    return "tensor<" + "".join(f"{extent}x" for extent in shape) + f"{element}>"


def parallel(rank):
    return ", ".join(['"parallel"'] * rank)


def config(loops, tiles, mma):
    if not tiles:
        return ""
    (m, n, k), (sm, sn) = tiles
    lists = {"workgroup": {"m": m, "n": n}, "reduction": {"k": k}, "subgroup": {"m": sm, "n": sn}}
    def sizes(key):
        reduced = key == "reduction"
        return "[" + ", ".join(str(lists[key].get(loop, 1)) if (loop == "k") == reduced else "0" for loop in loops) + "]"
    entries = [f"{key} = {sizes(key)}" for key in lists] + ["promote_operands = [0, 1]"]
    if mma:
        entries.append(f"mma_kind = #iree_gpu.mma_layout<{mma}>")
    return f", lowering_config = #iree_gpu.lowering_config<{{{', '.join(entries)}}}>"


def follow(value, shape, element, number, math):
    """An elementwise op on the result, reading one more tensor for `bias`."""
    rank = len(shape)
    dims = ", ".join(f"d{i}" for i in range(rank))
    here, kind = f"affine_map<({dims}) -> ({dims})>", tensor(shape, element)
    ins, args, body = f"{value}, %bias : {kind}, {kind}", f"%p: {element}, %q: {element}, %o: {element}", f"%w = arith.add{element[0] if element[0] == 'i' else 'f'} %p, %q : {element}"
    maps = [here] * 3
    if math != "bias":
        ins, args, maps = f"{value} : {kind}", f"%p: {element}, %o: {element}", [here] * 2
        body = f"%w = math.{math} %p : {element}"
    return (f"  %r{number} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{parallel(rank)}]}} "
            f"ins({ins}) outs(%empty : {kind}) {{ ^bb0({args}):\n    {body}\n    linalg.yield %w : {element} }} -> {kind}\n")


def kernel(types, extents, tiles=None, mma=True, transposed=False, batched=False, dynamic=False, prologue="", epilogue=""):
    """(m, n, k) of C = A B, or A B^T, or of a batch of 4."""
    a, c = types
    batch = ["b"] if batched else []
    loops = batch + ["m", "n", "k"]
    size = dict(zip("bmnk", (4, *extents)))
    names = {"lhs": batch + ["m", "k"], "rhs": batch + (["n", "k"] if transposed else ["k", "n"]), "out": batch + ["m", "n"]}
    def shape(name):
        return ["?" if dynamic else size[loop] for loop in names[name]]
    lhs, rhs, out = (tensor(shape(name), c if name == "out" else a) for name in names)
    maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(each)})>" for each in names.values())
    kinds = ", ".join('"reduction"' if loop == "k" else '"parallel"' for loop in loops)
    integer = c[0] == "i"
    wide = [f"%x = {EXTEND[a]} %p : {a} to {c}", f"%y = {EXTEND[a]} %q : {a} to {c}"] if a != c else []
    x, y = ("%x", "%y") if wide else ("%p", "%q")
    op = "i" if integer else "f"
    body = "\n      ".join([f"^bb0(%p: {a}, %q: {a}, %s: {c}):", *wide, f"%v = arith.mul{op} {x}, {y} : {c}", f"%w = arith.add{op} %s, %v : {c}",
                            f"linalg.yield %w : {c}"])
    text = f"func.func @k(%a: {lhs}, %b: {rhs}, %bias: {out}, %empty: {out}) -> {out} {{\n"
    text += f"  %zero = arith.constant {'0' if integer else '0.0'} : {c}\n  %f = linalg.fill ins(%zero : {c}) outs(%empty : {out}) -> {out}\n"
    source = "%a"
    if prologue:
        dims = ", ".join(f"d{i}" for i in range(len(names["lhs"])))
        text += (f"  %pre = linalg.generic {{indexing_maps = [affine_map<({dims}) -> ({dims})>, affine_map<({dims}) -> ({dims})>], "
                 f"iterator_types = [{parallel(len(names['lhs']))}]}} ins(%a : {lhs}) outs(%a : {lhs}) {{ ^bb0(%p: {a}, %o: {a}):\n"
                 f"    %w = math.{prologue} %p : {a}\n    linalg.yield %w : {a} }} -> {lhs}\n")
        source = "%pre"
    chosen = config(loops, tiles, MMA[types] if mma and tiles else None)
    text += (f"  %r0 = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]{chosen}}} ins({source}, %b : {lhs}, {rhs}) outs(%f : {out}) {{\n"
             f"      {body} }} -> {out}\n")
    steps = epilogue.split("+") if epilogue else []
    for number, math in enumerate(steps, 1):
        text += follow(f"%r{number - 1}", shape("out"), c, number, math)
    return text + f"  return %r{len(steps)} : {out}\n}}\n"


WAYS = ("none", "producer-consumer")
BIG = (512, 512, 256)
# Tiles of a workgroup and of a subgroup; the last ones are near what a lane has.
TILES_MMA = [((64, 64, 32), (32, 32)), ((64, 64, 64), (64, 32)), ((128, 64, 32), (64, 64)), ((128, 128, 32), (64, 64)), ((128, 128, 64), (64, 32)),
             ((64, 64, 32), (64, 64)), ((128, 128, 16), (128, 32)), ((256, 64, 32), (128, 32)), ((64, 128, 32), (64, 64)), ((48, 96, 32), (48, 96)),
             ((32, 256, 32), (32, 128)), ((64, 72, 32), (64, 72))]
TILES_PLAIN = [((32, 32, 8), (16, 32)), ((64, 64, 8), (32, 32)), ((64, 64, 16), (32, 64)), ((64, 64, 4), (64, 64)), ((128, 64, 8), (64, 64)),
               ((128, 128, 8), (64, 64)), ((256, 128, 8), (64, 64)), ((256, 128, 16), (128, 32)), ((64, 32, 32), (64, 32)), ((128, 32, 8), (128, 32)),
               ((32, 128, 8), (32, 128)), ((80, 64, 8), (80, 64)), ((48, 48, 16), (48, 48))]


def tile_text(tiles):
    return "x".join(map(str, tiles[0])) + "/" + "x".join(map(str, tiles[1]))


def cases():
    """Name, text, specialization."""
    for way, tiles in itertools.product(WAYS, TILES_MMA):
        yield f"f16 f32 mma {tile_text(tiles)} {way}", kernel(("f16", "f32"), BIG, tiles), way
    for way, tiles in itertools.product(WAYS, TILES_PLAIN):
        # 128 registers of 126 that a lane has of 12 subgroups are refused.
        if way != "none" and tiles[0][:2] == (256, 128):
            continue
        yield f"f32 {tile_text(tiles)} {way}", kernel(("f32", "f32"), BIG, tiles, mma=False), way
    for tiles in TILES_PLAIN[:8]:
        yield f"i8 i32 {tile_text(tiles)}", kernel(("i8", "i32"), BIG, tiles, mma=False), "none"
    for types, tiles in itertools.product([("bf16", "f32"), ("f16", "f16")], TILES_MMA[:4]):
        yield f"{types[0]} {types[1]} mma {tile_text(tiles)}", kernel(types, BIG, tiles), "none"
    some = [("f16", "f32", TILES_MMA[2], True), ("f16", "f32", TILES_MMA[0], True), ("f32", "f32", TILES_PLAIN[3], False), ("f32", "f32", TILES_PLAIN[1], False)]
    others = {"transposed": dict(transposed=True), "batched": dict(batched=True), "dynamic": dict(dynamic=True), "bias": dict(epilogue="bias"),
              "bias exp2 bias": dict(epilogue="bias+exp2+bias"), "tanh": dict(epilogue="tanh"), "prologue": dict(prologue="absf"),
              "dynamic transposed bias": dict(dynamic=True, transposed=True, epilogue="bias")}
    for (a, c, tiles, mma), (name, more) in itertools.product(some, others.items()):
        for way in WAYS if name in ("dynamic", "bias", "transposed") else WAYS[:1]:
            yield f"{a} {c} {tile_text(tiles)} {name} {way}", kernel((a, c), BIG, tiles, mma, **more), way
