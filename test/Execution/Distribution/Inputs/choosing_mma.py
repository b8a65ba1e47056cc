"""Which instruction a contraction gets, and that it is right: operands extended in all
ways (VX-98), K, M and N numbered otherwise by all who share them, by hand and by choice
(VX-101), accumulators that are the next operand (VX-104), no instruction (VX-105),
batches, operands transposed by their layout, integers under --strict-fp.

    python3 choosing_mma.py OUT_DIR [--only NAME]
"""
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite
from kernels import DigitLayout

FLOATS = ("f", "b")


def vector(shape, element):
    return "vector<" + "".join(f"{extent}x" for extent in shape) + f"{element}>"


class Program:
    """Reads whole arguments, computes, writes into the last one."""

    def __init__(self, lanes):
        self.workgroup = None  # lanes of all subgroups, if there are several
        self.lanes, self.arguments, self.lines, self.count = lanes, [], ["%c0 = arith.constant 0 : index"], 0

    def line(self, text):
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def memory(self, shape, element):
        self.arguments.append(f"%arg{len(self.arguments)}: " + vector(shape, element).replace("vector", "memref"))
        access = f"[{', '.join(['%c0'] * len(shape))}]"
        bounds = f"{{in_bounds = [{', '.join(['true'] * len(shape))}]}}"
        return *self.arguments[-1].split(": "), access, bounds

    def read(self, shape, element):
        name, type_, access, bounds = self.memory(shape, element)
        pad = self.line(f"arith.constant {'0.0' if element[0] in FLOATS else '0'} : {element}")
        return self.line(f"vector.transfer_read {name}{access}, {pad} {bounds} : {type_}, {vector(shape, element)}")

    def write(self, value, shape, element):
        name, type_, access, bounds = self.memory(shape, element)
        self.lines.append(f"vector.transfer_write {value}, {name}{access} {bounds} : {vector(shape, element)}, {type_}")

    def cast(self, op, value, shape, from_, to):
        return self.line(f"arith.{op} {value} : {vector(shape, from_)} to {vector(shape, to)}")

    def zeros(self, shape, element):
        return self.line(f"arith.constant dense<{'0.0' if element[0] in FLOATS else '0'}> : {vector(shape, element)}")

    def layout(self, value, shape, element, layout, kind):
        names = f" {{mma_kind = #iree_gpu.mma_layout<{kind}>}}" if kind else ""
        return self.line(f"iree_vector_ext.to_layout {value} to layout({layout}){names} : {vector(shape, element)}")

    def contract(self, values, dims, extent, elements, loops="mnk", attributes=""):
        maps = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(own)})>" for own in dims)
        iterators = ", ".join('"reduction"' if loop == "k" else '"parallel"' for loop in loops)
        types = [vector([extent[dim] for dim in own], element) for own, element in zip(dims, elements)]
        return self.line(f"vector.contract {{indexing_maps = [{maps}], iterator_types = [{iterators}], kind = #vector.kind<add>{attributes}}} "
                         f"{', '.join(values)} : {types[0]}, {types[1]} into {types[2]}")

    def text(self):
        info = f"#iree_codegen.translation_info<workgroup_size = [{self.workgroup or self.lanes}, 1, 1] subgroup_size = {self.lanes}>"
        body = "".join(f"  {line}\n" for line in [*self.lines, "return"])
        return f"func.func @kernel({', '.join(self.arguments)}) attributes {{translation_info = {info}}} {{\n{body}}}\n"


