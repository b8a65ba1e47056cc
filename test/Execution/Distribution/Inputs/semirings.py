"""distaff.contract (VX-124): the seven known pairs and regions, masked and not, of
every split of the iteration space over registers, lanes and subgroups; after every
stage on the SIMT machine, and as PTX. All bits must be the reference's, which is
this file, but for logsumexp, which may be a few roundings away.

    python3 semirings.py OUT_DIR [--only NAME] [--seeds 0:100]
"""
import math
import random
import sys

from every_kind import FOLD, INF, INTEGERS, NAN, Case, combine, indices, main
from kernels import vector
from random_layouts import product

MAPS = {  # lhs, rhs, result
    "matmul": ("mk", "kn", "mn"), "transposed": ("mk", "nk", "mn"), "turned": ("km", "kn", "nm"), "batch": ("bmk", "bkn", "bmn"),
    "batch_inside": ("mbk", "kbn", "nbm"), "dot": ("k", "k", ""), "two_k": ("mkl", "lkn", "mn"), "matvec": ("mk", "k", "m"),
    "outer": ("mk", "n", "mn"), "whole": ("ml", "kn", ""),
}
PAIRS = [("add", "mul"), ("minimumf", "add"), ("maximumf", "add"), ("or", "and"), ("xor", "and"), ("maxnumf", "mul"),
         ("logsumexp", "add"), ("minsi", "add"), ("add", "minui"), ("mul", "add")]
REGIONS = {  # types of lhs, rhs and sum; the sum's kind; lines; meaning
    "squared_distance": ("f32", "f32", "f32", "add", ["%d = arith.subf %x, %y : f32", "%p = arith.mulf %d, %d : f32"], lambda x, y: (x - y) ** 2),
    "distance_of_halves": ("f16", "f16", "f32", "maximumf", ["%left = arith.extf %x : f16 to f32", "%right = arith.extf %y : f16 to f32",
                                                              "%d = arith.subf %left, %right : f32", "%p = math.absf %d : f32"], lambda x, y: abs(x - y)),
    "matches": ("i8", "i32", "i32", "add", ["%left = arith.extsi %x : i8 to i32", "%e = arith.cmpi eq, %left, %y : i32", "%p = arith.extui %e : i1 to i32"],
                lambda x, y: int(x == y)),
    "scaled_by_constant": ("f32", "f32", "f32", "minnumf", ["%two = arith.constant 2.0 : f32", "%d = arith.mulf %x, %two : f32",
                                                            "%p = arith.subf %d, %y : f32"], lambda x, y: 2 * x - y),
    "left": ("f32", "f64", "f64", "add", ["%p = arith.extf %x : f32 to f64"], lambda x, y: x),
}


def map_text(letters, dims):
    return f"affine_map<({', '.join(dims)}) -> ({', '.join(letters)})>"


def draw(rng, element, count, kind):
    if kind == "logsumexp":
        pool = [rng.uniform(-60, 60) for _ in range(6)] + [0.0, -0.5, 3.25, -INF] + ([INF] if rng.random() < 0.1 else [])
        pool = [INF, -INF] if rng.random() < 0.05 else [-INF] if rng.random() < 0.1 else pool
        return [NAN if rng.random() < 0.001 else float32(rng.choice(pool)) for _ in range(count)]
    if element in INTEGERS:
        return [rng.choice([0, 1, -1, 5, -7, 100, -128]) for _ in range(count)]
    if kind == "mul":
        return [rng.choice([0.5, 1.0, 0.0] if rng.random() < 0.5 else [1.0, 0.0]) for _ in range(count)]
    pool = [0.0, 1.0, -1.0, 2.0, 3.0, -4.0] + ([-0.0, INF, NAN] if kind != "add" and rng.random() < 0.3 else [])
    return [rng.choice(pool) for _ in range(count)]


def float32(x):
    import struct
    return struct.unpack("<f", struct.pack("<f", x))[0]


def log_sum_exp(terms):
    largest = max(terms, key=lambda t: INF if math.isnan(t) else t)
    if any(math.isnan(t) for t in terms):
        return NAN
    if math.isinf(largest):
        return largest
    return largest + math.log(math.fsum(math.exp(t - largest) for t in terms))


