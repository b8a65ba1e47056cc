"""Kernels whose author has lanes hold thousands of registers, by a layout of whole
vectors, of which no loops are made: lower takes time in proportion to them. Comparing each carried value with each took minutes here.

usage: many_registers.py OUT_DIR [--distaff PATH]
"""
import argparse
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Execution" / "Inputs"))
import depth

LANES = 32
REGISTERS, LIMIT = (8192, 20) if depth.IS_QUICK else (16384, 40)  # ten times the seconds that it takes


def layout(registers):
    return (f"#iree_vector_ext.nested_layout<subgroup_tile = [1], batch_tile = [{registers}], outer_tile = [1], thread_tile = [{LANES}], "
            "element_tile = [1], subgroup_strides = [0], thread_strides = [1]>")


def kernel(body, memory=LANES * REGISTERS):
    vector, memory = f"vector<{LANES * REGISTERS}xf32>", f"memref<{memory}xf32>"
    return f"""func.func @kernel(%a: {memory}, %b: {memory}) attributes {{translation_info =
    #iree_codegen.translation_info<workgroup_size = [{LANES}, 1, 1] subgroup_size = {LANES}>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %read = vector.transfer_read %a[%c0], %zero : {memory}, {vector}
  %x = iree_vector_ext.to_layout %read to layout({layout(REGISTERS)}) : {vector}
  {body.format(type=vector)}
  vector.transfer_write %r, %b[%c0] : {vector}, {memory}
  return
}}
"""


# An odd number of elements per lane, so that none lie side by side: each is a tile of its own.
GATHERED = """func.func @kernel(%a: memref<512xf32>, %m: memref<SIZExi32>, %b: memref<SIZExf32>) attributes {translation_info =
    #iree_codegen.translation_info<workgroup_size = [LANES, 1, 1] subgroup_size = LANES>} {
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  %read = vector.transfer_read %m[%c0], %none : memref<SIZExi32>, vector<SIZExi32>
  %i = iree_vector_ext.to_layout %read to layout(LAYOUT) : vector<SIZExi32>
  %r = iree_vector_ext.transfer_gather %a[%c0] [%i : vector<SIZExi32>], %zero {indexing_maps =
    [affine_map<(d0)[s0] -> (s0)>, affine_map<(d0)[s0] -> (d0)>]} : memref<512xf32>, vector<SIZExf32>
  vector.transfer_write %r, %b[%c0] : vector<SIZExf32>, memref<SIZExf32>
  return
}
""".replace("SIZE", str(LANES * (REGISTERS - 1))).replace("LANES", str(LANES)).replace("LAYOUT", layout(REGISTERS - 1))
KERNELS = {
    "straight": kernel("%r = arith.addf %x, %x : {type}"),
    "gathered": GATHERED,
    "carried": kernel("""%r = scf.for %i = %c0 to %c8 step %c1 iter_args(%y = %x) -> ({type}) {{
    %z = arith.addf %y, %x : {type}
    scf.yield %z : {type}
  }}"""),
}
LAST = {"gathered": "distribute"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--distaff", default="distaff")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for name, text in KERNELS.items():
        path = options.out / f"{name}.mlir"
        path.write_text(text)
        command = [options.distaff, "compile", str(path), "--target", "sm_80", "--stop-after=" + LAST.get(name, "lower"), "-o", str(path.with_suffix(".lower"))]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            print(f"FAIL {name}: not lowered within {LIMIT} s")
            failed += 1
            continue
        if done.returncode:
            print(f"FAIL {name}: {done.stderr[:500]}")
            failed += 1
    print(f"{len(KERNELS) - failed} of {len(KERNELS)} kernels are lowered in time")
    sys.exit(failed > 0)


main()
