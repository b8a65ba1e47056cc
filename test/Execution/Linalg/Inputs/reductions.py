"""Reductions over rows, columns, everything, with each combiner, element type and
with producers and readers that fuse."""
import itertools

from programs import COMBINERS, Program, Tensor, is_float, main

SHAPES = [([16, 64], [1]), ([64, 16], [0]), ([16, 40], [0, 1]), ([7, 9], [1]), ([7, 9], [0]), ([5, 5, 5], [0, 2]), ([5, 5, 5], [1]),
          ([1, 1], [0]), ([1, 48], [1]), ([48, 1], [1]), ([48, 1], [0]), ([3], [0]), ([1], [0]), ([13, 97], [1]), ([127], [0]),
          ([4, 6, 8, 10], [1, 3]), ([4, 6, 8, 10], [0, 2]), ([2, 3, 4, 5], [0, 1, 2, 3])]


# One target per program where the other one would add little.
ALTERNATING = itertools.cycle([["sm_80"], ["gfx942"]])


def label(values):
    return "x".join(map(str, values))


def reduction(name, shape, dims, combiner, element, low=-3, high=3, targets=("sm_80", "gfx942")):
    program = Program("reduce_" + name, targets)
    return program.returns(program.reduce(program.argument(shape, element, low, high), dims, combiner))


def shapes():
    for shape, dims in SHAPES:
        yield reduction(f"shape_{label(shape)}_{label(dims)}", shape, dims, "addf", "f32")
    # Extents that one workgroup walks, and that many share.
    for name, shape, dims in [("long_row", [2, 8192], [1]), ("long_all", [16384], [0]), ("long_column", [4096, 4], [0]), ("rows", [512, 24], [1]),
                              ("middle", [8, 96, 12], [1]), ("outer_and_inner", [8, 24, 16], [0, 2]), ("all_of_a_matrix", [96, 160], [0, 1]),
                              ("long_prime", [3, 4093], [1])]:
        yield reduction(name, shape, dims, "addf", "f32", 0, 9)
        yield reduction(name + "_max", shape, dims, "maxsi", "i32", -10**9, 10**9, next(ALTERNATING))


def combiners():
    for combiner in COMBINERS:
        for element in ("f16", "bf16", "f32", "f64") if combiner.endswith("f") else ("i8", "i32", "i64"):
            low, high = (-3, 3) if is_float(element) else (-100, 100)
            extent = 48
            # All on the far side of 0, which is no neutral element of these.
            if combiner.startswith("max"):
                low, high = -9, -3
            if combiner.startswith("min"):
                low, high = 3, 9
            if combiner == "mulf":
                low, high, extent = 1, 2, 6
            if combiner == "addf" and element in ("f16", "bf16"):
                low, high, extent = 0, 3, 12 if element == "f16" else 4
            yield reduction(f"{combiner}_{element}_rows", [24, extent], [1], combiner, element, low, high, next(ALTERNATING))
            if element in ("f32", "i32", "i8"):
                yield reduction(f"{combiner}_{element}_columns", [extent, 24], [0], combiner, element, low, high, next(ALTERNATING))
                # Two lanes have no element of their own, whatever the split.
                yield reduction(f"{combiner}_{element}_all", [2, 3], [0, 1], combiner, element, low, high, next(ALTERNATING))
    # Walked: each lane starts from the neutral element before the loop.
    for combiner, element, low, high in [("maximumf", "f32", -90, -50), ("minimumf", "f32", 50, 90), ("maxnumf", "f32", -90, -50),
                                         ("minnumf", "f32", 50, 90), ("minsi", "i32", 50, 90), ("maxsi", "i32", -90, -50),
                                         ("maxui", "i32", -90, 90), ("minui", "i32", 1, 90), ("andi", "i32", -4, -1), ("ori", "i32", 0, 8),
                                         ("xori", "i32", -9, 9), ("addi", "i64", -9, 9), ("muli", "i32", -3, 3)]:
        yield reduction(f"walked_{combiner}", [1, 32768], [1], combiner, element, low, high, next(ALTERNATING))


def starts():
    """What the reduction starts from counts once."""
    for combiner, element in [("addf", "f32"), ("maximumf", "f32"), ("addi", "i32"), ("xori", "i32"), ("muli", "i32")]:
        for name, shape, dims in [("rows", [12, 64], [1]), ("columns", [64, 12], [0]), ("walked", [2, 16384], [1])]:
            program = Program(f"start_{combiner}_{name}")
            x = program.argument(shape, element, 0 if combiner == "addf" else -2)
            start = program.argument([shape[1 - dims[0]]], element, 100, 200)
            yield program.returns(program.reduce(x, dims, combiner, start))
    program = Program("start_seven")
    x = program.argument([8, 32], "f32")
    yield program.returns(program.reduce(x, [1], "addf", program.fill([8], "f32", 7)))


