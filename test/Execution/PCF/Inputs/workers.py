"""Code of subgroups on tensors: the functions of workers.mlir, and products of which some
subgroups copy panels and others multiply, each the rows that are left to it, which only
the run knows. Whole numbers are compared with what Python computes, products with an
evaluation in float64, after every stage, and by the PTX machine for sm_80.

    python3 workers.py OUT_DIR [options of suite.py]
"""
import math
import pathlib
import random
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

TARGETS = {"sm_80": 32, "gfx942": 64, "gfx1100": 32}
SOURCE = (pathlib.Path(__file__).parent / "workers.mlir").read_text()


def colmax(x, lanes):
    return [max(row[i] for row in x) for i in range(8)]


def rowmul(x, lanes, columns=0):
    return [[math.prod(row[:columns])] * 8 for row in x]


def turned(x, lanes, n=0):
    for _ in range(n):
        x = [[row[(i + 4) % 8] + row[i] for i in range(8)] for row in x]
    return x


def looped(x, lanes):
    return [[v * v for v in row] for row in x]


def nested(x, lanes):
    return [[4 * v * v + v for v in row] for row in x]


def on_lanes(x, lanes):
    return [[2 * v if i < 3 else v for v in row] for i, row in enumerate(x)]


def early(x, lanes, n=0):
    made = []
    for i, row in enumerate(x):
        before = x[i] if i < 4 else made[i - 4]
        made.append([a * b for a, b in zip(before, row)])
    return made


def collective(x, lanes, n=0):
    held = x
    for _ in range(n):
        held = [[sum(a * b for a, b in zip(row, column)) for column in zip(*held)] for row in held]
    return [[a + b for a, b in zip(*rows)] for rows in zip(held, x)]


# The argument's rows and columns, and what its last argument may be; `lanes` is as many as a subgroup has.
FUNCTIONS = {"colmax": (colmax, (13, 8), ()), "rowmul": (rowmul, (13, 8), (0, 1, 5, 8)), "turned": (turned, (8, 8), (0, 1, 3)),
             "looped": (looped, (13, 8), ()), "nested": (nested, (4, "lanes"), ()), "lanes": (on_lanes, ("lanes", 4), ()),
             "early": (early, (13, 8), (0,)), "collective": (collective, (16, 16), (0, 1, 2))}


def function_runs(name, target, chosen):
    reference, shape, numbers = FUNCTIONS[name]
    lanes, rng = TARGETS[target], random.Random(name)
    text = SOURCE if lanes == 32 else re.sub(r"(?<![i\d])32(?!\d)", "64", SOURCE).replace("[128,", "[256,")
    path = chosen.out / f"{name}-{target}.mlir"
    path.write_text(text)
    shape = tuple(lanes if extent == "lanes" else extent for extent in shape)
    # No maximum, product or sum of these is what a tensor of zeros would give.
    values = [rng.randint(-9, -2) for _ in range(math.prod(shape))]
    rows = [values[i:i + shape[1]] for i in range(0, len(values), shape[1])]
    source = npy.write(path.with_suffix(".npy"), "i32", shape, values)
    for number in numbers or (None,):
        made = reference(rows, lanes, *([] if number is None else [number]))
        flat = [v for row in made for v in (row if isinstance(row, list) else [row])]
        expected = [(v + 2**31) % 2**32 - 2**31 for v in flat]
        for device, flags in (("simt", ["--pipeline", "run-cluster", "--every-stage", "--schedule", "5"]), ("ptx", ["--device", "ptx"])):
            if device == "ptx" and target != "sm_80":
                continue
            file = path.with_suffix(f".{number}.{device}.npy")

            def after(file=file, expected=expected):
                return None if npy.read(file, "i32") == expected else "the result has other values"

            given = [] if number is None else ["--input", f"arg2={number}"]
            yield suite.Run(f"{name} {target} {number} {device}", [chosen.distaff, "run", str(path), "--func", name, "--target", target, "--check", *flags,
                                                                  "--input", f"arg0={source}", *given, "--output", f"res0={file}"], after=after, compares=False)