def product(lanes, steps, acc, size=(32, 16, 32), dims=("mk", "kn", "mn"), loops="mnk", attributes="", batch=0):
    """lhs and rhs cast in steps, types with ops between: ["i8", "extui", "i32"]."""
    program = Program(lanes)
    extent = dict(zip("mnk", size), b=batch)
    values, elements = [], []
    for own, path in zip(dims, steps):
        shape = [extent[dim] for dim in own]
        value = program.read(shape, path[0])
        for from_, op, to in zip(path[::2], path[1::2], path[2::2]):
            value = program.cast(op, value, shape, from_, to)
        values.append(value)
        elements.append(path[-1])
    shape = [extent[dim] for dim in dims[2]]
    values.append(program.read(shape, acc))
    program.write(program.contract(values, dims, extent, [*elements, acc], loops, attributes), shape, acc)
    return program


def as_semiring(program):
    program.lines = [line.replace("vector.contract {", "distaff.contract <add, mul> {").replace(", kind = #vector.kind<add>", "") for line in program.lines]
    return program


class Suite:
    def __init__(self, chosen):
        self.chosen, self.runs = chosen, []

    def add(self, name, program, target, demanded, *flags, whole=None, text=None, stage="distribute"):
        """`demanded`: an instruction that must be used, or None for none at all."""
        path = self.chosen.out / f"{name}.mlir"
        path.write_text(program.text())
        before = [self.chosen.distaff, "compile", str(path), "--target", target, f"--stop-after={stage}", *flags]
        if text:
            before = [self.chosen.distaff, "explain", str(path), "--target", target, *flags]

        def says(output):
            if text:
                return text(output)
            found = set(re.findall(r"mma_layout<(\w+)", output))
            wanted = set(demanded.split()) if demanded else set()
            return None if found == wanted else f"{found or 'no instruction'} instead of {wanted or 'none'}"

        inputs = [word for i in range(len(program.arguments) - 1) for word in ("--input", f"arg{i}=whole:{i + 1}:{whole}")] if whole else []
        command = [self.chosen.distaff, "run", str(path), "--target", target, "--check", "--every-stage", *inputs, *flags]
        self.runs.append(suite.Run(name, command, before=(before, says)))


