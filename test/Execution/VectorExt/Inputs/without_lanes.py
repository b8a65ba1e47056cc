"""Ops of iree_vector_ext without distribution (VX-14, VX-16, VX-17, VX-21).

Every case runs on the SIMT machine as it is written, after its folds, and after
the passes that lower it to upstream's ops, and on the CPU by upstream's own pipeline
through LLVM where mlir-runner is installed. All must give what the case computes
from the definition.

    python3 without_lanes.py OUT_DIR [--seeds A:B] [--only NAME]
"""
import pathlib
import random
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import depth
import suite
from accesses import Case
from best import BestCase
from classic import ClassicCase

FOLDS = ["--canonicalize"]
LOWERINGS = ["--vector-ext-fold-unit-dims", "--vector-ext-lower-indexed-access", "--vector-ext-lower-arg-compare",
             "--vector-ext-drop-layouts"]
TO_MEMREFS = ["--one-shot-bufferize=bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map"]
TO_LLVM = ["--canonicalize", "--convert-vector-to-scf", "--expand-strided-metadata", "--lower-affine", "--convert-scf-to-cf",
           "--convert-vector-to-llvm", "--convert-ub-to-llvm", "--finalize-memref-to-llvm", "--convert-arith-to-llvm",
           "--convert-index-to-llvm", "--convert-func-to-llvm", "--convert-cf-to-llvm", "--reconcile-unrealized-casts"]


def transform(source, passes, to):
    done = subprocess.run(["distaff-opt", str(source), *passes, "-o", str(to)], capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(passes)} of {source}\n{done.stderr[:3000]}"
    left = [name for name in re.findall(r"iree_vector_ext\.\w+", to.read_text()) if passes is not FOLDS]
    assert not left, f"{left[0]} is left in {to}"
    return to


def bits(values, element):
    """Signed numbers of the bits, as the CPU prints them."""
    size = npy.size_of("i64" if element == "index" else element)
    data = npy.to_bytes(values, "i64" if element == "index" else element)
    return [int.from_bytes(data[i:i + size], "little", signed=True) for i in range(0, len(data), size)]


def run_on_machine(case, stage, source, folder):
    out = folder / f"{case.name}_{stage}.npy"

    def wrong():
        data = out.read_bytes()
        element = "i64" if case.element == "index" else case.element
        found = data[10 + int.from_bytes(data[8:10], "little"):]
        expected = npy.to_bytes(case.expected(), element)
        if found == expected:
            return None
        return f"{npy.from_bytes(found, element)} instead of {case.expected()}\n{case.text}"

    command = ["distaff", "run", str(source), "--target", "sm_80", f"--func={case.name}", "--stop-after=input",
               *case.flags(folder), "--output", f"{case.output()}={out}"]
    return suite.Run(f"{case.name}_{stage}", command, after=wrong, compares=False)


def check_on_cpu(cases, source, folder):
    """What is wrong with the numbers that mlir-runner prints, in order."""
    lines = "".join(f"  {line}\n" for case in cases for line in case.call())
    main = folder / "main.mlir"
    main.write_text(source.read_text() + "func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}\n"
                    f"func.func @main() {{\n  %c0 = arith.constant 0 : index\n{lines}  return\n}}\n")
    lowered = transform(main, [*TO_MEMREFS, *LOWERINGS, *TO_LLVM], folder / "cpu.mlir")
    runner = pathlib.Path(shutil.which("mlir-runner")).resolve()
    libraries = [str(runner.parents[1] / "lib" / f"lib{name}.so") for name in ("mlir_runner_utils", "mlir_c_runner_utils")]
    done = subprocess.run([str(runner), str(lowered), "-e", "main", "--entry-point-result=void",
                           *[f"--shared-libs={path}" for path in libraries]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:3000]
    printed = [[int(number) for number in text.split(",")] for text in re.findall(r"data =\s*\[([^\]]*)\]", done.stdout)]
    assert len(printed) == len(cases), f"{len(printed)} results of {len(cases)} cases"
    return [f"{case.name} on the CPU: {found} instead of {bits(case.expected(), case.element)}\n{case.text}"
            for case, found in zip(cases, printed) if found != bits(case.expected(), case.element)]


def main():
    seeds = suite.taken("--seeds") or range(0, 20)
    chosen = suite.options()
    seeds = depth.some(seeds, 5)
    cases = [Case(random.Random(seed), seed) for seed in seeds]
    cases += [ClassicCase(random.Random(seed), seed) for seed in seeds[::2]]
    cases += [BestCase(random.Random(seed), seed) for seed in seeds[::2]]
    source = chosen.out / "source.mlir"
    source.write_text("\n".join(case.text for case in cases))
    stages = {"source": source, "folded": transform(source, FOLDS, chosen.out / "folded.mlir"),
              "lowered": transform(source, LOWERINGS, chosen.out / "lowered.mlir")}
    if shutil.which("mlir-runner"):
        if wrong := check_on_cpu(cases, source, chosen.out):
            print("\n".join(wrong[:3]))
            sys.exit(f"{len(wrong)} cases are wrong on the CPU")
        print(f"{len(cases)} right on the CPU")
    else:
        print("no mlir-runner: nothing was run on the CPU")
    suite.main([run_on_machine(case, stage, path, chosen.out) for case in cases for stage, path in stages.items()], chosen)


main()
