"""Conversions that v_permlane16_swap and v_permlane32_swap do on gfx950 (VX-126): a bit of
a register's number and one of a lane's, or three bits, change places.

Each element is a number of its own, and the kernel stores what it has converted: the
output is the input. What is counted in the code is what the layouts say.
"""
import itertools
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy

# Bits of the place before, in the order of those of the place behind: word bit w, lane bits 4 and 5.
MOVES = {"16": {"w": 4, 4: "w", 5: 5}, "32": {"w": 5, 4: 4, 5: "w"}, "32_16": {"w": 5, 5: 4, 4: "w"}, "16_32": {"w": 4, 4: 5, 5: "w"}}


def digit(place):
    return f"{place[0]}(2, {1 << place[1]})"


def layouts(element, registers, word, move, order):
    """Bits of the elements' numbers, outermost first, before and after; `order` shuffles them."""
    low = 1 if element in ("f16", "bf16") else 0
    bits = [("lane", bit) for bit in range(6)] + [("reg", bit) for bit in range(registers)]
    inner = [("reg", 0)] if low else []
    bits = [bit for bit in bits if bit not in inner]
    bits = [bits[i] for i in order[:len(bits)]] + inner
    swapped = ("reg", word + low)

    def behind(place):
        key = "w" if place == swapped else place[1] if place[0] == "lane" and place[1] in (4, 5) else None
        if key is None:
            return place
        to = MOVES[move][key]
        return swapped if to == "w" else ("lane", to)

    after = [behind(bit) for bit in bits]
    return [f"#iree_vector_ext.digit_layout<[[{', '.join(digit(bit) for bit in each)}]]>" for each in (bits, after)], 1 << len(bits)


def kernel(element, before, after, extent):
    vector, array = f"vector<{extent}x{element}>", f"memref<{extent}x{element}>"
    zero = "0" if element == "i32" else "0.0"
    return f"""#info = #iree_codegen.translation_info<workgroup_size = [64, 1, 1] subgroup_size = 64>
func.func @move(%m: {array}, %o: {array}) attributes {{translation_info = #info}} {{
  %c0 = arith.constant 0 : index
  %z = arith.constant {zero} : {element}
  %read = vector.transfer_read %m[%c0], %z {{in_bounds = [true]}} : {array}, {vector}
  %x = iree_vector_ext.to_layout %read to layout({before}) : {vector}
  %y = arith.{'muli' if element == 'i32' else 'mulf'} %x, %x : {vector}
  %last = iree_vector_ext.to_layout %y to layout({after}) : {vector}
  vector.transfer_write %last, %o[%c0] {{in_bounds = [true]}} : {vector}, {array}
  return
}}
"""


def run(*command):
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def meets_within(code, element):
    """Whether lanes meet between the squares and the last swap: before and after, reads and writes may be staged."""
    return "gpu.barrier" in code[re.search(rf"arith\.mul[fi] .* : .*\b{element}\b", code).start() : code.rindex("ROCDL_PERMLANE")]


def check(folder, number, element, move, rng):
    low = 1 if element in ("f16", "bf16") else 0
    registers = rng.randint(1 + low, 4)
    word = rng.randrange(registers - low)
    order = list(range(6 + registers - low))
    rng.shuffle(order)
    (before, after), extent = layouts(element, registers, word, move, order)
    path = folder / f"{number}.mlir"
    path.write_text(kernel(element, before, after, extent))
    # Whole numbers whose squares the type holds.
    values = [i % 15 for i in range(extent)] if element != "i32" else [i * 7 for i in range(extent)]
    source, result = folder / "in.npy", folder / "out.npy"
    npy.write(source, element, [extent], values if element == "i32" else [float(value) for value in values])
    issues = (1 << registers) // (2 << low)
    code = run("distaff", "compile", path, "--target", "gfx950", "--stop-after=lower")
    found = code.count("distaff.target_op <ROCDL_PERMLANE")
    if found != issues or f"PERMLANE{move}_SWAP_{element.upper()}" not in code or "gpu.shuffle" in code or meets_within(code, element):
        sys.exit(f"{path}: {found} of {issues} issues of {move}\n{code}")
    gcn = run("distaff", "compile", path, "--target", "gfx950", "--emit", "gcn")
    for width in ("16", "32"):
        if gcn.count(f"v_permlane{width}_swap") != issues * (width in move.split("_")):
            sys.exit(f"{path}: not {issues} swaps of {move}\n{gcn}")
    run("distaff", "run", path, "--target", "gfx950", "--every-stage", "--check", "--input", f"arg0={source}", "--output", f"arg1={result}")
    if npy.read(result, element) != [value * value for value in values]:
        sys.exit(f"{path}: other numbers")
    return path


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(126)
    for number, (element, move) in enumerate(itertools.product(("f32", "i32", "f16", "bf16"), MOVES)):
        path = check(folder, number, element, move, rng)
    said = run("distaff", "explain", path, "--target", "gfx950")
    if " by ROCDL_PERMLANE" not in said:
        sys.exit(said)
    # An older target moves the same by other means.
    code = run("distaff", "compile", path, "--target", "gfx942", "--stop-after=lower")
    if "target_op" in code:
        sys.exit(code)


main()
