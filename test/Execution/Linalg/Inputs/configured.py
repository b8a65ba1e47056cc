"""What a user chose: tiles, subgroups, instruction, promotion, launch (VX-113)."""
from programs import Program, main

LANES = {"sm_80": 32, "gfx942": 64}
KINDS = {"sm_80": ["NV_MMA_SYNC_F32_16x8x16_F16", "NV_MMA_SYNC_F32_16x8x8_F16"], "gfx942": ["MFMA_F32_16x16x16_F16", "MFMA_F32_32x32x8_F16"]}


def config(**entries):
    return "#iree_gpu.lowering_config<{" + ", ".join(f"{key} = {value}" for key, value in entries.items()) + "}>"


def matmul(name, target, launch=None, **entries):
    program = Program(f"matmul_{name}_{target}", [target], launch)
    a, b = program.argument([64, 64], "f16"), program.argument([64, 64], "f16")
    return program.returns(program.matmul(a, b, "f32", config=config(**entries)))


def matmuls():
    for target in LANES:
        for workgroup in ([32, 32, 0], [64, 64, 0], [16, 64, 0], [64, 32, 0]):
            yield matmul("workgroup_" + "_".join(map(str, workgroup)), target, workgroup=workgroup)
        for step in (16, 32, 64, 4):
            yield matmul(f"reduction_{step}", target, reduction=[0, 0, step])
        for counts in ([2, 2, 1], [1, 4, 1], [4, 1, 1], [1, 1, 2], [2, 1, 2]):
            label = "_".join(map(str, counts))
            yield matmul("basis_" + label, target, workgroup=[64, 64, 0], subgroup_basis=[counts, [0, 1, 2]])
            yield matmul("permuted_basis_" + label, target, workgroup=[64, 64, 0], subgroup_basis=[counts[::-1], [2, 1, 0]])
        for kind in KINDS[target]:
            for promoted in ([], [0], [1], [0, 1]):
                yield matmul(f"{kind}_{''.join(map(str, promoted))}", target, mma_kind=f"#iree_gpu.mma_layout<{kind}>", promote_operands=promoted,
                             workgroup=[64, 32, 0], reduction=[0, 0, 32], subgroup_basis=[[2, 1, 1], [0, 1, 2]])
        for lanes in (1, 4):
            size = lanes * LANES[target]
            yield matmul(f"launch_{lanes}", target, f"workgroup_size = [{size}, 1, 1] subgroup_size = {LANES[target]}", workgroup=[32, 32, 0])
        yield matmul("launch_in_two_dims", target, f"workgroup_size = [{LANES[target]}, 2, 1]", workgroup=[32, 32, 0])
        yield matmul("tiles_without_instruction", target, workgroup=[1, 64, 0], reduction=[0, 0, 4])


def reductions():
    for target in LANES:
        for workgroup, step in [([4, 0], [0, 0]), ([4, 0], [0, 32]), ([1, 0], [0, 96]), ([8, 0], [2, 0]), ([2, 0], [1, 16]), ([24, 0], [0, 6])]:
            for lanes in (0, 4):
                launch = f"workgroup_size = [{lanes * LANES[target]}, 1, 1]" if lanes else None
                program = Program(f"sum_{workgroup[0]}_{step[0]}_{step[1]}_launch_{lanes}_{target}", [target], launch)
                x = program.argument([24, 96], "f32", 0, 5)
                yield program.returns(program.reduce(x, [1], "addf", config=config(workgroup=workgroup, reduction=step)))
        # A walk along the result takes its part of what the sum starts from.
        for workgroup, step in [([8, 0], [2, 0]), ([24, 0], [4, 0]), ([8, 0], [2, 24]), ([8, 0], [0, 24])]:
            program = Program(f"sum_from_{workgroup[0]}_{step[0]}_{step[1]}_{target}", [target])
            a, b, start = (program.argument(shape, "f32", 0, 5) for shape in ([24, 96], [24, 96], [24]))
            products = program.binary("arith.mulf", a, b, lambda x, y: x * y)
            yield program.returns(program.reduce(products, [1], "addf", start, config=config(workgroup=workgroup, reduction=step)))
    for launch in ("workgroup_size = [128, 1, 1]", "subgroup_size = 32", "workgroup_size = [64, 2, 1] subgroup_size = 32"):
        program = Program("maximum_" + "".join(c if c.isalnum() else "_" for c in launch), ["sm_80"], launch)
        yield program.returns(program.reduce(program.argument([24, 96], "f32"), [0], "maximumf"))


def cuts():
    """A serial tile along a loop that nothing reduces may leave a rest."""
    for target in LANES:
        for shape, workgroup, step in [([5, 37], [1, 0], [0, 32]), ([5, 37], [0, 0], [2, 16]), ([12, 31], [6, 0], [3, 10]), ([7, 67], [0, 0], [7, 66])]:
            label = "_".join(map(str, [*shape, *step]))
            program = Program(f"cut_{label}_{target}", [target])
            x, y = program.argument(shape, "f32"), program.argument(shape[::-1], "f32")
            added = program.generic(shape, "f32", [(x, [0, 1]), (y, [1, 0])], ["%y = arith.addf %x0, %x1 : f32"], lambda a, b: a + b,
                                    config=config(workgroup=workgroup, reduction=step))
            yield program.returns(program.unary("arith.negf", added, lambda v: -v), added)
        # Columns are cut, rows are reduced: all at once and step by step.
        for rows, step in [(24, [0, 32]), (24, [8, 32]), (24, [4, 5]), (23, [0, 36])]:
            program = Program(f"cut_sum_{rows}_{step[0]}_{step[1]}_{target}", [target])
            x = program.argument([rows, 37], "f32")
            yield program.returns(program.reduce(x, [0], "addf", config=config(workgroup=[0, 0], reduction=step)))


if __name__ == "__main__":
    main([*matmuls(), *reductions(), *cuts()], one_in=4)
