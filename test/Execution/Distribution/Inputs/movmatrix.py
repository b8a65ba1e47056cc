"""Converts halves from tiles of 8 x 8 by rows to tiles by columns, and says what must move.

Each element is a number of its own, and the kernel stores what it has converted: the
output is the input. What is counted in the code is what the extents say.
"""
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy

KIND = {"f16": "PTX_MOVMATRIX_TRANS_F16", "bf16": "PTX_MOVMATRIX_TRANS_BF16"}


def nested(subgroups, batches, by_rows):
    """Tiles of 8 x 8, two elements of a row, or of a column, in each lane."""
    threads, elements, strides = ([8, 4], [1, 2], [4, 1]) if by_rows else ([4, 8], [2, 1], [1, 4])
    steps = [1 if subgroups[0] > 1 else 0, subgroups[0] if subgroups[1] > 1 else 0]
    return ("#iree_vector_ext.nested_layout<subgroup_tile = %s, batch_tile = %s, outer_tile = [1, 1], "
            "thread_tile = %s, element_tile = %s, subgroup_strides = %s, thread_strides = %s>"
            % (subgroups, batches, threads, elements, steps, strides))


def kernel(element, subgroups, batches, by_rows, transposed):
    rows, columns = (8 * s * b for s, b in zip(subgroups, batches))
    lanes = 32 * subgroups[0] * subgroups[1]
    shape = f"{rows}x{columns}x{element}"
    out = f"{columns}x{rows}x{element}" if transposed else shape
    if transposed:  # tiles of the transposed value by the same side
        turn = lambda pair: [pair[1], pair[0]]
        last = nested(turn(subgroups), turn(batches), by_rows)
        if subgroups[0] > 1 and subgroups[1] > 1:
            last = last.replace(f"subgroup_strides = {[1, subgroups[1]]}", f"subgroup_strides = {[subgroups[0], 1]}")
        body = f"  %y = vector.transpose %x, [1, 0] : vector<{shape}> to vector<{out}>\n"
    else:
        last = nested(subgroups, batches, not by_rows)
        body = f"  %y = arith.addf %x, %zeros : vector<{shape}>\n"
    return f"""#info = #iree_codegen.translation_info<workgroup_size = [{lanes}, 1, 1] subgroup_size = 32>
func.func @move(%m: memref<{shape}>, %o: memref<{out}>) attributes {{translation_info = #info}} {{
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : {element}
  %zeros = arith.constant dense<0.0> : vector<{shape}>
  %read = vector.transfer_read %m[%c0, %c0], %z {{in_bounds = [true, true]}} : memref<{shape}>, vector<{shape}>
  %x = iree_vector_ext.to_layout %read to layout({nested(subgroups, batches, by_rows)}) : vector<{shape}>
{body}  %last = iree_vector_ext.to_layout %y to layout({last}) : vector<{out}>
  vector.transfer_write %last, %o[%c0, %c0] {{in_bounds = [true, true]}} : vector<{out}>, memref<{out}>
  return
}}
"""


def run(*command):
    command = [str(word) for word in command]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def check(folder, number, random_of):
    element = random_of.choice(["f16", "bf16"])
    subgroups = random_of.choice([[1, 1], [2, 1], [1, 2], [2, 2]])
    batches = [random_of.randint(1, 3), random_of.randint(1, 3)]
    by_rows, transposed = random_of.random() < 0.5, random_of.random() < 0.5
    path = folder / f"{number}.mlir"
    path.write_text(kernel(element, subgroups, batches, by_rows, transposed))
    rows, columns = (8 * s * b for s, b in zip(subgroups, batches))
    # Whole numbers that the type holds, of as many kinds as it has.
    values = [float(i % 251) for i in range(rows * columns)]
    source = folder / "in.npy"
    npy.write(source, element, [rows, columns], values)
    wanted = [values[c * columns + r] for r in range(columns) for c in range(rows)] if transposed else values
    target = random_of.choice(["sm_89", "sm_90a"])
    tiles = batches[0] * batches[1]

    code = run("distaff", "compile", path, "--target", target, "--stop-after=lower")
    found = code.count(f"distaff.target_op <{KIND[element]}>")
    if found != tiles or "gpu.shuffle" in code or "gpu.barrier" in code:
        sys.exit(f"{path}: {found} of {tiles} issues\n{code}")
    ptx = run("distaff", "compile", path, "--target", target, "--emit", "ptx")
    if ptx.count("movmatrix.sync.aligned.m8n8.trans.b16") != tiles:
        sys.exit(f"{path}: {ptx}")
    for machine in (["--every-stage"], ["--device", "ptx"]):
        result = folder / "out.npy"
        run("distaff", "run", path, "--target", target, *machine, "--check", "--input", f"arg0={source}",
            "--output", f"arg1={result}")
        if npy.read(result, element) != wanted:
            sys.exit(f"{path}: {machine} gives other numbers")
    return path, target, tiles


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    random_of = random.Random(126)
    for number in range(8):
        path, target, tiles = check(folder, number, random_of)
    said = run("distaff", "explain", path, "--target", target)
    if " by PTX_MOVMATRIX_TRANS_" not in said or "against" not in said:
        sys.exit(said)
    # An older target moves the same by shuffles or through memory.
    code = run("distaff", "compile", path, "--target", "sm_80", "--stop-after=lower")
    if "target_op" in code or not ("gpu.shuffle" in code or "gpu.barrier" in code):
        sys.exit(code)
    odd = folder / "f32.mlir"
    odd.write_text(kernel("f32", [1, 1], [1, 1], True, False))
    if "target_op" in run("distaff", "compile", odd, "--target", target, "--stop-after=lower"):
        sys.exit("f32 has no such instruction")


main()
