"""Random code of one lane between to_simt and to_simd, and its twin of whole vectors:
they write the same bytes (VX-12, VX-65), and stages before distribution have the same
values (VX-200).

A seed is a pair: a kernel whose operands are laid out, taken apart, computed with by
elementwise ops and put together, in a loop or not; and one with the same ops on the
vectors as they are, which no layout is given for. Both get the same random inputs; what
they write is compared byte for byte, run on the SIMT machine and, for NVIDIA, as PTX.

    python3 lane_pairs.py OUT_DIR [--seeds 0:60] [--only NAME]
"""
import concurrent.futures
import os
import random
import re
import sys

from kernels import DigitLayout, Kernel, suite, vector, zero
from random_layouts import RandomLayouts, product

EXTENTS = [1, 2, 3, 4, 6, 8, 12, 16, 32]
FLOATS, INTEGERS = ["f16", "f32", "f64"], ["i8", "i32", "i64"]
FLOAT_OPS = ["addf", "subf", "mulf", "minimumf", "maximumf", "minnumf", "maxnumf"]
INTEGER_OPS = ["addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui"]
TARGETS = {32: "sm_80", 64: "gfx942"}


def shape_of(r):
    while True:
        shape = [r.choice(EXTENTS) for _ in range(r.randint(1, 3))]
        if product(shape) <= 512:
            return shape


def lane_shape(layout):
    """Of the elements that one lane holds."""
    return layout.B + layout.O + layout.E


class Ops:
    """The same ops for both kernels; each is told the type."""

    def __init__(self, r, element):
        self.r, self.element, self.steps = r, element, []
        is_float = element in FLOATS
        self.values = ["%p", "%q", "%b"]
        self.add("%b", lambda type_, mask: f"vector.broadcast %s : {element} to {type_}")
        for at in range(r.randint(3, 8)):
            name, (a, b) = f"%e{at}", (r.choice(self.values) for _ in range(2))
            kind = r.choice(["op"] * 5 + ["constant", "select", "select"])
            if kind == "constant":
                literal = r.choice(["0.25", "-3.0", "7.0"] if is_float else ["3", "-5", "11"])
                self.add(name, lambda type_, mask, literal=literal: f"arith.constant dense<{literal}> : {type_}")
            elif kind == "select":
                compare = f"arith.cmpf {r.choice(['olt', 'oge', 'une'])}" if is_float else f"arith.cmpi {r.choice(['slt', 'uge', 'eq'])}"
                c, d = (r.choice(self.values) for _ in range(2))
                self.add(f"{name}_c", lambda type_, mask, compare=compare, a=a, b=b: f"{compare}, {a}, {b} : {type_}")
                self.add(name, lambda type_, mask, at=name, c=c, d=d: f"arith.select {at}_c, {c}, {d} : {mask}, {type_}")
            else:
                op = r.choice(FLOAT_OPS if is_float else INTEGER_OPS)
                self.add(name, lambda type_, mask, op=op, a=a, b=b: f"arith.{op} {a}, {b} : {type_}")
            self.values.append(name)
        # Whatever was drawn, the result is of both operands.
        last = "addf" if is_float else "xori"
        self.add("%l0", lambda type_, mask: f"arith.{last} {self.values[-1]}, %p : {type_}")
        self.add("%l", lambda type_, mask: f"arith.{last} %l0, %q : {type_}")

    def add(self, name, text):
        self.steps.append((name, text))

    def emit(self, kernel, shape):
        for name, text in self.steps:
            kernel.line(f"{name} = {text(vector(shape, self.element), vector(shape, 'i1'))}")


