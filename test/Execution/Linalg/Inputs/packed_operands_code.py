"""What the code of a large product does between its loads and its matrix instructions:
how wide it loads, how often it permutes bytes, and that nothing stands between a read
of shared memory and the instruction that takes it.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

# Of the loop of 4096x4096x4096 on gfx942, 8 subgroups, 256x256x32: what it has of each.
LOOPS = {
    "f16": {"global_load_dwordx4": 2, "global_load_dwordx2": 4, "v_perm_b32": 8, "v_mfma": 32},
    "bf16": {"global_load_dwordx4": 2, "global_load_dwordx2": 4, "v_perm_b32": 8, "v_mfma": 32},
}
MATMUL = """func.func @product(%a: tensor<4096x4096x{0}>, %b: tensor<4096x4096x{0}>) -> tensor<4096x4096xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %d = linalg.matmul ins(%a, %b : tensor<4096x4096x{0}>, tensor<4096x4096x{0}>) outs(%c : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %d : tensor<4096x4096xf32>
}}
"""


def loop_of(code):
    """The instructions of the loop that has the matrix instructions."""
    lines = [line.split(";")[0].strip() for line in code.splitlines() if re.match(r"\.LBB\S+:|\s+[a-z]\w+", line)]
    first = next(at for at, line in enumerate(lines) if line.startswith("v_mfma"))
    begin = max(at for at in range(first) if lines[at].startswith(".LBB"))
    end = next(at for at in range(first, len(lines)) if lines[at].startswith("s_cbranch"))
    return lines[begin + 1:end]


def registers(operand):
    """Of `v[4:5]`, `a7`: the names of all that it spans."""
    if single := re.fullmatch(r"([va])(\d+)", operand):
        return [single[0]]
    several = re.fullmatch(r"([va])\[(\d+):(\d+)\]", operand)
    return [f"{several[1]}{number}" for number in range(int(several[2]), int(several[3]) + 1)] if several else []


def writers_of_fragments(loop):
    """The mnemonics of what writes the registers that matrix instructions multiply."""
    writer, found = {}, set()
    for _ in range(2):  # what the loop leaves behind, its next turn finds
        for line in loop:
            mnemonic, *rest = line.split(None, 1)
            operands = [operand.strip() for operand in rest[0].split(",")] if rest else []
            if mnemonic.startswith("v_mfma"):
                found |= {writer.get(register, "nothing") for operand in operands[1:3] for register in registers(operand)}
            if operands and not re.match(r"ds_write|global_store|s_", mnemonic):
                writer |= dict.fromkeys(registers(operands[0]), mnemonic)
    return {name for name in found if name != "nothing"}


def wrong_in(code, counts):
    loop = loop_of(code)
    found = {name: sum(line.startswith(name) for line in loop) for name in counts}
    narrow = sorted({line.split()[0] for line in loop if re.match(r"global_load_\w*(byte|short)", line)})
    moves = sorted(name for name in writers_of_fragments(loop) if not name.startswith("ds_read"))
    return [f"{found} instead of {counts}"] * (found != counts) + [f"loads by {narrow}"] * bool(narrow)\
        + [f"{moves} between a read of shared memory and its matrix instruction"] * bool(moves)


def check_code(chosen):
    failures = 0
    for element, counts in LOOPS.items():
        path = chosen.out / f"{element}.mlir"
        path.write_text(MATMUL.format(element))
        done = suite.distaff(chosen, "compile", path, "--target", "gfx942", "--emit", "gcn")
        wrong = [done.stderr[:400]] if done.returncode else wrong_in(done.stdout, counts)
        failures += bool(wrong)
        for what in wrong:
            print(f"FAIL: {element}: {what}")
    print(f"{failures} failures")
    return failures != 0


if __name__ == "__main__":
    sys.exit(check_code(suite.options()))
