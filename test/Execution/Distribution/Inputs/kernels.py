"""Kernels for the execution tests of distribution, and how they are run.

A test is a script of one op family. It makes small kernels with explicit
layouts, and for each runs `distaff run --check --every-stage`: every stage of the
kernel, the distributed one included, against the undistributed program in
float64; where floats are added or multiplied, with arbitrary numbers and with
whole ones, which leave no error to hide in. Run one by hand:

    python3 reductions.py OUT_DIR [--only NAME]
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
import suite

FLOATS = ("f8E4M3FN", "f8E5M2", "f8E4M3FNUZ", "f8E5M2FNUZ", "f16", "bf16", "f32", "f64")


def zero(element):
    if element == "i1":
        return "false"
    return f"0.0 : {element}" if element[0] in "fb" else f"0 : {element}"


def vector(shape, element):
    return "vector<" + "".join(f"{d}x" for d in shape) + f"{element}>"


class Layout:
    """A nested layout, one list per level; what is left out is 1 (strides: 0)."""

    def __init__(self, rank, S=None, B=None, O=None, T=None, E=None, ss=None, ts=None):
        ones, zeros = [1] * rank, [0] * rank
        self.S, self.B, self.O, self.T, self.E = (x or ones for x in (S, B, O, T, E))
        self.ss, self.ts = ss or zeros, ts or zeros

    def shape(self):
        return [s * b * o * t * e for s, b, o, t, e in zip(self.S, self.B, self.O, self.T, self.E)]

    def __str__(self):
        return ("#iree_vector_ext.nested_layout<subgroup_tile = %s, batch_tile = %s, outer_tile = %s, "
                "thread_tile = %s, element_tile = %s, subgroup_strides = %s, thread_strides = %s>"
                % (self.S, self.B, self.O, self.T, self.E, self.ss, self.ts))


class DigitLayout:
    """Digits per dim, outermost first: ("reg", size, stride) and so on."""

    def __init__(self, *dims):
        self.dims = dims

    def shape(self):
        shape = []
        for digits in self.dims:
            shape.append(1)
            for _, size, _ in digits:
                shape[-1] *= size
        return shape

    def __str__(self):
        dims = ", ".join("[" + ", ".join(f"{axis}({size}, {stride})" for axis, size, stride in digits) + "]" for digits in self.dims)
        return f"#iree_vector_ext.digit_layout<[{dims}]>"


class Kernel:
    """Text of one kernel. Values are named by the caller; `read` and `write`
    add arguments, which get the numbers that --input takes."""

    def __init__(self, name, threads=32, subgroup=32):
        self.name, self.threads, self.subgroup = name, threads, subgroup
        self.sizes = [threads, 1, 1]  # of the workgroup along x, y and z
        self.arguments, self.lines, self.header, self.flags = [], [], [], []
        self.floats = []  # numbers of the arguments that hold floats
        self.whole = None  # LOW:HIGH of floats in a second run, whose sums are exact
        self.only_whole = False  # the bound on arbitrary numbers would decide nothing
        self.undecided = None  # why --check may not decide
        self.target = None  # that has such subgroups
        self.demanded = None  # op that distribution must have made
        self.judged = None  # a function that says what is wrong with the distributed text
        self.expected = None  # bytes that the last argument must have, instead of a comparison

    def argument(self, type_, range_=None):
        number = len(self.arguments)
        self.arguments.append(f"%arg{number}: {type_}")
        if re.split("[<x]", type_.rstrip(">"))[-1] in FLOATS:
            self.floats.append(number)
        if range_:
            self.flags += ["--input", f"arg{number}={range_}"]
        return f"%arg{number}"

    def line(self, text):
        self.lines.append("  " + text)

    def read_bits(self, value, shape, layout=None):
        """As `read`, of i1; bits are bytes in memory."""
        bytes_ = value + "_bytes"
        self.read(bytes_, shape, "i8", layout)
        self.line(f"{value} = arith.trunci {bytes_} : {vector(shape, 'i8')} to {vector(shape, 'i1')}")

    def read(self, value, shape, element, layout=None, range_=None):
        """`value` is all of a new argument, laid out if a layout is given."""
        if element == "i1":
            return self.read_bits(value, shape, layout)
        dims = "".join(f"{d}x" for d in shape)
        memory = self.argument(f"memref<{dims}{element}>", range_)
        zeros = ", ".join(["%c0"] * len(shape))
        raw = value + "_read" if layout else value
        pad = f"%pad_{value[1:]}"
        self.line(f"{pad} = arith.constant {zero(element)}")
        attributes = f" {{in_bounds = [{', '.join(['true'] * len(shape))}]}}" if shape else ""
        self.line(f"{raw} = vector.transfer_read {memory}[{zeros}], {pad}{attributes} : "
                  f"memref<{dims}{element}>, vector<{dims}{element}>")
        if layout:
            self.layout(value, raw, layout, f"vector<{dims}{element}>")

    def layout(self, value, of, layout, type_):
        self.line(f"{value} = iree_vector_ext.to_layout {of} to layout({layout}) : {type_}")

    def write(self, value, shape, element):
        if element == "i1":
            self.line(f"{value}_bytes = arith.extui {value} : {vector(shape, 'i1')} to {vector(shape, 'i8')}")
            value, element = value + "_bytes", "i8"
        dims = "".join(f"{d}x" for d in shape)
        memory = self.argument(f"memref<{dims}{element}>")
        zeros = ", ".join(["%c0"] * len(shape))
        attributes = f" {{in_bounds = [{', '.join(['true'] * len(shape))}]}}" if shape else ""
        self.line(f"vector.transfer_write {value}, {memory}[{zeros}]{attributes} : "
                  f"vector<{dims}{element}>, memref<{dims}{element}>")

    def write_scalar(self, value, element):
        vector = value + "_vector"
        self.line(f"{vector} = vector.broadcast {value} : {element} to vector<{element}>")
        self.write(vector, [], element)

    def text(self):
        info = (f"#iree_codegen.translation_info<workgroup_size = {self.sizes} "
                f"subgroup_size = {self.subgroup}>")
        return "\n".join(self.header + [f"func.func @{self.name}({', '.join(self.arguments)}) "
                                        f"attributes {{translation_info = {info}}} {{",
                                        "  %c0 = arith.constant 0 : index"] + self.lines + ["  return", "}", ""])


def whole_flags(kernel):
    """The kernel's flags, with whole numbers for every float."""
    named = [f"arg{number}=" for number in kernel.floats]
    flags = []
    for flag, value in zip(kernel.flags[::2], kernel.flags[1::2]):
        if flag != "--input" or not value.startswith(tuple(named)):
            flags += [flag, value]
    for number, name in zip(kernel.floats, named):
        flags += ["--input", f"{name}whole:{number + 1}:{kernel.whole}"]
    return flags