def extensions(add):
    def of(*paths):
        return [path.split() for path in paths]

    sync = "NV_MMA_SYNC_"
    bytes_ = sync + "I32_16x8x32_"
    add("signed_as_they_are", product(32, of("i8", "i8"), "i32"), "sm_80", bytes_ + "I8")
    add("signed", product(32, of("i8 extsi i32", "i8 extsi i32"), "i32"), "sm_80", bytes_ + "I8")
    add("unsigned", product(32, of("i8 extui i32", "i8 extui i32"), "i32"), "sm_80", bytes_ + "U8")
    add("unsigned_by_signed", product(32, of("i8 extui i32", "i8 extsi i32"), "i32"), "sm_80", bytes_ + "U8_I8")
    add("signed_by_unsigned", product(32, of("i8 extsi i32", "i8 extui i32"), "i32"), "sm_80", bytes_ + "I8_U8")
    add("unsigned_halfway", product(32, of("i8 extui i16", "i8 extui i16"), "i32"), "sm_80", bytes_ + "U8")
    add("unsigned_in_two_steps", product(32, of("i8 extui i16 extsi i32", "i8 extui i16 extui i32"), "i32"), "sm_80", bytes_ + "U8")
    # The sign is lost in between: these are numbers of 16 bits, which no instruction takes.
    add("sign_taken_for_a_number", product(32, of("i8 extsi i16 extui i32", "i8 extsi i16 extui i32"), "i32"), "sm_80", None)
    add("turing", product(32, of("i8 extui i32", "i8 extui i32"), "i32", (8, 16, 32)), "sm_75", sync + "I32_8x8x16_U8")
    add("mfma_has_no_unsigned", product(64, of("i8 extui i32", "i8 extui i32"), "i32"), "gfx942", None)
    add("mfma_signed", product(64, of("i8 extsi i32", "i8 extsi i32"), "i32"), "gfx942", "MFMA_I32_16x16x32_I8")
    add("wmma_unsigned_by_signed", product(32, of("i8 extui i32", "i8 extsi i32"), "i32"), "gfx1201", "WMMAR4_I32_16x16x16_U8_I8")
    add("nibbles", product(32, of("i8 trunci i4", "i8 trunci i4"), "i32"), "sm_80", sync + "I32_16x8x32_I4")
    add("nibbles_without_a_sign", product(32, of("i8 trunci i4 extui i32", "i8 trunci i4 extui i32"), "i32"), "sm_80", sync + "I32_16x8x32_U4")
    add("nibbles_as_bytes", product(64, of("i8 trunci i4 extsi i8", "i8 trunci i4 extsi i8"), "i32"), "gfx942", "MFMA_I32_16x16x32_I8")
    float8 = sync + "F32_16x8x32_"
    for a, b in (("E4M3FN", "E4M3FN"), ("E4M3FN", "E5M2"), ("E5M2", "E4M3FN")):
        kind = "F8" + a + ("" if a == b else "_F8" + b)
        add(f"float8_{a}_{b}", product(32, of(f"f8{a} extf f16", f"f8{b} extf f16"), "f32"), "sm_89", float8 + kind)
    # Where no instruction takes 8 bits they are extended to what one takes.
    add("float8_by_way_of_f16", product(32, of("f8E4M3FN extf f16", "f8E4M3FN extf f16"), "f32"), "sm_80", sync + "F32_16x8x16_F16")
    add("float8_and_f16", product(32, of("f8E4M3FN extf f16", "f16"), "f32"), "sm_89", sync + "F32_16x8x16_F16")
    add("f16_of_f16", product(32, of("f16 extf f32", "f16 extf f32"), "f32"), "sm_80", sync + "F32_16x8x16_F16")
    single = of("f32", "f32")
    add("f32_without_leave", product(32, single, "f32"), "sm_80", None)
    add("f32_by_attribute", product(32, single, "f32", attributes=", allow_tf32"), "sm_80", sync + "F32_16x8x8_TF32")
    add("f32_by_flag", product(32, single, "f32"), "sm_80", sync + "F32_16x8x8_TF32", "--allow-tf32")
    add("f32_semiring_by_flag", as_semiring(product(32, single, "f32")), "sm_80", sync + "F32_16x8x8_TF32", "--allow-tf32")
    add("f32_of_cdna", product(64, single, "f32"), "gfx942", "MFMA_F32_16x16x4_F32")
    add("xf32_of_cdna", product(64, single, "f32"), "gfx942", "MFMA_F32_16x16x8_XF32", "--allow-tf32")
    add("f64", product(32, of("f64", "f64"), "f64", (16, 16, 16)), "sm_80", sync + "F64_8x8x4_F64")
    add("f64_of_hopper", product(32, of("f64", "f64"), "f64", (16, 16, 16)), "sm_90a", sync + "F64_16x8x16_F64")
    add("integers_keep_instructions", product(32, of("i8", "i8"), "i32"), "sm_80", bytes_ + "I8", "--strict-fp")
    add("floats_in_order_have_none", product(32, of("f16", "f16"), "f32"), "sm_80", None, "--strict-fp")


