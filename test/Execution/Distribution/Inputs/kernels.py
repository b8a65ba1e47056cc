"""Kernels for the execution tests of distribution, and how they are run.

A test is a script of one op family. It makes small kernels with explicit
layouts, and for each runs `distaff run --check --every-stage`: every stage of the
kernel, the distributed one included, against the undistributed program in
float64. Run one by hand:

    python3 reductions.py OUT_DIR [--only NAME] [--keep]
"""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys

FLOATS = {"f16", "bf16", "f32", "f64"}


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
        self.arguments, self.lines, self.header, self.flags = [], [], [], []
        self.target = None  # that has such subgroups
        self.demanded = None  # op that distribution must have made
        self.expected = None  # bytes that the last argument must have, instead of a comparison

    def argument(self, type_, range_=None):
        number = len(self.arguments)
        self.arguments.append(f"%arg{number}: {type_}")
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
        info = (f"#iree_codegen.translation_info<workgroup_size = [{self.threads}, 1, 1] "
                f"subgroup_size = {self.subgroup}>")
        return "\n".join(self.header + [f"func.func @{self.name}({', '.join(self.arguments)}) "
                                        f"attributes {{translation_info = {info}}} {{",
                                        "  %c0 = arith.constant 0 : index"] + self.lines + ["  return", "}", ""])


def main(kernels):
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--only")
    parser.add_argument("--distaff", default="distaff")
    parser.add_argument("--strict-fp", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    def run(kernel):
        path = options.out / f"{kernel.name}.mlir"
        path.write_text(kernel.text())
        target = kernel.target or {32: "sm_80", 64: "gfx942"}[kernel.subgroup]
        command = [options.distaff, "run", str(path), "--target", target, *kernel.flags] + ["--strict-fp"] * options.strict_fp
        if kernel.demanded:
            compile_ = [options.distaff, "compile", str(path), "--target", target, "--stop-after=distribute"]
            done = subprocess.run(compile_, capture_output=True, text=True)
            if done.returncode == 0 and kernel.demanded not in done.stdout:
                done.returncode, done.stdout, done.stderr = 1, "", f"no {kernel.demanded} after distribute\n"
            if done.returncode:
                return kernel, done
        if kernel.expected is None:
            return kernel, subprocess.run([*command, "--check", "--every-stage"], capture_output=True, text=True)
        out = path.with_suffix(".npy")
        done = subprocess.run([*command, "--output", f"arg{len(kernel.arguments) - 1}={out}"], capture_output=True, text=True)
        if done.returncode == 0 and out.read_bytes()[-len(kernel.expected):] != kernel.expected:
            done.returncode, done.stderr = 1, f"{out.read_bytes()[-len(kernel.expected):].hex()} instead of {kernel.expected.hex()}\n"
        return kernel, done

    failed = ran = undecided = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for kernel, done in pool.map(run, [k for k in kernels if not options.only or options.only in k.name]):
            ran += 1
            if done.returncode == 3 and getattr(kernel, "may_be_undecided", False):
                undecided += 1
                continue
            # A run that was to be checked says so for the last stages, value by value.
            checked = all(f"\n{stage} " in done.stdout for stage in ("distribute", "lower")) and done.stdout.count(" ok\n") >= 6
            if done.returncode == 0 and (checked or kernel.expected is not None):
                continue
            failed += 1
            print(f"FAIL {kernel.name}: exit {done.returncode}\n{done.stdout[-800:]}{done.stderr[:1500]}")
    print(f"{ran - failed - undecided} of {ran} kernels are right" + (f", {undecided} are undecided" if undecided else ""))
    sys.exit(failed > 0 or ran == 0)
