"""Phases that write memory, read operands of a product from it and write the result, whose
operands are promoted: what `distaff-promote-to-shared-memory` accepts returns what the phase returned, and a
few lines of Python here. Operands that the phase wrote before must be refused, others not.

    python3 promoted.py OUT_DIR [--programs N] [--distaff PATH] [--distaff-opt PATH]
"""
import argparse
import pathlib
import random
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "ForkServer"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import fork_server
import npy

parser = argparse.ArgumentParser()
parser.add_argument("out", type=pathlib.Path)
parser.add_argument("--programs", type=int, default=40)
parser.add_argument("--distaff", default="distaff")
parser.add_argument("--distaff-opt", default="distaff-opt")
options = parser.parse_args()
options.out.mkdir(parents=True, exist_ok=True)
N, ROWS, REFUSED = 8, 32, "promotes an operand that is read after its phase may have written it"
TILE, REF, WHOLE = f"tensor<{N}x{N}xi32>", f"!pcf.sref<{ROWS}x{N}xi32, sync(#sg)>", f"tensor<{ROWS}x{N}xi32>"


def draw(rng):
    """(write, first row, number), (read, operand, first row), in an order; then the product goes to a row."""
    ops = [("read", operand, rng.randrange(0, ROWS - N + 1)) for operand in "xy"]
    for _ in range(rng.choice((0, 1, 1, 2))):
        ops.insert(rng.randrange(len(ops) + 1), ("write", rng.randrange(1, 5), rng.randrange(0, ROWS - N + 1)))
    return ops, rng.randrange(0, ROWS - N + 1), rng.choice(([0], [1], [0, 1]))


def reference(ops, at, memory):
    values, is_stale, written = {}, {}, []
    for kind, what, row in ops:
        if kind == "write":
            memory[row:row + N] = [[what] * N for _ in range(N)]
            written.append(row)
        else:
            values[what] = [list(r) for r in memory[row:row + N]]
            is_stale[what] = any(abs(row - other) < N for other in written)
    memory[at:at + N] = [[sum(values["x"][i][k] * values["y"][k][j] for k in range(N)) for j in range(N)] for i in range(N)]
    return memory, is_stale


def text_of(ops, at, promoted):
    lines = []
    for i, (kind, what, row) in enumerate(ops):
        if kind == "write":
            lines += [f"%w{i} = arith.constant dense<{what}> : {TILE}",
                      f"pcf.write_slice %w{i} into %o[{row}, 0] [{N}, {N}] [1, 1] : {TILE} into {REF}"]
        else:
            lines.append(f"%{what} = pcf.read_slice %o[{row}, 0] [{N}, {N}] [1, 1] : {REF} to {TILE}")
    body = "\n      ".join(lines)
    return f"""#sg = #iree_gpu.subgroup_scope
#launch = #iree_codegen.translation_info<workgroup_size = [128, 1, 1] subgroup_size = 32>
#cfg = #iree_gpu.lowering_config<{{promote_operands = {promoted}}}>
!G = !pcf.threadgroup<#sg>
func.func @f(%a: {WHOLE}) -> {WHOLE} attributes {{translation_info = #launch}} {{
  %r = pcf.shared_executor scope(#sg) execute(%o = %a)[%tg: !G] : ({REF}) -> ({WHOLE}) {{
    pcf.shared_executor.run_cluster(%tg)[] () {{
      {body}
      %zero = arith.constant dense<0> : {TILE}
      %m = linalg.matmul {{lowering_config = #cfg}} ins(%x, %y : {TILE}, {TILE}) outs(%zero : {TILE}) -> {TILE}
      pcf.write_slice %m into %o[{at}, 0] [{N}, {N}] [1, 1] : {TILE} into {REF}
      pcf.cluster_yield
    }} : (!G)
    pcf.return
  }}
  return %r : {WHOLE}
}}
"""


def run(path, data):
    result = options.out / "result.npy"
    result.unlink(missing_ok=True)
    source = npy.write(options.out / "a.npy", "i32", (ROWS, N), [x for row in data for x in row])
    done = fork_server.run([options.distaff, "run", path, "--target", "sm_80", "--input", f"arg0={source}", "--output", f"res0={result}"])
    if done.returncode:
        return done.stderr.strip().splitlines()[0]
    return list(struct.unpack(f"<{ROWS * N}i", result.read_bytes()[-4 * ROWS * N:]))


def check(seed):
    rng = random.Random(seed)
    ops, at, promoted = draw(rng)
    data = [[rng.randrange(-9, 9) for _ in range(N)] for _ in range(ROWS)]
    expected, is_stale = reference(ops, at, [list(row) for row in data])
    expected = [x for row in expected for x in row]
    path, after = options.out / f"{seed}.mlir", options.out / f"{seed}-copies.mlir"
    path.write_text(text_of(ops, at, promoted))
    if run(path, data) != expected:
        return False, "as it is"
    must_refuse = any(is_stale["xy"[operand]] for operand in promoted)
    done = fork_server.run([options.distaff_opt, path, "--distaff-promote-to-shared-memory", "-o", after])
    if done.returncode:
        return True, None if must_refuse and REFUSED in done.stderr else done.stderr.strip().splitlines()[0]
    if must_refuse:
        return False, "is accepted"
    found = run(after, data)
    return False, None if found == expected else f"after: {found}"


def main():
    failures, refused = 0, 0
    for seed in range(options.programs):
        is_refused, said = check(seed)
        refused += is_refused
        if said:
            print("FAIL", seed, said)
            failures += 1
    print(f"{options.programs} programs, {refused} refused, {failures} failures")
    return failures != 0


sys.exit(main())