def shapes(add):
    half = [["f16"], ["f16"]]
    for name, dims in (("k_m", ("km", "kn", "mn")), ("n_k", ("mk", "nk", "mn")), ("n_m", ("mk", "kn", "nm")), ("all", ("km", "nk", "nm"))):
        add(f"transposed_{name}", product(32, half, "f32", dims=dims), "sm_80", "NV_MMA_SYNC_F32_16x8x16_F16")
    batched = dict(loops="bmnk")
    for order in ("bmk bkn bmn", "mbk knb nbm"):
        add("batch_" + order.replace(" ", "_"), product(32, half, "f32", dims=order.split(), batch=3, **batched), "sm_80", "NV_MMA_SYNC_F32_16x8x16_F16")
        add("blocks_" + order.replace(" ", "_"), product(64, half, "f32", (4, 8, 8), order.split(), batch=32, **batched), "gfx942", "MFMA_F32_4x4x4_16B_F16")
    # VX-105: too small, of no type, and of i32 without an instruction.
    nothing = [("too_small", half, "f32", (16, 8, 8), "gfx942", "16x8x8 (m, n, k) is no multiple of "),
               ("odd", [["i8"], ["i8"]], "i32", (7, 9, 5), "sm_80", "7x9x5 (m, n, k) is no multiple of 16x8x32, 16x8x16"),
               ("i16", [["i16"], ["i16"]], "i32", (16, 8, 16), "sm_80", "no instruction for i16 x i16 -> i32"),
               ("f32", [["f32"], ["f32"]], "f32", (16, 8, 16), "sm_80", "with `allow_tf32` it has one that drops bits"),
               ("unsigned", [["i8", "extui", "i32"]] * 2, "i32", (16, 16, 32), "gfx942", "no instruction for unsigned i8 x unsigned i8 -> i32")]
    for name, steps, acc, size, target, reason in nothing:
        program = product(64 if target == "gfx942" else 32, steps, acc, size)
        add("none_" + name, program, target, None)
        add("why_" + name, program, target, None, text=lambda output, reason=reason: None if reason in output else f"not said: {reason}\n{output}")


def shuffled(digits, order):
    return [digits[i] for i in order]


def renumbered(add):
    """VX-101: the digits of M, N and K in any order, the same in all who have them, registers in any order."""
    # kind, target, element, acc, digits of M, N and K of one instruction: lanes (size, stride) by operand, registers
    rows = [("NV_MMA_SYNC_F32_16x8x16_F16", "sm_80", 32, "f16", "f32"), ("NV_MMA_SYNC_I32_16x8x32_I8", "sm_80", 32, "i8", "i32"),
            ("MFMA_F32_16x16x16_F16", "gfx942", 64, "f16", "f32"), ("WMMAR4_F32_16x16x16_F16", "gfx1201", 32, "f16", "f32"),
            ("WMMAR3_F32_16x16x16_F16", "gfx1100", 32, "f16", "f32")]
    # dim -> digits, outermost first: a register digit of a size, or lanes (size, stride); of A, B and C.
    fragments = {"NV_MMA_SYNC_F32_16x8x16_F16": ({"m": [2, (8, 4)], "k": [2, (4, 1), 2]}, {"k": [2, (4, 1), 2], "n": [(8, 4)]}, {"m": [2, (8, 4)], "n": [(4, 1), 2]}),
                 "NV_MMA_SYNC_I32_16x8x32_I8": ({"m": [2, (8, 4)], "k": [2, (4, 1), 4]}, {"k": [2, (4, 1), 4], "n": [(8, 4)]}, {"m": [2, (8, 4)], "n": [(4, 1), 2]}),
                 "MFMA_F32_16x16x16_F16": ({"m": [(16, 1)], "k": [(4, 16), 4]}, {"k": [(4, 16), 4], "n": [(16, 1)]}, {"m": [(4, 16), 4], "n": [(16, 1)]}),
                 "WMMAR4_F32_16x16x16_F16": ({"m": [(16, 1)], "k": [(2, 16), 8]}, {"k": [(2, 16), 8], "n": [(16, 1)]}, {"m": [(2, 16), 8], "n": [(16, 1)]}),
                 "WMMAR3_F32_16x16x16_F16": ({"m": [(16, 1)], "k": [16]}, {"k": [16], "n": [(16, 1)]}, {"m": [8, (2, 16)], "n": [(16, 1)]})}
    for seed, (kind, target, lanes, element, acc) in enumerate(rows * 4):
        draw = random.Random(seed)
        batches = {dim: draw.choice([1, 2]) for dim in "mn"} | {"k": draw.choice([1, 2, 4])}
        extent, layouts = {}, []
        digits = [{dim: ([batches[dim]] if batches[dim] > 1 else []) + own for dim, own in operand.items()} for operand in fragments[kind]]
        # K is free: A and B agree. M and N are cut unlike in A or B and C, so that only batches move.
        orders = {"k": draw.sample(range(len(digits[0]["k"])), len(digits[0]["k"]))}
        for operand in digits:
            dims, registers = [], []
            for dim, own in operand.items():
                own = shuffled(own, orders[dim]) if dim in orders else own
                dims.append([["lane", *d] if isinstance(d, tuple) else ["reg", d, 0] for d in own])
                registers += [d for d in dims[-1] if d[0] == "reg"]
                extent[dim] = 1
                for d in dims[-1]:
                    extent[dim] *= d[1]
            stride = 1
            for digit in draw.sample(registers, len(registers)):
                digit[2], stride = stride, stride * digit[1]
            layouts.append(DigitLayout(*[[tuple(d) for d in dim] for dim in dims]))
        program = Program(lanes)
        values = []
        for own, layout, type_ in zip(("mk", "kn", "mn"), layouts, (element, element, acc)):
            shape = [extent[dim] for dim in own]
            values.append(program.layout(program.read(shape, type_), shape, type_, layout, kind))
        result = program.contract(values, ("mk", "kn", "mn"), extent, (element, element, acc))
        program.write(result, [extent["m"], extent["n"]], acc)
        add(f"renumbered_{seed}_{kind}", program, target, kind, whole="-2:2" if acc == "f32" else None)


