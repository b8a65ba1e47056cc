"""scan and arg_compare (VX-90, VX-91; W26, W27)."""
from kernels import FLOATS, Kernel, Layout, main, vector

LINE = Layout(1, S=[2], B=[2], O=[2], T=[3], E=[2], ss=[1], ts=[1])           # 48
PLANE = Layout(2, S=[1, 2], B=[2, 2], T=[2, 4], E=[1, 3], ss=[0, 1], ts=[8, 2])  # 4x48

ROWS = Layout(2, T=[4, 8], ts=[8, 1])                                         # 4x8


def scan(name, layout, dim, kind, element, inclusive, threads=64, seed=0):
    kernel = Kernel(f"{name}_{kind}_{element}_{'inclusive' if inclusive else 'exclusive'}", threads)
    shape = layout.shape()
    kept = shape[:dim] + shape[dim + 1:]
    ranges = f"random:{seed}:0.9:1.1" if kind == "mul" and element[0] == "f" else f"random:{seed}"
    if element in FLOATS and kind in ("add", "mul") and seed == 0:
        kernel.whole = "-3:3" if kind == "add" else "1:2"
    kernel.read("%x", shape, element, layout, ranges)
    kernel.read("%i", kept, element, None, ranges)
    kernel.line(f"%r:2 = vector.scan <{kind}>, %x, %i {{inclusive = {str(inclusive).lower()}, reduction_dim = {dim} : i64}} : "
                f"{vector(shape, element)}, {vector(kept, element)}")
    kernel.write("%r#0", shape, element)
    kernel.write("%r#1", kept, element)
    return kernel


def arg_compare(name, layout, dim, element, predicate, explicit=False, init="-2.0", threads=64, index="i32"):
    kernel = Kernel(name, threads)
    shape = layout.shape()
    kept = shape[:dim] + shape[dim + 1:]
    # Few different values, so that there are ties.
    kernel.read("%x", shape, element, layout, "random:3:0:6" if element[0] == "i" else None)
    kernel.line(f"%iv = arith.constant dense<{init}> : {vector(kept, element)}")
    kernel.line(f"%ii = arith.constant dense<-1> : {vector(kept, index)}")
    inputs = f"%x : {vector(shape, element)}"
    if explicit:
        kernel.read("%xi", shape, index)
        inputs = f"%x, %xi : {vector(shape, element)}, {vector(shape, index)}"
    compare = "arith.cmpf" if element[0] == "f" else "arith.cmpi"
    for text in [f"%r:2 = iree_vector_ext.arg_compare dimension({dim}) ins({inputs}) inits(%iv, %ii : {vector(kept, element)}, {vector(kept, index)}) {{",
                 f"^bb0(%candidate: {element}, %best: {element}):", f"  %c = {compare} {predicate}, %candidate, %best : {element}",
                 "  iree_vector_ext.yield %c : i1", f"}} -> {vector(kept, element)}, {vector(kept, index)}"]:
        kernel.line(text)
    kernel.write("%r#0", kept, element)
    kernel.write("%r#1", kept, index)
    return kernel


def all_kernels():
    for inclusive in (True, False):
        yield scan("w26_scan", LINE, 0, "add", "i32", inclusive)
        yield scan("w26_scan", LINE, 0, "add", "f32", inclusive)
        yield scan("w26_scan", LINE, 0, "mul", "f32", inclusive)
        yield scan("w26_scan", LINE, 0, "maxsi", "i16", inclusive)
        yield scan("scan_rows", PLANE, 1, "add", "i64", inclusive)
        yield scan("scan_columns", PLANE, 0, "xor", "i8", inclusive)
        yield scan("scan_columns", PLANE, 0, "maximumf", "f32", inclusive)
        # In some of these a sum of the source's order is exact, and none of another.
        for seed in range(3):
            yield scan(f"scan_across_lanes_{seed}", ROWS, 1, "add", "f32", inclusive, threads=32, seed=seed)
    yield arg_compare("w27_first", PLANE, 1, "i32", "sgt", init="-1")
    yield arg_compare("w27_last", PLANE, 1, "i32", "sge", init="-1")
    yield arg_compare("w27_better_init", PLANE, 1, "i32", "sgt", init="100")
    yield arg_compare("arg_compare_line", LINE, 0, "f32", "ogt")
    yield arg_compare("arg_compare_columns", PLANE, 0, "f32", "olt", init="2.0")
    yield arg_compare("arg_compare_explicit", PLANE, 1, "f32", "ogt", explicit=True)
    yield arg_compare("arg_compare_64_bit", PLANE, 1, "i64", "sgt", init="-1", index="i64")


main(all_kernels())
