"""Matrix products: element types, transposes, batches, prologues, epilogues."""
from programs import Program, main

MMA_TARGETS = ("sm_80", "sm_90a", "gfx942")


def matmul(name, shape, element="f16", acc="f32", transposed="", targets=("sm_80", "gfx942"), low=-2, high=2, accumulate=False):
    m, n, k = shape
    program = Program("matmul_" + name, targets)
    a = program.argument([k, m] if "a" in transposed else [m, k], element, low, high)
    b = program.argument([n, k] if "b" in transposed else [k, n], element, low, high)
    start = program.argument([m, n], acc, low, high) if accumulate else None
    return program.returns(program.matmul(a, b, acc, transposed, start))


def types():
    for element, acc in [("f16", "f32"), ("bf16", "f32")]:
        yield matmul(f"{element}_{acc}", (64, 32, 48), element, acc, targets=MMA_TARGETS)
    # Long sums in 11 or 8 bits are decided for positive addends only.
    yield matmul("f16_f16", (32, 32, 32), "f16", "f16", targets=MMA_TARGETS, low=0, high=1)
    yield matmul("bf16_bf16", (16, 24, 4), "bf16", "bf16", low=0, high=2)
    for element in ("f32", "f64", "i32", "i64"):
        yield matmul(element, (32, 48, 16), element, element)
    for element, acc in [("i8", "i32"), ("i8", "i64"), ("i32", "i64"), ("f32", "f64"), ("f16", "f64")]:
        yield matmul(f"{element}_{acc}", (16, 32, 24), element, acc)
    # Only one operand is extended.
    for a_type, b_type in [("f16", "f32"), ("f32", "f16"), ("bf16", "f32")]:
        program = Program(f"matmul_{a_type}_times_{b_type}")
        a, b = program.argument([16, 24], a_type), program.argument([24, 32], b_type)
        yield program.returns(program.matmul(a, b, "f32"))
    yield matmul("i8_wraps", (16, 16, 16), "i8", "i8", low=-128, high=127)


def transposes():
    for element in ("f16", "bf16", "f32", "i8"):
        for transposed in ("a", "b", "ab"):
            if element == "f16" or transposed != "ab":
                yield matmul(f"{element}_transposed_{transposed}", (32, 64, 48), element, "i32" if element == "i8" else "f32", transposed,
                             targets=MMA_TARGETS if element == "f16" else ("sm_80", "gfx942"))


def extents():
    for shape in [(1, 1, 1), (1, 7, 1), (5, 5, 5), (3, 1, 17), (1, 48, 13), (7, 9, 11), (13, 1, 1), (2, 3, 31), (48, 5, 23),
                  (16, 8, 16), (17, 16, 16), (16, 8, 40), (48, 24, 8)]:
        label = "x".join(map(str, shape))
        yield matmul(f"{label}_f32", shape, "f32", "f32")
        yield matmul(f"{label}_f16", shape)
    yield matmul("long_k", (16, 16, 512), targets=MMA_TARGETS)
    yield matmul("many_workgroups", (128, 64, 32))


def starts():
    yield matmul("accumulate_f32", (32, 32, 32), accumulate=True)
    yield matmul("accumulate_odd", (5, 7, 3), "f32", "f32", accumulate=True)
    yield matmul("accumulate_i8", (32, 16, 32), "i8", "i32", accumulate=True)
    program = Program("matmul_starts_from_ones")
    a, b = program.argument([32, 16], "f16"), program.argument([16, 32], "f16")
    yield program.returns(program.matmul(a, b, "f32", start=program.fill([32, 32], "f32", 1)))


def batches():
    for label, shape, element in [("f16", (3, 32, 16, 32), "f16"), ("f32", (2, 9, 7, 5), "f32"), ("one", (1, 16, 16, 16), "f16"),
                                  ("many", (17, 8, 8, 8), "bf16")]:
        for transposed in ("", "b"):
            g, m, n, k = shape
            program = Program(f"batch_{label}{'_transposed' if transposed else ''}")
            a = program.argument([g, m, k], element)
            b = program.argument([g, n, k] if transposed else [g, k, n], element)
            yield program.returns(program.matmul(a, b, "f32", transposed, batch=True))


def vectors():
    """Products with loops that are missing: dot, matrix times vector, outer."""
    for element in ("f32", "i32"):
        add, mul = ("addf", "mulf") if element == "f32" else ("addi", "muli")
        program = Program("matvec_" + element)
        a, x = program.argument([24, 40], element), program.argument([40], element)
        products = program.generic([24, 40], element, [(a, [0, 1]), (x, [1])], [f"%y = arith.{mul} %x0, %x1 : {element}"], lambda p, q: p * q)
        yield program.returns(program.reduce(products, [1], add))
        program = Program("dot_" + element)
        a, x = program.argument([640], element), program.argument([640], element)
        products = program.binary("arith." + mul, a, x, lambda p, q: p * q)
        if element == "i32":
            yield program.returns(program.reduce(products, [0], add))
        program = Program("outer_" + element)
        a, x = program.argument([13], element), program.argument([32], element)
        yield program.returns(program.generic([13, 32], element, [(a, [0]), (x, [1])], [f"%y = arith.{mul} %x0, %x1 : {element}"],
                                              lambda p, q: p * q))


