"""Elementwise ops, broadcasts, transposes, copies and fills, of every element
type and of extents that nothing divides."""
import itertools

from programs import Program, is_float, main

SHAPES = [[1], [3], [13], [48], [1024], [7, 9], [1, 48], [48, 1], [16, 64], [64, 96], [5, 5, 5], [3, 1, 17], [31, 2, 3], [3, 4, 5, 6, 8], [127, 3], [1, 1, 1]]
FLOATS, INTEGERS = ("f16", "bf16", "f32", "f64"), ("i8", "i32", "i64")


# One target per program where the other one would add little.
ALTERNATING = itertools.cycle([["sm_80"], ["gfx942"]])


def label(shape):
    return "x".join(map(str, shape))


def shapes():
    for shape in SHAPES:
        program = Program("add_" + label(shape))
        a, b = program.argument(shape, "f32"), program.argument(shape, "f32")
        yield program.returns(program.binary("arith.addf", a, b, lambda x, y: x + y))
    program = Program("add_rank_0")
    a, b = program.argument([], "f32"), program.argument([], "f32")
    yield program.returns(program.binary("arith.addf", a, b, lambda x, y: x + y))


def ops():
    for element in FLOATS:
        for op, function in [("addf", lambda x, y: x + y), ("subf", lambda x, y: x - y), ("mulf", lambda x, y: x * y), ("maximumf", max),
                             ("minnumf", min)]:
            program = Program(f"{op}_{element}", next(ALTERNATING))
            a, b = program.argument([7, 24], element, -9, 9), program.argument([7, 24], element, -9, 9)
            yield program.returns(program.binary("arith." + op, a, b, function))
    for element in INTEGERS:
        for op, function in [("addi", lambda x, y: x + y), ("subi", lambda x, y: x - y), ("muli", lambda x, y: x * y), ("maxsi", max), ("minsi", min),
                             ("andi", lambda x, y: x & y), ("xori", lambda x, y: x ^ y)]:
            program = Program(f"{op}_{element}", next(ALTERNATING))
            a, b = program.argument([7, 24], element, -100, 100), program.argument([7, 24], element, -100, 100)
            yield program.returns(program.binary("arith." + op, a, b, function))


def conversions():
    for source, to, op in [("f32", "f16", "truncf"), ("f32", "bf16", "truncf"), ("f64", "f32", "truncf"), ("f16", "f32", "extf"),
                           ("bf16", "f32", "extf"), ("f32", "f64", "extf"), ("i8", "i32", "extsi"), ("i32", "i8", "trunci"),
                           ("i32", "i64", "extsi"), ("i32", "f32", "sitofp"), ("f32", "i32", "fptosi"), ("i8", "f16", "sitofp")]:
        program = Program(f"{op}_{source}_{to}", next(ALTERNATING))
        x = program.argument([9, 16], source, -100, 100)
        yield program.returns(program.unary("arith." + op, x, float if is_float(to) else int, to))


def broadcasts():
    for dims in ([0], [1]):
        for element in ("f32", "f16", "i8"):
            program = Program(f"broadcast_{element}_{dims[0]}")
            yield program.returns(program.broadcast(program.argument([12], element), [12, 24] if dims == [1] else [24, 12], dims))
    program = Program("broadcast_of_a_scalar")
    yield program.returns(program.broadcast(program.argument([], "f32"), [5, 7], [0, 1]))
    program = Program("broadcast_both_sides")
    yield program.returns(program.broadcast(program.argument([6, 5], "f32"), [3, 6, 4, 5], [0, 2]))
    program = Program("row_plus_column")
    a, b = program.argument([31], "f32"), program.argument([64], "f32")
    yield program.returns(program.generic([31, 64], "f32", [(a, [0]), (b, [1])], ["%y = arith.addf %x0, %x1 : f32"], lambda x, y: x + y))
    program = Program("broadcast_then_multiplied")
    a, b = program.argument([24], "f32"), program.argument([16, 24], "f32")
    yield program.returns(program.binary("arith.mulf", program.broadcast(a, [16, 24], [0]), b, lambda x, y: x * y))


def transposes():
    for element in ("f32", "f16", "f64", "i8"):
        program = Program("transpose_" + element)
        yield program.returns(program.transpose(program.argument([48, 96], element), [1, 0]))
    for shape, permutation in [([7, 9], [1, 0]), ([128, 1], [1, 0]), ([5, 5, 5], [2, 0, 1]), ([4, 6, 8], [0, 2, 1]), ([4, 6, 8], [2, 1, 0]),
                               ([3, 4, 5, 6], [3, 1, 0, 2]), ([64, 64], [1, 0]), ([31, 127], [1, 0])]:
        program = Program(f"transpose_{label(shape)}_to_{label(permutation)}")
        yield program.returns(program.transpose(program.argument(shape, "f32"), permutation))
    program = Program("plus_its_transpose")
    x = program.argument([32, 32], "i32")
    yield program.returns(program.binary("arith.addi", x, program.transpose(x, [1, 0]), lambda a, b: a + b))
    program = Program("transposed_result")
    x = program.argument([24, 40], "f32")
    yield program.returns(program.generic([24, 40], "f32", [(x, [0, 1])], ["%y = arith.negf %x0 : f32"], lambda a: -a, result=[1, 0]))


def others():
    for shape, element in [([3, 5, 64], "f32"), ([7, 9], "i8"), ([33], "f16")]:
        program = Program(f"copy_{label(shape)}_{element}")
        yield program.returns(program.copy(program.argument(shape, element)))
    for shape, element in [([40], "f32"), ([7, 9], "i64"), ([16, 48], "bf16")]:
        program = Program(f"fill_{label(shape)}_{element}")
        yield program.returns(program.fill(shape, element, 7))
    program = Program("positions")
    body = ["%i = linalg.index 0 : index", "%j = linalg.index 1 : index", "%c = arith.constant 100 : index", "%h = arith.muli %i, %c : index",
            "%s = arith.addi %h, %j : index", "%y = arith.index_cast %s : index to i32"]
    places = iter([100 * i + j for i in range(24) for j in range(36)])
    yield program.returns(program.generic([24, 36], "i32", [], body, lambda: next(places)))
    program = Program("selected")
    a, b = program.argument([16, 40], "f32"), program.argument([16, 40], "f32")
    yield program.returns(program.generic([16, 40], "f32", [(a, [0, 1]), (b, [0, 1])],
                                          ["%c = arith.cmpf olt, %x0, %x1 : f32", "%y = arith.select %c, %x0, %x1 : f32"], min))
    program = Program("two_results")
    a, b = program.argument([16, 40], "f32"), program.argument([16, 40], "f32")
    yield program.returns(program.binary("arith.addf", a, b, lambda x, y: x + y), program.binary("arith.subf", a, b, lambda x, y: x - y))


if __name__ == "__main__":
    main([*shapes(), *ops(), *conversions(), *broadcasts(), *transposes(), *others()])
