"""Kernels that a fold of MLIR 22.1.8 changes, one or more for each form that lib/Rewrite brings them into: on the SIMT
machine for both vendors, as PTX and on this CPU, each against values that are computed here.

usage: upstream_folds.py OUT_DIR [options of suite.py]
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import npy
import suite

TARGETS = (("sm_80", "simt"), ("sm_80", "ptx"), ("gfx942", "simt"), ("host", "host"))
LEAST = -2**63


def body(arguments, lines, results=""):
    """A kernel of these lines, each of which may use zero, one, a padding and a mask of the first %n of 64."""
    mask = "  %mask = vector.create_mask %n : vector<64xi1>\n" if "%mask" in lines and "%mask =" not in lines else ""
    return f"""func.func @k({arguments}){results} {{
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %pad = arith.constant -1.0 : f32
{mask}{lines}
}}
"""


def read(name, source, mask="", of="tensor"):
    return f"""  %{name} = vector.transfer_read %{source}[%zero], %pad{mask} {{in_bounds = [true]}} : {of}<64xf32>, vector<64xf32>
"""


def write(name, value, target, mask=""):
    return f"""  %{name} = vector.transfer_write %{value}, %{target}[%zero]{mask} {{in_bounds = [true]}} : vector<64xf32>, tensor<64xf32>
"""


def under_mask(name, line):
    """The same transfer in the region of a mask."""
    made, op = line.strip().split(" = ", 1)
    assert made == f"%{name}", line
    kind = "vector<64xf32>" if op.startswith("vector.transfer_read") else "tensor<64xf32>"
    return f"  {made} = vector.mask %mask {{ {op} }} : vector<64xi1> -> {kind}\n"


TWO_TENSORS = "%a: tensor<64xf32>, %b: tensor<64xf32>, %n: index"
TENSOR = " -> tensor<64xf32>"
DOUBLED = """  %d = arith.addf %x, %x : vector<64xf32>
"""
RETURN = "  return %w : tensor<64xf32>"


def reduced(dims, extents, more=""):
    """A sum of each of 64 elements with the accumulator, under a mask."""
    shape = "x".join(map(str, extents))
    at, inside = ", ".join(["%zero"] * len(extents)), ", ".join(["true"] * len(extents))
    return body(f"%a: memref<{shape}xf32>, %c: memref<64xf32>, %n: index, %o: memref<64xf32>",
                f"""  %mask = vector.create_mask %n{more} : vector<{shape}xi1>
  %x = vector.transfer_read %a[{at}], %pad {{in_bounds = [{inside}]}} : memref<{shape}xf32>, vector<{shape}xf32>
{read("y", "c", of="memref")}  %r = vector.mask %mask {{ vector.multi_reduction <add>, %x, %y {dims} : vector<{shape}xf32> to vector<64xf32> }} : vector<{shape}xi1> -> vector<64xf32>
  vector.transfer_write %r, %o[%zero] {{in_bounds = [true]}} : vector<64xf32>, memref<64xf32>
  return""")


# The only element of a row, without an accumulator.
ROW = body("%a: memref<1xf32>, %n: index, %o: memref<64xf32>",
           """  %mask = vector.create_mask %n : vector<1xi1>
  %x = vector.transfer_read %a[%zero], %pad {in_bounds = [true]} : memref<1xf32>, vector<1xf32>
  %r = vector.mask %mask { vector.reduction <add>, %x : vector<1xf32> into f32 } : vector<1xi1> -> f32
  %s = vector.broadcast %r : f32 to vector<64xf32>
  vector.transfer_write %s, %o[%zero] {in_bounds = [true]} : vector<64xf32>, memref<64xf32>
  return""")

# A view with more units than it drops, of memory with strides that no type says.
KEPT_UNIT = body("%a: memref<4x8x3xf32>, %n: index, %o: memref<1x8xf32>, %e: memref<1xi64>",
                 """  %m = memref.cast %a : memref<4x8x3xf32> to memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>
  %v = memref.subview %m[2, 0, 1] [1, %n, 1] [1, 1, 1] : memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>> to memref<1x?xf32, strided<[?, ?], offset: ?>>
  %d = memref.dim %v, %one : memref<1x?xf32, strided<[?, ?], offset: ?>>
  %i = arith.index_cast %d : index to i64
  memref.store %i, %e[%zero] : memref<1xi64>
  %x = vector.transfer_read %v[%zero, %zero], %pad {in_bounds = [true, true]} : memref<1x?xf32, strided<[?, ?], offset: ?>>, vector<1x8xf32>
  vector.transfer_write %x, %o[%zero, %zero] {in_bounds = [true, true]} : vector<1x8xf32>, memref<1x8xf32>
  return""")
# One whose stride is that of a unit of the source.
OWN_STRIDE = body("%a: memref<1x8x1xf32>, %o: memref<4x1xf32>",
                  """  %v = memref.subview %a[0, 0, 0] [1, 4, 1] [1, 2, 1] : memref<1x8x1xf32> to memref<4x1xf32, strided<[2, 1]>>
  %x = vector.transfer_read %v[%zero, %zero], %pad {in_bounds = [true, true]} : memref<4x1xf32, strided<[2, 1]>>, vector<4x1xf32>
  vector.transfer_write %x, %o[%zero, %zero] {in_bounds = [true, true]} : vector<4x1xf32>, memref<4x1xf32>
  return""")


def scalars(lines, results=1):
    """Numbers in, each through the lines as an index %x, and %r and %s out."""
    outputs = "".join(f", %o{i}: memref<5xi64>" for i in range(results))
    stores = "".join(f"""    %out{i} = arith.index_cast %{name} : index to i64
    memref.store %out{i}, %o{i}[%i] : memref<5xi64>
