"""A matmul of dynamic extents on both pipelines, for extents of 0 to 255.

usage: matmul_dynamic.py OUT_DIR [--sweep FIRST:LAST] [options of suite.py]

`--sweep` takes the triples (m, n, k) of EXTENTS by number, without it a few of them
are run: on the machine, whose arrays end where their extents do, so that what is read
behind an end is a fault, and as PTX. The code has matrix instructions.
"""
import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

KERNEL = """func.func @matmul_dynamic(%a: tensor<?x?xf16>, %b: tensor<?x?xf16>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %a, %c0 : tensor<?x?xf16>
  %n = tensor.dim %b, %c1 : tensor<?x?xf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %d = linalg.matmul ins(%a, %b : tensor<?x?xf16>, tensor<?x?xf16>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %d : tensor<?x?xf32>
}
"""
EXTENTS = (0, 1, 7, 16, 33, 128, 255)
TRIPLES = list(itertools.product(EXTENTS, repeat=3))
FEW = [(0, 16, 7), (33, 0, 1), (16, 33, 0), (1, 1, 1), (7, 255, 33), (128, 128, 128), (255, 33, 255), (33, 7, 16)]
TARGETS = ("sm_80", "gfx942")
ROADS = ("vector-distribute", "run-cluster")
INSTRUCTIONS = {"sm_80": ("ptx", "mma.sync"), "gfx942": ("gcn", "v_mfma")}


def runs_of(path, triple, chosen):
    m, n, k = triple
    for pipeline in ROADS:
        for target in TARGETS:
            for device in ("simt", "ptx") if target == "sm_80" else ("simt",):
                yield suite.Run(f"{m}x{n}x{k} {pipeline} {target} {device}",
                                [chosen.distaff, "run", str(path), "--target", target, "--pipeline", pipeline, "--device", device, "--check",
                                 "--shape", f"arg0={m}x{k}", "--shape", f"arg1={k}x{n}", "--input", "arg0=random:1:1:3", "--input", "arg1=random:2:1:3"],
                                compares=False)


def count_instructions(path, chosen):
    """What the code of each pipeline and target lacks."""
    lacks = []
    for pipeline, target in itertools.product(ROADS, TARGETS):
        kind, name = INSTRUCTIONS[target]
        done = suite.execute([chosen.distaff, "compile", str(path), "--target", target, "--pipeline", pipeline, "--emit", kind])
        if name not in done.stdout:
            lacks.append(f"no {name} on {target} by {pipeline}: {done.stderr[:300]}")
    return lacks


if __name__ == "__main__":
    sweep = suite.taken("--sweep")
    chosen = suite.options()
    path = chosen.out / "matmul_dynamic.mlir"
    path.write_text(KERNEL)
    if lacks := count_instructions(path, chosen):
        sys.exit("\n".join(lacks))
    suite.main([run for triple in ([TRIPLES[i] for i in sweep] if sweep else FEW) for run in runs_of(path, triple, chosen)], chosen, one_in=5)