def chained(add):
    """VX-104: S = Q K^T, P = cast S, O = P V. No data leaves a lane in between."""
    cases = [("f16", "f32", "truncf", 32, "sm_80", ""), ("bf16", "f32", "truncf", 32, "sm_80", ""), ("f8E4M3FN", "f32", "truncf", 32, "sm_89", ""),
             ("f8E4M3FN", "f32", "truncf", 32, "sm_90a", ""), ("i8", "i32", "trunci", 32, "sm_80", ""), ("f32", "f32", None, 32, "sm_80", ", allow_tf32"),
             ("f16", "f32", "truncf", 64, "gfx942", ""), ("f8E4M3FNUZ", "f32", "truncf", 64, "gfx942", ""), ("i8", "i32", "trunci", 64, "gfx942", ""),
             ("f16", "f32", "truncf", 64, "gfx950", ""), ("f8E4M3FN", "f32", "truncf", 64, "gfx950", ""), ("f16", "f32", "truncf", 64, "gfx908", ""),
             ("f16", "f32", "truncf", 32, "gfx1201", "")]
    for element, acc, cast, lanes, target, attributes in cases:
        program = Program(lanes)
        extent = {"m": 32, "k": 32, "n": 32}
        q, k, v = (program.read([32, 32], element) for _ in range(3))
        s = program.contract([q, k, program.zeros([32, 32], acc)], ("mk", "nk", "mn"), extent, (element, element, acc), attributes=attributes)
        p = program.cast(cast, s, [32, 32], acc, element) if cast else s
        o = program.contract([p, v, program.zeros([32, 32], acc)], ("mk", "kn", "mn"), extent, (element, element, acc), attributes=attributes)
        program.write(o, [32, 32], acc)
        name = f"chained_{element}_{target}"

        def stays(output):
            moved = re.findall(r"^ +(T2|T3)\b.*", output, re.M)
            used = re.findall(r"contract: \d+ (\w+)", output)
            return None if not moved and len(used) == 2 else f"{moved} of {used}\n{output}"

        inputs = {"f": "-1:1", "b": "-1:1"}.get(element[0])
        add(name, program, target, None, text=stays, whole=inputs)


def main():
    chosen = suite.options()
    all_ = Suite(chosen)
    for cases in (extensions, shapes, renumbered, chained):
        cases(all_.add)
    suite.main(all_.runs, chosen, one_in=4)


if __name__ == "__main__":
    main()
