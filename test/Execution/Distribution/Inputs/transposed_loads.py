"""Loads of gfx950 that transpose, in lane code (VX-178): amdgpu.transpose_load of elements of 16 and 8 bits.

    python3 transposed_loads.py OUT_DIR [--distaff PATH]

Each lane reads p elements of 8 bytes at an address of its own, here any. Of 16 lanes each 16 / p are a row of 16 columns, and
lane l gets column l: its element n from lane 16 / p n + l / p, there the element l mod p (CDNA4 ISA, DS_READ_B64_TR_B16 and
DS_READ_B64_TR_B8). One kernel reads a matrix that lies by rows as its columns.
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

LANES = 64


def kernel(element, per_lane):
    extent = LANES * per_lane
    return f"""gpu.module @m {{
  gpu.func @k(%in: memref<{extent}x{element}>, %places: memref<{LANES}xi32>, %out: memref<{LANES}x{per_lane}x{element}>) kernel
      attributes {{known_block_size = array<i32: {LANES}, 1, 1>}} {{
    %c0 = arith.constant 0 : index
    %wide = arith.constant {per_lane} : index
    %lane = gpu.thread_id x
    %shared = memref.alloc() {{alignment = 16 : i64}} : memref<{extent}x{element}, #gpu.address_space<workgroup>>
    %first = arith.muli %lane, %wide : index
    %x = vector.load %in[%first] : memref<{extent}x{element}>, vector<{per_lane}x{element}>
    vector.store %x, %shared[%first] : memref<{extent}x{element}, #gpu.address_space<workgroup>>, vector<{per_lane}x{element}>
    gpu.barrier
    %p = memref.load %places[%lane] : memref<{LANES}xi32>
    %place = arith.index_cast %p : i32 to index
    %y = amdgpu.transpose_load %shared[%place] : memref<{extent}x{element}, #gpu.address_space<workgroup>> -> vector<{per_lane}x{element}>
    vector.store %y, %out[%lane, %c0] : memref<{LANES}x{per_lane}x{element}>, vector<{per_lane}x{element}>
    gpu.return
  }}
}}
"""


def reader(lane, n, per_lane):
    column = lane % 16
    return lane - column + 16 // per_lane * n + column // per_lane, column % per_lane


def make(chosen, name, element, per_lane, places):
    path, result, extent = chosen.out / f"{name}.mlir", chosen.out / f"{name}_out.npy", LANES * per_lane
    path.write_text(kernel(element, per_lane))
    values = list(range(extent)) if element == "i16" else [i % 256 - 128 for i in range(extent)] if element == "i8" else [float(i % 128) for i in range(extent)]
    npy.write(chosen.out / f"{name}_in.npy", element, [extent], values)
    npy.write(chosen.out / f"{name}_places.npy", "i32", [LANES], places)
    expected = [values[places[source] + e] for lane in range(LANES) for source, e in (reader(lane, n, per_lane) for n in range(per_lane))]

    def wrong():
        seen = npy.read(result, element)
        return None if seen == expected else f"{seen} is not {expected}"

    def emitted(code):
        return None if code.count(f"ds_read_b64_tr_b{64 // per_lane}") == 1 else code

    return suite.Run(name, [chosen.distaff, "run", path, "--target", "gfx950", "--every-stage", "--check", f"--input=arg0={chosen.out / f'{name}_in.npy'}",
                            f"--input=arg1={chosen.out / f'{name}_places.npy'}", f"--output=arg2={result}"],
                     before=([chosen.distaff, "compile", path, "--target", "gfx950", "--emit", "gcn"], emitted), after=wrong, compares=False)


def main():
    chosen = suite.options()
    rng = random.Random(178)
    runs = []
    for element, per_lane in (("f16", 4), ("bf16", 4), ("i16", 4), ("i8", 8)):
        # Matrices of per_lane x 16 by rows: the lanes of 16 name parts of a row each.
        rows = [16 * per_lane * (lane // 16) + lane % 16 * per_lane for lane in range(LANES)]
        runs.append(make(chosen, f"columns_{element}", element, per_lane, rows))
        runs.append(make(chosen, f"anywhere_{element}", element, per_lane, [per_lane * rng.randrange(LANES) for _ in range(LANES)]))
        # A column of its own in each lane.
        for lane in range(16):
            assert [rows[source] + e for source, e in (reader(lane, n, per_lane) for n in range(per_lane))] == [16 * n + lane for n in range(per_lane)]
    suite.main(runs, chosen)


main()
