"""Products whose operands lie with the wrong dim innermost: each lane reads a piece of
several rows, puts what an instruction takes along the columns together, and stores that.
"""
from programs import Program, main

TARGETS = ("gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "sm_80")
WITHOUT_F32 = ("gfx1100", "gfx1201", "sm_80")  # have no matrix instruction of it


def product(name, shape, element, transposed, targets, batch=False, **entries):
    m, n, k = shape
    program = Program(f"{name}_{element}_{transposed or 'plain'}", targets)
    lead = [2] if batch else []
    # An i8 takes its full range: a byte that is put into the wrong place shows.
    low, high = (-128, 127) if element == "i8" else (-3, 3)
    a = program.argument([*lead, *((k, m) if "a" in transposed else (m, k))], element, low, high)
    b = program.argument([*lead, *((n, k) if "b" in transposed else (k, n))], element, low, high)
    config = "#iree_gpu.lowering_config<{" + ", ".join(f"{key} = {value}" for key, value in entries.items()) + "}>" if entries else ""
    return program.returns(program.matmul(a, b, "i32" if element == "i8" else "f32", transposed, config=config, batch=batch))


def orientations():
    """Both operands through memory, by two and four subgroups."""
    for place, element in enumerate(("f16", "bf16", "i8", "f32")):
        for turn, transposed in enumerate(("", "a", "b", "ab")):
            basis, step = [([2, 2, 1], 32), ([2, 1, 1], 64)][turn % 2]
            # Each target has each type, and each orientation with some type.
            targets = [target for number, target in enumerate(TARGETS) if (number + place) % 4 == turn or target == "gfx942"]
            if element == "f32":
                targets = [target for target in targets if target not in WITHOUT_F32]
            yield product("promoted", (64, 64, 64), element, transposed, targets, workgroup=[64, 64, 0], reduction=[0, 0, step],
                          promote_operands=[0, 1], subgroup_basis=[basis, [0, 1, 2]])


def extents():
    for shape in [(72, 40, 88), (33, 65, 47), (16, 1, 64), (1, 64, 32), (64, 48, 1), (128, 8, 40)]:
        label = "x".join(map(str, shape))
        for element, transposed in [("f16", ""), ("i8", ""), ("bf16", "ab")]:
            yield product(f"ragged_{label}", shape, element, transposed, ["gfx942"] if element != "f16" else ["gfx942", "gfx1100"])
    yield product("batched", (32, 64, 32), "f16", "", ["gfx942", "gfx90a"], batch=True)


if __name__ == "__main__":
    main([*orientations(), *extents()])
