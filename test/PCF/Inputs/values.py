"""What a program returns before and after a fusion, on random data: the same
(PCF-45, PCF-47). The programs are those whose bodies write every element.

usage: values.py [DISTAFF_OPT]
"""
import pathlib
import re
import subprocess
import sys

from evaluate import Int, Machine, Tensor, tensor

PROGRAMS = pathlib.Path(__file__).parent / "fusions"
SHAPES = {  # extents of the dynamic dimensions, in order, and numbers for index arguments
    "fuse-writes": [(3,), (0,), (11,)],
    "fuse-producers": [(4,), (8,), (12,)],
    "fuse-consumers": [(4,), (8,), (12,)],
}


def arguments(signature, n):
    """Values for the arguments of a function, whose dynamic extents are n."""
    for position, (name, kind) in enumerate(re.findall(r"(%\w+): ([^,)]+)", signature)):
        if kind == "index":
            yield Int(n)
        elif kind == "f32":
            yield tensor(position, 1).values[0,]
        else:
            extents = re.search(r"<((?:[\d?]+x)*)", kind)[1].split("x")[:-1]
            yield tensor(position, *(n if extent == "?" else int(extent) for extent in extents))


def check(opt, flag, n):
    source = (PROGRAMS / f"{flag}.mlir").read_text()
    before, after = (
        subprocess.run([opt, "-", "-allow-unregistered-dialect", *flags], input=source, capture_output=True, text=True, check=True).stdout
        for flags in ((), (f"--pcf-{flag}",)))
    for marker in re.findall(r"// GONE: (.*)", source):
        assert not re.search(marker, after), f"{flag} left '{marker}'"
    machines = [Machine(text, {"#pcf.sequential": Int(n) // 4 or 1}, seed=n) for text in (before, after)]
    for name, block in machines[0].functions.items():
        inputs = [list(arguments(block.line, n)) for _ in machines]
        results = [machine.call(name, *values) for machine, values in zip(machines, inputs)]
        for i, (expected, got) in enumerate(zip(*results, strict=True)):
            assert isinstance(got, Tensor) and None not in expected.flat(), f"{name}: result {i} is not all written"
            assert expected.shape == got.shape and expected.values == got.values, f"{flag} @{name}, n = {n}: result {i} differs"
        print(f"{flag} @{name} n = {n}: {len(results[0])} results agree")


if __name__ == "__main__":
    for flag, sizes in SHAPES.items():
        for (n,) in sizes:
            check(sys.argv[1] if len(sys.argv) > 1 else "distaff-opt", flag, n)