PRODUCT = """
#launch = #iree_codegen.translation_info<workgroup_size = [{threads}, 1, 1] subgroup_size = {lanes}>
#sg = #iree_gpu.subgroup_scope
!A = !pcf.sref<1x{m}x?xf16, #sg>
!B = !pcf.sref<1x?x{n}xf16, #sg>
!C = !pcf.sref<1x{m}x{n}xf32, sync(#sg)>
!LA = !pcf.sref<2x{m}x16xf16, #sg>
!LB = !pcf.sref<2x16x{n}xf16, #sg>
func.func @product(%lhs: tensor<1x{m}x?xf16>, %rhs: tensor<1x?x{n}xf16>, %out: tensor<1x{m}x{n}xf32>, %p: index, %nk: index) -> tensor<1x{m}x{n}xf32>
    attributes {{translation_info = #launch}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %m = arith.constant {m} : index
  %zero = arith.constant 0.0 : f32
  %res = pcf.generic scope(#sg)
    initialize {{ %a = pcf.alloc() : !LA   %b = pcf.alloc() : !LB   pcf.yield %a, %b : !LA, !LB }} -> (%la: !LA, %lb: !LB)
    execute(%A <- %lhs : tensor<1x{m}x?xf16>, %B <- %rhs : tensor<1x?x{n}xf16>, %O = %out)[%id: index, %count: index] : (!A, !B, !C) -> (tensor<1x{m}x{n}xf32>) {{
    %produces = arith.cmpi ult, %id, %p : index
    scf.if %produces {{
      %rows = arith.ceildivui %m, %p : index
      %from = arith.muli %id, %rows : index
      %first = arith.minui %from, %m : index
      %left = arith.subi %m, %first : index
      %s = arith.minui %rows, %left : index
      %is0 = arith.cmpi eq, %id, %c0 : index
      scf.for %k = %c0 to %nk step %c1 {{
        %slot = arith.remui %k, %c2 : index
        %ko = arith.muli %k, %c16 : index
        %a = pcf.read_slice %A[0, %first, %ko] [1, %s, 16] [1, 1, 1] : !A to tensor<1x?x16xf16>
        pcf.write_slice %a into %la[%slot, %first, 0] [1, %s, 16] [1, 1, 1] : tensor<1x?x16xf16> into !LA
        scf.if %is0 {{
          %b = pcf.read_slice %B[0, %ko, 0] [1, 16, {n}] [1, 1, 1] : !B to tensor<1x16x{n}xf16>
          pcf.write_slice %b into %lb[%slot, 0, 0] [1, 16, {n}] [1, 1, 1] : tensor<1x16x{n}xf16> into !LB
        }}
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
      }}
    }} else {{
      %c = arith.subi %id, %p : index
      %nc = arith.subi %count, %p : index
      %rows = arith.ceildivui %m, %nc : index
      %from = arith.muli %c, %rows : index
      %first = arith.minui %from, %m : index
      %left = arith.subi %m, %first : index
      %s = arith.minui %rows, %left : index
      %e = tensor.empty(%s) : tensor<1x?x{n}xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x?x{n}xf32>) -> tensor<1x?x{n}xf32>
      %acc = scf.for %k = %c0 to %nk step %c1 iter_args(%x = %z) -> (tensor<1x?x{n}xf32>) {{
        %slot = arith.remui %k, %c2 : index
        pcf.barrier(#sg) fence(%la, %lb) : !LA, !LB
        %a = pcf.read_slice %la[%slot, %first, 0] [1, %s, 16] [1, 1, 1] : !LA to tensor<1x?x16xf16>
        %b = pcf.read_slice %lb[%slot, 0, 0] [1, 16, {n}] [1, 1, 1] : !LB to tensor<1x16x{n}xf16>
        %y = linalg.batch_matmul {config}ins(%a, %b : tensor<1x?x16xf16>, tensor<1x16x{n}xf16>) outs(%x : tensor<1x?x{n}xf32>) -> tensor<1x?x{n}xf32>
        scf.yield %y : tensor<1x?x{n}xf32>
      }}
      pcf.write_slice %acc into %O[0, %first, 0] [1, %s, {n}] [1, 1, 1] : tensor<1x?x{n}xf32> into !C
    }}
    pcf.return
  }}
  return %res : tensor<1x{m}x{n}xf32>
}}
"""
KINDS = {"sm_80": "NV_MMA_SYNC_F32_16x8x16_F16", "gfx942": "MFMA_F32_16x16x16_F16", "gfx1100": "WMMAR3_F32_16x16x16_F16"}


def product_runs(target, hasKind, rows, producers, steps, chosen):
    """Subgroups behind the first few multiply; the last of them has fewer rows, or none."""
    lanes, name = TARGETS[target], f"product-{target}-{hasKind}-{rows}-{producers}-{steps}"
    kind = f"lowering_config = #iree_gpu.lowering_config<{{mma_kind = #iree_gpu.mma_layout<{KINDS[target]}>}}>"
    path = chosen.out / f"{name}.mlir"
    path.write_text(PRODUCT.format(threads=8 * lanes, lanes=lanes, m=rows, n=16, config=f"{{{kind}}} " if hasKind else ""))
    given = ["--input", "arg0=random:1", "--input", "arg1=random:2", "--shape", f"arg0=1x{rows}x{16 * steps}", "--shape", f"arg1=1x{16 * steps}x16",
             "--input", f"arg3={producers}", "--input", f"arg4={steps}"]
    for device, flags in (("simt", ["--pipeline", "run-cluster", "--every-stage", "--schedule", str(rows + producers)]), ("ptx", ["--device", "ptx"])):
        if device == "ptx" and target != "sm_80":
            continue
        before = None
        if hasKind and device == "ptx":
            def says(text):
                return None if "mma.sync" in text and "fma.rn" not in text else "the product has no matrix instruction"
            before = ([chosen.distaff, "compile", str(path), "--target", target, "--emit", "ptx"], says)
        yield suite.Run(f"{name} {device}", [chosen.distaff, "run", str(path), "--target", target, "--check", *flags, *given], before=before, compares=False)


chosen = suite.options()
runs = [run for name in FUNCTIONS for target in TARGETS for run in function_runs(name, target, chosen)]
# A third of the subgroups have rows, some have none; all but one; one.
for number, (rows, producers, steps) in enumerate([(9, 2, 3), (40, 1, 2), (40, 5, 1), (5, 7, 2), (3, 3, 0), (1, 4, 2), (17, 6, 4)]):
    for target in TARGETS:
        for hasKind in (True, False):
            if (number + hasKind) % 2 == 0 or target == "sm_80":
                runs += product_runs(target, hasKind, rows, producers, steps, chosen)
suite.main(runs, chosen, 3)
