"""Both halves of products of i64 and of i48, which become products of twice the width,
signed and not: on the SIMT machine after every stage, on the PTX machine and on this
CPU, they are what Python's integers are.

    python3 wide_products.py OUT_DIR [--distaff PATH]
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

options = suite.options()
KERNEL = """#m = affine_map<(d0) -> (d0)>
func.func @halves(%a: tensor<SIZExi64>, %b: tensor<SIZExi64>) -> (tensor<SIZExi64>, tensor<SIZExi64>) {
  %e = tensor.empty() : tensor<SIZExi64>
  %r:2 = linalg.generic {indexing_maps = [#m, #m, #m, #m], iterator_types = ["parallel"]}
    ins(%a, %b : tensor<SIZExi64>, tensor<SIZExi64>) outs(%e, %e : tensor<SIZExi64>, tensor<SIZExi64>) {
  ^bb0(%x: i64, %y: i64, %u: i64, %v: i64):
    BODY
  } -> (tensor<SIZExi64>, tensor<SIZExi64>)
  return %r#0, %r#1 : tensor<SIZExi64>, tensor<SIZExi64>
}
"""
WHOLE = """%l, %h = arith.OP %x, %y : i64
    linalg.yield %l, %h : i64, i64"""
NARROW = """%p = arith.trunci %x : i64 to i48
    %q = arith.trunci %y : i64 to i48
    %l, %h = arith.OP %p, %q : i48
    %s = arith.extsi %l : i48 to i64
    %t = arith.extsi %h : i48 to i64
    linalg.yield %s, %t : i64, i64"""
random.seed(7)
EDGES = [0, 1, -1, 2, -7, 2**63 - 1, -2**63, -2**63 + 1, 2**47, -2**47, 2**47 - 1, 3 << 46]
PAIRS = [(x, y) for x in EDGES for y in EDGES]
PAIRS += [(random.getrandbits(64) - 2**63, random.getrandbits(64) - 2**63) for _ in range(112)]


def wrap(value, bits):
    """The low bits, as a signed number."""
    value &= (1 << bits) - 1
    return value - (value >> bits - 1 << bits)


def halves(x, y, bits, signed):
    x, y = (wrap(v, bits) if signed else v & (1 << bits) - 1 for v in (x, y))
    return wrap(x * y, bits), wrap(x * y >> bits, bits)


arrays = [npy.write(options.out / f"arg{i}.npy", "i64", (len(PAIRS),), [pair[i] for pair in PAIRS]) for i in (0, 1)]
for body, bits in ((WHOLE, 64), (NARROW, 48)):
    for op, signed in (("mulsi_extended", True), ("mului_extended", False)):
        kernel = options.out / f"{op}{bits}.mlir"
        kernel.write_text(KERNEL.replace("BODY", body.replace("OP", op)).replace("SIZE", str(len(PAIRS))))
        expected = [list(each) for each in zip(*(halves(x, y, bits, signed) for x, y in PAIRS))]
        for target, device in (("sm_80", "simt"), ("sm_80", "ptx"), ("gfx942", "simt"), ("host", "host")):
            outs = [options.out / f"res{i}.npy" for i in (0, 1)]
            flags = ["--every-stage", "--stages=convert"] if device == "simt" else ["--check"]
            done = suite.distaff(options, "run", kernel, "--target", target, "--device", device, *flags,
                                 *(f"--input=arg{i}={arrays[i]}" for i in (0, 1)), *(f"--output=res{i}={outs[i]}" for i in (0, 1)))
            name = f"{op} of i{bits} for {target} on {device}"
            assert done.returncode == 0, f"{name}: exit {done.returncode}: {done.stdout}{done.stderr[:600]}"
            assert device != "simt" or "convert" in done.stdout, f"{name}: {done.stdout}"
            assert [npy.read(out, "i64") for out in outs] == expected, f"{name}: other values"
