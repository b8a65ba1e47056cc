"""Scalars of widths that no parameter has are passed in the next wider one, whose other bits are not read: extended by
zeros and by the sign they are Python's integers, on the SIMT machine, the PTX machine and this CPU, whichever way the
number that is given is extended. Arrays of integers of 3, 5, 6 and 7 bits are refused by all of them in the same words.

    python3 scalar_widths.py OUT_DIR [--distaff PATH]
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

options = suite.options()
WIDTHS = (2, 3, 4, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64)
DEVICES = (("sm_80", "simt"), ("sm_80", "ptx"), ("gfx942", "simt"), ("host", "host"))
# As given: more bits than the width has are not read.
VALUES = (0, 1, -1, 0x5A5A5A5A5A5A5A5A, -0x123456789ABCDEF)


def kernel():
    parameters = "".join(f"%a{i}: i{width}, " for i, width in enumerate(WIDTHS))
    body = ""
    for i, width in enumerate(WIDTHS):
        for half, extend in enumerate(("extui", "extsi")):
            wide = f"%a{i}" if width == 64 else f"%w{i}_{half}"
            if width < 64:
                body += f"  {wide} = arith.{extend} %a{i} : i{width} to i64\n"
            body += f"  %c{i}_{half} = arith.constant {2 * i + half} : index\n"
            body += f"  memref.store {wide}, %out[%c{i}_{half}] : memref<{2 * len(WIDTHS)}xi64>\n"
    return f"func.func @widths({parameters}%out: memref<{2 * len(WIDTHS)}xi64>) {{\n{body}  return\n}}\n"


def signed(value, width):
    value &= (1 << width) - 1
    return value - (value >> width - 1 << width)


file = options.out / "widths.mlir"
file.write_text(kernel())
out = options.out / "out.npy"
for value in VALUES:
    expected = [n for width in WIDTHS for n in (signed(value & (1 << width) - 1, 64), signed(value, width))]
    flags = [f"--input=arg{i}={signed(value, max(8, 1 << (width - 1).bit_length()))}" for i, width in enumerate(WIDTHS)]
    for target, device in DEVICES:
        stages = ["--stages=lower,convert"] if device == "simt" else ["--check"]
        done = suite.distaff(options, "run", file, "--target", target, "--device", device, *stages, *flags, "--output", f"arg{len(WIDTHS)}={out}")
        name = f"{value} for {target} on {device}"
        assert done.returncode == 0, f"{name}: exit {done.returncode}: {done.stdout}{done.stderr[:500]}"
        assert npy.read(out, "i64") == expected, f"{name}: {npy.read(out, 'i64')}, not {expected}"
text = suite.distaff(options, "compile", file, "--target", "sm_80", "--emit", "ptx").stdout
passed = re.findall(r"\.param \.u(\d+) widths_param", text)
assert passed == [str(max(8, 1 << (width - 1).bit_length())) for width in WIDTHS], text[:900]
assert "widths(" in suite.distaff(options, "compile", file, "--target", "host", "--emit", "header").stdout
package = options.out / "widths.package"
assert suite.distaff(options, "compile", file, "--target", "sm_80", "--emit", "package", "-o", package).returncode == 0

# No layout in memory.
SAYS = "has elements of which several would share a byte and some lie in two; arrays of i2 and i4 are packed"
for width in (3, 5, 6, 7):
    narrow = options.out / "narrow.mlir"
    type = f"tensor<16xi{width}>"
    narrow.write_text(f"func.func @k(%a: {type}) -> tensor<16xf32> {{\n  %r = arith.sitofp %a : {type} to tensor<16xf32>\n  return %r : tensor<16xf32>\n}}\n")
    for command in ([["compile", "--emit", kind] for kind in ("ptx", "llvm", "package")] + [["run"], ["run", "--check"], ["run", "--device", "ptx"]]):
        done = suite.distaff(options, *command, narrow, "--target", "sm_80", *(["-o", options.out / "never"] if command[0] == "compile" else []))
        assert done.returncode == 1 and SAYS in done.stderr and not (options.out / "never").exists(), f"{command}: {done.returncode} {done.stderr[:400]}"
    for command in (["compile", "--emit", "gcn", "--target", "gfx942"], ["compile", "--emit", "obj", "--target", "host"], ["run", "--target", "host", "--device", "host"]):
        done = suite.distaff(options, *command, narrow, *(["-o", options.out / "never"] if command[0] == "compile" else []))
        assert done.returncode == 1 and SAYS in done.stderr, f"{command}: {done.returncode} {done.stderr[:400]}"
