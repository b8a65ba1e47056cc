"""Loads of gfx950 that transpose, in lane code (VX-178): amdgpu.transpose_load of 16-bit elements.

    python3 transposed_loads.py OUT_DIR [--distaff PATH]

Each lane reads at an address of its own, here any, and gets element n from lane 4 n + (lane / 4) mod 4 of its 16, there the
element (lane mod 4): CDNA4 ISA, DS_READ_B64_TR_B16. One kernel reads a matrix that lies by rows as its columns.
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

LANES, EXTENT = 64, 256


def kernel(element):
    return f"""gpu.module @m {{
  gpu.func @k(%in: memref<{EXTENT}x{element}>, %places: memref<{LANES}xi32>, %out: memref<{LANES}x4x{element}>) kernel
      attributes {{known_block_size = array<i32: {LANES}, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %lane = gpu.thread_id x
    %shared = memref.alloc() {{alignment = 16 : i64}} : memref<{EXTENT}x{element}, #gpu.address_space<workgroup>>
    %first = arith.muli %lane, %c4 : index
    %x = vector.load %in[%first] : memref<{EXTENT}x{element}>, vector<4x{element}>
    vector.store %x, %shared[%first] : memref<{EXTENT}x{element}, #gpu.address_space<workgroup>>, vector<4x{element}>
    gpu.barrier
    %p = memref.load %places[%lane] : memref<{LANES}xi32>
    %place = arith.index_cast %p : i32 to index
    %y = amdgpu.transpose_load %shared[%place] : memref<{EXTENT}x{element}, #gpu.address_space<workgroup>> -> vector<4x{element}>
    vector.store %y, %out[%lane, %c0] : memref<{LANES}x4x{element}>, vector<4x{element}>
    gpu.return
  }}
}}
"""


def reader(lane, n):
    return lane // 16 * 16 + 4 * n + lane // 4 % 4, lane % 4


def make(chosen, name, element, places):
    path, result = chosen.out / f"{name}.mlir", chosen.out / f"{name}_out.npy"
    path.write_text(kernel(element))
    values = list(range(EXTENT)) if element == "i16" else [float(i % 128) for i in range(EXTENT)]
    npy.write(chosen.out / f"{name}_in.npy", element, [EXTENT], values)
    npy.write(chosen.out / f"{name}_places.npy", "i32", [LANES], places)
    expected = [values[places[source] + e] for lane in range(LANES) for source, e in (reader(lane, n) for n in range(4))]

    def wrong():
        seen = npy.read(result, element)
        return None if seen == expected else f"{seen} is not {expected}"

    def emitted(code):
        return None if code.count("ds_read_b64_tr_b16") == 1 else code

    return suite.Run(name, [chosen.distaff, "run", path, "--target", "gfx950", "--every-stage", "--check", f"--input=arg0={chosen.out / f'{name}_in.npy'}",
                            f"--input=arg1={chosen.out / f'{name}_places.npy'}", f"--output=arg2={result}"],
                     before=([chosen.distaff, "compile", path, "--target", "gfx950", "--emit", "gcn"], emitted), after=wrong, compares=False)


def main():
    chosen = suite.options()
    rng = random.Random(178)
    runs = []
    for element in ("f16", "bf16", "i16"):
        # Four matrices of 4 x 16 by rows: lane 4 r + q of 16 names quarter q of row r.
        rows = [64 * (lane // 16) + 16 * (lane % 16 // 4) + 4 * (lane % 4) for lane in range(LANES)]
        runs.append(make(chosen, f"columns_{element}", element, rows))
        runs.append(make(chosen, f"anywhere_{element}", element, [4 * rng.randrange(EXTENT // 4) for _ in range(LANES)]))
    # A column of its own in each lane.
    for lane in range(16):
        assert [rows[reader(lane, n)[0]] + reader(lane, n)[1] for n in range(4)] == [16 * n + lane for n in range(4)]
    suite.main(runs, chosen)


main()