""" for i, name in zip(range(results), "rs"))
    return body(f"%a: memref<5xi64>{outputs}", f"""  %five = arith.constant 5 : index
  scf.for %i = %zero to %five step %one {{
    %v = memref.load %a[%i] : memref<5xi64>
    %x = arith.index_cast %v : i64 to index
{lines}{stores}  }}
  return""")


THROUGH_I8 = scalars("""    %p = arith.index_cast %x : index to i8
    %r = arith.index_cast %p : i8 to index
    %q = arith.index_castui %x : index to i8
    %s = arith.index_castui %q : i8 to index
""", results=2)
DIFFERENCE = scalars("""    %two = index.constant 2
    %none = index.constant 0
    %d = index.sub %x, %two
    %below = index.cmp ule(%d, %none)
    %above = index.cmp sgt(%d, %none)
    %r = arith.index_castui %below : i1 to index
    %s = arith.index_castui %above : i1 to index
""", results=2)
ROUNDED_UP = scalars(f"""    %least = index.constant {LEAST}
    %two = index.constant 2
    %seven = index.constant 7
    %r = index.ceildivs %x, %seven
    %s = index.ceildivs %least, %two
""", results=2)

A, B = [float(i + 1) for i in range(64)], [float(100 + i) for i in range(64)]
N = 3
TWO_INPUTS = {"arg0": ("f32", (64,), A), "arg1": ("f32", (64,), B), "arg2": N}
SOURCE = [float(i) for i in range(96)]
NUMBERS = (0, 2, 300, -129, LEAST)


def signed(number, bits):
    return (number + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def first(values, rest):
    """The first N of the values and then those of the rest."""
    return values[:N] + rest[N:]


# Name: kernel, inputs, and what comes out.
KERNELS = {
    "masked-copy": (body(TWO_TENSORS, read("x", "a", ", %mask") + write("w", "x", "b") + RETURN, TENSOR),
                    TWO_INPUTS, {"res0": first(A, [-1.0] * 64)}),
    "copy-under-a-mask": (body(TWO_TENSORS, read("x", "a") + write("w", "x", "b", ", %mask") + RETURN, TENSOR),
                          TWO_INPUTS, {"res0": first(A, B)}),
    "copy-in-a-region": (body(TWO_TENSORS, read("x", "a") + under_mask("w", write("w", "x", "b")) + RETURN, TENSOR),
                         TWO_INPUTS, {"res0": first(A, B)}),
    "two-masks": (body(TWO_TENSORS, "  %two = arith.constant 2 : index\n  %less = vector.create_mask %two : vector<64xi1>\n" +
                       read("x", "a") + under_mask("w", write("w", "x", "b", ", %less")) + RETURN, TENSOR),
                  TWO_INPUTS, {"res0": A[:2] + B[2:]}),
    "write-over-a-write": (body(TWO_TENSORS, read("x", "a") + read("y", "b") + DOUBLED + write("v", "d", "b") +
                                "  %z = arith.mulf %d, %y : vector<64xf32>\n" + under_mask("w", write("w", "z", "v")) + RETURN, TENSOR),
                           TWO_INPUTS, {"res0": first([2 * a * b for a, b in zip(A, B)], [2 * a for a in A])}),
    "masked-units": (reduced("[1]", (64, 1), ", %one"), {**TWO_INPUTS, "arg0": ("f32", (64, 1), A)},
                     {"arg3": first([a + b for a, b in zip(A, B)], B)}),
    "masked-nothing": (reduced("[]", (64,)), TWO_INPUTS, {"arg3": first([a + b for a, b in zip(A, B)], B)}),
    "masked-row": (ROW, {"arg0": ("f32", (1,), [5.0]), "arg1": 0}, {"arg2": [0.0] * 64}),
    "kept-unit": (KEPT_UNIT, {"arg0": ("f32", (4, 8, 3), SOURCE), "arg1": 8},
                  {"arg2": [SOURCE[2 * 24 + 3 * i + 1] for i in range(8)], "arg3": [8]}),
    "own-stride": (OWN_STRIDE, {"arg0": ("f32", (1, 8, 1), SOURCE[:8])}, {"arg1": SOURCE[:8:2]}),
    "through-i8": (THROUGH_I8, {"arg0": ("i64", (5,), NUMBERS)},
                   {"arg1": [signed(x, 8) for x in NUMBERS], "arg2": [x % 256 for x in NUMBERS]}),
    "difference": (DIFFERENCE, {"arg0": ("i64", (5,), NUMBERS)},
                   {"arg1": [int((x - 2) % 2**64 <= 0) for x in NUMBERS], "arg2": [int(signed(x - 2, 64) > 0) for x in NUMBERS]}),
    "rounded-up": (ROUNDED_UP, {"arg0": ("i64", (5,), NUMBERS)},
                   {"arg1": [-(-x // 7) for x in NUMBERS], "arg2": [LEAST // 2] * 5}),
}


def judge(outputs, expected):
    """What is wrong with the files that a run wrote."""
    for name, values in expected.items():
        seen = npy.read(outputs[name], "i64" if isinstance(values[0], int) else "f32")
        if seen != list(values):
            return f"{name} is {seen}, not {values}"
    return None


def runs(chosen):
    for name, (text, inputs, expected) in KERNELS.items():
        path = chosen.out / f"{name}.mlir"
        path.write_text(text)
        flags = []
        for argument, value in inputs.items():
            if isinstance(value, tuple):
                value = npy.write(chosen.out / f"{name}-{argument}.npy", *value)
            flags.append(f"--input={argument}={value}")
        for target, device in TARGETS:
            outputs = {out: chosen.out / f"{name}-{target}-{device}-{out}.npy" for out in expected}
            yield suite.Run(f"{name} {target} {device}",
                            [chosen.distaff, "run", str(path), "--target", target, "--device", device, "--check", *flags,
                             *(f"--output={out}={file}" for out, file in outputs.items())],
                            after=lambda outputs=outputs, expected=expected: judge(outputs, expected), compares=False)


if __name__ == "__main__":
    chosen = suite.options()
    suite.main(list(runs(chosen)), chosen)