def runs(kernel, chosen):
    path = chosen.out / f"{kernel.name}.mlir"
    path.write_text(kernel.text())
    target = kernel.target or {32: "sm_80", 64: "gfx942"}[kernel.subgroup]
    before = None
    if kernel.demanded or kernel.judged:
        compile_ = [chosen.distaff, "compile", str(path), "--target", target, "--stop-after=distribute"]

        def says(text):
            if kernel.demanded and kernel.demanded not in text:
                return f"no {kernel.demanded} after distribute"
            return kernel.judged and kernel.judged(text)

        before = compile_, says
    command = [chosen.distaff, "run", str(path), "--target", target] + ["--strict-fp"] * chosen.strict_fp
    if kernel.expected is not None:
        out = path.with_suffix(".npy")

        def after():
            found = out.read_bytes()[-len(kernel.expected):]
            return None if found == kernel.expected else f"{found.hex()} instead of {kernel.expected.hex()}"

        output = ["--output", f"arg{len(kernel.arguments) - 1}={out}"]
        yield suite.Run(kernel.name, [*command, *kernel.flags, *output], before=before, after=after, compares=False)
        return
    command += ["--check", "--every-stage"]
    if not kernel.only_whole:
        expected = ("undecided", kernel.undecided) if kernel.undecided else None
        yield suite.Run(kernel.name, [*command, *kernel.flags], expected, before=before)
        before = None
    if kernel.whole and kernel.floats:
        yield suite.Run(kernel.name + "_whole", [*command, *whole_flags(kernel)], exact=True, before=before)


def main(kernels, one_in=1):
    chosen = suite.options()
    suite.main([run for kernel in kernels for run in runs(kernel, chosen)], chosen, one_in)
