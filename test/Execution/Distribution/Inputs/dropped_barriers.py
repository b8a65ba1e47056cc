"""usage: dropped_barriers.py DISTAFF FOLDER: no wait around shared bytes is too many.

Takes kernels whose exchanges share bytes or go through them in pieces, as they
are after distribute, and leaves out one barrier after the other: each time the
SIMT machine must find a race.
"""
import pathlib
import subprocess
import sys

from kernels import Kernel, Layout

DISTAFF, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
ROWS = Layout(2, S=[4, 1], B=[16, 1], T=[1, 32], E=[1, 4], ss=[1, 0], ts=[0, 1])
COLUMNS = Layout(2, S=[1, 4], B=[1, 32], T=[32, 1], E=[2, 1], ss=[0, 1], ts=[1, 0])
TYPE = "vector<64x128xf32>"


def own_buffer(kernel, left):
    type_ = f"memref<{166912 - left}xi8, #gpu.address_space<workgroup>>"
    kernel.line("%one = arith.constant 1 : i8")
    kernel.line(f"%own = memref.alloc() : {type_}")
    kernel.line(f"memref.store %one, %own[%c0] : {type_}")


def there_and_back(name, left):
    kernel = Kernel(name, 128)
    own_buffer(kernel, left)
    kernel.read("%x", [64, 128], "f32", ROWS)
    kernel.layout("%y", "%x", COLUMNS, TYPE)
    kernel.layout("%z", "%y", ROWS, TYPE)
    kernel.write("%z", [64, 128], "f32")
    return kernel


def in_a_loop(name, left):
    kernel = Kernel(name, 128)
    own_buffer(kernel, left)
    kernel.line("%c1 = arith.constant 1 : index")
    kernel.line("%c3 = arith.constant 3 : index")
    kernel.read("%x", [64, 128], "f32", ROWS)
    kernel.line(f"%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%v = %x) -> ({TYPE}) {{")
    kernel.layout("%y", "%v", COLUMNS, TYPE)
    kernel.layout("%z", "%y", ROWS, TYPE)
    kernel.line(f"scf.yield %z : {TYPE}")
    kernel.line("}")
    kernel.write("%r", [64, 128], "f32")
    return kernel


def results_in_rounds(name, left):
    """64 sums over four subgroups: 1024 bytes, of two registers in four slots."""
    kernel = Kernel(name, 128)
    own_buffer(kernel, left)
    kernel.read("%x", [64, 128], "f32", COLUMNS)
    kernel.line("%zeros = arith.constant dense<0.0> : vector<64xf32>")
    kernel.line(f"%r = vector.multi_reduction <add>, %x, %zeros [1] : {TYPE} to vector<64xf32>")
    kernel.write("%r", [64], "f32")
    return kernel


def two_conversions(name, left=None):
    """W29: of two values, through one buffer where no more is left."""
    a, b = Layout(2, S=[4, 1], T=[4, 8], E=[1, 4], ss=[1, 0], ts=[8, 1]), Layout(2, S=[1, 4], O=[2, 1], T=[8, 4], E=[1, 2], ss=[0, 1], ts=[4, 1])
    kernel = Kernel(name, 128)
    if left:
        own_buffer(kernel, left)
    for value in ("%x", "%y"):
        kernel.read(value, [16, 32], "f32", a)
    for value in ("%x", "%y"):
        kernel.layout(value + "_there", value, b, "vector<16x32xf32>")
        kernel.write(value + "_there", [16, 32], "f32")
    return kernel


def run(path):
    return subprocess.run([DISTAFF, "run", str(path), "--target", "sm_80", "--output", "arg1=/dev/null"], capture_output=True, text=True)


def check(kernel, barriers):
    source, path = FOLDER / f"{kernel.name}.mlir", FOLDER / f"{kernel.name}_distributed.mlir"
    source.write_text(kernel.text())
    done = subprocess.run([DISTAFF, "compile", str(source), "--target", "sm_80", "--stop-after=distribute"], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    places = [at for at, line in enumerate(lines) if "gpu.barrier" in line]
    path.write_text("\n".join(lines))
    failures = []
    if len(places) != barriers:
        failures.append(f"{len(places)} barriers instead of {barriers}")
    if run(path).returncode != 0:
        failures.append(f"wrong as it is: {run(path).stderr[:500]}")
    for number, at in enumerate(places):
        path.write_text("\n".join(lines[:at] + lines[at + 1:]))
        if "race" not in run(path).stderr:
            failures.append(f"barrier {number} may go")
    return failures


FOLDER.mkdir(parents=True, exist_ok=True)
failed = 0
for kernel, barriers in [(there_and_back("shares", 40000), 3), (there_and_back("in_two_pieces", 32752), 7),
                         (in_a_loop("shares_in_a_loop", 40000), 4), (in_a_loop("in_pieces_in_a_loop", 16384), 8),
                         (two_conversions("w29", 4000), 3), (two_conversions("w29_apart"), 2), (results_in_rounds("two_registers", 512), 3), (results_in_rounds("eight_slots", 128), 15),
                         (results_in_rounds("a_loop_of_lanes", 32), 2)]:
    for failure in check(kernel, barriers):
        print(f"FAIL {kernel.name}: {failure}")
        failed += 1
sys.exit(failed > 0)
