"""Kernels as a text prints them, laid out, run, and compared with values that the test
itself computes: after every stage on the SIMT machine, and as PTX."""
import math
import re
import struct

from kernels import suite

import npy

SUBGROUP = {"sm_75": 32, "sm_80": 32, "sm_86": 32, "sm_89": 32, "sm_90a": 32, "gfx908": 64, "gfx90a": 64, "gfx942": 64,
            "gfx950": 64, "gfx1100": 32, "gfx1201": 32}
BOTH = ("sm_80", "gfx942")


def laid_out(text, subgroups, layouts, subgroup):
    """The function for that many subgroups. Of `layouts` (value -> layout) arguments
    are laid out where the function begins, other values behind the op that makes them."""
    info = f"#iree_codegen.translation_info<workgroup_size = [{subgroups * subgroup}, 1, 1] subgroup_size = {subgroup}>"
    head, body = re.match(r"(.*?func\.func [^{]*?)\{\n(.*)", text, re.S).groups()
    lines = body.split("\n")
    for value, layout in layouts.items():
        new = "%laid_" + value[1:]
        anchor = f"  {new} = iree_vector_ext.to_layout {value} to layout({layout}) : "
        use = re.compile(re.escape(value) + r"(?![\w])")
        if found := re.search(re.escape(value) + r": (vector<[^>]*>)", head):
            lines = [anchor + found.group(1)] + [use.sub(new, line) for line in lines]
            continue
        at = next(i for i, line in enumerate(lines) if re.match(r"\s*" + re.escape(value) + r" =", line))
        # An op ends where its type does.
        while not re.search(r"(vector<[^>]*>)$", lines[at]):
            at += 1
        type_ = re.search(r"(vector<[^>]*>)$", lines[at]).group(1)
        lines = lines[:at + 1] + [anchor + type_] + [use.sub(new, line) for line in lines[at + 1:]]
    return f"{head}attributes {{translation_info = {info}}} {{\n" + "\n".join(lines) + "\n"


def same(found, expected):
    """Bit for bit, but that a NaN is any NaN."""
    if isinstance(expected, float) and math.isnan(expected):
        return math.isnan(found)
    return found == expected and math.copysign(1, found) == math.copysign(1, expected)


class Case:
    """`inputs`: argument -> (element, shape, values), or what --input takes, or
    `shape:...` for the extents. `results`: argument or result -> (element, values)."""

    def __init__(self, name, text, inputs, results, layouts=None, subgroups=1, targets=BOTH, judged=None, ptx=True, compares=True,
                 says=None):
        self.name, self.text, self.inputs, self.results = name, text, inputs, results
        self.layouts, self.subgroups, self.targets = layouts or {}, subgroups, targets
        self.judged = judged  # a function that says what is wrong with the distributed text
        self.says = says  # one that says what is wrong with the assembly
        self.ptx, self.compares = ptx, compares

    def flags(self, out):
        for argument, given in self.inputs.items():
            if isinstance(given, tuple):
                element, shape, values = given
                given = npy.write(out / f"{self.name}_{argument}.npy", element, shape, values)
            elif given.startswith("shape:"):
                yield from ("--shape", f"{argument}={given[6:]}")
                continue
            yield from ("--input", f"{argument}={given}")

    def outputs(self, folder):
        paths = {name: folder.with_name(f"{folder.name}_{name}.npy") for name in self.results}
        flags = [part for name, path in paths.items() for part in ("--output", f"{name}={path}")]

        def after():
            for name, path in paths.items():
                element, expected = self.results[name]
                found = npy.read(path, element)
                if len(found) != len(expected):
                    return f"{name} has {len(found)} elements instead of {len(expected)}"
                for at, (a, b) in enumerate(zip(found, expected)):
                    if not same(a, b):
                        return f"{name}[{at}] is {a} instead of {b}"
            return None
        return flags, after

    def runs(self, chosen):
        flags = list(self.flags(chosen.out))
        for target in self.targets:
            path = chosen.out / f"{self.name}_{target}.mlir"
            path.write_text(laid_out(self.text, self.subgroups, self.layouts, SUBGROUP[target]))
            before = None
            compile_ = [chosen.distaff, "compile", str(path), "--target", target]
            if self.judged:
                before = compile_ + ["--stop-after=distribute"], self.judged
            elif self.says and target.startswith("sm"):
                before = compile_ + ["--emit=ptx", "-o", "-"], self.says
            command = [chosen.distaff, "run", str(path), "--target", target, *flags]
            output, after = self.outputs(path.with_suffix(".simt"))
            stages = ["--check", "--every-stage"] if self.compares else []
            yield suite.Run(f"{self.name}_{target}", command + stages + output, before=before, after=after, compares=self.compares)
            if self.ptx and target == "sm_80":
                output, after = self.outputs(path.with_suffix(".ptx"))
                yield suite.Run(f"{self.name}_ptx", [*command, "--device", "ptx", *output], after=after, compares=False)


def main(cases, one_in=1):
    chosen = suite.options()
    suite.main([run for case in cases for run in case.runs(chosen)], chosen, one_in)


def single(value):
    """As f32 holds it."""
    return struct.unpack("<f", struct.pack("<f", value))[0]
