"""Conversions in which the lanes of a row change places: v_permlane16 of RDNA, and DPP's quad_perm (VX-174).

    python3 lane_permutations.py OUT_DIR [--distaff PATH]

Lanes are matrices of rows x columns groups of neighbours, which are transposed. Each element is a number of its own, and the
kernel stores the square of what it has converted. What is counted in the code is what the layouts say; the machine runs each
stage, `convert` with AMD's instructions among them, from a table of its own.
"""
import itertools
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import depth
import npy
import suite

MATRICES = ((2, 2, 1), (2, 2, 2), (2, 2, 4), (2, 4, 1), (4, 2, 1), (2, 4, 2), (4, 2, 2), (2, 8, 1), (8, 2, 1), (4, 4, 1))
LANES = {"gfx908": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1201": 32}


def name_of(target, matrix):
    if matrix == (2, 2, 1):
        return f"ROCDL_QUAD_PERM_W{LANES[target]}_2X2"
    return "ROCDL_PERMLANE16_" + "X".join(str(size) for size in matrix[:2 + (matrix[2] > 1)])


def layouts(lanes, matrix, registers, parts, order):
    """Digits of the elements' numbers, outermost first, before and after."""
    rows, columns, unit = matrix
    size = rows * columns * unit
    digits = [(("lane", lanes // size, size), ("lane", lanes // size, size)), (("lane", rows, columns * unit), ("lane", rows, unit)),
              (("lane", columns, unit), ("lane", columns, rows * unit)), (("lane", unit, 1), ("lane", unit, 1)), (("reg", registers, parts), ("reg", registers, parts))]
    digits = [digits[i] for i in order] + [(("reg", parts, 1), ("reg", parts, 1))]
    text = [", ".join(f"{axis}({size}, {stride})" for axis, size, stride in (pair[side] for pair in digits) if size > 1) for side in (0, 1)]
    return [f"#iree_vector_ext.digit_layout<[[{each}]]>" for each in text], lanes * registers * parts


def kernel(lanes, element, extent, before, *after):
    vector, array = f"vector<{extent}x{element}>", f"memref<{extent}x{element}>"
    conversions = "\n".join(f"  %x{i + 1} = iree_vector_ext.to_layout %x{i} to layout({layout}) : {vector}" for i, layout in enumerate(after))
    zero, product = ("0", "muli") if element == "i32" else ("0.0", "mulf")
    return f"""#info = #iree_codegen.translation_info<workgroup_size = [{lanes}, 1, 1] subgroup_size = {lanes}>
func.func @move(%m: {array}, %o: {array}) attributes {{translation_info = #info}} {{
  %c0 = arith.constant 0 : index
  %z = arith.constant {zero} : {element}
  %read = vector.transfer_read %m[%c0], %z {{in_bounds = [true]}} : {array}, {vector}
  %x = iree_vector_ext.to_layout %read to layout({before}) : {vector}
  %x0 = arith.{product} %x, %x : {vector}
{conversions}
  vector.transfer_write %x{len(after)}, %o[%c0] {{in_bounds = [true]}} : {vector}, {array}
  return
}}
"""


def wrong_code(chosen, path, target, name, registers):
    """What is wrong with the code: an instruction of each word, and no exchange of another kind."""
    code = suite.distaff(chosen, "compile", path, "--target", target, "--stop-after=lower").stdout
    found = code.count(f"distaff.target_op <{name}>")
    if found != registers or "gpu.shuffle" in code or "gpu.barrier" in code:
        return f"{found} of {registers} issues of {name}\n{code}"
    gcn = suite.distaff(chosen, "compile", path, "--target", target, "--emit", "gcn").stdout
    mnemonic = "quad_perm" if "QUAD" in name else "v_permlane16_b32"
    if gcn.count(mnemonic) != registers or "ds_bpermute" in gcn:
        return f"{gcn.count(mnemonic)} of {registers} {mnemonic}\n{gcn}"
    return None


def make(chosen, name, target, text, element, extent, op, wrong_in):
    """A run of a kernel that squares; `wrong_in` looks at the code."""
    path, source, result = (chosen.out / f"{name}{end}" for end in (".mlir", "_in.npy", "_out.npy"))
    path.write_text(text)
    values = [i * 7 for i in range(extent)] if element == "i32" else [float(i % 15) for i in range(extent)]
    npy.write(source, element, [extent], values)

    def wrong():
        seen = npy.read(result, element)
        expected = [value * value for value in values]
        return None if seen == expected else f"{seen} is not {expected}"

    command = [chosen.distaff, "run", path, "--target", target, "--every-stage", "--check", "--input", f"arg0={source}", "--output", f"arg1={result}"]
    return suite.Run(name, command, before=([chosen.distaff, "explain", path, "--target", target],
                                            lambda said: (None if f" by {op}" in said else said) or wrong_in(path, said)), after=wrong)


def single(chosen, target, matrix, element, rng):
    """One conversion, of several registers, of digits in any order."""
    parts = 2 if element in ("f16", "bf16") else 1
    registers = rng.choice((1, 2, 3, 4))
    order = list(range(5))
    rng.shuffle(order)
    # Where the write undoes the conversion, nothing is left of both.
    lanes = LANES[target]
    (before, after), extent = layouts(lanes, matrix, registers, parts, order)
    op = f"{name_of(target, matrix)}_{element.upper()}"
    return make(chosen, f"{target}_{'x'.join(map(str, matrix))}_{element}", target, kernel(lanes, element, extent, before, after), element, extent, op,
                lambda path, said: wrong_code(chosen, path, target, op, registers if said.count(" by ROCDL_") == 1 else 0))


def chains(chosen):
    """Conversions behind each other: two that cancel are none, and two that turn eight lanes are one (VX-175)."""
    digits = {"plain": "lane(4, 8), lane(2, 4), lane(2, 2), lane(2, 1)", "once": "lane(4, 8), lane(2, 1), lane(2, 4), lane(2, 2)",
              "twice": "lane(4, 8), lane(2, 2), lane(2, 1), lane(2, 4)"}
    layout = {name: f"#iree_vector_ext.digit_layout<[[{text}, reg(2, 1)]]>" for name, text in digits.items()}
    for name, after, op, issues in (("cancelled", ("once", "plain"), "ROCDL_PERMLANE16_4X2_F32", 0), ("merged", ("once", "twice"), "ROCDL_PERMLANE16_4X2_F32", 2),
                                    ("thrice", ("once", "twice", "plain"), "ROCDL_PERMLANE16_2X4_F32", 0), ("between", ("twice", "once"), "ROCDL_PERMLANE16_2X4_F32", 2)):
        text = kernel(32, "f32", 64, layout["plain"], *(layout[each] for each in after))

        def wrong_in(path, said, op=op, issues=issues):
            code = suite.distaff(chosen, "compile", path, "--target", "gfx1201", "--stop-after=lower").stdout
            found = code.count("distaff.target_op <")
            return None if found == issues and code.count(f"<{op}>") == issues else code
        yield make(chosen, f"chain_{name}", "gfx1201", text, "f32", 64, "ROCDL_PERMLANE16_", wrong_in)


def main():
    chosen = suite.options()
    rng = random.Random(174)
    elements = itertools.cycle(("f32", "i32", "f16", "bf16"))
    runs = [*chains(chosen)]
    for target, lanes in LANES.items():
        for matrix in MATRICES if lanes == 32 else MATRICES[:1]:
            for element in ("f32", "i32", "f16", "bf16") if not depth.IS_QUICK else (next(elements),):
                runs.append(single(chosen, target, matrix, element, rng))
    suite.main(runs, chosen)


main()
