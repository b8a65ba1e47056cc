"""Three kernels on every target that `distaff targets` lists, on both pipelines where they are
products: right at every stage, on the instruction of their types where the target has
one, and assembled; code of sm_* runs on the PTX machine too.

    python3 every_target.py OUT_DIR [--only NAME]
"""
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite


def product(element, acc, letter, extension):
    return f"""func.func @k(%a: tensor<64x64x{element}>, %b: tensor<64x64x{element}>, %c: tensor<64x64x{acc}>) -> tensor<64x64x{acc}> {{
  %r = linalg.generic {{indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%a, %b : tensor<64x64x{element}>, tensor<64x64x{element}>) outs(%c : tensor<64x64x{acc}>) {{
  ^bb0(%x: {element}, %y: {element}, %z: {acc}):
    %p = arith.{extension} %x : {element} to {acc}
    %q = arith.{extension} %y : {element} to {acc}
    %s = arith.mul{letter} %p, %q : {acc}
    %t = arith.add{letter} %z, %s : {acc}
    linalg.yield %t : {acc}
  }} -> tensor<64x64x{acc}>
  return %r : tensor<64x64x{acc}>
}}
"""


SOFTMAX = """func.func @k(%a: tensor<16x96xf32>) -> tensor<16x96xf32> {
  %e = tensor.empty() : tensor<16x96xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<16x96xf32>) outs(%e : tensor<16x96xf32>) -> tensor<16x96xf32>
  return %r : tensor<16x96xf32>
}
"""
KERNELS = {"softmax": SOFTMAX, "halves": product("f16", "f32", "f", "extf"), "bytes": product("i8", "i32", "i", "extsi"),
           "unsigned_bytes": product("i8", "i32", "i", "extui")}
# MFMA of unsigned bytes there is none.
WITHOUT = {("unsigned_bytes", target) for target in ("gfx908", "gfx90a", "gfx942", "gfx950")}


def runs(target, chosen):
    for name, text in KERNELS.items():
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        for pipeline in ("vector-distribute", "run-cluster") if name != "softmax" else ("vector-distribute",):
            command = [chosen.distaff, "run", str(path), "--target", target, "--pipeline", pipeline, "--check", "--every-stage", "--counters"]
            # What has an instruction runs on it.
            wanted = name != "softmax" and (name, target) not in WITHOUT

            def says(output, wanted=wanted):
                used = re.search(r"^mma +([1-9]\d*)", output, re.M) is not None
                return None if used == wanted else f"instructions for products: {used}, not {wanted}\n{output}"

            yield suite.Run(f"{name}_{target}_{pipeline}", [chosen.distaff, "compile", str(path), "--target", target, "-o", "/dev/null"],
                            before=(command, says), after=lambda: None, compares=False)
        is_nvidia = target.startswith("sm_")
        code = chosen.out / f"{name}_{target}.{'cubin' if is_nvidia else 'hsaco'}"
        is_whole = lambda code=code: None if code.stat().st_size > 500 else "no code object"
        if not is_nvidia or shutil.which("ptxas"):
            yield suite.Run(code.name, [chosen.distaff, "compile", str(path), "--target", target, "--emit", code.suffix[1:], "-o", str(code)],
                            after=is_whole, compares=False)
        if is_nvidia:
            yield suite.Run(f"{name}_{target}_ptx", [chosen.distaff, "run", str(path), "--target", target, "--device", "ptx", "--check"],
                            after=lambda: None, compares=False)


def main():
    chosen = suite.options()
    listed = subprocess.run([chosen.distaff, "targets"], capture_output=True, text=True, check=True).stdout
    targets = [line.split()[0] for line in listed.splitlines() if " lanes " in line]
    assert len(targets) >= 11, listed
    suite.main([run for target in targets for run in runs(target, chosen)], chosen, one_in=7)


main()