def prologues():
    program = Program("scaled_rows", MMA_TARGETS)
    a, scale, b = program.argument([32, 48], "f16"), program.argument([32], "f16"), program.argument([48, 32], "f16")
    scaled = program.generic([32, 48], "f16", [(a, [0, 1]), (scale, [0])], ["%y = arith.mulf %x0, %x1 : f16"], lambda x, s: x * s)
    yield program.returns(program.matmul(scaled, b, "f32"))
    program = Program("both_operands_changed")
    a, b = program.argument([32, 32], "f16"), program.argument([32, 32], "f16")
    yield program.returns(program.matmul(program.unary("math.absf", a, abs), program.unary("arith.negf", b, lambda x: -x), "f32"))
    program = Program("operands_truncated", MMA_TARGETS)
    a, b = (program.unary("arith.truncf", program.argument([32, 32], "f32"), int, "f16") for _ in range(2))
    yield program.returns(program.matmul(a, b, "f32"))
    program = Program("operands_extended")
    a, b = (program.unary("arith.extf", program.argument([32, 32], "f16"), int, "f32") for _ in range(2))
    yield program.returns(program.matmul(a, b, "f32"))
    program = Program("gram")
    a = program.argument([32, 16], "f16")
    yield program.returns(program.matmul(a, a, "f32", "b"))
    program = Program("gram_of_negated")
    a = program.unary("arith.negf", program.argument([16, 32], "f16"), lambda x: -x)
    yield program.returns(program.matmul(a, a, "f32", "a"))
    program = Program("product_of_column_minima")
    low = program.reduce(program.argument([31, 5, 5], "f32"), [0], "minimumf")
    yield program.returns(program.matmul(low, program.unary("math.absf", low, abs), "f32"))


def epilogues():
    relu = ["%s = arith.addf %x0, %x1 : f32", "%z = arith.constant 0.0 : f32", "%y = arith.maximumf %s, %z : f32"]
    for label, m, n, k in [("", 64, 64, 32), ("_odd", 7, 9, 11)]:
        program = Program("bias_relu" + label, MMA_TARGETS)
        a, b, bias = program.argument([m, k], "f16"), program.argument([k, n], "f16"), program.argument([n], "f32", -9, 9)
        product = program.matmul(a, b, "f32")
        yield program.returns(program.generic([m, n], "f32", [(product, [0, 1]), (bias, [1])], relu, lambda x, s: max(x + s, 0)))
    program = Program("result_truncated", MMA_TARGETS)
    a, b = program.argument([64, 32], "f16"), program.argument([32, 64], "f16")
    yield program.returns(program.unary("arith.truncf", program.matmul(a, b, "f32"), int, "f16"))
    program = Program("result_transposed")
    a, b = program.argument([32, 16], "f16"), program.argument([16, 64], "f16")
    yield program.returns(program.transpose(program.matmul(a, b, "f32"), [1, 0]))
    program = Program("residual_added")
    a, b, c = program.argument([32, 16], "f16"), program.argument([16, 64], "f16"), program.argument([32, 64], "f32", -99, 99)
    yield program.returns(program.binary("arith.addf", program.matmul(a, b, "f32"), c, lambda x, y: x + y))
    for combiner, dims in [("maximumf", [1]), ("maximumf", [0]), ("minimumf", [0, 1])]:
        program = Program(f"product_{combiner}_{''.join(map(str, dims))}")
        a, b = program.argument([32, 32], "f16"), program.argument([32, 32], "f16")
        yield program.returns(program.reduce(program.matmul(a, b, "f32"), dims, combiner))
    program = Program("product_and_its_row_maxima")
    a, b = program.argument([32, 32], "f16"), program.argument([32, 32], "f16")
    product = program.matmul(a, b, "f32")
    yield program.returns(product, program.reduce(product, [1], "maximumf"))
    program = Program("product_of_products")
    a, b, c = (program.argument([32, 32], "f16", -1, 1) for _ in range(3))
    product = program.unary("arith.truncf", program.matmul(a, b, "f32"), int, "f16")
    yield program.returns(program.matmul(product, c, "f32"))
    # Rows of the first product are what the second one sums, and both walk `a`.
    program = Program("product_with_its_own_operand")
    a, b = program.argument([48, 48], "f16", -1, 1), program.argument([31, 48], "f16", -1, 1)
    product = program.unary("arith.truncf", program.matmul(a, b, "f32", "b"), int, "f16")
    yield program.returns(program.matmul(a, product, "f32"))
    # No extent is a multiple of 8, and the scalar keeps the grid at one workgroup.
    program = Program("product_beside_a_maximum")
    a, b, c = program.argument([32, 24], "f32"), program.argument([511, 24], "f32"), program.argument([48, 4], "f32")
    yield program.returns(program.reduce(c, [0], "maximumf"), program.matmul(a, b, "f32", "b"))


if __name__ == "__main__":
    main([*types(), *transposes(), *extents(), *starts(), *batches(), *vectors(), *prologues(), *epilogues()], one_in=4)
