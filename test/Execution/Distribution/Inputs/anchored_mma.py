"""Contractions whose operands the user has laid out, on the machine and in PTX: layouts
that are an instruction's fragments are enough to use it, whoever names it (VX-99), with
indices renamed (VX-101) and K split over subgroups (VX-100); operands extended behind
their to_layout or before they move, or to what an instruction takes (VX-98).

    python3 anchored_mma.py OUT_DIR [--only NAME]
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite
from choosing_mma import Program, Suite, product
from kernels import DigitLayout

# Per instruction: target, lanes, operand and acc types, and of A, B and C by dim the
# digits, outermost first: a number of registers, or lanes (size, stride).
ROWS = {
    "NV_MMA_SYNC_F32_16x8x16_BF16": ("sm_80", 32, "bf16", "f32", {"m": [2, (8, 4)], "k": [2, (4, 1), 2]}, {"k": [2, (4, 1), 2], "n": [(8, 4)]}, {"m": [2, (8, 4)], "n": [(4, 1), 2]}),
    "NV_MMA_SYNC_I32_16x8x32_I8": ("sm_80", 32, "i8", "i32", {"m": [2, (8, 4)], "k": [2, (4, 1), 4]}, {"k": [2, (4, 1), 4], "n": [(8, 4)]}, {"m": [2, (8, 4)], "n": [(4, 1), 2]}),
    "MFMA_F32_16x16x16_F16": ("gfx942", 64, "f16", "f32", {"m": [(16, 1)], "k": [(4, 16), 4]}, {"k": [(4, 16), 4], "n": [(16, 1)]}, {"m": [(4, 16), 4], "n": [(16, 1)]}),
    "MFMA_F32_32x32x8_F16": ("gfx942", 64, "f16", "f32", {"m": [(32, 1)], "k": [(2, 32), 4]}, {"k": [(2, 32), 4], "n": [(32, 1)]}, {"m": [4, (2, 32), 4], "n": [(32, 1)]}),
    "WMMAR4_F32_16x16x16_F16": ("gfx1201", 32, "f16", "f32", {"m": [(16, 1)], "k": [(2, 16), 8]}, {"k": [(2, 16), 8], "n": [(16, 1)]}, {"m": [(2, 16), 8], "n": [(16, 1)]}),
    "WMMAR3_F32_16x16x16_F16": ("gfx1100", 32, "f16", "f32", {"m": [(16, 1)], "k": [16]}, {"k": [16], "n": [(16, 1)]}, {"m": [8, (2, 16)], "n": [(16, 1)]}),
}


def laid_out(draw, operand, batches, subgroups, order):
    """The layout of one operand, its registers in any order, and its extents."""
    dims, registers, extent = [], [], {}
    for dim, own in operand.items():
        digits = [batches[dim]] * (batches[dim] > 1) + own
        digits = [digits[i] for i in order] if dim == "k" else digits
        own = [["lane", *d] if isinstance(d, tuple) else ["reg", d, 0] for d in digits]
        if dim in subgroups:
            own.insert(0, ["sg", *subgroups[dim]])
        extent[dim] = 1
        for digit in own:
            extent[dim] *= digit[1]
        dims.append(own)
        registers += [d for d in own if d[0] == "reg"]
    stride = 1
    for digit in draw.sample(registers, len(registers)):
        digit[2], stride = stride, stride * digit[1]
    return DigitLayout(*[[tuple(d) for d in dim] for dim in dims]), extent


def anchored(seed, kind, named, laid=3, steps=0):
    """`named`: which of lhs, rhs and acc name the instruction; the first `laid` are laid
    out. Types of lhs and rhs are extended `steps` times behind their layouts."""
    draw = random.Random(seed)
    target, lanes, element, acc, *fragments = ROWS[kind]
    batches = {"m": draw.choice([1, 2]), "n": draw.choice([1, 2]), "k": draw.choice([1, 2])}
    counts = draw.choice([(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2)])
    strides = (1, counts[0], counts[0] * counts[1])
    subgroups = {dim: (count, stride) for dim, count, stride in zip("mnk", counts, strides) if count > 1}
    order = None
    total = counts[0] * counts[1] * counts[2]
    program = Program(lanes)
    program.workgroup = lanes * total
    values, elements, extent = [], [], {}
    for number, (own, operand) in enumerate(zip(("mk", "kn", "mn"), fragments)):
        if order is None:
            length = len(operand["k"]) + (batches["k"] > 1)
            order = draw.sample(range(length), length)
        layout, extents = laid_out(draw, operand, batches, subgroups, order)
        extent.update(extents)
        type_ = acc if number == 2 else element
        shape = [extents[dim] for dim in own]
        value = program.read(shape, type_)
        if number < laid:
            value = program.layout(value, shape, type_, layout, kind if number in named else None)
        if number < 2 and steps:
            wider = {"i8": ["i16", "i32"], "f16": ["f32"], "bf16": ["f32"]}[element][-steps:]
            for to in wider:
                value = program.cast("extsi" if element == "i8" else "extf", value, shape, type_, to)
                type_ = to
        values.append(value)
        elements.append(type_)
    result = program.contract(values, ("mk", "kn", "mn"), extent, elements)
    program.write(result, [extent["m"], extent["n"]], acc)
    return program, target, acc


def anchors(add):
    seed = 0
    for kind in ROWS:
        for named in ((), (), (0,), (1,), (2,), (1, 2)):
            seed += 1
            program, target, acc = anchored(seed, kind, named)
            add(f"anchored_{seed}_{kind}", program, target, kind, whole="-2:2" if acc == "f32" else None)
        for steps in (1, 2) if ROWS[kind][2] == "i8" else (1,):
            seed += 1
            program, target, acc = anchored(seed, kind, (0, 1), steps=steps)
            add(f"extended_{steps}_{kind}", program, target, kind, whole="-2:2" if acc == "f32" else None)


def squares(add):
    """x times its own transpose: one of the two must move, before it is extended."""
    sync, wmma = "NV_MMA_SYNC_", "WMMAR4_I32_16x16x16_"
    cases = [("i8 extsi i32", "i32", "sm_80", sync + "I32_16x8x32_I8"), ("i8 extui i16 extsi i32", "i32", "sm_80", sync + "I32_16x8x32_U8"),
             ("i8 extsi i16 extsi i32", "i32", "gfx942", "MFMA_I32_16x16x32_I8"), ("i8 extsi i32", "i32", "gfx950", None),
             ("i8 extui i32", "i32", "gfx1201", wmma + "U8"), ("f8E4M3FN extf f16 extf f32", "f32", "sm_89", sync + "F32_16x8x32_F8E4M3FN"),
             ("f8E5M2 extf f16 extf f32", "f32", "sm_80", sync + "F32_16x8x16_F16"), ("bf16 extf f32", "f32", "sm_80", sync + "F32_16x8x16_BF16")]
    for number, (path, acc, target, kind) in enumerate(cases):
        path = path.split()
        program = Program(64 if target.startswith("gfx9") else 32)
        value = program.read([64, 64], path[0])
        for from_, op, to in zip(path[::2], path[1::2], path[2::2]):
            value = program.cast(op, value, [64, 64], from_, to)
        out = program.contract([value, value, program.zeros([64, 64], acc)], ("mk", "nk", "mn"), dict(m=64, n=64, k=64), (path[-1], path[-1], acc))
        program.write(out, [64, 64], acc)
        add(f"square_{number}_{target}", program, target, kind, whole="-2:2" if acc == "f32" else None, any_kind=kind is None)


def wider(add):
    """What no instruction takes, as one holds it exactly."""
    def of(*paths):
        return [path.split() for path in paths]

    half = "NV_MMA_SYNC_F32_16x8x16_F16"
    for a in ("f8E4M3FN", "f8E5M2"):
        add(f"wider_{a}", product(32, of(f"{a} extf f32", f"{a} extf f32"), "f32"), "sm_80", half)
        add(f"wider_{a}_wmma", product(32, of(f"{a} extf f32", f"{a} extf f32"), "f32"), "gfx1100", "WMMAR3_F32_16x16x16_F16")
    add("wider_mixed_f8", product(32, of("f8E4M3FN extf f32", "f8E5M2 extf f32"), "f32"), "sm_80", half)
    add("wider_f8_and_f16", product(32, of("f8E4M3FN extf f32", "f16 extf f32"), "f32"), "sm_80", half)
    add("wider_bf16_and_f16", product(32, of("bf16 extf f32", "f16 extf f32"), "f32"), "sm_80", "NV_MMA_SYNC_F32_16x8x8_TF32")
    add("wider_i4", product(64, of("i8 trunci i4 extsi i32", "i8 trunci i4 extsi i32"), "i32"), "gfx942", "MFMA_I32_16x16x32_I8")
    add("wider_u4", product(64, of("i8 trunci i4 extui i32", "i8 trunci i4 extsi i32"), "i32"), "gfx942", "MFMA_I32_16x16x32_I8")
    add("wider_f16_in_f64", product(32, of("f16", "f16"), "f64", (16, 16, 16)), "sm_80", "NV_MMA_SYNC_F64_8x8x4_F64")
    add("wider_f32_and_f64", product(64, of("f32 extf f64", "f64"), "f64", (16, 16, 16)), "gfx942", "MFMA_F64_16x16x4_F64")
    # f32 has more bits than tf32, and i16 more than i8.
    add("not_wider_f32", product(32, of("bf16 extf f32", "f32"), "f32"), "sm_80", None)
    add("not_wider_i16", product(32, of("i16 extsi i32", "i8 extsi i32"), "i32"), "sm_80", None)
    # The transposed product of 16x8x16.
    add("transposed_8x16", product(32, of("f16", "f16"), "f32", (8, 16, 16)), "sm_80", half)
    add("transposed_24x16", product(32, of("f16", "f16"), "f32", (24, 16, 16)), "sm_80", half)


def plain(add_text):
    """VX-105: why the user's layouts bring no instruction."""
    draw = random.Random(7)
    _, lanes, element, acc, a, b, c = ROWS["NV_MMA_SYNC_F32_16x8x16_BF16"]
    program = Program(lanes)
    values = []
    for own, operand, shape in (("mk", a, [16, 16]), ("kn", b, [16, 8])):
        # All of K in every lane's registers: laid out alike, and no fragment.
        dims = {dim: [16] if dim == "k" else operand[dim] for dim in own}
        layout, _ = laid_out(draw, dims, dict(m=1, n=1, k=1), {}, range(1))
        values.append(program.layout(program.read(shape, element), shape, element, layout, None))
    out = program.contract([*values, program.zeros([16, 8], acc)], ("mk", "kn", "mn"), dict(m=16, n=8, k=16), (element, element, acc))
    program.write(out, [16, 8], acc)
    add_text("kept_as_it_is", program, "sm_80", "the user's layouts are kept: lhs is laid out as")


def main():
    chosen = suite.options()
    all_ = Suite(chosen)

    def add(name, program, target, kind, whole=None, any_kind=False):
        text = (lambda output: None if " multiply-adds" not in output else output) if any_kind else None
        all_.add(name, program, target, kind, whole=whole, text=text)
        if target == "sm_80" and kind:
            inputs = [word for i in range(len(program.arguments) - 1) for word in ("--input", f"arg{i}=whole:{i + 1}:{whole}")] if whole else []
            command = [chosen.distaff, "run", str(chosen.out / f"{name}.mlir"), "--target", target, "--check", "--device", "ptx", *inputs]
            all_.runs.append(suite.Run(name + "_ptx", command, compares=False))

    def add_text(name, program, target, reason):
        all_.add(name, program, target, None)
        all_.add("why_" + name, program, target, None, text=lambda output: None if reason in output else f"not said: {reason}\n{output}")

    for cases in (anchors, squares, wider):
        cases(add)
    plain(add_text)
    suite.main(all_.runs, chosen, one_in=4)


main()
