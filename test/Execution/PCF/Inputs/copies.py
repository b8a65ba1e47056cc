"""Phases of 32 lanes that copy a slice, of many shapes, types, offsets and strides, cut at an edge and padded, changed
on the way, or transposed: run by the SIMT machine as they are, as code of lanes, and as vectors, on whole numbers.

    python3 copies.py OUT_DIR [--distaff PATH] [--distaff-opt PATH]
"""
import pathlib
import random
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path += [str(ROOT / "test" / "ForkServer"), str(ROOT / "test" / "Execution" / "Inputs")]
import depth
import fork_server
import npy
from pipeline_passes import PHASES_TO_VECTORS, after_each, read_flags

# Element -> how one is added.
TYPES = {"f16": ("addf", "1.0"), "f32": ("addf", "1.0"), "f64": ("addf", "1.0"), "i8": ("addi", "1"), "i32": ("addi", "1")}
# Rows, columns: whole chunks of 16 bytes and not, fewer than lanes and many more, one of something.
SHAPES = [(16, 32), (5, 24), (7, 5), (1, 1000), (64, 4), (33, 8), (3, 256), (96, 1)]
KINDS = ["copy", "edge", "changed", "transposed", "strided"]
PRELUDE = "#ln = #iree_gpu.lane_scope\n#launch = #iree_codegen.translation_info<workgroup_size = [32, 1, 1] subgroup_size = 32>\n"
options = read_flags()


def function(name, kind, element, rows, columns):
    """Reads at (%i, %j) of a source with a margin of 3, and writes at (2, 1) of what is as large."""
    ref, tile = f"!pcf.sref<?x?x{element}, #ln>", f"tensor<{rows}x{columns}x{element}>"
    add, one = TYPES[element]
    stride = 2 if kind == "strided" else 1
    body = [f"%x = pcf.read_slice %S[%i, %j] [{rows}, {columns}] [{stride}, 1] : {ref} to {tile}"]
    value, shape, out = "%x", (rows, columns), tile
    if kind == "edge":
        body = [f"%r = arith.constant {rows} : index", f"%c = arith.constant {columns} : index", "%pr = arith.subi %r, %m : index",
                "%pc = arith.subi %c, %n : index", f"%z = arith.constant {'0' if 'i' in element else '0.0'} : {element}",
                f"%d = pcf.read_slice %S[%i, %j] [%m, %n] [1, 1] : {ref} to tensor<?x?x{element}>",
                f"%x = tensor.pad %d low[0, 0] high[%pr, %pc] {{ ^bb0(%u: index, %v: index): tensor.yield %z : {element} }} : tensor<?x?x{element}> to {tile}"]
    if kind in ("changed", "strided"):
        body += [f"%e = tensor.empty() : {tile}", f"%one = arith.constant {one} : {element}",
                 f"%y = linalg.generic {{indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = [\"parallel\", \"parallel\"]}} "
                 f"ins(%x : {tile}) outs(%e : {tile}) {{", f"^bb0(%p: {element}, %q: {element}):", f"  %s = arith.{add} %p, %one : {element}",
                 f"  linalg.yield %s : {element}", f"}} -> {tile}"]
        value = "%y"
    if kind == "transposed":
        shape, out = (columns, rows), f"tensor<{columns}x{rows}x{element}>"
        body += [f"%e = tensor.empty() : {out}", f"%y = linalg.transpose ins(%x : {tile}) outs(%e : {out}) permutation = [1, 0]"]
        value = "%y"
    body += [f"pcf.write_slice {value} into %D[2, 1] [{shape[0]}, {shape[1]}] [1, {stride}] : {out} into {ref}"]
    text = "".join(f"      {line}\n" for line in body)
    any_tensor = f"tensor<?x?x{element}>"
    return (f"func.func @{name}(%src: {any_tensor}, %dst: {any_tensor}, %i: index, %j: index, %m: index, %n: index) -> {any_tensor} "
            f"attributes {{translation_info = #launch}} {{\n"
            f"  %r = pcf.shared_executor scope(#ln) execute(%S <- %src : {any_tensor}, %D = %dst)[%tg: !pcf.threadgroup<#ln>] : ({ref}, {ref}) -> ({any_tensor}) {{\n"
            f"    pcf.shared_executor.run_cluster(%tg)[] () {{\n{text}      pcf.cluster_yield\n    }} : (!pcf.threadgroup<#ln>)\n    pcf.return\n  }}\n"
            f"  return %r : {any_tensor}\n}}\n")


def point(kind, element, rows, columns, rng):
    """The inputs of a run, and what is to come out."""
    source = (2 * rows + 3, columns + 3)
    across = (columns, rows) if kind == "transposed" else (rows, columns)
    target = (across[0] + 3, 2 * across[1] + 3)
    numbers = [rng.randint(-50, 50) for _ in range(source[0] * source[1])]
    old = [rng.randint(-50, 50) for _ in range(target[0] * target[1])]
    i, j, m, n = rng.randint(0, 2), rng.randint(0, 2), rng.randint(0, rows), rng.randint(0, columns)
    expected, stride = list(old), 2 if kind == "strided" else 1
    for a in range(rows):
        for b in range(columns):
            value = numbers[(i + a * stride) * source[1] + j + b] + (kind in ("changed", "strided"))
            if kind == "edge" and (a >= m or b >= n):
                value = 0
            row, column = (b, a) if kind == "transposed" else (a, b)
            expected[(2 + row) * target[1] + 1 + column * stride] = value
    return [npy.write(options.out / "src.npy", element, source, numbers), npy.write(options.out / "dst.npy", element, target, old), i, j, m, n], expected


def main():
    rng, failures, turn = random.Random(5), 0, depth.Turns(3)
    cases = {}
    for number, shape in enumerate(SHAPES):
        for kind in KINDS:
            element = list(TYPES)[(number + KINDS.index(kind)) % len(TYPES)]
            cases[f"{kind}_{shape[0]}x{shape[1]}_{element}"] = (kind, element, *shape)
    source = options.out / "group.mlir"
    source.write_text(PRELUDE + "".join(function(name, *case) for name, case in cases.items()))
    for stage, path in after_each(options, PHASES_TO_VECTORS, source):
        for name, (kind, element, rows, columns) in turn.of(cases.items()):
            inputs, expected = point(kind, element, rows, columns, rng)
            result = options.out / "result.npy"
            result.unlink(missing_ok=True)
            command = [options.distaff, "run", path, "--func", name, "--target", "sm_80", "--output", f"res0={result}"]
            for i, value in enumerate(inputs):
                command += ["--input", f"arg{i}={value}"]
            done = fork_server.run(command)
            said = done.stderr.strip().splitlines()[:1]
            if not done.returncode:
                found = npy.read(result, element)
                wrong = [i for i in range(len(expected)) if found[i] != expected[i]]
                said = [f"element {wrong[0]} is {found[wrong[0]]}, not {expected[wrong[0]]}"] if wrong else []
            failures += bool(said)
            print("FAIL" if said else "ok", stage, name, *said)
    print(failures, "failures")
    sys.exit(failures > 0)


main()
