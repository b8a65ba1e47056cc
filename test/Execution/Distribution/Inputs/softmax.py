"""Softmax over rows of 1024 f32 by 128 threads, the specification's example C (9.3), in
both of its layouts (VX-109): a row per workgroup, whose reductions meet in slots of
workgroup memory, and a row per subgroup, with none. And rows of 1000 and 37 columns,
masked (W17), a row whose largest number is that of one lane, rows of negative numbers,
to which padding by 0 would add, and one of -inf but for an element.

After every stage on the SIMT machine and as PTX; against softmax in float64, computed
here. Rounds, accesses of the slots, their bytes and barriers are counted by the machine.

    python3 softmax.py OUT_DIR [--distaff FILE]
"""
import argparse
import math
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "ForkServer"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import fork_server
import npy

from kernels import Layout

SUBGROUPS, WIDE = 4, 1024
EPSILON = 2.0 ** -24
LAYOUTS = {"row_per_workgroup": Layout(2, S=[1, 4], B=[1, 2], T=[1, 32], E=[1, 4], ss=[0, 1], ts=[0, 1]),
           "row_per_subgroup": Layout(2, S=[4, 1], B=[1, 8], T=[1, 32], E=[1, 4], ss=[1, 0], ts=[0, 1])}
# Of one workgroup: two reductions, of 5 rounds on every subgroup. In slots, each
# subgroup stores a number and reads four, one after the other; a barrier is between,
# and none between the two, which have slots of their own.
COUNTED = {"row_per_workgroup": {"shuffles": 2 * 5 * SUBGROUPS, "barriers": 2, "shared requests": 2 * (1 + 4) * SUBGROUPS, "bank conflicts": 0,
                                 "shared bytes written": 2 * SUBGROUPS * 4},
           "row_per_subgroup": {"shuffles": 2 * 5 * SUBGROUPS, "barriers": 0, "shared requests": 0, "bank conflicts": 0, "shared bytes written": 0}}


def kernel(name, rows, columns):
    layout = LAYOUTS[name]
    tile = layout.shape()[0]
    type_, kept, turned = f"vector<{tile}x{WIDE}xf32>", f"vector<{tile}xf32>", f"vector<{WIDE}x{tile}xf32>"
    memory = f"memref<{rows}x{columns}xf32>"
    ragged = columns != WIDE
    bounds = f"{{in_bounds = [true, {str(not ragged).lower()}]}}"

    def reduced(kind, of, initial):
        op = f"vector.multi_reduction <{kind}>, {of}, {initial} [1] : {type_} to {kept}"
        return f"vector.mask %mask {{ {op} }} : vector<{tile}x{WIDE}xi1> -> {kept}" if ragged else op

    def spread(result, value):
        return [f"{result}_b = vector.broadcast {value} : {kept} to {turned}", f"{result} = vector.transpose {result}_b, [1, 0] : {turned} to {type_}"]

    lines = ["%c0 = arith.constant 0 : index", f"%tile = arith.constant {tile} : index", f"%columns = arith.constant {columns} : index",
             "%pad = arith.constant 0.0 : f32", f"%least = arith.constant dense<0xFF800000> : {kept}", f"%none = arith.constant dense<0.0> : {kept}",
             f"scf.forall (%i) in ({rows // tile}) {{", "%row = arith.muli %i, %tile : index",
             f"%read = vector.transfer_read %in[%row, %c0], %pad {bounds} : {memory}, {type_}",
             f"%x = iree_vector_ext.to_layout %read to layout({layout}) : {type_}",
             *([f"%mask = vector.create_mask %tile, %columns : vector<{tile}x{WIDE}xi1>"] if ragged else []),
             f"%most = {reduced('maximumf', '%x', '%least')}", *spread("%m", "%most"), f"%d = arith.subf %x, %m : {type_}", f"%e = math.exp %d : {type_}",
             f"%sum = {reduced('add', '%e', '%none')}", *spread("%s", "%sum"), f"%y = arith.divf %e, %s : {type_}",
             f"vector.transfer_write %y, %out[%row, %c0] {bounds} : {type_}, {memory}", "} {mapping = [#gpu.block<x>]}", "return"]
    info = "#iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>"
    return f"func.func @{name}(%in: {memory}, %out: {memory}) attributes {{translation_info = {info}}} {{\n" + "\n".join(lines) + "\n}\n"


def numbers(rows, columns):
    rng = random.Random(columns)
    drawn = [[rng.uniform(-4, 4) for _ in range(columns)] for _ in range(rows)]
    drawn[0][rng.randrange(columns)] = 30.0
    drawn[1] = [x - 90.0 for x in drawn[1]]
    drawn[2] = [-math.inf] * columns
    drawn[2][columns - 1] = -7.0
    drawn[3] = [5.0] * columns
    return npy.from_bytes(npy.to_bytes([x for row in drawn for x in row], "f32"), "f32")


def softmax(row):
    most = max(row)
    powers = [math.exp(x - most) for x in row]
    total = math.fsum(powers)
    return [power / total for power in powers]


def wrong(found, values, columns):
    """Numbers of 1e-30 and less, where f32 ends, may be 0. Of the rest the difference
    to the largest is rounded, which exp multiplies; exp itself is within a few units;
    and the sum is of 32 on a lane at most, then in 7 rounds."""
    for first in range(0, len(values), columns):
        row = values[first:first + columns]
        for column, wanted in enumerate(softmax(row)):
            distance = max(row) - row[column]
            bound = wanted * EPSILON * (48 + (2 * distance if distance < 100 else 0)) + 1e-30
            if not abs(found[first + column] - wanted) <= bound:
                return f"[{first // columns}, {column}] is {found[first + column]!r}, not {wanted!r}"
    return None


def runs(name, rows, columns, out, distaff):
    """What is wrong, of one kernel."""
    values = numbers(rows, columns)
    path, read, written = (out / f"{name}_{columns}.{end}" for end in ("mlir", "in.npy", "out.npy"))
    path.write_text(kernel(name, rows, columns))
    npy.write(read, "f32", (rows, columns), values)
    command = [distaff, "run", path, "--target", "sm_80", "--input", f"arg0={read}", "--output", f"arg1={written}", "--counters"]
    for device in (["--stop-after=distribute"], ["--stop-after=lower"], ["--stop-after=convert"], ["--device", "ptx"]):
        done = fork_server.run([str(part) for part in command + device])
        if done.returncode:
            yield f"{device}: exit {done.returncode}\n{done.stderr[:1500]}"
            continue
        if said := wrong(npy.read(written, "f32"), values, columns):
            yield f"{device}: {said}"
        counted = {key.strip(): int(value) for key, value in re.findall(r"^(\D+?) +(\d+)$", done.stdout, re.M)}
        workgroups = rows // LAYOUTS[name].shape()[0]
        for key, wanted in COUNTED[name].items():
            if counted[key] != wanted * workgroups:
                yield f"{device}: {key} {counted[key]}, not {wanted * workgroups}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--distaff", default="distaff")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    failures = 0
    for name in LAYOUTS:
        for columns in (WIDE, 1000, 37):
            for said in runs(name, 8, columns, options.out, options.distaff):
                failures += 1
                print(f"FAIL {name}, {columns} columns: {said}")
    print(f"{failures} failures")
    sys.exit(failures > 0)


main()
