"""Kernels of several reductions along a row: softmax, layer norm, attention; and
their skeletons, whose every step is exact on whole numbers."""
import math

from programs import Program, main


def softmaxes():
    for shape, dim in [([16, 64], 1), ([64, 16], 0), ([7, 9], 1), ([7, 9], 0), ([3, 5, 8], 1), ([4, 6, 16], 2), ([5, 5, 5], 0), ([1, 48], 1),
                       ([48, 1], 1), ([97], 0), ([2, 4096], 1)]:
        program = Program(f"softmax_{'x'.join(map(str, shape))}_along_{dim}")
        yield program.returns(program.softmax(program.argument(shape, "f32"), dim))
    program = Program("softmax_f16")
    yield program.returns(program.softmax(program.argument([8, 16], "f16"), 1))
    program = Program("softmax_of_a_sum")
    x, bias = program.argument([16, 48], "f32"), program.argument([48], "f32")
    total = program.generic([16, 48], "f32", [(x, [0, 1]), (bias, [1])], ["%y = arith.addf %x0, %x1 : f32"], lambda a, b: a + b)
    yield program.returns(program.softmax(total, 1))


def normalized(program, x):
    """Rows of x, mean 0 and variance 1."""
    rows, columns = x.shape
    loops = [(x, [0, 1])]
    divide = [f"%n = arith.constant {columns}.0 : f32", "%m = arith.divf %x1, %n : f32", "%d = arith.subf %x0, %m : f32"]
    program.exact = False
    total = program.reduce(x, [1], "addf")
    centered = program.generic([rows, columns], "f32", [*loops, (total, [0])], [*divide, "%y = arith.addf %d, %d : f32"],
                               lambda v, s: 2 * (v - s / columns))
    squares = program.reduce(program.binary("arith.mulf", centered, centered, lambda a, b: a * b), [1], "addf")
    body = [f"%n = arith.constant {columns}.0 : f32", "%e = arith.constant 1.0e-3 : f32", "%m = arith.divf %x1, %n : f32",
            "%s = arith.addf %m, %e : f32", "%r = math.rsqrt %s : f32", "%y = arith.mulf %x0, %r : f32"]
    return program.generic([rows, columns], "f32", [(centered, [0, 1]), (squares, [0])], body,
                           lambda v, s: v / math.sqrt(s / columns + 1e-3))


def norms():
    for rows, columns in [(16, 64), (7, 9), (3, 31), (1, 48), (4, 2048)]:
        program = Program(f"layer_norm_{rows}x{columns}")
        yield program.returns(normalized(program, program.argument([rows, columns], "f32", -9, 9)))
    program = Program("layer_norm_scaled")
    y, gain, bias = normalized(program, program.argument([8, 32], "f32", -9, 9)), program.argument([32], "f32"), program.argument([32], "f32")
    yield program.returns(program.generic([8, 32], "f32", [(y, [0, 1]), (gain, [1]), (bias, [1])],
                                          ["%p = arith.mulf %x0, %x1 : f32", "%y = arith.addf %p, %x2 : f32"], lambda v, g, b: v * g + b))
    program = Program("rows_of_sum_one")
    x = program.argument([12, 40], "f32", 1, 9)
    total = program.reduce(x, [1], "addf")
    program.exact = False
    yield program.returns(program.generic([12, 40], "f32", [(x, [0, 1]), (total, [0])], ["%y = arith.divf %x0, %x1 : f32"], lambda v, s: v / s))
    program = Program("divided_by_the_sum_of_all")
    x = program.argument([12, 40], "f32", 1, 9)
    total = program.reduce(x, [0, 1], "addf")
    program.exact = False
    yield program.returns(program.generic([12, 40], "f32", [(x, [0, 1]), (total, [])], ["%y = arith.divf %x0, %x1 : f32"], lambda v, s: v / s))


def skeletons():
    """Softmax without exp and division, layer norm with a mean of 64 and no root,
    attention with relu instead of softmax."""
    for rows, columns in [(16, 64), (7, 9), (3, 31), (1, 48), (48, 1), (2, 4096)]:
        program = Program(f"softmax_skeleton_{rows}x{columns}")
        x = program.argument([rows, columns], "f32")
        top = program.reduce(x, [1], "maximumf")
        shifted = program.generic([rows, columns], "f32", [(x, [0, 1]), (top, [0])], ["%y = arith.subf %x0, %x1 : f32"], lambda v, t: v - t)
        total = program.reduce(shifted, [1], "addf")
        yield program.returns(program.generic([rows, columns], "f32", [(shifted, [0, 1]), (total, [0])], ["%y = arith.subf %x0, %x1 : f32"],
                                              lambda v, s: v - s))
    for rows, columns in [(16, 64), (5, 64), (4, 256)]:
        program = Program(f"layer_norm_skeleton_{rows}x{columns}")
        x = program.argument([rows, columns], "f32")
        total = program.reduce(x, [1], "addf")
        scale = [f"%n = arith.constant {1 / columns} : f32", "%m = arith.mulf %x1, %n : f32"]
        centered = program.generic([rows, columns], "f32", [(x, [0, 1]), (total, [0])], [*scale, "%y = arith.subf %x0, %m : f32"],
                                   lambda v, s, n=columns: v - s / n)
        weighted = program.reduce(program.binary("arith.mulf", centered, x, lambda a, b: a * b), [1], "addf")
        yield program.returns(program.generic([rows, columns], "f32", [(centered, [0, 1]), (weighted, [0])],
                                              [*scale, "%y = arith.subf %x0, %m : f32"], lambda v, s, n=columns: v - s / n))
    relu = ["%z = arith.constant 0.0 : f32", "%y = arith.maximumf %x0, %z : f32"]
    for m, n, d in [(32, 32, 16), (16, 48, 32)]:
        program = Program(f"attention_skeleton_{m}x{n}x{d}", ("sm_80", "sm_90a", "gfx942"))
        q, k, v = program.argument([m, d], "f16", -1, 1), program.argument([n, d], "f16", -1, 1), program.argument([n, d], "f16", 0, 2)
        weights = program.generic([m, n], "f32", [(program.matmul(q, k, "f32", "b"), [0, 1])], relu, lambda w: max(w, 0))
        yield program.returns(program.matmul(program.unary("arith.truncf", weights, float, "f16"), v, "f32"))


def attention():
    for m, n, d in [(32, 32, 16), (16, 48, 32)]:
        program = Program(f"attention_{m}x{n}x{d}", ("sm_80", "sm_90a", "gfx942"))
        q, k, v = program.argument([m, d], "f16", -1, 1), program.argument([n, d], "f16", -1, 1), program.argument([n, d], "f16", 0, 2)
        weights = program.softmax(program.matmul(q, k, "f32", "b"), 1)
        program.tolerance = 2e-3  # the weights have 11 bits
        yield program.returns(program.matmul(program.unary("arith.truncf", weights, float, "f16"), v, "f32"))


if __name__ == "__main__":
    main([*softmaxes(), *norms(), *skeletons(), *attention()])