class Pair:
    def __init__(self, seed):
        self.seed, r = seed, random.Random(f"lanes {seed}")
        self.lanes, self.subgroups = r.choice([32, 32, 64]), r.choice([1, 2, 4])
        layouts = RandomLayouts(r, self.subgroups, self.lanes)
        self.shape, self.element = shape_of(r), r.choice(FLOATS + INTEGERS)
        self.layout = self.nested(layouts)
        self.loops = r.random() < 0.5
        self.trips = r.choice([0, 1, 2, 3])
        self.ops = Ops(r, self.element)
        self.again = self.nested(layouts) if r.random() < 0.5 else None

    def nested(self, layouts):
        while True:
            layout = layouts.layout(self.shape)
            # What folds into registers has another shape there.
            if not isinstance(layout, DigitLayout) and product(layout.S) <= self.subgroups:
                return layout

    def kernel(self, of_a_lane):
        kernel = Kernel(f"{'lane' if of_a_lane else 'whole'}_{self.seed}", self.lanes * self.subgroups, self.lanes)
        type_ = vector(self.shape, self.element)
        trips, scalar = kernel.argument("index", str(self.trips)), kernel.argument(self.element, "3")
        kernel.line(f"%none = arith.constant {zero(self.element)}")
        kernel.line(f"%s = arith.{'addf' if self.element in FLOATS else 'addi'} {scalar}, %none : {self.element}")
        for value, number in (("%x", 1), ("%y", 2)):
            kernel.read(value, self.shape, self.element, None, f"random:{number}" if self.element in FLOATS else f"random:{number}:-99:99")
        entered = "%x"
        if self.loops:
            kernel.line("%c1 = arith.constant 1 : index")
            kernel.line(f"%r = scf.for %i = %c0 to {trips} step %c1 iter_args(%v = %x) -> ({type_}) {{")
            entered = "%v"
        result = self.lane_code(kernel, entered) if of_a_lane else self.whole_code(kernel, entered)
        if self.loops:
            kernel.line(f"scf.yield {result} : {type_}")
            kernel.line("}")
            result = "%r"
        kernel.write(result, self.shape, self.element)
        return kernel

    def lane_code(self, kernel, entered):
        type_, part = vector(self.shape, self.element), vector(lane_shape(self.layout), self.element)
        for part_name, value in (("%p", entered), ("%q", "%y")):
            kernel.layout(f"{part_name}_whole", value, self.layout, type_)
            kernel.line(f"{part_name} = iree_vector_ext.to_simt {part_name}_whole : {type_} -> {part}")
        self.ops.emit(kernel, lane_shape(self.layout))
        kernel.line(f"%w = iree_vector_ext.to_simd %l : {part} -> {type_}")
        if not self.again:
            return "%w"
        kernel.layout("%z", "%w", self.again, type_)
        return "%z"

    def whole_code(self, kernel, entered):
        self.ops.emit(kernel, self.shape)
        kernel.lines = [re.sub(r"%q\b", "%y", re.sub(r"%p\b", entered, line)) for line in kernel.lines]
        return "%l"


def judged(pair, chosen):
    """What is wrong with a pair, or None."""
    target, results = TARGETS[pair.lanes], {}
    devices = ["simt"] + ["ptx"] * (pair.lanes == 32)
    for of_a_lane in (True, False):
        kernel = pair.kernel(of_a_lane)
        path = chosen.out / f"{kernel.name}.mlir"
        path.write_text(kernel.text())
        for device in devices:
            out = path.with_suffix(f".{device}.npy")
            done = suite.execute([chosen.distaff, "run", str(path), "--target", target, "--device", device, *kernel.flags, "--output", f"arg{len(kernel.arguments) - 1}={out}"])
            if done.returncode:
                return f"{kernel.name} on {device}: exit {done.returncode}\n{done.stderr[:1500]}"
            results[kernel.name, device] = out.read_bytes()
        if of_a_lane:
            done = suite.execute([chosen.distaff, "run", str(path), "--target", target, "--check", "--every-stage", *kernel.flags])
            if done.returncode not in (0, 3) or "not modelled" in done.stderr:
                return f"{kernel.name} checked: exit {done.returncode}\n{done.stdout}{done.stderr[:1500]}"
    for (name, device), found in results.items():
        if found != results[f"whole_{pair.seed}", "simt"]:
            return f"{name} on {device} writes other bytes than whole_{pair.seed} on simt"
    return None


def main():
    seeds = suite.taken("--seeds") or suite.depth.some(range(60), 2)
    chosen = suite.options()
    pairs = [pair for pair in map(Pair, seeds) if not chosen.only or chosen.only == str(pair.seed)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for pair, wrong in zip(pairs, pool.map(lambda pair: judged(pair, chosen), pairs)):
            if wrong:
                failed += 1
                print(f"FAIL {pair.seed} ({pair.element}, {pair.shape}): {wrong}")
    print(f"{sum(pair.loops for pair in pairs)} in loops, {sum(pair.lanes == 64 for pair in pairs)} of 64 lanes")
    print(f"{len(pairs) - failed} of {len(pairs)} pairs are equal")
    sys.exit(failed > 0 or not pairs)


main()