def fused():
    for name, shape, dims in [("rows", [12, 96], [1]), ("columns", [96, 12], [0]), ("all", [24, 36], [0, 1]), ("odd", [7, 9], [1]),
                              ("walked", [2, 16384], [1])]:
        program = Program("sum_of_products_" + name)
        a, b = program.argument(shape, "f32", 0, 4), program.argument(shape, "f32", 0, 4)
        yield program.returns(program.reduce(program.binary("arith.mulf", a, b, lambda x, y: x * y), dims, "addf"))
        program = Program("sum_of_extended_" + name)
        a = program.unary("arith.extf", program.argument(shape, "f16", 0, 4), int, "f32")
        yield program.returns(program.reduce(a, dims, "addf"))
    program = Program("sum_minus_maximum")
    x = program.argument([16, 48], "f32")
    top = program.reduce(x, [1], "maximumf")
    shifted = program.generic([16, 48], "f32", [(x, [0, 1]), (top, [0])], ["%y = arith.subf %x0, %x1 : f32"], lambda v, t: v - t)
    yield program.returns(program.reduce(shifted, [1], "addf"), top)
    program = Program("producer_is_returned")
    x = program.unary("math.absf", program.argument([16, 48], "f32"), abs)
    yield program.returns(program.reduce(x, [1], "addf"), x)
    program = Program("two_reductions_of_one")
    x = program.argument([48, 64], "f32")
    yield program.returns(program.reduce(x, [1], "maximumf"), program.reduce(x, [1], "minimumf"))
    program = Program("reduced_twice")
    x = program.argument([8, 12, 16], "f32", 0, 3)
    yield program.returns(program.reduce(program.reduce(x, [2], "addf"), [1], "maximumf"))
    program = Program("transposed_before")
    x = program.argument([24, 36], "i32", -99, 99)
    yield program.returns(program.reduce(program.transpose(x, [1, 0]), [1], "addi"))
    program = Program("selected_by_position")
    x = program.argument([16, 32], "i32", -99, 99)
    body = ["%c = linalg.index 1 : index", "%i = arith.index_cast %c : index to i32", "%y = arith.muli %x0, %i : i32"]
    column = iter([c for _ in range(16) for c in range(32)])
    weighted = program.generic([16, 32], "i32", [(x, [0, 1])], body, lambda v: v * next(column))
    yield program.returns(program.reduce(weighted, [1], "addi"))


def moments(program, x):
    """Sum and sum of squares of each row by one op."""
    rows = [x.shape[0]]
    start, name = program.fill(rows, "f32", 0), program.new()
    program.line(f"{name}:2 = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], "
                 f'iterator_types = ["parallel", "reduction"]}} ins({x.name} : {x.type()}) '
                 f"outs({start.name}, {start.name} : {start.type()}, {start.type()}) {{")
    for line in ["^bb0(%v: f32, %s: f32, %q: f32):", "  %a = arith.addf %s, %v : f32", "  %p = arith.mulf %v, %v : f32",
                 "  %b = arith.addf %q, %p : f32", "  linalg.yield %a, %b : f32, f32"]:
        program.line(line)
    program.line(f"}} -> ({start.type()}, {start.type()})")
    lines = lambda: [x.data[i:i + x.shape[1]] for i in range(0, len(x.data), x.shape[1])]
    return (Tensor(f"{name}#0", rows, "f32", lambda: [sum(line) for line in lines()]),
            Tensor(f"{name}#1", rows, "f32", lambda: [sum(v * v for v in line) for line in lines()]))


def rounded():
    """Numbers whose sums round: in the source's order and in the program's."""
    for seed in range(4):
        program = Program(f"moments_{seed}", next(ALTERNATING))
        yield program.returns(*moments(program, program.numbers([64, 5], "f32")))
    for shape, dims in [([13, 97], [1]), ([97, 13], [0])]:
        program = Program(f"rounded_{label(shape)}_{label(dims)}", next(ALTERNATING))
        yield program.returns(program.reduce(program.numbers(shape, "f32"), dims, "addf"))
    program = Program("moments_whole")
    yield program.returns(*moments(program, program.argument([64, 48], "f32")))


if __name__ == "__main__":
    main([*shapes(), *combiners(), *starts(), *fused(), *rounded()], one_in=9)