def contraction(case, maps, combine_kind, product_kind, region=None, element="f32"):
    rng, kernel = case.rng, case.kernel
    lhs, rhs, out = MAPS[maps]
    dims = sorted(set(lhs + rhs))
    extent = {d: rng.choice([1, 2, 3, 4, 5, 6, 8, 9, 12, 16, 24]) for d in dims}
    while product(extent.values()) > 2048:
        extent[max(dims, key=extent.get)] //= 2
    shape = {name: [extent[d] for d in letters] for name, letters in (("a", lhs), ("b", rhs), ("c", out), ("m", dims))}
    types = (element, element, element) if region is None else REGIONS[region][:3]
    meaning = (lambda x, y: combine(product_kind, element, x, y)) if region is None else REGIONS[region][5]
    values = {}
    for name, type_ in zip("abc", types):
        values[name] = draw(rng, type_, product(shape[name]), combine_kind)
        anchored = name == "a" or (name == "b" and rng.random() < 0.4)
        case.read(f"%{name}" if name != "c" or shape["c"] else "%c_v", shape[name], type_, values[name],
                  case.layouts.layout(shape[name]) if anchored and shape[name] else None)
    if not shape["c"]:
        kernel.line(f"%c = vector.extract %c_v[] : {types[2]} from vector<{types[2]}>")
    # Of its own, by a vector.mask around it, or both.
    own, outer = rng.choice([(False, False)] * 5 + [(True, False), (False, True), (True, True)])
    mask = case.mask(shape["m"]) if own else None
    if outer:
        around = case.mask(shape["m"], "%around")
        mask = [a and b for a, b in zip(mask, around)] if own else around
    type_ = vector(shape["c"], types[2]) if shape["c"] else types[2]
    opened, closed = ("vector.mask %around { ", f" }} : {vector(shape['m'], 'i1')} -> {type_}") if outer else ("", "")
    text = {n: vector(shape[n], t) if shape[n] or n != "c" else t for n, t in zip("abc", types)}
    iterators = ", ".join('"parallel"' if d in out else '"reduction"' for d in dims)
    kernel.line(f"%r = {opened}distaff.contract <{combine_kind}, {product_kind if region is None else 'region'}> {{indexing_maps = ["
                + ", ".join(map_text(m, dims) for m in (lhs, rhs, out)) + f"], iterator_types = [{iterators}]}} %a, %b, %c"
                + (" mask %m" if own else "") + f" : {text['a']}, {text['b']}" + (f", {vector(shape['m'], 'i1')}" if own else "") + f" into {text['c']}"
                + (closed if region is None else " {"))
    if region is not None:
        kernel.line(f"^bb0(%x: {types[0]}, %y: {types[1]}):")
        for line in REGIONS[region][4]:
            kernel.line("  " + line)
        kernel.line(f"  distaff.yield %p : {types[2]}")
        kernel.line("}" + closed)
    at = {n: dict(zip(indices(shape[n]), values[n])) for n in "abc"}
    terms = {k: [v] for k, v in at["c"].items()}
    for point, index in enumerate(indices(shape["m"])):
        where = dict(zip(dims, index))
        if mask and not mask[point]:
            continue
        x, y = at["a"][tuple(where[d] for d in lhs)], at["b"][tuple(where[d] for d in rhs)]
        terms[tuple(where[d] for d in out)].append(meaning(x, y))
    results = []
    for k in indices(shape["c"]):
        if combine_kind == "logsumexp":
            results.append(log_sum_exp(terms[k]))
            continue
        total = terms[k][0]
        for term in terms[k][1:]:
            total = combine(combine_kind, types[2], total, term)
        results.append(total)
    if shape["c"]:
        case.write("%r", shape["c"], combine_kind, types[2], results)
    else:
        case.write_scalar("%r", combine_kind, types[2], results[0])


def cases(out, seeds):
    for seed in seeds:
        for maps in MAPS:
            for combine_kind, product_kind in PAIRS:
                integers = combine_kind in ("or", "xor", "minsi") or product_kind == "minui"
                name = f"{combine_kind}_{product_kind}_{maps}_{seed}"
                rng = random.Random(name)
                element = rng.choice(["i8", "i16", "i32", "i64"] if integers else ["f32"] if combine_kind in ("logsumexp", "mul") else ["f16", "f32", "f64"])
                if rng.random() < 0.5:
                    case = Case(name, rng, out)
                    contraction(case, maps, combine_kind, product_kind, element=element)
                    yield case
            for region in REGIONS:
                name = f"{region}_{maps}_{seed}"
                rng = random.Random(name)
                if rng.random() < 0.3:
                    case = Case(name, rng, out)
                    contraction(case, maps, REGIONS[region][3], None, region)
                    yield case


if __name__ == "__main__":
    main(cases, "contractions are the sum of products")
